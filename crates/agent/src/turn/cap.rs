//! What a turn may take of a model's tokens: `agent.token_cap` of the domain, whatever answers.

use throughline_model::{Request, Usage};
use throughline_protocol::{Domain, Refusal};
use throughline_value::from_value;

use crate::turns::Turn;

/// What the finished exchanges of a turn took.
#[must_use]
pub fn spent(turn: &Turn) -> Usage {
    let finished = turn.exchanges.iter().filter_map(|x| x.finished.as_ref());
    let usages = finished.filter_map(|(finished, _)| from_value::<Usage>(&finished.usage).ok());
    usages.fold(Usage::default(), |sum, one| Usage {
        prompt: sum.prompt + one.prompt,
        completion: sum.completion + one.completion,
        cached: sum.cached + one.cached,
        estimated: sum.estimated || one.estimated,
    })
}

/// How many tokens the reply to a turn's next request may have; `None` where the domain has no cap.
///
/// # Errors
/// `spend-cap` when the request would leave no room for a reply: it must not be made.
pub fn room(domain: &Domain, turn: &Turn, request: &Request) -> Result<Option<u64>, Refusal> {
    domain.agent.token_cap.map(|cap| throughline_model::retry::room(cap, &spent(turn), request.estimate())).transpose()
}
