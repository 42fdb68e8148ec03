//! The journal in the browser's database.
//!
//! One database for all journals, with three stores that never change: `meta`, `segments`, `snapshots`. The
//! bytes carry their own format, so the database's version stays 1 for life and no tab ever blocks another
//! one's upgrade. Resetting clears stores and never deletes the database, for the same reason.

mod append;
mod connection;
mod read;
mod sentinel;
mod transaction;

use std::cell::RefCell;

use js_sys::{Array, Uint8Array};
use throughline_journal::{Frame, Head, Journal, genesis};
use wasm_bindgen::JsValue;

use crate::load::{self, load_with};
use crate::meta::Meta;
use crate::snapshot::{self, Snapshot};
use crate::{Appended, Listing, Pending, Salvaged, Store, StoreError};
use append::Write;
use connection::Connection;
use sentinel::Sentinel;

/// The name of the database.
const DATABASE: &str = "throughline";

const META: &str = "meta";
const SEGMENTS: &str = "segments";
const SNAPSHOTS: &str = "snapshots";

/// How safely a commit is put down before it counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// On the medium: it survives a loss of power.
    #[default]
    Strict,
    /// With the operating system: it survives the end of the browser.
    Relaxed,
}

impl Durability {
    fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Relaxed => "relaxed",
        }
    }
}

/// A journal in the browser's database.
#[derive(Debug)]
pub struct IndexedDb {
    name: String,
    id: RefCell<String>,
    connection: Connection,
    sentinel: Sentinel,
    durability: Durability,
}

/// The key of the segment that starts with this frame.
fn key(name: &str, first: u64) -> JsValue {
    // Frame numbers are far below 2^53.
    #[expect(clippy::cast_precision_loss, reason = "frame numbers are far below 2^53")]
    let number = JsValue::from(first as f64);
    Array::of2(&name.into(), &number).into()
}

/// The key of the snapshot; the bodies that lie apart are under numbers.
fn snapshot_key(name: &str) -> JsValue {
    Array::of2(&name.into(), &"memory".into()).into()
}

/// Every segment of this name, from the one that starts with this frame on. Lists come after all numbers.
fn keys_from(name: &str, first: u64) -> Result<idb::KeyRange, StoreError> {
    let end = Array::of2(&name.into(), &Array::new());
    idb::KeyRange::bound(&key(name, first), &end, None, None).map_err(|e| StoreError::Failed(e.to_string()))
}

