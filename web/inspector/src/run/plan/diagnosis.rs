//! Why a run went wrong: the cause in a sentence, what was nearly found, and what to change.

use leptos::prelude::*;
use throughline_protocol::query::Diagnose;
use throughline_protocol::view::{Evidence, NearMiss, RunDiagnosis, RunView};
use throughline_value::Value;

use super::desk::Desk;
use super::full::button;
use crate::dom::{El, el};
use crate::format::fill;
use crate::i18n::Lang;
use crate::run::evidence;
use crate::run::panel::{code, hint, refused, title};
use crate::run::seen::{Watched, use_view};

fn went_wrong(view: &RunView) -> bool {
    view.row.status == "failed" || view.steps.iter().any(|step| step.status == "failed")
}

/// Asks about the shown run when something of it went wrong.
pub(super) fn ask(desk: Desk) -> Watched<RunDiagnosis> {
    use_view(move |at, _| {
        let view = desk.seen.get().value.filter(went_wrong)?;
        Some(Diagnose { run: view.row.id, view: Value::Null, plan: Value::Null, at })
    })
}

/// The diagnosis of the shown run.
pub(super) fn shown(desk: Desk, why: &Watched<RunDiagnosis>, at: u64, lang: Lang) -> Vec<El> {
    let words = lang.views();
    let seen = why.get();
    if let Some(refusal) = seen.refusal {
        return vec![refused(&refusal, lang)];
    }
    // The one before stays until the new one has come.
    let Some(why) = seen.value.filter(|why| Some(&why.run) == desk.wanted.get().as_ref()) else { return Vec::new() };
    if desk.seen.get().value.is_none_or(|view| !went_wrong(&view)) {
        return Vec::new();
    }
    let step = why.step.as_ref().map(|step| code(step.clone()));
    let name = why.code.as_ref().map(|text| code(text.clone()).class("refusal-code"));
    let mut out = vec![
        title(words.diagnosis),
        el("p").class("bad-text").maybe(step).text(" ").text(why.cause.clone()).text(" ").maybe(name),
    ];
    if !why.source.is_empty() {
        out.push(code(why.source.clone()).class("source"));
    }
    out.extend(why.near.as_ref().map(|near| near_el(desk, near, at, lang)));
    if !why.suggestion.is_empty() {
        out.push(el("p").with(hint("span", words.diagnosis_try)).text(" ").text(why.suggestion.clone()));
    }
    if let Some(repaired) = why.repaired.clone() {
        let take = button("button primary", words.diagnosis_take, move || {
            desk.typed.set(Some(repaired.clone()));
            request_animation_frame(|| crate::ui::focus_on(super::editor::FIELD));
        });
        out.push(el("p").class("options").with(take));
    }
    if !why.blocked.is_empty() {
        out.push(hint("p", fill(words.diagnosis_blocked, &[("list", &why.blocked.join(", "))])));
    }
    if !why.also.is_empty() {
        out.push(el("ul").class("outline").all(why.also.iter().map(|line| el("li").text(line.clone()))));
    }
    vec![el("div").class("diagnosis").all(out)]
}

/// What was nearly found, with its place.
fn near_el(desk: Desk, near: &NearMiss, at: u64, lang: Lang) -> El {
    let words = lang.views();
    let evidence = Evidence {
        document: near.document.clone(),
        page: 1,
        span: near.span,
        quote: near.quote.clone(),
        method: words.diagnosis_near.to_owned(),
        ..Evidence::default()
    };
    let instead = near.instead.as_ref().map(|instead| {
        el("span").text(" ").with(hint("span", words.diagnosis_instead)).text(" ").with(code(instead.clone()))
    });
    let link = evidence::link(desk.run, &evidence, at, lang);
    el("p").class("links").with(hint("span", words.diagnosis_near)).text(" ").with(link).maybe(instead)
}
