//! An opened journal: the engine with everything that it asks for.

mod tiers;

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll, Waker};

use futures_channel::oneshot;
use throughline_engine::{Engine, ExchangeEvent, FactMoment, Input, Memory, Output};
use throughline_journal::{Frame, Head, Journal, Millis, Seq};
use throughline_model::cassette::{Player, Recorder};
use throughline_model::{Request, Usage, retry};
use throughline_protocol::session::{Changed, Failed, Fault, HostCall, HostCancel, HostResult, Open, Push};
use throughline_protocol::{Command, Meta, ModelSettings, Outcome, Refusal};
use throughline_store::{Appended, Snapshot, Store, StoreError};
use throughline_value::{SortedMap, Value, to_value, to_wire};

use crate::FactName;
use crate::clock::Clock;
use crate::host::{Channel, Guard, Host};
use crate::live::{Live, Tape};
use crate::{CLOSING_ROWS, MAX_HOST_MODEL_MS, MAX_LOOKS, MAX_RECORDING_BYTES, model};

/// What a host call is for.
enum Asked {
    Tool(u64),
    Model(u64, Option<Recorder>),
}

/// What is held only while the session is open: dropping it lets go.
#[derive(Default)]
struct Held {
    timer: Option<Guard>,
    place: Option<Guard>,
    channel: Option<Box<dyn Channel>>,
}

/// Exchanges as they came over the wire.
#[derive(Default)]
struct Recording {
    on: bool,
    lines: Vec<String>,
    bytes: usize,
    left_out: usize,
}

pub(crate) struct Running {
    this: Weak<Running>,
    host: Rc<dyn Host>,
    store: Rc<dyn Store>,
    open: Open,
    clock: Clock,
    engine: RefCell<Engine>,
    player: RefCell<Option<Player>>,
    /// What the network does to recorded replies.
    fault: RefCell<Option<Fault>>,
    played: Cell<u64>,
    /// How the model is reached. It holds the key, and goes nowhere from here but into requests.
    model: RefCell<Option<ModelSettings>>,
    lives: RefCell<SortedMap<u64, Rc<Live>>>,
    recording: RefCell<Recording>,
    /// The timers of the host's models.
    patience: RefCell<SortedMap<u64, Guard>>,
    inputs: RefCell<VecDeque<Input>>,
    /// Inputs wait while the engine is at one, and while another journal is put in its place.
    busy: Cell<bool>,
    appending: Cell<bool>,
    /// Something is being erased; what is done meanwhile is answered after it.
    erasing: Cell<bool>,
    held_back: RefCell<Vec<(u64, Outcome)>>,
    tickets: Cell<u64>,
    waiting: RefCell<SortedMap<u64, oneshot::Sender<Outcome>>>,
    settling: RefCell<Vec<oneshot::Sender<()>>>,
    calls: RefCell<SortedMap<u64, Asked>>,
    next_call: Cell<u64>,
    changed: Cell<bool>,
    /// Some of what changed was appended by another session.
    foreign: Cell<bool>,
    /// No other session of this journal is at work on what was left open.
    first: Cell<bool>,
    looking: Cell<bool>,
    look_again: Cell<bool>,
    held: RefCell<Held>,
    dead: RefCell<Option<Refusal>>,
    /// Bodies are being read for the engine.
    loading: Cell<bool>,
    /// The last frame that was read for an answer.
    read_until: Cell<u64>,
    /// How many questions wait for bodies: what they read must stay until they are answered.
    asking: Cell<usize>,
    /// How many rows the memory had at the last snapshot, and whether one is being written.
    snapped: Cell<usize>,
    snapping: Cell<bool>,
    snap_timer: RefCell<Option<Guard>>,
}

impl Running {
    /// What takes the model's key out of texts.
    pub(crate) fn scrubber(&self) -> throughline_model::Scrubber {
        let model = self.model.borrow();
        let key = model.as_ref().and_then(|settings| settings.key.as_ref());
        throughline_model::Scrubber::new(key.map(throughline_protocol::Secret::reveal))
    }

