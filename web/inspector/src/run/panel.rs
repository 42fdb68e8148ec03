//! The frame that every panel has, and small parts that several share.

use indexmap::IndexMap;
use leptos::prelude::*;
use throughline_protocol::Refusal;
use throughline_value::{Value, json};

use super::seen::Seen;
use super::state::{RunState, use_run};
use crate::dom::{Dom, El, Text, el};
use crate::format::{cut, fill, number};
use crate::i18n::{Lang, Pick};
use crate::ui::{Message, refusal_el};

/// How long a nested value may be to stand in one line.
const LEAF_CHARS: usize = 120;

/// A panel: its title, the record it is of, what it holds; made again whenever a signal in `show` changes.
pub(crate) fn panel(title: Pick, name: &'static str, show: impl Fn(Lang) -> Vec<El> + 'static) -> AnyView {
    titled(Box::new(move |lang| title(lang.words())), name, Box::new(show))
}

/// As [`panel`], in the words of the large views.
pub(crate) fn view_panel(
    title: fn(&'static crate::i18n::views::Words) -> &'static str,
    name: &'static str,
    show: impl Fn(Lang) -> Vec<El> + 'static,
) -> AnyView {
    titled(Box::new(move |lang| title(lang.views())), name, Box::new(show))
}

fn titled(title: Box<dyn Fn(Lang) -> &'static str>, name: &'static str, show: Box<dyn Fn(Lang) -> Vec<El>>) -> AnyView {
    let run = use_run();
    let id = format!("panel-{name}");
    let heading = id.clone();
    let show = Box::new(move || {
        let lang = run.app.lang.get();
        let at = fill(lang.words().at_record, &[("n", &number(run.at.get(), lang))]);
        let head = el("header")
            .class("panel-head")
            .with(el("h2").attr("id", heading.clone()).text(title(lang)))
            .with(el("span").class("hint num panel-at").text(at));
        vec![head, el("div").class("panel-body").all(show(lang))]
    });
    view! { <section class="panel" data-panel=name aria-labelledby=id><Dom show/></section> }.into_any()
}

/// What a view gave, or the refusal in its place; nothing while it is awaited.
pub(crate) fn seen_or_refusal<T>(seen: Seen<T>, lang: Lang) -> Result<(T, u64), Vec<El>> {
    match (seen.value, seen.refusal) {
        (Some(value), _) => Ok((value, seen.at)),
        (None, Some(refusal)) => Err(vec![refused(&refusal, lang)]),
        (None, None) => Err(Vec::new()),
    }
}

/// An error in full.
pub(crate) fn refused(refusal: &Refusal, lang: Lang) -> El {
    refusal_el(refusal, lang)
}

/// Says that there is nothing here, and what to do.
pub(crate) fn empty(what: Pick, at: u64, todo: Pick, lang: Lang) -> El {
    el("div")
        .class("empty")
        .with(el("p").text(Message::plain(what).with("n", at).text(lang)))
        .with(el("p").class("hint").text(todo(lang.words())))
}

/// As [`empty`], with sentences that are made already.
pub(crate) fn empty_text(what: impl Into<Text>, todo: impl Into<Text>) -> El {
    el("div").class("empty").with(el("p").text(what)).with(el("p").class("hint").text(todo))
}

/// What is not shown, by reason; nothing when all is.
pub(crate) fn hidden_line(hidden: &IndexMap<String, u64>, lang: Lang) -> Option<El> {
    let words = lang.words();
    let say = |why: &str| {
        match why {
            "forgotten" => words.forgotten,
            "limit" => words.hidden_limit,
            "superseded" => words.fact_superseded,
            "retracted" => words.fact_retracted,
            "expired" => words.fact_expired,
            _ => return why.to_owned(),
        }
        .to_owned()
    };
    let list = hidden.iter().filter(|(_, n)| **n > 0);
    let list: Vec<_> = list.map(|(why, n)| format!("{} {}", say(why), number(*n, lang))).collect();
    (!list.is_empty()).then(|| hint("p", fill(lang.words().hidden_n, &[("list", &list.join(", "))])))
}

/// Code, or what is called by a name.
pub(crate) fn code(text: impl Into<Text>) -> El {
    el("code").text(text)
}

/// Something said quietly.
pub(crate) fn hint(tag: &'static str, text: impl Into<Text>) -> El {
    el(tag).class("hint").text(text)
}

/// A word that marks something.
pub(crate) fn mark(text: impl Into<Text>) -> El {
    el("span").class("mark").text(text)
}

/// A sign for the eye; words say the same beside it.
pub(crate) fn sign(text: impl Into<Text>) -> El {
    el("span").attr("aria-hidden", "true").text(text)
}

/// A small title.
pub(crate) fn title(text: impl Into<Text>) -> El {
    el("h3").text(text)
}

/// A gap that pushes what follows to the end.
pub(crate) fn gap() -> El {
    el("span").class("bar-gap")
}

/// A button that goes to a record.
pub(crate) fn seq_link(run: RunState, seq: u64, lang: Lang) -> El {
    let text = number(seq, lang);
    let label = fill(lang.words().show_record, &[("n", &text)]);
    el("button").class("seq-link num").attr("aria-label", label).text(text).on_click(move || run.jump(seq))
}

/// A table that scrolls sideways where it must.
pub(crate) fn table(label: &'static str, columns: &[&'static str], bodies: impl IntoIterator<Item = El>) -> El {
    let head = columns.iter().map(|column| el("th").attr("scope", "col").text(*column));
    el("div")
        .class("scroll-x")
        .attr("tabindex", "0")
        .attr("role", "region")
        .attr("aria-label", label)
        .with(el("table").class("table").with(el("thead").with(el("tr").all(head))).all(bodies))
}

/// What opens on demand.
pub(crate) fn more(summary: impl Into<Text>, inner: El) -> El {
    el("details").class("more").with(el("summary").text(summary)).with(inner)
}

/// Text as it is, in a box that scrolls.
pub(crate) fn source(text: impl Into<Text>) -> El {
    el("pre").class("code").attr("tabindex", "0").text(text)
}

/// A name and what belongs to it.
pub(crate) fn pair(name: impl Into<Text>, value: El) -> El {
    el("div").with(el("dt").text(name)).with(value)
}

/// A value as a list of names and values; what is nested deeper stands as text.
pub(crate) fn value_tree(value: &Value) -> El {
    match value {
        Value::Map(map) if !map.is_empty() => {
            let pairs = map.iter().map(|(name, value)| pair(name.clone(), el("dd").with(leaf(value))));
            el("dl").class("pairs tree").all(pairs)
        }
        other => leaf(other),
    }
}

fn leaf(value: &Value) -> El {
    match value {
        Value::Map(_) | Value::List(_) => {
            let line = value.to_json();
            if line.chars().count() <= LEAF_CHARS {
                return el("code").class("json").text(line);
            }
            let summary = el("summary").with(el("code").class("json").text(cut(&line, LEAF_CHARS)));
            el("details").class("more").with(summary).with(source(json::write_pretty(value)))
        }
        Value::Text(text) => el("span").class("text").text(text.clone()),
        plain => el("code").class("json").text(plain.to_json()),
    }
}
