//! The machine as a pure function: nothing here changes anything.

use throughline_expr::Env;
use throughline_protocol::domain::FactType;
use throughline_protocol::view::{Finding, MachineCheck, TransitionResult};
use throughline_protocol::{At, Refusal};
use throughline_value::{Named, SortedMap, SortedSet, Value};

use super::check::check;
use super::definition::{Definition, ROOT, StateId};
use super::parse::parse;
use super::run::{Config, entry_actions};
use super::step::{Transition, allowed, endless, no_machine, step};
use super::{Machine, Standing};

impl Machine {
    /// What can be known of a machine without running it; of the loaded one when the document is null.
    #[must_use]
    pub fn check(&self, document: &Value, facts: &Named<FactType>, at: At) -> MachineCheck {
        let parsed;
        let definition = if document.is_null() {
            self.definition(at.seq).map(AsRef::as_ref)
        } else {
            match parse(document, "/machine") {
                Ok(definition) => {
                    parsed = definition;
                    Some(&parsed)
                }
                Err(refusal) => return MachineCheck { findings: problems(&refusal), ..MachineCheck::default() },
            }
        };
        let Some(definition) = definition else {
            return MachineCheck { ok: true, exact: true, ..MachineCheck::default() };
        };
        let checked = check(definition, facts, "/machine");
        MachineCheck {
            ok: checked.findings.iter().all(|f| f.severity != "error"),
            findings: checked.findings,
            states: checked.states as u64,
            steps: checked.steps as u64,
            exact: checked.exact,
        }
    }

    /// What an event would do to a machine that stands somewhere; to the loaded one where it stands when both
    /// are null. Without an event, what goes on by itself, and of a given machine without a state, its beginning.
    ///
    /// # Errors
    /// As [`Machine::transition`] and as loading the document; `bad-snapshot` where the state is none.
    pub fn try_event(
        &self,
        document: &Value,
        state: &Value,
        event: &str,
        data: &Value,
        at: At,
        env: &dyn Env,
    ) -> Result<TransitionResult, Refusal> {
        let parsed;
        let definition = if document.is_null() {
            self.definition(at.seq).map(AsRef::as_ref).ok_or_else(no_machine)?
        } else {
            parsed = parse(document, "/machine")?;
            &parsed
        };
        let standing = match state {
            Value::Null if document.is_null() => self.standing(at.seq).cloned().ok_or_else(no_machine)?,
            Value::Null => {
                let (standing, first) = begin(definition, env)?;
                if event.is_empty() {
                    return Ok(result(definition, &standing, first, env));
                }
                standing
            }
            state => read(definition, state, "/state")?,
        };
        match step(definition, &standing, event, data, env) {
            Ok(done) => {
                let after = standing.after(&done);
                Ok(result(definition, &after, done, env))
            }
            // Nothing goes on by itself: that is an answer.
            Err(refusal) if event.is_empty() && refusal.code != "endless-always" => {
                let stays =
                    Transition { to: standing.active.clone(), finished: standing.finished, ..Transition::default() };
                Ok(result(definition, &standing, stays, env))
            }
            Err(refusal) => Err(refusal),
        }
    }

    /// Where a saved snapshot goes on under another definition; under the loaded one when it is null.
    ///
    /// # Errors
    /// As loading the document; `bad-snapshot`; `state-not-in-machine` where a state is neither in the definition
    /// nor in its `migrate`; `states-exclude-each-other`.
    pub fn migrate(&self, document: &Value, snapshot: &Value) -> Result<Value, Refusal> {
        let parsed;
        let definition = if document.is_null() {
            self.definition(Self::HEAD).map(AsRef::as_ref).ok_or_else(no_machine)?
        } else {
            parsed = parse(document, "/machine")?;
            &parsed
        };
        let (active, remembered) = parts(snapshot, "/snapshot")?;
        let (config, dropped) = carry(definition, &active, &remembered)?;
        let standing = standing_of(definition, &config);
        let mut snapshot = snapshot_of(&standing);
        if let (Value::Map(map), false) = (&mut snapshot, dropped.is_empty()) {
            map.insert("forgotten".to_owned(), dropped.into());
        }
        Ok(snapshot)
    }
}

