//! What a value rests on: a place in a document, shown in the document's own text.

use leptos::prelude::*;
use throughline_protocol::view::{DocumentView, Evidence};
use throughline_protocol::{Moment, Refusal, query};
use throughline_value::json;
use wasm_bindgen::JsCast as _;

use super::panel::{code, hint, refused};
use super::state::{RunState, Shown, use_run};
use crate::dom::{El, Text, el};
use crate::format::{cut, fill, short_hash};
use crate::i18n::{Lang, Words};
use crate::session::Session;
use crate::ui::modal;

/// How many characters of a quote stand in a list.
const QUOTE_CHARS: usize = 60;

/// A button that opens the evidence in its document.
pub(crate) fn link(run: RunState, evidence: &Evidence, at: u64, lang: Lang) -> El {
    let opened = [evidence.clone()];
    let plain = evidence.document.is_empty();
    let place = if plain { &evidence.method } else { &evidence.document };
    let page = (!plain).then(|| hint("span", fill(lang.words().doc_page, &[("n", &evidence.page.to_string())])));
    el("button")
        .class("evidence")
        .with(el("span").class("evidence-doc").text(place.clone()))
        .maybe(page)
        .with(el("q").text(cut(&evidence.quote, QUOTE_CHARS)))
        .on_click(move || run.show_evidence("", &opened, at))
}

/// A piece of evidence with its document, once that is found; no document for what is none.
type Found = (Evidence, Option<Result<DocumentView, Refusal>>);

/// What a value rests on, each place highlighted in its document.
pub(crate) fn evidence_dialog() -> AnyView {
    let run = use_run();
    let open = RwSignal::new(false);
    let found = RwSignal::new(None::<Vec<Found>>);
    Effect::new(move |_| {
        let shown = run.shown.get();
        found.set(None);
        open.set(shown.is_some());
        let (Some(Shown { evidence, at, .. }), Some(session)) = (shown, run.session()) else { return };
        run.app.work(async move {
            let mut all = Vec::new();
            for evidence in evidence {
                let document =
                    if evidence.document.is_empty() { None } else { Some(find(&session, &evidence, at).await) };
                all.push((evidence, document));
            }
            found.try_set(Some(all));
        });
    });
    Effect::new(move |_| {
        if !open.get() && run.shown.with_untracked(Option::is_some) {
            run.shown.set(None);
        }
    });
    Effect::new(move |_| {
        if found.with(Option::is_some) {
            request_animation_frame(show_places);
        }
    });
    let title = move |words: &'static Words| {
        run.shown.with(|shown| match shown {
            Some(shown) if !shown.value.is_empty() => fill(words.rests_on, &[("value", &shown.value)]),
            _ => words.evidence.to_owned(),
        })
    };
    let hold = move |lang: Lang| {
        found.with(|found| match found {
            None => vec![hint("p", lang.words().working)],
            Some(all) => all.iter().flat_map(|(evidence, document)| place(evidence, document.as_ref(), lang)).collect(),
        })
    };
    modal(open, true, title, hold)
}

/// Brings the highlighted place of each document to the middle of its text.
fn show_places() {
    let marks = document().query_selector_all("dialog[open] .document mark").ok();
    let Some(marks) = marks else { return };
    for at in 0..marks.length() {
        let mark = marks.item(at).and_then(|node| node.dyn_into::<web_sys::HtmlElement>().ok());
        let text = mark.as_ref().and_then(|mark| mark.parent_element());
        let (Some(mark), Some(text)) = (mark, text) else { continue };
        let top = mark.get_bounding_client_rect().top() - text.get_bounding_client_rect().top();
        let middle = top - f64::from(text.client_height()) / 2.0;
        #[expect(clippy::cast_possible_truncation, reason = "pixels of one element")]
        text.set_scroll_top(middle as i32);
    }
}

fn place(evidence: &Evidence, document: Option<&Result<DocumentView, Refusal>>, lang: Lang) -> Vec<El> {
    match document {
        None => {
            let quote = json::read_value(&evidence.quote);
            let quote = quote.map_or_else(|_| evidence.quote.clone(), |value| json::write_pretty(&value));
            vec![heading(&evidence.method), page().text(quote)]
        }
        Some(Err(refusal)) => {
            let missing = el("p").text(lang.words().doc_missing);
            vec![heading(&evidence.document), missing, refused(refusal, lang)]
        }
        Some(Ok(document)) => text(document, evidence, lang),
    }
}

fn heading(name: &str) -> El {
    el("h3").class("document-title").text(name.to_owned())
}

fn page() -> El {
    el("pre").class("document").attr("tabindex", "0")
}

/// The document as it was at the record; when it has another version there, the newest one is told apart by its number.
async fn find(session: &Session, evidence: &Evidence, at: u64) -> Result<DocumentView, Refusal> {
    let query = |at| query::Document { name: evidence.document.clone(), at };
    let found: DocumentView = session.ask(query(Moment::seq(at))).await?;
    if evidence.version == 0 || found.row.version == evidence.version {
        return Ok(found);
    }
    // The versions before are found by walking back through the records that added them.
    let mut newest = found.clone();
    while newest.row.version > evidence.version && newest.row.seq > 1 {
        newest = session.ask(query(Moment::seq(newest.row.seq - 1))).await?;
    }
    Ok(if newest.row.version == evidence.version { newest } else { found })
}

fn text(document: &DocumentView, evidence: &Evidence, lang: Lang) -> Vec<El> {
    let words = lang.words();
    let row = &document.row;
    let (start, end) = (evidence.span.start, evidence.span.end);
    let all = document.text.as_str();
    let parts = all.get(..start).zip(all.get(start..end)).zip(all.get(end..));
    let moved = (evidence.version != 0 && evidence.version != row.version)
        .then(|| el("p").class("warn").text(fill(words.doc_moved, &[("n", &row.version.to_string())])));
    let facts = [
        fill(words.doc_version, &[("n", &row.version.to_string())]),
        fill(words.doc_page, &[("n", &evidence.page.to_string())]),
        fill(words.doc_bytes, &[("start", &start.to_string()), ("end", &end.to_string())]),
        evidence.method.clone(),
    ];
    let owned = |text: &str| Text::from(text.to_owned());
    let text = match parts {
        Some(((before, quoted), after)) if end > start => {
            page().text(owned(before)).with(el("mark").text(owned(quoted))).text(owned(after))
        }
        _ => page().text(owned(all)),
    };
    let facts = el("p")
        .class("document-facts hint")
        .text(format!("{} · ", facts.join(" · ")))
        .with(code(short_hash(&row.hash)).class("hash"));
    [heading(&row.name), facts].into_iter().chain(moved).chain([text]).collect()
}
