//! What the expressions of a run see.

use std::cell::RefCell;

use throughline_expr::time::Zone;
use throughline_expr::{Env, Path};
use throughline_journal::Seq;
use throughline_protocol::view::Evidence;
use throughline_value::{Map, Number, SortedSet, Value};

use super::state::{Run, RunStep};
use crate::answer::AnswerScope;
use crate::evidence;
use crate::extract::Failure;
use crate::plan::Formula;
use crate::scope::bare;
use crate::window::{self, Window};

/// The name under which expressions see the time that the plan is about.
pub(super) const SCOPE: &str = "temporal_scope";

/// The bindings of a run before the names of the world around it. Values come by name and stay values: there
/// is no text in which a value could be taken for a reference.
pub(super) struct RunEnv<'a> {
    run: &'a Run,
    outer: &'a dyn AnswerScope,
    /// `item` and `index` of a rule.
    item: Option<(&'a Value, usize)>,
    /// The time that the plan is about, as expressions see it.
    scope: Value,
    zone_assumed: RefCell<Vec<String>>,
}

impl<'a> RunEnv<'a> {
    pub(super) fn new(run: &'a Run, outer: &'a dyn AnswerScope) -> Self {
        let mut env = Self { run, outer, item: None, scope: Value::Null, zone_assumed: RefCell::default() };
        let window = run.options.temporal_scope.as_ref().and_then(|formula| env.window_of(formula).ok());
        env.scope = window.map(|window| window.value(env.now(), env.zone())).unwrap_or_default();
        env
    }

    /// The same names, and `item` and `index`.
    pub(super) fn with_item<'b>(&'b self, item: &'b Value, index: usize) -> RunEnv<'b> {
        let Self { run, outer, scope, .. } = self;
        RunEnv { run, outer: *outer, item: Some((item, index)), scope: scope.clone(), zone_assumed: RefCell::default() }
    }

    /// The time that the plan is about: `{from, to, tense}`, or null.
    pub(super) fn temporal_scope(self) -> Value {
        self.scope
    }

    /// The time that a step is about: its own, or its plan's.
    pub(super) fn window(&self, step: &RunStep) -> Result<Option<Window>, Failure> {
        let formula = step.options.temporal_scope.as_ref().or(self.run.options.temporal_scope.as_ref());
        formula.map(|formula| self.window_of(formula)).transpose()
    }

    fn window_of(&self, formula: &Formula) -> Result<Window, Failure> {
        let value = formula.expr.eval(self).map_err(|error| Failure::new(error.code(), error.message()))?;
        window::of(&value, self.zone()).map_err(|message| Failure::new("bad-temporal-scope", message))
    }

    /// The texts whose zone was assumed since the last call.
    pub(super) fn take_zone_assumed(&self) -> Vec<String> {
        self.zone_assumed.take()
    }

    fn own(&self, name: &str) -> Option<Value> {
        match (name, self.item) {
            ("item", Some((item, _))) => Some(item.clone()),
            ("index", Some((_, index))) => Some(Value::from(index)),
            (SCOPE, _) if !self.scope.is_null() => Some(self.scope.clone()),
            _ => None,
        }
    }

    fn is_outer(&self, name: &str) -> bool {
        !name.starts_with('$') && (name == "now" || self.run.meaning.names.iter().any(|n| n == name))
    }

    fn binding(&self, name: &str) -> Option<&'a Value> {
        self.run.value(bare(name))
    }

    /// What the values at these paths rest on, how sure they are, and the values themselves by name.
    pub(super) fn grounds(&self, reads: &[Path]) -> Grounds {
        let mut out = Grounds::default();
        for path in reads {
            let name = path.root();
            if self.item.is_some() && matches!(name, "item" | "index") {
                continue;
            }
            if self.is_outer(name) {
                evidence::union(&mut out.evidence, &self.outer.evidence(&path.segments));
                out.classes.extend(self.outer.classes(&path.segments));
            } else if let Some(bound) = self.run.value_at(bare(name), Seq::MAX) {
                evidence::union(&mut out.evidence, &bound.evidence);
                out.confidence = least(out.confidence, bound.confidence);
                out.classes.extend(bound.classes);
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
    pub(super) classes: SortedSet<String>,
}

impl Grounds {
    pub(super) fn add(&mut self, other: Self) {
        evidence::union(&mut self.evidence, &other.evidence);
        self.confidence = least(self.confidence.take(), other.confidence);
        self.values.extend(other.values);
        self.classes.extend(other.classes);
    }
}

/// A value is as sure as the least sure one it rests on.
pub(super) fn least(a: Option<Number>, b: Option<Number>) -> Option<Number> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

impl Env for RunEnv<'_> {
    fn get(&self, name: &str) -> Option<Value> {
        if let Some(value) = self.own(name) {
            return Some(value);
        }
        if self.is_outer(name) { self.outer.get(name) } else { self.binding(name).cloned() }
    }

    fn get_path(&self, path: &[&str]) -> Option<Value> {
        let (name, rest) = path.split_first()?;
        if let Some(value) = self.own(name) {
            return value.at(rest).cloned();
        }
        if self.is_outer(name) { self.outer.get_path(path) } else { self.binding(name)?.at(rest).cloned() }
    }

    fn now(&self) -> Option<i64> {
        self.outer.now()
    }

    fn zone(&self) -> Option<&Zone> {
        self.outer.zone()
    }

    fn zone_named(&self, name: &str) -> Option<Zone> {
        self.outer.zone_named(name)
    }

    fn zone_assumed(&self, text: &str) {
        self.zone_assumed.borrow_mut().push(text.to_owned());
        self.outer.zone_assumed(text);
    }
}
