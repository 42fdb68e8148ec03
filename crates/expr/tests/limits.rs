//! No text makes reading or evaluating panic, hang or overflow the stack.
#![allow(clippy::unwrap_used, clippy::string_slice, reason = "a test that fails may panic")]

use proptest::prelude::*;
use throughline_expr::limits::{MAX_DEPTH, MAX_NESTING, MAX_SOURCE_BYTES};
use throughline_expr::template::Template;
use throughline_expr::{Expr, MapEnv, Node, NodeData};

/// The stack that a WebAssembly module gets from the linker.
const SMALL_STACK: usize = 1 << 20;

fn on_a_small_stack<T: Send + 'static>(run: impl FnOnce() -> T + Send + 'static) -> T {
    std::thread::Builder::new().stack_size(SMALL_STACK).spawn(run).unwrap().join().unwrap()
}

fn code(source: &str) -> &'static str {
    let env = MapEnv::new().with_json("a", "{\"b\": 1}").unwrap().with("xs", vec![1, 2, 3]);
    match Expr::parse(source).and_then(|expr| expr.eval(&env)) {
        Ok(_) => "ok",
        Err(error) => error.code(),
    }
}

#[track_caller]
fn check(source: &str, expected: &str) {
    let owned = source.to_owned();
    assert_eq!(on_a_small_stack(move || code(&owned)), expected, "{} bytes of {}", source.len(), &source[..10]);
}

#[test]
fn deep_and_long_shapes_are_clean_errors_on_a_small_stack() {
    for count in [300, 5000] {
        check(&"(".repeat(count), "too-deep");
        check(&"[".repeat(count), "too-deep");
        check(&"!".repeat(count), "too-deep");
        check(&"-".repeat(count), "too-deep");
        check(&"{a:".repeat(count), "too-deep");
        check(&"not ".repeat(count.min(4000)), "too-deep");
        check(&"abs(".repeat(count.min(4000)), "too-deep");
        check(&"a ? ".repeat(count.min(4000)), "too-deep");
        check(&"if a then ".repeat(count.min(1600)), "too-deep");
        check(&format!("{}1", "1+".repeat(count)), "too-deep");
        check(&format!("{}1", "1??".repeat(count)), "too-deep");
        check(&format!("a{}", ".b".repeat(count)), "too-deep");
        check(&format!("a{}", "[0]".repeat(count)), "too-deep");
        check(&format!("1{}", "|abs".repeat(count.min(4000))), "too-deep");
        check(&format!("1{}", " is null".repeat(count.min(2000))), "too-deep");
        check(&format!("true{}", " and true".repeat(count.min(1800))), "too-deep");
        check(&format!("1{}", " if true else 1".repeat(count.min(1000))), "too-deep");
    }
    for unit in ["(", "[", "!", "1+", "a.", "x[0]"] {
        check(&unit.repeat(20_000), "source-too-long");
    }
    // A chain of comparisons is wide, not deep.
    check(&format!("1{}", "<2".repeat(100)), "ok");
    check(&format!("[{}]", "1,".repeat(8000)), "ok");
}

#[test]
fn what_fits_the_limits_evaluates_on_a_small_stack() {
    check(&format!("{}1", "1+".repeat(MAX_DEPTH - 1)), "ok");
    check(&format!("{}1", "1+".repeat(MAX_DEPTH)), "too-deep");
    let nested = MAX_NESTING - 1;
    check(&format!("{}1{}", "(".repeat(nested), ")".repeat(nested)), "ok");
    check(&format!("{}1{}", "[".repeat(nested), "]".repeat(nested)), "ok");
    check(&format!("{}1{}", "abs(".repeat(nested), ")".repeat(nested)), "ok");
    check(&format!("{}true", "!".repeat(nested)), "ok");
    let lambdas = 31;
    check(&format!("{}1{}", "any(map(xs, x => ".repeat(lambdas), ") , y => y == 1)".repeat(lambdas)), "wrong-type");
    check(&format!("{}1{}", "map([1], x => ".repeat(60), ")".repeat(60)), "ok");
}

