//! Opening a journal, giving it a demo's files, emptying it, replacing it by a file.

use std::sync::Arc;

use leptos::prelude::*;
use throughline_protocol::session::{Export, Import};
use throughline_protocol::view::{DocumentRow, DomainView, Status};
use throughline_protocol::{Refusal, query};
use throughline_value::{Value, json};

use super::state::{RunState, Stage};
use crate::app::{Confirm, Notice};
use crate::bridge;
use crate::demo::{self, Demo};
use crate::files::{self, Picked};
use crate::session::{Options, Session, delete};
use crate::settings;
use crate::ui::Message;

/// The name under which a file is tried in memory before it may replace anything.
const TRIAL: &str = "throughline-trial";

/// How a journal is opened.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct How {
    /// Nothing is saved.
    pub(crate) in_memory: bool,
    /// An empty journal stays empty, also when it is a demo's: a person has just emptied it.
    pub(crate) leave_empty: bool,
}

/// Opens the journal of this page.
pub(crate) fn open(run: RunState, how: How) {
    run.stage.set(Stage::Opening);
    run.app.work(async move {
        let opened = try_open(run, how).await;
        finish(run, opened);
    });
}

/// Opens it again after the engine stopped.
pub(crate) fn reopen(run: RunState) {
    run.app.untell("session");
    let old = run.set_session(None);
    run.app.work(async move {
        if let Some(old) = old {
            old.close().await;
        }
        run.reset();
        open(run, How::default());
    });
}

fn finish(run: RunState, opened: Result<(), Refusal>) {
    if run.stage.is_disposed() {
        return;
    }
    run.stage.set(match opened {
        Ok(()) => Stage::Ready,
        Err(refusal) => Stage::Failed(refusal),
    });
}

async fn try_open(run: RunState, how: How) -> Result<(), Refusal> {
    let name = run.name.get_value();
    let demo = demo::of_journal(&name).await?.map(Arc::new);
    let start = demo.as_ref().map(|demo| demo.clock);
    // Until the last record is known the clock stands at the start, so that nothing fires too early.
    let options = Options { name: &name, in_memory: how.in_memory, clock: Some(start.unwrap_or(0)) };
    let session = Session::open(options, move |seq, foreign| run.changed(seq, foreign)).await?;
    if run.stage.is_disposed() {
        session.close().await;
        return Ok(());
    }
    run.set_session(Some(session.clone()));
    run.demo.set(demo.clone());
    run.demo_id.set(demo.as_ref().map(|demo| demo.id.clone()));
    let status: Status = session.ask(query::Status {}).await?;
    tell_fate(run, how, &name, status.seq);
    #[expect(clippy::cast_possible_truncation, reason = "milliseconds since 1970 fit")]
    let now = status.recorded_at.or(start).unwrap_or_else(|| js_sys::Date::now() as i64);
    run.set_clock(&session, now).await?;
    if let Some(demo) = demo {
        demo.load_cassette(&session).await?;
        let fresh = status.seq == 0;
        if !(fresh && how.leave_empty) && (fresh || !has_files(&demo, &session).await?) {
            run.stage.try_set(Stage::LoadingDemo);
            demo.load(&session).await?;
        }
    }
    let domain = session.ask::<DomainView>(query::DomainQuery::default()).await.ok();
    let zone = domain.as_ref().and_then(|domain| domain.document.get("zone")?.as_str()).unwrap_or_default();
    bridge::set_zone(zone);
    run.refresh_now().await
}

/// Says what a person should know about where the journal is kept.
fn tell_fate(run: RunState, how: How, name: &str, records: u64) {
    let notice = |key, message| Notice { key, bad: true, message, refusal: None, action: None };
    run.app.untell("removed");
    run.app.untell("unsaved");
    if how.in_memory {
        run.app.tell(notice("unsaved", Message::plain(|w| w.not_saved)));
    } else if records == 0 && settings::sentinel(name) > 0 {
        let seen = settings::sentinel(name);
        run.app.tell(notice("removed", Message::plain(|w| w.data_removed).with("n", seen)));
        settings::keep_sentinel(name, 0);
    }
}

