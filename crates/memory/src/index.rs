//! Rows in blocks in valid-time order, and the tree of summaries above them.

mod summary;
mod walk;

use std::cmp::Ordering;

use throughline_journal::{Millis, Seq};

pub(crate) use summary::{RowFacts, Standing, Summary};
pub(crate) use walk::Step;

/// How many rows a block holds before it is split.
pub(crate) const BLOCK_ROWS: usize = 512;

/// How many blocks, or parts of the tree, one part above them sums up.
const FANOUT: usize = 32;

/// Some rows that follow one another in time, as columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    pub(crate) ts: Vec<Millis>,
    pub(crate) kind: Vec<u16>,
    pub(crate) row: Vec<u32>,
    pub(crate) summary: Summary,
    /// The summary is to be made anew from the rows.
    stale: bool,
}

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
    firsts: Vec<Millis>,
    /// Summaries of [`FANOUT`] blocks each, then of as many of those, up to a single one.
    levels: Vec<Vec<Summary>>,
}

impl Block {
    /// Gives back room that is not used.
    fn shrink(&mut self) {
        self.ts.shrink_to_fit();
        self.kind.shrink_to_fit();
        self.row.shrink_to_fit();
    }
}

impl Default for TimeIndex {
    fn default() -> Self {
        Self::with_blocks_of(BLOCK_ROWS)
    }
}

impl TimeIndex {
    /// An index whose blocks hold so many rows, at least two.
    pub(crate) fn with_blocks_of(rows: usize) -> Self {
        Self { block_rows: rows.max(2), blocks: Vec::new(), firsts: Vec::new(), levels: Vec::new() }
    }

    /// The blocks, in order.
    pub(crate) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// The first block that may hold a row of this time or a later one.
    pub(crate) fn first_block(&self, ts: Millis) -> usize {
        // Rows of the same time may end the block before.
        self.firsts.partition_point(|first| *first < ts).saturating_sub(1)
    }

    /// One past the last block that holds a row before this time.
    pub(crate) fn end_block(&self, ts: Millis) -> usize {
        self.firsts.partition_point(|first| *first < ts)
    }

    /// Puts a row in its place.
    pub(crate) fn insert(&mut self, rows: &impl Rows, row: u32, seq: Seq) {
        let (facts, standing) = (rows.facts(row), rows.standing(row));
        let (block, changed_from) = self.place(rows, row, facts.ts, facts.kind);
        if let Some(block) = self.blocks.get_mut(block) {
            block.summary.add(facts, standing, seq);
        }
        match changed_from {
            Some(from) => {
                self.repair(rows, from);
                self.rebuild(from);
            }
            None => self.above(block, |summary| summary.add(facts, standing, seq)),
        }
    }

    /// Puts many rows in their places; what they change is summed up once.
    pub(crate) fn insert_many(&mut self, rows: &impl Rows, new: std::ops::Range<u32>, seq: Seq) {
        let mut from = usize::MAX;
        for row in new {
            let facts = rows.facts(row);
            let (block, changed) = self.place(rows, row, facts.ts, facts.kind);
            from = from.min(block).min(changed.unwrap_or(block));
            if let Some(block) = self.blocks.get_mut(block) {
                block.stale = true;
                block.summary.changed = block.summary.changed.max(seq);
            }
        }
        if from != usize::MAX {
            self.repair(rows, from);
            self.rebuild(from);
        }
    }

    /// Takes a row out, and all that it was to the summaries.
    pub(crate) fn remove(&mut self, rows: &impl Rows, row: u32, seq: Seq) {
        let (found, after) = self.find(rows, row);
        let Some(block) = self.blocks.get_mut(found) else { return };
        let Some(place) = block.row.get(..after).and_then(|before| before.iter().rposition(|r| *r == row)) else {
            return;
        };
        block.ts.remove(place);
        block.kind.remove(place);
        block.row.remove(place);
        block.stale = true;
        block.summary.changed = block.summary.changed.max(seq);
        if block.row.is_empty() {
            self.blocks.remove(found);
            self.firsts.remove(found);
        } else if let (Some(first), Some(ts)) = (self.firsts.get_mut(found), block.ts.first()) {
            *first = *ts;
        }
        self.repair(rows, found.saturating_sub(1));
        self.rebuild(found.saturating_sub(1));
    }

