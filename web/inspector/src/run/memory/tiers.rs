//! Where the memory's texts are: how much is held here, how much lies in this browser's storage, and what was read.

use leptos::prelude::*;
use throughline_protocol::query::Status as AskStatus;
use throughline_protocol::view::{MemoryStatus, Status};

use super::Asked;
use crate::dom::{El, el};
use crate::format::{fill, number};
use crate::i18n::Lang;
use crate::run::panel::{hint, seen_or_refusal, view_panel};
use crate::run::seen::use_view;

/// The figures, asked for again whenever the explorer or the tree was answered: either may have read texts.
pub(super) fn tiers_panel(asked: Asked) -> AnyView {
    let status = use_view::<Status, _>(move |_, _| {
        asked.answered.track();
        Some(AskStatus {})
    });
    view_panel(
        |w| w.tiers_title,
        "memory-tiers",
        move |lang| match seen_or_refusal(status.get(), lang) {
            Ok((status, _)) => status.memory.map(|memory| figures(&memory, lang)).unwrap_or_default(),
            Err(other) => other,
        },
    )
}

fn figures(memory: &MemoryStatus, lang: Lang) -> Vec<El> {
    let words = lang.views();
    let held = bytes(memory.resident_bytes);
    let bar = el("meter")
        .attr("min", "0")
        .attr("max", memory.budget.max(1).to_string())
        .attr("value", memory.resident_bytes.min(memory.budget).to_string())
        .attr("aria-label", words.tiers_title);
    let budget = fill(words.tiers_here, &[("n", &held), ("budget", &bytes(memory.budget))]);
    let cold = match memory.cold_bytes {
        0 => words.tiers_all_here.to_owned(),
        n => fill(words.tiers_cold, &[("n", &bytes(n))]),
    };
    let read = match memory.bodies_read {
        0 => words.tiers_read_none.to_owned(),
        n => fill(words.tiers_read, &[("n", &number(n, lang))]),
    };
    let opening = if memory.from_snapshot { words.tiers_snapshot } else { words.tiers_folded };
    vec![
        el("p").class("metered tiers").with(el("span").text(budget)).with(bar),
        el("p").text(cold),
        el("p").text(format!("{read} {opening}")),
        hint("p", words.tiers_hint),
    ]
}

/// A size as a person reads it, the same in both languages.
fn bytes(n: u64) -> String {
    const KIB: u64 = 1_024;
    const MIB: u64 = KIB * KIB;
    let (unit, name) = match n {
        0..KIB => return format!("{n} B"),
        KIB..MIB => (KIB, "KiB"),
        _ => (MIB, "MiB"),
    };
    let (whole, tenth) = (n / unit, n % unit * 10 / unit);
    if tenth == 0 || whole >= 100 { format!("{whole} {name}") } else { format!("{whole}.{tenth} {name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short_and_in_the_unit_that_fits() {
        for (n, said) in [
            (0, "0 B"),
            (1_023, "1023 B"),
            (1_536, "1.5 KiB"),
            (65_536, "64 KiB"),
            (64 * 1_024 * 1_024, "64 MiB"),
            (5_767_168, "5.5 MiB"),
            (150_000_000, "143 MiB"),
        ] {
            assert_eq!(bytes(n), said);
        }
    }
}
