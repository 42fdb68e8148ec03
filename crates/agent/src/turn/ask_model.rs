//! Asking a model for one JSON value, with bounded retries that quote what was wrong.
//!
//! Each reply is judged once, when it came: what does not hold is recorded as refused, with everything that is
//! wrong, before it is asked again. A reply that did not end well (cut off, declined, broken off) is never
//! read at all.

use throughline_journal::{Cause, Draft};
use throughline_model::{Request, retry, structured};
use throughline_protocol::Context;
use throughline_value::Value;

use super::{calls, cap, draft};
use crate::turns::{ExchangeFinished, ExchangeRequested, ProposalRefused, Turn};

/// How many times a reply that does not hold is asked again, when the domain does not say.
pub const DEFAULT_RETRIES: u32 = 2;

/// The most retries a domain can ask for.
pub const MAX_RETRIES: u32 = 8;

/// How often the room for a reply is doubled after one that was cut off.
const MAX_DOUBLINGS: u32 = 2;

/// What became of asking.
pub(crate) enum Asked<T> {
    /// Nothing yet.
    Wait,
    /// The last reply was refused, or none was asked for yet: record these, the engine does the rest.
    Record(Vec<Draft>),
    /// A reply that holds, with what was changed to read it.
    Got(T, Vec<Value>),
    /// No reply held; the reasons of the last one.
    GaveUp(Vec<String>),
}

/// Where the turn stands with asking the model for `purpose`. `request` builds the request, given what was
/// wrong with the last reply; `form` is the schema by which a reply is taken, where it is not that of the request; `hold` says whether a value holds, and else what is wrong with it. `more` are
/// tries beside those of the domain, given by a person.
pub(crate) fn ask<T>(
    turn: &Turn,
    ctx: &Context<'_>,
    purpose: &str,
    more: u32,
    request: impl Fn(&[String]) -> Request,
    form: Option<&dyn Fn() -> Value>,
    hold: impl Fn(&Value) -> Result<T, Vec<String>>,
) -> Asked<T> {
    let retries = ctx.domain.agent.retries.unwrap_or(DEFAULT_RETRIES).min(MAX_RETRIES).saturating_add(more);
    let attempts = turn.exchanges_for(purpose).count() as u32;
    let truncated =
        turn.exchanges_for(purpose).filter(|x| x.finished.as_ref().is_some_and(|(f, _)| f.ending == "truncated"));
    let doublings = (truncated.count() as u32).min(MAX_DOUBLINGS);
    let next = |wrong: &[String]| {
        let mut request = request(wrong);
        request.max_tokens = request.max_tokens.map(|max| max << doublings);
        // A reply never goes over the cap; a request that leaves no room for one is not made.
        if let Ok(Some(room)) = cap::room(ctx.domain, turn, &request) {
            let room = u32::try_from(room).unwrap_or(u32::MAX);
            request.max_tokens = Some(request.max_tokens.map_or(room, |max| max.min(room)));
        }
        let requested = ExchangeRequested {
            exchange: format!("x{}.{purpose}.{}", turn.seq, attempts + 1),
            purpose: purpose.to_owned(),
            attempt: attempts + 1,
            request: request.to_value(),
        };
        draft(ctx, "exchange.requested", &requested)
    };
    let Some(last) = turn.exchanges_for(purpose).next_back() else {
        return Asked::Record(vec![next(&[])]);
    };
    let Some((finished, _)) = &last.finished else { return Asked::Wait };
    // What was judged already is not judged again on another state.
    if let Some(refused) = &last.refused {
        let wrong = if refused.problems.is_empty() { vec![refused.message.clone()] } else { refused.problems.clone() };
        return if attempts > retries { Asked::GaveUp(wrong) } else { Asked::Record(vec![next(&wrong)]) };
    }
    let form = || form.map_or_else(|| request(&[]).schema.unwrap_or_default(), |form| form());
    let (code, wrong) = match judge(finished, &last.requested.request, form, hold) {
        Ok((value, changes)) => return Asked::Got(value, changes),
        Err(refused) => refused,
    };
    if finished.ending == "failed" {
        // Without a model, or without a recorded reply, asking again gives the same. The failure is on record.
        let same = more == 0 && finished.code.as_deref().is_some_and(retry::is_final);
        return if same || attempts > retries { Asked::GaveUp(wrong) } else { Asked::Record(vec![next(&wrong)]) };
    }
    let refused = ProposalRefused {
        code,
        message: wrong.join("; "),
        purpose: purpose.to_owned(),
        exchange: last.requested.exchange.clone(),
        problems: wrong.clone(),
    };
    let mut drafts = vec![draft(ctx, "proposal.refused", &refused)];
    if attempts <= retries {
        let mut requested = next(&wrong);
        requested.cause = Cause::Draft(0);
        drafts.push(requested);
    }
    Asked::Record(drafts)
}

/// What a reply gives, or the code and the words of why it is not used.
fn judge<T>(
    finished: &ExchangeFinished,
    requested: &Value,
    schema: impl Fn() -> Value,
    hold: impl Fn(&Value) -> Result<T, Vec<String>>,
) -> Result<(T, Vec<Value>), (String, Vec<String>)> {
    let refused = |code: &str, wrong: Vec<String>| Err((code.to_owned(), wrong));
    match finished.ending.as_str() {
        "done" => {}
        "failed" => {
            let message = finished.message.clone().unwrap_or_else(|| "the exchange failed".to_owned());
            return refused("exchange-failed", vec![message]);
        }
        "truncated" => {
            let message = "the reply was cut off by its limit of length; nothing in it is used. Answer shorter: there is twice the room now";
            return refused("reply-truncated", vec![message.to_owned()]);
        }
        ending => {
            return refused(&format!("reply-{ending}"), vec![format!("the reply was {ending}; nothing in it is used")]);
        }
    }
    // A call of a tool is the value, and the text beside it free thinking.
    let mut changes = Vec::new();
    let value = match calls::value(finished, requested) {
        Some(value) => value.map_err(|(code, problem)| (code.to_owned(), vec![problem]))?,
        None => {
            let found = structured::read(&finished.text, &schema(), structured::Rules::default());
            let found = found.map_err(|error| {
                let code = if error.code == "refused-in-words" { "reply-refused" } else { "proposal-refused" };
                (code.to_owned(), vec![error.to_string()])
            })?;
            changes.extend(found.coercions.iter().map(structured::Coercion::to_value));
            if found.repaired {
                changes
                    .extend(found.diagnostics.iter().map(|d| Value::from([("code", d.code), ("repair", &d.message)])));
            }
            found.value
        }
    };
    hold(&value).map(|held| (held, changes)).or_else(|problems| {
        let stale = problems.iter().any(|problem| problem.starts_with("version-conflict"));
        refused(if stale { "version-conflict" } else { "proposal-refused" }, problems)
    })
}
