//! Writes the rules of all named zones since 1970 from a compiled zone database, as `web/npm/src/zones.ts` has them:
//! `cargo run -p throughline-expr --example zones -- /usr/share/zoneinfo > web/npm/src/zones.ts`.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a tool of one screen"
)]

use std::collections::BTreeMap;
use std::path::Path;

use throughline_expr::time::Zone;

fn main() {
    let folder = std::env::args().nth(1).expect("the folder of the zone database");
    let root = Path::new(&folder);
    let version = std::fs::read_to_string(root.join("tzdata.zi"))
        .ok()
        .and_then(|text| text.lines().next()?.strip_prefix("# version ").map(str::to_owned))
        .expect("tzdata.zi says the version in its first line");
    let mut zones = BTreeMap::new();
    collect(root, root, &mut zones);
    println!("// The rules of every named zone since 1970, from the time zone database (public domain).");
    println!(
        "// Written by crates/expr/examples/zones.rs. One line a zone: `name=rules`, or `name@other` for the same rules."
    );
    println!("\nexport const VERSION: string = \"{version}\";\n\nexport const ZONES: string = `");
    let mut first: BTreeMap<String, String> = BTreeMap::new();
    for (name, rules) in &zones {
        match first.get(rules) {
            Some(other) => println!("{name}@{other}"),
            None => {
                println!("{name}={rules}");
                first.insert(rules.clone(), name.clone());
            }
        }
    }
    println!("`;");
}

fn collect(root: &Path, folder: &Path, zones: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let name = path.strip_prefix(root).expect("below").to_string_lossy().into_owned();
        if path.is_dir() {
            if !matches!(name.as_str(), "posix" | "right") {
                collect(root, &path, zones);
            }
        } else if !matches!(name.as_str(), "localtime" | "posixrules" | "Factory") {
            let bytes = std::fs::read(&path).expect("a file");
            if bytes.starts_with(b"TZif") {
                zones.insert(name, rules(&bytes));
            }
        }
    }
}

fn number(bytes: &[u8], at: usize, length: usize) -> i64 {
    let start = if bytes[at] & 0x80 == 0 { 0 } else { -1 };
    bytes[at..at + length].iter().fold(start, |n, b| n << 8 | i64::from(*b))
}

fn rules(bytes: &[u8]) -> String {
    let counts = |at: usize| [0, 4, 8, 12, 16, 20].map(|i| number(bytes, at + 20 + i, 4) as usize);
    let [isut, isstd, leap, time, kind, chars] = counts(0);
    let second = 44 + time * 5 + kind * 6 + chars + leap * 8 + isstd + isut;
    let [isut, isstd, leap, time, kind, chars] = counts(second);
    let times = second + 44;
    let kinds = times + time * 8 + time;
    let offset = |i: usize| number(bytes, kinds + i * 6, 4);
    let end = kinds + kind * 6 + chars + leap * 12 + isstd + isut;
    let posix = String::from_utf8(bytes[end..].to_vec()).expect("a footer").trim().to_owned();
    let rule = Zone::from_rules("rule", &posix).expect("a rule");
    let by_rule = |second: i64| i64::from(rule.offset_at(second * 1000).expect("an instant"));
    let mut now = offset(0);
    let mut changes: Vec<(i64, i64)> = Vec::new();
    let mut first = None;
    for i in 0..time {
        let at = number(bytes, times + i * 8, 8);
        let next = offset(usize::from(bytes[times + time * 8 + i]));
        if at > 0 {
            first.get_or_insert(now);
            if next != now {
                changes.push((at, next));
            }
        }
        now = next;
    }
    let first = first.unwrap_or(now);
    // What the rule says by itself need not be written.
    while let Some((at, offset)) = changes.last().copied() {
        let (since, before) = changes.iter().rev().nth(1).copied().unwrap_or((0, first));
        let same = (0..=200).all(|i| by_rule(since + (at - 1 - since) * i / 200) == before) && by_rule(at) == offset;
        if !same {
            break;
        }
        changes.pop();
    }
    if changes.is_empty() && by_rule(0) == first {
        return posix;
    }
    let words: Vec<String> = changes.iter().map(|(at, offset)| format!(" {}:{offset}", base36(*at))).collect();
    format!("{posix}|{first}{}", words.concat())
}

fn base36(mut n: i64) -> String {
    let mut out = Vec::new();
    while n > 0 {
        out.push(b"0123456789abcdefghijklmnopqrstuvwxyz"[(n % 36) as usize]);
        n /= 36;
    }
    out.reverse();
    String::from_utf8(out).expect("ASCII")
}
