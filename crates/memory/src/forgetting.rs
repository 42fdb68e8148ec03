//! What a policy would forget next, and why. It forgets nothing: the caller sends the command, so that what
//! is forgotten is on record, with its reason, and can be recovered.

use throughline_journal::Millis;
use throughline_protocol::command::ForgetBy;
use throughline_protocol::{At, Refusal};
use throughline_value::InOrder as _;

use crate::memory::Memory;

/// What may be kept. Absent parts set no bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The time from which ages are counted.
    pub now: Millis,
    /// At most so many events.
    pub keep_events: Option<u64>,
    /// At most so many bytes of text.
    pub keep_bytes: Option<u64>,
    /// Nothing that ended longer ago than this, in milliseconds.
    pub max_age: Option<Millis>,
    /// After how long importance weighs half, in milliseconds; at least 1.
    pub half_life: Millis,
    /// Events of at least this importance, in thousandths, are always kept.
    pub protect_from: u16,
}

impl Default for Policy {
    /// Sets no bound; importance weighs half after 30 days; what is of importance 1 is kept.
    fn default() -> Self {
        Self {
            now: 0,
            keep_events: None,
            keep_bytes: None,
            max_age: None,
            half_life: 30 * 24 * 3_600_000,
            protect_from: 1_000,
        }
    }
}

/// An event that a policy would forget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its id.
    pub id: String,
    /// What it weighs, in millionths: its importance, halved with every half-life since its end or last use.
    pub score: u64,
    /// Why, for the audit.
    pub reason: String,
}

impl Policy {
    /// Reads a command's bounds.
    ///
    /// # Errors
    /// `no-policy` when it bounds nothing, `bad-max-age`, `importance-out-of-range`.
    pub fn read(now: Millis, given: &ForgetBy) -> Result<Self, Refusal> {
        if given.keep_events.is_none() && given.keep_bytes.is_none() && given.max_age.is_none() {
            let message = "give `keep_events`, `keep_bytes` or `max_age`: a policy without a bound forgets nothing";
            return Err(Refusal::new("no-policy", message));
        }
        if given.max_age.is_some_and(|most| most < 0) {
            let message = "an age is at least 0: nothing ended before now by less";
            return Err(Refusal::new("bad-max-age", message).at_path("/max_age"));
        }
        let usual = Self::default();
        let protect_from = match &given.protect_from {
            None => usual.protect_from,
            Some(importance) => {
                let thousandths = (importance.to_f64() * 1_000.0).round();
                if !(0.0..=1_001.0).contains(&thousandths) {
                    let message = format!("importance goes from 0 to 1, not {importance}");
                    return Err(Refusal::new("importance-out-of-range", message).at_path("/protect_from"));
                }
                thousandths as u16
            }
        };
        Ok(Self {
            now,
            keep_events: given.keep_events,
            keep_bytes: given.keep_bytes,
            max_age: given.max_age,
            half_life: given.half_life.unwrap_or(usual.half_life),
            protect_from,
        })
    }
}

struct Weighed {
    score: u64,
    age: Millis,
    /// Whether it was used after it ended.
    used: bool,
    bytes: u64,
    importance: u16,
}

impl Memory {
    /// What the policy would forget of what is current, in the order in which it would: first what is too
    /// old, then, until the budgets hold, what weighs least, of equal weights the oldest. The first `most` of it.
    ///
    /// # Errors
    /// `bad-half-life` when it is below 1.
    pub fn to_forget(&self, at: At, policy: &Policy, most: usize) -> Result<Vec<Candidate>, Refusal> {
        if policy.half_life < 1 {
            let message = "the half-life must be at least a millisecond";
            return Err(Refusal::new("bad-half-life", message).at_path("/half_life"));
        }
        let bounded = policy.keep_events.is_some() || policy.keep_bytes.is_some();
        let (mut events, mut bytes) = (0u64, 0u64);
        let mut out = Vec::new();
        // What may go, with its place in the order of time, which decides between equal weights. There may be a
        // million of them, so that nothing more is kept, and room is made once.
        let mut rest: Vec<(u64, u32, u32)> = Vec::new();
        if bounded {
            rest.reserve_exact(usize::try_from(self.len()).unwrap_or(0));
        }
        let rows = self.time.blocks().iter().flat_map(|b| b.rows(0..b.len()));
        for (place, row) in (0u32..).zip(rows.filter(|row| self.is_live_at(*row, at.seq))) {
            let Some(weighed) = self.weigh(row, at, policy) else { continue };
            let is_protected = weighed.importance >= policy.protect_from;
            match policy.max_age.filter(|most| !is_protected && weighed.age > *most) {
                Some(most_age) => {
                    if out.len() < most {
                        let what = if weighed.used { "was last used" } else { "ended" };
                        let reason = format!("it {what} {} ms ago, more than {most_age}", weighed.age);
                        out.push(self.candidate(row, weighed.score, reason));
                    }
                }
                None => {
                    events += 1;
                    bytes += weighed.bytes;
                    if bounded && !is_protected {
                        rest.push((weighed.score, place, row));
                    }
                }
            }
        }
        let wanted = most - out.len();
        if wanted < rest.len() {
            rest.select_nth_unstable(wanted);
            rest.truncate(wanted);
        }
        rest.order_by_key(|one| *one);
        for (score, _, row) in rest {
            let reason = match (policy.keep_events, policy.keep_bytes) {
                (Some(most), _) if events > most => {
                    format!("{events} events are more than {most}, and it weighs least")
                }
                (_, Some(most)) if bytes > most => {
                    format!("{bytes} bytes of text are more than {most}, and it weighs least")
                }
                _ => break,
            };
            events -= 1;
            bytes -= self.table.text_len(row) as u64;
            out.push(self.candidate(row, score, reason));
        }
        Ok(out)
    }

    fn weigh(&self, number: u32, at: At, policy: &Policy) -> Option<Weighed> {
        let row = self.table.row(number)?;
        let end = self.table.end(number) - 1;
        let last = self.table.used_at(row.item, at.seq).map_or(end, |used| used.max(end));
        let age = policy.now.saturating_sub(last).max(0);
        Some(Weighed {
            score: weight(row.importance, age, policy.half_life),
            age,
            used: last > end,
            bytes: self.table.text_len(number) as u64,
            importance: row.importance,
        })
    }

    fn candidate(&self, row: u32, score: u64, reason: String) -> Candidate {
        let id = self.table.row(row).map(|r| self.table.id(r.item)).unwrap_or_default();
        Candidate { id, score, reason }
    }
}

/// An importance in thousandths as millionths, halved with every half-life and falling evenly between.
fn weight(importance: u16, age: Millis, half_life: Millis) -> u64 {
    let halvings = u32::try_from(age / half_life).unwrap_or(u32::MAX);
    let whole = (u64::from(importance) * 1_000).checked_shr(halvings).unwrap_or(0);
    let part = i128::from(age % half_life) * i128::from(whole) / (2 * i128::from(half_life));
    whole.saturating_sub(u64::try_from(part).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn importance_halves_with_every_half_life_and_falls_evenly_between() {
        assert_eq!(weight(1_000, 0, 100), 1_000_000);
        assert_eq!(weight(1_000, 50, 100), 750_000);
        assert_eq!(weight(1_000, 100, 100), 500_000);
        assert_eq!(weight(1_000, 200, 100), 250_000);
        assert_eq!(weight(1_000, Millis::MAX, 1), 0);
        let weights: Vec<u64> = (0..1_000).map(|age| weight(900, age, 77)).collect();
        assert!(weights.is_sorted_by(|a, b| a >= b));
    }
}
