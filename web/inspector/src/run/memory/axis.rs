//! The memory along time: how many events of each kind there were, at every zoom. Painted from counts, so a million
//! events cost what a hundred do; a table says the same.

mod counts;
mod draw;
mod stage;
mod words;

use std::sync::Arc;

use leptos::prelude::*;
use throughline_protocol::Tagged as _;
use throughline_protocol::query::MemoryCounts;
use throughline_protocol::view;

use super::Asked;
use crate::focus::{Focus, View};
use crate::i18n::Lang;
use crate::run::columns::{Window, ms_to_f64};
use crate::run::package;
use crate::run::seen::{Watched, use_view};
use crate::run::state::{RunState, use_run};
use counts::{Counts, LANES, Lane, Shared, lanes, question};
use draw::Palette;

/// What bookmarks are called in the address.
const BOOKMARKS: &str = "m";

/// The lanes in the timeline's place: with the strip above them it is as high as the timeline.
const FEW: usize = 8;

/// How long nothing moves before the words follow, in milliseconds.
const SETTLED: u64 = 200;

/// The axis' state; a copy is the same.
#[derive(Clone, Copy)]
struct AxisState {
    run: RunState,
    asked: Asked,
    /// All kinds and the time from the first event to the last.
    whole: Watched<view::MemoryCounts>,
    lanes: RwSignal<Arc<Vec<Lane>>>,
    /// The time of the memory.
    all: RwSignal<Option<Window>>,
    /// The part of it that is shown; all when absent.
    window: RwSignal<Option<Window>>,
    /// How wide the drawing is.
    width: RwSignal<f64>,
    counts: RwSignal<Shared>,
    /// Where the marker is, in pixels.
    marker: RwSignal<Option<f64>>,
    palette: RwSignal<Palette>,
    /// Grows when nothing has moved for a moment.
    settled: RwSignal<u32>,
    moves: StoredValue<u32>,
    asking: StoredValue<Asking>,
    /// Counters of their own do not suffice for these kinds.
    exact: StoredValue<bool>,
    /// It stands in the timeline's place: few lanes, and what is taken is shown by the memory's view.
    alone: bool,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Asking {
    #[default]
    Idle,
    Running,
    /// It moved on meanwhile.
    Again,
}

impl AxisState {
    fn new(asked: Asked, alone: bool) -> Self {
        Self {
            alone,
            run: use_run(),
            asked,
            whole: use_view(|at, _| Some(MemoryCounts { at, ..MemoryCounts::default() })),
            lanes: RwSignal::new(Arc::default()),
            all: RwSignal::new(None),
            window: RwSignal::new(None),
            width: RwSignal::new(0.0),
            counts: RwSignal::new(Arc::default()),
            marker: RwSignal::new(None),
            palette: RwSignal::new(Palette::default()),
            settled: RwSignal::new(0),
            moves: StoredValue::new(0),
            asking: StoredValue::new(Asking::Idle),
            exact: StoredValue::new(false),
        }
    }

    /// What is shown.
    fn shown(self) -> Option<Window> {
        let all = self.all.get()?;
        Some(self.window.get().unwrap_or(all))
    }

    fn shown_now(self) -> Option<Window> {
        untrack(|| self.shown())
    }

    /// Moves by so many pixels.
    fn pan(self, pixels: f64) {
        let (Some(window), Some(all)) = (self.window.get_untracked(), self.all.get_untracked()) else { return };
        let by = pixels / self.width.get_untracked().max(1.0) * window.span();
        self.window.set(Some(window.moved(by, all)));
    }

    /// Zooms about a pixel, or about the marker or the middle.
    fn zoom(self, factor: f64, about: Option<f64>) {
        let (Some(shown), Some(all)) = (self.shown_now(), self.all.get_untracked()) else { return };
        let width = self.width.get_untracked().max(1.0);
        let pixel = about.or(self.marker.get_untracked()).unwrap_or(width / 2.0);
        let next = shown.zoomed(factor, shown.place(pixel, width), all, super::super::columns::Axis::Time);
        self.window.set((next.span() < all.span() * 0.999).then_some(next));
    }