#[test]
fn work_and_sizes_are_limited() {
    check("map(range(90000), x => map(range(90000), y => y))", "out-of-fuel");
    check("map(range(2000), x => range(2000))", "out-of-fuel");
    check("join(map(range(90000), x => \"aaaaaaaaaaaaaaaaaaaa\"))", "text-too-long");
    check("concat(range(60000), range(60000))", "list-too-long");
    check("sort(map(range(90000), x => x * 7919 % 90001)) | len", "out-of-fuel");
    check("replace(join(range(50000)), \"1\", join(range(50000)))", "text-too-long");
    check(&format!("{}\"aaaaaaaa\"{}", "replace(".repeat(40), ", \"a\", \"aaaa\")".repeat(40)), "text-too-long");
    check("unique(range(50000)) | len", "ok");
    check("reverse(range(100000)) | first", "ok");
}

#[test]
fn values_made_in_a_loop_stay_shallow() {
    let deep = format!("{}1{}", "[".repeat(60), "]".repeat(60));
    let inner = throughline_value::json::read_value(&deep).unwrap();
    let env = MapEnv::new().with("deep", inner);
    let error = Expr::parse("[[[[[[deep]]]]]]").unwrap().eval(&env).unwrap_err();
    assert_eq!(error.code(), "too-deep");
}

/// Two trees are the same, spans aside.
fn same(a: &Node, b: &Node) -> bool {
    fn shape(node: &Node) -> String {
        let mut inner = String::new();
        node.each_child(&mut |child| inner.push_str(&shape(child)));
        let own = match &node.data {
            NodeData::Null => "null".to_owned(),
            NodeData::Bool(bool) => bool.to_string(),
            NodeData::Number(number) | NodeData::Percent(number) => {
                format!("{} {number}", matches!(node.data, NodeData::Percent(_)))
            }
            NodeData::Duration(text) => format!("duration {text}"),
            NodeData::Text(text) => format!("{text:?}"),
            NodeData::List(items) => format!("list {}", items.len()),
            NodeData::Map(entries) => format!("map {:?}", entries.iter().map(|(name, _)| name).collect::<Vec<_>>()),
            NodeData::Name(name) => name.clone(),
            NodeData::Access { step, .. } => match step {
                throughline_expr::Step::Name { name, safe } => format!("step {name} {safe}"),
                throughline_expr::Step::Index(_) => "index".to_owned(),
            },
            NodeData::Unary { op, .. } => format!("{op:?}"),
            NodeData::Binary { op, .. } => format!("{op:?}"),
            NodeData::Compare { rest, .. } => format!("{:?}", rest.iter().map(|(op, _)| op).collect::<Vec<_>>()),
            NodeData::Is { test, negated, .. } => format!("{test:?} {negated}"),
            NodeData::If { .. } => "if".to_owned(),
            NodeData::Call { name, args, .. } => format!("{name} {}", args.len()),
            NodeData::Lambda { param, .. } => format!("lambda {param}"),
            other => format!("{other:?}"),
        };
        format!("({own}{inner})")
    }
    shape(a) == shape(b)
}

