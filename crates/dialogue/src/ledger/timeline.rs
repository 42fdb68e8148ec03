//! The versions of one fact key.

mod fate;
mod rival;

use std::cmp::Ordering;
use std::collections::BTreeMap;

use throughline_journal::{Millis, Origin, Seq};
use throughline_protocol::At;
use throughline_value::{Number, Value, order_numbers};

use super::store::Store;
pub(crate) use super::store::{Entry, New};
pub(crate) use fate::Fate;
pub use fate::Status;
use fate::Tally;
use rival::Rivals;
pub(crate) use rival::{Rank, Rule};

use super::order::{OPEN_END, Order, Place};

/// How many values of one key are true at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cardinality {
    /// One: a newer one supersedes it, and it does not come back.
    #[default]
    One,
    /// Many: each value is there or not.
    Many,
    /// One at any time: a narrower interval covers a wider one, which shows again behind it.
    Interval,
    /// All that was ever asserted, in order.
    Append,
}

impl Cardinality {
    /// Every name, in the order of the reference.
    pub const NAMES: &'static [&'static str] = &["one", "many", "interval", "append"];

    /// The name in a domain.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::Many => "many",
            Self::Interval => "interval",
            Self::Append => "append",
        }
    }

    /// The cardinality of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "one" => Some(Self::One),
            "many" => Some(Self::Many),
            "interval" => Some(Self::Interval),
            "append" => Some(Self::Append),
            _ => None,
        }
    }
}

/// What a version says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    /// The value is true.
    Asserted,
    /// The value is no longer true.
    Retracted,
    /// No value is true any longer.
    AllRetracted,
}

/// What most versions do not have.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Extra {
    pub(crate) valid_to: Option<Millis>,
    pub(crate) source: Option<String>,
    pub(crate) confidence: Option<Number>,
    pub(crate) origin: Option<Origin>,
    /// What the value is compared by, when not by itself: an instant's milliseconds.
    pub(crate) identity: Option<Value>,
    /// The number of the version that it confirms; 0 for none.
    pub(crate) confirms: u32,
    /// How it stands against other sources.
    pub(crate) rank: Option<Rank>,
}

impl<'a> Entry<'a> {
    pub(crate) fn valid_to(self) -> Option<Millis> {
        self.extra().and_then(|e| e.valid_to)
    }

    /// The end of what it says; a retraction has none.
    pub(crate) fn end(self) -> Millis {
        self.valid_to().unwrap_or(OPEN_END)
    }

    pub(crate) fn source(self) -> Option<&'a String> {
        self.extra().and_then(|e| e.source.as_ref())
    }

    pub(crate) fn confidence(self) -> Option<&'a Number> {
        self.extra().and_then(|e| e.confidence.as_ref())
    }

    pub(crate) fn origin(self) -> Option<&'a Origin> {
        self.extra().and_then(|e| e.origin.as_ref())
    }

    /// What the value is compared by.
    pub(crate) fn identity(self) -> &'a Value {
        self.extra().and_then(|e| e.identity.as_ref()).unwrap_or_else(|| self.value())
    }

    /// Whether an assertion of this value, end and confidence would only say this version again.
    pub(crate) fn says_already(self, identity: &Value, valid_to: Option<Millis>, confidence: Option<&Number>) -> bool {
        self.is_assertion()
            && self.identity() == identity
            && self.valid_to() == valid_to
            && (confidence.is_none() || confidence == self.confidence())
    }

    /// Whether this entry, standing right behind `earlier`, only says it again.
    fn continues(self, earlier: Self) -> bool {
        self.is_assertion() && earlier.says_already(self.identity(), self.valid_to(), self.confidence())
    }

    /// The order in valid time. Ties break by source and number at the source, so that the order of arrival
    /// cannot show; what came from no source was said here, and stands behind what was brought in.
    fn precedence(self) -> (Millis, bool, Option<&'a Origin>, Seq) {
        (self.valid_from(), self.origin().is_none(), self.origin(), self.seq())
    }

    fn cmp(self, other: Self) -> Ordering {
        match self.valid_from().cmp(&other.valid_from()) {
            Ordering::Equal => self.precedence().cmp(&other.precedence()),
            apart => apart,
        }
    }
}

