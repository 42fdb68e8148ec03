//! Every place that a machine can come to, and how.
//!
//! Guards over facts that have few values are tried with each of them, absence too, so what is said of them is
//! exact. Any other guard may be true or false; what rests on such a choice is only *possible*.

use std::collections::BTreeMap;
use std::collections::VecDeque;

use throughline_expr::{Env, Expr};
use throughline_protocol::domain::FactType;
use throughline_value::{InOrder as _, Named, SortedMap, SortedSet, Value};

use super::definition::{Candidate, Definition, StateId};
use super::run::{ALWAYS, Asked, Config, Micro};
use super::step::state_value;

/// The most places that a check looks at. Beyond, it says `check-limited`.
pub const MAX_CHECK_STATES: usize = 30_000;

/// The most steps between places that a check looks at.
pub const MAX_CHECK_EDGES: usize = 1_000_000;

/// The most combinations of facts' values that are tried for one event; guards over more may be true or false.
pub const MAX_VALUATIONS: usize = 1_024;

/// The most ways that guards which may be true or false are tried for one event.
const MAX_CHOICES: usize = 256;

/// One step between places.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) event: u32,
    pub(crate) to: u32,
    /// What was passed through, in [`Graph::runs`].
    pub(crate) run: u32,
    /// What must be true of facts, in [`Graph::labels`].
    pub(crate) label: u32,
    /// Whether it rests on a guard that may be false.
    pub(crate) possible: bool,
}

/// Every place and every step.
#[derive(Default)]
pub(crate) struct Graph {
    pub(crate) configs: Vec<Config>,
    /// Where the steps of each place begin in `edges`; one more at the end.
    pub(crate) first: Vec<usize>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) events: Interned<String>,
    pub(crate) labels: Interned<String>,
    pub(crate) sets: Interned<SortedSet<StateId>>,
    /// The active and the entered states of each small step, in `sets`.
    pub(crate) runs: Interned<Vec<(u32, u32)>>,
    /// How it can begin.
    pub(crate) starts: Vec<Edge>,
    /// The ways that were ever taken, by their pointers in the document.
    pub(crate) taken: SortedSet<usize>,
    /// Places where regions stood in each other's way: the place and the event.
    pub(crate) rivals: Vec<(u32, u32)>,
    /// Places from which an event does not come to rest: the place, the event, and whether that is only possible.
    pub(crate) endless: Vec<(u32, u32, bool)>,
    /// Whether something was left out.
    pub(crate) limited: bool,
}

/// Things by number, each once.
#[derive(Debug)]
pub(crate) struct Interned<T> {
    pub(crate) items: Vec<T>,
    places: BTreeMap<T, u32>,
}

impl<T> Default for Interned<T> {
    fn default() -> Self {
        Self { items: Vec::new(), places: BTreeMap::new() }
    }
}

impl<T: Ord + Clone> Interned<T> {
    pub(crate) fn add(&mut self, item: &T) -> u32 {
        if let Some(place) = self.places.get(item) {
            return *place;
        }
        let place = u32::try_from(self.items.len()).unwrap_or(u32::MAX);
        self.items.push(item.clone());
        self.places.insert(item.clone(), place);
        place
    }

    pub(crate) fn get(&self, place: u32) -> Option<&T> {
        self.items.get(place as usize)
    }
}

/// What is known of a guard without running.
struct Known {
    /// The facts it asks for, in [`Explorer::facts`]; absent when it asks for anything else.
    facts: Option<Vec<usize>>,
    asks_state: bool,
}

pub(crate) struct Explorer<'d> {
    definition: &'d Definition,
    /// The facts that guards ask for and that have few values, with the values.
    facts: Vec<(String, Vec<Option<Value>>)>,
    guards: SortedMap<usize, Known>,
    answers: BTreeMap<(usize, Vec<u8>), bool>,
    graph: Graph,
}

/// The place of a way, as its name.
pub(crate) fn name_of(way: &Candidate) -> usize {
    std::ptr::from_ref(way) as usize
}