fn problems(refusal: &Refusal) -> Vec<Finding> {
    let list = refusal.details.get("problems").and_then(Value::as_list).unwrap_or_default();
    let text = |problem: &Value, name: &str| problem.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let found = list.iter().map(|problem| {
        let hint = text(problem, "suggestion");
        let message = text(problem, "message");
        Finding {
            code: text(problem, "code"),
            message: if hint.is_empty() { message } else { format!("{message}; {hint}") },
            path: text(problem, "path"),
            severity: "error".to_owned(),
            ..Finding::default()
        }
    });
    found.collect()
}

/// Where a machine begins, after what goes on by itself.
pub(crate) fn begin(definition: &Definition, env: &dyn Env) -> Result<(Standing, Transition), Refusal> {
    let config = Config::initial(definition);
    let entered = config.active.clone();
    let (config, mut first) = rest(definition, config, &entered, env)?;
    let all: SortedSet<StateId> = std::iter::once(ROOT).chain(entered.iter().copied()).collect();
    let mut actions = entry_actions(definition, &all);
    actions.append(&mut first.actions);
    first.actions = actions;
    first.entered = definition.paths(&config.active);
    first.exited = Vec::new();
    Ok((standing_of(definition, &config), first))
}

/// What goes on by itself from a configuration.
fn rest(
    definition: &Definition,
    mut config: Config,
    entered: &SortedSet<StateId>,
    env: &dyn Env,
) -> Result<(Config, Transition), Refusal> {
    let before = standing_of(definition, &config);
    let mut micros = Vec::new();
    let mut guards = Vec::new();
    let mut holds = super::step::asking(definition, &Value::Null, env, &mut guards);
    let rests = config.settle(definition, entered, &mut holds, &mut micros);
    drop(holds);
    if !rests {
        return Err(endless(definition, &config).at_path("/machine"));
    }
    let first = Transition::of(definition, &before, &config, &micros, guards);
    Ok((config, first))
}

/// A configuration as paths.
pub(crate) fn standing_of(definition: &Definition, config: &Config) -> Standing {
    let kept = config.remembered.iter();
    Standing {
        active: definition.paths(&definition.innermost(&config.active)),
        entered: config.active.iter().map(|id| (definition.path(*id).to_owned(), 0)).collect(),
        remembered: kept.map(|(id, kept)| (definition.path(*id).to_owned(), definition.paths(kept))).collect(),
        finished: definition.ended(ROOT, &config.active),
        ..Standing::default()
    }
}

fn snapshot_of(standing: &Standing) -> Value {
    let mut snapshot = vec![("state".to_owned(), Value::from(standing.active.clone()))];
    if !standing.remembered.is_empty() {
        let kept = standing.remembered.iter().map(|(path, kept)| (path.clone(), kept.clone().into()));
        snapshot.push(("remembered".to_owned(), Value::Map(kept.collect())));
    }
    Value::Map(snapshot.into_iter().collect())
}

fn result(definition: &Definition, after: &Standing, done: Transition, env: &dyn Env) -> TransitionResult {
    let events = allowed(definition, after, env).into_iter().filter(|a| a.open != Some(false)).map(|a| a.event);
    TransitionResult {
        events: events.collect(),
        snapshot: snapshot_of(after),
        state: done.to,
        effects: done.actions,
        finished: done.finished,
        exited: done.exited,
        entered: done.entered,
        guards: done.guards,
        via: done.via,
    }
}

/// Active paths, and what history states remember.
type Parts = (Vec<String>, Vec<(String, Vec<String>)>);