/// The versions of one key, in the order of the journal, and their order in valid time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timeline {
    pub(crate) cardinality: Cardinality,
    versions: Store,
    /// What only some keys need.
    rest: Option<Box<Rest>>,
    tally: Tally,
}

/// What only some keys need.
#[derive(Clone, Debug, Default)]
pub(super) struct Rest {
    /// The order in valid time, where that is not the order in which they came.
    order: Option<Order>,
    /// Of a key with many values: the entries of each value, by its canonical text.
    lanes: BTreeMap<String, Order>,
    /// Of a key with many values: the retractions of all of them. Of one on which sources disagree: every
    /// retraction.
    sweeps: Order,
    /// The entries by where they came from, to know an input that comes again.
    origins: BTreeMap<Origin, Vec<u32>>,
    /// Of a key on which sources may disagree.
    rivals: Option<Rivals>,
}

impl Timeline {
    pub(crate) fn new(cardinality: Cardinality) -> Self {
        Self { cardinality, ..Self::default() }
    }

    fn rest(&mut self) -> &mut Rest {
        self.rest.get_or_insert_default()
    }

    fn order(&self) -> Option<&Order> {
        self.rest.as_ref()?.order.as_ref()
    }

    /// Adds what a record said.
    pub(crate) fn add(&mut self, new: New, rule: Option<Rule>) {
        let index = u32::try_from(self.versions.len()).unwrap_or(u32::MAX);
        if let Some(origin) = new.extra.as_ref().and_then(|e| e.origin.clone()) {
            self.rest().origins.entry(origin).or_default().push(index);
        }
        let from = new.valid_from;
        self.versions.push(new);
        let mut rest = self.rest.take();
        let versions = &self.versions;
        let Some(new) = versions.get(index) else { return };
        let goes_before =
            |_: Millis, other: u32| versions.get(other).is_none_or(|other| other.cmp(new) == Ordering::Less);
        let end_of = |i: u32| versions.get(i).map_or(OPEN_END, Entry::end);
        let last = index.checked_sub(1);
        let late = last.is_some_and(|last| !goes_before(0, last));
        let ordered = rest.as_ref().is_some_and(|r| r.order.is_some());
        if !ordered && (late || self.cardinality == Cardinality::Interval) {
            let mut order = Order::default();
            for i in 0..index {
                let from = versions.get(i).map_or(0, Entry::valid_from);
                order.insert(from, i, |_, _| true, end_of);
            }
            rest.get_or_insert_default().order = Some(order);
        }
        let (before, after) = match rest.as_ref().and_then(|r| r.order.as_ref()) {
            Some(order) => order.around(goes_before),
            None => (last, None),
        };
        if self.cardinality == Cardinality::One {
            let entry = |index: Option<u32>| index.and_then(|i| versions.get(i));
            self.tally.add(index, entry(before), new, entry(after));
        }
        if let Some(order) = rest.as_mut().and_then(|r| r.order.as_mut()) {
            order.insert(from, index, goes_before, end_of);
        }
        if self.cardinality == Cardinality::Many {
            let rest = rest.get_or_insert_default();
            match new.says() {
                Says::AllRetracted => rest.sweeps.insert(from, index, goes_before, end_of),
                _ => {
                    let lane = rest.lanes.entry(new.identity().canonical()).or_default();
                    lane.insert(from, index, goes_before, end_of);
                }
            }
        }
        self.rest = rest;
        self.rank(index, rule);
    }

