//! What the expressions of a run see.

use std::cell::RefCell;

use throughline_expr::time::Zone;
use throughline_expr::{Env, Path};
use throughline_journal::Seq;
use throughline_protocol::view::Evidence;
use throughline_value::{Map, Number, Value};

use super::state::{Run, StepStatus};
use crate::answer::AnswerScope;
use crate::evidence;
use crate::scope::bare;

/// The bindings of a run before the names of the world around it. Values come by name and stay values: there
/// is no text in which a value could be taken for a reference.
pub(super) struct RunEnv<'a> {
    run: &'a Run,
    outer: &'a dyn AnswerScope,
    zone_assumed: RefCell<Vec<String>>,
}

impl<'a> RunEnv<'a> {
    pub(super) fn new(run: &'a Run, outer: &'a dyn AnswerScope) -> Self {
        Self { run, outer, zone_assumed: RefCell::default() }
    }

    /// The texts whose zone was assumed since the last call.
    pub(super) fn take_zone_assumed(&self) -> Vec<String> {
        self.zone_assumed.take()
    }

    fn is_outer(&self, name: &str) -> bool {
        !name.starts_with('$') && (name == "now" || self.run.meaning.names.iter().any(|n| n == name))
    }

    fn binding(&self, name: &str) -> Option<&'a Value> {
        let name = bare(name);
        match self.run.steps.get(name) {
            Some(step) => {
                let state = step.now();
                (state.status == StepStatus::Done).then_some(&state.output)
            }
            None => self.run.inputs.get(name),
        }
    }

    /// What the values at these paths rest on, how sure they are, and the values themselves by name.
    pub(super) fn grounds(&self, reads: &[Path]) -> Grounds {
        let mut out = Grounds::default();
        for path in reads {
            let name = path.root();
            if self.is_outer(name) {
                evidence::union(&mut out.evidence, &self.outer.evidence(&path.segments));
            } else if let Some(bound) = self.run.value_at(bare(name), Seq::MAX) {
                evidence::union(&mut out.evidence, &bound.evidence);
                out.confidence = least(out.confidence, bound.confidence);
            }
            let segments: Vec<&str> = path.segments.iter().map(String::as_str).collect();
            if let Some(value) = self.get_path(&segments) {
                out.values.insert(path.dotted(), value);
            } else if name == "now"
                && let Some(now) = self.now()
            {
                let now = throughline_expr::time::format_instant(now, self.zone());
                out.values.insert(path.dotted(), now.into());
            }
        }
        out
    }
}

/// What a computed value rests on.
#[derive(Debug, Default)]
pub(super) struct Grounds {
    pub(super) evidence: Vec<Evidence>,
    pub(super) confidence: Option<Number>,
    pub(super) values: Map,
}

impl Grounds {
    pub(super) fn add(&mut self, other: Self) {
        evidence::union(&mut self.evidence, &other.evidence);
        self.confidence = least(self.confidence.take(), other.confidence);
        self.values.extend(other.values);
    }
}

/// A value is as sure as the least sure one it rests on.
fn least(a: Option<Number>, b: Option<Number>) -> Option<Number> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

impl Env for RunEnv<'_> {
    fn get(&self, name: &str) -> Option<Value> {
        if self.is_outer(name) { self.outer.get(name) } else { self.binding(name).cloned() }
    }

    fn get_path(&self, path: &[&str]) -> Option<Value> {
        let (name, rest) = path.split_first()?;
        if self.is_outer(name) { self.outer.get_path(path) } else { self.binding(name)?.at(rest).cloned() }
    }

    fn now(&self) -> Option<i64> {
        self.outer.now()
    }

    fn zone(&self) -> Option<&Zone> {
        self.outer.zone()
    }

    fn zone_assumed(&self, text: &str) {
        self.zone_assumed.borrow_mut().push(text.to_owned());
        self.outer.zone_assumed(text);
    }
}
