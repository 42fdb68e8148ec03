//! What is open or went wrong up to the cursor.

use leptos::prelude::*;
use throughline_protocol::query::Problems;
use throughline_protocol::view::Problem;

use super::details::{ValueTree, seq_link};
use super::panel::Panel;
use super::seen::use_view;
use super::state::{RunState, use_run};
use crate::i18n::Lang;
use crate::ui::{Empty, Message};

/// The problems.
#[component]
pub(crate) fn ProblemsPanel() -> impl IntoView {
    let run = use_run();
    let seen = use_view::<Vec<Problem>, _>(|at, _| Some(Problems { at }));
    view! {
        <Panel title=|w| w.view_problems name="problems">
            {move || {
                let lang = run.app.lang.get();
                let seen = seen.get();
                let list = seen.value?;
                if list.is_empty() {
                    let what = Message::plain(|w| w.no_problems).with("n", seen.at);
                    return Some(view! { <Empty what hint=|w| w.problems_hint/> }.into_any());
                }
                Some(view! { <ul class="entities">{list.iter().map(|one| problem(run, one, lang)).collect_view()}</ul> }.into_any())
            }}
        </Panel>
    }
}

fn problem(run: RunState, problem: &Problem, lang: Lang) -> impl IntoView + use<> {
    let words = lang.words();
    let (glyph, word) = match problem.severity.as_str() {
        "error" => ("✕", words.sev_error),
        "warning" => ("▲", words.sev_warning),
        _ => ("?", words.sev_open),
    };
    view! {
        <li class=format!("entity problem-{}", problem.severity)>
            <p class="entity-head">
                <span class="problem-mark" aria-hidden="true">{glyph}</span>
                <span class="mark">{word}</span>
                <code>{problem.code.clone()}</code>
                <span class="bar-gap"></span>
                {seq_link(run, problem.seq, lang)}
            </p>
            <p>{problem.message.clone()}</p>
            {(!problem.details.is_null()).then(|| view! { <ValueTree value=problem.details.clone()/> })}
        </li>
    }
}
