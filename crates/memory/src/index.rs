//! Rows in blocks in valid-time order, and the tree of summaries above them.

mod block;
mod bulk;
mod kept;
mod postings;
mod snap;
mod sorted;
mod summary;
mod times;
mod walk;

use std::cmp::Ordering;
use std::ops::Range;

use throughline_journal::{Millis, Seq};

pub(crate) use block::{Block, add_all, take_all};
pub(crate) use kept::{Deep, States};
pub(crate) use postings::{Postings, reserve};
pub(crate) use summary::{RowFacts, Standing, Summary};
use times::Times;
pub(crate) use walk::Step;

/// How many blocks, or parts of the tree, one part above them sums up.
const FANOUT: usize = 32;

/// What the index asks about rows.
pub(crate) trait Rows {
    /// What the row is to a summary; it never changes.
    fn facts(&self, row: u32) -> RowFacts;
    /// The row's time alone.
    fn time(&self, row: u32) -> Millis;
    /// How the row stands now.
    fn standing(&self, row: u32) -> Standing;
    /// Which of two rows comes first; no two are equal.
    fn order(&self, a: u32, b: u32) -> Ordering;
}

/// All rows. A row's number never changes and is never used again.
#[derive(Clone, Debug)]
pub(crate) struct TimeIndex {
    block_rows: usize,
    blocks: Vec<Block>,
    /// The time of each block's first row, side by side.
    firsts: Times,
    /// Summaries of [`FANOUT`] blocks each, then of as many of those, up to a single one.
    levels: Vec<Vec<Summary>>,
}

impl Default for TimeIndex {
    fn default() -> Self {
        Self::with_blocks_of(block::MOST_ROWS)
    }
}

impl TimeIndex {
    /// An index whose blocks hold so many rows at most, at least two.
    pub(crate) fn with_blocks_of(rows: usize) -> Self {
        Self {
            block_rows: rows.clamp(2, block::MOST_ROWS),
            blocks: Vec::new(),
            firsts: Times::default(),
            levels: Vec::new(),
        }
    }

    /// The blocks, in order.
    pub(crate) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The time of each block's first row.
    pub(crate) fn firsts(&self) -> &[Millis] {
        &self.firsts
    }

    /// The first block that may hold a row of this time or a later one.
    pub(crate) fn first_block(&self, ts: Millis) -> usize {
        // Rows of the same time may end the block before.
        self.firsts.before(ts).saturating_sub(1)
    }

    /// One past the last block that holds a row before this time.
    pub(crate) fn end_block(&self, ts: Millis) -> usize {
        self.firsts.before(ts)
    }

    /// The first block that may hold a row of a window, and one past the last.
    pub(crate) fn blocks_of(&self, since: Millis, until: Millis) -> (usize, usize) {
        let first = self.first_block(since);
        // Most windows end in the block in which they begin, or in the next one.
        let near = self.firsts.get(first..).unwrap_or_default().iter().take(3);
        let next = near.take_while(|begin| **begin < until).count();
        (first, if next < 3 { first + next } else { self.end_block(until) })
    }

    /// Between which rows, by their numbers, all lie that begin in a window; rows from outside it may lie there, too.
    pub(crate) fn reach(&self, since: Millis, until: Millis) -> Range<u32> {
        let (first, end) = self.blocks_of(since, until);
        // To look at most blocks takes longer than it saves.
        if end - first > self.blocks.len() / 2 {
            return 0..u32::MAX;
        }
        let blocks = self.blocks.get(first..end).unwrap_or_default();
        let least = blocks.iter().map(|block| block.reach.start).min().unwrap_or(0);
        least..blocks.iter().map(|block| block.reach.end).max().unwrap_or(0)
    }

    /// Whether anything lasts longer than a moment.
    pub(crate) fn has_lasting(&self) -> bool {
        self.levels.last().is_some_and(|top| top.iter().any(|all| all.lasting > 0))
    }

    /// Puts a row in its place.
    pub(crate) fn insert(&mut self, rows: &impl Rows, row: u32, seq: Seq) {
        let (facts, standing) = (rows.facts(row), rows.standing(row));
        let (block, changed_from) = self.take(rows, row, facts, standing, seq);
        match changed_from {
            Some(from) => {
                self.repair(rows, from);
                self.rebuild(from);
            }
            None => self.above(block, |summary| summary.add(facts, standing, seq)),
        }
    }

