//! What a store can do.

use std::future::Future;
use std::pin::Pin;

use throughline_journal::{Frame, Head, Journal};

use crate::{Salvaged, Snapshot, StoreError};

/// What a store is asked for and answers later, on the same thread.
pub type Pending<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + 'a>>;

/// What became of an append.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Appended {
    /// It is durable.
    Committed,
    /// Somebody else was first; these are the frames after the head that was expected. Nothing was written.
    Conflict(Vec<Frame>),
}

/// One journal in some place that lasts.
pub trait Store {
    /// Reads the journal. Where there is none yet, makes an empty one with the id `fresh`; somebody else may
    /// have been first, so look at the id of what comes back. Large bodies of memories are not read, and of a long
    /// journal only the beginning is kept whole: the rest is cold, and [`Store::frames`] gives it.
    fn open<'a>(&'a self, fresh: &'a str) -> Pending<'a, Journal>;

    /// These frames, whole, for [`Journal::warm`], in the order asked for.
    fn frames<'a>(&'a self, numbers: &'a [u64]) -> Pending<'a, Vec<Frame>>;

    /// Reads what is good of a journal, its bodies too, and says what is damaged. Writes nothing.
    fn salvage(&self) -> Pending<'_, Salvaged>;

    /// Makes `frame` durable if the head is still `expected`. A frame that is there already, by whomever, is
    /// a conflict like any other: two tabs may decide the same at the same moment, and only one may act on it.
    fn append<'a>(&'a self, expected: &'a Head, frame: &'a Frame) -> Pending<'a, Appended>;

    /// The frames after frame `number`, whole.
    fn after(&self, number: u64) -> Pending<'_, Vec<Frame>>;

    /// Puts frames of which something was erased in the place of what is stored of them, if the stored head is
    /// `head`. False when it is not: then nothing was written. The snapshot goes in the same transaction.
    fn erase<'a>(&'a self, head: &'a Head, frames: &'a [Frame]) -> Pending<'a, bool>;

    /// Puts a snapshot in the place of the one before, if the stored head is still that of the snapshot. False when it
    /// is not: then nothing was written.
    fn put_snapshot<'a>(&'a self, head: &'a Head, bytes: &'a [u8]) -> Pending<'a, bool>;

    /// The snapshot, if there is one that can be read; whether it fits the journal is for the caller to see.
    fn snapshot(&self) -> Pending<'_, Option<Snapshot>>;

    /// Puts a whole journal in the place of the empty one that was opened; all of it or nothing.
    fn import<'a>(&'a self, journal: &'a Journal) -> Pending<'a, ()>;

    /// The segments as they lie, each with the number of its first frame; then the bodies that lie apart, each with the
    /// number of its frame.
    fn raw(&self) -> Pending<'_, Vec<(u64, Vec<u8>)>>;

    /// Removes the journal with all that belongs to it.
    fn remove(&self) -> Pending<'_, ()>;

    /// Lets go of whatever is held open. The store may be used again; it then opens by itself.
    fn close(&self);
}
