//! Asking a model for one JSON value, with bounded retries that quote what was wrong.

use throughline_journal::{Cause, Draft};
use throughline_model::{Request, structured};
use throughline_protocol::Context;
use throughline_value::Value;

use super::draft;
use crate::turns::{ExchangeRequested, Turn};

/// How many times a reply that does not hold is asked again, when the domain does not say.
pub const DEFAULT_RETRIES: u32 = 2;

/// The most retries a domain can ask for.
pub const MAX_RETRIES: u32 = 8;

/// What became of asking.
pub(crate) enum Asked<T> {
    /// Nothing yet.
    Wait,
    /// Ask (again): record these, the engine does the rest.
    Ask(Vec<Draft>),
    /// A reply that holds.
    Got(T),
    /// No reply held; the reasons, newest last.
    GaveUp(Vec<String>),
}

/// Where the turn stands with asking the model for `purpose`. `request` builds the request, given what was
/// wrong with the last reply; `hold` says whether a value holds, and else what is wrong with it.
pub(crate) fn ask<T>(
    turn: &Turn,
    ctx: &Context<'_>,
    purpose: &str,
    request: impl Fn(&[String]) -> Request,
    hold: impl Fn(&Value) -> Result<T, Vec<String>>,
) -> Asked<T> {
    let retries = ctx.domain.agent.retries.unwrap_or(DEFAULT_RETRIES).min(MAX_RETRIES);
    let mut attempts = 0;
    let mut wrong: Vec<String> = Vec::new();
    for exchange in turn.exchanges_for(purpose) {
        attempts += 1;
        let Some((finished, _)) = &exchange.finished else { return Asked::Wait };
        match finished.ending.as_str() {
            "done" => {}
            "failed" => {
                wrong = vec![finished.message.clone().unwrap_or_else(|| "the exchange failed".to_owned())];
                // Without a model, or without a recorded reply, asking again gives the same.
                if matches!(finished.code.as_deref(), Some("no-model" | "cassette-mismatch")) {
                    return Asked::GaveUp(wrong);
                }
                continue;
            }
            ending => {
                wrong = vec![format!("the reply was {ending}; nothing in it is used")];
                continue;
            }
        }
        let schema = request(&[]).schema.unwrap_or_default();
        match structured::read(&finished.text, &schema, structured::Rules::default()) {
            Ok(read) => match hold(&read.value) {
                Ok(value) => return Asked::Got(value),
                Err(problems) => wrong = problems,
            },
            Err(error) => wrong = vec![error.to_string()],
        }
    }
    if attempts > retries {
        return Asked::GaveUp(wrong);
    }
    let request = request(&wrong);
    let requested = ExchangeRequested {
        exchange: format!("x{}.{purpose}.{}", turn.seq, attempts + 1),
        purpose: purpose.to_owned(),
        attempt: attempts + 1,
        request: request.to_value(),
    };
    let mut requested = draft(ctx, "exchange.requested", &requested);
    if wrong.is_empty() {
        return Asked::Ask(vec![requested]);
    }
    // What the model proposed is on record either way; the next attempt follows from its refusal.
    let refused = Value::from([
        ("code", Value::from("proposal-refused")),
        ("message", Value::from(wrong.join("; "))),
        ("purpose", Value::from(purpose)),
        ("exchange", Value::from(format!("x{}.{purpose}.{attempts}", turn.seq))),
    ]);
    requested.cause = Cause::Draft(0);
    Asked::Ask(vec![ctx.draft("proposal.refused", refused), requested])
}