/// Facts as a guard of the check sees them.
struct Assumed<'a> {
    facts: &'a [(String, Vec<Option<Value>>)],
    chosen: &'a [u8],
    places: &'a [usize],
    state: Value,
}

impl Env for Assumed<'_> {
    fn get(&self, name: &str) -> Option<Value> {
        match name {
            "facts" => {
                let known = self.places.iter().enumerate().filter_map(|(i, place)| {
                    let (key, values) = self.facts.get(*place)?;
                    Some((key.clone(), values.get(usize::from(*self.chosen.get(i)?))?.clone()?))
                });
                Some(Value::Map(known.collect()))
            }
            "state" => Some(self.state.clone()),
            _ => None,
        }
    }
}

impl<'d> Explorer<'d> {
    pub(crate) fn new(definition: &'d Definition, facts: &Named<FactType>) -> Self {
        let mut explorer = Self {
            definition,
            facts: Vec::new(),
            guards: SortedMap::new(),
            answers: BTreeMap::new(),
            graph: Graph::default(),
        };
        for way in definition.states.iter().flat_map(|s| s.on.values()).flatten() {
            if let Some(guard) = &way.guard {
                let known = explorer.know(guard, facts);
                explorer.guards.insert(name_of(way), known);
            }
        }
        explorer
    }

    fn know(&mut self, guard: &Expr, facts: &Named<FactType>) -> Known {
        let mut places = Vec::new();
        let mut asks_state = false;
        for path in guard.names() {
            match path.segments.as_slice() {
                [root, ..] if root == "state" => asks_state = true,
                [root, key] if root == "facts" => match facts.get(key).and_then(few_values) {
                    Some(values) => {
                        let place = self.facts.iter().position(|(k, _)| k == key).unwrap_or_else(|| {
                            self.facts.push((key.clone(), values));
                            self.facts.len() - 1
                        });
                        if !places.contains(&place) {
                            places.push(place);
                        }
                    }
                    None => return Known { facts: None, asks_state },
                },
                _ => return Known { facts: None, asks_state },
            }
        }
        // What depends on the clock is not known beforehand.
        let timeless = !guard.source().contains("now") && !guard.source().contains("today");
        Known { facts: timeless.then_some(places), asks_state }
    }

    /// Whether every guard can be answered for certain.
    pub(crate) fn is_exact(&self) -> bool {
        self.guards.values().all(|known| known.facts.is_some())
    }

    /// Whether both guards can hold at once; absent when that is not known.
    pub(crate) fn overlap(&mut self, a: &'d Candidate, b: &'d Candidate) -> Option<bool> {
        let places = self.places_of([a, b].into_iter())?;
        let config = Config::initial(self.definition);
        if [a, b].iter().any(|w| self.guards.get(&name_of(w)).is_some_and(|k| k.asks_state)) {
            return None;
        }
        let mut both = false;
        for chosen in valuations(&self.facts, &places)? {
            both |= self.answer(a, &places, &chosen, &config) && self.answer(b, &places, &chosen, &config);
        }
        Some(both)
    }

    /// Whether a guard holds for some values of the facts; absent when that is not known.
    pub(crate) fn can_hold(&mut self, way: &'d Candidate) -> Option<bool> {
        self.overlap(way, way)
    }

