//! The timeline: every record in its lane, on a canvas. The records table is its equal for those who do not see it.

use leptos::prelude::*;
use throughline_protocol::lane::LANES;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::prelude::Closure;
use web_sys::{HtmlCanvasElement, KeyboardEvent, PointerEvent, WheelEvent};

use super::columns::{Axis, Window, clamp};
use super::details::lane_glyph;
use super::gesture::{self, Moved, Press, Wheel};
use super::marks;
use super::paint::{self, Palette, Scene};
use super::state::{RunState, use_run};
use crate::dom::{Dom, el};
use crate::format::{fill, full_time, number};
use crate::i18n::{Pick, t};

/// The large view that stands in the timeline's place when it shows what is remembered.
pub(crate) const EVENTS: &str = "events-in-time";

/// What the timeline shows and how; a copy is the same.
#[derive(Clone, Copy)]
pub(crate) struct TimelineState {
    /// Along what.
    pub(crate) axis: RwSignal<Axis>,
    /// Remembered events stand in the records' place.
    events: RwSignal<bool>,
    /// The part that is shown; everything when absent.
    window: RwSignal<Option<Window>>,
    width: RwSignal<f64>,
    hover: RwSignal<Option<(u64, f64)>>,
}

impl TimelineState {
    /// Everything is shown, by order.
    pub(crate) fn new() -> Self {
        Self {
            axis: RwSignal::new(Axis::Order),
            events: RwSignal::new(false),
            window: RwSignal::new(None),
            width: RwSignal::new(0.0),
            hover: RwSignal::new(None),
        }
    }

    fn shown(self, run: RunState) -> Window {
        let axis = self.axis.get_untracked();
        self.window.get_untracked().unwrap_or_else(|| run.columns.with_value(|columns| columns.all(axis)))
    }

    /// Zooms about the cursor, or about a pixel.
    pub(crate) fn zoom(self, run: RunState, factor: f64, about: Option<f64>) {
        let axis = self.axis.get_untracked();
        let all = run.columns.with_value(|columns| columns.all(axis));
        let shown = self.shown(run);
        let about = about.map_or_else(
            || {
                let at = usize::try_from(run.at.get_untracked().saturating_sub(1)).unwrap_or(0);
                run.columns.with_value(|columns| columns.place(at, axis)).clamp(shown.low, shown.high)
            },
            |pixel| shown.place(pixel, self.width.get_untracked()),
        );
        let next = shown.zoomed(factor, about, all, axis);
        // Zoomed out as far as it goes, it grows with the journal again.
        self.window.set((next.span() < all.span() * 0.999).then_some(next));
    }

    /// Shows everything.
    pub(crate) fn zoom_all(self) {
        self.window.set(None);
    }

    fn pan(self, run: RunState, pixels: f64) {
        let Some(window) = self.window.get_untracked() else { return };
        let axis = self.axis.get_untracked();
        let all = run.columns.with_value(|columns| columns.all(axis));
        let by = pixels / self.width.get_untracked().max(1.0) * window.span();
        self.window.set(Some(window.moved(by, all)));
    }

    fn set_axis(self, axis: Axis) {
        self.events.set(false);
        self.axis.set(axis);
        self.window.set(None);
    }
}

/// The word for a lane.
pub(crate) fn lane_word(lane: &str) -> Pick {
    match lane {
        "exchange" => |w| w.lane_exchange,
        "action" => |w| w.lane_action,
        "fact" => |w| w.lane_fact,
        "state" => |w| w.lane_state,
        "plan" => |w| w.lane_plan,
        "event" => |w| w.lane_event,
        "memory" => |w| w.lane_memory,
        "error" => |w| w.lane_error,
        _ => |w| w.lane_message,
    }
}

