//! What a model is given and what it gave.

use leptos::prelude::*;
use throughline_protocol::query::Prompt;
use throughline_protocol::view::PromptView;

use super::panel::{code, empty_text, hint, pair, seen_or_refusal, source, title, view_panel};
use super::seen::use_view;
use crate::dom::el;
use crate::format::number;

/// The panels of the view.
pub(crate) fn model_panels() -> AnyView {
    let prompt =
        use_view::<PromptView, _>(|at, _| Some(Prompt { stage: "interpret".to_owned(), at, ..Prompt::default() }));
    view_panel(
        |w| w.prompt_title,
        "prompt",
        move |lang| {
            let words = lang.views();
            let (view, _) = match seen_or_refusal(prompt.get(), lang) {
                Ok(seen) => seen,
                Err(other) if other.is_empty() => return other,
                Err(other) => {
                    return std::iter::once(empty_text("", words.prompt_hint)).chain(other).collect();
                }
            };
            let tokens =
                view.tokens.iter().map(|(name, n)| pair(name.clone(), el("dd").class("num").text(number(*n, lang))));
            let left_out = (!view.left_out.is_empty()).then(|| {
                el("div")
                    .with(title(words.prompt_left_out))
                    .with(el("ul").all(view.left_out.iter().map(|one| el("li").with(code(one.clone())))))
            });
            let mut out = vec![hint("p", words.prompt_tokens), el("dl").class("pairs").all(tokens)];
            out.extend(left_out);
            for message in &view.messages {
                out.push(title(message.role.clone()));
                out.push(source(message.text.clone()));
            }
            out
        },
    )
}
