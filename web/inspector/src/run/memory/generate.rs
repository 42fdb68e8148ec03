//! A million events from a seed, to try the memory out: made and put in while the page stays free.

use leptos::prelude::*;

use super::Asked;
use crate::dom::{Dom, el};
use crate::format::{fill, number};
use crate::run::columns::clamp;
use crate::run::package;
use crate::run::panel::hint;
use crate::run::state::use_run;

/// How many events, and the seed that they come from.
const COUNT: u32 = 1_000_000;
const SEED: u32 = 7;

/// The button, and how far it is.
pub(super) fn generate_bar(asked: Asked) -> AnyView {
    let run = use_run();
    let progress = RwSignal::new(None::<(f64, f64)>);
    package::on_generated(run, move |done, total| {
        let now = (done >= 0.0).then_some((done, total));
        progress.try_set(now);
        if asked.importing.try_get_untracked() == Some(now.is_none()) {
            asked.importing.set(now.is_some());
        }
    });
    let start = move || {
        run.app.untell("refusal");
        run.app.work(async move {
            if let Err(refusal) = package::generate_events(run, COUNT, SEED).await {
                run.tell(refusal);
            }
        });
    };
    let show = move || {
        let lang = run.app.lang.get();
        let words = lang.views();
        let Some((done, total)) = progress.get() else {
            let button = el("button").class("button").text(words.generate).on_click(start);
            return vec![el("p").class("options").with(button).with(hint("span", words.generate_hint))];
        };
        let count = |n: f64| number(clamp(n, usize::MAX >> 12) as u64, lang);
        let said = fill(words.generating, &[("n", &count(done)), ("total", &count(total))]);
        let bar = el("progress").attr("max", total.to_string()).attr("value", done.to_string());
        let stop = el("button").class("button").text(words.generate_stop).on_click(package::stop_generating);
        let bar = bar.attr("aria-label", words.generate);
        vec![
            el("p")
                .class("options generating")
                .with(bar)
                .with(el("span").class("num").attr("role", "status").text(said))
                .with(stop),
        ]
    };
    view! { <Dom class="contents" show=Box::new(show)/> }.into_any()
}
