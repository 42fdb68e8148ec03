//! `docs/expressions.md` says what the language does: every example in it is run, every function, code
//! and limit stands in it.
#![allow(clippy::unwrap_used, clippy::string_slice, reason = "a test that fails may panic")]

use throughline_expr::template::Template;
use throughline_expr::{Code, Expr, MapEnv, functions, limits};
use throughline_value::json;

const DOCUMENT: &str = include_str!("../../../docs/expressions.md");

/// The contents of all fenced blocks of one language.
fn blocks(language: &str) -> Vec<&'static str> {
    let open = format!("```{language}\n");
    let mut out = Vec::new();
    let mut rest = DOCUMENT;
    while let Some(at) = rest.find(&open) {
        rest = &rest[at + open.len()..];
        let end = rest.find("```").unwrap();
        out.push(&rest[..end]);
        rest = &rest[end..];
    }
    out
}

fn env() -> MapEnv {
    let data = json::read_value(blocks("json").first().unwrap()).unwrap();
    let mut env = MapEnv::new().at(1_772_499_600_000);
    for (name, value) in data.as_map().unwrap() {
        env.set(name.clone(), value.clone());
    }
    env
}

#[test]
fn every_example_gives_what_the_document_says() {
    let mut count = 0;
    for line in blocks("expr").iter().flat_map(|block| block.lines()) {
        let (source, expected) = line.split_once(" → ").unwrap();
        let got = match Expr::parse(source).and_then(|expr| expr.eval(&env())) {
            Ok(value) => value.to_json(),
            Err(error) => error.code().to_owned(),
        };
        assert_eq!(got, expected, "{source}");
        count += 1;
    }
    assert!(count > 50, "only {count} examples were found");
}

#[test]
fn the_template_renders_as_the_document_says() {
    for (source, expected) in blocks("template").iter().zip(blocks("text")) {
        assert_eq!(Template::parse(source).unwrap().render_text(&env()).unwrap().text, expected);
    }
    assert_eq!((blocks("template").len(), blocks("text").len()), (1, 1));
}

#[test]
fn every_function_code_and_limit_stands_in_the_document() {
    for function in functions() {
        let line = format!("| `{}` | {} |", function.signature, function.about);
        assert!(DOCUMENT.contains(&line), "missing: {line}");
        assert!(function.signature.starts_with(&format!("{}(", function.name)));
    }
    for code in Code::ALL {
        assert!(DOCUMENT.contains(&format!("\n| `{code}` | ")), "missing: {code}");
    }
    let limits: &[(&str, u64)] = &[
        ("MAX_SOURCE_BYTES", limits::MAX_SOURCE_BYTES as u64),
        ("MAX_DEPTH", limits::MAX_DEPTH as u64),
        ("MAX_NESTING", limits::MAX_NESTING as u64),
        ("MAX_FUEL", limits::MAX_FUEL),
        ("BYTES_PER_FUEL", limits::BYTES_PER_FUEL as u64),
        ("MAX_TEXT_BYTES", limits::MAX_TEXT_BYTES as u64),
        ("MAX_LIST_ITEMS", limits::MAX_LIST_ITEMS as u64),
        ("MAX_VALUE_DEPTH", limits::MAX_VALUE_DEPTH as u64),
        ("MAX_TEMPLATE_BYTES", limits::MAX_TEMPLATE_BYTES as u64),
        ("MAX_BLOCK_DEPTH", limits::MAX_BLOCK_DEPTH as u64),
        ("MAX_ITERATIONS", limits::MAX_ITERATIONS as u64),
        ("MAX_OUTPUT_BYTES", limits::MAX_OUTPUT_BYTES as u64),
    ];
    for (name, value) in limits {
        assert!(DOCUMENT.contains(&format!("| `{name}` | {value} ")), "missing or changed: {name} {value}");
    }
}

#[test]
fn no_function_stands_in_the_table_twice() {
    let mut names: Vec<_> = functions().map(|function| function.name).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}
