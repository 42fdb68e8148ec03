//! How the turns went, in figures: folded from what is recorded of them, nothing is counted beside.

use std::borrow::Cow;

use throughline_journal::Millis;
use throughline_protocol::view::{MetricsView, TokenMetrics, TurnMetrics};
use throughline_value::{InOrder as _, Number, SortedMap, Value};

use crate::turns::{Exchange, Turn};

/// The figures of these turns.
pub fn metrics<'a>(turns: impl Iterator<Item = Cow<'a, Turn>>) -> MetricsView {
    let mut view = MetricsView::default();
    let mut times: SortedMap<String, Vec<Millis>> = SortedMap::new();
    for turn in turns {
        *view.turns.entry(turn.status.to_owned()).or_insert(0) += 1;
        for stage in turn.stages() {
            let of = view.stages.entry(stage.stage.clone()).or_default();
            *of.verdicts.entry(stage.verdict.clone()).or_insert(0) += 1;
            if let Some(duration) = stage.duration {
                times.entry(stage.stage.clone()).or_default().push(duration);
            }
        }
        let mut row = TurnMetrics {
            thread: turn.thread.clone(),
            turn: turn.turn,
            status: turn.status.to_owned(),
            duration: turn.last_at.saturating_sub(turn.began_at),
            fallbacks: turn.stages().iter().filter(|s| s.verdict == "fallback").map(|s| s.stage.clone()).collect(),
            seq: turn.seq,
            ..TurnMetrics::default()
        };
        for exchange in &turn.exchanges {
            take(&mut view, &mut row, exchange);
        }
        for (ask, ..) in &turn.asks {
            view.hand_overs += 1;
            row.hand_overs += 1;
            if let Some(of) = ask.ask.split('.').nth(1).and_then(|stage| view.stages.get_mut(stage)) {
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

fn take(view: &mut MetricsView, row: &mut TurnMetrics, exchange: &Exchange) {
    row.exchanges += 1;
    // A plan is asked for while gathering.
    let stage = match exchange.requested.purpose.as_str() {
        "plan" => "gather",
        purpose => purpose,
    };
    let of = view.stages.entry(stage.to_owned()).or_default();
    let ending = exchange.finished.as_ref().map_or("open", |(finished, _)| finished.ending.as_str());
    *view.exchanges.entry(ending.to_owned()).or_insert(0) += 1;
    let refused = u64::from(exchange.refused.is_some());
    let judged = u64::from(ending == "done" || exchange.refused.is_some());
    let counts = [(&mut view.judged, judged), (&mut view.refused, refused), (&mut view.valid, judged - refused)];
    for (total, more) in counts {
        *total += more;
    }
    of.judged += judged;
    of.refused += refused;
    of.valid += judged - refused;
    row.refused += refused;
    let Some((finished, _)) = &exchange.finished else { return };
    let count = |name: &str| finished.usage.get(name).and_then(Value::as_number).and_then(Number::as_u64).unwrap_or(0);
    let prompt = count("prompt");
    row.largest_prompt = row.largest_prompt.max(prompt);
    let estimated = u64::from(finished.usage.get("estimated").and_then(Value::as_bool).unwrap_or(false));
    for tokens in [&mut view.tokens, &mut of.tokens, &mut row.tokens] {
        add(tokens, prompt, count("completion"), count("cached"), estimated);
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
