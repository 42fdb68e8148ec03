//! One session: requests as text in, responses as text out.

use std::cell::RefCell;
use std::pin::Pin;
use std::rc::Rc;
use std::task::Poll;

use futures_channel::oneshot;
use throughline_engine::{Columns, FactPlace, digests_of};
use throughline_journal::{Journal, Seq};
use throughline_model::cassette::{Cassette, Player};
use throughline_model::{Scrubber, provider};
use throughline_protocol::session::{
    Call, Fork, HostResult, LoadCassette, Open, Request, Response, SetClock, SetModel,
};
use throughline_protocol::{Command, Outcome, Refusal};
use throughline_store::{Snapshot, Store, StoreError};
use throughline_value::{Map, SortedMap, Value, from_node, hex, json, to_value, to_wire};

use crate::aside;
use crate::host::Host;
use crate::running::{Running, closed, refusal};
use crate::{MAX_IMPORT_BYTES, MAX_MESSAGE_BYTES};

/// Where the session is in its life.
enum State {
    New,
    /// Whoever asks meanwhile waits for the same opening.
    Opening(Vec<oneshot::Sender<()>>),
    Open(Rc<Running>),
    /// It could not be opened. Its bytes can still be exported, and another file imported.
    Failed(Box<Failure>),
    Closed,
}

struct Failure {
    why: Refusal,
    store: Option<Rc<dyn Store>>,
    open: Open,
}

/// One session, from opening to closing. Clones are the same session.
#[derive(Clone)]
pub struct Session {
    host: Rc<dyn Host>,
    state: Rc<RefCell<State>>,
    /// What ends the calls that can be ended.
    stops: Rc<RefCell<SortedMap<u64, oneshot::Sender<()>>>>,
}

/// The name of a fact that is asked for again and again, and where it was found last.
#[derive(Clone, Debug)]
pub struct FactName {
    pub(crate) subject: String,
    pub(crate) key: String,
    pub(crate) place: FactPlace,
}

impl FactName {
    /// The fact of this subject and key.
    #[must_use]
    pub fn new(subject: String, key: String) -> Self {
        Self { subject, key, place: FactPlace::default() }
    }
}

impl Session {
    /// Looks at the memory as it is folded now; `None` while no journal is open.
    pub fn with_memory<T>(&self, look: impl FnOnce(&throughline_engine::Memory) -> T) -> Option<T> {
        match &*self.state.borrow() {
            State::Open(running) => Some(running.with_memory(look)),
            _ => None,
        }
    }

    /// Looks at a fact's value as of a record, or of now; `None` when nothing is known.
    pub fn with_fact<T>(&self, fact: &mut FactName, seq: Option<Seq>, look: impl FnOnce(&Value) -> T) -> Option<T> {
        match &*self.state.borrow() {
            State::Open(running) => running.fact(fact, seq, look),
            _ => None,
        }
    }

    /// Remembers columns, without a text of their command in between; gives the outcome as a text for `JSON.parse`.
    pub async fn remember(&self, columns: Columns, meta: throughline_protocol::Meta) -> Result<String, Refusal> {
        let scrubber = self.scrubber();
        let mut columns = columns;
        let names = columns.kinds.iter_mut().chain(&mut columns.entities);
        // The model's key is no part of anything that is recorded, whoever says it.
        names.filter(|name| scrubber.finds(name)).for_each(|name| *name = scrubber.exact(std::mem::take(name)));
        if scrubber.finds(&columns.text) {
            columns.each_text(|text| scrubber.exact(text.to_owned()));
        }
        let running = self.running().await?;
        let command = running.with_memory(|memory| memory.columns_command(columns));
        let outcome: Outcome = running.command(Command::RememberColumns(command), meta).await?;
        Ok(to_wire(&to_value(&outcome)?).to_json())
    }

    /// A session that is not opened yet.
    #[must_use]
    pub fn new(host: Rc<dyn Host>) -> Self {
        Self { host, state: Rc::new(RefCell::new(State::New)), stops: Rc::default() }
    }

    /// Takes a request and gives its response; never fails otherwise.
    pub async fn request(&self, text: &str) -> String {
        let mut read_text = read(text);
        // The model's key is no part of anything that is recorded, whoever says it.
        let for_models = |call: &Call| matches!(call, Call::SetModel(_) | Call::Complete(_) | Call::TestModel(_));
        if !read_text.as_ref().is_ok_and(|request| for_models(&request.call)) {
            let scrubber = self.scrubber();
            if scrubber.finds(text) {
                read_text = read(&scrubber.exact(text.to_owned()));
            }
        }
        let (id, answer) = match read_text {
            Ok(request) => (request.id, self.call(request.id, request.call).await),
            Err(Unread { id, refusal, command: Some(command) }) => (id, self.refuse(command, refusal).await),
            Err(Unread { id, refusal, command: None }) => (id, Err(refusal)),
        };
        let response = match answer {
            Ok(result) => Response { id, result, error: None },
            Err(error) => Response { id, result: Value::Null, error: Some(error) },
        };
        // A response of numbers, texts and values can always be written.
        to_wire(&to_value(&response).unwrap_or_default()).to_json()
    }

