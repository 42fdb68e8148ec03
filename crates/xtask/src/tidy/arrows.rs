//! Who may depend on whom: arrows point down only.

use super::Finding;
use super::crates::Member;

/// The storeys of the house, lowest first. A crate may use what is on a lower storey.
const STOREYS: &[(&[&str], &str)] = &[
    (&["throughline-value"], "value"),
    (&["throughline-expr", "throughline-journal"], "expr, journal"),
    (&["throughline-protocol"], "protocol"),
    (
        &["throughline-world", "throughline-dialogue", "throughline-plan", "throughline-memory", "throughline-model"],
        "world, dialogue, plan, memory, model",
    ),
    (&["throughline-agent"], "agent"),
    (&["throughline-engine"], "engine"),
    (&["throughline", "throughline-store"], "throughline, store"),
    (&["throughline-browser"], "browser"),
    (&["throughline-wasm", "throughline-sim"], "wasm, sim"),
];

/// The inspector talks to an engine by messages: it may know their words only.
const INSPECTOR: (&str, &[&str]) = ("throughline-inspector", &["throughline-protocol", "throughline-value"]);

/// The build tool is outside of the house.
pub(super) const OUTSIDE: &str = "xtask";

fn storey(name: &str) -> Option<usize> {
    STOREYS.iter().position(|(names, _)| names.contains(&name))
}

/// Checks every arrow between members. Test-only arrows may point anywhere but up to the inspector or xtask.
pub(super) fn check(members: &[Member]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in members.iter().filter(|member| member.name != OUTSIDE) {
        let own = storey(&member.name);
        if own.is_none() && member.name != INSPECTOR.0 {
            findings.push(Finding::Fault(format!(
                "{} has no storey: give it one in the tidy rules and in ARCHITECTURE.md",
                member.name
            )));
            continue;
        }
        for used in member.uses.iter().filter(|used| members.iter().any(|other| other.name == **used)) {
            let allowed = match own {
                None => INSPECTOR.1.contains(&used.as_str()),
                Some(own) => storey(used).is_some_and(|theirs| theirs < own),
            };
            if !allowed {
                let rule = match own.and_then(|own| STOREYS.get(own)) {
                    Some((_, storey)) => format!("arrows point down only, and it stands with {storey}"),
                    None => format!("the inspector uses {} only", INSPECTOR.1.join(" and ")),
                };
                findings.push(Finding::Fault(format!("{} must not depend on {used}: {rule}", member.name)));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_arrows(arrows: &[(&str, &[&str])], expected: &[&str]) {
        let members: Vec<_> = arrows.iter().map(|(name, uses)| Member::fixture(name, uses)).collect();
        let found: Vec<_> = check(&members)
            .into_iter()
            .map(|found| match found {
                Finding::Fault(text) | Finding::Advice(text) => text,
            })
            .collect();
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (text, expected) in found.iter().zip(expected) {
            assert!(text.contains(expected), "{text:?} does not say {expected:?}");
        }
    }

    #[test]
    fn arrows_that_point_down_are_fine() {
        check_arrows(
            &[
                ("throughline-value", &["serde"]),
                ("throughline-journal", &["throughline-value", "sha2"]),
                ("throughline-engine", &["throughline-journal", "throughline-value"]),
                ("throughline-inspector", &["throughline-value", "leptos"]),
                ("xtask", &["throughline-engine"]),
            ],
            &[],
        );
    }

    #[test]
    fn an_arrow_up_or_sideways_is_a_fault_that_names_both_ends() {
        check_arrows(
            &[
                ("throughline-world", &["throughline-engine", "throughline-plan"]),
                ("throughline-plan", &[]),
                ("throughline-engine", &[]),
            ],
            &[
                "throughline-world must not depend on throughline-engine",
                "throughline-world must not depend on throughline-plan",
            ],
        );
    }

    #[test]
    fn the_inspector_may_use_the_words_of_the_protocol_only() {
        check_arrows(
            &[("throughline-inspector", &["throughline-engine"]), ("throughline-engine", &[])],
            &["the inspector uses"],
        );
    }

    #[test]
    fn a_crate_without_a_storey_is_a_fault() {
        check_arrows(&[("throughline-attic", &[])], &["throughline-attic has no storey"]);
    }
}