impl IndexedDb {
    /// The journal of this name.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self::with(name, Durability::default())
    }

    /// The journal of this name, put down as safely as `durability` says.
    #[must_use]
    pub fn with(name: impl Into<String>, durability: Durability) -> Self {
        let name = name.into();
        Self {
            sentinel: Sentinel::new(&name),
            name,
            id: RefCell::default(),
            connection: Connection::new(DATABASE),
            durability,
        }
    }

    /// Every journal in this browser's database, by name.
    ///
    /// # Errors
    /// When the database cannot be opened or read.
    pub async fn list() -> Result<Vec<Listing>, StoreError> {
        let connection = Connection::new(DATABASE);
        let found = read::every_meta(&connection).await;
        connection.close();
        Ok(found?.iter().map(|(name, meta)| Listing::of(name, meta)).collect())
    }

    async fn read(&self, whole: bool) -> Result<Option<Salvaged>, StoreError> {
        let found = read::journal(&self.connection, &self.name, 0, whole.then_some(0)).await?;
        let segments = || found.segments.iter().map(|(first, bytes)| (*first, bytes.as_slice()));
        match &found.meta {
            Some(meta) => load_with(meta, segments(), whole.then_some(&found.bodies)).map(Some),
            None if found.segments.is_empty() => Ok(None),
            None => Err(load::no_meta()),
        }
    }

    async fn open_or_make(&self, fresh: &str) -> Result<Journal, StoreError> {
        let mut found = self.read(false).await?;
        if found.is_none() {
            // Only now that nothing was found is it worth asking whether something should have been.
            if let Some((id, seq)) = self.sentinel.read().await {
                return Err(StoreError::Wiped { id, seq });
            }
            self.write(&Write::Create { meta: Meta::of(&Journal::new(fresh)) }).await?;
            found = self.read(false).await?;
        }
        let journal = found.ok_or(StoreError::Gone)?.whole()?;
        journal.id().clone_into(&mut self.id.borrow_mut());
        self.sentinel.note(journal.id(), journal.head().seq);
        Ok(journal)
    }

    async fn append_one(&self, expected: &Head, frame: &Frame) -> Result<Appended, StoreError> {
        let id = self.id.borrow().clone();
        let head = Head { seq: frame.last(), frame: frame.number, chain: frame.chain.clone() };
        let (segment, bodies) = load::stored(frame);
        let write = Write::Append {
            expected: expected.clone(),
            meta: Meta::new(&id, &head, Some(frame.recorded_at())),
            segments: vec![(frame.number, segment)],
            bodies: bodies.map(|bytes| (frame.number, Some(bytes))).into_iter().collect(),
        };
        if self.write(&write).await? {
            self.sentinel.note(&id, head.seq);
            return Ok(Appended::Committed);
        }
        load::missed(expected, self.frames_after(expected.frame).await?)
    }

    async fn import_all(&self, journal: &Journal) -> Result<(), StoreError> {
        let id = self.id.borrow().clone();
        let (segments, bodies) = load::cut(journal);
        let write = Write::Replace {
            id: id.clone(),
            expected: Head { seq: 0, frame: 0, chain: genesis(&id) },
            meta: Meta::of(journal),
            segments,
            bodies: bodies.into_iter().map(|(frame, bytes)| (frame, Some(bytes))).collect(),
        };
        if !self.write(&write).await? {
            return Err(StoreError::NotEmpty);
        }
        journal.id().clone_into(&mut self.id.borrow_mut());
        self.sentinel.note(journal.id(), journal.head().seq);
        Ok(())
    }

    async fn erase_frames(&self, head: &Head, frames: &[Frame]) -> Result<bool, StoreError> {
        let Some(first) = frames.iter().map(|frame| frame.number).min() else { return Ok(true) };
        let from = read::segment_holding(&self.connection, &self.name, first).await?;
        let found = read::journal(&self.connection, &self.name, from, None).await?;
        let meta = Meta::read(found.meta.as_deref().ok_or(StoreError::Gone)?)?;
        if !meta.is_at(head) {
            return Ok(false);
        }
        let (mut segments, mut bodies) = (Vec::new(), Vec::new());
        for (first, bytes) in &found.segments {
            if let Some(other) = load::erased(*first, bytes, frames)? {
                segments.push((*first, other.segment));
                bodies.extend(other.bodies);
            }
        }
        let id = self.id.borrow().clone();
        let meta = Meta::new(&meta.id, head, meta.at);
        self.write(&Write::Erase { id, head: head.clone(), meta, segments, bodies }).await
    }

    async fn frames_of(&self, numbers: &[u64]) -> Result<Vec<Frame>, StoreError> {
        let keys = numbers.iter().map(|number| key(&self.name, *number)).collect();
        let lying = read::segments(&self.connection, keys).await?;
        let (mut found, mut shared) = (Vec::new(), (0, Vec::new()));
        for (number, (segment, apart)) in numbers.iter().zip(lying) {
            let bodies = apart.map(|bytes| (*number, bytes)).into_iter().collect();
            if let Some(bytes) = segment {
                load::frames_of(&[*number], (*number, &bytes), &bodies, &mut found)?;
                continue;
            }
            // A segment that was imported holds many frames.
            let first = read::segment_holding(&self.connection, &self.name, *number).await?;
            if shared.0 != first {
                let held = read::segments(&self.connection, vec![key(&self.name, first)]).await?;
                shared = (first, held.into_iter().find_map(|(segment, _)| segment).unwrap_or_default());
            }
            load::frames_of(&[*number], (first, &shared.1), &bodies, &mut found)?;
        }
        Ok(found)
    }

    async fn write_snapshot(&self, head: &Head, bytes: &[u8]) -> Result<bool, StoreError> {
        let found = read::meta(&self.connection, &self.name).await?;
        let meta = Meta::read(found.as_deref().ok_or(StoreError::Gone)?)?;
        if meta.id != *self.id.borrow() || !meta.is_at(head) {
            return Ok(false);
        }
        // Put together where it is given away: there may be much of it.
        let header = snapshot::header(head);
        let too_long = |_| StoreError::Failed("the snapshot is longer than an array can be".to_owned());
        let len = u32::try_from(header.len() + bytes.len()).map_err(too_long)?;
        let before = u32::try_from(header.len()).map_err(too_long)?;
        let stored = Uint8Array::new_with_length(len);
        stored.subarray(0, before).copy_from(&header);
        stored.subarray(before, len).copy_from(bytes);
        let bytes = stored;
        self.write(&Write::Snapshot { head: head.clone(), meta, bytes }).await
    }

    async fn frames_after(&self, number: u64) -> Result<Vec<Frame>, StoreError> {
        let from = read::segment_holding(&self.connection, &self.name, number + 1).await?;
        let found = read::journal(&self.connection, &self.name, from, Some(number + 1)).await?;
        let meta = Meta::read(found.meta.as_deref().ok_or(StoreError::Gone)?)?;
        if meta.id != *self.id.borrow() {
            return Err(StoreError::Gone);
        }
        load::frames(found.segments.iter().map(|(first, bytes)| (*first, bytes.as_slice())), number, &found.bodies)
    }

    /// Writes, and once more over a new connection when the old one turns out to be dead: retries on the
    /// handle that failed are known to fail for ever. False when the head had moved.
    async fn write(&self, write: &Write) -> Result<bool, StoreError> {
        match append::write(&self.connection, &self.name, self.durability, write, false).await {
            Err(StoreError::Lost(_)) => {
                self.connection.close();
                append::write(&self.connection, &self.name, self.durability, write, true).await
            }
            other => other,
        }
    }
}

