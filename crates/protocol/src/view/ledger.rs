//! Facts and the machine.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use throughline_journal::{Millis, Seq};
use throughline_value::{Number, Value};

use super::views;

views! {
    /// One version of a fact.
    FactView {
        /// What it is about.
        subject: String,
        /// Its key.
        key: String,
        /// Its value.
        value: Value,
        /// Its version, from 1.
        version: u64,
        /// From when it is true.
        valid_from: Millis,
        /// Until when it is true.
        valid_to: Option<Millis>,
        /// When the engine learned it.
        recorded_at: Millis,
        /// The turn it was learned in.
        turn: u32,
        /// Where it comes from.
        source: Option<String>,
        /// How sure.
        confidence: Option<Number>,
        /// `current`, `superseded`, `retracted`, `expired` or `future`.
        status: String,
        /// The record that made it.
        seq: Seq,
        /// The record that ended it.
        ended_by: Option<Seq>,
        /// How many versions the key has.
        versions: u64,
        /// How much its source is trusted, where the domain settles conflicts by that.
        trust: Option<Number>,
    }
    /// Current facts, and what was left out.
    FactPage {
        /// The facts.
        facts: Vec<FactView>,
        /// How many versions are hidden, by status.
        hidden: IndexMap<String, u64>,
    }
    /// The machine.
    MachineView {
        /// Its name; empty when the domain has none.
        id: String,
        /// The active states, as paths (`review.waiting`).
        state: Vec<String>,
        /// Whether it is finished.
        finished: bool,
        /// Every state.
        states: Vec<StateView>,
        /// Every transition.
        transitions: Vec<TransitionView>,
        /// The record of the last transition.
        seq: Seq,
        /// Transitions that were taken or refused, newest last.
        history: Vec<TransitionLog>,
        /// What the model check found when it was loaded.
        findings: Vec<Finding>,
    }
    /// A state of the machine.
    StateView {
        /// Its path.
        path: String,
        /// Whether it is active.
        active: bool,
        /// Whether it is final.
        is_final: bool,
        /// Whether it is the initial one of its parent.
        initial: bool,
        /// Its description, where the domain gives one.
        description: String,
    }
    /// A transition of the machine.
    TransitionView {
        /// Where it starts.
        from: String,
        /// The event.
        event: String,
        /// Where it ends.
        to: String,
        /// Its guard.
        guard: Option<String>,
        /// Whether it can be taken now; absent when the event is not possible here.
        open: Option<bool>,
    }
    /// A transition that was taken or refused.
    TransitionLog {
        /// The event.
        event: String,
        /// The states before.
        from: Vec<String>,
        /// The states after; the same when it was refused.
        to: Vec<String>,
        /// Whether it was refused.
        refused: bool,
        /// Why.
        reason: String,
        /// The guards that were looked at, and what they gave.
        guards: Vec<GuardResult>,
        /// The record.
        seq: Seq,
    }
    /// What a guard gave.
    GuardResult {
        /// The guard.
        guard: String,
        /// Whether it held; absent when it could not be evaluated.
        held: Option<bool>,
        /// The error, when it could not be evaluated.
        error: Option<String>,
    }
    /// Something found without running.
    Finding {
        /// Its code.
        code: String,
        /// What it is.
        message: String,
        /// Where in the domain.
        path: String,
        /// Whether it is certain, or only possible.
        possible: bool,
        /// `error` or `warning`.
        severity: String,
        /// The shortest path that shows it, where there is one.
        trace: Vec<String>,
    }
    /// What can be known of a machine without running it.
    MachineCheck {
        /// Whether it can be loaded.
        ok: bool,
        /// What was found.
        findings: Vec<Finding>,
        /// How many places it can come to.
        states: u64,
        /// How many steps between them.
        steps: u64,
        /// Whether every guard could be answered for certain and everything was looked at.
        exact: bool,
    }
    /// What an event does to a machine.
    TransitionResult {
        /// The active states after it, as paths.
        state: Vec<String>,
        /// What is to be done: exit actions, the transition's own, entry actions.
        effects: Vec<Value>,
        /// Whether the machine is then finished.
        finished: bool,
        /// The states that are left, innermost first.
        exited: Vec<String>,
        /// The states that are entered, outermost first.
        entered: Vec<String>,
        /// The guards that were looked at, and what they gave.
        guards: Vec<GuardResult>,
        /// The events of the single steps, when there were several.
        via: Vec<String>,
        /// The events that are known then; delayed and inner ones are not among them.
        events: Vec<String>,
        /// All that is needed to go on from there.
        snapshot: Value,
    }
    /// A machine of another notation in ours.
    ImportedMachine {
        /// The machine, for a domain.
        machine: Value,
        /// What was not carried over, with where it stood.
        notes: Vec<Finding>,
    }
    /// Sources that disagree about a fact.
    ConflictView {
        /// What it is about.
        subject: String,
        /// Its key.
        key: String,
        /// The domain's rule: `newest_valid`, `most_trusted`, `official` or `ask`.
        rule: String,
        /// Whether a person has to settle it.
        open: bool,
        /// What counts.
        winner: FactView,
        /// What does not.
        losers: Vec<FactView>,
        /// Why, in words.
        why: String,
    }
}
