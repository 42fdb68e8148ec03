//! The machine in full: every state and transition, everything that was taken and refused with its guards, what
//! the model check proves, and what an event would do.

use leptos::prelude::*;
use throughline_protocol::query::{CheckMachine, Machine, Transition};
use throughline_protocol::view::{Finding, GuardResult, MachineCheck, MachineView, StateView, TransitionResult};
use throughline_protocol::{Moment, Refusal};
use throughline_value::{Value, from_value};

use super::{framed, guard_row, listed, log_row, standing, transition_row};
use crate::dom::{El, el};
use crate::format::{fill, number};
use crate::i18n::Lang;
use crate::run::panel::{code, empty_text, hint, mark, refused, seen_or_refusal, sign, view_panel};
use crate::run::seen::{Watched, use_view};
use crate::run::state::RunState;

/// The panels of the view.
pub(crate) fn machine_panels() -> AnyView {
    let machine = use_view::<MachineView, _>(|at, _| Some(Machine { at }));
    view! {
        {framed(machine, body)}
        {check_panel(machine)}
        {trial_panel(machine)}
    }
    .into_any()
}

fn body(run: RunState, machine: &MachineView, lang: Lang) -> Vec<El> {
    let words = lang.words();
    let mut out = standing(run, machine, lang);
    let transitions = machine.transitions.iter().map(|transition| transition_row(transition, words)).collect();
    let logs = |refused: bool| -> Vec<El> {
        let some = machine.history.iter().rev().filter(|log| log.refused == refused);
        some.map(|log| log_row(run, log, lang)).collect()
    };
    listed(&mut out, words.transitions, "outline", transitions);
    listed(
        &mut out,
        lang.views().states,
        "outline",
        machine.states.iter().map(|state| state_row(state, lang)).collect(),
    );
    listed(&mut out, words.last_transitions, "outline logs", logs(false));
    listed(&mut out, lang.views().machine_refused, "outline logs", logs(true));
    out
}

fn state_row(state: &StateView, lang: Lang) -> El {
    let marks = [
        state.active.then_some(lang.views().state_active),
        state.initial.then_some(lang.views().state_initial),
        state.is_final.then_some(lang.views().state_final),
    ];
    el("li")
        .class(if state.active { "active" } else { "" })
        .with(sign(if state.active { "● " } else { "○ " }))
        .with(code(state.path.clone()))
        .text(" ")
        .all(marks.into_iter().flatten().map(mark))
        .with(hint("span", format!(" {}", state.description)))
}

/// What the model check says of it.
fn check_panel(machine: Watched<MachineView>) -> AnyView {
    let check = use_view::<MachineCheck, _>(move |at, _| {
        machine.get().value.filter(|machine| !machine.states.is_empty())?;
        Some(CheckMachine { machine: Value::Null, facts: Value::Null, at })
    });
    view_panel(
        |w| w.check_title,
        "machine-check",
        move |lang| {
            let words = lang.views();
            if machine.get().value.is_none_or(|machine| machine.states.is_empty()) {
                return vec![empty_text(words.check_none, words.check_hint)];
            }
            let (check, _) = match seen_or_refusal(check.get(), lang) {
                Ok(seen) => seen,
                Err(other) => return other,
            };
            let parts = [("places", number(check.states, lang)), ("steps", number(check.steps, lang))];
            let parts = parts.each_ref().map(|(name, n)| (*name, n.as_str()));
            let line = el("p").text(fill(words.check_looked, &parts)).text(" ").with(mark(if check.exact {
                words.check_exact
            } else {
                words.check_possible
            }));
            let rows: Vec<_> = check.findings.iter().map(|finding| finding_row(finding, lang)).collect();
            let mut out = vec![line];
            if rows.is_empty() {
                out.push(el("p").class("holds").text(words.check_clean));
            }
            out.push(el("ul").class("outline findings").all(rows));
            out
        },
    )
}