    /// Starts on a journal that was read from `store`.
    pub(crate) fn start(
        host: Rc<dyn Host>,
        store: Rc<dyn Store>,
        journal: Journal,
        snapshot: Option<&Snapshot>,
        open: Open,
    ) -> Rc<Self> {
        let engine = open_engine(&*host, journal, snapshot, &open);
        let this = Rc::new_cyclic(|this| Self {
            this: Weak::clone(this),
            host,
            store,
            clock: Clock::new(open.clock),
            open,
            engine: RefCell::new(engine),
            player: RefCell::default(),
            fault: RefCell::default(),
            played: Cell::default(),
            model: RefCell::default(),
            lives: RefCell::default(),
            recording: RefCell::default(),
            patience: RefCell::default(),
            inputs: RefCell::default(),
            busy: Cell::default(),
            appending: Cell::default(),
            erasing: Cell::default(),
            held_back: RefCell::default(),
            tickets: Cell::default(),
            waiting: RefCell::default(),
            settling: RefCell::default(),
            calls: RefCell::default(),
            next_call: Cell::default(),
            changed: Cell::default(),
            foreign: Cell::default(),
            first: Cell::default(),
            looking: Cell::default(),
            look_again: Cell::default(),
            held: RefCell::default(),
            dead: RefCell::default(),
            loading: Cell::default(),
            read_until: Cell::default(),
            asking: Cell::default(),
            snapped: Cell::default(),
            snapping: Cell::default(),
            snap_timer: RefCell::default(),
        });
        if this.engine.borrow().bodies_read().1 {
            this.snapped.set(this.with_memory(Memory::row_count));
        }
        if this.is_read_only() {
            return this;
        }
        let (storage, name) = (this.open.storage, this.open.name.as_str());
        let weak = Rc::downgrade(&this);
        let hint: Rc<dyn Fn()> = Rc::new(move || {
            if let Some(this) = weak.upgrade() {
                this.look();
            }
        });
        let channel = this.host.listen(storage, name, hint);
        let weak = Rc::downgrade(&this);
        let first = move || {
            if let Some(this) = weak.upgrade() {
                this.first.set(true);
                this.give(Input::Resume);
            }
        };
        this.held.borrow_mut().channel = Some(channel);
        let place = this.host.lead(storage, name, Box::new(first));
        this.held.borrow_mut().place = Some(place);
        // Events may have fallen due while nothing ran.
        this.give(Input::Tick);
        this
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.open.salvage
    }

    pub(crate) fn now(&self) -> Millis {
        self.clock.now(self.host.now())
    }

    pub(crate) fn store(&self) -> &Rc<dyn Store> {
        &self.store
    }

    /// Looks at the journal: what is committed.
    pub(crate) fn with_journal<T>(&self, look: impl FnOnce(&Journal) -> T) -> T {
        look(self.engine.borrow().journal())
    }

    /// Looks at the memory as it is folded now.
    pub(crate) fn with_memory<T>(&self, look: impl FnOnce(&Memory) -> T) -> T {
        look(self.engine.borrow().memory())
    }

    pub(crate) fn fact<T>(&self, fact: &mut FactName, seq: Option<Seq>, look: impl FnOnce(&Value) -> T) -> Option<T> {
        let when = seq.map_or_else(|| FactMoment::Now(self.now()), FactMoment::Record);
        let engine = self.engine.borrow();
        engine.fact(&mut fact.place, &fact.subject, &fact.key, when).map(|value| look(&value))
    }

    /// Fails when the session cannot go on.
    pub(crate) fn alive(&self) -> Result<(), Refusal> {
        self.dead.borrow().clone().map_or(Ok(()), Err)
    }

    /// Runs a command; the answer comes when it is durable.
    pub(crate) async fn execute(&self, text: String, meta: Meta) -> Result<Outcome, Refusal> {
        self.outcome(|ticket| Input::Execute { ticket, text, meta }).await
    }

