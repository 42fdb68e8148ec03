//! The versions of one fact key.

mod fate;

use std::cmp::Ordering;

use throughline_journal::{Millis, Origin, Seq};
use throughline_protocol::At;
use throughline_value::{Number, SortedMap, Value, order_numbers};

use super::chunks::Chunks;
pub(crate) use fate::Fate;
pub use fate::Status;
use fate::Tally;

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

/// One entry of a key: an assertion or a retraction.
#[derive(Clone, Debug)]
pub(crate) struct Version {
    pub(crate) says: Says,
    pub(crate) turn: u32,
    /// The number that a person sees. A confirmation has that of the version it confirms.
    pub(crate) number: u32,
    /// How many versions there were with this one; confirmations are none.
    pub(crate) count: u32,
    /// Whether it only said again what was true, when it came.
    pub(crate) confirms: bool,
    pub(crate) seq: Seq,
    pub(crate) recorded_at: Millis,
    pub(crate) valid_from: Millis,
    pub(crate) value: Value,
    pub(crate) extra: Option<Box<Extra>>,
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
}

impl Version {
    pub(crate) fn valid_to(&self) -> Option<Millis> {
        self.extra.as_ref().and_then(|e| e.valid_to)
    }

    /// The end of what it says; a retraction has none.
    pub(crate) fn end(&self) -> Millis {
        self.valid_to().unwrap_or(OPEN_END)
    }

    pub(crate) fn source(&self) -> Option<&String> {
        self.extra.as_ref().and_then(|e| e.source.as_ref())
    }

    pub(crate) fn confidence(&self) -> Option<&Number> {
        self.extra.as_ref().and_then(|e| e.confidence.as_ref())
    }

    pub(crate) fn origin(&self) -> Option<&Origin> {
        self.extra.as_ref().and_then(|e| e.origin.as_ref())
    }

    /// What the value is compared by.
    pub(crate) fn identity(&self) -> &Value {
        self.extra.as_ref().and_then(|e| e.identity.as_ref()).unwrap_or(&self.value)
    }

    pub(crate) fn is_assertion(&self) -> bool {
        self.says == Says::Asserted
    }

    /// Whether an assertion of this value, end and confidence would only say this version again.
    pub(crate) fn says_already(&self, identity: &Value, valid_to: Option<Millis>, confidence: Option<&Number>) -> bool {
        self.is_assertion()
            && self.identity() == identity
            && self.valid_to() == valid_to
            && (confidence.is_none() || confidence == self.confidence())
    }

    /// Whether this entry, standing right behind `earlier`, only says it again.
    fn continues(&self, earlier: &Self) -> bool {
        self.is_assertion() && earlier.says_already(self.identity(), self.valid_to(), self.confidence())
    }

    /// The order in valid time. Ties break by source and number at the source, so that the order of arrival
    /// cannot show; what came from no source was said here, and stands behind what was brought in.
    fn precedence(&self) -> (Millis, bool, Option<&Origin>, Seq) {
        (self.valid_from, self.origin().is_none(), self.origin(), self.seq)
    }

    fn cmp(&self, other: &Self) -> Ordering {
        self.precedence().cmp(&other.precedence())
    }
}

/// The versions of one key, in the order of the journal, and their order in valid time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timeline {
    pub(crate) cardinality: Cardinality,
    versions: Chunks<Version>,
    order: Order,
    /// Of a key with many values: the entries of each value, by its canonical text.
    lanes: SortedMap<String, Order>,
    /// Of a key with many values: the retractions of all of them.
    sweeps: Order,
    /// The entries by where they came from, to know an input that comes again.
    origins: SortedMap<Origin, Vec<u32>>,
    tally: Tally,
}

impl Timeline {
    pub(crate) fn new(cardinality: Cardinality) -> Self {
        Self { cardinality, ..Self::default() }
    }

