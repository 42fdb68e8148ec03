//! The versions of a key as columns: what is small lies together, and a copy shares all of it.
//!
//! Numbers are kept as distances from the first of their chunk, in two or four bytes while they fit, and in none while
//! all are the same. A version takes 7 to 17 bytes beside its value; what few versions have lies apart.

use std::sync::Arc;

use throughline_journal::{Millis, Seq};
use throughline_value::Value;

use super::timeline::{Extra, Says};

/// How many versions a chunk holds.
const CHUNK: usize = 256;

const ASSERTED: u8 = 0;
const RETRACTED: u8 = 1;
const ALL_RETRACTED: u8 = 2;
const CONFIRMS: u8 = 4;

/// Whole numbers as distances from the first one.
#[derive(Clone, Debug)]
enum Distances {
    /// So many of them, all the same.
    Same {
        base: i64,
        count: usize,
    },
    Short {
        base: i64,
        distances: Vec<i16>,
    },
    Near {
        base: i64,
        distances: Vec<i32>,
    },
    /// All of them as they are, once one lies too far away.
    Far(Vec<i64>),
}

impl Default for Distances {
    fn default() -> Self {
        Self::Same { base: 0, count: 0 }
    }
}

/// The numbers in a column that has room for so many.
fn column<T>(numbers: impl Iterator<Item = T>, room: usize) -> Vec<T> {
    let mut column = Vec::with_capacity(room);
    column.extend(numbers);
    column
}

/// Puts a number to the others, in a column that has room for so many.
fn add<T>(column: &mut Vec<T>, number: T, room: usize) {
    column.reserve_exact(room.saturating_sub(column.len()));
    column.push(number);
}

impl Distances {
    /// Adds a number. There will be `room` of them before more is asked for.
    fn push(&mut self, number: i64, room: usize) {
        let distance = |base: &i64| number.checked_sub(*base);
        match self {
            Self::Same { base, count } if *count == 0 || *base == number => (*base, *count) = (number, *count + 1),
            Self::Short { base, distances } if distance(base).is_some_and(|d| i16::try_from(d).is_ok()) => {
                add(distances, distance(base).and_then(|d| i16::try_from(d).ok()).unwrap_or(0), room);
            }
            Self::Near { base, distances } if distance(base).is_some_and(|d| i32::try_from(d).is_ok()) => {
                add(distances, distance(base).and_then(|d| i32::try_from(d).ok()).unwrap_or(0), room);
            }
            Self::Far(numbers) => add(numbers, number, room),
            // In the next wider column.
            Self::Same { base, count } => {
                *self = Self::Short { base: *base, distances: column(std::iter::repeat_n(0, *count), room) };
                self.push(number, room);
            }
            Self::Short { base, distances } => {
                let distances = column(distances.iter().map(|d| i32::from(*d)), room);
                *self = Self::Near { base: *base, distances };
                self.push(number, room);
            }
            Self::Near { base, distances } => {
                *self = Self::Far(column(distances.iter().map(|d| *base + i64::from(*d)), room));
                self.push(number, room);
            }
        }
    }

    #[inline]
    fn get(&self, at: usize) -> i64 {
        match self {
            Self::Same { base, .. } => *base,
            Self::Short { base, distances } => *base + i64::from(distances.get(at).copied().unwrap_or(0)),
            Self::Near { base, distances } => *base + i64::from(distances.get(at).copied().unwrap_or(0)),
            Self::Far(numbers) => numbers.get(at).copied().unwrap_or(0),
        }
    }

    /// How many of them, which never fall, are at most `limit`.
    fn upto(&self, limit: i64) -> usize {
        match self {
            Self::Same { base, count } => *count * usize::from(*base <= limit),
            Self::Short { base, distances } => {
                let limit = limit.saturating_sub(*base);
                distances.partition_point(|d| i64::from(*d) <= limit)
            }
            Self::Near { base, distances } => near(distances, limit.saturating_sub(*base)),
            Self::Far(numbers) => numbers.partition_point(|n| *n <= limit),
        }
    }

