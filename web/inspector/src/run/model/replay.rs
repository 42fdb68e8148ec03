//! The recorded run decided again without any call, and the first record that comes out otherwise.

use leptos::prelude::*;
use throughline_protocol::query::Replay;
use throughline_protocol::view::ReplayView;

use crate::dom::el;
use crate::format::{cell, fill, number};
use crate::run::panel::{code, hint, pair, seen_or_refusal, seq_link, view_panel};
use crate::run::seen::use_view;
use crate::run::state::use_run;

/// The replay, once it is asked for: it takes as long as the journal is.
pub(super) fn replay_panel() -> AnyView {
    let run = use_run();
    let wanted = RwSignal::new(false);
    let replay = use_view::<ReplayView, _>(move |at, _| wanted.get().then_some(Replay { at }));
    view_panel(
        |w| w.replay_title,
        "replay",
        move |lang| {
            let words = lang.views();
            let hint = hint("p", words.replay_hint);
            if !wanted.get() {
                let button = el("button").class("button").text(words.replay_now).on_click(move || wanted.set(true));
                return vec![hint, button];
            }
            let (view, _) = match seen_or_refusal(replay.get(), lang) {
                Ok(seen) => seen,
                Err(other) => return std::iter::once(hint).chain(other).collect(),
            };
            let n = [
                ("records", &*number(view.records, lang)),
                ("exchanges", &*number(view.exchanges, lang)),
                ("results", &*number(view.results, lang)),
                ("calls", &*number(view.calls, lang)),
            ]
            .map(|(name, text)| (name, text.to_owned()));
            let parts: Vec<_> = n.iter().map(|(name, text)| (*name, text.as_str())).collect();
            let mut out = vec![el("p").attr("role", "status").text(fill(words.replay_figures, &parts))];
            match view.divergence {
                None => out.push(el("p").with(el("b").text(words.replay_same))),
                Some(divergence) => {
                    out.push(el("p").with(el("b").text(words.replay_other)).text(" ").with(seq_link(
                        run,
                        divergence.seq,
                        lang,
                    )));
                    out.push(el("p").text(divergence.message.clone()));
                    out.push(el("dl").class("pairs").all([
                        pair(words.replay_where, el("dd").with(code(divergence.path.clone()))),
                        pair(words.replay_recorded, el("dd").text(cell(&divergence.expected))),
                        pair(words.replay_found, el("dd").text(cell(&divergence.found))),
                    ]));
                }
            }
            out
        },
    )
}
