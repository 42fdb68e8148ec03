//! JSON paths against the compliance suite of RFC 9535.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stdout,
    reason = "a test may fail and says what it skips"
)]

use std::path::PathBuf;

use throughline_expr::MapEnv;
use throughline_plan::extract::{Query, extract};
use throughline_plan::{Pick, Scope, check};
use throughline_value::{Value, json};

fn suite() -> Vec<(String, Value)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shared = std::env::var_os("THROUGHLINE_SHARED").map_or_else(|| root.join("../shared"), PathBuf::from);
    let Ok(files) = std::fs::read_dir(shared.join("data/g_compliance/jsonpath_cts")) else {
        println!("SKIPPED 1: data/g_compliance/jsonpath_cts is not there; set THROUGHLINE_SHARED");
        return Vec::new();
    };
    let mut paths: Vec<_> =
        files.map(|f| f.unwrap().path()).filter(|p| p.extension().is_some_and(|e| e == "json")).collect();
    paths.sort();
    let mut out = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let Ok(value) = json::read_value(&text) else {
            println!("SKIPPED 1: {} does not read", path.display());
            continue;
        };
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        out.extend(value.get("tests").unwrap().as_list().unwrap().iter().map(|t| (name.clone(), t.clone())));
    }
    out
}

/// Where a null is found, nothing is: the language has no value there.
fn without_nulls(values: &[Value]) -> Vec<Value> {
    values.iter().filter(|v| !v.is_null()).cloned().collect()
}

#[test]
fn paths_find_what_the_compliance_suite_expects() {
    let (mut passed, mut invalid) = (0, 0);
    for (file, test) in suite() {
        let name = format!("{file}: {}", test.get("name").unwrap().as_str().unwrap());
        let selector = test.get("selector").unwrap().as_str().unwrap();
        if test.get("invalid_selector").is_some() {
            let plan = Value::from(vec![Value::from([
                ("id", Value::from("a")),
                ("op", "EXTRACT".into()),
                ("args", [("from", "$i"), ("path", selector)].into()),
            ])]);
            let report = check(&plan, &Scope::new().inputs(["i"])).1;
            assert!(
                report.diagnostics.iter().any(|d| d.code == "bad-json-path"),
                "{name}: {selector} {:?}",
                report.diagnostics
            );
            invalid += 1;
            continue;
        }
        let text = test.get("document").unwrap().to_json();
        let got = extract(&text, "", Query::Path(selector), Some(Pick::All), None, &MapEnv::new());
        let expected: Vec<Vec<Value>> = match (test.get("result"), test.get("results")) {
            (Some(result), _) => vec![without_nulls(result.as_list().unwrap())],
            (_, Some(results)) => {
                results.as_list().unwrap().iter().map(|r| without_nulls(r.as_list().unwrap())).collect()
            }
            _ => panic!("{name} expects nothing"),
        };
        match got {
            Ok(found) => {
                assert!(
                    expected.iter().any(|e| Value::List(e.clone()) == found.value),
                    "{name}: {}",
                    found.value.to_json()
                );
                // Every find stands in the text at its span.
                for (span, value) in found.spans.iter().zip(found.value.as_list().unwrap()) {
                    let part = &text[span.start..span.end];
                    let part = if value.as_str().is_some() { format!("\"{part}\"") } else { part.to_owned() };
                    assert_eq!(json::read_value(&part).as_ref(), Ok(value), "{name}");
                }
            }
            Err(failure) => {
                assert!(failure.code == "value-missing" && expected.iter().any(Vec::is_empty), "{name}: {failure:?}");
            }
        }
        passed += 1;
    }
    println!("json paths: {passed} found as expected, {invalid} refused as expected");
}