    /// How many bytes the column takes.
    fn bytes(&self) -> usize {
        match self {
            Self::Same { .. } => 0,
            Self::Short { distances, .. } => distances.capacity() * 2,
            Self::Near { distances, .. } => distances.capacity() * 4,
            Self::Far(numbers) => numbers.capacity() * 8,
        }
    }
}

/// How many of rising distances are at most `limit`. They mostly rise evenly, so the place is guessed and looked for
/// from there: that touches little memory where a search by halves touches much.
fn near(distances: &[i32], limit: i64) -> usize {
    let len = distances.len();
    let at_most = |place: usize| distances.get(place).is_some_and(|d| i64::from(*d) <= limit);
    let Some(last) = distances.last().map(|d| i64::from(*d)) else { return 0 };
    if limit < 0 || limit >= last {
        return if limit < 0 { distances.partition_point(|d| i64::from(*d) <= limit) } else { len };
    }
    let guess = usize::try_from(limit.saturating_mul(len as i64 - 1) / last.max(1)).unwrap_or(0).min(len - 1);
    let (mut low, mut high, mut stride) = (guess, guess, 1);
    // Everything below `low` is at most the limit, and nothing from `high` on is.
    if at_most(guess) {
        while high < len && at_most(high) {
            low = high + 1;
            high = (high + stride).min(len);
            stride *= 2;
        }
    } else {
        while low > 0 && !at_most(low - 1) {
            high = low - 1;
            low = low.saturating_sub(stride);
            stride *= 2;
        }
        low = low.min(high);
    }
    low + distances.get(low..high).map_or(0, |part| part.partition_point(|d| i64::from(*d) <= limit))
}

/// Some versions, one after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chunk {
    from: Distances,
    seqs: Distances,
    flags: Vec<u8>,
    values: Vec<Value>,
    /// As many as there are versions, or none when no version has one.
    extras: Vec<Option<Arc<Extra>>>,
    /// How long after it is true from each was recorded: mostly at once.
    recorded_after: Distances,
    turns: Distances,
    /// How many versions of their own lie before this chunk.
    count_before: u32,
}

impl Chunk {
    /// Room for what is known to come: a first version alone takes no more than it needs.
    fn push(&mut self, new: New) {
        if self.flags.len() == self.flags.capacity() {
            let more = self.flags.len().clamp(1, (CHUNK - self.flags.len().min(CHUNK - 1)).max(1));
            self.flags.reserve_exact(more);
            self.values.reserve_exact(more);
        }
        let room = self.flags.capacity();
        if new.extra.is_some() || !self.extras.is_empty() {
            self.extras.resize(self.flags.len(), None);
            self.extras.push(new.extra);
        }
        self.seqs.push(new.seq.cast_signed(), room);
        self.recorded_after.push(new.recorded_at.wrapping_sub(new.valid_from), room);
        self.from.push(new.valid_from, room);
        self.turns.push(i64::from(new.turn), room);
        let says = match new.says {
            Says::Asserted => ASSERTED,
            Says::Retracted => RETRACTED,
            Says::AllRetracted => ALL_RETRACTED,
        };
        self.flags.push(says | if new.confirms { CONFIRMS } else { 0 });
        self.values.push(new.value);
    }
}

/// A version that is to be added.
#[derive(Debug)]
pub(crate) struct New {
    pub(crate) says: Says,
    pub(crate) turn: u32,
    /// Whether it only said again what was true, when it came.
    pub(crate) confirms: bool,
    pub(crate) seq: Seq,
    pub(crate) recorded_at: Millis,
    pub(crate) valid_from: Millis,
    pub(crate) value: Value,
    pub(crate) extra: Option<Arc<Extra>>,
}

/// The versions of a key, in the order of the journal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Store {
    /// The first record and the first valid time of each chunk, apart, so that a search touches little memory.
    first_seqs: Vec<Seq>,
    first_froms: Vec<Millis>,
    chunks: Vec<Arc<Chunk>>,
}

