//! What a store can do.

use std::future::Future;
use std::pin::Pin;

use throughline_journal::{Frame, Head, Journal};

use crate::{Salvaged, StoreError};

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
    /// have been first, so look at the id of what comes back.
    fn open<'a>(&'a self, fresh: &'a str) -> Pending<'a, Journal>;

    /// Reads what is good of a damaged journal. Writes nothing.
    fn salvage(&self) -> Pending<'_, Salvaged>;

    /// Makes `frame` durable if the head is still `expected`. A frame that is there already, by whomever, is
    /// a conflict like any other: two tabs may decide the same at the same moment, and only one may act on it.
    fn append<'a>(&'a self, expected: &'a Head, frame: &'a Frame) -> Pending<'a, Appended>;

    /// The frames after frame `number`.
    fn after(&self, number: u64) -> Pending<'_, Vec<Frame>>;

    /// Puts frames of which something was erased in the place of what is stored of them, if the stored head is
    /// `head`. False when it is not: then nothing was written.
    fn erase<'a>(&'a self, head: &'a Head, frames: &'a [Frame]) -> Pending<'a, bool>;

    /// Puts a whole journal in the place of the empty one that was opened; all of it or nothing.
    fn import<'a>(&'a self, journal: &'a Journal) -> Pending<'a, ()>;

    /// The segments as they lie, each with the number of its first frame.
    fn raw(&self) -> Pending<'_, Vec<(u64, Vec<u8>)>>;

    /// Removes the journal with all that belongs to it.
    fn remove(&self) -> Pending<'_, ()>;

    /// Lets go of whatever is held open. The store may be used again; it then opens by itself.
    fn close(&self);
}
