//! How the turns went, in figures: folded from what is recorded of them, nothing is counted beside.

use std::borrow::Cow;
use std::rc::Rc;

use throughline_journal::{Millis, Seq};
use throughline_protocol::view::{MetricsView, StageView, TokenMetrics, TurnMetrics};
use throughline_value::{InOrder as _, Number, SortedMap, Value};

use crate::turns::{Exchange, Turn};

/// What of a turn is counted.
#[derive(Clone, Debug)]
pub struct Figures {
    turn: u32,
    seq: Seq,
    thread: Rc<str>,
    status: &'static str,
    duration: Millis,
    stages: Box<[StageFigures]>,
    exchanges: Box<[ExchangeFigures]>,
    /// For which stages a person was asked.
    asks: Box<[String]>,
}

#[derive(Clone, Debug)]
struct StageFigures {
    stage: Box<str>,
    verdict: Box<str>,
    duration: Option<Millis>,
}

#[derive(Clone, Debug)]
struct ExchangeFigures {
    stage: Box<str>,
    ending: Box<str>,
    refused: bool,
    finished: bool,
    estimated: bool,
    prompt: u64,
    completion: u64,
    cached: u64,
}

impl Figures {
    /// Those of a turn as it stands.
    #[must_use]
    pub fn of(turn: &Turn, thread: &Rc<str>) -> Self {
        let stage = |stage: &StageView| StageFigures {
            stage: stage.stage.as_str().into(),
            verdict: stage.verdict.as_str().into(),
            duration: stage.duration,
        };
        let of_ask = |ask: &str| ask.split('.').nth(1).unwrap_or("").to_owned();
        Self {
            turn: turn.turn,
            seq: turn.seq,
            thread: Rc::clone(thread),
            status: turn.status,
            duration: turn.last_at.saturating_sub(turn.began_at),
            stages: turn.stages().iter().map(stage).collect(),
            exchanges: turn.exchanges.iter().map(ExchangeFigures::of).collect(),
            asks: turn.asks.iter().map(|(ask, ..)| of_ask(&ask.ask)).collect(),
        }
    }
}

impl ExchangeFigures {
    fn of(exchange: &Exchange) -> Self {
        // A plan is asked for while gathering.
        let stage = match exchange.requested.purpose.as_str() {
            "plan" => "gather",
            purpose => purpose,
        };
        let finished = exchange.finished.as_ref().map(|(finished, _)| finished);
        let used = |name: &str| finished.and_then(|finished| finished.usage.get(name));
        let count = |name: &str| used(name).and_then(Value::as_number).and_then(Number::as_u64).unwrap_or(0);
        Self {
            stage: stage.into(),
            ending: finished.map_or("open", |finished| finished.ending.as_str()).into(),
            refused: exchange.refused.is_some(),
            finished: finished.is_some(),
            estimated: used("estimated").and_then(Value::as_bool).unwrap_or(false),
            prompt: count("prompt"),
            completion: count("completion"),
            cached: count("cached"),
        }
    }
}

/// The figures of these turns.
pub fn metrics<'a>(turns: impl Iterator<Item = Cow<'a, Figures>>) -> MetricsView {
    let mut view = MetricsView::default();
    let mut times: SortedMap<String, Vec<Millis>> = SortedMap::new();
    for turn in turns {
        *view.turns.entry(turn.status.to_owned()).or_insert(0) += 1;
        for stage in &turn.stages {
            let of = view.stages.entry(stage.stage.to_string()).or_default();
            *of.verdicts.entry(stage.verdict.to_string()).or_insert(0) += 1;
            if let Some(duration) = stage.duration {
                times.entry(stage.stage.to_string()).or_default().push(duration);
            }
        }
        let fallbacks = turn.stages.iter().filter(|stage| &*stage.verdict == "fallback");
        let mut row = TurnMetrics {
            thread: turn.thread.to_string(),
            turn: turn.turn,
            status: turn.status.to_owned(),
            duration: turn.duration,
            fallbacks: fallbacks.map(|stage| stage.stage.to_string()).collect(),
            seq: turn.seq,
            ..TurnMetrics::default()
        };
        for exchange in &turn.exchanges {
            take(&mut view, &mut row, exchange);
        }
        for stage in &turn.asks {
            view.hand_overs += 1;
            row.hand_overs += 1;
            if let Some(of) = view.stages.get_mut(stage.as_str()) {
                of.hand_overs += 1;
            }
        }
        view.rows.push(row);
    }
    for (stage, mut times) in times {
        times.order();
        let at = |part: usize| times.get((times.len() * part).div_ceil(100).saturating_sub(1)).copied();
        let (p50, p95) = (at(50), at(95));
        let of = view.stages.entry(stage).or_default();
        (of.p50, of.p95) = (p50, p95);
    }
    view.validity_rate = rate(view.valid, view.judged);
    view.refusal_rate = rate(view.refused, view.judged);
    view
}

fn take(view: &mut MetricsView, row: &mut TurnMetrics, exchange: &ExchangeFigures) {
    row.exchanges += 1;
    let of = view.stages.entry(exchange.stage.to_string()).or_default();
    *view.exchanges.entry(exchange.ending.to_string()).or_insert(0) += 1;
    let refused = u64::from(exchange.refused);
    let judged = u64::from(&*exchange.ending == "done" || exchange.refused);
    let counts = [(&mut view.judged, judged), (&mut view.refused, refused), (&mut view.valid, judged - refused)];
    for (total, more) in counts {
        *total += more;
    }
    of.judged += judged;
    of.refused += refused;
    of.valid += judged - refused;
    row.refused += refused;
    if !exchange.finished {
        return;
    }
    row.largest_prompt = row.largest_prompt.max(exchange.prompt);
    for tokens in [&mut view.tokens, &mut of.tokens, &mut row.tokens] {
        add(tokens, exchange.prompt, exchange.completion, exchange.cached, u64::from(exchange.estimated));
    }
}

fn add(tokens: &mut TokenMetrics, prompt: u64, completion: u64, cached: u64, estimated: u64) {
    tokens.prompt += prompt;
    tokens.completion += completion;
    tokens.cached += cached;
    tokens.estimated += estimated;
}

/// A part of all with three digits.
fn rate(part: u64, all: u64) -> Option<Number> {
    let thousandths = (part * 1_000).checked_div(all)?;
    Number::parse(&format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_has_three_digits_and_none_of_nothing() {
        let text = |part, all| rate(part, all).map(|rate| rate.to_string());
        assert_eq!(text(2, 3).as_deref(), Some("0.666"));
        assert_eq!(text(3, 3).as_deref(), Some("1.000"));
        assert_eq!(text(0, 0), None);
    }
}
