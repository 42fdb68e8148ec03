//! A host and a store that do what a test tells them, and nothing by themselves.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use throughline_browser::{Channel, Guard, Host, Session, Work, local};
use throughline_journal::{Frame, Head, Journal, Millis};
use throughline_protocol::Refusal;
use throughline_protocol::session::Storage;
use throughline_store::{Appended, Memory, Pending, Salvaged, Store, StoreError};
use throughline_value::{Value, json};

/// What becomes of one call of a store.
pub(crate) enum Fate {
    /// It is done after being asked this many times.
    Late(usize),
    /// It is not done.
    Fails(StoreError),
    /// It is done, and an error is reported all the same.
    DoneButFails(StoreError),
}

/// A journal in memory whose next opens and appends have fates.
pub(crate) struct Faulty {
    inner: Memory,
    pub(crate) opens: RefCell<VecDeque<Fate>>,
    pub(crate) appends: RefCell<VecDeque<Fate>>,
    pub(crate) removed: Cell<bool>,
    /// How often frames were read.
    pub(crate) loads: Cell<usize>,
}

impl Faulty {
    pub(crate) fn new(name: &str) -> Rc<Self> {
        Rc::new(Self {
            inner: Memory::new(name),
            opens: RefCell::default(),
            appends: RefCell::default(),
            removed: Cell::default(),
            loads: Cell::default(),
        })
    }

    pub(crate) fn memory(&self) -> &Memory {
        &self.inner
    }
}

/// Not ready until it was asked so many times.
struct Ask(usize);

impl Future for Ask {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.0 == 0 {
            return Poll::Ready(());
        }
        self.0 -= 1;
        Poll::Pending
    }
}

/// `work` is begun only when its fate lets it: a store in memory does it at once.
async fn meet<'a, T: 'a>(fate: Option<Fate>, work: impl FnOnce() -> Pending<'a, T>) -> Result<T, StoreError> {
    match fate {
        None => work().await,
        Some(Fate::Late(times)) => {
            Ask(times).await;
            work().await
        }
        Some(Fate::Fails(error)) => Err(error),
        Some(Fate::DoneButFails(error)) => {
            work().await?;
            Err(error)
        }
    }
}

impl Store for Faulty {
    fn open<'a>(&'a self, fresh: &'a str) -> Pending<'a, Journal> {
        Box::pin(meet(self.opens.borrow_mut().pop_front(), || self.inner.open(fresh)))
    }
    fn salvage(&self) -> Pending<'_, Salvaged> {
        self.inner.salvage()
    }
    fn append<'a>(&'a self, expected: &'a Head, frame: &'a Frame) -> Pending<'a, Appended> {
        Box::pin(meet(self.appends.borrow_mut().pop_front(), || self.inner.append(expected, frame)))
    }
    fn after(&self, number: u64) -> Pending<'_, Vec<Frame>> {
        self.inner.after(number)
    }
    fn erase<'a>(&'a self, head: &'a Head, frames: &'a [Frame]) -> Pending<'a, bool> {
        self.inner.erase(head, frames)
    }
    fn frames<'a>(&'a self, numbers: &'a [u64]) -> Pending<'a, Vec<Frame>> {
        self.loads.set(self.loads.get() + 1);
        self.inner.frames(numbers)
    }
    fn put_snapshot<'a>(&'a self, head: &'a Head, bytes: &'a [u8]) -> Pending<'a, bool> {
        self.inner.put_snapshot(head, bytes)
    }
    fn snapshot(&self) -> Pending<'_, Option<throughline_store::Snapshot>> {
        self.inner.snapshot()
    }
    fn import<'a>(&'a self, journal: &'a Journal) -> Pending<'a, ()> {
        self.inner.import(journal)
    }
    fn raw(&self) -> Pending<'_, Vec<(u64, Vec<u8>)>> {
        self.inner.raw()
    }
    fn remove(&self) -> Pending<'_, ()> {
        self.removed.set(true);
        self.inner.remove()
    }
    fn close(&self) {}
}

/// What a timer calls, until it has rung or was stopped.
type Ring = Rc<RefCell<Option<Box<dyn FnOnce()>>>>;

pub(crate) struct TestHost {
    pub(crate) now: Cell<Millis>,
    store: Rc<Faulty>,
    pushes: RefCell<Vec<Value>>,
    tasks: RefCell<Vec<Work>>,
    timers: RefCell<Vec<(Millis, Ring)>>,
}

