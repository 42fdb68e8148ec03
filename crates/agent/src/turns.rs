//! The turns of every thread, folded from the journal.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

use serde::{Deserialize, Serialize};
use throughline_journal::{Digest, Journal, Millis, Record, Seq};
use throughline_protocol::view::{AnswerView, AskView, StageView, TurnView};
use throughline_value::{SortedMap, SortedSet, Value, from_value};

use crate::metrics::Figures;
use crate::turn::parts::{Parts, REQUESTED};

/// The five stages, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// What does the user want, and what does the text say?
    Interpret,
    /// Which things are these?
    Ground,
    /// What do the sources say?
    Gather,
    /// What is to be done?
    Decide,
    /// What is to be said?
    Respond,
}

impl Stage {
    /// The stage's name in records and views.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Interpret => "interpret",
            Self::Ground => "ground",
            Self::Gather => "gather",
            Self::Decide => "decide",
            Self::Respond => "respond",
        }
    }

    /// The stage after this one.
    #[must_use]
    pub fn next(self) -> Option<Self> {
        match self {
            Self::Interpret => Some(Self::Ground),
            Self::Ground => Some(Self::Gather),
            Self::Gather => Some(Self::Decide),
            Self::Decide => Some(Self::Respond),
            Self::Respond => None,
        }
    }
}

/// `turn.started`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "open")]
pub struct TurnStarted {
    /// What the user said.
    pub text: String,
    /// The language of the answer.
    pub language: String,
}

/// `turn.stage_started`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "open")]
pub struct StageStarted {
    /// Which.
    pub stage: Stage,
    /// What goes in.
    #[serde(default)]
    pub input: Value,
}

/// `turn.stage_finished`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "open")]
pub struct StageFinished {
    /// Which.
    pub stage: Stage,
    /// `done` or `fallback`.
    pub verdict: String,
    /// What came out.
    #[serde(default)]
    pub output: Value,
}

/// `exchange.requested`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "open")]
pub struct ExchangeRequested {
    /// Its id: `x<seq of the turn>.<purpose>.<attempt>`.
    pub exchange: String,
    /// The stage it is for, or `plan`.
    pub purpose: String,
    /// From 1.
    pub attempt: u32,
    /// The whole request.
    pub request: Value,
}

/// `exchange.finished`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "open")]
pub struct ExchangeFinished {
    /// Its id.
    pub exchange: String,
    /// `done`, `truncated`, `refused`, `interrupted` or `failed`.
    pub ending: String,
    /// The reply's text.
    #[serde(default)]
    pub text: String,
    /// What the model thought aloud; kept for audit, counts for nothing.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub thinking: String,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// In words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Tokens, as the model counted them or as estimated.
    #[serde(default)]
    pub usage: Value,
    /// The bytes that came, as text.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub raw: String,
    /// Why the model declined, where it says so apart.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub refusal: String,
    /// The tool calls as the model wrote them; nothing runs from here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<throughline_model::ToolCall>,
    /// The provider that answered; empty for a recording or a model of the host.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub provider: String,
    /// The model's name there.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// How the reply is written, where it is no chat completion.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub wire: String,
    /// The HTTP status, where it is not 200.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The attempts of the transport, where there were several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempts: Option<u32>,
    /// From the request to the first byte, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_byte_ms: Option<i64>,
    /// From the request to the end, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<i64>,
    /// When the pieces came: pairs of milliseconds since the request and bytes so far.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timing: Vec<(i64, u64)>,
    /// What it cost, in the currency of the prices that were given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<throughline_value::Number>,
}

/// `proposal.refused`: what a model proposed and does not hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "open")]
pub struct ProposalRefused {
    /// `proposal-refused`, or `reply-truncated` and the like when the reply did not end well.
    pub code: String,
    /// Everything that is wrong, as the model is told.
    pub message: String,
    /// The stage it was for, or `plan`; `propose` when it came from outside of a turn.
    pub purpose: String,
    /// The exchange it came in; empty when it came from outside of a turn.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub exchange: String,
    /// What was wrong, one by one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

/// `turn.run_started`: the run that gathers for the turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "open")]
pub struct TurnRun {
    /// The run.
    pub run: String,
    /// Whether its plan is the domain's, instead of one that the model should have written.
    #[serde(default)]
    pub instead: bool,
}

/// `turn.asked`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "open")]
pub struct TurnAsked {
    /// Its id.
    pub ask: String,
    /// The question.
    pub question: String,
    /// Possible answers.
    pub options: Vec<Value>,
    /// What waits for it.
    #[serde(default)]
    pub about: Value,
}

/// `turn.ask_settled`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "open")]
pub struct AskSettled {
    /// Its id.
    pub ask: String,
    /// The answer.
    pub answer: Value,
}

/// `turn.failed` and `turn.stopped`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename = "open")]
pub struct TurnEnded {
    /// The code of what went wrong.
    #[serde(default)]
    pub code: String,
    /// In words.
    #[serde(default)]
    pub message: String,
}

/// The answer to a question and its record; none while it is open.
pub type Settled = Option<(Value, Seq)>;

/// One exchange of a turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Exchange {
    /// What was asked.
    pub requested: ExchangeRequested,
    /// The record of it.
    pub seq: Seq,
    /// What came, and the record of it.
    pub finished: Option<(ExchangeFinished, Seq)>,
    /// What was wrong with it, once that is recorded.
    pub refused: Option<ProposalRefused>,
}

