//! Reads all stored bytes again, replays them, and compares; and the digests at the record a person looks at.

use leptos::prelude::*;
use throughline_protocol::query;
use throughline_protocol::session::Verify;
use throughline_protocol::view::Digests;
use throughline_protocol::{Moment, Refusal};
use throughline_value::{Value, from_value};

use super::state::use_run;
use crate::format::{fill, number};
use crate::i18n::Words;
use crate::ui::{Modal, RefusalText};

/// What reading again gave.
#[derive(Clone)]
struct Verified {
    seq: u64,
    digests: Digests,
    fault: Option<Refusal>,
}

/// The dialog.
#[component]
pub(crate) fn VerifyDialog(open: RwSignal<bool>) -> impl IntoView {
    let run = use_run();
    let verified = RwSignal::new(None::<Result<Verified, Refusal>>);
    let here = RwSignal::new(None::<Digests>);
    Effect::new(move |_| {
        if !open.get() {
            return;
        }
        verified.set(None);
        let Some(session) = run.session() else { return };
        let at = run.at.get_untracked();
        run.app.work(async move {
            let answer = session.call(Verify {}).await.map(|value| read(&value));
            verified.try_set(Some(answer));
            let digests = session.ask::<Digests>(query::Digests { at: Moment::seq(at) }).await;
            here.try_set(digests.ok());
        });
    });
    let title = Signal::derive(move || run.app.lang.get().words().verify_title.to_owned());
    view! {
        <Modal open title wide=true>
            {move || {
                let lang = run.app.lang.get();
                let words = lang.words();
                match verified.get() {
                    None => view! { <p class="hint" role="status">{words.verify_running}</p> }.into_any(),
                    Some(Err(refusal)) => bad(words, refusal),
                    Some(Ok(Verified { fault: Some(refusal), .. })) => bad(words, refusal),
                    Some(Ok(Verified { seq, digests, fault: None })) => {
                        let line = fill(words.verify_ok, &[("n", &number(seq, lang))]);
                        view! {
                            <p class="good" role="status">"✓ " {line}</p>
                            {digest_list(&digests, words)}
                        }
                        .into_any()
                    }
                }
            }}
            {move || {
                let lang = run.app.lang.get();
                let digests = here.get().filter(|_| !run.follows.get())?;
                let title = fill(lang.words().digests_at, &[("n", &number(digests.seq, lang))]);
                Some(view! { <h3>{title}</h3> {digest_list(&digests, lang.words())} })
            }}
        </Modal>
    }
}

fn read(value: &Value) -> Verified {
    let digests: Digests = value.get("digests").and_then(|v| from_value(v).ok()).unwrap_or_default();
    let fault = match value.get("error") {
        Some(Value::Null) | None => None,
        Some(error) => Some(from_value(error).unwrap_or_else(|_| Refusal::new("not-verified", error.to_json()))),
    };
    let ok = value.get("ok").and_then(Value::as_bool).unwrap_or(false);
    let fault = fault.or_else(|| (!ok).then(|| Refusal::new("not-verified", value.to_json())));
    let seq = value.get("seq").and_then(Value::as_i64).and_then(|seq| u64::try_from(seq).ok());
    Verified { seq: seq.unwrap_or(digests.seq), digests, fault }
}

fn bad(words: &'static Words, refusal: Refusal) -> AnyView {
    view! { <p class="bad-text" role="alert">{words.verify_bad}</p> <RefusalText refusal/> }.into_any()
}

fn digest_list(digests: &Digests, words: &'static Words) -> impl IntoView + use<> {
    let rows = [
        ("chain", words.digest_chain, digests.chain.clone()),
        ("history", words.digest_history, digests.history.clone()),
        ("content", words.digest_content, digests.content.clone()),
    ];
    view! {
        <dl class="digests">
            {rows
                .into_iter()
                .map(|(name, word, digest)| {
                    view! { <div><dt>{word}</dt><dd><code class="hash" data-digest=name>{digest}</code></dd></div> }
                })
                .collect_view()}
        </dl>
    }
}
