//! One exchange with a model over the network: time-outs, attempts, and a key that goes one way only.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use throughline_engine::{ExchangeEvent, Via};
use throughline_journal::Millis;
use throughline_model::cassette::Recorder;
use throughline_model::provider::{self, Http};
use throughline_model::{Ending, MAX_BODY_BYTES, Request, Scrubber, Stream, Wire, retry};
use throughline_protocol::{ModelSettings, Refusal};

use crate::host::{Fetched, Guard, Host};

/// What an exchange gives, in the order in which it comes.
pub(crate) type Sink = Box<dyn Fn(ExchangeEvent)>;

/// What is recorded of it, when it is over.
pub(crate) type Tape = Box<dyn Fn(String)>;

/// The code of a reply that is not read to its end.
pub(crate) const TOO_LONG: &str = "reply-too-long";

enum Mode {
    /// No head has come.
    Waiting,
    /// A reply comes in.
    Reply,
    /// An error's body comes in; perhaps the request is made again.
    Refusal { status: u16, content_type: String, asked: Option<u64>, body: Vec<u8> },
}

/// An exchange under way. Dropping it ends it.
pub(crate) struct Live {
    this: Weak<Live>,
    host: Rc<dyn Host>,
    settings: ModelSettings,
    request: Request,
    http: Http,
    wire: Wire,
    sink: Sink,
    tape: Option<Tape>,
    recorder: RefCell<Option<Recorder>>,
    began: Millis,
    attempt: Cell<u32>,
    head: RefCell<(u16, String)>,
    mode: RefCell<Mode>,
    scrubber: RefCell<Scrubber>,
    /// How many bytes of the reply have come.
    taken: Cell<usize>,
    over: Cell<bool>,
    fetching: RefCell<Option<Guard>>,
    timer: RefCell<Option<Guard>>,
}

impl Live {
    /// Starts an exchange. What it gives may come before this returns.
    ///
    /// # Errors
    /// When the settings give no request.
    pub(crate) fn start(
        host: &Rc<dyn Host>,
        settings: &ModelSettings,
        request: &Request,
        sink: Sink,
        tape: Option<Tape>,
    ) -> Result<Rc<Self>, Refusal> {
        let http = provider::http(settings, request)?;
        let wire = provider::provider(&settings.provider)?.wire;
        let key = settings.key.as_ref().map(throughline_protocol::Secret::reveal);
        let live = Rc::new_cyclic(|this| Self {
            this: Weak::clone(this),
            host: Rc::clone(host),
            settings: settings.clone(),
            request: request.clone(),
            http,
            wire,
            sink,
            recorder: RefCell::new(tape.is_some().then(|| Recorder::new(request).over(wire))),
            tape,
            began: host.now(),
            attempt: Cell::new(0),
            head: RefCell::new((200, String::new())),
            mode: RefCell::new(Mode::Waiting),
            scrubber: RefCell::new(Scrubber::new(key)),
            taken: Cell::new(0),
            over: Cell::new(false),
            fetching: RefCell::default(),
            timer: RefCell::default(),
        });
        live.begin();
        Ok(live)
    }