    #[inline]
    pub(crate) fn get(&self, index: u32) -> Option<Entry<'_>> {
        self.versions.get(index)
    }

    /// Every entry, in the order of the journal.
    pub(crate) fn versions(&self) -> &Store {
        &self.versions
    }

    /// The place behind everything that is true at or before a time.
    fn until(&self, valid_at: Millis) -> Place {
        match self.order() {
            Some(order) => order.until(valid_at),
            None => (0, self.versions.begun_by(valid_at)),
        }
    }

    /// The place behind every entry of which `before` says so.
    fn place(&self, before: impl Fn(Millis, u32) -> bool) -> Place {
        if let Some(order) = self.order() {
            return order.place(before);
        }
        let (mut low, mut high) = (0, self.versions.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if u32::try_from(middle).is_ok_and(|i| before(0, i)) { low = middle + 1 } else { high = middle }
        }
        (0, low)
    }

    /// The last entry before a place with a number below `known`, and its place.
    fn last_before(&self, place: Place, known: u32) -> Option<(Place, u32)> {
        match self.order() {
            Some(order) => order.last_before(place, known),
            None => {
                let at = place.1.min(known as usize).checked_sub(1)?;
                Some(((0, at), u32::try_from(at).ok()?))
            }
        }
    }

    /// The last entry in the order of valid time.
    fn last_entry(&self) -> Option<Entry<'_>> {
        match self.order() {
            Some(order) => self.get(order.last()?),
            None => self.versions.last(),
        }
    }

    /// Every number, in the order of valid time.
    fn in_valid_order(&self) -> Box<dyn Iterator<Item = u32> + '_> {
        match self.order() {
            Some(order) => Box::new(order.iter()),
            None => Box::new(0..u32::try_from(self.versions.len()).unwrap_or(u32::MAX)),
        }
    }

    fn came_in_order(&self) -> bool {
        self.order().is_none_or(Order::in_order)
    }

    /// How many entries were known after record `seq`.
    pub(crate) fn known(&self, seq: Seq) -> u32 {
        u32::try_from(self.versions.count_upto(seq)).unwrap_or(u32::MAX)
    }

    /// The version that got a number first.
    fn first_with(&self, number: u32) -> Option<u32> {
        let (mut low, mut high) = (0, u32::try_from(self.versions.len()).ok()?);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.get(middle)?.count() < number { low = middle + 1 } else { high = middle }
        }
        Some(low)
    }

    /// How many assertions were known after record `seq`.
    pub(crate) fn count(&self, seq: Seq) -> u64 {
        self.known(seq).checked_sub(1).and_then(|i| self.get(i)).map_or(0, |v| u64::from(v.count()))
    }

    /// Whether the same input was here before and said the same.
    pub(crate) fn repeats(&self, origin: &Origin, says: Says, identity: &Value) -> Option<Entry<'_>> {
        let entries = self.rest.as_ref()?.origins.get(origin)?.iter().filter_map(|i| self.get(*i));
        entries.filter(|v| v.says() == says).find(|v| says == Says::AllRetracted || v.identity() == identity)
    }

    /// The assertion or retraction that will stand next behind one that is true from `valid_from`: what makes it late.
    /// Of a key with many values only the same value's entries count, and those that end all.
    pub(crate) fn next_after(
        &self,
        valid_from: Millis,
        origin: Option<&Origin>,
        identity: &Value,
    ) -> Option<Entry<'_>> {
        let precedence = (valid_from, origin.is_none(), origin, Seq::MAX);
        let before = |_: Millis, i: u32| self.get(i).is_some_and(|v| v.precedence() < precedence);
        let next = |order: &Order| order.at(order.place(before)).and_then(|i| self.get(i));
        match self.cardinality {
            Cardinality::One => match self.order() {
                Some(order) => next(order),
                None => {
                    // What is newer than everything needs no search.
                    let last = u32::try_from(self.versions.len().checked_sub(1)?).ok()?;
                    if before(0, last) {
                        return None;
                    }
                    u32::try_from(self.place(before).1).ok().and_then(|i| self.get(i))
                }
            },
            Cardinality::Many => {
                let rest = self.rest.as_ref()?;
                let both = [rest.lanes.get(&identity.canonical()).and_then(next), next(&rest.sweeps)];
                both.into_iter().flatten().min_by(|a, b| a.cmp(*b))
            }
            // Nothing that begins later takes their place.
            Cardinality::Interval | Cardinality::Append => None,
        }
    }

    /// Whether it has one value whose versions came in order and on which nobody disagrees.
    pub(crate) fn is_plain(&self) -> bool {
        self.cardinality == Cardinality::One
            && self.rest.as_ref().is_none_or(|r| r.order.is_none() && r.rivals.is_none())
    }

    /// The version that is true at a moment, where all is plain.
    pub(crate) fn current_plain(&self, at: At) -> Option<u32> {
        let last = self.versions.begun_and_known(at.valid_at, at.seq).checked_sub(1)?;
        let index = u32::try_from(last).ok()?;
        self.back_from((0, last), index, at.valid_at, index + 1)
    }

    /// The versions that are true at a moment, in the order of valid time. A confirmation gives the version that
    /// it confirms.
    pub(crate) fn current(&self, at: At) -> Vec<u32> {
        if self.is_plain() {
            return self.current_plain(at).into_iter().collect();
        }
        let known = self.known(at.seq);
        if let Some(rule) = self.rule(known) {
            return self.claims(at, known, rule).winner.into_iter().collect();
        }
        match self.cardinality {
            Cardinality::One => self.current_one(at, known).into_iter().collect(),
            Cardinality::Interval => {
                let found = self.covering(self.until(at.valid_at), at.valid_at, known);
                let found = found.map(|(_, i)| i).filter(|i| self.get(*i).is_some_and(Entry::is_assertion));
                found.map(|i| self.confirmed(i, known)).into_iter().collect()
            }
            Cardinality::Many => {
                let lanes = self.rest.iter().flat_map(|rest| rest.lanes.values());
                let mut found: Vec<u32> = lanes.filter_map(|lane| self.current_in_lane(lane, at, known)).collect();
                order_numbers(&mut found, &mut |a, b| match (self.get(a), self.get(b)) {
                    (Some(a), Some(b)) => a.cmp(b),
                    _ => Ordering::Equal,
                });
                found
            }
            Cardinality::Append => self.current_appended(at, known),
        }
    }

    /// The version of `identity` that is true at a moment, of a key with many values.
    pub(crate) fn current_of(&self, identity: &Value, at: At) -> Option<u32> {
        self.current_in_lane(self.rest.as_ref()?.lanes.get(&identity.canonical())?, at, self.known(at.seq))
    }

    fn covering(&self, place: Place, valid_at: Millis, known: u32) -> Option<(Place, u32)> {
        self.order()?.last_covering(place, known, valid_at, |i| self.end_of(i))
    }

    /// The entry that stands before `index` where it matters: of a key with many values among those of the same
    /// value, of intervals among those that are still true when it begins.
    fn before(&self, index: u32, known: u32) -> Option<u32> {
        let version = self.get(index)?;
        let less = |_: Millis, other: u32| self.get(other).is_some_and(|v| v.cmp(version) == Ordering::Less);
        match self.cardinality {
            Cardinality::One => self.last_before(self.place_of(index), known).map(|(_, i)| i),
            Cardinality::Interval => self.covering(self.place(less), version.valid_from(), known).map(|(_, i)| i),
            Cardinality::Many => {
                let rest = self.rest.as_ref()?;
                let lane = rest.lanes.get(&version.identity().canonical())?;
                let (_, found) = lane.last_before(lane.place(less), known)?;
                let sweep = rest.sweeps.last_before(rest.sweeps.place(less), known).and_then(|(_, i)| self.get(i));
                let swept = sweep.zip(self.get(found)).is_some_and(|(s, v)| s.cmp(v) == Ordering::Greater);
                (!swept).then_some(found)
            }
            Cardinality::Append => None,
        }
    }

    /// The place of an entry.
    fn place_of(&self, index: u32) -> Place {
        match (self.order(), self.get(index)) {
            (Some(order), Some(version)) => {
                order.place(|_, other| self.get(other).is_some_and(|v| v.cmp(version) == Ordering::Less))
            }
            _ => (0, index as usize),
        }
    }

    /// The version that an entry confirms, when that still stands right before it; else the entry itself.
    fn confirmed(&self, mut index: u32, known: u32) -> u32 {
        while let Some(version) = self.get(index).filter(|v| v.confirms()) {
            // Where nothing came late, the number is the one of the version that it came to confirm.
            if self.cardinality == Cardinality::One && self.came_in_order() {
                return self.first_with(version.number()).unwrap_or(index);
            }
            match self.before(index, known) {
                Some(earlier) if self.get(earlier).is_some_and(|e| version.continues(e)) => index = earlier,
                _ => break,
            }
        }
        index
    }

    fn end_of(&self, index: u32) -> Millis {
        self.get(index).map_or(OPEN_END, Entry::end)
    }

    fn current_one(&self, at: At, known: u32) -> Option<u32> {
        let (place, index) = self.last_before(self.until(at.valid_at), known)?;
        self.back_from(place, index, at.valid_at, known)
    }

    /// The version of a key with one value that holds at a time, from the last entry that has begun.
    fn back_from(&self, mut place: Place, mut index: u32, valid_at: Millis, known: u32) -> Option<u32> {
        let mut taken_back: Vec<&Value> = Vec::new();
        loop {
            let version = self.get(index)?;
            match version.says() {
                Says::AllRetracted => return None,
                // It ends only its own value; another one that stands before it goes on.
                Says::Retracted => taken_back.push(version.identity()),
                Says::Asserted => {
                    let holds = version.end() > valid_at && !taken_back.contains(&version.identity());
                    return holds.then(|| self.confirmed(index, known));
                }
            }
            (place, index) = self.last_before(place, known)?;
        }
    }

    fn current_in_lane(&self, lane: &Order, at: At, known: u32) -> Option<u32> {
        let (_, index) = lane.last_before(lane.until(at.valid_at), known)?;
        let version = self.get(index).filter(|v| v.is_assertion() && v.end() > at.valid_at)?;
        let sweeps = &self.rest.as_ref()?.sweeps;
        let sweep = sweeps.last_before(sweeps.until(at.valid_at), known).and_then(|(_, i)| self.get(i));
        let stands = sweep.is_none_or(|sweep| sweep.cmp(version) == Ordering::Less);
        stands.then(|| self.confirmed(index, known))
    }

    fn current_appended(&self, at: At, known: u32) -> Vec<u32> {
        let mut found = Vec::new();
        let mut taken_back: Vec<&Value> = Vec::new();
        let mut place = self.until(at.valid_at);
        while let Some((before, index)) = self.last_before(place, known) {
            place = before;
            let Some(version) = self.get(index) else { break };
            match version.says() {
                Says::AllRetracted => break,
                Says::Retracted => taken_back.push(version.identity()),
                Says::Asserted => {
                    if version.end() > at.valid_at && !taken_back.contains(&version.identity()) {
                        found.push(index);
                    }
                }
            }
        }
        found.reverse();
        found
    }

    /// The first of the assertions that say, without a break, what a version says: the same whatever the order in
    /// which they arrived.
    pub(crate) fn first_said(&self, mut index: u32, seq: Seq) -> Option<Entry<'_>> {
        let known = self.known(seq);
        let mut version = self.get(index)?;
        if self.rule(known).is_some() {
            return Some(version);
        }
        while let Some(earlier) = self.before(index, known) {
            match self.get(earlier).filter(|e| version.continues(*e)) {
                Some(e) => (index, version) = (earlier, e),
                None => break,
            }
        }
        Some(version)
    }
}
