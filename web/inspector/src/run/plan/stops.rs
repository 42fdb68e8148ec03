//! Where a run pauses by itself: before a step, when a value comes, when a condition holds.

use leptos::prelude::*;
use throughline_protocol::command::{Breakpoint, SetBreakpoints};
use throughline_protocol::view::RunView;

use super::desk::{Desk, is_open};
use super::full::{button, clear, menu};
use crate::dom::{El, el};
use crate::format::fill;
use crate::i18n::Lang;
use crate::run::panel::{hint, sign, title};

/// The breakpoints: the run's own while it goes on, else those that the next run gets.
pub(super) fn of(desk: Desk, view: &RunView) -> Vec<Breakpoint> {
    if is_open(view) { view.breakpoints.clone() } else { desk.stops.get() }
}

fn set(desk: Desk, view: &RunView, stops: Vec<Breakpoint>) {
    desk.stops.set(stops.clone());
    if is_open(view) {
        desk.does(SetBreakpoints { run: view.row.id.clone(), breakpoints: stops });
    }
}

/// With one more, or one less when it is there already.
fn turned(mut stops: Vec<Breakpoint>, stop: Breakpoint) -> Vec<Breakpoint> {
    match stops.iter().position(|other| *other == stop) {
        Some(at) => drop(stops.remove(at)),
        None => stops.push(stop),
    }
    stops
}

fn before(step: &str) -> Breakpoint {
    Breakpoint { step: Some(step.to_owned()), ..Breakpoint::default() }
}

/// Sets or clears the breakpoint before a step.
pub(super) fn toggle(desk: Desk, view: &RunView, step: &str, lang: Lang) -> El {
    let (stops, stop) = (of(desk, view), before(step));
    let on = stops.contains(&stop);
    let label = fill(lang.views().stop_before, &[("step", step)]);
    let view = view.clone();
    el("button")
        .class(if on { "button quiet stop on" } else { "button quiet stop" })
        .attr("aria-pressed", if on { "true" } else { "false" })
        .attr("aria-label", label.clone())
        .attr("title", label)
        .with(sign(if on { "●" } else { "○" }))
        .on_click(move || set(desk, &view, turned(stops.clone(), stop.clone())))
}

/// All of them, and how to add one.
pub(super) fn form(desk: Desk, view: &RunView, lang: Lang) -> Vec<El> {
    let words = lang.views();
    let stops = of(desk, view);
    let rows = stops.iter().map(|stop| {
        let (view, stops, stop) = (view.clone(), stops.clone(), stop.clone());
        let text = sentence(&stop, lang);
        let label = fill(words.stop_clear, &[("what", &text)]);
        let clear = button("button quiet", "✕", move || set(desk, &view, turned(stops.clone(), stop.clone())));
        el("li").class("stop-row").with(sign("● ")).text(text).text(" ").with(clear.attr("aria-label", label))
    });
    let list = el("ul").class("outline stops").all(rows);
    let add = |make: fn(String) -> Breakpoint| {
        let (view, stops) = (view.clone(), stops.clone());
        move |text: String| {
            let text = text.trim().to_owned();
            if !text.is_empty() {
                set(desk, &view, turned(stops.clone(), make(text)));
            }
        }
    };
    let steps = || view.steps.iter().map(|step| (step.id.clone(), step.id.clone()));
    let step = menu(words.stop_step, steps(), add(|step| before(&step)));
    let binding =
        menu(words.stop_binding, steps(), add(|name| Breakpoint { binding: Some(name), ..Breakpoint::default() }));
    let condition = add(|when| Breakpoint { when: Some(when), ..Breakpoint::default() });
    let field = el("input").class("field").attr("placeholder", words.stop_when_hint).attr("spellcheck", "false").on(
        "change",
        move |event| {
            condition(event_target_value(&event));
            clear(&event);
        },
    );
    let when = el("label").class("named-field").with(hint("span", words.stop_when)).with(field);
    vec![title(words.stops), list, el("div").class("form-grid").with(step).with(binding).with(when)]
}

fn sentence(stop: &Breakpoint, lang: Lang) -> String {
    let words = lang.views();
    let (sentence, what) = match (&stop.step, &stop.binding, &stop.when) {
        (Some(step), ..) => (words.stop_before, step),
        (_, Some(binding), _) => (words.stop_at_binding, binding),
        (_, _, Some(when)) => (words.stop_at_condition, when),
        _ => return String::new(),
    };
    fill(sentence, &[("step", what)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_breakpoint_that_is_there_goes_and_one_that_is_not_comes() {
        let one = turned(Vec::new(), before("rate"));
        assert_eq!(one, [before("rate")]);
        let two = turned(one.clone(), before("fee"));
        assert_eq!(turned(two, before("fee")), one);
    }
}
