//! Each step with what went in, what came out, what it rests on, and what can be done from it.

use leptos::prelude::*;
use throughline_protocol::view::{RunView, StepView};
use throughline_value::Value;

use super::desk::Desk;
use super::full::{button, mark_word};
use super::stepper::rerun;
use super::{status_glyph, status_word, stops};
use crate::dom::{El, el};
use crate::format::{duration, fill, full_time, number};
use crate::i18n::Lang;
use crate::run::evidence;
use crate::run::panel::{code, gap, hint, mark, seq_link, sign, value_tree};

/// The steps in the order of the plan.
pub(super) fn cards(desk: Desk, view: &RunView, at: u64, lang: Lang) -> Vec<El> {
    let cards = view.steps.iter().map(|step| card(desk, view, step, at, lang));
    vec![el("ol").class("steps").all(cards)]
}

fn card(desk: Desk, view: &RunView, step: &StepView, at: u64, lang: Lang) -> El {
    let (run, words, more) = (desk.run, lang.words(), lang.views());
    let quiet = |text: Option<String>| text.map(|text| el("span").class("hint num").text(text));
    let how = step.mark.as_deref().map(|how| mark(mark_word(how, lang)).class(format!("mark mark-{how}")));
    let branch = step.branch.map(|yes| mark(if yes { more.branch_then } else { more.branch_else }));
    let head = el("p")
        .class("step-head")
        .with(sign(status_glyph(&step.status)))
        .with(code(step.id.clone()))
        .with(el("b").text(step.op.clone()))
        .with(mark(status_word(&step.status, words)))
        .maybe(how)
        .maybe(branch)
        .maybe((step.seq > 0).then(|| seq_link(run, step.seq, lang)))
        .maybe(quiet(step.duration.filter(|ms| *ms > 0).map(duration)))
        .maybe(quiet((step.attempts > 1).then(|| fill(lang.views().attempts_n, &[("n", &step.attempts.to_string())]))))
        .maybe(quiet(step.confidence.as_ref().map(|n| format!("{} {n}", words.col_confidence))))
        .with(gap())
        .with(stops::toggle(desk, view, &step.id, lang))
        .with(again(desk, &step.id, lang));
    let part = |name: &'static str, value: &Value| {
        (!value.is_null()).then(|| el("div").class("part").with(el("h4").text(name)).with(value_tree(value)))
    };
    let evidence = (!step.evidence.is_empty()).then(|| {
        let links = step.evidence.iter().map(|evidence| evidence::link(run, evidence, at, lang));
        el("div").class("part").with(el("h4").text(words.evidence)).with(el("p").class("links").all(links))
    });
    let cached = step.cached.as_ref().map(|hit| {
        let line = fill(more.step_cached, &[("age", &duration(hit.age))]);
        el("p").class("hint").text(line).text(" ").with(seq_link(run, hit.seq, lang))
    });
    let until = step.until.map(|ms| hint("p", fill(more.step_until, &[("time", &full_time(ms, lang))])));
    let needs =
        (!step.needs.is_empty()).then(|| hint("p", fill(lang.views().needs, &[("list", &step.needs.join(", "))])));
    let bad = step.error.as_ref().map(|error| {
        let code = step.code.as_ref().map(|text| code(text.clone()).class("refusal-code"));
        el("p").class("bad-text").text(error.clone()).text(" ").maybe(code)
    });
    let unit = step.unit.as_ref().map(|unit| hint("p", fill(more.step_unit, &[("unit", unit)])));
    el("li")
        .class(format!("step-card step-{}", step.status))
        .attr("id", format!("step-{}", step.id))
        .with(head)
        .maybe((!step.note.is_empty()).then(|| el("p").text(step.note.clone())))
        .maybe((!step.source.is_empty()).then(|| code(step.source.clone()).class("source")))
        .maybe(needs)
        .maybe(bad)
        .maybe(cached)
        .maybe(until)
        .maybe(part(lang.views().input, &step.input))
        .maybe(part(lang.views().output, &step.output))
        .maybe(unit)
        .maybe(evidence)
}

/// Runs again from this step.
fn again(desk: Desk, step: &str, lang: Lang) -> El {
    let label = fill(lang.views().rerun_from_step, &[("step", step)]);
    let id = step.to_owned();
    button("button quiet", lang.views().rerun_here, move || {
        desk.from.set(id.clone());
        rerun(desk);
    })
    .attr("aria-label", label)
}

/// How many steps came in which way.
pub(super) fn marks_line(view: &RunView, lang: Lang) -> Option<String> {
    let reruns = view.reruns.as_ref()?;
    let marks = reruns.marks.iter().map(|(mark, n)| format!("{} {}", number(*n, lang), mark_word(mark, lang)));
    let line = fill(lang.views().rerun_of, &[("run", &reruns.run)]);
    Some(format!("{line} {}", marks.collect::<Vec<_>>().join(" · ")))
}
