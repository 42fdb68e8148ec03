//! Reads all stored bytes again, replays them, and compares; and the digests at the record a person looks at.

use leptos::prelude::*;
use throughline_protocol::query;
use throughline_protocol::session::Verify;
use throughline_protocol::view::Digests;
use throughline_protocol::{Moment, Refusal};
use throughline_value::{Value, from_value};

use super::panel::{code, hint, pair, refused, title as heading};
use super::state::use_run;
use crate::dom::{El, el};
use crate::format::{fill, number};
use crate::i18n::{Lang, Words};
use crate::ui::modal;

/// What reading again gave.
#[derive(Clone)]
struct Verified {
    seq: u64,
    digests: Digests,
    fault: Option<Refusal>,
}

/// The dialog.
pub(crate) fn verify_dialog(open: RwSignal<bool>) -> AnyView {
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
    let hold = move |lang: Lang| {
        let words = lang.words();
        let mut out = verified.with(|verified| match verified {
            None => vec![hint("p", words.verify_running)],
            Some(Err(refusal) | Ok(Verified { fault: Some(refusal), .. })) => {
                let bad = el("p").class("bad-text").attr("role", "alert").text(words.verify_bad);
                vec![bad, refused(refusal, lang)]
            }
            Some(Ok(Verified { seq, digests, fault: None })) => {
                let line = fill(words.verify_ok, &[("n", &number(*seq, lang))]);
                let good = el("p").class("good").attr("role", "status").text(format!("✓ {line}"));
                vec![good, digest_list(digests, words)]
            }
        });
        if let Some(digests) = here.get().filter(|_| !run.follows.get()) {
            out.push(heading(fill(words.digests_at, &[("n", &number(digests.seq, lang))])));
            out.push(digest_list(&digests, words));
        }
        out
    };
    modal(open, true, |words| words.verify_title.to_owned(), hold)
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

fn digest_list(digests: &Digests, words: &'static Words) -> El {
    let rows = [
        ("chain", words.digest_chain, &digests.chain),
        ("history", words.digest_history, &digests.history),
        ("content", words.digest_content, &digests.content),
    ];
    let rows = rows.into_iter().map(|(name, word, digest)| {
        pair(word, el("dd").with(code(digest.clone()).class("hash").attr("data-digest", name)))
    });
    el("dl").class("digests").all(rows)
}