/// Source made of the language's own pieces, so that much of it parses.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "1",
        "91.70",
        "5%",
        "1e3",
        "\"文\"",
        "'a'",
        "a",
        "xs",
        "订单",
        "x",
        "now",
        "null",
        "true",
        "PT5M",
        "(",
        ")",
        "[",
        "]",
        "{a: ",
        "}",
        ",",
        ".b",
        "?.b",
        "[0]",
        "+",
        "-",
        "*",
        "/",
        "%",
        "~",
        "??",
        "==",
        "!=",
        "<",
        "<=",
        " and ",
        " or ",
        " not ",
        " in ",
        " not in ",
        " is null",
        " is not defined",
        "if ",
        " then ",
        " else ",
        "?",
        ":",
        "|",
        "abs(",
        "round(",
        "map(xs, x => ",
        "count(",
        "any(",
        "duration(\"1h\")",
        "instant(\"2026-01-01T00:00:00Z\")",
        " ",
    ]);
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Well-formed sources, built from the inside out.
fn wholes() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "1",
        "91.70",
        "5%",
        "\"文\\n\"",
        "a",
        "a.b",
        "订单.状态",
        "xs",
        "xs[0]",
        "null",
        "true",
        "PT5M",
        "a?.c",
        "now",
        "-2",
        "[]",
        "{\"k k\": 1}",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(5, 40, 3, |inner| {
        let op = prop::sample::select(vec![
            "+", "-", "*", "/", "%", "~", "??", "==", "!=", "<", ">=", " in ", " not in ", " and ", " or ", "&&", "||",
        ]);
        prop_oneof![
            (inner.clone(), op, inner.clone()).prop_map(|(a, op, b)| format!("{a} {op} {b}")),
            inner.clone().prop_map(|a| format!("({a})")),
            inner.clone().prop_map(|a| format!("not {a}")),
            inner.clone().prop_map(|a| format!("-({a})")),
            inner.clone().prop_map(|a| format!("({a}).f")),
            inner.clone().prop_map(|a| format!("{a} is not null")),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("({a} ? {b} : {c})")),
            (inner.clone(), inner.clone(), inner.clone()).prop_map(|(a, b, c)| format!("if {a} then {b} else {c}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("map({a}, it => {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("[{a}, {b}] | count")),
            (inner.clone(), inner).prop_map(|(a, b)| format!("{{k: {a}, 键: {b}}}")),
        ]
    })
}

fn env() -> MapEnv {
    MapEnv::new()
        .with_json("a", "{\"b\": 1, \"c\": null}")
        .unwrap()
        .with_json("订单", "{\"状态\": \"已签收\"}")
        .unwrap()
        .with("xs", vec![1, 2, 3])
        .at(1_772_499_600_000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_it_panic_and_errors_point_into_the_text(source in prop_oneof![any::<String>(), pieces(), "[ -~]{0,60}"]) {
        match Expr::parse(&source) {
            Ok(expr) => {
                if let Err(error) = expr.eval(&env()) {
                    let span = error.span().unwrap();
                    prop_assert!(source.get(span.start..span.end).is_some());
                }
            }
            Err(error) => {
                let span = error.span().unwrap();
                prop_assert!(source.get(span.start..span.end).is_some(), "{error} {span:?}");
            }
        }
    }

    #[test]
    fn printing_and_reading_again_gives_the_same_tree_and_the_same_value(source in prop_oneof![wholes(), pieces()]) {
        if let Ok(expr) = Expr::parse(&source) {
            let printed = expr.normal();
            // Brackets that were not needed before may nest too deep when printed; nothing else may fail.
            let again = match Expr::parse(&printed) {
                Err(error) if error.code() == "too-deep" => return Ok(()),
                other => other.unwrap(),
            };
            prop_assert!(same(expr.ast(), again.ast()), "{source} printed as {printed}");
            prop_assert_eq!(again.normal(), printed);
            let (a, b) = (expr.eval(&env()), again.eval(&env()));
            prop_assert_eq!(a.map_err(|e| e.code()), b.map_err(|e| e.code()));
        }
    }

    #[test]
    fn no_text_is_a_template_that_panics(source in prop_oneof![any::<String>(), "([{}%#\"a-c .+-]|\\{\\{|\\}\\}|\\{%|%\\}| if | endif | for a in xs | endfor | else | set b = a | raw | endraw ){0,30}"]) {
        match Template::parse(&source).map(|template| template.render_text(&env())) {
            Ok(Ok(_)) => {}
            Ok(Err(error)) | Err(error) => {
                let span = error.span().unwrap();
                prop_assert!(source.get(span.start..span.end).is_some(), "{error} {span:?}");
            }
        }
    }

    #[test]
    fn text_without_tags_renders_as_itself_and_data_is_never_read(text in any::<String>()) {
        let env = MapEnv::new().with("data", text.as_str());
        let rendered = Template::parse("<{{ data }}>").unwrap().render_text(&env).unwrap();
        prop_assert_eq!(rendered.text, format!("<{text}>"));
    }

    #[test]
    fn sums_of_decimals_are_exact(a in -1_000_000_000i64..1_000_000_000, b in -1_000_000_000i64..1_000_000_000, scale in 0u32..6) {
        let text = |n: i64| throughline_expr::decimal::to_number(throughline_expr::decimal::Decimal::new(n, scale)).to_string();
        let expr = Expr::parse(&format!("({}) + ({}) == ({})", text(a), text(b), text(a + b))).unwrap();
        prop_assert!(expr.test(&MapEnv::new()).unwrap());
    }

    #[test]
    fn products_of_decimals_are_exact(a in -1_000_000_000_000i64..1_000_000_000_000, b in -1_000_000_000_000i64..1_000_000_000_000, scale in 0u32..14) {
        use throughline_expr::decimal::{Decimal, from_number, mul, to_number};
        let product = mul(Decimal::new(a, scale), Decimal::new(b, scale)).unwrap();
        prop_assert_eq!(product.normalize(), Decimal::from_i128_with_scale(i128::from(a) * i128::from(b), scale * 2).normalize());
        prop_assert_eq!(from_number(&to_number(product)).unwrap(), product);
    }

    #[test]
    fn no_pair_of_decimals_makes_arithmetic_panic(a in any::<i128>(), b in any::<i128>(), sa in 0u32..29, sb in 0u32..29, digits in -30i32..30) {
        use throughline_expr::decimal::{add, div, fixed, mul, rem, round, sub, to_number, Decimal, Rounding};
        let make = |n: i128, scale| Decimal::try_from_i128_with_scale(n >> 32, scale).unwrap_or(Decimal::ONE);
        let (a, b) = (make(a, sa), make(b, sb));
        for op in [add, sub, mul, div, rem] {
            if let Ok(result) = op(a, b) {
                let text = to_number(result).to_string();
                prop_assert_eq!(throughline_expr::decimal::parse(&text).unwrap(), result, "{}", text);
            }
        }
        for (_, mode) in Rounding::ALL {
            let _ = round(a, digits, *mode);
            let _ = fixed(a, digits.unsigned_abs(), *mode);
        }
    }

    #[test]
    fn rounding_to_tens_agrees_with_rounding_to_digits(n in -100_000_000i64..100_000_000, places in 1i32..8) {
        use throughline_expr::decimal::{mul, round, Decimal, Rounding};
        let unit = Decimal::from(10i64.pow(places.unsigned_abs()));
        let small = Decimal::new(n, places.unsigned_abs());
        for (_, mode) in Rounding::ALL {
            let by_digits = mul(round(small, 0, *mode).unwrap(), unit).unwrap();
            prop_assert_eq!(round(Decimal::from(n), -places, *mode).unwrap(), by_digits);
        }
    }

    #[test]
    fn instants_survive_being_written_in_any_zone(ms in -60_000_000_000_000i64..250_000_000_000_000, minutes in -1439i32..1440) {
        use throughline_expr::time::{format_instant, parse_instant, Zone};
        let zone = Zone::fixed(minutes * 60).unwrap();
        let text = format_instant(ms, Some(&zone));
        prop_assert_eq!(parse_instant(&text, None).unwrap().ms, ms, "{}", text);
        prop_assert_eq!(parse_instant(&format_instant(ms, None), None).unwrap().ms, ms);
    }

    #[test]
    fn durations_survive_being_written(months in -1000i64..1000, days in -1000i64..1000, ms in -10_000_000_000i64..10_000_000_000) {
        use throughline_expr::time::{parse_duration, Duration};
        let duration = Duration { months, days, ms };
        prop_assert_eq!(parse_duration(&duration.to_string()).unwrap(), duration);
    }
}

#[test]
fn a_source_at_the_limit_is_read() {
    assert!(Expr::parse(&format!("\"{}\"", "x".repeat(MAX_SOURCE_BYTES - 2))).is_ok());
    assert_eq!(
        Expr::parse(&format!("\"{}\"", "x".repeat(MAX_SOURCE_BYTES - 1))).unwrap_err().code(),
        "source-too-long"
    );
}
