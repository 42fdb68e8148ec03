//! The step bar: first, back, play, step, newest; and where a person is.

use std::time::Duration;

use leptos::prelude::*;

use super::state::{RunState, use_run};
use crate::format::{fill, full_time, number};
use crate::i18n::{Pick, t};

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
#[component]
fn Icon(path: &'static str) -> impl IntoView {
    view! {
        <svg class="icon-drawing" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
            <path d=path fill-rule="evenodd"></path>
        </svg>
    }
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
#[component]
pub(crate) fn StepBar() -> impl IntoView {
    let run = use_run();
    let at_start = move || run.at.get() <= 1;
    let at_end = move || run.at.get() >= run.head.get();
    let button = move |glyph: &'static str, word: Pick, off: Signal<bool>, act: Callback<()>| {
        // Not `disabled`: the focus must stay where it is when an end is reached.
        view! {
            <button
                class="button icon"
                aria-label=t(word)
                title=t(word)
                aria-disabled=move || if off.get() { "true" } else { "false" }
                on:click=move |_| if !off.get_untracked() { act.run(()) }
            >
                <Icon path=glyph/>
            </button>
        }
    };
    let place = move || {
        let lang = run.app.lang.get();
        fill(lang.words().of_total, &[("n", &number(run.head.get(), lang))])
    };
    let time = move || {
        run.columns_version.track();
        let at = run.at.get();
        run.columns.with_value(|columns| columns.row(at).map(|(time, ..)| full_time(time, run.app.lang.get())))
    };
    let typed = move |event: web_sys::Event| {
        if let Ok(seq) = event_target_value(&event).trim().parse::<u64>() {
            run.jump(seq.max(1));
        }
    };
    view! {
        <nav class="stepbar" aria-label=t(|w| w.steps_bar)>
            {button(FIRST, |w| w.first, Signal::derive(at_start), Callback::new(move |()| run.scrub(1)))}
            {button(BACK, |w| w.back, Signal::derive(at_start), Callback::new(move |()| run.step(-1)))}
            <button
                class="button icon"
                aria-label=move || {
                    let words = run.app.lang.get().words();
                    if run.playing.get() { words.pause } else { words.play }
                }
                aria-pressed=move || if run.playing.get() { "true" } else { "false" }
                on:click=move |_| toggle_play(run)
            >
                {move || view! { <Icon path=if run.playing.get() { PAUSE } else { PLAY }/> }}
            </button>
            {button(FORWARD, |w| w.forward, Signal::derive(at_end), Callback::new(move |()| run.step(1)))}
            {button(LAST, |w| w.last, Signal::derive(at_end), Callback::new(move |()| run.follow()))}
            <label class="position">
                <span class="position-word">{t(|w| w.position)}</span>
                <input
                    class="position-input num"
                    inputmode="numeric"
                    autocomplete="off"
                    prop:value=move || run.at.get().to_string()
                    on:change=typed
                />
                <span class="num">{place}</span>
            </label>
            <span class="step-time num">{time}</span>
            <span class="bar-gap"></span>
            <span class="follow" class:past=move || !run.follows.get()>
                {move || {
                    let words = run.app.lang.get().words();
                    if run.follows.get() { words.following } else { words.looking_back }
                }}
            </span>
        </nav>
    }
}