/// The parts of a snapshot: a path, a list of paths, or a map with `state` and `remembered`.
fn parts(value: &Value, pointer: &str) -> Result<Parts, Refusal> {
    let bad = || {
        let message = "a snapshot is the path of a state, a list of them, or a map with `state` and `remembered`";
        Refusal::new("bad-snapshot", message).at_path(pointer)
    };
    let paths = |value: &Value| -> Result<Vec<String>, Refusal> {
        match value {
            Value::Text(path) => Ok(vec![path.clone()]),
            Value::List(list) => list.iter().map(|v| v.as_str().map(str::to_owned).ok_or_else(bad)).collect(),
            _ => Err(bad()),
        }
    };
    let Value::Map(map) = value else { return Ok((paths(value)?, Vec::new())) };
    if map.keys().any(|k| !matches!(k.as_str(), "state" | "remembered" | "forgotten")) {
        return Err(bad());
    }
    let active = paths(map.get("state").ok_or_else(bad)?)?;
    let kept = match map.get("remembered") {
        None => Vec::new(),
        Some(Value::Map(kept)) => {
            kept.iter().map(|(path, kept)| Ok((path.clone(), paths(kept)?))).collect::<Result<_, Refusal>>()?
        }
        Some(_) => return Err(bad()),
    };
    Ok((active, kept))
}

/// A standing from a snapshot that must be of this very definition.
fn read(definition: &Definition, value: &Value, pointer: &str) -> Result<Standing, Refusal> {
    let (active, remembered) = parts(value, pointer)?;
    let (config, _) = carry(definition, &active, &remembered).map_err(|refusal| refusal.at_path(pointer))?;
    Ok(standing_of(definition, &config))
}

/// Where states go on under a definition, with what its `migrate` says, and the histories that it has no place for.
pub(crate) fn carry(
    definition: &Definition,
    active: &[String],
    remembered: &[(String, Vec<String>)],
) -> Result<(Config, Vec<String>), Refusal> {
    let mapped = |path: &str| {
        let path = definition.migrate.get(path).map_or(path, String::as_str);
        definition.find(path).filter(|id| *id != ROOT)
    };
    let mut targets: Vec<StateId> = Vec::new();
    for path in active {
        let found = mapped(path).filter(|id| definition.state(*id).is_some_and(|s| s.history.is_none()));
        targets.push(found.ok_or_else(|| {
            let message = format!("the machine is in `{path}`, which the new definition does not have");
            Refusal::new("state-not-in-machine", message)
                .at_path("/machine/migrate")
                .suggest(format!("say where it goes on: \"migrate\": {{\"{path}\": \"…\"}}"))
                .with(Value::from([("state", path.as_str())]))
        })?);
    }
    if targets.is_empty() {
        targets.push(ROOT);
    }
    let entered = definition.entered(&targets, ROOT);
    let mut apart = definition
        .states
        .iter()
        .enumerate()
        .filter(|(id, _)| *id == ROOT || entered.contains(id))
        .filter(|(_, s)| !s.parallel && s.children.iter().filter(|c| entered.contains(c)).count() > 1);
    if let Some((_, state)) = apart.next() {
        let inside: Vec<&str> =
            state.children.iter().filter(|c| entered.contains(c)).map(|c| definition.path(*c)).collect();
        let message = format!("`{}` exclude each other, and the snapshot would be in all of them", inside.join("`, `"));
        return Err(Refusal::new("states-exclude-each-other", message).at_path("/machine/migrate"));
    }
    let mut dropped = Vec::new();
    let mut kept: SortedMap<StateId, Vec<StateId>> = SortedMap::new();
    for (path, states) in remembered {
        let history = mapped(path).filter(|id| definition.state(*id).is_some_and(|s| s.history.is_some()));
        let states: Option<Vec<StateId>> = states.iter().map(|path| mapped(path)).collect();
        let inside = |history: StateId, states: &[StateId]| {
            let parent = definition.state(history).and_then(|s| s.parent).unwrap_or(ROOT);
            states.iter().all(|s| definition.inside(*s, parent))
        };
        match history.zip(states).filter(|(history, states)| inside(*history, states)) {
            Some((history, states)) => {
                kept.insert(history, states);
            }
            None => dropped.push(path.clone()),
        }
    }
    Ok((Config { active: entered, remembered: kept }, dropped))
}