    /// Runs a command that was made here.
    pub(crate) async fn command(&self, command: Command, meta: Meta) -> Result<Outcome, Refusal> {
        self.outcome(|ticket| Input::Command { ticket, command: Box::new(command), meta }).await
    }

    /// Records that a command was refused as it came.
    pub(crate) async fn refuse(&self, text: String, refusal: Refusal) -> Result<Outcome, Refusal> {
        self.outcome(|ticket| Input::Refuse { ticket, text, refusal: Box::new(refusal) }).await
    }

    async fn outcome(&self, input: impl FnOnce(u64) -> Input) -> Result<Outcome, Refusal> {
        self.alive()?;
        self.writable()?;
        let ticket = self.tickets.get() + 1;
        self.tickets.set(ticket);
        let (send, receive) = oneshot::channel();
        self.waiting.borrow_mut().insert(ticket, send);
        self.give(input(ticket));
        match receive.await {
            Ok(outcome) => Ok(outcome),
            Err(_) => Err(self.alive().err().unwrap_or_else(closed)),
        }
    }

    pub(crate) fn writable(&self) -> Result<(), Refusal> {
        if self.is_read_only() {
            return Err(Refusal::new(
                "read-only",
                "this journal is damaged and was opened for reading only; export it, and import what is good of it under another name",
            ));
        }
        Ok(())
    }

    /// Sets or moves the clock; due events fire.
    pub(crate) async fn set_clock(&self, to: Option<Millis>, by: Option<Millis>) -> Result<Millis, Refusal> {
        self.alive()?;
        self.clock.set(self.host.now(), to, by)?;
        if to.is_some() || by.is_some() {
            self.held.borrow_mut().timer = None;
            if !self.is_read_only() {
                self.give(Input::ClockSet);
            }
        }
        self.settled().await;
        self.alive()?;
        Ok(self.now())
    }

    /// Gives the models' recorded replies; they are used from the first on. Without any, the model is asked.
    pub(crate) fn load(&self, player: Option<Player>) {
        *self.player.borrow_mut() = player;
    }

    /// Harms recorded replies from now on; nothing is harmed by an empty fault.
    pub(crate) fn harm(&self, fault: Fault) {
        self.played.set(0);
        *self.fault.borrow_mut() = Some(fault);
    }

    /// Attaches a model; it is used where there are no recorded replies.
    pub(crate) fn set_model(&self, settings: Option<ModelSettings>) {
        *self.model.borrow_mut() = settings;
    }

    /// Turns recording on or off; what is recorded so far.
    pub(crate) fn record(&self, on: Option<bool>) -> Value {
        let mut recording = self.recording.borrow_mut();
        recording.on = on.unwrap_or(recording.on);
        let mut text = String::with_capacity(recording.bytes + recording.lines.len());
        for line in &recording.lines {
            text.push_str(line);
            text.push('\n');
        }
        Value::from([
            ("on", Value::Bool(recording.on)),
            ("exchanges", Value::from(recording.lines.len())),
            ("left_out", Value::from(recording.left_out)),
            ("text", Value::from(text)),
        ])
    }

    fn tape(&self, line: String) {
        let mut recording = self.recording.borrow_mut();
        if recording.bytes + line.len() > MAX_RECORDING_BYTES {
            recording.left_out += 1;
        } else {
            recording.bytes += line.len();
            recording.lines.push(line);
        }
    }

    /// Takes what the host's tool or model gave. A call that is no longer wanted is nothing.
    pub(crate) fn host_result(&self, given: HostResult) {
        let Some(asked) = self.calls.borrow_mut().remove(&given.call) else { return };
        let result = given.error.map_or(Ok(given.result), Err);
        match asked {
            Asked::Tool(call) => self.give(Input::ToolResult { call, result }),
            Asked::Model(exchange, recorder) => {
                let timer = self.patience.borrow_mut().remove(&given.call);
                drop(timer);
                let events = model::given(result);
                if let Some(mut recorder) = recorder {
                    for event in &events {
                        if let ExchangeEvent::Bytes(bytes) = event {
                            recorder.chunk(0, bytes);
                        }
                    }
                    self.tape(recorder.finish(200, "application/json"));
                }
                self.exchange(exchange, events);
            }
        }
    }

