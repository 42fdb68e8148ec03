//! Many rows at once. Most of them come after all that is there, and in order: those go to the end as a whole, block by
//! block. The few that come late are put in order first.

use std::cmp::Ordering;
use std::ops::Range;

use throughline_journal::{Millis, Seq};
use throughline_value::order_numbers;

use super::{Block, Rows, Standing, TimeIndex};

/// Rows in order of time: those that each came after all before them, and the others put between them.
fn in_order(rows: &impl Rows, new: Range<u32>) -> Vec<u32> {
    let (mut run, mut late) = (Vec::with_capacity(new.len()), Vec::new());
    let mut last: Option<(Millis, u32)> = None;
    for row in new {
        let at = rows.time(row);
        let follows = last.is_none_or(|(time, other)| match time.cmp(&at) {
            Ordering::Less => true,
            Ordering::Equal => rows.order(other, row) == Ordering::Less,
            Ordering::Greater => false,
        });
        if follows {
            last = Some((at, row));
            run.push(row);
        } else {
            late.push(row);
        }
    }
    if late.is_empty() {
        return run;
    }
    order_numbers(&mut late, &mut |a, b| rows.order(a, b));
    let mut all = Vec::with_capacity(run.len() + late.len());
    let mut rest = run.as_slice();
    for row in late {
        let at = rows.time(row);
        let before = rest.partition_point(|other| match rows.time(*other).cmp(&at) {
            Ordering::Less => true,
            Ordering::Equal => rows.order(*other, row) == Ordering::Less,
            Ordering::Greater => false,
        });
        let (head, tail) = rest.split_at(before);
        all.extend_from_slice(head);
        all.push(row);
        rest = tail;
    }
    all.extend_from_slice(rest);
    all
}

impl TimeIndex {
    /// Puts many rows in their places; what they change above the blocks is summed up once. Gives the rows in order.
    pub(crate) fn insert_many(&mut self, rows: &impl Rows, new: Range<u32>, seq: Seq) -> Vec<u32> {
        let sorted = in_order(rows, new);
        let last = self.blocks.last().and_then(|block| block.row_at(block.len().checked_sub(1)?));
        // What comes before the last row that is there goes between the others one by one.
        let begin = last.map_or(0, |last| sorted.partition_point(|row| rows.order(*row, last) == Ordering::Less));
        let (between, after) = sorted.split_at(begin);
        let mut from = usize::MAX;
        let mut split = false;
        for row in between {
            let (block, changed) = self.take(rows, *row, rows.facts(*row), rows.standing(*row), seq);
            from = from.min(block).min(changed.unwrap_or(block));
            split |= changed.is_some();
        }
        if split {
            self.repair(rows, from);
        }
        if !after.is_empty() {
            from = from.min(self.blocks.len().saturating_sub(1));
            self.append(rows, after, seq);
        }
        if from != usize::MAX {
            self.rebuild(from);
        }
        sorted
    }

    /// Puts rows that come after all others, in order, to the end.
    fn append(&mut self, rows: &impl Rows, new: &[u32], seq: Seq) {
        // As where rows come one by one, blocks are left with some room for what comes late.
        let full = self.block_rows - self.block_rows / 8;
        let dead = |row| rows.standing(row) != Standing::Live;
        let mut rest = new;
        while let Some(first) = rest.first() {
            let at = rows.time(*first);
            if self.blocks.last().is_none_or(|block| block.len() >= full || !block.has_reach(at)) {
                if let Some(block) = self.blocks.last_mut() {
                    block.shrink();
                }
                // The least row is the one that all can be told as distances from.
                let least = rest.iter().take(full).min().copied().unwrap_or(*first);
                self.blocks.push(Block::new(at, least));
                self.firsts.push(at);
            }
            let Some(block) = self.blocks.last_mut() else { return };
            let begun = block.len();
            let most = rest.get(..(full - begun).min(rest.len())).unwrap_or_default();
            let reached = match most.last().is_some_and(|last| block.has_reach(rows.time(*last))) {
                true => most.len(),
                false => most.partition_point(|row| block.has_reach(rows.time(*row))),
            };
            let (own, others) = rest.split_at(reached);
            block.reserve(own.len());
            for row in own {
                let facts = rows.facts(*row);
                block.insert(block.len(), facts.ts, facts.kind, *row);
                block.summary.add(facts, rows.standing(*row), seq);
            }
            // What was split is noted when it is summed up; here nothing is split any more.
            block.note(begun, &dead);
            rest = others;
        }
    }
}
