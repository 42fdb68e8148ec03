//! What is asked, and the bodies that it needs: read when wanted, let go of beyond the budget, and a snapshot of the
//! index for the next opening.

use std::rc::{Rc, Weak};

use throughline_engine::{Input, Memory, READ_FRAMES};
use throughline_journal::{Frame, Journal};
use throughline_protocol::session::Open;
use throughline_protocol::view::MemoryStatus;
use throughline_protocol::{Query, Refusal};
use throughline_value::{Value, json, to_value};

use super::{Running, poll_once, refusal};
use crate::{MAX_SNAPSHOT_BYTES, MEMORY_BUDGET, SNAPSHOT_PAUSE_MS, SNAPSHOT_ROWS};

/// How often one question may read bodies.
const MAX_ASKS: usize = 64;

impl Running {
    /// Answers a query. What it needs that is not here is read first.
    pub(crate) async fn query(&self, text: &str) -> Result<Value, Refusal> {
        self.asking.set(self.asking.get() + 1);
        let mut answer = self.ask_until_known(text).await;
        if let Ok(value) = &mut answer
            && is_status(text)
        {
            self.add_tiers(value);
        }
        self.asking.set(self.asking.get() - 1);
        self.cool();
        answer
    }

    async fn ask_until_known(&self, text: &str) -> Result<Value, Refusal> {
        for _ in 0..MAX_ASKS {
            self.folded().await;
            self.alive()?;
            _ = self.engine.borrow().take_missing();
            let answer = self.engine.borrow().query(self.now(), text);
            let frames = self.engine.borrow().take_missing();
            if frames.is_empty() {
                return answer;
            }
            self.read_frames(&frames).await?;
        }
        Err(Refusal::new(
            "not-resident",
            "what this needs is never all here at once; ask for less, or give more memory",
        ))
    }

    /// Reads the bodies of rows whose texts are not here, for as long as the budget lets them stay.
    pub(crate) async fn fetch_rows(&self, rows: &[u32]) -> Result<Value, Refusal> {
        self.asking.set(self.asking.get() + 1);
        let fetched = self.fetch(rows).await;
        self.asking.set(self.asking.get() - 1);
        fetched
    }

    async fn fetch(&self, rows: &[u32]) -> Result<Value, Refusal> {
        self.folded().await;
        self.alive()?;
        _ = self.engine.borrow().take_missing();
        self.with_memory(|memory| rows.iter().for_each(|row| _ = memory.row_text(*row)));
        let frames = self.engine.borrow().take_missing();
        self.read_frames(&frames).await?;
        let here = self.with_memory(|memory| rows.iter().filter(|row| memory.row_text(**row).is_some()).count());
        Ok(Value::from([("rows", here), ("frames", frames.len())]))
    }

    /// Reads bodies, some at a time, and gives them to the engine.
    async fn read_frames(&self, frames: &[u64]) -> Result<(), Refusal> {
        let mut away = self.engine.borrow_mut().to_read(frames);
        let before = self.read_until.replace(away.iter().max().copied().unwrap_or(self.read_until.get()));
        let ahead = self.engine.borrow().ahead(before, &away);
        self.read_until.set(ahead.last().copied().unwrap_or(self.read_until.get()));
        away.extend(ahead);
        for some in away.chunks(READ_FRAMES) {
            let read = self.store.frames(some).await.map_err(|error| refusal(&error))?;
            self.engine.borrow_mut().warm(read)?;
        }
        Ok(())
    }

    /// Reads what the engine asks for.
    pub(super) fn load_frames(&self, frames: Vec<u64>) {
        let (Some(this), store) = (self.this.upgrade(), Rc::clone(&self.store)) else { return };
        self.loading.set(true);
        let mut work = Box::pin(async move {
            let read = store.frames(&frames).await;
            this.loading.set(false);
            match read {
                Ok(frames) => this.give(Input::Loaded { frames }),
                Err(error) => this.fail(refusal(&error)),
            }
        });
        if poll_once(&mut work).is_pending() {
            self.host.spawn(work);
        }
    }