    /// Puts another journal in the place of the empty one.
    pub(crate) async fn import(&self, journal: Journal) -> Result<(), Refusal> {
        self.alive()?;
        self.writable()?;
        self.settled().await;
        if self.with_journal(|journal| journal.head().seq) > 0 {
            return Err(refusal(&StoreError::NotEmpty));
        }
        self.busy.set(true);
        let stored = self.store.import(&journal).await;
        if stored.is_ok() {
            *self.engine.borrow_mut() = open_engine(&*self.host, journal, None, &self.open);
            self.snapped.set(0);
            self.changed.set(true);
        }
        self.busy.set(false);
        stored.map_err(|error| refusal(&error))?;
        self.tell();
        if self.first.get() {
            self.give(Input::Resume);
        }
        self.give(Input::Tick);
        Ok(())
    }

    /// Waits until nothing goes on by itself any more, but for what the host was called for.
    pub(crate) async fn settled(&self) {
        if self.is_settled() {
            return;
        }
        let (send, receive) = oneshot::channel();
        self.settling.borrow_mut().push(send);
        // A session that ends is settled too.
        let _ = receive.await;
    }

    fn is_settled(&self) -> bool {
        let works = self.appending.get() || self.erasing.get() || self.busy.get() || self.loading.get();
        !works && self.inputs.borrow().is_empty()
    }

    /// Ends: what is being appended is waited for, what was called for is no longer wanted.
    pub(crate) async fn close(&self) {
        self.settled().await;
        if self.with_memory(Memory::row_count).saturating_sub(self.snapped.get()) >= CLOSING_ROWS {
            self.write_snapshot().await;
        }
        let calls: Vec<u64> = self.calls.borrow().keys().copied().collect();
        calls.into_iter().for_each(|call| self.cancel(call));
        self.end(closed());
    }

    fn end(&self, why: Refusal) {
        self.dead.borrow_mut().get_or_insert(why);
        self.inputs.borrow_mut().clear();
        self.waiting.borrow_mut().clear();
        self.settling.borrow_mut().clear();
        // Dropped outside of the borrow: letting go may call back.
        let held = std::mem::take(&mut *self.held.borrow_mut());
        let lives = std::mem::take(&mut *self.lives.borrow_mut());
        let timers = std::mem::take(&mut *self.patience.borrow_mut());
        let snap_timer = self.snap_timer.borrow_mut().take();
        drop((held, lives, timers, snap_timer));
        *self.model.borrow_mut() = None;
        self.store.close();
    }

    /// The session cannot go on.
    fn fail(&self, why: Refusal) {
        if self.dead.borrow().is_some() {
            return;
        }
        self.push(&Push::Failed(Failed { error: why.clone() }));
        self.end(why);
    }

    /// Gives the engine an input, and does what it asks for, until it asks for nothing more.
    fn give(&self, input: Input) {
        if self.dead.borrow().is_some() {
            return;
        }
        self.inputs.borrow_mut().push_back(input);
        if self.busy.replace(true) {
            return;
        }
        while let Some(input) = { self.inputs.borrow_mut().pop_front() } {
            let now = self.now();
            let handled = self.engine.borrow_mut().handle(now, input);
            if let Err(why) = handled {
                self.fail(why);
                break;
            }
            while let Some(output) = { self.engine.borrow_mut().poll() } {
                self.perform(output);
            }
        }
        self.busy.set(false);
        if self.changed.take() {
            self.push_changed();
        }
        self.note_settled();
    }

    fn note_settled(&self) {
        if self.is_settled() {
            self.cool();
            self.plan_snapshot();
            for one in std::mem::take(&mut *self.settling.borrow_mut()) {
                // Nobody waits any more: then nobody needs to know.
                let _ = one.send(());
            }
        }
    }