impl Store {
    pub(crate) fn push(&mut self, new: New) {
        match self.chunks.last_mut().filter(|last| last.flags.len() < CHUNK) {
            Some(last) => Arc::make_mut(last).push(new),
            None => {
                let count_before = self.last().map_or(0, |v| v.count());
                self.first_seqs.push(new.seq);
                self.first_froms.push(new.valid_from);
                let mut chunk = Chunk { count_before, ..Chunk::default() };
                chunk.push(new);
                self.chunks.push(Arc::new(chunk));
            }
        }
    }

    #[inline]
    pub(crate) fn get(&self, index: u32) -> Option<Entry<'_>> {
        let index = index as usize;
        let chunk = self.chunks.get(index / CHUNK)?;
        let at = index % CHUNK;
        (at < chunk.flags.len()).then_some(Entry { chunk, at })
    }

    pub(crate) fn len(&self) -> usize {
        self.chunks.last().map_or(0, |last| (self.chunks.len() - 1) * CHUNK + last.flags.len())
    }

    pub(crate) fn last(&self) -> Option<Entry<'_>> {
        self.get(u32::try_from(self.len().checked_sub(1)?).ok()?)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Entry<'_>> {
        self.chunks.iter().flat_map(|chunk| (0..chunk.flags.len()).map(move |at| Entry { chunk, at }))
    }

    /// How many bytes the versions take beside their values and what only some of them have.
    pub(crate) fn bytes(&self) -> usize {
        let chunk = |chunk: &Arc<Chunk>| {
            let columns = [&chunk.from, &chunk.seqs, &chunk.recorded_after, &chunk.turns];
            size_of::<Chunk>() + chunk.flags.capacity() + columns.map(Distances::bytes).iter().sum::<usize>()
        };
        let heads = self.first_seqs.capacity() + self.first_froms.capacity() + self.chunks.capacity();
        heads * 8 + self.chunks.iter().map(chunk).sum::<usize>()
    }

    /// How many versions were made by record `seq` and those before it.
    pub(crate) fn count_upto(&self, seq: Seq) -> usize {
        let Some(at) = self.first_seqs.partition_point(|head| *head <= seq).checked_sub(1) else { return 0 };
        let limit = i64::try_from(seq).unwrap_or(i64::MAX);
        at * CHUNK + self.chunks.get(at).map_or(0, |chunk| chunk.seqs.upto(limit))
    }

    /// How many versions were both made by record `seq` and begin at or before a time, where each begins no earlier
    /// than the one before it. It looks into one chunk, mostly.
    pub(crate) fn begun_and_known(&self, valid_at: Millis, seq: Seq) -> usize {
        let by_seq = self.first_seqs.partition_point(|head| *head <= seq);
        let by_time = self.first_froms.partition_point(|from| *from <= valid_at);
        let Some(at) = by_seq.min(by_time).checked_sub(1) else { return 0 };
        let Some(chunk) = self.chunks.get(at) else { return 0 };
        let limit = i64::try_from(seq).unwrap_or(i64::MAX);
        let known = if by_seq <= by_time { chunk.seqs.upto(limit) } else { CHUNK };
        let begun = if by_time <= by_seq { chunk.from.upto(valid_at) } else { CHUNK };
        at * CHUNK + known.min(begun)
    }

    /// How many versions begin at or before a time, where each begins no earlier than the one before it.
    pub(crate) fn begun_by(&self, valid_at: Millis) -> usize {
        let Some(at) = self.first_froms.partition_point(|from| *from <= valid_at).checked_sub(1) else { return 0 };
        at * CHUNK + self.chunks.get(at).map_or(0, |chunk| chunk.from.upto(valid_at))
    }
}

/// One version where it lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    chunk: &'a Chunk,
    at: usize,
}

impl<'a> Entry<'a> {
    fn flags(self) -> u8 {
        self.chunk.flags.get(self.at).copied().unwrap_or(0)
    }

    pub(crate) fn says(self) -> Says {
        match self.flags() & 3 {
            ASSERTED => Says::Asserted,
            RETRACTED => Says::Retracted,
            _ => Says::AllRetracted,
        }
    }

