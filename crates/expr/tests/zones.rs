//! The rules that the package ships against the compiled database of the machine.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test may panic"
)]

use std::collections::BTreeMap;
use std::path::Path;

use throughline_expr::time::Zone;

fn shipped() -> BTreeMap<String, String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/npm/src/zones.ts");
    let text = std::fs::read_to_string(file).unwrap();
    let lines = text.split("ZONES: string = `").nth(1).unwrap().trim_end_matches("`;\n");
    let mut zones: BTreeMap<String, String> = BTreeMap::new();
    for line in lines.lines().filter(|line| !line.is_empty()) {
        if let Some((name, rules)) = line.split_once('=') {
            zones.insert(name.to_owned(), rules.to_owned());
        } else if let Some((name, other)) = line.split_once('@') {
            let rules = zones[other].clone();
            zones.insert(name.to_owned(), rules);
        }
    }
    zones
}

#[test]
fn every_shipped_zone_shows_what_the_compiled_database_shows_since_1970() {
    let database = Path::new("/usr/share/zoneinfo");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/npm/src/zones.ts");
    let version = std::fs::read_to_string(database.join("tzdata.zi")).unwrap_or_default();
    let version = version.lines().next().and_then(|line| line.strip_prefix("# version ")).unwrap_or("none").to_owned();
    let same = std::fs::read_to_string(file).unwrap().contains(&format!("VERSION: string = \"{version}\""));
    let (mut compared, mut skipped) = (0, 0);
    for (name, rules) in shipped() {
        let zone = Zone::from_rules(&name, &rules).unwrap();
        let Some(bytes) = std::fs::read(database.join(&name)).ok().filter(|_| same) else {
            skipped += 1;
            continue;
        };
        let known = Zone::from_tzif(&name, &bytes).unwrap();
        // Every 53 hours from 1970 to 2060: hardly a change of clocks is undone so soon.
        for at in (0..2_840_000_000_000).step_by(53 * 3_600_000) {
            assert_eq!(zone.offset_at(at).unwrap(), known.offset_at(at).unwrap(), "{name} at {at}");
        }
        compared += 1;
    }
    if skipped > 0 {
        eprintln!("SKIPPED {skipped}: no compiled database of the same version here");
    }
    assert!(compared + skipped > 400);
}