    fn perform(&self, output: Output) {
        match output {
            Output::Append { append, expected, frame } => self.append(append, expected, frame),
            Output::Erase { frames } => self.erase(frames),
            Output::Load { frames } => self.load_frames(frames),
            Output::Done { ticket, outcome } if self.erasing.get() => {
                // A purge is done when nothing is left of it.
                self.held_back.borrow_mut().push((ticket, outcome));
            }
            Output::Done { ticket, outcome } => self.answer(ticket, outcome),
            Output::Exchange { exchange, request, spent } => self.ask(exchange, &request, &spent),
            Output::Delta(delta) => self.push(&Push::DeltaPush(delta)),
            Output::Call { call, tool, args, idempotency_key } => {
                if self.open.tools.contains(&tool) {
                    self.call_host(Asked::Tool(call), tool, args, idempotency_key);
                } else {
                    let none = Refusal::new("no-tool", format!("the host has no tool `{tool}`"));
                    self.give(Input::ToolResult { call, result: Err(none) });
                }
            }
            Output::CancelExchange { exchange } => {
                // Dropped outside of the borrow: letting go may call back.
                let live = self.lives.borrow_mut().remove(&exchange);
                drop(live);
                self.cancel_asked(|asked| matches!(asked, Asked::Model(n, _) if *n == exchange));
            }
            Output::CancelCall { call } => self.cancel_asked(|asked| matches!(asked, Asked::Tool(n) if *n == call)),
            Output::WaitUntil { at } => self.wait_until(at),
            Output::Changed { foreign, .. } => {
                self.changed.set(true);
                self.foreign.set(self.foreign.get() || foreign);
            }
        }
    }

    fn answer(&self, ticket: u64, outcome: Outcome) {
        if let Some(waiting) = self.waiting.borrow_mut().remove(&ticket) {
            // Nobody waits any more: then nobody needs to know.
            let _ = waiting.send(outcome);
        }
    }

    /// Stores again what is left of frames of which something was erased.
    fn erase(&self, frames: Vec<u64>) {
        let Some(this) = self.this.upgrade() else { return };
        self.erasing.set(true);
        let mut work = Box::pin(async move {
            for _ in 0..MAX_ERASES {
                let (head, left) = this.with_journal(|journal| {
                    let all = journal.frames().iter();
                    (journal.head(), all.filter(|f| frames.contains(&f.number)).cloned().collect::<Vec<Frame>>())
                });
                match this.store.erase(&head, &left).await {
                    Ok(true) => return this.erased(Ok(())),
                    // Another frame came in between: it may have erased more.
                    Ok(false) => match this.store.after(head.frame).await {
                        Ok(frames) if !this.appending.get() => this.give(Input::Foreign { frames }),
                        // The answer to our own append brings it.
                        Ok(_) => {}
                        Err(error) => return this.erased(Err(error)),
                    },
                    Err(error) => return this.erased(Err(error)),
                }
            }
            this.erased(Err(StoreError::Failed("other sessions write without a pause".to_owned())));
        });
        if poll_once(&mut work).is_pending() {
            self.host.spawn(work);
        }
    }

    fn erased(&self, done: Result<(), StoreError>) {
        self.erasing.set(false);
        self.engine.borrow_mut().erased();
        if let Err(error) = done {
            // The next opening tries again; until then nobody may believe that it is gone.
            return self.fail(refusal(&error));
        }
        // The snapshot went with what was erased.
        self.snapped.set(0);
        for (ticket, outcome) in std::mem::take(&mut *self.held_back.borrow_mut()) {
            self.answer(ticket, outcome);
        }
        self.note_settled();
    }

    /// Appends. A store that answers at once is heard at once; any other later.
    fn append(&self, append: u64, expected: Head, frame: Frame) {
        let (Some(this), store) = (self.this.upgrade(), Rc::clone(&self.store)) else { return };
        self.appending.set(true);
        let mut writing = Box::pin(async move { store.append(&expected, &frame).await });
        if let Poll::Ready(done) = poll_once(&mut writing) {
            this.appended(append, done);
            return;
        }
        self.host.spawn(Box::pin(async move {
            let done = writing.await;
            this.appended(append, done);
        }));
    }