/// The timeline with its lane labels and its zoom.
pub(crate) fn timeline_panel() -> AnyView {
    let run = use_run();
    let state: TimelineState = expect_context();
    let head = move || {
        let words = run.app.lang.get().words();
        let (axis, events) = (state.axis.get(), state.events.get());
        let segment = |on: bool, word: &'static str| {
            el("button").class("segment").attr("aria-pressed", if on { "true" } else { "false" }).text(word)
        };
        let along = |own: Axis, word| segment(axis == own && !events, word).on_click(move || state.set_axis(own));
        let button = |sign: &'static str, name: &'static str| {
            let button = el("button").class("button icon").attr("aria-label", name).attr("title", name);
            button.with(el("span").attr("aria-hidden", "true").text(sign))
        };
        let segments = el("span").class("segments").attr("role", "group").attr("aria-label", words.axis);
        let segments = segments
            .with(along(Axis::Order, words.axis_order))
            .with(along(Axis::Time, words.axis_time))
            .with(segment(events, words.axis_memory).on_click(move || state.events.set(true)));
        let head = el("h2").attr("id", "timeline-title").text(words.timeline);
        let head = vec![head, el("span").class("bar-gap"), segments];
        if events {
            return head;
        }
        let marked = run.app.focus.with(marks::of).contains(&run.at.get());
        let mark = button("⚑", words.bookmark).attr("aria-pressed", if marked { "true" } else { "false" });
        let records = [
            mark.on_click(move || marks::toggle(run)),
            button("−", words.zoom_out).on_click(move || state.zoom(run, 1.6, None)),
            button("+", words.zoom_in).on_click(move || state.zoom(run, 0.625, None)),
            button("⤢", words.zoom_all).on_click(move || state.zoom_all()),
        ];
        head.into_iter().chain(records).collect()
    };
    let lanes = move || {
        let words = run.app.lang.get().words();
        let lane = |lane: &&'static str| {
            el("li").with(lane_glyph(lane)).with(el("span").class("lane-name").text(lane_word(lane)(words)))
        };
        LANES.iter().map(lane).collect()
    };
    view! {
        <section class="timeline" aria-labelledby="timeline-title">
            <header class="panel-head"><Dom class="contents" show=Box::new(head)/></header>
            <div class="timeline-body" hidden=move || state.events.get()>
                <ul class="lane-labels" aria-hidden="true"><Dom class="contents" show=Box::new(lanes)/></ul>
                <Canvases/>
            </div>
            {move || state.events.get().then(|| super::later::later_view(EVENTS))}
            <p id="timeline-help" class="sr">{t(|w| w.timeline_help)}</p>
        </section>
    }
    .into_any()
}

/// Reads the colours that the style sheet has for the theme.
fn palette(element: &web_sys::Element) -> Palette {
    let style = window().get_computed_style(element).ok().flatten();
    let read = |name: &str| {
        style.as_ref().and_then(|style| style.get_property_value(name).ok()).unwrap_or_default().trim().to_owned()
    };
    Palette {
        lanes: LANES.iter().map(|lane| read(&format!("--lane-{lane}"))).collect(),
        ink: read("--ink"),
        panel: read("--panel"),
        sunken: read("--sunken"),
        text: read("--text-2"),
        hairline: read("--hairline"),
        accent: read("--accent"),
    }
}

#[component]
fn Canvases() -> impl IntoView {
    let run = use_run();
    let state: TimelineState = expect_context();
    let stage = NodeRef::<leptos::html::Div>::new();
    let base = NodeRef::<leptos::html::Canvas>::new();
    let overlay = NodeRef::<leptos::html::Canvas>::new();
    let colours = RwSignal::new(Palette::default());
    watch_width(stage, state.width);
    Effect::new(move |_| {
        run.app.dark.track();
        let Some(element) = stage.get() else { return };
        colours.set(palette(&element));
    });
    // The cursor never leaves what is shown.
    Effect::new(move |_| {
        let at = run.at.get();
        let axis = state.axis.get();
        let Some(window) = state.window.get_untracked() else { return };
        let place = usize::try_from(at.saturating_sub(1)).unwrap_or(0);
        let next = run.columns.with_value(|c| window.showing(c.place(place, axis), c.all(axis)));
        if next != window {
            state.window.set(Some(next));
        }
    });
    let scene = move |paint: &dyn Fn(&Scene<'_>, f64)| {
        let width = state.width.get();
        let (axis, lang) = (state.axis.get(), run.app.lang.get());
        let window = state.window.get();
        run.columns_version.track();
        colours.with(|palette| {
            run.columns.with_value(|columns| {
                let window = window.unwrap_or_else(|| columns.all(axis));
                paint(&Scene { columns, window, axis, lang, palette }, width);
            });
        });
    };
    let fit = move |canvas: HtmlCanvasElement, width: f64| {
        paint::pen(&canvas, width, paint::height(), leptos::prelude::window().device_pixel_ratio())
    };
    Effect::new(move |_| {
        let Some(canvas) = base.get() else { return };
        scene(&|scene, width| {
            if let Some(pen) = fit(canvas.clone(), width) {
                paint::base(&pen, scene, width);
            }
        });
    });
    Effect::new(move |_| {
        let Some(canvas) = overlay.get() else { return };
        let (at, hover) = (run.at.get(), state.hover.get());
        scene(&|scene, width| {
            if let Some(pen) = fit(canvas.clone(), width) {
                paint::overlay(&pen, scene, width, at, hover.map(|(seq, _)| seq), &run.app.focus.with(marks::of));
            }
        });
    });
    let hit = move |event: &PointerEvent| {
        let (x, y) = inside(stage, event.client_x(), event.client_y())?;
        let width = state.width.get_untracked();
        let palette = Palette::default();
        run.columns.with_value(|columns| {
            let axis = state.axis.get_untracked();
            let window = state.shown(run);
            let scene = Scene { columns, window, axis, lang: run.app.lang.get_untracked(), palette: &palette };
            paint::hit(&scene, x, y, width).map(|seq| (seq, x))
        })
    };
    let press = Press::new();
    let down = move |event: PointerEvent| press.down(&event, stage);
    let moved = move |event: PointerEvent| match press.moved(&event) {
        Moved::Drag(by) => {
            state.hover.set(None);
            state.pan(run, by);
        }
        Moved::Still => {}
        Moved::Hover => state.hover.set(hit(&event)),
    };
    let up = move |event: PointerEvent| {
        if press.up()
            && let Some((seq, _)) = hit(&event)
        {
            run.jump(seq);
        }
    };
    let wheel = move |event: WheelEvent| match gesture::wheel(&event) {
        Wheel::Pan(by) => state.pan(run, by),
        Wheel::Zoom(factor) => {
            let about = inside(stage, event.client_x(), event.client_y()).map(|(x, _)| x);
            state.zoom(run, factor, about);
        }
    };
    let key = move |event: KeyboardEvent| {
        if crate::keys::has_modifier(&event) {
            return;
        }
        match event.key().as_str() {
            "ArrowRight" => run.step(1),
            "ArrowLeft" => run.step(-1),
            "ArrowUp" | "ArrowDown" => {}
            _ => return,
        }
        event.prevent_default();
    };
    view! {
        <div
            node_ref=stage
            class="timeline-stage"
            role="application"
            tabindex="0"
            aria-label=t(|w| w.timeline)
            aria-describedby="timeline-help cursor-line"
            on:pointerdown=down
            on:pointermove=moved
            on:pointerup=up
            on:pointerleave=move |_| state.hover.set(None)
            on:wheel=wheel
            on:keydown=key
        >
            <canvas node_ref=base class="timeline-canvas"></canvas>
            <canvas node_ref=overlay class="timeline-canvas"></canvas>
            <HoverCard/>
        </div>
    }
}