/// A timer that was not dropped yet.
struct Armed(Ring);

impl Drop for Armed {
    fn drop(&mut self) {
        self.0.borrow_mut().take();
    }
}

struct Near(Rc<local::Listening>);

impl Channel for Near {
    fn tell(&self) {
        local::others(&self.0).iter().for_each(|hint| hint());
    }
}

impl TestHost {
    pub(crate) fn new(store: &Rc<Faulty>) -> Rc<Self> {
        Rc::new(Self {
            now: Cell::new(1_000),
            store: Rc::clone(store),
            pushes: RefCell::default(),
            tasks: RefCell::default(),
            timers: RefCell::default(),
        })
    }

    /// Runs `future` and everything that goes on by itself until `future` is done.
    pub(crate) fn run<T>(&self, future: impl Future<Output = T>) -> T {
        let mut future = Box::pin(future);
        for _ in 0..10_000 {
            if let Poll::Ready(done) = poll(&mut future) {
                return done;
            }
            self.work();
        }
        panic!("it waits for ever");
    }

    /// Asks everything that goes on by itself once.
    pub(crate) fn work(&self) {
        let tasks = std::mem::take(&mut *self.tasks.borrow_mut());
        for mut task in tasks {
            if poll(&mut task).is_pending() {
                self.tasks.borrow_mut().push(task);
            }
        }
    }

    /// Sends a call under id 7 and gives the response.
    pub(crate) fn call(&self, session: &Session, call: &str) -> Result<Value, Refusal> {
        let text = self.run(session.request(&format!(r#"{{"id":7,"call":{call}}}"#)));
        let response = json::read_value(&text).unwrap();
        assert_eq!(response.get("id").and_then(Value::as_i64), Some(7));
        match response.get("error") {
            Some(error) if !error.is_null() => Err(throughline_value::from_value(error).unwrap()),
            _ => Ok(response.get("result").cloned().unwrap()),
        }
    }

    /// What was pushed since the last time.
    pub(crate) fn pushed(&self) -> Vec<Value> {
        std::mem::take(&mut *self.pushes.borrow_mut())
    }

    /// When the timers ring that are still armed.
    pub(crate) fn armed(&self) -> Vec<Millis> {
        let mut timers = self.timers.borrow_mut();
        timers.retain(|(_, ring)| ring.borrow().is_some());
        timers.iter().map(|(at, _)| *at).collect()
    }

    /// Lets every timer ring that is due at `now`.
    pub(crate) fn ring(&self, now: Millis) {
        self.ring_early(now, now);
    }

    /// The same while the host's clock still stands at `clock`.
    pub(crate) fn ring_early(&self, now: Millis, clock: Millis) {
        self.now.set(clock);
        let mut timers = self.timers.borrow_mut();
        let due: Vec<_> = timers.extract_if(.., |(at, _)| *at <= now).map(|(_, ring)| ring).collect();
        drop(timers);
        for ring in due {
            let ring = ring.borrow_mut().take();
            if let Some(ring) = ring {
                ring();
            }
        }
    }
}

fn poll<T>(future: &mut Pin<Box<impl Future<Output = T> + ?Sized>>) -> Poll<T> {
    future.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

impl Host for TestHost {
    fn now(&self) -> Millis {
        self.now.get()
    }
    fn fresh_id(&self) -> String {
        "fresh".to_owned()
    }
    fn push(&self, text: String) {
        self.pushes.borrow_mut().push(json::read_value(&text).unwrap());
    }
    fn spawn(&self, work: Work) {
        self.tasks.borrow_mut().push(work);
    }
    fn later(&self, ms: Millis, then: Box<dyn FnOnce()>) -> Guard {
        let ring = Rc::new(RefCell::new(Some(then)));
        self.timers.borrow_mut().push((self.now.get() + ms, Rc::clone(&ring)));
        Box::new(Armed(ring))
    }
    fn store(&self, storage: Storage, name: &str) -> Result<Rc<dyn Store>, Refusal> {
        assert_eq!((storage, name.is_empty()), (Storage::Memory, false));
        Ok(Rc::<Faulty>::clone(&self.store))
    }
    fn listen(&self, _: Storage, name: &str, hint: Rc<dyn Fn()>) -> Box<dyn Channel> {
        Box::new(Near(local::listen(name, hint)))
    }
    fn lead(&self, _: Storage, name: &str, first: Box<dyn FnOnce()>) -> Guard {
        Box::new(local::lead(name, first))
    }
}