    fn appended(&self, append: u64, done: Result<Appended, StoreError>) {
        self.appending.set(false);
        match done {
            Ok(Appended::Committed) => {
                self.tell();
                self.give(Input::Appended { append });
            }
            Ok(Appended::Conflict(frames)) => self.give(Input::Conflict { append, frames }),
            Err(error @ (StoreError::Gone | StoreError::Unreadable(_) | StoreError::Newer)) => {
                self.give(Input::AppendFailed { append, code: error.code().to_owned(), message: error.to_string() });
                self.fail(refusal(&error));
            }
            Err(error) => {
                self.give(Input::AppendFailed { append, code: error.code().to_owned(), message: error.to_string() });
            }
        }
    }

    fn tell(&self) {
        if let Some(channel) = &self.held.borrow().channel {
            channel.tell();
        }
    }

    /// Looks for frames of other sessions.
    fn look(&self) {
        if self.looking.replace(true) {
            self.look_again.set(true);
            return;
        }
        let (Some(this), store) = (self.this.upgrade(), Rc::clone(&self.store)) else { return };
        self.host.spawn(Box::pin(async move {
            for _ in 0..MAX_LOOKS {
                this.look_again.set(false);
                // An append under way brings what was missed by itself.
                if this.dead.borrow().is_some() || this.appending.get() {
                    break;
                }
                let head = this.with_journal(|journal| journal.head().frame);
                match store.after(head).await {
                    Ok(frames) if frames.is_empty() => {}
                    Ok(frames) => this.give(Input::Foreign { frames }),
                    Err(error @ (StoreError::Gone | StoreError::Unreadable(_) | StoreError::Newer)) => {
                        this.fail(refusal(&error));
                    }
                    // The next hint, or the next append, looks again.
                    Err(_) => break,
                }
                if !this.look_again.get() {
                    break;
                }
            }
            this.looking.set(false);
        }));
    }

    /// Asks a model: the recording where there is one, else the provider, else the host.
    fn ask(&self, exchange: u64, request: &Request, spent: &Usage) {
        if let Some(player) = &mut *self.player.borrow_mut() {
            let nth = self.played.get();
            self.played.set(nth + 1);
            let events = model::play(player, request, self.fault.borrow().as_ref(), nth);
            return self.exchange(exchange, events);
        }
        let settings = self.model.borrow().clone();
        if let Some(settings) = settings {
            if let Err(refusal) = self.connect(exchange, request, spent, &settings) {
                self.exchange(exchange, vec![model::failed(&refusal)]);
            }
            return;
        }
        if !self.open.host_model {
            let why = Refusal::new("no-model", "no model and no recorded replies are attached");
            return self.exchange(exchange, vec![model::failed(&why)]);
        }
        let recorder = self.recording.borrow().on.then(|| Recorder::new(request));
        let key = request.fingerprint();
        let call = self.call_host(Asked::Model(exchange, recorder), String::new(), request.to_value(), key);
        let this = Weak::clone(&self.this);
        let ring = move || {
            if let Some(this) = this.upgrade() {
                this.cancel(call);
                let why = Refusal::new("timed-out", format!("the host's model gave nothing in {MAX_HOST_MODEL_MS} ms"));
                this.exchange(exchange, vec![model::failed(&why)]);
            }
        };
        let timer = self.host.later(MAX_HOST_MODEL_MS, Box::new(ring));
        // A host that answers at once has answered.
        let old = if self.calls.borrow().contains_key(&call) {
            self.patience.borrow_mut().insert(call, timer)
        } else {
            Some(timer)
        };
        drop(old);
    }