    /// Puts a row in its place and into the summary of its block: the block, and the first block whose number stands
    /// for other rows than before.
    fn take(
        &mut self,
        rows: &impl Rows,
        row: u32,
        facts: RowFacts,
        standing: Standing,
        seq: Seq,
    ) -> (usize, Option<usize>) {
        let (number, place, changed_from) = self.place(rows, row, facts.ts);
        if let Some(block) = self.blocks.get_mut(number) {
            block.insert(place, facts.ts, facts.kind, row);
            block.summary.add(facts, standing, seq);
            // What was split is noted when it is summed up.
            if !block.stale {
                let live = standing == Standing::Live;
                let dead = |row| rows.standing(row) != Standing::Live;
                match place + 1 == block.len() {
                    true => block.note_last(facts.kind, live, &dead),
                    false => block.note(place, &dead),
                }
            }
            if place == 0 {
                self.firsts.set(number, facts.ts);
            }
        }
        (number, changed_from)
    }

    /// Takes a row out, and all that it was to the summaries.
    pub(crate) fn remove(&mut self, rows: &impl Rows, row: u32, seq: Seq) {
        let (found, after) = self.find(rows, row);
        let Some(block) = self.blocks.get_mut(found) else { return };
        let Some(place) = (0..after).rev().find(|place| block.row_at(*place) == Some(row)) else { return };
        block.remove(place);
        block.stale = true;
        block.summary.changed = block.summary.changed.max(seq);
        match block.first_at() {
            Some(ts) => self.firsts.set(found, ts),
            None => {
                self.blocks.remove(found);
                self.firsts.remove(found);
            }
        }
        self.repair(rows, found.saturating_sub(1));
        self.rebuild(found.saturating_sub(1));
    }

    /// The block and the place in it where a row belongs, with room made for it; and the first block whose number
    /// stands for other rows than before.
    fn place(&mut self, rows: &impl Rows, row: u32, ts: Millis) -> (usize, usize, Option<usize>) {
        let last = self.blocks.len().saturating_sub(1);
        // Most rows come last.
        let after_all =
            self.blocks.last().and_then(|b| Some((b.last_at()?, b.row_at(b.len().checked_sub(1)?)?, b.len())));
        let (number, place) = match after_all {
            Some((at, other, len)) if at < ts || at == ts && rows.order(other, row) != Ordering::Greater => (last, len),
            _ => self.find(rows, row),
        };
        let Some(block) = self.blocks.get_mut(number) else {
            return (self.open(0, ts, row), 0, Some(0));
        };
        let len = block.len();
        // In order of time, blocks are left with some room for what comes late.
        let is_done = number == last && place == len && len >= self.block_rows - self.block_rows / 8;
        if is_done || !block.has_reach(ts) {
            if is_done {
                block.shrink();
            }
            let number = if place == 0 { number } else { number + 1 };
            return (self.open(number, ts, row), 0, Some(number));
        }
        if len < self.block_rows {
            return (number, place, None);
        }
        self.split(number);
        let half = self.blocks.get(number).map_or(0, Block::len);
        match place > half {
            // The half that it comes to begins later; whatever fits the whole fits a half.
            true => (number + 1, place - half, Some(number)),
            false => (number, place, Some(number)),
        }
    }

    /// Begins a new block.
    fn open(&mut self, number: usize, ts: Millis, row: u32) -> usize {
        let number = number.min(self.blocks.len());
        self.blocks.insert(number, Block::new(ts, row));
        self.firsts.insert(number, ts);
        number
    }

    /// Makes the stale summaries from a block on anew.
    fn repair(&mut self, rows: &impl Rows, from: usize) {
        for block in self.blocks.get_mut(from..).unwrap_or_default() {
            if std::mem::take(&mut block.stale) {
                // When each row changed last is not kept: what was known of the whole holds for the parts.
                let changed = block.summary.changed;
                let mut summary = Summary::default();
                for row in block.rows(0..block.len()) {
                    summary.add(rows.facts(row), rows.standing(row), changed);
                }
                *block.summary = summary;
                block.note(0, &|row| rows.standing(row) != Standing::Live);
            }
        }
    }

