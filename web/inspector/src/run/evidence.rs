//! What a value rests on: a place in a document, shown in the document's own text.

use leptos::prelude::*;
use throughline_protocol::view::{DocumentView, Evidence};
use throughline_protocol::{Moment, Refusal, query};

use super::state::{RunState, Shown, use_run};
use crate::format::{cut, fill, short_hash};
use crate::i18n::Lang;
use crate::session::Session;
use crate::ui::{Modal, RefusalText};

/// How many characters of a quote stand in a list.
const QUOTE_CHARS: usize = 60;

/// The id of the highlighted place.
const PLACE: &str = "evidence-place";

/// A button that opens the evidence in its document.
pub(crate) fn link(run: RunState, evidence: &Evidence, at: u64, lang: Lang) -> impl IntoView + use<> {
    let opened = evidence.clone();
    let text = if evidence.document.is_empty() { evidence.method.clone() } else { evidence.document.clone() };
    let page = fill(lang.words().doc_page, &[("n", &evidence.page.to_string())]);
    let quote = cut(&evidence.quote, QUOTE_CHARS);
    if evidence.document.is_empty() {
        return view! { <span class="evidence plain"><span>{text}</span> <q>{quote}</q></span> }.into_any();
    }
    view! {
        <button class="evidence" on:click=move |_| run.show_evidence(&opened, at)>
            <span class="evidence-doc">{text}</span>
            <span class="hint">{page}</span>
            <q>{quote}</q>
        </button>
    }
    .into_any()
}

/// The document with the place highlighted.
#[component]
pub(crate) fn EvidenceDialog() -> impl IntoView {
    let run = use_run();
    let open = RwSignal::new(false);
    let document = RwSignal::new(None::<Result<DocumentView, Refusal>>);
    Effect::new(move |_| {
        let shown = run.shown.get();
        document.set(None);
        open.set(shown.is_some());
        let (Some(Shown { evidence, at }), Some(session)) = (shown, run.session()) else { return };
        run.app.work(async move {
            document.try_set(Some(find(&session, &evidence, at).await));
        });
    });
    Effect::new(move |_| {
        if !open.get() && run.shown.with_untracked(Option::is_some) {
            run.shown.set(None);
        }
    });
    Effect::new(move |_| {
        if document.with(Option::is_some) {
            request_animation_frame(|| {
                if let Some(place) = leptos::prelude::document().get_element_by_id(PLACE) {
                    place.scroll_into_view();
                }
            });
        }
    });
    let title = Signal::derive(move || {
        run.shown.with(|shown| shown.as_ref().map(|shown| shown.evidence.document.clone()).unwrap_or_default())
    });
    view! {
        <Modal open title wide=true>
            {move || {
                let lang = run.app.lang.get();
                let evidence = run.shown.get().map(|shown| shown.evidence).unwrap_or_default();
                match document.get() {
                    None => view! { <p class="hint">{lang.words().working}</p> }.into_any(),
                    Some(Err(refusal)) => {
                        view! { <p>{lang.words().doc_missing}</p> <RefusalText refusal/> }.into_any()
                    }
                    Some(Ok(document)) => text(&document, &evidence, lang),
                }
            }}
        </Modal>
    }
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

fn text(document: &DocumentView, evidence: &Evidence, lang: Lang) -> AnyView {
    let words = lang.words();
    let row = &document.row;
    let (start, end) = (evidence.span.start, evidence.span.end);
    let all = document.text.as_str();
    let parts = all.get(..start).zip(all.get(start..end)).zip(all.get(end..));
    let moved = (evidence.version != 0 && evidence.version != row.version)
        .then(|| view! { <p class="warn">{fill(words.doc_moved, &[("n", &row.version.to_string())])}</p> });
    let facts = [
        fill(words.doc_version, &[("n", &row.version.to_string())]),
        fill(words.doc_page, &[("n", &evidence.page.to_string())]),
        fill(words.doc_bytes, &[("start", &start.to_string()), ("end", &end.to_string())]),
        evidence.method.clone(),
    ];
    let text = match parts {
        Some(((before, quoted), after)) if end > start => view! {
            <pre class="document" tabindex="0">{before.to_owned()}<mark id=PLACE>{quoted.to_owned()}</mark>{after.to_owned()}</pre>
        }
        .into_any(),
        _ => view! { <pre class="document" tabindex="0">{all.to_owned()}</pre> }.into_any(),
    };
    view! {
        <p class="document-facts hint">
            {facts.join(" · ")} " · " <code class="hash">{short_hash(&row.hash)}</code>
        </p>
        {moved}
        {text}
    }
    .into_any()
}
