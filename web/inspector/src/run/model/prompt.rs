//! The exact bytes that a model would be given at the cursor, and what was left out.

use leptos::prelude::*;
use throughline_protocol::query::Prompt;
use throughline_protocol::view::PromptView;

use super::words::{section, stage as word};
use crate::dom::el;
use crate::format::{fill, number};
use crate::run::package;
use crate::run::panel::{code, hint, pair, seen_or_refusal, source, title, view_panel};
use crate::run::seen::use_view;
use crate::run::state::use_run;

/// The stages that ask a model.
const STAGES: [&str; 4] = ["interpret", "plan", "decide", "respond"];

/// The prompt.
pub(super) fn prompt_panel() -> AnyView {
    let run = use_run();
    let stage = RwSignal::new("interpret");
    let prompt =
        use_view::<PromptView, _>(move |at, _| Some(Prompt { stage: stage.get().to_owned(), at, ..Prompt::default() }));
    view_panel(
        |w| w.prompt_title,
        "prompt",
        move |lang| {
            let words = lang.views();
            let choice = el("p").class("options").attr("role", "group").attr("aria-label", words.prompt_stage).all(
                STAGES.into_iter().map(|one| {
                    el("button")
                        .class("button quiet")
                        .attr("aria-pressed", if stage.get() == one { "true" } else { "false" })
                        .text(word(one, lang))
                        .on_click(move || stage.set(one))
                }),
            );
            let seen = prompt.get();
            let no_turn = seen.refusal.as_ref().is_some_and(|refusal| refusal.code == "no-turn");
            let (view, _) = match seen_or_refusal(seen, lang) {
                Ok(seen) => seen,
                Err(other) if other.is_empty() => return vec![choice],
                // The rules are there; nobody has asked yet.
                Err(_) if no_turn => return vec![choice, hint("p", words.prompt_no_turn)],
                Err(other) => {
                    let open = move || {
                        run.app.work(async move {
                            if let Err(refusal) = package::ask(run, "openRules", Vec::new()).await {
                                run.tell(refusal);
                            }
                        });
                    };
                    let open = el("button").class("button").text(words.rules_open).on_click(open);
                    let rest = [choice, hint("p", words.prompt_hint), el("p").class("options").with(open)];
                    return rest.into_iter().chain(other).collect();
                }
            };
            let most = view.tokens.values().copied().max().unwrap_or(0).max(1);
            let tokens = view.tokens.iter().map(|(name, n)| {
                let share = el("meter").attr("min", "0").attr("max", most.to_string()).attr("value", n.to_string());
                let share = share.attr("aria-hidden", "true");
                pair(
                    section(name, lang),
                    el("dd").class("num metered").with(el("span").text(number(*n, lang))).with(share),
                )
            });
            let left_out = (!view.left_out.is_empty()).then(|| {
                el("div")
                    .with(title(words.prompt_left_out))
                    .with(el("ul").all(view.left_out.iter().map(|one| el("li").with(code(one.clone())))))
            });
            let mut out = vec![choice, hint("p", words.prompt_tokens), el("dl").class("pairs").all(tokens)];
            out.extend(left_out);
            for message in &view.messages {
                let size = fill(words.prompt_bytes, &[("n", &number(message.text.len() as u64, lang))]);
                out.push(title(format!("{} · {size}", message.role)));
                out.push(source(message.text.clone()));
            }
            out
        },
    )
}