/// A turn as it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Its thread.
    pub thread: String,
    /// Its number.
    pub turn: u32,
    /// How it began.
    pub started: TurnStarted,
    /// The record of that.
    pub seq: Seq,
    /// The record of its last change.
    pub last_seq: Seq,
    /// The stage it is in, and the record of the stage's begin.
    pub stage: Option<(Stage, Seq)>,
    /// What came out of each finished stage.
    pub outputs: SortedMap<Stage, (StageFinished, Seq)>,
    /// Its exchanges.
    pub exchanges: Vec<Exchange>,
    /// The run that gathers for it.
    pub run: Option<String>,
    /// Whether its plan is the domain's, instead of one that the model should have written.
    pub run_instead: bool,
    /// The question that it waits for.
    pub asks: Vec<(TurnAsked, Seq, Settled)>,
    /// The answer.
    pub answer: Option<AnswerView>,
    /// `running`, `waiting`, `answered`, `stopped` or `failed`.
    pub status: &'static str,
    /// When it began.
    pub began_at: Millis,
    /// When it last changed.
    pub last_at: Millis,
    stages: Vec<StageView>,
    stage_began: Millis,
}

impl Turn {
    fn begin(record: &Record, started: TurnStarted) -> Self {
        Self {
            thread: record.thread.clone(),
            turn: record.turn,
            started,
            seq: record.seq,
            last_seq: record.seq,
            stage: None,
            outputs: SortedMap::new(),
            exchanges: Vec::new(),
            run: None,
            run_instead: false,
            asks: Vec::new(),
            answer: None,
            status: "running",
            began_at: record.recorded_at,
            last_at: record.recorded_at,
            stages: Vec::new(),
            stage_began: record.recorded_at,
        }
    }

    /// The stages that it went through.
    #[must_use]
    pub fn stages(&self) -> &[StageView] {
        &self.stages
    }

    /// The exchanges for one purpose, oldest first.
    pub fn exchanges_for(&self, purpose: &str) -> impl DoubleEndedIterator<Item = &Exchange> {
        self.exchanges.iter().filter(move |x| x.requested.purpose == purpose)
    }

    /// What came out of a finished stage.
    #[must_use]
    pub fn output(&self, stage: Stage) -> &Value {
        static NULL: Value = Value::Null;
        self.outputs.get(&stage).map_or(&NULL, |(finished, _)| &finished.output)
    }