    /// Adds what a record said. Its `count`, and the `number` of a version of its own, are set here.
    pub(crate) fn add(&mut self, mut version: Version) {
        let index = u32::try_from(self.versions.len()).unwrap_or(u32::MAX);
        let before = self.versions.last().map_or(0, |v| v.count);
        version.count = before + u32::from(version.is_assertion() && !version.confirms);
        if !version.confirms {
            version.number = version.count;
        }
        if let Some(origin) = version.origin() {
            self.origins.entry(origin.clone()).or_default().push(index);
        }
        let from = version.valid_from;
        let lane = (self.cardinality == Cardinality::Many).then(|| (version.says, version.identity().canonical()));
        self.versions.push(version.seq, version);
        let versions = &self.versions;
        let new = versions.get(index as usize);
        let goes_before = |_: Millis, other: u32| match (versions.get(other as usize), new) {
            (Some(other), Some(new)) => other.cmp(new) == Ordering::Less,
            _ => true,
        };
        let end_of = |i: u32| versions.get(i as usize).map_or(OPEN_END, Version::end);
        if self.cardinality == Cardinality::One
            && let Some(new) = new
        {
            let (before, after) = self.order.around(goes_before);
            let entry = |index: Option<u32>| index.and_then(|i| versions.get(i as usize));
            self.tally.add(index, entry(before), new, entry(after));
        }
        self.order.insert(from, index, goes_before, end_of);
        match lane {
            Some((Says::AllRetracted, _)) => self.sweeps.insert(from, index, goes_before, end_of),
            Some((_, lane)) => self.lanes.entry(lane).or_default().insert(from, index, goes_before, end_of),
            None => {}
        }
    }

    pub(crate) fn get(&self, index: u32) -> Option<&Version> {
        self.versions.get(index as usize)
    }

