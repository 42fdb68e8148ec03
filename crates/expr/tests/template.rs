//! Templates, as tables of cases.
#![allow(clippy::unwrap_used, clippy::string_slice, reason = "a test that fails may panic")]

use throughline_expr::template::{Decision, Interpolation, Sink, Template};
use throughline_expr::{MapEnv, Path};

fn env() -> MapEnv {
    MapEnv::new()
        .with_json(
            "facts",
            r#"{"price": 91.70, "status": "已签收", "late": false, "none": null, "empty": [],
                "items": [{"name": "a", "price": 2.50}, {"name": "b", "price": 10}], "map": {"k": 1, "l": 2}}"#,
        )
        .unwrap()
        .with("evil", "{{ facts.price }}{% if true %}")
}

/// `expected` is the text, or `code@start` of the error.
#[track_caller]
fn check(source: &str, expected: &str) {
    let got = match Template::parse(source).and_then(|template| template.render_text(&env())) {
        Ok(rendered) => {
            for piece in &rendered.pieces {
                assert!(source[piece.span.start..piece.span.end].contains(&piece.source), "{source}");
                assert!(rendered.text.get(piece.at.start..piece.at.end).is_some());
            }
            rendered.text
        }
        Err(error) => format!("{}@{}", error.code(), error.span().unwrap().start),
    };
    assert_eq!(got, expected, "{source}");
}

#[test]
fn values_stand_in_the_text_as_they_were_extracted() {
    check("包裹{{ facts.status }}，{{facts.price}}元", "包裹已签收，91.70元");
    check("{{ facts.price + 1 | round }}", "92.7");
    check("{{ (facts.price + 1) | round }}", "93");
    check("{{ facts.price | fixed(1) }}%", "91.7%");
    check("{{ {\"a\": {\"b\": \"}}\"}}.a.b }}", "}}");
    check("{{ facts.map }}", "{\"k\":1,\"l\":2}");
    check("{{ \"yes\" if not facts.late else \"no\" }}", "yes");
    check("no tags } % {", "no tags } % {");
}

#[test]
fn a_hole_in_a_sentence_is_an_error_unless_it_is_filled() {
    check("a {{ facts.none }}", "wrong-type@5");
    check("a {{ nosuch }}", "unknown-name@5");
    check("a {{ nosuch ?? \"-\" }}", "a -");
    check("a {{ facts.none | default(\"-\") }}", "a -");
}

#[test]
fn data_never_becomes_a_tag() {
    check("{{ evil }}", "{{ facts.price }}{% if true %}");
    check("{% set e = evil %}{{ e ~ e | upper }}", "{{ facts.price }}{% if true %}{{ FACTS.PRICE }}{% IF TRUE %}");
}

#[test]
fn branches_take_the_first_condition_that_holds() {
    check("{% if facts.late %}late{% elif facts.price > 90 %}dear{% else %}fine{% endif %}", "dear");
    check("{% if facts.late %}late{% endif %}.", ".");
    check("{% if false %}{% if true %}x{% endif %}{% else %}y{% endif %}", "y");
    check("{% if facts.price %}x{% endif %}", "not-boolean@6");
    check("{% if \"%}\" == \"%}\" %}ok{% endif %}", "ok");
}

#[test]
fn loops_run_over_lists_and_maps() {
    check(
        "{% for x in facts.items %}{{ loop.index }}.{{ x.name }}{% if not loop.last %}, {% endif %}{% endfor %}",
        "1.a, 2.b",
    );
    check("{% for x in facts.empty %}x{% else %}none{% endfor %}", "none");
    check("{% for k, v in facts.map %}{{ k }}={{ v }};{% endfor %}", "k=1;l=2;");
    check("{% for k in facts.map %}{{ k }}{% endfor %}", "kl");
    check("{% for i in range(3) %}{% for j in range(i) %}{{ i * j }} {% endfor %}{% endfor %}", "0 0 2 ");
    check("{% for x in facts.none %}x{% endfor %}", "wrong-type@12");
    check("{% for a, b in facts.items %}x{% endfor %}", "wrong-type@15");
    check("{% for x in facts.items %}{% endfor %}{{ x }}", "unknown-name@41");
}

#[test]
fn set_names_live_to_the_end_of_their_loop() {
    check("{% set a = 1 %}{% if true %}{% set a = 2 %}{% endif %}{{ a }}", "2");
    check("{% for x in [1, 2] %}{% set y = x * 2 %}{{ y }}{% endfor %}", "24");
    check("{% for x in [1] %}{% set y = x %}{% endfor %}{{ y }}", "unknown-name@48");
    check("{% set t = 0 %}{% for x in [1, 2] %}{% set t = t + x %}{% endfor %}{{ t }}", "template-syntax@36");
    check("{% set a == 1 %}", "template-syntax@0");
    check("{% set now = 1 %}", "template-syntax@0");
}

#[test]
fn comments_raw_text_and_white_space() {
    check("a{# {{ nosuch }} #}b", "ab");
    check("a  {#- c -#}  b", "ab");
    check("{% raw %}{{ x }}{% endraw %}!", "{{ x }}!");
    check("a \n {{- 1 -}} \n b", "a1b");
    check("{% if true -%}  x  {%- endif %}", "x");
    check("{%- raw -%} {{ {%- endraw -%} x", "{{x");
    check("{{ -1 }}", "-1");
    check("{{-1 }}", "template-syntax@0");
    check("{{5%}}{% if 1 > 5%%}!{% endif %}", "0.05!");
}