    /// The part under the marker.
    fn marked(self) -> Option<usize> {
        let (shown, pixel) = (self.shown()?, self.marker.get()?);
        self.counts.with(|counts| counts.at(shown.place(pixel, self.width.get().max(1.0))))
    }

    /// Takes a stretch of time as the window of the question.
    fn take(self, from: f64, to: f64) {
        if self.alone {
            let focus = super::with_window(self.run.app.focus.get_untracked(), (Some(from), Some(to)));
            return self.run.app.go(Focus { view: View::Memory, ..focus });
        }
        self.asked.since.set(text(from));
        self.asked.until.set(text(to));
    }

    fn take_marked(self) {
        let part = untrack(|| self.marked());
        if let Some((from, to)) = part.and_then(|at| self.counts.with_untracked(|counts| counts.ends(at))) {
            self.take(from, to);
        }
    }

    fn clear(self) {
        if self.alone {
            return self.run.app.look(super::with_window(self.run.app.focus.get_untracked(), (None, None)));
        }
        self.asked.since.set(String::new());
        self.asked.until.set(String::new());
    }

    /// The bookmarks, from the address.
    fn bookmarks(self) -> Vec<i64> {
        let list = |focus: &crate::focus::Focus| {
            let all = focus.rest.iter().filter(|(name, _)| name == BOOKMARKS);
            all.flat_map(|(_, value)| value.split(',').filter_map(|ms| ms.parse().ok())).collect()
        };
        self.run.app.focus.with(list)
    }

    /// Sets a bookmark, or takes it away.
    fn bookmark(self, time: i64) {
        let mut list = untrack(|| self.bookmarks());
        match list.iter().position(|one| *one == time) {
            Some(at) => drop(list.remove(at)),
            None => list.push(time),
        }
        let mut focus = self.run.app.focus.get_untracked();
        focus.rest.retain(|(name, _)| name != BOOKMARKS);
        if !list.is_empty() {
            let list: Vec<_> = list.iter().map(i64::to_string).collect();
            focus.rest.push((BOOKMARKS.to_owned(), list.join(",")));
        }
        self.run.app.look(focus);
    }

    fn bookmark_marked(self) {
        let width = self.width.get_untracked().max(1.0);
        if let Some(shown) = self.shown_now() {
            let pixel = self.marker.get_untracked().unwrap_or(width / 2.0);
            #[expect(clippy::cast_possible_truncation, reason = "an instant of the window")]
            self.bookmark(shown.place(pixel, width) as i64);
        }
    }

    /// The window that the question has.
    fn window_asked(self) -> (Option<f64>, Option<f64>) {
        if self.alone {
            let (since, until) = self.run.app.focus.with(super::window_of);
            return (millis(&since), millis(&until));
        }
        (millis(&self.asked.since.get()), millis(&self.asked.until.get()))
    }

    /// Takes in which kinds there are and from when to when.
    fn take_in_whole(self) {
        let seen = self.whole.get();
        let Some(whole) = seen.value else { return };
        let totals = whole.counts.first().cloned().unwrap_or_default();
        let all = match (whole.edges.first(), whole.edges.last()) {
            (Some(first), Some(last)) if totals.iter().any(|n| *n > 0) => {
                let (first, last) = (ms_to_f64(*first), ms_to_f64(*last));
                let room = (last - first).max(1_000.0) * 0.02;
                Some(Window { low: first - room, high: last + room })
            }
            _ => None,
        };
        let live = Some((seen.at, totals.iter().sum::<u64>()));
        if self.asked.live.get_untracked() != live {
            self.asked.live.set(live);
        }
        let found = lanes(&whole.kinds, &totals, if self.alone { FEW } else { LANES });
        self.exact.set_value(whole.kinds.len() > LANES);
        if self.lanes.with_untracked(|old| **old != found) {
            // The lanes of the old counts are not those of the new ones.
            self.counts.set(Arc::default());
            self.lanes.set(Arc::new(found));
        }
        if self.all.get_untracked() != all {
            self.all.set(all);
        }
    }