/// Whether the journal has the demo's rules and documents. A document that has grown since is the journal's own.
async fn has_files(demo: &Demo, session: &Session) -> Result<bool, Refusal> {
    let domain = session.ask::<DomainView>(query::DomainQuery::default()).await;
    let Ok(domain) = domain else { return Ok(false) };
    if domain.document != json::read_value(&demo.domain_text().await?)? {
        return Ok(false);
    }
    let rows: Vec<DocumentRow> = session.ask(query::Documents::default()).await?;
    Ok(demo.documents.iter().all(|document| rows.iter().any(|row| row.name == document.name)))
}

/// Gives an empty demo journal its files again.
pub(crate) fn load_demo(run: RunState) {
    run.app.work(async move {
        let (Some(session), Some(demo)) = (run.session(), run.demo.get_untracked()) else { return };
        run.stage.set(Stage::LoadingDemo);
        let loaded = async {
            run.set_clock(&session, demo.clock).await?;
            demo.load(&session).await?;
            run.refresh_now().await
        };
        let loaded = loaded.await;
        finish(run, loaded);
    });
}

/// Saves the journal as one file.
pub(crate) fn export(run: RunState) {
    run.app.work(async move {
        let Some(session) = run.session() else { return };
        match session.call(Export {}).await {
            Ok(value) => {
                let text = value.get("text").and_then(Value::as_str).unwrap_or_default();
                bridge::download(&format!("{}.throughline.jsonl", run.name.get_value()), text);
            }
            Err(refusal) => run.app.tell_refusal(refusal),
        }
    });
}

/// Empties the journal, once a person has said yes.
pub(crate) fn clear(run: RunState) {
    let yes = Callback::new(move |()| {
        run.app.work(async move {
            if let Err(refusal) = empty(run).await {
                run.app.tell_refusal(refusal);
            }
            open(run, How { leave_empty: true, in_memory: false });
        });
    });
    run.app.confirm.set(Some(Confirm {
        title: Message::plain(|w| w.clear_title).with("name", run.name.get_value()),
        text: Message::plain(|w| w.clear_text).with("n", run.head.get_untracked()),
        verb: |w| w.clear,
        yes,
    }));
}

/// Closes the session and removes what is stored.
async fn empty(run: RunState) -> Result<(), Refusal> {
    run.stage.set(Stage::Opening);
    if let Some(session) = run.set_session(None) {
        session.close().await;
    }
    run.reset();
    let name = run.name.get_value();
    settings::keep_sentinel(&name, 0);
    delete(&name).await
}

/// Replaces the journal by a file that a person chooses.
pub(crate) fn import(run: RunState) {
    files::choose(run.app, Callback::new(move |picked: Picked| try_file(run, picked)));
}

/// Tries the file in memory, so that a bad one costs nothing, then asks, then replaces.
fn try_file(run: RunState, picked: Picked) {
    run.app.work(async move {
        let tried = async {
            let trial = Session::open(Options { name: TRIAL, in_memory: true, clock: Some(0) }, |_, _| {}).await?;
            let imported = trial.call(Import { text: picked.text.clone() }).await;
            trial.close().await;
            imported
        };
        if let Err(refusal) = tried.await {
            run.app.tell(Notice {
                key: "file",
                bad: true,
                message: Message::plain(|w| w.file_failed).with("name", &picked.name),
                refusal: Some(refusal),
                action: None,
            });
            return;
        }
        run.app.untell("file");
        let head = run.head.get_untracked();
        if head == 0 {
            replace(run, picked.text);
            return;
        }
        let text = picked.text;
        run.app.confirm.set(Some(Confirm {
            title: Message::plain(|w| w.import_title),
            text: Message::plain(|w| w.import_text).with("n", head).with("name", run.name.get_value()),
            verb: |w| w.import_do,
            yes: Callback::new(move |()| replace(run, text.clone())),
        }));
    });
}

fn replace(run: RunState, text: String) {
    run.app.work(async move {
        let replaced = async {
            empty(run).await?;
            let name = run.name.get_value();
            let session = Session::open(Options { name: &name, in_memory: false, clock: Some(0) }, |_, _| {}).await?;
            let imported = session.call(Import { text }).await;
            session.close().await;
            imported.map(|_| ())
        };
        if let Err(refusal) = replaced.await {
            run.app.tell_refusal(refusal);
        }
        open(run, How { leave_empty: true, in_memory: false });
    });
}