#[test]
fn what_is_not_a_template_is_refused_where_it_goes_wrong() {
    check("ab {{ 1 ", "template-syntax@3");
    check("{{ \"}} ", "template-syntax@0");
    check("{# x", "template-syntax@0");
    check("{% raw %}x", "template-syntax@0");
    check("{{ }}", "template-syntax@0");
    check("{% if true %}", "template-syntax@0");
    check("x{% endif %}", "template-syntax@1");
    check("{% for x in [1] %}{% endif %}", "template-syntax@18");
    check("{% else %}", "template-syntax@0");
    check("{% if true %}{% else %}{% else %}{% endif %}", "template-syntax@23");
    check("{% if true %}{% else if false %}{% endif %}", "template-syntax@13");
    check("{% include \"x\" %}", "template-syntax@0");
    check("{% %}", "template-syntax@0");
    check("{% for x of y %}{% endfor %}", "template-syntax@0");
    check("中文 {{ 1 + }}", "expr-syntax@13");
    check("中文 {{ 1 / 0 }}", "division-by-zero@10");
    check("{{ nosuch(1) }}", "unknown-function@3");
}

#[test]
fn every_value_comes_with_what_it_was_read_from() {
    #[track_caller]
    fn reads(source: &str, expected: &[&[&str]]) {
        let rendered = Template::parse(source).unwrap().render_text(&env()).unwrap();
        let got: Vec<Vec<String>> =
            rendered.pieces.iter().map(|piece| piece.reads.iter().map(Path::dotted).collect()).collect();
        assert_eq!(got, expected, "{source}");
    }
    reads("{{ facts.price }} {{ 1 }}", &[&["facts.price"], &[]]);
    reads("{% for x in facts.items %}{{ x.price }}{% endfor %}", &[&["facts.items.0.price"], &["facts.items.1.price"]]);
    reads("{% for k, v in facts.map %}{{ v }}{% endfor %}", &[&["facts.map.k"], &["facts.map.l"]]);
    reads("{% set p = facts.items[1] %}{{ p.price }}", &[&["facts.items.1.price"]]);
    reads("{% set p = facts.price * 2 %}{% set q = p + 1 %}{{ q }}", &[&["facts.price"]]);
    reads("{{ facts.price if facts.late else facts.status }}", &[&["facts.late", "facts.status"]]);
    reads(
        "{% for x in filter(facts.items, y => y.price > 3) %}{{ x.name }}{% endfor %}",
        &[&["facts.items", "facts.items.0.price", "facts.items.1.price"]],
    );
}

#[test]
fn names_leave_out_what_the_template_binds() {
    #[track_caller]
    fn names(source: &str, expected: &[&str]) {
        let got: Vec<_> = Template::parse(source).unwrap().names().iter().map(Path::dotted).collect();
        assert_eq!(got, expected, "{source}");
    }
    names("{{ a.b }}{% if c %}{{ d }}{% endif %}", &["a.b", "c", "d"]);
    names("{% for x in xs %}{{ x.y }}{{ loop.index }}{{ z }}{% endfor %}{{ x }}", &["xs", "z", "x"]);
    names("{% set a = b %}{{ a }}", &["b"]);
    names("{% if c %}{% set a = 1 %}{% else %}{% set a = 2 %}{% endif %}{{ a }}", &["c"]);
    names("{% if c %}{% set a = 1 %}{% endif %}{{ a }}", &["c", "a"]);
}

#[test]
fn a_sink_sees_texts_values_and_decisions_in_order() {
    #[derive(Default)]
    struct Log(Vec<String>);
    impl Sink for Log {
        fn literal(&mut self, text: &str) {
            self.0.push(format!("text {text}"));
        }
        fn value(&mut self, piece: &Interpolation<'_>) {
            self.0.push(format!("value {} = {}", piece.source, piece.text));
        }
        fn decided(&mut self, decision: &Decision<'_>) {
            self.0.push(format!("{} {} {}", decision.source, decision.holds, decision.reads[0]));
        }
    }
    let mut log = Log::default();
    let template = Template::parse("a{% if facts.late %}b{% endif %}{{ facts.price }}").unwrap();
    template.render(&env(), &mut log).unwrap();
    assert_eq!(log.0, ["text a", "facts.late false facts.late", "value facts.price = 91.70"]);
    let sources: Vec<_> = template.expressions().iter().map(|expr| expr.source().to_owned()).collect();
    assert_eq!(sources, ["facts.late", "facts.price"]);
}

#[test]
fn output_loops_and_nesting_are_limited() {
    check("{% for a in range(200) %}{% for b in range(200) %}{% endfor %}{% endfor %}", "too-many-iterations@25");
    let long = "x".repeat(200_000);
    let big = MapEnv::new().with("x", long.as_str());
    let error = Template::parse("{{ x }}{{ x }}{{ x }}{{ x }}{{ x }}{{ x }}").unwrap().render_text(&big).unwrap_err();
    assert_eq!((error.code(), error.span().unwrap().start), ("output-too-long", 35));
    check(&"{% if true %}".repeat(40), "too-deep@416");
    let source = "a".repeat(300_000);
    check(&source, "source-too-long@0");
    let flat = "{% if true %}x{% endif %}".repeat(2000);
    check(&flat, &"x".repeat(2000));
}