    /// Looks at the journal with all its bodies.
    pub(crate) async fn with_whole_journal<T>(&self, look: impl FnOnce(&Journal) -> T) -> Result<T, Refusal> {
        self.folded().await;
        self.alive()?;
        if !self.with_journal(|journal| journal.frames().iter().any(Frame::is_cold)) {
            return Ok(self.with_journal(look));
        }
        let whole = self.store.salvage().await.and_then(throughline_store::Salvaged::whole);
        whole.map(|journal| look(&journal)).map_err(|error| refusal(&error))
    }

    /// What the session is, when it is folded.
    pub(crate) async fn status(&self) -> Result<Value, Refusal> {
        self.query(r#"{"type":"status"}"#).await
    }

    /// Waits until the journal is folded.
    pub(crate) async fn folded(&self) {
        while self.engine.borrow().is_folding() && self.alive().is_ok() {
            self.settled().await;
        }
    }

    /// Lets go of what is beyond the budget, when nothing needs it.
    pub(super) fn cool(&self) {
        if self.asking.get() == 0 && !self.erasing.get() && !self.snapping.get() {
            self.engine.borrow_mut().cool();
        }
    }

    /// Writes a snapshot some time after many events came, while nothing goes on.
    pub(super) fn plan_snapshot(&self) {
        let rows = self.with_memory(Memory::row_count);
        let new = rows.saturating_sub(self.snapped.get());
        let enough = new >= SNAPSHOT_ROWS.max(self.snapped.get() / 2);
        if !enough || self.is_read_only() || self.snap_timer.borrow().is_some() {
            return;
        }
        let this = Weak::clone(&self.this);
        let ring = move || {
            let Some(this) = this.upgrade() else { return };
            let timer = this.snap_timer.borrow_mut().take();
            drop(timer);
            if this.with_memory(Memory::row_count) != rows {
                // More came meanwhile, and more may come: a snapshot of half an import is for nothing.
                this.plan_snapshot();
            } else if this.is_settled() {
                let host = Rc::clone(&this.host);
                host.spawn(Box::pin(async move { this.write_snapshot().await }));
            }
        };
        let timer = self.host.later(SNAPSHOT_PAUSE_MS, Box::new(ring));
        *self.snap_timer.borrow_mut() = Some(timer);
    }

    /// Writes a snapshot of the memory, unless there is nothing new. One that cannot be written is missed by nobody.
    pub(super) async fn write_snapshot(&self) {
        let rows = self.with_memory(Memory::row_count);
        if self.is_read_only() || self.alive().is_err() || self.snapping.replace(true) {
            return;
        }
        let made = self.engine.borrow().snapshot();
        if made.as_ref().is_some_and(|(_, bytes)| bytes.len() > MAX_SNAPSHOT_BYTES) {
            // Nor is it tried again before there is half as much more.
            self.snapped.set(rows);
        } else if let Some((head, bytes)) = made
            && self.store.put_snapshot(&head, &bytes).await == Ok(true)
        {
            self.snapped.set(rows);
        }
        self.snapping.set(false);
    }

    /// What is known of bodies: resident, cold, read, and whether a snapshot was used.
    pub(crate) fn add_tiers(&self, status: &mut Value) {
        let engine = self.engine.borrow();
        let (read, snapshot) = engine.bodies_read();
        let memory = engine.memory();
        let tiers = MemoryStatus {
            budget: budget(&self.open) as u64,
            resident_bytes: memory.resident_bytes(),
            cold_bytes: memory.cold_bytes(),
            bodies_read: read,
            from_snapshot: snapshot,
            summaries_bytes: memory.kept_bytes(),
        };
        if let (Value::Map(map), Ok(tiers)) = (status, to_value(&tiers)) {
            map.insert("memory".to_owned(), tiers);
        }
    }
}

/// Whether a query asks what the session is.
fn is_status(text: &str) -> bool {
    let is = |node: &json::Node| matches!(Query::from_node(node), Ok(Query::Status(_)));
    text.contains("\"status\"") && json::read(text).is_ok_and(|node| is(&node))
}

/// How many bytes of bodies are held.
pub(super) fn budget(open: &Open) -> usize {
    open.memory_budget.map_or(MEMORY_BUDGET, |bytes| usize::try_from(bytes).unwrap_or(usize::MAX))
}