    /// Takes what the host's tool or model gave.
    ///
    /// # Errors
    /// When the text is no such message.
    pub fn host_result(&self, text: &str) -> Result<(), Refusal> {
        let given: HostResult = from_node(&json::read(&self.scrubber().exact(text.to_owned()))?)?;
        let running = if let State::Open(running) = &*self.state.borrow() { Some(Rc::clone(running)) } else { None };
        if let Some(running) = running {
            running.host_result(given);
        }
        Ok(())
    }

    /// What takes the model's key out of texts.
    fn scrubber(&self) -> Scrubber {
        match &*self.state.borrow() {
            State::Open(running) => running.scrubber(),
            _ => Scrubber::default(),
        }
    }

    async fn call(&self, id: u64, call: Call) -> Result<Value, Refusal> {
        match call {
            Call::Open(open) => self.open(open).await,
            Call::Execute(execute) => {
                let outcome: Outcome = self.running().await?.execute(execute.command, execute.meta).await?;
                Ok(to_value(&outcome)?)
            }
            Call::Ask(ask) => self.running().await?.query(&ask.query).await,
            Call::FetchRows(fetch) => self.running().await?.fetch_rows(&fetch.rows).await,
            Call::Export(_) => self.export().await,
            Call::Import(import) => self.import(&import.text).await,
            Call::Verify(_) => self.verify().await,
            Call::SetClock(SetClock { now, advance }) => {
                let now = self.running().await?.set_clock(now, advance).await?;
                Ok(Value::from([("now", now)]))
            }
            Call::LoadCassette(LoadCassette { text }) if text.is_empty() => {
                self.running().await?.load(None);
                Ok(Value::from([("exchanges", 0)]))
            }
            Call::LoadCassette(LoadCassette { text }) => {
                let cassette = Cassette::read(&text).map_err(|e| {
                    let details = Value::from([("line", Value::from(e.line)), ("byte", Value::from(e.byte))]);
                    Refusal::new(&e.code, e.to_string()).at_path("/text").with(details)
                })?;
                let exchanges = cassette.entries().len();
                self.running().await?.load(Some(Player::new(cassette)));
                Ok(Value::from([("exchanges", exchanges)]))
            }
            Call::Fork(fork) => self.fork(&fork).await,
            Call::Fault(fault) => {
                self.running().await?.harm(fault);
                Ok(Value::Null)
            }
            Call::SetModel(SetModel { settings }) => {
                let mut attached = Map::new();
                if let Some(settings) = &settings {
                    provider::check(settings)?;
                    attached.insert("provider".into(), settings.provider.as_str().into());
                    attached.insert("model".into(), settings.model.as_str().into());
                    attached.insert("endpoint".into(), provider::endpoint(settings)?.into());
                }
                self.running().await?.set_model(settings);
                Ok(Value::Map(attached))
            }
            Call::Complete(complete) => self.stoppable(id, aside::complete(Rc::clone(&self.host), id, complete)).await,
            Call::TestModel(test) => {
                let host = Rc::clone(&self.host);
                self.stoppable(id, async { Ok(aside::test_model(host, test.settings).await) }).await
            }
            Call::Abort(abort) => {
                // Dropping what it waits on ends it.
                let stop = self.stops.borrow_mut().remove(&abort.request);
                Ok(Value::Bool(stop.is_some()))
            }
            Call::ReadStructured(call) => Ok(aside::read_structured(&call)),
            Call::Record(record) => Ok(self.running().await?.record(record.on)),
            Call::Close(_) => {
                self.opened().await;
                let before = std::mem::replace(&mut *self.state.borrow_mut(), State::Closed);
                match before {
                    State::Open(running) => running.close().await,
                    State::Failed(failure) => {
                        if let Some(store) = failure.store {
                            store.close();
                        }
                    }
                    State::New | State::Opening(_) | State::Closed => {}
                }
                Ok(Value::Null)
            }
        }
    }

    /// Goes on with `work` until it is done or ended by its id.
    async fn stoppable(&self, id: u64, work: impl Future<Output = Result<Value, Refusal>>) -> Result<Value, Refusal> {
        let (stop, mut stopped) = oneshot::channel();
        self.stops.borrow_mut().insert(id, stop);
        let mut work = Box::pin(work);
        let done = std::future::poll_fn(|cx| {
            if let Poll::Ready(done) = work.as_mut().poll(cx) {
                return Poll::Ready(done);
            }
            Pin::new(&mut stopped).poll(cx).map(|_| Err(aside::aborted()))
        });
        let done = done.await;
        self.stops.borrow_mut().remove(&id);
        done
    }