    /// Whether it goes on by itself.
    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self.status, "running" | "waiting")
    }

    fn apply(&mut self, record: &Record, parts: &Parts) -> Option<()> {
        let data = record.data();
        match record.kind.as_str() {
            "turn.stage_started" => {
                let started: StageStarted = from_value(data).ok()?;
                self.stage = Some((started.stage, record.seq));
                self.stage_began = record.recorded_at;
                self.stages.push(StageView {
                    stage: started.stage.name().to_owned(),
                    verdict: "running".to_owned(),
                    input: started.input,
                    seq: record.seq,
                    ..StageView::default()
                });
            }
            "turn.stage_finished" => {
                let finished: StageFinished = from_value(data).ok()?;
                if let Some(view) = self.stages.last_mut() {
                    view.verdict.clone_from(&finished.verdict);
                    view.output = finished.output.clone();
                    view.duration = Some(record.recorded_at - self.stage_began);
                    view.seq = record.seq;
                }
                self.stage = None;
                self.outputs.insert(finished.stage, (finished, record.seq));
            }
            REQUESTED => {
                let requested = from_value(&parts.whole(data)).ok()?;
                self.exchanges.push(Exchange { requested, seq: record.seq, finished: None, refused: None });
            }
            "exchange.finished" | "exchange.failed" => {
                let finished: ExchangeFinished = from_value(data).ok()?;
                let exchange = self.exchanges.iter_mut().find(|x| x.requested.exchange == finished.exchange)?;
                exchange.finished = Some((finished, record.seq));
            }
            "proposal.refused" => {
                let refused: ProposalRefused = from_value(data).ok()?;
                // One from outside of a turn is about no exchange of it.
                let exchange = self.exchanges.iter_mut().find(|x| x.requested.exchange == refused.exchange);
                if let Some(exchange) = exchange {
                    exchange.refused = Some(refused);
                }
            }
            "turn.run_started" => {
                let started: TurnRun = from_value(data).ok()?;
                self.run = Some(started.run);
                self.run_instead = started.instead;
            }
            // What is over does not begin again.
            "turn.asked" if !self.is_open() => return None,
            "turn.asked" => {
                self.asks.push((from_value(data).ok()?, record.seq, None));
                self.status = "waiting";
            }
            "turn.ask_settled" => {
                let settled: AskSettled = from_value(data).ok()?;
                let ask = self.asks.iter_mut().find(|(ask, ..)| ask.ask == settled.ask)?;
                ask.2 = Some((settled.answer, record.seq));
                if self.status == "waiting" && self.asks.iter().all(|(.., settled)| settled.is_some()) {
                    self.status = "running";
                }
            }
            "turn.answered" => {
                self.answer = Some(from_value(data).ok()?);
                self.status = "answered";
            }
            "turn.stopped" => self.status = "stopped",
            "turn.failed" => self.status = "failed",
            _ => return Some(()),
        }
        self.last_seq = record.seq;
        self.last_at = record.recorded_at;
        Some(())
    }

    /// The turn for people and programs.
    #[must_use]
    pub fn view(&self) -> TurnView {
        TurnView {
            thread: self.thread.clone(),
            turn: self.turn,
            text: self.started.text.clone(),
            language: self.started.language.clone(),
            status: self.status.to_owned(),
            stages: self.stages.clone(),
            answer: self.answer.clone(),
            ask: self.asks.last().map(|(ask, _, settled)| AskView {
                id: ask.ask.clone(),
                question: ask.question.clone(),
                options: ask.options.clone(),
                settled: settled.is_some(),
            }),
            seq: self.seq,
            last_seq: self.last_seq,
        }
    }
}

/// The turns of every thread. Of one that is over little is kept, however much was said in it: what it was is folded
/// from its records when somebody asks.
///
/// What goes on at a moment looks at open turns only, however many there were.
#[derive(Clone, Debug, Default)]
pub struct Turns {
    turns: Vec<Log>,
    by_thread: BTreeMap<Rc<str>, SortedMap<u32, usize>>,
    open: SortedSet<usize>,
    by_ask: BTreeMap<String, usize>,
    /// What the requests to models have in common.
    pub parts: Parts,
    /// Records of turns that could not be read.
    pub quarantined: u64,
}

/// A turn, and what stands for its records in the digest of everything.
#[derive(Clone, Debug)]
struct Log {
    thread: Rc<str>,
    turn: u32,
    /// Its first record and its last.
    seq: Seq,
    end: Seq,
    history: [u8; 32],
    now: Now,
}

#[derive(Clone, Debug)]
enum Now {
    Open(Box<Turn>),
    Over(Over),
}

/// What is kept of a turn that is over.
#[derive(Clone, Debug)]
struct Over {
    status: &'static str,
    text: [u8; 32],
    answer: [u8; 32],
    /// The exchanges that had not ended, where it was stopped.
    unfinished: Vec<String>,
    /// Whether it asked a person.
    asked: bool,
    /// What of it is counted; `None` once something came late.
    figures: Option<Box<Figures>>,
}

fn hash(text: &str) -> [u8; 32] {
    let mut digest = Digest::new("text");
    digest.text(text);
    digest.finish_bytes()
}

fn answered(answer: Option<&AnswerView>) -> [u8; 32] {
    hash(answer.map_or("", |answer| &answer.text))
}

impl Over {
    fn of(turn: &Turn, thread: &Rc<str>) -> Self {
        let open = turn.exchanges.iter().filter(|x| x.finished.is_none());
        Self {
            status: turn.status,
            text: hash(&turn.started.text),
            answer: answered(turn.answer.as_ref()),
            unfinished: open.map(|x| x.requested.exchange.clone()).collect(),
            asked: !turn.asks.is_empty(),
            figures: Some(Box::new(Figures::of(turn, thread))),
        }
    }

