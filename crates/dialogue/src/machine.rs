//! The state machine: where the conversation stands, and what may happen next.
//!
//! **Invariant: only a transition of the loaded definition changes the state.** Whoever asks, an event that
//! the state does not know, or whose guards are false, is refused with what would be possible, and the
//! refusal is recorded.

mod check;
mod decide;
mod definition;
mod evolve;
mod explore;
mod invariant;
mod parse;
mod paths;
mod pure;
mod run;
mod step;
mod view;

use std::sync::Arc;

use throughline_journal::{Digest, Millis, Seq, Versions};
use throughline_protocol::At;
use throughline_protocol::view::TransitionLog;
use throughline_value::{SortedMap, SortedSet};

pub use decide::RefusedTransition;
pub use explore::{MAX_CHECK_EDGES, MAX_CHECK_STATES, MAX_VALUATIONS};
pub use invariant::MAX_INVARIANTS;
pub use parse::{MAX_MACHINE_DEPTH, MAX_MACHINE_STATES};
pub use run::MAX_MICROSTEPS;
pub use step::{Allowed, Timer, Transition};

use definition::Definition;
use run::Config;

/// The state machine; see the module.
#[derive(Clone, Debug, Default)]
pub struct Machine {
    definitions: Versions<Option<Arc<Definition>>>,
    standings: Versions<Arc<Standing>>,
    log: Vec<Arc<TransitionLog>>,
    quarantined: Vec<Seq>,
}

/// Where the machine stands.
#[derive(Clone, Debug, Default, PartialEq)]
struct Standing {
    /// The active states without active substates, as paths.
    active: Vec<String>,
    /// Since when each active state is, outer ones too.
    entered: SortedMap<String, Millis>,
    /// The delayed events that came and could not be taken.
    spent: SortedSet<String>,
    /// What the history states remember.
    remembered: SortedMap<String, Vec<String>>,
    finished: bool,
}

impl Machine {
    /// The newest record.
    const HEAD: Seq = Seq::MAX;

    fn definition(&self, seq: Seq) -> Option<&Arc<Definition>> {
        self.definitions.at(seq)?.as_ref()
    }

    fn standing(&self, seq: Seq) -> Option<&Standing> {
        self.definition(seq)?;
        self.standings.at(seq).map(Arc::as_ref)
    }

    /// Whether there is a machine.
    #[must_use]
    pub fn is_loaded(&self, at: At) -> bool {
        self.definition(at.seq).is_some()
    }

    /// The active states without active substates, as paths (`review.waiting`); empty without a machine.
    #[must_use]
    pub fn state(&self, at: At) -> &[String] {
        self.standing(at.seq).map_or(&[], |s| s.active.as_slice())
    }

    /// Whether a state, or one inside it, is active.
    #[must_use]
    pub fn in_state(&self, path: &str, at: At) -> bool {
        self.standing(at.seq).is_some_and(|s| s.entered.contains_key(path))
    }

    /// Whether the machine has come to a final state.
    #[must_use]
    pub fn finished(&self, at: At) -> bool {
        self.standing(at.seq).is_some_and(|s| s.finished)
    }

    /// The records of its own kinds that could not be read, up to `seq`.
    #[must_use]
    pub fn quarantined(&self, seq: Seq) -> &[Seq] {
        let known = self.quarantined.partition_point(|s| *s <= seq);
        self.quarantined.get(..known).unwrap_or_default()
    }

    /// Adds every definition, every state it was in, and every transition taken or refused.
    pub fn digest_history(&self, digest: &mut Digest) {
        digest.text("machine");
        for (seq, definition) in self.definitions.iter() {
            digest.number(*seq as i64);
            digest.text(definition.as_ref().map_or("", |d| &d.canonical));
        }
        digest.text("standings");
        for (seq, standing) in self.standings.iter() {
            digest.number(*seq as i64);
            standing.digest(digest);
            for spent in &standing.spent {
                digest.text(spent);
            }
        }
        digest.text("log");
        for entry in &self.log {
            digest.number(entry.seq as i64);
            digest.text(&entry.event);
            digest.text(if entry.refused { "refused" } else { "taken" });
            digest.text(&entry.reason);
            for guard in &entry.guards {
                digest.text(&guard.guard);
                digest.value(&guard.held.map(throughline_value::Value::from).into());
            }
        }
        digest.text("quarantined");
        for seq in &self.quarantined {
            digest.number(*seq as i64);
        }
    }

    /// Adds the definition and where it stands. It does not depend on the valid time: a machine has the
    /// journal's axis only.
    pub fn digest_content(&self, digest: &mut Digest, _valid_at: Millis) {
        digest.text("machine");
        if let (Some(definition), Some(standing)) = (self.definition(Self::HEAD), self.standing(Self::HEAD)) {
            digest.text(&definition.canonical);
            standing.digest(digest);
        }
    }
}

impl Standing {
    /// The same by the numbers of a definition.
    fn config(&self, definition: &Definition) -> Config {
        let find = |path: &String| definition.find(path);
        Config {
            active: self.entered.keys().filter_map(find).collect(),
            remembered: self
                .remembered
                .iter()
                .filter_map(|(path, kept)| Some((find(path)?, kept.iter().filter_map(find).collect())))
                .collect(),
        }
    }

    /// The same after a transition, without times.
    fn after(&self, done: &Transition) -> Self {
        let mut after = self.clone();
        for path in &done.exited {
            after.entered.remove(path);
        }
        after.entered.extend(done.entered.iter().map(|path| (path.clone(), 0)));
        after.remembered.extend(done.remembered.iter().map(|(path, kept)| (path.clone(), kept.clone())));
        after.active.clone_from(&done.to);
        after.finished = done.finished;
        after
    }

    fn digest(&self, digest: &mut Digest) {
        for path in &self.active {
            digest.text(path);
        }
        digest.text(if self.finished { "finished" } else { "open" });
        for (path, since) in &self.entered {
            digest.text(path);
            digest.number(*since);
        }
        for (path, states) in &self.remembered {
            digest.text(path);
            for state in states {
                digest.text(state);
            }
        }
    }
}