    /// Puts a row in its place without summing it up: the block it went to, and the first block whose number
    /// stands for other rows than before.
    fn place(&mut self, rows: &impl Rows, row: u32, ts: Millis, kind: u16) -> (usize, Option<usize>) {
        let mut changed_from = None;
        let last = self.blocks.len().saturating_sub(1);
        // Most rows come last.
        let after_all = self.blocks.last().and_then(|b| Some((*b.ts.last()?, *b.row.last()?, b.row.len())));
        let (mut block, mut place) = match after_all {
            Some((at, other, len)) if at < ts || at == ts && rows.order(other, row) != Ordering::Greater => (last, len),
            _ => self.find(rows, row),
        };
        let len = self.blocks.get(block).map_or(0, |b| b.row.len());
        if self.blocks.is_empty() {
            self.blocks.push(Block::default());
            self.firsts.push(ts);
            changed_from = Some(0);
        } else if len >= self.block_rows {
            changed_from = Some(block);
            if block == last && place == len {
                // In order of time, blocks fill up.
                if let Some(full) = self.blocks.last_mut() {
                    full.shrink();
                }
                self.blocks.push(Block::default());
                self.firsts.push(ts);
                (block, place) = (block + 1, 0);
            } else {
                self.split(block);
                let half = self.blocks.get(block).map_or(0, |b| b.row.len());
                if place > half {
                    (block, place) = (block + 1, place - half);
                }
            }
        }
        if let Some(found) = self.blocks.get_mut(block) {
            let place = place.min(found.ts.len());
            found.ts.insert(place, ts);
            found.kind.insert(place, kind);
            found.row.insert(place, row);
            if let Some(first) = self.firsts.get_mut(block).filter(|_| place == 0) {
                *first = ts;
            }
        }
        (block, changed_from)
    }

    /// Makes the stale summaries from a block on anew.
    fn repair(&mut self, rows: &impl Rows, from: usize) {
        for block in self.blocks.get_mut(from..).unwrap_or_default() {
            if std::mem::take(&mut block.stale) {
                // When each row changed last is not kept: what was known of the whole holds for the parts.
                let changed = block.summary.changed;
                block.summary = Summary::default();
                for row in &block.row {
                    block.summary.add(rows.facts(*row), rows.standing(*row), changed);
                }
            }
        }
    }

    /// Says that a row, which stood otherwise before, stands as it does now.
    pub(crate) fn turn(&mut self, rows: &impl Rows, row: u32, from: Standing, seq: Seq) {
        let (facts, to) = (rows.facts(row), rows.standing(row));
        // The place found lies after the row itself, which may be the last of its block.
        let (block, _) = self.find(rows, row);
        if let Some(block) = self.blocks.get_mut(block) {
            block.summary.turn(facts, from, to, seq);
        }
        self.above(block, |summary| summary.turn(facts, from, to, seq));
    }

    /// The block, and the place in it, after every row that is not after the one asked for.
    fn find(&self, rows: &impl Rows, row: u32) -> (usize, usize) {
        let ts = rows.time(row);
        let not_after = |other: u32| rows.order(other, row) != Ordering::Greater;
        let mut begun = self.firsts.partition_point(|at| *at < ts);
        while self.firsts.get(begun) == Some(&ts)
            && self.blocks.get(begun).and_then(|b| b.row.first()).is_some_and(|first| not_after(*first))
        {
            begun += 1;
        }
        let block = begun.saturating_sub(1);
        let Some(found) = self.blocks.get(block) else { return (0, 0) };
        let earlier = found.ts.partition_point(|at| *at < ts);
        let same = found.ts.partition_point(|at| *at <= ts);
        let ties = found.row.get(earlier..same).unwrap_or_default();
        (block, earlier + ties.partition_point(|other| not_after(*other)))
    }

    fn split(&mut self, place: usize) {
        let Some(block) = self.blocks.get_mut(place) else { return };
        let half = block.row.len() / 2;
        let mut tail = Block {
            ts: block.ts.split_off(half),
            kind: block.kind.split_off(half),
            row: block.row.split_off(half),
            summary: Summary { changed: block.summary.changed, ..Summary::default() },
            stale: true,
        };
        block.stale = true;
        block.shrink();
        tail.shrink();
        let first = tail.ts.first().copied().unwrap_or(Millis::MAX);
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
        let got: Vec<u32> = index.blocks.iter().flat_map(|b| b.row.iter().copied()).collect();
        let mut expected: Vec<u32> = (0..rows.0.len() as u32).collect();
        expected.sort_by(|a, b| rows.order(*a, *b));
        assert_eq!(got, expected);
        let without_history = |summary: &Summary| Summary { changed: 0, ..summary.clone() };
        let mut below: Vec<Summary> = Vec::new();
        for block in &index.blocks {
            assert!(!block.row.is_empty() && block.row.len() <= index.block_rows);
            let mut sum = Summary::default();
            for (i, row) in block.row.iter().enumerate() {
                assert_eq!((block.ts[i], block.kind[i]), (rows.facts(*row).ts, rows.facts(*row).kind));
                sum.add(rows.facts(*row), rows.standing(*row), 0);
            }
            assert_eq!(without_history(&block.summary), sum);
            below.push(block.summary.clone());
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