    /// The facts that the exact guards among some ways ask for; absent when one of them is not exact.
    fn places_of<'w>(&self, ways: impl Iterator<Item = &'w Candidate>) -> Option<Vec<usize>> {
        let mut places = Vec::new();
        for known in ways.filter(|w| w.guard.is_some()).filter_map(|way| self.guards.get(&name_of(way))) {
            places.extend(known.facts.as_ref()?.iter().copied());
        }
        places.order();
        places.dedup();
        Some(places)
    }

    fn answer(&mut self, way: &Candidate, places: &[usize], chosen: &[u8], config: &Config) -> bool {
        let Some(guard) = &way.guard else { return true };
        let name = name_of(way);
        let Some(known) = self.guards.get(&name) else { return true };
        let asks_state = known.asks_state;
        let own = known.facts.clone().unwrap_or_default();
        let own_chosen: Vec<u8> = own
            .iter()
            .map(|p| places.iter().position(|q| q == p).and_then(|i| chosen.get(i)).copied().unwrap_or(0))
            .collect();
        if !asks_state && let Some(answer) = self.answers.get(&(name, own_chosen.clone())) {
            return *answer;
        }
        let leaves = || self.definition.paths(&self.definition.innermost(&config.active));
        let state = if asks_state { state_value(&leaves()) } else { Value::Null };
        let env = Assumed { facts: &self.facts, chosen: &own_chosen, places: &own, state };
        let held = guard.test(&env).unwrap_or(false);
        if !asks_state {
            self.answers.insert((name, own_chosen), held);
        }
        held
    }

    /// Looks at everything.
    pub(crate) fn run(mut self) -> (Graph, Self) {
        let definition = self.definition;
        let mut known: BTreeMap<Vec<StateId>, u32> = BTreeMap::new();
        let mut waiting: VecDeque<u32> = VecDeque::new();
        let begin = Config::initial(definition);
        let entered = begin.active.clone();
        let event = self.graph.events.add(&String::from("the beginning"));
        let mut firsts = self.outcomes(&begin, None);
        firsts.order_by_key(|(_, _, possible)| *possible);
        for (outcome, label, possible) in firsts {
            let Outcome::Rest(config, micros) = outcome else {
                self.graph.endless.push((0, event, possible));
                continue;
            };
            let all = self.graph.sets.add(&entered);
            let mut run = vec![(all, all)];
            run.extend(self.steps(&begin, &micros));
            let run = self.graph.runs.add(&run);
            let Some(to) = self.place(config, &mut known, &mut waiting) else { continue };
            if self.graph.starts.iter().all(|e| (e.to, e.run) != (to, run)) {
                let label = self.graph.labels.add(&label);
                self.graph.starts.push(Edge { event, to, run, label, possible });
            }
        }
        while let Some(at) = waiting.pop_front() {
            self.graph.first.push(self.graph.edges.len());
            let Some(config) = self.graph.configs.get(at as usize).cloned() else { break };
            if definition.ended(super::definition::ROOT, &config.active) {
                continue;
            }
            for event in events_of(definition, &config) {
                let number = self.graph.events.add(&event);
                let mut seen: Vec<(u32, u32)> = Vec::new();
                let mut outcomes = self.outcomes(&config, Some(&event));
                // What is certain says more than the same thing that is only possible.
                outcomes.order_by_key(|(_, _, possible)| *possible);
                for (outcome, label, possible) in outcomes {
                    match outcome {
                        Outcome::Stays => {}
                        Outcome::Endless(micros) => {
                            self.steps(&config, &micros);
                            if !self.graph.endless.iter().any(|(_, e, p)| *e == number && *p <= possible) {
                                self.graph.endless.push((at, number, possible));
                            }
                        }
                        Outcome::Rest(to, micros) => {
                            if micros.iter().any(|m| m.rivals) && !self.graph.rivals.iter().any(|(_, e)| *e == number) {
                                self.graph.rivals.push((at, number));
                            }
                            let run = self.steps(&config, &micros);
                            let run = self.graph.runs.add(&run);
                            let Some(to) = self.place(to, &mut known, &mut waiting) else { continue };
                            if seen.contains(&(to, run)) {
                                continue;
                            }
                            seen.push((to, run));
                            if self.graph.edges.len() >= MAX_CHECK_EDGES {
                                self.graph.limited = true;
                                continue;
                            }
                            let label = self.graph.labels.add(&label);
                            self.graph.edges.push(Edge { event: number, to, run, label, possible });
                        }
                    }
                }
            }
        }
        // Places that were not looked at have no steps.
        self.graph.first.resize(self.graph.configs.len() + 1, self.graph.edges.len());
        (std::mem::take(&mut self.graph), self)
    }

    fn place(
        &mut self,
        config: Config,
        known: &mut BTreeMap<Vec<StateId>, u32>,
        waiting: &mut VecDeque<u32>,
    ) -> Option<u32> {
        let mut key: Vec<StateId> = config.active.iter().copied().collect();
        for (history, kept) in &config.remembered {
            key.push(StateId::MAX);
            key.push(*history);
            key.extend(kept.iter().copied());
        }
        if let Some(place) = known.get(&key) {
            return Some(*place);
        }
        if self.graph.configs.len() >= MAX_CHECK_STATES {
            self.graph.limited = true;
            return None;
        }
        let place = u32::try_from(self.graph.configs.len()).ok()?;
        self.graph.configs.push(config);
        known.insert(key, place);
        waiting.push_back(place);
        Some(place)
    }

    /// The small steps as sets.
    fn steps(&mut self, from: &Config, micros: &[Micro<'d>]) -> Vec<(u32, u32)> {
        let mut active = from.active.clone();
        let mut run = Vec::with_capacity(micros.len());
        for micro in micros {
            active = active.difference(&micro.exited).chain(&micro.entered).copied().collect();
            run.push((self.graph.sets.add(&active), self.graph.sets.add(&micro.entered)));
            for way in &micro.ways {
                self.graph.taken.insert(name_of(way));
            }
        }
        run
    }

    /// Everything that an event can lead to; without an event, what goes on by itself at the beginning.
    fn outcomes(&mut self, config: &Config, event: Option<&str>) -> Vec<(Outcome<'d>, String, bool)> {
        let definition = self.definition;
        let mut asked: Vec<&Candidate> = Vec::new();
        let leaves = definition.innermost(&config.active);
        for leaf in leaves.iter().copied().chain(leaves.is_empty().then_some(super::definition::ROOT)) {
            for state in definition.outwards(leaf).filter_map(|id| definition.state(id)) {
                asked.extend(event.and_then(|event| state.on.get(event)).into_iter().flatten());
            }
        }
        let own = asked.clone();
        if definition.has_always || definition.has_done {
            for state in &definition.states {
                let inner = state.on.iter().filter(|(e, _)| e.is_empty() || **e == state.done_event());
                asked.extend(inner.flat_map(|(_, ways)| ways));
            }
        }
        let exact = |way: &&&Candidate| self.guards.get(&name_of(way)).is_some_and(|known| known.facts.is_some());
        let places = self.places_of(asked.iter().filter(exact).copied()).unwrap_or_default();
        let shown = self.places_of(own.iter().filter(exact).copied()).unwrap_or_default();
        let (places, choices) = match valuations(&self.facts, &places) {
            Some(choices) => (places, choices),
            None => (Vec::new(), vec![Vec::new()]),
        };
        let mut found: Vec<(Outcome<'d>, String, bool)> = Vec::new();
        for chosen in choices {
            let label = self.label(&places, &chosen, &shown);
            let mut guesses: Vec<bool> = Vec::new();
            for round in 0.. {
                if round >= MAX_CHOICES {
                    self.graph.limited = true;
                    break;
                }
                let mut asked = 0;
                let mut now = config.clone();
                let outcome = {
                    let explorer = &mut *self;
                    let mut holds = |way: &'d Candidate, config: &Config| {
                        let known = explorer.guards.get(&name_of(way)).and_then(|k| k.facts.as_ref());
                        if known.is_some_and(|facts| facts.iter().all(|f| places.contains(f))) {
                            return explorer.answer(way, &places, &chosen, config);
                        }
                        let guess = guesses.get(asked).copied().unwrap_or(true);
                        if asked >= guesses.len() {
                            guesses.push(guess);
                        }
                        asked += 1;
                        guess
                    };
                    go(definition, &mut now, event, &mut holds)
                };
                let possible = asked > 0;
                let outcome = match outcome {
                    Ok(Some(micros)) => Outcome::Rest(now, micros),
                    Ok(None) => Outcome::Stays,
                    Err(micros) => Outcome::Endless(micros),
                };
                found.push((outcome, label.clone(), possible));
                guesses.truncate(asked);
                while guesses.pop_if(|last| !*last).is_some() {}
                match guesses.last_mut() {
                    Some(last) => *last = false,
                    None => break,
                }
            }
        }
        found
    }

    /// What is assumed of the facts that an event's own guards ask for.
    fn label(&self, places: &[usize], chosen: &[u8], shown: &[usize]) -> String {
        let parts =
            places.iter().zip(chosen).filter(|(place, _)| shown.contains(place)).filter_map(|(place, choice)| {
                let (key, values) = self.facts.get(*place)?;
                Some(match values.get(usize::from(*choice))? {
                    Some(value) => format!("{key} = {}", value.to_json()),
                    None => format!("{key} unknown"),
                })
            });
        parts.collect::<Vec<_>>().join(", ")
    }
}