    pub(crate) fn is_assertion(self) -> bool {
        self.flags() & 3 == ASSERTED
    }

    /// Whether it only said again what was true, when it came.
    pub(crate) fn confirms(self) -> bool {
        self.flags() & CONFIRMS != 0
    }

    pub(crate) fn turn(self) -> u32 {
        u32::try_from(self.chunk.turns.get(self.at)).unwrap_or(0)
    }

    pub(crate) fn seq(self) -> Seq {
        self.chunk.seqs.get(self.at).cast_unsigned()
    }

    pub(crate) fn recorded_at(self) -> Millis {
        self.chunk.from.get(self.at).wrapping_add(self.chunk.recorded_after.get(self.at))
    }

    pub(crate) fn valid_from(self) -> Millis {
        self.chunk.from.get(self.at)
    }

    pub(crate) fn value(self) -> &'a Value {
        static NULL: Value = Value::Null;
        self.chunk.values.get(self.at).unwrap_or(&NULL)
    }

    pub(crate) fn extra(self) -> Option<&'a Extra> {
        self.chunk.extras.get(self.at)?.as_deref()
    }

    /// How many versions of their own there were with this one; retractions and confirmations are none.
    pub(crate) fn count(self) -> u32 {
        let before = self.chunk.flags.get(..=self.at).unwrap_or_default();
        let own = before.iter().filter(|f| **f == ASSERTED).count();
        self.chunk.count_before + u32::try_from(own).unwrap_or(0)
    }

    /// The number that a person sees. A confirmation has that of the version it confirms.
    pub(crate) fn number(self) -> u32 {
        match self.extra() {
            Some(extra) if self.confirms() => extra.confirms,
            _ => self.count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_like_a_list_and_a_copy_keeps_what_it_had() {
        let mut store = Store::default();
        let mut copies = Vec::new();
        let count = 3 * CHUNK + 7;
        // Some lie too far away for two bytes, some for four, and some are all the same.
        let from = |i: usize| match i {
            300 => 9_000_000_000_000,
            600.. => i as i64 * 1_000,
            _ => i as i64 / 3,
        };
        let turn = |i: usize| (i / 400) as u32;
        for i in 0..count {
            if i % 100 == 0 {
                copies.push(store.clone());
            }
            store.push(New {
                says: if i % 5 == 4 { Says::Retracted } else { Says::Asserted },
                turn: turn(i),
                confirms: false,
                seq: i as u64 / 2,
                recorded_at: i as i64,
                valid_from: from(i),
                value: (i as i64).into(),
                extra: None,
            });
        }
        assert_eq!((store.len(), store.iter().count()), (count, count));
        let mut own = 0;
        for (i, entry) in store.iter().enumerate() {
            own += u32::from(i % 5 != 4);
            let read = (entry.value().clone(), entry.seq(), entry.valid_from(), entry.recorded_at(), entry.count());
            assert_eq!(read, ((i as i64).into(), i as u64 / 2, from(i), i as i64, own));
            assert_eq!(entry.turn(), turn(i));
        }
        for limit in 0..CHUNK {
            assert_eq!(store.count_upto(limit as u64), (0..count).filter(|i| i / 2 <= limit).count());
        }
        for (n, copy) in copies.iter().enumerate() {
            assert_eq!(copy.len(), n * 100);
        }
    }

    #[test]
    fn a_version_takes_no_more_than_18_bytes_beside_its_value_on_two_axes() {
        let bytes = |late: fn(i64) -> i64| {
            let mut store = Store::default();
            for i in 0..4_096i64 {
                store.push(New {
                    says: Says::Asserted,
                    turn: i as u32 * 3,
                    confirms: false,
                    seq: i as u64 * 1_000,
                    recorded_at: i * 60_000,
                    valid_from: i * 60_000 - late(i),
                    value: i.into(),
                    extra: None,
                });
            }
            store.bytes() as f64 / 4_096.0
        };
        let (plain, late) = (bytes(|_| 0), bytes(|i| i * 7_919 % 3_600_000));
        assert!(plain <= 13.0 && late <= 18.0, "{plain} and {late}");
    }
}
