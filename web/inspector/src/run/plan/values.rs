//! The values of a run, each with what it rests on, and a way to give it another value.

use leptos::prelude::*;
use throughline_protocol::view::{BindingView, RunView};
use throughline_value::{Value, json};

use super::desk::Desk;
use super::full::{brief, button};
use crate::dom::{El, el};
use crate::format::{fill, value as plain};
use crate::i18n::Lang;
use crate::run::evidence;
use crate::run::panel::{code, hint, table};

/// The table; nothing while there are no values.
pub(super) fn table_of(desk: Desk, view: &RunView, at: u64, lang: Lang) -> Vec<El> {
    if view.bindings.is_empty() {
        return Vec::new();
    }
    let words = lang.words();
    let rows = view.bindings.iter().map(|binding| row(desk, binding, at, lang));
    let columns = [lang.views().col_binding, words.col_value, words.col_confidence, words.evidence, lang.views().edit];
    vec![table(words.bindings, &columns, [el("tbody").all(rows)])]
}

fn row(desk: Desk, binding: &BindingView, at: u64, lang: Lang) -> El {
    let words = lang.views();
    let name = binding.name.trim_start_matches('$').to_owned();
    let links = binding.evidence.iter().map(|evidence| evidence::link(desk.run, evidence, at, lang));
    let none = binding.evidence.is_empty().then(|| hint("span", lang.views().no_evidence));
    let edited = desk.edits.with(|edits| edits.get(&name).cloned());
    let is_edited = edited.is_some();
    let shown = edited.unwrap_or_else(|| binding.value.clone());
    let editing = desk.editing.with(|editing| editing.as_deref() == Some(name.as_str()));
    let label = fill(words.edit_value, &[("name", &name)]);
    let value = if editing {
        let (typed, key) = (name.clone(), name.clone());
        let field = el("input")
            .class("field")
            .attr("id", "edit-value")
            .attr("aria-label", label.clone())
            .attr(".value", plain(&shown))
            .on("change", move |event| keep(desk, &typed, &event_target_value(&event)))
            .on("keydown", move |event| {
                let pressed = js_sys::Reflect::get(&event, &"key".into()).ok().and_then(|key| key.as_string());
                match pressed.as_deref() {
                    Some("Enter") => keep(desk, &key, &event_target_value(&event)),
                    Some("Escape") => desk.editing.set(None),
                    _ => {}
                }
            });
        el("td").class("value").with(field)
    } else {
        el("td").class(if is_edited { "value edited" } else { "value" }).text(brief(&shown))
    };
    let begun = name.clone();
    let edit = button("button quiet", words.edit, move || {
        let other = desk.editing.get_untracked().as_deref() != Some(begun.as_str());
        desk.editing.set(other.then(|| begun.clone()));
        if other {
            request_animation_frame(|| crate::ui::focus_on("edit-value"));
        }
    });
    let step = (!binding.step.is_empty() && binding.step != name).then(|| hint("span", format!(" {}", binding.step)));
    let sure = binding.confidence.as_ref().map(ToString::to_string).unwrap_or_default();
    el("tr")
        .with(el("td").class("key").with(code(format!("${name}"))).maybe(step))
        .with(value)
        .with(el("td").class("num").text(sure))
        .with(el("td").class("links").all(links).maybe(none))
        .with(el("td").with(edit.attr("aria-label", label)))
}

/// Keeps what was typed until a run takes it.
fn keep(desk: Desk, name: &str, text: &str) {
    desk.edits.update(|edits| {
        edits.insert(name.to_owned(), typed(text));
    });
    desk.editing.set(None);
}

/// What is JSON is that; everything else is text.
fn typed(text: &str) -> Value {
    json::read_value(text.trim()).unwrap_or_else(|_| Value::from(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typed_value_is_json_where_it_can_be_and_text_where_not() {
        assert_eq!(typed(" 91.70 ").to_json(), "91.70");
        assert_eq!(typed("late").to_json(), "\"late\"");
        assert_eq!(typed("[1, 2]").to_json(), "[1,2]");
        assert_eq!(typed("2026-Q3").to_json(), "\"2026-Q3\"");
    }
}
