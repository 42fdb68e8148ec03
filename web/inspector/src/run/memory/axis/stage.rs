//! The drawing in the page: its canvases, the pointer, the keys, and what stands around them.

use leptos::prelude::*;
use web_sys::{HtmlCanvasElement, KeyboardEvent, PointerEvent, WheelEvent};

use super::draw::{self, Above, Palette, Scene};
use super::{AxisState, of, words};
use crate::dom::{Dom, El, el};
use crate::i18n::Lang;
use crate::run::gesture::{self, Moved, Press, Wheel};
use crate::run::paint;
use crate::run::panel::empty_text;

/// How far an arrow key moves, as a part of what is shown.
const STEP: f64 = 0.1;

/// How far the marker goes with Shift and an arrow, in pixels: about a part.
const MARKER: f64 = 4.0;

/// The colours of the lanes, in turn; errors have their own.
const COLOURS: [&str; 8] = ["memory", "action", "fact", "state", "plan", "event", "exchange", "message"];

/// The buttons of the axis.
fn buttons(state: AxisState, lang: Lang) -> [El; 4] {
    let (shell, words) = (lang.words(), lang.views());
    let button = |sign: &'static str, name: &'static str| {
        let button = el("button").class("button icon").attr("aria-label", name).attr("title", name);
        button.with(el("span").attr("aria-hidden", "true").text(sign))
    };
    [
        button("⚑", words.axis_bookmark).on_click(move || state.bookmark_marked()),
        button("−", shell.zoom_out).on_click(move || state.zoom(1.6, None)),
        button("+", shell.zoom_in).on_click(move || state.zoom(0.625, None)),
        button("⤢", shell.zoom_all).on_click(move || state.window.set(None)),
    ]
}

/// The lanes' names, and the drawing.
fn body(state: AxisState) -> AnyView {
    let run = state.run;
    let labels = move || {
        let lang = run.app.lang.get();
        let lanes = state.lanes.get();
        let first = label("lane-error", "✕", lang.views().axis_marks.to_owned());
        let rest = lanes.iter().enumerate().map(|(at, lane)| {
            let colour =
                if lane.error { "error" } else { COLOURS.get(at % COLOURS.len()).copied().unwrap_or("memory") };
            label_of(colour, if lane.error { "✕" } else { "" }, of(lane, lang))
        });
        std::iter::once(first).chain(rest).collect()
    };
    view! {
        <div class="memory-axis" hidden=move || state.all.get().is_none()>
            <ul class="lane-labels" aria-hidden="true"><Dom class="contents" show=Box::new(labels)/></ul>
            <Stage state/>
        </div>
    }
    .into_any()
}

/// The axis in the timeline's place: what is taken is shown by the memory's view.
pub(super) fn alone(state: AxisState) -> AnyView {
    let run = state.run;
    let line = move || {
        let lang = run.app.lang.get();
        let said = el("span").class("num").attr("role", "status").text(words::line(state, lang));
        let head = el("p").class("options axis-alone-head").with(said).with(el("span").class("bar-gap"));
        let none = (state.all.get().is_none() && state.whole.get().value.is_some())
            .then(|| empty_text(lang.views().axis_none, lang.views().axis_none_memory));
        let marks = words::bookmarks(state, lang);
        std::iter::once(head.all(buttons(state, lang))).chain(marks).chain(none).collect()
    };
    let help = move || run.app.lang.get().views().axis_help;
    view! {
        <div class="axis-alone">
            <Dom class="contents" show=Box::new(line)/>
            {body(state)}
            <p id="memory-axis-alone-help" class="sr">{help}</p>
        </div>
    }
    .into_any()
}

/// The panel.
pub(super) fn panel(state: AxisState, generate: AnyView) -> AnyView {
    let run = state.run;
    let head = move || {
        let lang = run.app.lang.get();
        let title = el("h2").attr("id", "panel-memory-axis").text(lang.views().axis_title);
        [title, el("span").class("bar-gap")].into_iter().chain(buttons(state, lang)).collect()
    };
    let line = move || vec![el("span").text(words::line(state, run.app.lang.get()))];
    let below = move || below(state, run.app.lang.get());
    let help = move || run.app.lang.get().views().axis_help;
    view! {
        <section class="panel" data-panel="memory-axis" aria-labelledby="panel-memory-axis">
            <header class="panel-head"><Dom class="contents" show=Box::new(head)/></header>
            <div class="panel-body">
                {body(state)}
                <p class="axis-line num" role="status"><Dom class="contents" show=Box::new(line)/></p>
                <Dom class="contents" show=Box::new(below)/>
                {generate}
                <p id="memory-axis-help" class="hint">{help}</p>
            </div>
        </section>
    }
    .into_any()
}