    /// Takes what comes when all is over. False when it is about nothing of the turn.
    fn apply(&mut self, record: &Record) -> bool {
        self.figures = None;
        match record.kind.as_str() {
            "exchange.finished" | "exchange.failed" => {
                let name = record.data().get("exchange").and_then(Value::as_str);
                let Some(place) = self.unfinished.iter().position(|one| Some(one.as_str()) == name) else {
                    return false;
                };
                self.unfinished.remove(place);
            }
            "turn.answered" => {
                self.answer = answered(from_value(record.data()).ok().as_ref());
                self.status = "answered";
            }
            "turn.stopped" => self.status = "stopped",
            "turn.failed" => self.status = "failed",
            "turn.asked" => return false,
            _ => {}
        }
        true
    }
}

impl Log {
    fn begin(record: &Record, started: TurnStarted, thread: Rc<str>) -> Self {
        let now = Now::Open(Box::new(Turn::begin(record, started)));
        let (seq, turn) = (record.seq, record.turn);
        let mut this = Self { thread, turn, seq, end: seq, history: [0; 32], now };
        this.note(record);
        this
    }

    fn note(&mut self, record: &Record) {
        let mut digest = Digest::new("turn");
        digest.bytes(&self.history);
        digest.text(&record.kind);
        digest.value(record.data());
        self.history = digest.finish_bytes();
        self.end = record.seq;
    }

    fn open(&self) -> Option<&Turn> {
        match &self.now {
            Now::Open(turn) => Some(turn),
            Now::Over(_) => None,
        }
    }

    /// The turn as it stood after record `seq`.
    fn until(&self, journal: &Journal, seq: Seq, parts: &Parts) -> Option<Cow<'_, Turn>> {
        if self.seq > seq {
            return None;
        }
        if let Some(turn) = self.open()
            && turn.last_seq <= seq
        {
            return Some(Cow::Borrowed(turn));
        }
        let began = journal.record(self.seq)?;
        let nothing = || TurnStarted { text: String::new(), language: String::new() };
        let mut past = Turn::begin(began, from_value(began.data()).unwrap_or_else(|_| nothing()));
        let until = seq.min(self.end);
        for record in journal.records_from(self.seq + 1).take_while(|record| record.seq <= until) {
            if record.turn == self.turn && *record.thread == *self.thread && is_kept(&record.kind) {
                past.apply(record, parts);
            }
        }
        Some(Cow::Owned(past))
    }
}

/// Whether the turns keep records of this kind.
fn is_kept(kind: &str) -> bool {
    kind.starts_with("turn.") || kind.starts_with("exchange.") || kind == "proposal.refused"
}

impl Turns {
    /// Folds one record.
    pub fn evolve(&mut self, record: &Record) {
        if !is_kept(&record.kind) {
            return;
        }
        if record.kind == REQUESTED {
            self.parts.take(record.data());
        }
        if record.kind == "turn.started" {
            let Ok(started) = from_value(record.data()) else {
                self.quarantined += 1;
                return;
            };
            let place = self.turns.len();
            let known = self.by_thread.get_key_value(record.thread.as_str()).map(|(thread, _)| Rc::clone(thread));
            let thread = known.unwrap_or_else(|| record.thread.as_str().into());
            self.by_thread.entry(Rc::clone(&thread)).or_default().insert(record.turn, place);
            self.open.insert(place);
            self.turns.push(Log::begin(record, started, thread));
            return;
        }
        let Some(place) = self.place(&record.thread, record.turn) else {
            // What is proposed outside of a turn belongs to none.
            self.quarantined += u64::from(record.kind != "proposal.refused");
            return;
        };
        let Some(log) = self.turns.get_mut(place) else { return };
        log.note(record);
        let turn = match &mut log.now {
            Now::Open(turn) => turn,
            Now::Over(over) => {
                self.quarantined += u64::from(!over.apply(record));
                return;
            }
        };
        if turn.apply(record, &self.parts).is_none() {
            self.quarantined += 1;
        }
        if record.kind == "turn.asked"
            && let Some((ask, ..)) = turn.asks.last()
        {
            self.by_ask.insert(ask.ask.clone(), place);
        }
        if !turn.is_open() {
            let over = Over::of(turn, &log.thread);
            log.now = Now::Over(over);
            self.open.remove(&place);
        }
    }

    fn place(&self, thread: &str, turn: u32) -> Option<usize> {
        self.by_thread.get(thread)?.get(&turn).copied()
    }

    fn newest_of(&self, thread: &str) -> Option<&Log> {
        self.turns.get(*self.by_thread.get(thread)?.values().next_back()?)
    }

    /// The open turn with this number.
    #[must_use]
    pub fn get(&self, thread: &str, turn: u32) -> Option<&Turn> {
        self.turns.get(self.place(thread, turn)?)?.open()
    }

