//! What is worked out of rows for a part of the tree: vectors, uses, the states of entities.

use std::ops::Range;

use throughline_journal::Seq;
use throughline_value::SortedMap;

use crate::index::{Block, Deep, States};
use crate::memory::Memory;

/// The moment after everything that is known.
const NOW: Seq = Seq::MAX - 1;

impl Memory {
    /// The rows of some blocks, in order.
    pub(crate) fn rows_of_blocks(&self, blocks: Range<usize>) -> impl Iterator<Item = u32> + '_ {
        let end = blocks.end.min(self.time.blocks().len());
        let blocks = self.time.blocks().get(blocks.start..end).unwrap_or_default();
        blocks.iter().flat_map(|block| block.rows(0..block.len()))
    }

    /// The vectors of rows that were live after a record, and the uses of those that stood.
    pub(crate) fn deep_at(&self, seq: Seq, rows: &mut dyn Iterator<Item = u32>) -> Deep {
        let mut deep = Deep::default();
        let (any_vector, any_use) = (!self.vectors.is_empty(), self.table.used_items().next().is_some());
        for row in rows.filter(|_| any_vector || any_use) {
            if any_vector
                && self.is_live_at(row, seq)
                && let Some(vector) = self.vectors.exact(row)
            {
                deep.add(vector);
            }
            if any_use
                && let Some(item) = self.table.item_of(row)
                && !self.table.uses_of(item).is_empty()
                && self.table.version_at(item, seq) == Some(row)
            {
                deep.last_used = deep.last_used.max(self.table.used_at(item, seq));
                let noted = self.table.uses_of(item).iter().map(|(seq, _)| *seq).max();
                deep.touched = deep.touched.max(noted.unwrap_or(0));
            }
        }
        deep
    }

    /// The same of a block as it is now.
    pub(crate) fn deep_now(&self, block: &Block) -> Deep {
        self.deep_at(NOW, &mut block.rows(0..block.len()))
    }

    /// The first and the last live row of every entity of a block.
    pub(crate) fn states_now(&self, block: &Block) -> States {
        let live = || block.rows(0..block.len()).filter(|row| self.is_live(*row));
        let mut states = SortedMap::<u32, (u32, u32)>::new();
        for row in live() {
            for entity in self.table.entities_of(row) {
                states.entry(*entity).or_insert((row, row)).1 = row;
            }
        }
        states.into_iter().collect()
    }

    /// The first and the last row of an entity in some blocks that were live after a record.
    pub(crate) fn states_at(&self, seq: Seq, blocks: Range<usize>, entity: u32) -> Option<(u32, u32)> {
        let own = |row: &u32| self.table.entities_of(*row).contains(&entity) && self.is_live_at(*row, seq);
        let mut rows = self.rows_of_blocks(blocks).filter(own);
        let first = rows.next()?;
        Some((first, rows.last().unwrap_or(first)))
    }

    /// How many bytes are held beside the rows because a part of the tree was looked at: until something in it changes.
    #[must_use]
    pub fn kept_bytes(&self) -> u64 {
        self.time.kept_bytes() as u64
    }
}