    /// Asks for what is shown; one question at a time, the newest one last.
    fn ask(self) {
        if self.asking.get_value() != Asking::Idle {
            self.asking.set_value(Asking::Again);
            return;
        }
        let (Some(window), Some(all), Some(session)) = (self.shown_now(), self.all.get_untracked(), self.run.session())
        else {
            return;
        };
        self.asking.set_value(Asking::Running);
        let (at, head) = (self.run.at.get_untracked(), self.run.head.get_untracked());
        // The counters that are kept for drawing are those of the newest record.
        let pyramid = at >= head && !self.exact.get_value();
        let query = question(window, all, self.width.get_untracked(), at, pyramid).tagged().to_json();
        leptos::task::spawn_local(async move {
            let answer = package::memory_counts(session.js(), &query).await;
            if self.asking.try_get_value().is_none() {
                return;
            }
            match answer {
                Ok((kinds, numbers)) => {
                    let read = self.lanes.with_untracked(|lanes| Counts::read(&kinds, &numbers, lanes));
                    match read {
                        Some(counts) => self.counts.set(Arc::new(counts)),
                        // Some kind is not told apart: count anew.
                        None if pyramid => {
                            self.exact.set_value(true);
                            self.asking.set_value(Asking::Again);
                        }
                        None => {}
                    }
                }
                Err(refusal) => self.run.tell(refusal),
            }
            let again = self.asking.get_value() == Asking::Again;
            self.asking.set_value(Asking::Idle);
            if again {
                request_animation_frame(move || {
                    if self.asking.try_get_value().is_some() {
                        self.ask();
                    }
                });
            }
        });
    }

    /// Something moved: the words follow once nothing has for a moment.
    fn moved(self) {
        let mine = self.moves.get_value() + 1;
        self.moves.set_value(mine);
        let later = move || {
            if self.moves.try_get_value() == Some(mine) {
                self.settled.update(|n| *n += 1);
            }
        };
        set_timeout(later, std::time::Duration::from_millis(SETTLED));
    }
}

/// An instant as the question's fields have it.
pub(super) fn text(ms: f64) -> String {
    js_sys::Date::new(&ms.into()).to_iso_string().into()
}

/// The instant that a field of the question names.
pub(super) fn millis(text: &str) -> Option<f64> {
    let text = text.trim();
    let ms = text.parse::<i64>().map_or_else(|_| js_sys::Date::parse(text), ms_to_f64);
    ms.is_finite().then_some(ms)
}

/// The panel.
pub(super) fn axis_panel(asked: Asked) -> AnyView {
    let state = AxisState::new(asked, false);
    keep_asking(state);
    stage::panel(state, super::generate::generate_bar(asked))
}

/// The same without its panel.
pub(super) fn axis_alone(asked: Asked) -> AnyView {
    let state = AxisState::new(asked, true);
    keep_asking(state);
    stage::alone(state)
}

fn keep_asking(state: AxisState) {
    Effect::new(move |_| state.take_in_whole());
    // Asked for again when it moves, when it is another record, and when the memory grew.
    Effect::new(move |_| {
        state.all.track();
        state.window.track();
        state.lanes.track();
        state.run.at.track();
        state.run.head.track();
        state.run.epoch.track();
        if state.width.get() > 0.0 {
            state.ask();
            state.moved();
        }
    });
    Effect::new(move |_| {
        state.counts.track();
        state.moved();
    });
}

fn of(lane: &Lane, lang: Lang) -> String {
    if lane.kind.is_empty() { lang.views().axis_others.to_owned() } else { lane.kind.clone() }
}