    fn connect(
        &self,
        exchange: u64,
        request: &Request,
        spent: &Usage,
        settings: &ModelSettings,
    ) -> Result<(), Refusal> {
        let settings = &retry::capped(settings, spent, request.estimate())?;
        let this = Weak::clone(&self.this);
        let sink = move |event: ExchangeEvent| {
            let Some(this) = this.upgrade() else { return };
            let over = matches!(event, ExchangeEvent::End | ExchangeEvent::Failed { .. });
            this.give(Input::Exchange { exchange, event });
            if over {
                let live = this.lives.borrow_mut().remove(&exchange);
                drop(live);
            }
        };
        let this = Weak::clone(&self.this);
        let tape = self.recording.borrow().on.then(|| {
            let tape: Tape = Box::new(move |line| {
                if let Some(this) = this.upgrade() {
                    this.tape(line);
                }
            });
            tape
        });
        let live = Live::start(&self.host, settings, request, Box::new(sink), tape)?;
        if !live.is_over() {
            self.lives.borrow_mut().insert(exchange, live);
        }
        Ok(())
    }

    fn exchange(&self, exchange: u64, events: Vec<ExchangeEvent>) {
        for event in events {
            self.give(Input::Exchange { exchange, event });
        }
    }

    fn call_host(&self, asked: Asked, tool: String, args: Value, idempotency_key: String) -> u64 {
        let call = self.next_call.get() + 1;
        self.next_call.set(call);
        self.calls.borrow_mut().insert(call, asked);
        self.push(&Push::HostCall(HostCall { call, tool, args, idempotency_key }));
        call
    }

    fn cancel_asked(&self, which: impl Fn(&Asked) -> bool) {
        let found: Vec<u64> =
            self.calls.borrow().iter().filter(|(_, asked)| which(asked)).map(|(call, _)| *call).collect();
        found.into_iter().for_each(|call| self.cancel(call));
    }

    fn cancel(&self, call: u64) {
        self.calls.borrow_mut().remove(&call);
        let timer = self.patience.borrow_mut().remove(&call);
        drop(timer);
        self.push(&Push::HostCancel(HostCancel { call }));
    }

    /// Looks at the clock at this time. A clock of the session's own stands still, so nothing comes due.
    fn wait_until(&self, at: Millis) {
        if self.clock.is_own() {
            return;
        }
        let this = Weak::clone(&self.this);
        let ring = move || {
            let Some(this) = this.upgrade() else { return };
            if this.now() < at {
                // Timers may come early, and none goes further than 24 days.
                this.wait_until(at);
            } else {
                this.give(Input::Tick);
            }
        };
        let timer = self.host.later(at.saturating_sub(self.now()).max(0), Box::new(ring));
        // Dropped outside of the borrow.
        let old = self.held.borrow_mut().timer.replace(timer);
        drop(old);
    }

    fn push_changed(&self) {
        let seq = self.with_journal(|journal| journal.head().seq);
        let busy = self.engine.borrow().busy().map(str::to_owned);
        self.push(&Push::Changed(Changed { seq, busy, foreign: self.foreign.take() }));
    }

    fn push(&self, push: &Push) {
        // A push of numbers, texts and values can always be written.
        let value = to_value(push).unwrap_or_default();
        self.host.push(to_wire(&value).to_json());
    }
}

/// The engine of a journal. Salts are fresh, but where a test asks for the same bytes by naming the id.
fn open_engine(host: &dyn Host, journal: Journal, snapshot: Option<&Snapshot>, open: &Open) -> Engine {
    let snapshot = snapshot.map(|found| (found.frame, found.chain.as_str(), found.bytes.as_slice()));
    let mut engine = Engine::open_with(journal, snapshot, tiers::budget(open));
    if open.id.is_none() {
        engine.set_entropy(host.fresh_id());
    }
    engine
}

/// How often an erasure is tried while other sessions write.
const MAX_ERASES: usize = 64;

fn poll_once<F: Future>(future: &mut Pin<Box<F>>) -> Poll<F::Output> {
    future.as_mut().poll(&mut Context::from_waker(Waker::noop()))
}

pub(crate) fn closed() -> Refusal {
    Refusal::new("session-closed", "this session is closed; open the journal again")
}

/// A store's error as a refusal.
pub(crate) fn refusal(error: &StoreError) -> Refusal {
    Refusal::new(error.code(), error.to_string()).with(error.details())
}