    async fn open(&self, open: Open) -> Result<Value, Refusal> {
        match &*self.state.borrow() {
            State::New | State::Failed(_) => {}
            State::Opening(_) | State::Open(_) => {
                return Err(Refusal::new(
                    "already-open",
                    "this session has a journal; use another session for another one",
                ));
            }
            State::Closed => return Err(closed()),
        }
        if open.name.is_empty() {
            return Err(Refusal::new("missing-name", "a journal is opened by a name").at_path("/name"));
        }
        if let Some(clock) = open.clock {
            crate::clock::in_range(clock).map_err(|refusal| refusal.at_path("/clock"))?;
        }
        *self.state.borrow_mut() = State::Opening(Vec::new());
        let store = self.host.store(open.storage, &open.name);
        let result = match &store {
            Ok(store) => self.read(store, &open).await,
            Err(why) => Err(why.clone()),
        };
        let fail = |why: Refusal, store| {
            (State::Failed(Box::new(Failure { why: why.clone(), store, open: open.clone() })), Err(why))
        };
        let (state, answer) = match (result, store) {
            (Ok((journal, snapshot)), Ok(store)) => {
                let (host, own) = (Rc::clone(&self.host), Rc::clone(&store));
                let running = Running::start(host, own, journal, snapshot.as_ref(), open.clone());
                drop(snapshot);
                match running.status().await {
                    Ok(status) => (State::Open(running), Ok(status)),
                    // A body that is damaged, when all had to be read.
                    Err(why) => fail(why, Some(store)),
                }
            }
            (Err(why), store) => fail(why, store.ok()),
            (Ok(_), Err(why)) => fail(why, None),
        };
        let before = std::mem::replace(&mut *self.state.borrow_mut(), state);
        if let State::Opening(waiting) = before {
            for one in waiting {
                // Nobody waits any more: then nobody needs to know.
                let _ = one.send(());
            }
        }
        answer
    }

    async fn read(&self, store: &Rc<dyn Store>, open: &Open) -> Result<(Journal, Option<Snapshot>), Refusal> {
        let fresh = open.id.clone().unwrap_or_else(|| self.host.fresh_id());
        if open.salvage {
            let salvaged = store.salvage().await.map_err(|error| refusal(&error))?;
            return Ok((salvaged.journal, None));
        }
        let journal = store.open(&fresh).await.map_err(|error| refusal(&error))?;
        // Without large bodies there is nothing to spare; one that cannot be read is none.
        let cold = journal.frames().iter().any(throughline_journal::Frame::is_cold);
        let snapshot = if cold { store.snapshot().await.ok().flatten() } else { None };
        Ok((journal, snapshot))
    }

    /// Waits until it is decided whether the session is open.
    async fn opened(&self) {
        let wait = match &mut *self.state.borrow_mut() {
            State::Opening(waiting) => {
                let (send, receive) = oneshot::channel();
                waiting.push(send);
                Some(receive)
            }
            _ => None,
        };
        if let Some(wait) = wait {
            // An opening that was dropped has not opened.
            let _ = wait.await;
        }
    }

    async fn running(&self) -> Result<Rc<Running>, Refusal> {
        self.opened().await;
        match &*self.state.borrow() {
            State::Open(running) => Ok(Rc::clone(running)),
            State::Failed(failure) => Err(failure.why.clone()),
            State::Closed => Err(closed()),
            State::New | State::Opening(_) => Err(Refusal::new("not-open", "open a journal first")),
        }
    }

    /// The store, also of a journal that could not be opened.
    async fn store(&self) -> Result<Rc<dyn Store>, Refusal> {
        self.opened().await;
        match &*self.state.borrow() {
            State::Open(running) => Ok(Rc::clone(running.store())),
            State::Failed(failure) => failure.store.clone().ok_or_else(|| failure.why.clone()),
            State::Closed => Err(closed()),
            State::New | State::Opening(_) => Err(Refusal::new("not-open", "open a journal first")),
        }
    }

    async fn export(&self) -> Result<Value, Refusal> {
        let store = self.store().await?;
        let open = if let State::Open(running) = &*self.state.borrow() { Some(Rc::clone(running)) } else { None };
        let exported = |text: String, seq: u64, chain: String| {
            Value::from([("text", Value::from(text)), ("seq", Value::from(seq)), ("chain", Value::from(chain))])
        };
        if let Some(running) = open {
            let now = running.now();
            return running
                .with_whole_journal(|journal| {
                    let head = journal.head();
                    exported(journal.export(now), head.seq, head.chain)
                })
                .await;
        }
        // Nothing is interpreted: these are the bytes for whoever can make something of them.
        let raw = store.raw().await.map_err(|error| refusal(&error))?;
        let segments = raw.iter().map(|(first, bytes)| {
            Value::from([("first", Value::from(*first)), ("hex", Value::from(hex::encode(bytes)))])
        });
        let file =
            Value::from([("throughline", Value::from("raw")), ("segments", segments.collect::<Vec<_>>().into())]);
        Ok(exported(file.to_json(), 0, String::new()))
    }