    /// Says that a row, which stood otherwise before, stands as it does now.
    pub(crate) fn turn(&mut self, rows: &impl Rows, row: u32, from: Standing, seq: Seq) {
        let (facts, to) = (rows.facts(row), rows.standing(row));
        // The place found lies after the row itself, which may be the last of its block.
        let (block, after) = self.find(rows, row);
        if let Some(block) = self.blocks.get_mut(block) {
            block.summary.turn(facts, from, to, seq);
            block.clean = block.summary.is_clean();
            let (was, is) = (from == Standing::Live, to == Standing::Live);
            if let Some(place) = (0..after).rev().find(|place| block.row_at(*place) == Some(row)).filter(|_| was != is)
            {
                block.note_turn(place, is);
            }
        }
        self.above(block, |summary| summary.turn(facts, from, to, seq));
    }

    /// Says that a row was used: that is no part of its standing.
    pub(crate) fn touched(&mut self, rows: &impl Rows, row: u32) {
        let (block, _) = self.find(rows, row);
        if let Some(block) = self.blocks.get_mut(block) {
            block.summary.kept.clear();
        }
        self.above(block, |summary| summary.kept.clear());
    }

    /// The block, and the place in it, after every row that is not after the one asked for.
    fn find(&self, rows: &impl Rows, row: u32) -> (usize, usize) {
        let ts = rows.time(row);
        let not_after = |other: u32| rows.order(other, row) != Ordering::Greater;
        let mut begun = self.firsts.before(ts);
        while self.firsts.get(begun) == Some(&ts)
            && self.blocks.get(begun).and_then(|b| b.row_at(0)).is_some_and(not_after)
        {
            begun += 1;
        }
        let block = begun.saturating_sub(1);
        let Some(found) = self.blocks.get(block) else { return (0, 0) };
        let (mut low, mut high) = (found.place_of(ts), found.place_of(ts.saturating_add(1)));
        while low < high {
            let middle = low.midpoint(high);
            match found.row_at(middle).is_some_and(not_after) {
                true => low = middle + 1,
                false => high = middle,
            }
        }
        (block, low)
    }

    fn split(&mut self, place: usize) {
        let Some(block) = self.blocks.get_mut(place) else { return };
        let mut tail = block.split_off(block.len() / 2);
        tail.summary.changed = block.summary.changed;
        (block.stale, tail.stale) = (true, true);
        let first = tail.first_at().unwrap_or(Millis::MAX);
        self.blocks.insert(place + 1, tail);
        self.firsts.insert(place + 1, first);
    }

    /// Applies a change to every part of the tree above a block.
    fn above(&mut self, block: usize, change: impl Fn(&mut Summary)) {
        let mut place = block;
        for level in &mut self.levels {
            place /= FANOUT;
            if let Some(summary) = level.get_mut(place) {
                change(summary);
            }
        }
    }

    /// Sums up again every part of the tree from the one above this block on.
    fn rebuild(&mut self, from: usize) {
        let mut from = from;
        for depth in 0.. {
            let children = match depth {
                0 => self.blocks.len(),
                _ => self.levels.get(depth - 1).map_or(0, Vec::len),
            };
            let nodes = children.div_ceil(FANOUT);
            from /= FANOUT;
            let mut level = self.levels.get_mut(depth).map(std::mem::take).unwrap_or_default();
            level.truncate(from.min(nodes));
            for node in level.len()..nodes {
                let range = node * FANOUT..((node + 1) * FANOUT).min(children);
                level.push(self.sum(depth, range));
            }
            match self.levels.get_mut(depth) {
                Some(slot) => *slot = level,
                None => self.levels.push(level),
            }
            if nodes <= 1 {
                self.levels.truncate(depth + 1);
                return;
            }
        }
    }

