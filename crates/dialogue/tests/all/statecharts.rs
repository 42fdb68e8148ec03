//! Statecharts with their configurations after every event, as two other interpreters agree on them.

use std::collections::BTreeSet;

use throughline_value::Value;

use crate::convert::convert;
use crate::support::{Bench, lines};

#[test]
fn statecharts_reach_the_configurations_that_other_interpreters_agree_on() {
    let Some(cases) = lines("c_fsm/scxml/statechart_cases.jsonl") else { return };
    let (mut passed, mut unsupported) = (0, Vec::new());
    for case in cases.iter().filter(|c| c.get("xstate5_agrees") == Some(&true.into())) {
        let name = case.get("case").and_then(Value::as_str).unwrap();
        let mut ids = Vec::new();
        let machine = convert(case.get("machine").unwrap(), &mut ids);
        let mut bench = Bench::default();
        if let Err(refusal) = bench.load(&machine.to_json()) {
            assert_eq!(refusal.code, "unsupported-machine", "{name}: {refusal}");
            unsupported.push(name.to_owned());
            continue;
        }
        let active = |bench: &Bench| -> BTreeSet<String> {
            let number = |path: &String| path.rsplit('s').next().unwrap().parse::<usize>().unwrap();
            bench.machine.state(bench.here()).iter().map(|path| ids[number(path)].clone()).collect()
        };
        let expected = |value: &Value, field: &str| -> BTreeSet<String> {
            let list = value.get(field).and_then(Value::as_list).unwrap();
            list.iter().map(|v| v.as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(active(&bench), expected(case, "initialConfiguration"), "{name} at its start");
        for event in case.get("events").and_then(Value::as_list).unwrap() {
            // An event that nothing takes leaves the configuration as it is.
            let sent = event.get("event").and_then(Value::as_str).unwrap();
            let outcome = bench.send(sent, Value::Null);
            assert_eq!(active(&bench), expected(event, "nextConfiguration"), "{name} after {sent}: {outcome:?}");
        }
        passed += 1;
    }
    println!("{passed} statecharts, {} not supported yet: {}", unsupported.len(), unsupported.join(", "));
    assert_eq!((passed, unsupported.len()), (32, 0));
}