impl Store for IndexedDb {
    fn open<'a>(&'a self, fresh: &'a str) -> Pending<'a, Journal> {
        Box::pin(self.open_or_make(fresh))
    }

    fn frames<'a>(&'a self, numbers: &'a [u64]) -> Pending<'a, Vec<Frame>> {
        Box::pin(self.frames_of(numbers))
    }

    fn salvage(&self) -> Pending<'_, Salvaged> {
        Box::pin(async { self.read(true).await?.ok_or(StoreError::Gone) })
    }

    fn append<'a>(&'a self, expected: &'a Head, frame: &'a Frame) -> Pending<'a, Appended> {
        Box::pin(self.append_one(expected, frame))
    }

    fn after(&self, number: u64) -> Pending<'_, Vec<Frame>> {
        Box::pin(self.frames_after(number))
    }

    fn erase<'a>(&'a self, head: &'a Head, frames: &'a [Frame]) -> Pending<'a, bool> {
        Box::pin(self.erase_frames(head, frames))
    }

    fn put_snapshot<'a>(&'a self, head: &'a Head, bytes: &'a [u8]) -> Pending<'a, bool> {
        Box::pin(self.write_snapshot(head, bytes))
    }

    fn snapshot(&self) -> Pending<'_, Option<Snapshot>> {
        Box::pin(async {
            let found = read::beside(&self.connection, vec![snapshot_key(&self.name)]).await?;
            Ok(found.into_iter().flatten().next().and_then(snapshot::read))
        })
    }

    fn import<'a>(&'a self, journal: &'a Journal) -> Pending<'a, ()> {
        Box::pin(self.import_all(journal))
    }

    fn raw(&self) -> Pending<'_, Vec<(u64, Vec<u8>)>> {
        Box::pin(async {
            let found = read::journal(&self.connection, &self.name, 0, Some(0)).await?;
            let mut all = found.segments;
            all.extend(found.bodies);
            Ok(all)
        })
    }

    fn remove(&self) -> Pending<'_, ()> {
        Box::pin(async {
            self.write(&Write::Remove).await?;
            self.sentinel.remove().await;
            Ok(())
        })
    }

    fn close(&self) {
        self.connection.close();
    }
}
