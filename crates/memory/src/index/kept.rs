//! What is worked out about a part of the tree when it is first asked for, and kept until something in it changes.
//!
//! None of it is touched where rows are added: the first change only takes it away. All of it is whole numbers and rows,
//! so what is worked out again is the same to the last digit.

use std::cell::OnceCell;

use throughline_journal::{Millis, Seq};
use throughline_value::SortedMap;

use super::{Block, FANOUT, Summary, TimeIndex};

/// The vectors and the uses of what is live in some rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Deep {
    /// By number of components: the sum of the vectors, and how many they are.
    pub(crate) vectors: SortedMap<usize, (Vec<i64>, u64)>,
    /// When any of them was last used.
    pub(crate) last_used: Option<Millis>,
    /// The last record that noted a use of any.
    pub(crate) touched: Seq,
}

/// By entity, in rising order, the first and the last live row that has it.
pub(crate) type States = Vec<(u32, (u32, u32))>;

/// What is kept beside a summary. It follows from the rows, so it makes no difference between two summaries.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kept {
    deep: OnceCell<Box<Deep>>,
    states: OnceCell<Box<States>>,
}

impl PartialEq for Kept {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Kept {}

impl Kept {
    /// Something changed.
    #[inline]
    pub(crate) fn clear(&mut self) {
        if self.deep.get().is_some() || self.states.get().is_some() {
            *self = Self::default();
        }
    }

    fn bytes(&self) -> usize {
        let deep = self.deep.get().map_or(0, |deep| {
            size_of::<Deep>() + deep.vectors.values().map(|(sum, _)| sum.capacity() * 8).sum::<usize>()
        });
        deep + self.states.get().map_or(0, |states| states.capacity() * size_of::<(u32, (u32, u32))>())
    }
}

impl Deep {
    /// Adds a vector.
    pub(crate) fn add(&mut self, vector: &[i16]) {
        let (sum, count) = self.vectors.entry(vector.len()).or_insert_with(|| (vec![0; vector.len()], 0));
        *count += 1;
        sum.iter_mut().zip(vector).for_each(|(s, x)| *s += i64::from(*x));
    }

    fn merge(&mut self, other: &Self) {
        for (dimension, (more, many)) in other.vectors.iter() {
            let (sum, count) = self.vectors.entry(*dimension).or_insert_with(|| (vec![0; *dimension], 0));
            *count += many;
            sum.iter_mut().zip(more).for_each(|(s, x)| *s += x);
        }
        self.last_used = self.last_used.max(other.last_used);
        self.touched = self.touched.max(other.touched);
    }
}

/// Adds the states of the rows that follow.
fn join(states: &States, later: &States) -> States {
    let mut all = States::with_capacity(states.len().max(later.len()));
    let (mut a, mut b) = (states.iter().peekable(), later.iter().peekable());
    while let (Some((x, (first, last))), Some((y, (begin, end)))) = (a.peek(), b.peek()) {
        all.push(if x < y { (*x, (*first, *last)) } else { (*y, (if x == y { *first } else { *begin }, *end)) });
        let (less, more) = (x <= y, y <= x);
        less.then(|| a.next());
        more.then(|| b.next());
    }
    all.extend(a.chain(b));
    all
}

impl TimeIndex {
    fn part(&self, level: usize, place: usize) -> Option<&Summary> {
        match level.checked_sub(1) {
            None => self.blocks.get(place).map(|block| &*block.summary),
            Some(above) => self.levels.get(above)?.get(place),
        }
    }

    /// The vectors and uses of a part: of a block at level 0, or of what lies so many levels above the blocks. `make`
    /// works out those of a block.
    pub(crate) fn deep(&self, level: usize, place: usize, make: &dyn Fn(&Block) -> Deep) -> Option<&Deep> {
        let kept = &self.part(level, place)?.kept.deep;
        Some(kept.get_or_init(|| match level.checked_sub(1) {
            None => Box::new(self.blocks.get(place).map(make).unwrap_or_default()),
            Some(below) => {
                let mut all = Box::<Deep>::default();
                let parts = (place * FANOUT..(place + 1) * FANOUT).filter_map(|part| self.deep(below, part, make));
                parts.for_each(|part| all.merge(part));
                all
            }
        }))
    }

    /// The states of entities in a part, as [`TimeIndex::deep`].
    pub(crate) fn states(&self, level: usize, place: usize, make: &dyn Fn(&Block) -> States) -> Option<&States> {
        let kept = &self.part(level, place)?.kept.states;
        Some(kept.get_or_init(|| match level.checked_sub(1) {
            None => Box::new(self.blocks.get(place).map(make).unwrap_or_default()),
            Some(below) => {
                let parts = (place * FANOUT..(place + 1) * FANOUT).filter_map(|part| self.states(below, part, make));
                Box::new(parts.fold(States::new(), |all, part| join(&all, part)))
            }
        }))
    }

    /// How many bytes are kept so.
    pub(crate) fn kept_bytes(&self) -> usize {
        let blocks = self.blocks.iter().map(|block| &block.summary.kept);
        let parts = self.levels.iter().flatten().map(|summary| &summary.kept);
        blocks.chain(parts).map(Kept::bytes).sum()
    }
}
