//! Memory at the cursor: along time; ask it and see why each event is a hit; the tree that answers; what goes next.

mod axis;
mod explore;
mod forgetting;
mod generate;
mod said;
mod tiers;
mod tree;

use leptos::prelude::*;
use throughline_protocol::Time;
use throughline_protocol::view::MemoryView;

use super::panel::{code, gap, hint, mark, seq_link};
use super::state::{RunState, use_run};
use crate::dom::{El, el};
use crate::focus::Focus;
use crate::format::{fill, full_time};
use crate::i18n::Lang;

/// What is asked: one question for the explorer and for the tree.
#[derive(Clone, Copy)]
struct Asked {
    words: RwSignal<String>,
    kinds: RwSignal<String>,
    entities: RwSignal<String>,
    since: RwSignal<String>,
    until: RwSignal<String>,
    /// Ranked also by `episode`, `recency`, `importance`.
    also: RwSignal<Vec<&'static str>>,
    /// Events pour in: nothing is asked again until they are in.
    importing: RwSignal<bool>,
    /// A record and how many events there are at it; none while that is not known.
    live: RwSignal<Option<(u64, u64)>>,
    /// Grows with every answer that may have read texts from storage.
    answered: RwSignal<u32>,
}

impl Asked {
    fn new() -> Self {
        let text = || RwSignal::new(String::new());
        Self {
            words: text(),
            kinds: text(),
            entities: text(),
            since: text(),
            until: text(),
            also: RwSignal::new(Vec::new()),
            importing: RwSignal::new(false),
            live: RwSignal::new(None),
            answered: RwSignal::new(0),
        }
    }

    /// The window stands in the address: so a link, the timeline and the back button know of it.
    fn keep_window(self) {
        let app = use_run().app;
        Effect::new(move |_| {
            let (since, until) = app.focus.with(window_of);
            let now = (self.since.get_untracked(), self.until.get_untracked());
            for (field, new, now) in [(self.since, since, now.0), (self.until, until, now.1)] {
                // The same instant in another spelling stays as a person typed it.
                if axis::millis(&new) != axis::millis(&now) {
                    field.set(new);
                }
            }
        });
        Effect::new(move |_| {
            let window = (axis::millis(&self.since.get()), axis::millis(&self.until.get()));
            let old = app.focus.get_untracked();
            app.look(with_window(old, window));
        });
    }

    fn clear(self) {
        for field in [self.words, self.kinds, self.entities, self.since, self.until] {
            field.set(String::new());
        }
        self.also.set(Vec::new());
    }
}

/// A comma between names, in either script.
fn names(text: &str) -> Vec<String> {
    text.split([',', '，', '、']).map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn time(text: &str) -> Option<Time> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.parse().map_or_else(|_| Time::Text(text.to_owned()), Time::Millis))
}

/// What the window is called in the address.
const WINDOW: &str = "w";

/// The window that an address has, as the question's fields have it.
fn window_of(focus: &Focus) -> (String, String) {
    let own = focus.rest.iter().find(|(name, _)| name == WINDOW).and_then(|(_, value)| value.split_once(".."));
    let text = |ms: &str| ms.parse::<i64>().map(|ms| axis::text(super::columns::ms_to_f64(ms))).unwrap_or_default();
    own.map(|(since, until)| (text(since), text(until))).unwrap_or_default()
}

/// An address with a window, or without one.
fn with_window(mut focus: Focus, (since, until): (Option<f64>, Option<f64>)) -> Focus {
    focus.rest.retain(|(name, _)| name != WINDOW);
    if since.is_some() || until.is_some() {
        let ms = |ms: Option<f64>| ms.map(|ms| format!("{ms:.0}")).unwrap_or_default();
        focus.rest.push((WINDOW.to_owned(), format!("{}..{}", ms(since), ms(until))));
    }
    focus
}

/// The memory along time alone: it stands in the timeline's place.
pub(crate) fn axis_alone() -> AnyView {
    axis::axis_alone(Asked::new())
}

/// The panels of the view.
pub(crate) fn memory_panels() -> AnyView {
    let asked = Asked::new();
    asked.keep_window();
    view! {
        {axis::axis_panel(asked)}
        {tiers::tiers_panel(asked)}
        {explore::explore_panel(asked)}
        {tree::tree_panel(asked)}
        {forgetting::forgetting_panel(asked)}
    }
    .into_any()
}

/// A field with its name before it; what is typed counts when it is left or with Enter.
fn field(name: &'static str, value: RwSignal<String>, placeholder: &'static str) -> El {
    let input = el("input")
        .class("field")
        .attr(".value", value.get())
        .attr("placeholder", placeholder)
        .on("change", move |event| value.set(event_target_value(&event)));
    el("label").class("named-field").with(hint("span", name)).with(input)
}

/// An event in full.
fn event_row(run: RunState, memory: &MemoryView, lang: Lang, acts: Option<El>) -> El {
    let words = lang.words();
    let until = memory.until.map(|until| format!(" – {}", full_time(until, lang))).unwrap_or_default();
    let importance = memory.importance.as_ref().map(|n| fill(lang.views().importance, &[("n", &n.to_string())]));
    let forgotten = memory.status == "forgotten";
    let head = el("p")
        .class("entity-head")
        .with(code(memory.kind.clone()))
        .with(el("span").class("num hint").text(format!("{}{until}", full_time(memory.at, lang))))
        .maybe(forgotten.then(|| mark(words.forgotten)))
        .with(gap())
        .maybe(acts)
        .with(seq_link(run, memory.seq, lang));
    let why = (!memory.why.is_empty())
        .then(|| hint("p", fill(lang.views().memory_why, &[("why", &said::why(&memory.why, lang))])));
    el("li")
        .class(if forgotten { "entity retired" } else { "entity" })
        .with(head)
        .with(el("p").text(memory.text.clone()))
        .with(hint("p", format!("{} {}", memory.entities.join(", "), importance.unwrap_or_default())))
        .maybe(why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_be_parted_by_the_commas_of_either_script() {
        assert_eq!(names(" pan, 锅、灶，stove ,"), ["pan", "锅", "灶", "stove"]);
        assert!(matches!(time("1700000000000"), Some(Time::Millis(1_700_000_000_000))));
        assert!(matches!(time("2026-01-01T00:00:00Z"), Some(Time::Text(_))));
        assert!(time("  ").is_none());
    }
}
