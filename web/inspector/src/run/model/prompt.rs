//! The exact bytes that a model would be given at the cursor, and what was left out.

use leptos::prelude::*;
use throughline_protocol::query::Prompt;
use throughline_protocol::view::PromptView;

use crate::dom::el;
use crate::format::number;
use crate::run::panel::{code, empty_text, hint, pair, seen_or_refusal, source, title, view_panel};
use crate::run::seen::use_view;

/// The stages that ask a model.
const STAGES: [&str; 4] = ["interpret", "plan", "decide", "respond"];

/// The prompt.
pub(super) fn prompt_panel() -> AnyView {
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
                        .text(one)
                        .on_click(move || stage.set(one))
                }),
            );
            let (view, _) = match seen_or_refusal(prompt.get(), lang) {
                Ok(seen) => seen,
                Err(other) if other.is_empty() => return vec![choice],
                Err(other) => {
                    return [choice, empty_text("", words.prompt_hint)].into_iter().chain(other).collect();
                }
            };
            let tokens =
                view.tokens.iter().map(|(name, n)| pair(name.clone(), el("dd").class("num").text(number(*n, lang))));
            let left_out = (!view.left_out.is_empty()).then(|| {
                el("div")
                    .with(title(words.prompt_left_out))
                    .with(el("ul").all(view.left_out.iter().map(|one| el("li").with(code(one.clone())))))
            });
            let mut out = vec![choice, hint("p", words.prompt_tokens), el("dl").class("pairs").all(tokens)];
            out.extend(left_out);
            for message in &view.messages {
                out.push(title(message.role.clone()));
                out.push(source(message.text.clone()));
            }
            out
        },
    )
}
