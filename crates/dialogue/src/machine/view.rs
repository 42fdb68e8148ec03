//! What the machine looks like at a moment.

use throughline_expr::Env;
use throughline_journal::Seq;
use throughline_protocol::At;
use throughline_protocol::view::{MachineView, StateView, TransitionView};

use super::Machine;
use super::definition::ROOT;
use super::step::{openness, state_value};

impl Machine {
    /// The last record by a moment in which the machine took an event.
    #[must_use]
    pub fn last_taken(&self, event: &str, at: At) -> Option<Seq> {
        let known = self.log.partition_point(|entry| entry.seq <= at.seq);
        let taken = self.log.iter().take(known).rev().find(|entry| !entry.refused && entry.event == event);
        taken.map(|entry| entry.seq)
    }

    /// The machine at a moment: its states, its transitions and whether they are open, and what was taken or
    /// refused until then. `env` is the environment at that moment.
    #[must_use]
    pub fn view(&self, at: At, env: &dyn Env) -> MachineView {
        let Some((definition, standing)) = self.definition(at.seq).zip(self.standing(at.seq)) else {
            return MachineView::default();
        };
        let state = state_value(&standing.active);
        let is_active = |path: &str| standing.entered.contains_key(path);
        let states = definition.states.iter().enumerate().skip(1).map(|(id, state)| StateView {
            path: state.path.clone(),
            active: is_active(&state.path),
            is_final: state.is_final,
            initial: state
                .parent
                .and_then(|p| definition.state(p))
                .is_some_and(|p| p.parallel || p.initial == Some(id)),
            description: state.description.clone(),
        });
        let mut transitions = Vec::new();
        for (id, source) in definition.states.iter().enumerate() {
            let possible = !standing.finished && (id == ROOT || is_active(&source.path));
            for (event, ways) in &source.on {
                transitions.extend(ways.iter().map(|way| TransitionView {
                    from: source.path.clone(),
                    event: event.clone(),
                    to: definition.path(way.target.unwrap_or(id)).to_owned(),
                    guard: way.guard.as_ref().map(|g| g.source().to_owned()),
                    open: if possible { openness(way, &state, env) } else { None },
                }));
            }
        }
        let known = self.log.partition_point(|entry| entry.seq <= at.seq);
        let taken = self.log.iter().take(known).rev().find(|entry| !entry.refused).map_or(0, |entry| entry.seq);
        MachineView {
            id: definition.id.clone(),
            state: standing.active.clone(),
            finished: standing.finished,
            states: states.collect(),
            transitions,
            seq: taken.max(self.definitions.entry_at(at.seq).map_or(0, |(seq, _)| *seq)),
            history: self.log.iter().take(known).map(|entry| entry.as_ref().clone()).collect(),
            findings: definition.findings.clone(),
        }
    }
}