    /// Every entry, in the order of the journal.
    pub(crate) fn versions(&self) -> &Chunks<Version> {
        &self.versions
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
            if self.get(middle)?.count < number { low = middle + 1 } else { high = middle }
        }
        Some(low)
    }

    /// How many assertions were known after record `seq`.
    pub(crate) fn count(&self, seq: Seq) -> u64 {
        self.known(seq).checked_sub(1).and_then(|i| self.get(i)).map_or(0, |v| u64::from(v.count))
    }

    /// Whether the same input was here before and said the same.
    pub(crate) fn repeats(&self, origin: &Origin, says: Says, identity: &Value) -> Option<&Version> {
        let entries = self.origins.get(origin)?.iter().filter_map(|i| self.get(*i));
        entries.filter(|v| v.says == says).find(|v| says == Says::AllRetracted || v.identity() == identity)
    }

    /// The assertion or retraction that will stand next behind one that is true from `valid_from`: what makes it late.
    /// Of a key with many values only the same value's entries count, and those that end all.
    pub(crate) fn next_after(&self, valid_from: Millis, origin: Option<&Origin>, identity: &Value) -> Option<&Version> {
        let precedence = (valid_from, origin.is_none(), origin, Seq::MAX);
        let next = |order: &Order| {
            let place = order.place(|_, i| self.get(i).is_some_and(|v| v.precedence() < precedence));
            order.at(place).and_then(|i| self.get(i))
        };
        match self.cardinality {
            Cardinality::One => next(&self.order),
            Cardinality::Many => {
                let both = [self.lanes.get(&identity.canonical()).and_then(next), next(&self.sweeps)];
                both.into_iter().flatten().min_by(|a, b| a.cmp(b))
            }
            // Nothing that begins later takes their place.
            Cardinality::Interval | Cardinality::Append => None,
        }
    }

    /// The versions that are true at a moment, in the order of valid time. A confirmation gives the version that
    /// it confirms.
    pub(crate) fn current(&self, at: At) -> Vec<u32> {
        let known = self.known(at.seq);
        match self.cardinality {
            Cardinality::One => self.current_one(at, known).into_iter().collect(),
            Cardinality::Interval => {
                let found = self.covering(self.order.until(at.valid_at), at.valid_at, known);
                let found = found.map(|(_, i)| i).filter(|i| self.get(*i).is_some_and(Version::is_assertion));
                found.map(|i| self.confirmed(i, known)).into_iter().collect()
            }
            Cardinality::Many => {
                let mut found: Vec<u32> =
                    self.lanes.values().filter_map(|lane| self.current_in_lane(lane, at, known)).collect();
                order_numbers(&mut found, &mut |a, b| match (self.get(a), self.get(b)) {
                    (Some(a), Some(b)) => a.cmp(b),
                    _ => a.cmp(&b),
                });
                found
            }
            Cardinality::Append => self.current_appended(at, known),
        }
    }

    /// The version of `identity` that is true at a moment, of a key with many values.
    pub(crate) fn current_of(&self, identity: &Value, at: At) -> Option<u32> {
        self.current_in_lane(self.lanes.get(&identity.canonical())?, at, self.known(at.seq))
    }

    fn covering(&self, place: Place, valid_at: Millis, known: u32) -> Option<(Place, u32)> {
        self.order.last_covering(place, known, valid_at, |i| self.end_of(i))
    }

    /// The entry that stands before `index` where it matters: of a key with many values among those of the same
    /// value, of intervals among those that are still true when it begins.
    fn before(&self, index: u32, known: u32) -> Option<u32> {
        let version = self.get(index)?;
        let less = |_: Millis, other: u32| self.get(other).is_some_and(|v| v.cmp(version) == Ordering::Less);
        match self.cardinality {
            Cardinality::One => self.order.last_before(self.order.place(less), known).map(|(_, i)| i),
            Cardinality::Interval => self.covering(self.order.place(less), version.valid_from, known).map(|(_, i)| i),
            Cardinality::Many => {
                let lane = self.lanes.get(&version.identity().canonical())?;
                let (_, found) = lane.last_before(lane.place(less), known)?;
                let sweep = self.sweeps.last_before(self.sweeps.place(less), known).and_then(|(_, i)| self.get(i));
                let swept = sweep.zip(self.get(found)).is_some_and(|(s, v)| s.cmp(v) == Ordering::Greater);
                (!swept).then_some(found)
            }
            Cardinality::Append => None,
        }
    }

    /// The version that an entry confirms, when that still stands right before it; else the entry itself.
    fn confirmed(&self, mut index: u32, known: u32) -> u32 {
        while let Some(version) = self.get(index).filter(|v| v.confirms) {
            // Where nothing came late, the number is the one of the version that it came to confirm.
            if self.cardinality == Cardinality::One && self.order.in_order() {
                return self.first_with(version.number).unwrap_or(index);
            }
            match self.before(index, known) {
                Some(earlier) if self.get(earlier).is_some_and(|e| version.continues(e)) => index = earlier,
                _ => break,
            }
        }
        index
    }

    fn end_of(&self, index: u32) -> Millis {
        self.get(index).map_or(OPEN_END, Version::end)
    }

    fn current_one(&self, at: At, known: u32) -> Option<u32> {
        let (mut place, mut index) = self.order.last_before(self.order.until(at.valid_at), known)?;
        let mut taken_back: Vec<&Value> = Vec::new();
        loop {
            let version = self.get(index)?;
            match version.says {
                Says::AllRetracted => return None,
                // It ends only its own value; another one that stands before it goes on.
                Says::Retracted => taken_back.push(version.identity()),
                Says::Asserted => {
                    let holds = version.end() > at.valid_at && !taken_back.contains(&version.identity());
                    return holds.then(|| self.confirmed(index, known));
                }
            }
            (place, index) = self.order.last_before(place, known)?;
        }
    }

    fn current_in_lane(&self, lane: &Order, at: At, known: u32) -> Option<u32> {
        let (_, index) = lane.last_before(lane.until(at.valid_at), known)?;
        let version = self.get(index).filter(|v| v.is_assertion() && v.end() > at.valid_at)?;
        let sweep = self.sweeps.last_before(self.sweeps.until(at.valid_at), known).and_then(|(_, i)| self.get(i));
        let stands = sweep.is_none_or(|sweep| sweep.cmp(version) == Ordering::Less);
        stands.then(|| self.confirmed(index, known))
    }

    fn current_appended(&self, at: At, known: u32) -> Vec<u32> {
        let mut found = Vec::new();
        let mut taken_back: Vec<&Value> = Vec::new();
        let mut place = self.order.until(at.valid_at);
        while let Some((before, index)) = self.order.last_before(place, known) {
            place = before;
            let Some(version) = self.get(index) else { break };
            match version.says {
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
    pub(crate) fn first_said(&self, mut index: u32, seq: Seq) -> Option<&Version> {
        let known = self.known(seq);
        let mut version = self.get(index)?;
        while let Some(earlier) = self.before(index, known) {
            match self.get(earlier).filter(|e| version.continues(e)) {
                Some(e) => (index, version) = (earlier, e),
                None => break,
            }
        }
        Some(version)
    }
}