enum Outcome<'d> {
    /// It comes to rest here.
    Rest(Config, Vec<Micro<'d>>),
    /// Nothing happens.
    Stays,
    /// It does not come to rest.
    Endless(Vec<Micro<'d>>),
}

fn go<'d>(
    definition: &'d Definition,
    config: &mut Config,
    event: Option<&str>,
    holds: &mut dyn FnMut(&'d Candidate, &Config) -> bool,
) -> Result<Option<Vec<Micro<'d>>>, Vec<Micro<'d>>> {
    let (entered, mut micros) = match event {
        Some(event) => match config.take(definition, event, holds) {
            Asked::Taken(micro) => (micro.entered.clone(), vec![micro]),
            _ => return Ok(None),
        },
        None => (config.active.clone(), Vec::new()),
    };
    if config.settle(definition, &entered, holds, &mut micros) { Ok(Some(micros)) } else { Err(micros) }
}

/// The events that an active state knows and that can come.
fn events_of(definition: &Definition, config: &Config) -> Vec<String> {
    let mut events: SortedSet<String> = SortedSet::new();
    let root = definition.state(super::definition::ROOT);
    for state in config.active.iter().filter_map(|id| definition.state(*id)).chain(root) {
        let done = if definition.has_done { state.done_event() } else { String::new() };
        events.extend(state.on.keys().filter(|e| *e != ALWAYS && **e != done).cloned());
    }
    // What goes on by itself can also do so when only facts change.
    if definition.has_always {
        events.insert(ALWAYS.to_owned());
    }
    events.into_iter().collect()
}

/// The values of a fact when they are few; absence is one of them.
fn few_values(fact: &FactType) -> Option<Vec<Option<Value>>> {
    if matches!(fact.cardinality.as_deref(), Some("many" | "append")) {
        return None;
    }
    let mut values: Vec<Option<Value>> = match (fact.value.r#type.as_str(), fact.value.values.as_slice()) {
        ("boolean", []) => [true, false].map(|b| Some(b.into())).into(),
        (_, []) => return None,
        (_, values) => values.iter().cloned().map(Some).collect(),
    };
    values.push(None);
    (values.len() < 200).then_some(values)
}

/// Every combination of values of some facts; absent when there are too many.
fn valuations(facts: &[(String, Vec<Option<Value>>)], places: &[usize]) -> Option<Vec<Vec<u8>>> {
    let mut all: Vec<Vec<u8>> = vec![Vec::new()];
    for place in places {
        let count = facts.get(*place).map_or(0, |(_, values)| values.len());
        if all.len() * count > MAX_VALUATIONS {
            return None;
        }
        all = (0..count)
            .flat_map(|value| all.iter().map(move |head| (head, value)))
            .map(|(head, value)| head.iter().copied().chain(u8::try_from(value).ok()).collect())
            .collect();
    }
    Some(all)
}