fn finding_row(finding: &Finding, lang: Lang) -> El {
    let words = lang.views();
    let gravity = if finding.severity == "error" { lang.words().sev_error } else { lang.words().sev_warning };
    let trace = (!finding.trace.is_empty()).then(|| {
        let steps = finding.trace.iter().map(|step| el("li").with(code(step.clone())));
        el("div").class("trace").with(hint("span", words.check_trace)).with(el("ol").class("trace-steps").all(steps))
    });
    el("li")
        .class(format!("problem problem-{}", finding.severity))
        .with(mark(gravity).class(format!("mark problem-mark sev-{}", finding.severity)))
        .text(" ")
        .with(code(finding.code.clone()))
        .text(" ")
        .with(mark(if finding.possible { lang.views().finding_possible } else { words.check_certain }))
        .text(format!(" {} ", finding.message))
        .with(hint("span", finding.path.clone()))
        .maybe(trace)
}

/// What an event would do, without doing it.
fn trial_panel(machine: Watched<MachineView>) -> AnyView {
    let tried = RwSignal::new(None::<String>);
    let result = use_view::<TransitionResult, _>(move |at: Moment, _| {
        let event = tried.get()?;
        Some(Transition { machine: Value::Null, state: Value::Null, event, data: Value::Null, facts: Value::Null, at })
    });
    view_panel(
        |w| w.trial_title,
        "trial",
        move |lang| {
            let words = lang.views();
            let machine = machine.get().value.unwrap_or_default();
            let mut events: Vec<&str> = Vec::new();
            for transition in &machine.transitions {
                if !transition.event.is_empty() && !events.contains(&transition.event.as_str()) {
                    events.push(&transition.event);
                }
            }
            if events.is_empty() {
                return vec![empty_text(words.check_none, words.check_hint)];
            }
            let chosen = tried.get();
            let buttons = events.into_iter().map(|event| {
                let name = event.to_owned();
                el("button")
                    .class("button quiet")
                    .attr("aria-pressed", if chosen.as_deref() == Some(event) { "true" } else { "false" })
                    .text(event.to_owned())
                    .on_click(move || tried.set(Some(name.clone())))
            });
            let mut out = vec![
                hint("p", words.trial_hint),
                el("p").class("options").attr("role", "group").attr("aria-label", words.trial_title).all(buttons),
            ];
            if chosen.is_none() {
                return out;
            }
            let seen = result.get();
            let said = match (seen.value, seen.refusal) {
                (Some(result), _) => outcome(&result, lang),
                (None, Some(refusal)) => refusal_with_guards(&refusal, lang),
                (None, None) => Vec::new(),
            };
            out.push(el("div").attr("role", "status").all(said));
            out
        },
    )
}

fn outcome(result: &TransitionResult, lang: Lang) -> Vec<El> {
    let words = lang.views();
    let state = el("p").with(hint("span", words.trial_state)).text(" ").with(code(result.state.join(", ")));
    let mut out = vec![state];
    let effects = result.effects.iter().map(|effect| el("li").with(code(effect.to_json()).class("json"))).collect();
    listed(&mut out, words.trial_effects, "outline", effects);
    out.extend(guards(&result.guards, lang));
    out
}

/// Why the event is not possible here, and which guards said so.
fn refusal_with_guards(refusal: &Refusal, lang: Lang) -> Vec<El> {
    let asked: Vec<GuardResult> =
        refusal.details.get("guards").and_then(|guards| from_value(guards).ok()).unwrap_or_default();
    std::iter::once(el("p").with(refused(refusal, lang))).chain(guards(&asked, lang)).collect()
}

fn guards(asked: &[GuardResult], lang: Lang) -> Vec<El> {
    let mut out = Vec::new();
    listed(&mut out, lang.words().guard, "outline", asked.iter().map(|guard| guard_row(guard, lang.words())).collect());
    out
}
