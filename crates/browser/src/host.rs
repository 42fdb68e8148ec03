//! What a session needs from where it runs.

use std::any::Any;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use throughline_journal::Millis;
use throughline_model::diagnose::Facts;
use throughline_model::provider::Http;
use throughline_protocol::Refusal;
use throughline_protocol::session::Storage;
use throughline_store::Store;

/// Work that goes on by itself.
pub type Work = Pin<Box<dyn Future<Output = ()>>>;

/// Something that lasts until it is dropped: a timer, a subscription, a lock.
pub type Guard = Box<dyn Any>;

/// Something that lasts while it is waited for.
pub type Waiting<T> = Pin<Box<dyn Future<Output = T>>>;

/// Something of an answer over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fetched {
    /// The head.
    Head {
        /// The status.
        status: u16,
        /// The content type.
        content_type: String,
        /// How long the server asks to wait, in milliseconds; mostly hidden from pages.
        retry_after: Option<u64>,
    },
    /// Bytes of the body.
    Bytes(Vec<u8>),
    /// The body is whole.
    End,
    /// It failed: `not-reachable` before the head, anything after it.
    Failed {
        /// A stable code.
        code: String,
        /// In words.
        message: String,
    },
}

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

    /// Any number: waits are spread by it.
    fn random(&self) -> u64 {
        0
    }

    /// Makes a request and calls with what comes, until the guard is dropped.
    fn fetch(&self, _http: &Http, event: Rc<dyn Fn(Fetched)>) -> Guard {
        let message = "this host has no network".to_owned();
        event(Fetched::Failed { code: "not-reachable".to_owned(), message });
        Box::new(())
    }

    /// What can be seen around a request to this address that failed.
    fn surroundings(&self, _endpoint: &str) -> Waiting<Facts> {
        Box::pin(std::future::ready(Facts::default()))
    }

    /// Whether anything answers at this address, readable or not.
    fn answers(&self, _endpoint: &str) -> Waiting<bool> {
        Box::pin(std::future::ready(false))
    }

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