fn label(class: &'static str, sign: &'static str, name: String) -> El {
    let box_ = el("span").class(format!("glyph {class}")).text(sign);
    el("li").with(box_).with(el("span").class("lane-name").text(name))
}

fn label_of(colour: &'static str, sign: &'static str, name: String) -> El {
    let box_ = el("span").class(format!("glyph lane-{colour}")).text(sign);
    el("li").with(box_).with(el("span").class("lane-name").attr("title", name.clone()).text(name))
}

/// What stands below the drawing.
fn below(state: AxisState, lang: Lang) -> Vec<El> {
    let words = lang.views();
    if state.all.get().is_none() {
        let known = state.whole.get().value.is_some();
        return known.then(|| empty_text(words.axis_none, words.axis_none_hint)).into_iter().collect();
    }
    let asked = state.window_asked() != (None, None);
    let clear = asked
        .then(|| el("button").class("button quiet").text(words.axis_unwindow).on_click(move || state.clear()))
        .map(|button| el("p").class("options").with(button));
    let marks = words::bookmarks(state, lang);
    marks.into_iter().chain(clear).chain([words::twin(state, lang)]).collect()
}

fn palette(element: &web_sys::Element) -> Palette {
    let style = window().get_computed_style(element).ok().flatten();
    let read = |name: &str| {
        style.as_ref().and_then(|style| style.get_property_value(name).ok()).unwrap_or_default().trim().to_owned()
    };
    Palette {
        lanes: COLOURS.iter().map(|lane| read(&format!("--lane-{lane}"))).collect(),
        error: read("--lane-error"),
        sunken: read("--sunken"),
        panel: read("--panel"),
        text: read("--text-2"),
        hairline: read("--hairline"),
        accent: read("--accent"),
    }
}

/// Calls `act` in the next frame, once however often it is asked to before.
fn each_frame(act: impl Fn() + Copy + 'static) -> impl Fn() + Copy {
    let waits = StoredValue::new(false);
    move || {
        if waits.try_get_value() != Some(false) {
            return;
        }
        waits.set_value(true);
        request_animation_frame(move || {
            if waits.try_get_value().is_some() {
                waits.set_value(false);
                act();
            }
        });
    }
}

fn now() -> f64 {
    window().performance().map_or(0.0, |clock| clock.now())
}