/// Keeps a signal at an element's width.
pub(crate) fn watch_width(stage: NodeRef<leptos::html::Div>, width: RwSignal<f64>) {
    Effect::new(move |_| {
        let Some(element) = stage.get() else { return };
        let watched = element.clone();
        let measure = move || {
            width.try_set(f64::from(watched.client_width()));
        };
        measure();
        let closure = Closure::<dyn Fn()>::new(measure);
        if let Ok(observer) = web_sys::ResizeObserver::new(closure.as_ref().unchecked_ref()) {
            observer.observe(&element);
            // The observer holds its function until the page with the timeline goes.
            let kept = StoredValue::new_local((observer, closure));
            on_cleanup(move || {
                kept.try_with_value(|(observer, _)| observer.disconnect());
            });
        }
    });
}

/// The point within the stage.
fn inside(stage: NodeRef<leptos::html::Div>, x: i32, y: i32) -> Option<(f64, f64)> {
    let area = stage.get_untracked()?.get_bounding_client_rect();
    Some((f64::from(x) - area.left(), f64::from(y) - area.top()))
}

/// What is under the pointer, in words. The same stands in the table and, once clicked, in the details.
#[component]
fn HoverCard() -> impl IntoView {
    let run = use_run();
    let state: TimelineState = expect_context();
    let card = NodeRef::<leptos::html::Div>::new();
    Effect::new(move |_| {
        let (Some(element), Some((_, x))) = (card.get(), state.hover.get()) else { return };
        let width = state.width.get_untracked();
        // Once it has its words and with them its width.
        request_animation_frame(move || {
            let place = clamp(x.min(width - f64::from(element.offset_width()) - 8.0), 100_000);
            let style = web_sys::HtmlElement::style(&element);
            let _ = style.set_property("transform", &format!("translateX({place}px)"));
        });
    });
    let show = move || {
        let lang = run.app.lang.get();
        let seq = state.hover.get().map_or(0, |(seq, _)| seq);
        run.columns.with_value(|columns| {
            let Some((time, lane, summary)) = columns.row(seq) else { return Vec::new() };
            let head = el("p")
                .class("hover-head")
                .with(lane_glyph(lane))
                .with(el("span").class("num").text(number(seq, lang)))
                .with(el("span").text(lane_word(lane)(lang.words())))
                .with(el("span").class("num").text(full_time(time, lang)));
            vec![head, el("p").text(summary.to_owned())]
        })
    };
    view! {
        <div node_ref=card class="hover-card" class:hidden=move || state.hover.get().is_none() aria-hidden="true">
            <Dom show=Box::new(show)/>
        </div>
    }
}

/// The record a person looks at, said once it changes.
pub(crate) fn cursor_line() -> AnyView {
    let run = use_run();
    let line = move || {
        let lang = run.app.lang.get();
        let (at, head) = (run.at.get(), run.head.get());
        run.columns_version.track();
        run.columns.with_value(|columns| match columns.row(at) {
            None => lang.words().no_records.to_owned(),
            Some((time, lane, summary)) => fill(
                lang.words().cursor_line,
                &[
                    ("n", &number(at, lang)),
                    ("total", &number(head, lang)),
                    ("kind", lane_word(lane)(lang.words())),
                    ("time", &full_time(time, lang)),
                    ("summary", summary),
                ],
            ),
        })
    };
    view! { <p id="cursor-line" class="sr" aria-live="polite">{line}</p> }.into_any()
}
