//! The blocks as bytes: which rows they hold, in order. Times, kinds and summaries follow from the rows.

use super::block::{Block, MOST_ROWS};
use super::{Rows, TimeIndex};
use crate::snapshot::{In, Out};

impl TimeIndex {
    pub(crate) fn write(&self, out: &mut Out) {
        out.number(self.block_rows as u64);
        out.number(self.blocks.len() as u64);
        let mut next = 0;
        for block in &self.blocks {
            out.number(block.len() as u64);
            out.number(block.summary.changed);
            for row in block.rows(0..block.len()) {
                out.signed(i64::from(row) - next);
                next = i64::from(row) + 1;
            }
        }
    }

    pub(crate) fn read(from: &mut In<'_>, rows: &impl Rows, end: usize) -> Option<Self> {
        let block_rows = from.small().filter(|rows| (2..=MOST_ROWS).contains(rows))?;
        let mut this = Self::with_blocks_of(block_rows);
        let (mut next, mut before) = (0i64, None);
        for _ in 0..from.count()? {
            let len = from.count().filter(|len| (1..=block_rows).contains(len))?;
            let changed = from.number()?;
            let mut block: Option<Block> = None;
            for place in 0..len {
                let row = u32::try_from(next.checked_add(from.signed()?)?).ok().filter(|row| (*row as usize) < end)?;
                next = i64::from(row) + 1;
                let facts = rows.facts(row);
                if before.is_some_and(|before| rows.order(before, row).is_ge()) {
                    return None;
                }
                before = Some(row);
                let block = block.get_or_insert_with(|| Block::new(facts.ts, row));
                if !block.has_reach(facts.ts) {
                    return None;
                }
                block.insert(place, facts.ts, facts.kind, row);
            }
            let mut block = block?;
            block.shrink();
            block.stale = true;
            block.summary.changed = changed;
            this.firsts.push(block.first_at()?);
            this.blocks.push(block);
        }
        this.repair(rows, 0);
        if !this.blocks.is_empty() {
            this.rebuild(0);
        }
        Some(this)
    }
}