#[component]
fn Stage(state: AxisState) -> impl IntoView {
    let run = state.run;
    let stage = NodeRef::<leptos::html::Div>::new();
    let base = NodeRef::<leptos::html::Canvas>::new();
    let overlay = NodeRef::<leptos::html::Canvas>::new();
    crate::run::timeline::watch_width(stage, state.width);
    Effect::new(move |_| {
        run.app.dark.track();
        if let Some(element) = stage.get() {
            // The style sheet may have come after this view.
            request_animation_frame(move || {
                state.palette.try_set(palette(&element));
            });
        }
    });
    let paint = move |canvas: &HtmlCanvasElement, act: &dyn Fn(&web_sys::CanvasRenderingContext2d, &Scene<'_>)| {
        untrack(|| {
            let (Some(window), lanes) = (state.shown(), state.lanes.get()) else { return };
            let width = state.width.get();
            let ratio = leptos::prelude::window().device_pixel_ratio();
            let Some(pen) = paint::pen(canvas, width, draw::height(lanes.len()), ratio) else { return };
            let (counts, lang) = (state.counts.get(), run.app.lang.get());
            state.palette.with(|palette| {
                act(&pen, &Scene { counts: &counts, lanes: &lanes, window, width, lang, palette });
            });
        });
    };
    let frame = StoredValue::new(0_u32);
    let paint_base = each_frame(move || {
        let Some(canvas) = base.get_untracked() else { return };
        let begin = now();
        paint(&canvas, &|pen, scene| draw::base(pen, scene));
        // What a frame cost, for whoever measures.
        frame.set_value(frame.get_value() + 1);
        let _ = canvas.set_attribute("data-frame", &frame.get_value().to_string());
        let _ = canvas.set_attribute("data-ms", &format!("{:.2}", now() - begin));
        let _ = canvas.set_attribute("data-parts", &state.counts.with_untracked(|counts| counts.parts()).to_string());
    });
    let paint_overlay = each_frame(move || {
        let Some(canvas) = overlay.get_untracked() else { return };
        let (asked, bookmarks) = untrack(|| (state.window_asked(), state.bookmarks()));
        let marked = untrack(|| state.marked()).and_then(|at| state.counts.with_untracked(|counts| counts.ends(at)));
        paint(&canvas, &|pen, scene| draw::overlay(pen, scene, &Above { asked, marked, bookmarks: &bookmarks }));
    });
    let track = move || {
        state.all.track();
        state.window.track();
        state.width.track();
        state.counts.track();
        state.lanes.track();
        state.palette.track();
        run.app.lang.track();
    };
    Effect::new(move |_| {
        track();
        paint_base();
    });
    Effect::new(move |_| {
        track();
        state.marker.track();
        state.asked.since.track();
        state.asked.until.track();
        run.app.focus.track();
        paint_overlay();
    });
    let inside = move |x: i32| {
        let area = stage.get_untracked()?.get_bounding_client_rect();
        Some(f64::from(x) - area.left())
    };
    let press = Press::new();
    let down = move |event: PointerEvent| press.down(&event, stage);
    let moved = move |event: PointerEvent| match press.moved(&event) {
        Moved::Drag(by) => state.pan(by),
        Moved::Still => {}
        Moved::Hover => state.marker.set(inside(event.client_x())),
    };
    let up = move |event: PointerEvent| {
        if press.up() {
            state.marker.set(inside(event.client_x()));
            state.take_marked();
        }
    };
    let wheel = move |event: WheelEvent| match gesture::wheel(&event) {
        Wheel::Pan(by) => state.pan(by),
        Wheel::Zoom(factor) => state.zoom(factor, inside(event.client_x())),
    };
    let key = move |event: KeyboardEvent| {
        if crate::keys::has_modifier(&event) {
            return;
        }
        let width = state.width.get_untracked();
        let side = if event.key() == "ArrowLeft" { -1.0 } else { 1.0 };
        match event.key().as_str() {
            "ArrowRight" | "ArrowLeft" if event.shift_key() => {
                let at = state.marker.get_untracked().unwrap_or(width / 2.0);
                state.marker.set(Some((at + side * MARKER).clamp(0.0, width - 1.0)));
            }
            "ArrowRight" | "ArrowLeft" => state.pan(side * STEP * width),
            "ArrowUp" | "ArrowDown" => {}
            "+" | "=" => state.zoom(0.625, None),
            "-" => state.zoom(1.6, None),
            "0" => state.window.set(None),
            "Enter" | " " => state.take_marked(),
            "Escape" => state.clear(),
            "b" => state.bookmark_marked(),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    view! {
        <div
            node_ref=stage
            class="timeline-stage"
            style:height=move || format!("{}px", draw::height(state.lanes.get().len()))
            role="application"
            tabindex="0"
            aria-label=move || run.app.lang.get().views().axis_title
            aria-describedby=if state.alone { "memory-axis-alone-help" } else { "memory-axis-help" }
            on:pointerdown=down
            on:pointermove=moved
            on:pointerup=up
            on:pointerleave=move |_| state.marker.set(None)
            on:focus=move |_| {
                if state.marker.get_untracked().is_none() {
                    state.marker.set(Some(state.width.get_untracked() / 2.0));
                }
            }
            on:blur=move |_| state.marker.set(None)
            on:wheel=wheel
            on:keydown=key
        >
            <canvas node_ref=base class="timeline-canvas axis-base"></canvas>
            <canvas node_ref=overlay class="timeline-canvas"></canvas>
        </div>
    }
}
