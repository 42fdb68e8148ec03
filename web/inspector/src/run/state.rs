//! The state of a run page: its session, the journal's columns, and the record a person looks at.

use std::sync::Arc;

use leptos::prelude::*;
use throughline_protocol::session::SetClock;
use throughline_protocol::view::{Evidence, Status, Timeline};
use throughline_protocol::{Meta, Refusal, query};
use throughline_value::Value;

use super::columns::Columns;
use crate::app::{AppState, Notice};
use crate::demo::Demo;
use crate::focus::{Focus, View};
use crate::later;
use crate::session::{Session, command};
use crate::settings;
use crate::ui::Message;

/// How far the journal is open.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stage {
    /// The engine reads it.
    Opening,
    /// The demo's files go in.
    LoadingDemo,
    /// It is open.
    Ready,
    /// It could not be opened.
    Failed(Refusal),
}

/// What a value rests on, shown in its documents.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename = "open", default)]
pub(crate) struct Shown {
    /// The value, where there is one.
    pub(crate) value: String,
    /// The evidence.
    pub(crate) evidence: Vec<Evidence>,
    /// The record at which the documents are read.
    pub(crate) at: u64,
}

/// The state of a run page; a copy is the same state.
#[derive(Clone, Copy)]
pub(crate) struct RunState {
    /// The page's.
    pub(crate) app: AppState,
    /// The journal's name.
    pub(crate) name: StoredValue<String>,
    /// How far it is open.
    pub(crate) stage: RwSignal<Stage>,
    /// Grows when the journal was replaced by another.
    pub(crate) epoch: RwSignal<u32>,
    /// The newest record.
    pub(crate) head: RwSignal<u64>,
    /// The record a person looks at.
    pub(crate) at: Memo<u64>,
    /// Whether that is the newest one, whichever comes.
    pub(crate) follows: Memo<bool>,
    /// The view beside the timeline.
    pub(crate) view: Memo<View>,
    /// Whether a turn goes on.
    pub(crate) busy: RwSignal<bool>,
    /// Every record's place on the timeline.
    pub(crate) columns: StoredValue<Columns>,
    /// Grows when the columns do.
    pub(crate) columns_version: RwSignal<u32>,
    /// The demo it belongs to.
    pub(crate) demo: RwSignal<Option<Arc<Demo>>>,
    /// The demo's id, also in a large view.
    pub(crate) demo_id: RwSignal<Option<String>>,
    /// The session's own clock.
    pub(crate) clock: RwSignal<Option<i64>>,
    /// Whether it plays.
    pub(crate) playing: RwSignal<bool>,
    /// The evidence that is shown.
    pub(crate) shown: RwSignal<Option<Shown>>,
    /// The words that filter the records.
    pub(crate) filter: RwSignal<String>,
    session: StoredValue<Option<Session>, LocalStorage>,
    refreshing: StoredValue<Refresh>,
}

#[derive(Clone, Copy, Default, PartialEq)]
enum Refresh {
    #[default]
    Idle,
    Running,
    /// More came while it ran.
    Again,
}

/// The run page's state.
pub(crate) fn use_run() -> RunState {
    expect_context()
}

impl RunState {
    /// A run page for the journal of this name.
    pub(crate) fn new(app: AppState, name: String) -> Self {
        let head = RwSignal::new(0);
        let wanted = Memo::new(move |_| app.focus.with(|focus| focus.seq));
        Self {
            app,
            name: StoredValue::new(name),
            stage: RwSignal::new(Stage::Opening),
            epoch: RwSignal::new(0),
            head,
            at: Memo::new(move |_| wanted.get().map_or(head.get(), |seq| seq.min(head.get()))),
            follows: Memo::new(move |_| wanted.get().is_none_or(|seq| seq >= head.get())),
            view: Memo::new(move |_| app.focus.with(|focus| focus.view)),
            busy: app.agent_busy,
            columns: StoredValue::new(Columns::default()),
            columns_version: RwSignal::new(0),
            demo: RwSignal::new(None),
            demo_id: RwSignal::new(None),
            clock: RwSignal::new(None),
            playing: RwSignal::new(false),
            shown: RwSignal::new(None),
            filter: RwSignal::new(String::new()),
            session: StoredValue::new_local(None),
            refreshing: StoredValue::new(Refresh::Idle),
        }
    }

