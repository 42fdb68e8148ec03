//! What is open or went wrong up to the cursor.

use leptos::prelude::*;
use throughline_protocol::query::Problems;
use throughline_protocol::view::Problem;

use super::panel::{code, empty, gap, mark, panel, seen_or_refusal, seq_link, value_tree};
use super::seen::use_view;
use super::state::{RunState, use_run};
use crate::dom::{El, el};
use crate::i18n::Lang;

/// The problems.
pub(crate) fn problems_panel() -> AnyView {
    let run = use_run();
    let problems = use_view::<Vec<Problem>, _>(|at, _| Some(Problems { at }));
    panel(
        |w| w.view_problems,
        "problems",
        move |lang| match seen_or_refusal(problems.get(), lang) {
            Ok((list, at)) if list.is_empty() => vec![empty(|w| w.no_problems, at, |w| w.problems_hint, lang)],
            Ok((list, _)) => vec![el("ul").class("entities").all(list.iter().map(|one| row(run, one, lang)))],
            Err(other) => other,
        },
    )
}

fn row(run: RunState, problem: &Problem, lang: Lang) -> El {
    let words = lang.words();
    let (glyph, word) = match problem.severity.as_str() {
        "error" => ("✕", words.sev_error),
        "warning" => ("▲", words.sev_warning),
        _ => ("?", words.sev_open),
    };
    let head = el("p")
        .class("entity-head")
        .with(el("span").class("problem-mark").attr("aria-hidden", "true").text(glyph))
        .with(mark(word))
        .with(code(problem.code.clone()))
        .with(gap())
        .with(seq_link(run, problem.seq, lang));
    el("li")
        .class(format!("entity problem-{}", problem.severity))
        .with(head)
        .with(el("p").text(problem.message.clone()))
        .maybe((!problem.details.is_null()).then(|| value_tree(&problem.details)))
}