    /// Whether a turn waits for this exchange, be it over or not.
    #[must_use]
    pub fn awaits(&self, thread: &str, turn: u32, exchange: &str) -> bool {
        let log = self.place(thread, turn).and_then(|place| self.turns.get(place));
        log.is_some_and(|log| match &log.now {
            Now::Open(turn) => turn.exchanges.iter().any(|x| x.requested.exchange == exchange && x.finished.is_none()),
            Now::Over(over) => over.unfinished.iter().any(|one| one == exchange),
        })
    }

    /// The number of a thread's newest turn; 0 when there is none.
    #[must_use]
    pub fn newest(&self, thread: &str) -> u32 {
        self.newest_of(thread).map_or(0, |log| log.turn)
    }

    /// The newest turn of a thread, when it is open.
    #[must_use]
    pub fn newest_open(&self, thread: &str) -> Option<&Turn> {
        self.newest_of(thread)?.open()
    }

    /// The newest turn of a thread, be it over or not, as it stood after record `seq`.
    #[must_use]
    pub fn newest_at(&self, journal: &Journal, seq: Seq, thread: &str) -> Option<Cow<'_, Turn>> {
        self.newest_of(thread)?.until(journal, seq, &self.parts)
    }

    /// The turns that go on by themselves or wait for a person.
    pub fn open(&self) -> impl Iterator<Item = &Turn> {
        self.open.iter().filter_map(|place| self.turns.get(*place)?.open())
    }

    /// Whether a turn asked this.
    #[must_use]
    pub fn has_asked(&self, ask: &str) -> bool {
        self.by_ask.contains_key(ask)
    }

    /// The open turn that an unsettled or settled question belongs to.
    #[must_use]
    pub fn of_ask(&self, ask: &str) -> Option<&Turn> {
        self.turns.get(*self.by_ask.get(ask)?)?.open()
    }

    fn of_thread<'a>(&'a self, thread: Option<&'a str>) -> impl Iterator<Item = &'a Log> {
        self.turns.iter().filter(move |log| thread.is_none_or(|thread| *thread == *log.thread))
    }

    /// The turns as they stood after record `seq`, oldest first.
    pub fn until<'a>(
        &'a self,
        journal: &'a Journal,
        seq: Seq,
        thread: Option<&'a str>,
    ) -> impl Iterator<Item = Cow<'a, Turn>> {
        self.of_thread(thread).filter_map(move |log| log.until(journal, seq, &self.parts))
    }

    /// What is counted of the turns as they stood after record `seq`, oldest first.
    pub fn figures<'a>(
        &'a self,
        journal: &'a Journal,
        seq: Seq,
        thread: Option<&'a str>,
    ) -> impl Iterator<Item = Cow<'a, Figures>> {
        self.of_thread(thread).filter_map(move |log| match &log.now {
            Now::Over(Over { figures: Some(figures), .. }) if log.end <= seq => Some(Cow::Borrowed(&**figures)),
            _ => Some(Cow::Owned(Figures::of(&*log.until(journal, seq, &self.parts)?, &log.thread))),
        })
    }

    /// Those of the turns that have asked a person, as they stood after record `seq`.
    pub fn that_asked<'a>(&'a self, journal: &'a Journal, seq: Seq) -> impl Iterator<Item = Cow<'a, Turn>> {
        let asked = self.turns.iter().filter(|log| match &log.now {
            Now::Open(turn) => !turn.asks.is_empty(),
            Now::Over(over) => over.asked,
        });
        asked.filter_map(move |log| log.until(journal, seq, &self.parts))
    }

    /// One turn as it stood after record `seq`.
    #[must_use]
    pub fn one(&self, journal: &Journal, seq: Seq, thread: &str, turn: u32) -> Option<Cow<'_, Turn>> {
        self.turns.get(self.place(thread, turn)?)?.until(journal, seq, &self.parts)
    }

    /// Adds every version of everything.
    pub fn digest_history(&self, digest: &mut Digest) {
        digest.text("turns");
        self.turns.iter().for_each(|log| digest.bytes(&log.history));
    }

    /// Adds the current view: what was said and answered.
    pub fn digest_content(&self, digest: &mut Digest) {
        digest.text("turns");
        for log in &self.turns {
            let own;
            let over = match &log.now {
                Now::Over(over) => over,
                Now::Open(turn) => {
                    own = Over::of(turn, &log.thread);
                    &own
                }
            };
            digest.text(&log.thread);
            digest.number(i64::from(log.turn));
            digest.bytes(&over.text);
            digest.text(over.status);
            digest.bytes(&over.answer);
        }
    }
}