    /// Whether it has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.over.get()
    }

    fn begin(&self) {
        let attempt = self.attempt.get() + 1;
        self.attempt.set(attempt);
        *self.mode.borrow_mut() = Mode::Waiting;
        self.give(ExchangeEvent::Via(Via {
            wire: self.wire,
            provider: self.settings.provider.clone(),
            model: if self.settings.model.is_empty() {
                self.request.model.clone()
            } else {
                self.settings.model.clone()
            },
            attempts: attempt,
            prices: self.settings.prices.clone(),
            scrubber: Scrubber::new(self.settings.key.as_ref().map(throughline_protocol::Secret::reveal)),
        }));
        self.arm(self.settings.first_byte_ms.unwrap_or(retry::FIRST_BYTE_MS));
        let this = Weak::clone(&self.this);
        let event = move |fetched: Fetched| {
            if let Some(this) = this.upgrade().filter(|this| this.attempt.get() == attempt && !this.over.get()) {
                this.take(fetched);
            }
        };
        let guard = self.host.fetch(&self.http, Rc::new(event));
        let old = if self.over.get() { Some(guard) } else { self.fetching.borrow_mut().replace(guard) };
        drop(old);
    }

    /// Ends the wait when nothing comes for so long.
    fn arm(&self, ms: u32) {
        let this = Weak::clone(&self.this);
        let ring = move || {
            if let Some(this) = this.upgrade().filter(|this| !this.over.get()) {
                let waited = matches!(*this.mode.borrow(), Mode::Waiting);
                if waited && this.again(None) {
                    // What may still come of this attempt is let go.
                    let old = this.fetching.borrow_mut().take();
                    drop(old);
                    return;
                }
                let what = if waited { "no answer came" } else { "nothing more came" };
                this.fail("timed-out", &format!("{what} within {ms} ms"));
            }
        };
        let timer = self.host.later(Millis::from(ms), Box::new(ring));
        let old = self.timer.borrow_mut().replace(timer);
        drop(old);
    }

    fn take(&self, fetched: Fetched) {
        match fetched {
            Fetched::Head { status, content_type, retry_after } => {
                *self.head.borrow_mut() = (status, content_type.clone());
                if (200..300).contains(&status) {
                    *self.mode.borrow_mut() = Mode::Reply;
                    self.give(ExchangeEvent::Head { status, content_type });
                } else {
                    *self.mode.borrow_mut() =
                        Mode::Refusal { status, content_type, asked: retry_after, body: Vec::new() };
                }
            }
            Fetched::Bytes(bytes) => {
                self.arm(self.settings.idle_ms.unwrap_or(retry::IDLE_MS));
                let bytes = self.scrubber.borrow_mut().push(&bytes);
                self.bytes(bytes);
            }
            Fetched::End => {
                let held = self.scrubber.borrow_mut().finish();
                self.bytes(held);
                self.answered();
            }
            Fetched::Failed { code, message } => {
                let began = !matches!(*self.mode.borrow(), Mode::Waiting);
                if began {
                    let held = self.scrubber.borrow_mut().finish();
                    self.bytes(held);
                    self.fail("connection-lost", &message);
                } else if !self.again(None) {
                    self.fail(&code, &message);
                }
            }
        }
    }

    fn bytes(&self, bytes: Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        if let Mode::Refusal { body, .. } = &mut *self.mode.borrow_mut() {
            if body.len() + bytes.len() <= MAX_BODY_BYTES {
                body.extend_from_slice(&bytes);
            }
            return;
        }
        // A stream may go on for ever.
        let all = self.taken.get().saturating_add(bytes.len());
        self.taken.set(all);
        if all > MAX_BODY_BYTES {
            return self.fail(TOO_LONG, &format!("a reply of over {MAX_BODY_BYTES} bytes is not read; ask for less"));
        }
        self.record(&bytes);
        self.give(ExchangeEvent::Bytes(bytes));
    }

    fn record(&self, bytes: &[u8]) {
        if let Some(recorder) = &mut *self.recorder.borrow_mut() {
            recorder.chunk(u64::try_from(self.host.now() - self.began).unwrap_or(0), bytes);
        }
    }

    /// The answer is whole: a reply goes on, an error is perhaps tried again.
    fn answered(&self) {
        let refusal = match std::mem::replace(&mut *self.mode.borrow_mut(), Mode::Reply) {
            Mode::Refusal { status, content_type, asked, body } => Some((status, content_type, asked, body)),
            Mode::Waiting | Mode::Reply => None,
        };
        if let Some((status, content_type, asked, body)) = refusal {
            let mut stream = Stream::of(self.wire, &self.request, status, &content_type);
            stream.push(&body);
            let reply = stream.finish();
            if retry::is_retryable(&reply.ending) && self.again(asked.or(reply.retry_after)) {
                return;
            }
            self.give(ExchangeEvent::Head { status, content_type });
            self.record(&body);
            self.give(ExchangeEvent::Bytes(body));
        }
        self.end(ExchangeEvent::End);
    }

    /// Makes the request again after a wait; `false` when it is not worth it.
    fn again(&self, asked: Option<u64>) -> bool {
        let attempt = self.attempt.get();
        if attempt > self.settings.retries.unwrap_or(retry::RETRIES).min(retry::MAX_RETRIES) {
            return false;
        }
        let floor = self.settings.retry_floor_ms.unwrap_or(retry::RETRY_FLOOR_MS);
        let Some(wait) = retry::wait(attempt, floor, asked, self.host.random()) else { return false };
        let this = Weak::clone(&self.this);
        let begin = move || {
            if let Some(this) = this.upgrade().filter(|this| !this.over.get()) {
                this.begin();
            }
        };
        let timer = self.host.later(i64::try_from(wait).unwrap_or(i64::MAX), Box::new(begin));
        let old = self.timer.borrow_mut().replace(timer);
        drop(old);
        true
    }

    fn fail(&self, code: &str, message: &str) {
        let message = self.scrubber.borrow().text(message);
        self.end(ExchangeEvent::Failed { code: code.to_owned(), message });
    }

    fn end(&self, event: ExchangeEvent) {
        if self.over.replace(true) {
            return;
        }
        // Dropped outside of the borrow: letting go may call back.
        let held = (self.timer.borrow_mut().take(), self.fetching.borrow_mut().take());
        drop(held);
        let recorder = self.recorder.borrow_mut().take();
        if let (Some(recorder), Some(tape)) = (recorder, &self.tape) {
            let (status, content_type) = self.head.borrow().clone();
            tape(recorder.finish_without(&self.scrubber.borrow(), status, &content_type));
        }
        (self.sink)(event);
    }

    fn give(&self, event: ExchangeEvent) {
        (self.sink)(event);
    }
}

/// The failure that a request which cannot be made is.
pub(crate) fn refused(refusal: &Refusal) -> Ending {
    Ending::Failed { code: refusal.code.clone(), message: refusal.to_string(), retryable: false }
}
