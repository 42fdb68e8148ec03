//! The step bar: first, back, play, step, newest; and where a person is.

use std::time::Duration;

use leptos::prelude::*;

use super::state::{RunState, use_run};
use crate::dom::{Dom, El, el};
use crate::format::{fill, full_time, number};
use crate::i18n::t;

/// One record is shown for so long while it plays.
const PLAY_MS: u64 = 600;

const FIRST: &str = "M3 3h2v10H3zM13 3v10L6 8z";
const BACK: &str = "M11 3v10L4 8z";
const FORWARD: &str = "M5 3v10l7-5z";
const LAST: &str = "M11 3h2v10h-2zM3 3v10l7-5z";
const PLAY: &str =
    "M8 .5a7.5 7.5 0 1 0 0 15 7.5 7.5 0 0 0 0-15zm0 1.5a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM6.3 4.8v6.4L11.3 8z";
const PAUSE: &str = "M4 3h3v10H4zM9 3h3v10H9z";

/// A small drawing on a button; the button's name says what it does.
fn icon(path: &'static str) -> El {
    el("svg")
        .class("icon-drawing")
        .attr("width", "16")
        .attr("height", "16")
        .attr("viewBox", "0 0 16 16")
        .attr("aria-hidden", "true")
        .with(el("path").attr("d", path).attr("fill-rule", "evenodd"))
}

/// Plays while `playing` is on: one record after the other, up to the newest.
pub(crate) fn keep_playing(run: RunState) {
    let tick = move || {
        if !run.playing.get_untracked() {
            return;
        }
        run.step(1);
        if run.at.get_untracked() >= run.head.get_untracked() {
            run.playing.set(false);
        }
    };
    if let Ok(timer) = set_interval_with_handle(tick, Duration::from_millis(PLAY_MS)) {
        on_cleanup(move || timer.clear());
    }
}

/// Starts or stops playing; from the newest record it starts over.
pub(crate) fn toggle_play(run: RunState) {
    let starts = !run.playing.get_untracked();
    if starts && run.at.get_untracked() >= run.head.get_untracked() {
        run.scrub(1);
    }
    run.playing.set(starts && run.head.get_untracked() > 1);
}

/// The step bar.
pub(crate) fn step_bar() -> AnyView {
    let run = use_run();
    let show = move || {
        let lang = run.app.lang.get();
        let words = lang.words();
        let (at, head, playing) = (run.at.get(), run.head.get(), run.playing.get());
        run.columns_version.track();
        let (at_start, at_end) = (at <= 1, at >= head);
        let time = run.columns.with_value(|columns| columns.row(at).map(|(time, ..)| full_time(time, lang)));
        let position = el("label")
            .class("position")
            .with(el("span").class("position-word").text(words.position))
            .with(
                el("input")
                    .class("position-input num")
                    .attr("inputmode", "numeric")
                    .attr("autocomplete", "off")
                    .attr(".value", at.to_string())
                    .on("change", move |event| {
                        if let Ok(seq) = event_target_value(&event).trim().parse::<u64>() {
                            run.jump(seq.max(1));
                        }
                    }),
            )
            .with(el("span").class("num").text(fill(words.of_total, &[("n", &number(head, lang))])));
        let follows = run.follows.get();
        let follow = el("span").class(if follows { "follow" } else { "follow past" });
        vec![
            button(FIRST, words.first, at_start, move || run.scrub(1)),
            button(BACK, words.back, at_start, move || run.step(-1)),
            button(
                if playing { PAUSE } else { PLAY },
                if playing { words.pause } else { words.play },
                false,
                move || {
                    toggle_play(run);
                },
            )
            .attr("aria-pressed", if playing { "true" } else { "false" }),
            button(FORWARD, words.forward, at_end, move || run.step(1)),
            button(LAST, words.last, at_end, move || run.follow()),
            position,
            el("span").class("step-time num").text(time.unwrap_or_default()),
            el("span").class("bar-gap"),
            follow.text(if follows { words.following } else { words.looking_back }),
        ]
    };
    view! { <nav class="stepbar" aria-label=t(|w| w.steps_bar)><Dom class="contents" show=Box::new(show)/></nav> }
        .into_any()
}

/// A button of the bar. Not `disabled` at an end: the focus must stay where it is.
fn button(path: &'static str, name: &'static str, off: bool, act: impl Fn() + 'static) -> El {
    el("button")
        .class("button icon")
        .attr("aria-label", name)
        .attr("title", name)
        .attr("aria-disabled", if off { "true" } else { "false" })
        .with(icon(path))
        .on_click(move || {
            if !off {
                act();
            }
        })
}
