//! The answer that a run's values give, its footnotes, and what no longer holds of it.

use leptos::prelude::*;
use throughline_protocol::query::{DomainQuery, RenderAnswer, VerifyAnswer};
use throughline_protocol::view::{AnswerView, Broken, DomainView};
use throughline_value::{Value, to_value};

use super::desk::Desk;
use super::full::choice;
use crate::dom::el;
use crate::i18n::Lang;
use crate::run::conversation::answer_els;
use crate::run::panel::{code, empty_text, mark, seen_or_refusal, title, view_panel};
use crate::run::seen::use_view;

/// The names of the domain's answers.
fn answers(domain: &Value) -> Vec<String> {
    match domain.get("answers") {
        Some(Value::Map(answers)) => answers.keys().cloned().collect(),
        _ => Vec::new(),
    }
}

/// The answer that the domain gives after this plan; its first one for any other plan.
fn answer_of(domain: &Value, plan: &str) -> Option<String> {
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
    let intended = match domain.get("intents") {
        Some(Value::Map(intents)) => intents
            .values()
            .find(|intent| text(intent, "plan").is_some_and(|text| text.trim() == plan.trim()))
            .and_then(|intent| text(intent, "answer")),
        _ => None,
    };
    intended.or_else(|| answers(domain).into_iter().next())
}

/// The answer.
pub(super) fn answer_panel(desk: Desk) -> AnyView {
    let run = desk.run;
    let chosen = RwSignal::new(String::new());
    let domain = use_view::<DomainView, _>(|at, _| Some(DomainQuery { at }));
    let wanted = Memo::new(move |_| {
        let domain = domain.get().value?.document;
        let view = desk.seen.get().value.filter(|view| view.row.status == "done")?;
        let chosen = chosen.get();
        let known = answers(&domain).contains(&chosen);
        let answer = if known { chosen } else { answer_of(&domain, &view.plan)? };
        Some((view.row.id, answer))
    });
    let language = move || run.app.lang.get().tag().to_owned();
    let answer = use_view::<AnswerView, _>(move |at, _| {
        wanted.get().map(|(run, answer)| RenderAnswer { run, answer, template: None, language: language(), at })
    });
    let broken = use_view::<Vec<Broken>, _>(move |at, _| {
        wanted.get()?;
        Some(VerifyAnswer { answer: to_value(&answer.get().value?).ok()?, at })
    });
    view_panel(
        |w| w.answer_title,
        "answer",
        move |lang: Lang| {
            let words = lang.views();
            let Some((_, name)) = wanted.get() else { return vec![empty_text(words.answer_none, words.answer_hint)] };
            let names = domain.get().value.map(|domain| answers(&domain.document)).unwrap_or_default();
            let several = names.len() > 1;
            let names = names.into_iter().map(|name| (name.clone(), name));
            let picker = choice(words.answer_which, name, names, move |name| chosen.set(name));
            let mut out = vec![el("div").class("form-grid").maybe(several.then_some(picker))];
            let (answer, at) = match seen_or_refusal(answer.get(), lang) {
                Ok(seen) => seen,
                Err(other) => return out.into_iter().chain(other).collect(),
            };
            out.extend(answer_els(run, &answer, at, lang));
            match broken.get().value {
                Some(broken) if broken.is_empty() => {
                    out.push(el("p").class("holds").attr("role", "status").text(words.answer_holds));
                }
                Some(broken) => {
                    out.push(title(words.answer_broken));
                    out.push(el("ul").class("outline").all(broken.iter().map(|broken| {
                        let number = (broken.number > 0).then(|| mark(broken.number.to_string()));
                        el("li")
                            .maybe(number)
                            .text(" ")
                            .with(code(broken.code.clone()))
                            .text(" ")
                            .text(broken.message.clone())
                    })));
                }
                None => {}
            }
            out
        },
    )
}