    fn sum(&self, depth: usize, range: std::ops::Range<usize>) -> Summary {
        let mut sum = Summary::default();
        if depth == 0 {
            self.blocks.get(range).unwrap_or_default().iter().for_each(|b| sum.merge(&b.summary));
        } else {
            let below = self.levels.get(depth - 1).and_then(|level| level.get(range)).unwrap_or_default();
            below.iter().for_each(|s| sum.merge(s));
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows with a time, a kind and a standing; of equal times the lower number comes first.
    #[derive(Default)]
    struct Plain(Vec<(RowFacts, Standing)>);

    impl Rows for Plain {
        fn facts(&self, row: u32) -> RowFacts {
            self.0[row as usize].0
        }

        fn time(&self, row: u32) -> Millis {
            self.facts(row).ts
        }

        fn standing(&self, row: u32) -> Standing {
            self.0[row as usize].1
        }

        fn order(&self, a: u32, b: u32) -> Ordering {
            (self.facts(a).ts, a).cmp(&(self.facts(b).ts, b))
        }
    }

    fn check(index: &TimeIndex, rows: &Plain) {
        let got: Vec<u32> = index.blocks.iter().flat_map(|b| b.rows(0..b.len())).collect();
        let mut expected: Vec<u32> = (0..rows.0.len() as u32).collect();
        expected.sort_by(|a, b| rows.order(*a, *b));
        assert_eq!(got, expected);
        let without_history = |summary: &Summary| Summary { changed: 0, ..summary.clone() };
        let mut below: Vec<Summary> = Vec::new();
        for block in &index.blocks {
            assert!((1..=index.block_rows).contains(&block.len()));
            let mut sum = Summary::default();
            let mut counts = [0u16; 8];
            for (place, (at, kind, row)) in block.all().enumerate() {
                let facts = rows.facts(row);
                assert_eq!((at, kind), (facts.ts, facts.kind));
                assert!(block.place_of(at) <= place && block.place_of(at + 1) > place);
                assert!(block.reach.contains(&row));
                let mut before = [7u16; 8];
                block.count_before(place, &|row| rows.standing(row) != Standing::Live, &mut before);
                assert_eq!(before, counts, "before {place}");
                sum.add(facts, rows.standing(row), 0);
                counts[usize::from(kind)] += u16::from(rows.standing(row) == Standing::Live);
            }
            let mut all = [0u32; 8];
            block.count_all(&mut all);
            assert_eq!(all, counts.map(u32::from));
            assert_eq!((block.mask, block.clean), (block.summary.mask, block.summary.is_clean()));
            assert_eq!(without_history(&block.summary), sum);
            below.push((*block.summary).clone());
        }
        for level in &index.levels {
            let sums = below.chunks(FANOUT).map(|parts| {
                let mut sum = Summary::default();
                parts.iter().for_each(|p| sum.merge(p));
                sum
            });
            assert_eq!(level, &sums.collect::<Vec<_>>());
            below = level.clone();
        }
        assert!(rows.0.is_empty() || below.len() == 1);
    }

    #[test]
    fn every_summary_equals_the_sum_of_its_rows_after_any_mix_of_changes() {
        let mut state = 7u64;
        let mut random = move |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % n
        };
        for block_rows in [2, 3, 8] {
            let (mut index, mut rows) = (TimeIndex::with_blocks_of(block_rows), Plain::default());
            for step in 0..1_500u64 {
                if rows.0.is_empty() || random(4) > 0 {
                    // Mostly in order, sometimes late, often at the same time.
                    let ts = if random(3) == 0 { random(200) } else { step / 4 } as i64;
                    let end = ts + 1 + random(50) as i64;
                    let facts =
                        RowFacts { ts, end, kind: random(5) as u16, importance: random(1_001) as u16, born: step };
                    rows.0.push((facts, if random(9) == 0 { Standing::Forgotten } else { Standing::Live }));
                    index.insert(&rows, rows.0.len() as u32 - 1, step);
                } else {
                    let row = random(rows.0.len() as u64) as usize;
                    let from = rows.0[row].1;
                    let to = [Standing::Live, Standing::Forgotten, Standing::Replaced][random(3) as usize];
                    rows.0[row].1 = to;
                    index.turn(&rows, row as u32, from, step);
                }
                if step % 97 == 0 {
                    check(&index, &rows);
                }
            }
            check(&index, &rows);
        }
    }
}