    /// The session, when the journal is open and the page still there.
    pub(crate) fn session(self) -> Option<Session> {
        self.session.try_get_value().flatten()
    }

    /// Takes a session; whoever was here before is given back to be closed.
    pub(crate) fn set_session(self, session: Option<Session>) -> Option<Session> {
        let old = self.session();
        self.session.try_set_value(session);
        old
    }

    /// Looks at a record on purpose: the back button comes back from it.
    pub(crate) fn jump(self, seq: u64) {
        self.playing.set(false);
        self.app.go(self.focus_at(seq));
    }

    /// Looks at a record in passing.
    pub(crate) fn scrub(self, seq: u64) {
        self.app.look(self.focus_at(seq));
    }

    /// Looks so many records further or back.
    pub(crate) fn step(self, by: i64) {
        let at = self.at.get_untracked();
        self.scrub(
            at.saturating_add_signed(by).clamp(u64::from(self.head.get_untracked() > 0), self.head.get_untracked()),
        );
    }

    /// Shows a view.
    pub(crate) fn show(self, view: View) {
        let focus = self.app.focus.get_untracked();
        self.app.go(Focus { view, ..focus });
    }

    fn focus_at(self, seq: u64) -> Focus {
        let focus = self.app.focus.get_untracked();
        let seq = if seq >= self.head.get_untracked() { None } else { Some(seq) };
        Focus { seq, ..focus }
    }

    /// Follows the newest record.
    pub(crate) fn follow(self) {
        self.scrub(u64::MAX);
    }

    /// Runs a command and takes in what it did.
    pub(crate) async fn execute(self, command: &Value) -> Result<Value, Refusal> {
        let Some(session) = self.session() else { return Err(Refusal::new("closed", "the journal is not open")) };
        let result = session.execute(command, Meta::default()).await;
        let refreshed = self.refresh_now().await;
        refreshed?;
        result
    }

    /// Asks the agent.
    pub(crate) fn ask(self, text: String) {
        let language = crate::i18n::Lang::of_text(&text).tag();
        let command = command("begin_turn", &[("text", Value::from(text)), ("language", Value::from(language))]);
        self.act(vec![command]);
    }

    /// Runs commands one after the other, looking at the newest record; the first refusal is told and ends it.
    pub(crate) fn act(self, commands: Vec<Value>) {
        self.app.untell("refusal");
        self.follow();
        self.app.work(async move {
            for command in commands {
                if let Err(refusal) = self.execute(&command).await {
                    self.tell(refusal);
                    return;
                }
            }
        });
    }

    /// Moves the session's own clock; what is due then fires.
    pub(crate) fn advance(self, by: i64) {
        self.app.untell("refusal");
        self.follow();
        self.app.work(async move {
            let Some(session) = self.session() else { return };
            let moved = session.call(SetClock { now: None, advance: Some(by) }).await;
            let refreshed = self.refresh_now().await;
            match refreshed.and(moved) {
                Ok(value) => {
                    self.clock.try_set(value.get("now").and_then(Value::as_i64));
                }
                Err(refusal) => self.tell(refusal),
            }
        });
    }

    /// The journal grew up to this record, by this page or by another tab's.
    pub(crate) fn changed(self, seq: u64, foreign: bool) {
        if self.stage.is_disposed() {
            return;
        }
        let opening = self.stage.with_untracked(|stage| *stage != Stage::Ready);
        if foreign && !opening && seq > self.head.get_untracked() {
            let message = Message::plain(|w| w.other_tab);
            self.app.tell(Notice { key: "other", bad: false, message, refusal: None, action: None });
        }
        self.refresh();
    }