    /// A command that came with something that cannot be read.
    async fn refuse(&self, command: String, refusal: Refusal) -> Result<Value, Refusal> {
        let outcome: Outcome = self.running().await?.refuse(command, refusal).await?;
        Ok(to_value(&outcome)?)
    }

    async fn fork(&self, fork: &Fork) -> Result<Value, Refusal> {
        let running = self.running().await?;
        running.alive()?;
        running.settled().await;
        let now = running.now();
        let forked = running.with_whole_journal(|journal| throughline_engine::fork(journal, fork)).await??;
        Ok(Value::from([("text", Value::from(forked.journal.export(now))), ("report", to_value(&forked.report)?)]))
    }

    async fn import(&self, text: &str) -> Result<Value, Refusal> {
        if text.len() > MAX_IMPORT_BYTES {
            let message = format!("a file of over {MAX_IMPORT_BYTES} bytes is not imported");
            return Err(Refusal::new("import-too-large", message).at_path("/text"));
        }
        let journal = throughline_journal::import(text).map_err(|e| {
            let details = Value::from([("byte", Value::from(e.byte())), ("frame", Value::from(e.frame()))]);
            Refusal::new(e.code(), e.to_string()).at_path("/text").with(details)
        })?;
        self.opened().await;
        self.begin_anew().await?;
        let running = self.running().await?;
        running.import(journal).await?;
        running.status().await
    }

    /// A journal that the browser removed is made anew, empty, for a copy of it to be imported.
    async fn begin_anew(&self) -> Result<(), Refusal> {
        let wiped = match &*self.state.borrow() {
            State::Failed(failure) if failure.why.code == "store-wiped" => {
                failure.store.clone().map(|store| (store, failure.open.clone()))
            }
            _ => None,
        };
        let Some((store, open)) = wiped else { return Ok(()) };
        store.remove().await.map_err(|error| refusal(&error))?;
        self.open(open).await.map(drop)
    }

    /// Reads everything that is stored again, and replays it.
    async fn verify(&self) -> Result<Value, Refusal> {
        let store = self.store().await?;
        if let State::Open(running) = &*self.state.borrow() {
            running.alive()?;
        }
        let (journal, damage) = match store.salvage().await {
            Ok(salvaged) => (salvaged.journal, salvaged.damage),
            Err(error @ (StoreError::Unreadable(_) | StoreError::Newer)) => (Journal::new(""), Some(error)),
            Err(error) => return Err(refusal(&error)),
        };
        let seq = journal.head().seq;
        Ok(Value::from([
            ("ok", Value::from(damage.is_none())),
            ("seq", Value::from(seq)),
            ("digests", to_value(&digests_of(&journal, seq))?),
            ("error", damage.map(|error| to_value(&refusal(&error))).transpose()?.unwrap_or_default()),
        ]))
    }
}

/// A request that cannot be read.
struct Unread {
    id: u64,
    refusal: Refusal,
    /// The command that came with it, when something beside it is wrong: then the refusal is put on record.
    command: Option<String>,
}

impl From<(u64, Refusal)> for Unread {
    fn from((id, refusal): (u64, Refusal)) -> Self {
        Self { id, refusal, command: None }
    }
}

/// Reads a request. What is wrong with it goes back under its id, when it has one.
fn read(text: &str) -> Result<Request, Unread> {
    if text.len() > MAX_MESSAGE_BYTES {
        let message = format!("a message of over {MAX_MESSAGE_BYTES} bytes is not read");
        return Err((0, Refusal::new("message-too-large", message)).into());
    }
    let node = json::read(text).map_err(|error| (0, Refusal::from(error)))?;
    let id = node.get("id").and_then(|id| id.clone().into_value().as_i64()).and_then(|id| u64::try_from(id).ok());
    let id = id.unwrap_or(0);
    let call = node
        .get("call")
        .ok_or_else(|| (id, Refusal::new("missing-field", "a request has a `call`").at_path("/call")))?;
    Call::from_node(call).map(|call| Request { id, call }).map_err(|refusal| {
        let text = |name: &str| call.get(name).and_then(|node| node.clone().into_value().as_str().map(str::to_owned));
        let beside = refusal.path.as_deref().is_some_and(|path| path == "/meta" || path.starts_with("/meta/"));
        let command = text("command").filter(|_| beside && text("type").as_deref() == Some("execute"));
        Unread { id, refusal, command }
    })
}
