//! What a session needs from where it runs.

use std::any::Any;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use throughline_journal::Millis;
use throughline_protocol::Refusal;
use throughline_protocol::session::Storage;
use throughline_store::Store;

/// Work that goes on by itself.
pub type Work = Pin<Box<dyn Future<Output = ()>>>;

/// Something that lasts until it is dropped: a timer, a subscription, a lock.
pub type Guard = Box<dyn Any>;

/// Where a session runs: a worker, Node, or a test.
pub trait Host {
    /// The wall clock.
    fn now(&self) -> Millis;

    /// A text that nobody else has: the id of a new journal.
    fn fresh_id(&self) -> String;

    /// Gives a message to whoever listens.
    fn push(&self, text: String);

    /// Lets work go on by itself.
    fn spawn(&self, work: Work);

    /// Calls once, so many milliseconds from now, unless the guard is dropped before.
    fn later(&self, ms: Millis, then: Box<dyn FnOnce()>) -> Guard;

    /// The store of a journal.
    ///
    /// # Errors
    /// When there is no such store here.
    fn store(&self, storage: Storage, name: &str) -> Result<Rc<dyn Store>, Refusal>;

    /// Calls whenever another session of the same journal says that it grew, until the channel is dropped. It
    /// is a hint to look, and carries nothing.
    fn listen(&self, storage: Storage, name: &str, hint: Rc<dyn Fn()>) -> Box<dyn Channel>;

    /// Calls once, when no other session of the journal is first any more; stays first until the guard is
    /// dropped.
    fn lead(&self, storage: Storage, name: &str, first: Box<dyn FnOnce()>) -> Guard;
}

/// A way to the other sessions of a journal.
pub trait Channel {
    /// Tells them that it grew.
    fn tell(&self);
}