    /// Tells a refusal; one that ends the session comes with the way out.
    pub(crate) fn tell(self, refusal: Refusal) {
        if self.stage.is_disposed() {
            return;
        }
        if later::told("refusal", || crate::session::raw(&refusal)) {
            return;
        }
        if !matches!(refusal.code.as_str(), "engine-crashed" | "engine-not-loaded" | "session-closed") {
            self.app.tell_refusal(refusal);
            return;
        }
        self.busy.set(false);
        self.app.tell(Notice {
            key: "session",
            bad: true,
            message: Message::plain(|w| w.session_failed),
            refusal: Some(refusal),
            action: Some((|w| w.reopen, Callback::new(move |()| super::open::reopen(self)))),
        });
    }

    /// Takes in what is new in the journal.
    pub(crate) fn refresh(self) {
        if self.stage.is_disposed() {
            return;
        }
        if self.refreshing.get_value() != Refresh::Idle {
            self.refreshing.set_value(Refresh::Again);
            return;
        }
        self.app.work(async move {
            if let Err(refusal) = self.refresh_now().await {
                self.refreshing.try_set_value(Refresh::Idle);
                self.tell(refusal);
            }
        });
    }

    /// As [`Self::refresh`], and waits for it.
    pub(crate) async fn refresh_now(self) -> Result<(), Refusal> {
        // The shell tells a large view what is new.
        if later::told("refresh", String::new) {
            return Ok(());
        }
        let Some(session) = self.session() else { return Ok(()) };
        self.refreshing.set_value(Refresh::Running);
        loop {
            let epoch = self.epoch.get_untracked();
            let from = self.columns.with_value(Columns::next);
            let timeline: Timeline = session.ask(query::Timeline { from }).await?;
            let status: Status = session.ask(query::Status {}).await?;
            if self.stage.is_disposed() || self.epoch.get_untracked() != epoch {
                return Ok(());
            }
            let grew = self.columns.try_update_value(|columns| columns.append(&timeline)).unwrap_or(false);
            if grew {
                self.columns_version.update(|n| *n += 1);
            }
            let head = self.columns.with_value(Columns::head);
            if head != self.head.get_untracked() {
                settings::keep_sentinel(&self.name.get_value(), head);
                self.head.set(head);
            }
            let busy = status.busy.is_some();
            if busy != self.busy.get_untracked() {
                self.busy.set(busy);
            }
            if self.refreshing.get_value() != Refresh::Again {
                break;
            }
            self.refreshing.set_value(Refresh::Running);
        }
        self.refreshing.set_value(Refresh::Idle);
        Ok(())
    }

    /// Forgets everything of the journal that was here.
    pub(crate) fn reset(self) {
        self.epoch.update(|n| *n += 1);
        self.refreshing.set_value(Refresh::Idle);
        self.columns.set_value(Columns::default());
        self.columns_version.update(|n| *n += 1);
        self.busy.set(false);
        self.playing.set(false);
        self.head.set(0);
        self.shown.set(None);
        self.follow();
    }

    /// Sets the session's own clock.
    pub(crate) async fn set_clock(self, session: &Session, now: i64) -> Result<(), Refusal> {
        let value = session.call(SetClock { now: Some(now), advance: None }).await?;
        let now = value.get("now").and_then(Value::as_i64).unwrap_or(now);
        self.clock.try_set(Some(now));
        Ok(())
    }

    /// Shows what a value rests on.
    pub(crate) fn show_evidence(self, value: &str, evidence: &[Evidence], at: u64) {
        let shown = Shown { value: value.to_owned(), evidence: evidence.to_vec(), at };
        if !later::told("evidence", || crate::session::raw(&shown)) {
            self.shown.set(Some(shown));
        }
    }
}
