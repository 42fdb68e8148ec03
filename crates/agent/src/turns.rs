//! The turns of every thread, folded from the journal.

use serde::{Deserialize, Serialize};
use throughline_journal::{Digest, Millis, Record, Seq};
use throughline_protocol::view::{AnswerView, AskView, StageView, TurnView};
use throughline_value::{SortedMap, Value, from_value};

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
pub struct TurnStarted {
    /// What the user said.
    pub text: String,
    /// The language of the answer.
    pub language: String,
}

/// `turn.stage_started`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageStarted {
    /// Which.
    pub stage: Stage,
    /// What goes in.
    #[serde(default)]
    pub input: Value,
}

/// `turn.stage_finished`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
}

/// `turn.run_started`: the run that gathers for the turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnRun {
    /// The run.
    pub run: String,
    /// Whether its plan is the domain's, instead of one that the model should have written.
    #[serde(default)]
    pub instead: bool,
}

/// `turn.asked`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
pub struct AskSettled {
    /// Its id.
    pub ask: String,
    /// The answer.
    pub answer: Value,
}

/// `turn.failed` and `turn.stopped`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
            stages: Vec::new(),
            stage_began: record.recorded_at,
        }
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

    fn apply(&mut self, record: &Record) -> Option<()> {
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
            "exchange.requested" => {
                let requested = from_value(data).ok()?;
                self.exchanges.push(Exchange { requested, seq: record.seq, finished: None });
            }
            "exchange.finished" | "exchange.failed" => {
                let finished: ExchangeFinished = from_value(data).ok()?;
                let exchange = self.exchanges.iter_mut().find(|x| x.requested.exchange == finished.exchange)?;
                exchange.finished = Some((finished, record.seq));
            }
            "turn.run_started" => {
                let started: TurnRun = from_value(data).ok()?;
                self.run = Some(started.run);
                self.run_instead = started.instead;
            }
            "turn.asked" => {
                self.asks.push((from_value(data).ok()?, record.seq, None));
                self.status = "waiting";
            }
            "turn.ask_settled" => {
                let settled: AskSettled = from_value(data).ok()?;
                let ask = self.asks.iter_mut().find(|(ask, ..)| ask.ask == settled.ask)?;
                ask.2 = Some((settled.answer, record.seq));
                if self.asks.iter().all(|(.., settled)| settled.is_some()) {
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

/// The turns of every thread. Their records are kept, since a turn at a moment is a fold of few of them.
#[derive(Clone, Debug, Default)]
pub struct Turns {
    turns: Vec<Log>,
    by_number: SortedMap<(String, u32), usize>,
    /// Records of turns that could not be read.
    pub quarantined: u64,
}

#[derive(Clone, Debug)]
struct Log {
    turn: Turn,
    began: Record,
    later: Vec<Record>,
}

impl Turns {
    /// Folds one record.
    pub fn evolve(&mut self, record: &Record) {
        if !record.kind.starts_with("turn.") && !record.kind.starts_with("exchange.") {
            return;
        }
        let key = (record.thread.clone(), record.turn);
        if record.kind == "turn.started" {
            let Ok(started) = from_value(record.data()) else {
                self.quarantined += 1;
                return;
            };
            self.by_number.insert(key, self.turns.len());
            self.turns.push(Log { turn: Turn::begin(record, started), began: record.clone(), later: Vec::new() });
            return;
        }
        let Some(log) = self.by_number.get(&key).and_then(|i| self.turns.get_mut(*i)) else {
            self.quarantined += 1;
            return;
        };
        log.later.push(record.clone());
        if log.turn.apply(record).is_none() {
            self.quarantined += 1;
        }
    }

    /// The turn with this number.
    #[must_use]
    pub fn get(&self, thread: &str, turn: u32) -> Option<&Turn> {
        let index = self.by_number.get(&(thread.to_owned(), turn))?;
        self.turns.get(*index).map(|log| &log.turn)
    }

    /// The newest turn of a thread.
    #[must_use]
    pub fn newest(&self, thread: &str) -> Option<&Turn> {
        let range = (thread.to_owned(), 0)..=(thread.to_owned(), u32::MAX);
        let (_, index) = self.by_number.range(range).next_back()?;
        self.turns.get(*index).map(|log| &log.turn)
    }

    /// The turns that go on by themselves or wait for a person.
    pub fn open(&self) -> impl Iterator<Item = &Turn> {
        self.turns.iter().map(|log| &log.turn).filter(|turn| turn.is_open())
    }

    /// The turn that an unsettled or settled question belongs to.
    #[must_use]
    pub fn of_ask(&self, ask: &str) -> Option<&Turn> {
        self.turns.iter().map(|log| &log.turn).find(|turn| turn.asks.iter().any(|(a, ..)| a.ask == ask))
    }

    /// The turns as they stood after record `seq`.
    #[must_use]
    pub fn views(&self, seq: Seq, thread: Option<&str>) -> Vec<TurnView> {
        let wanted = self.turns.iter().filter(|log| log.turn.seq <= seq && thread.is_none_or(|t| t == log.turn.thread));
        wanted
            .map(|log| {
                if log.turn.last_seq <= seq {
                    return log.turn.view();
                }
                let mut past = Turn::begin(&log.began, log.turn.started.clone());
                for record in log.later.iter().take_while(|r| r.seq <= seq) {
                    past.apply(record);
                }
                past.view()
            })
            .collect()
    }

    /// Adds every version of everything.
    pub fn digest_history(&self, digest: &mut Digest) {
        digest.text("turns");
        for log in &self.turns {
            for record in std::iter::once(&log.began).chain(&log.later) {
                digest.text(&record.kind);
                digest.value(record.data());
            }
        }
    }

    /// Adds the current view: what was said and answered.
    pub fn digest_content(&self, digest: &mut Digest) {
        digest.text("turns");
        for Log { turn, .. } in &self.turns {
            digest.text(&turn.thread);
            digest.number(i64::from(turn.turn));
            digest.text(&turn.started.text);
            digest.text(turn.status);
            digest.text(turn.answer.as_ref().map_or("", |answer| &answer.text));
        }
    }
}
