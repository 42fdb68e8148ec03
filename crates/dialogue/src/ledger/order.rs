//! Versions in the order of valid time, found by search on both axes.
//!
//! An [`Order`] lists version numbers by when they are true, in blocks, so that a late version goes in
//! without moving a million others. The numbers count in the order of the journal: what was known after a
//! record is every number below some `known`. A read is therefore: the last entry before a place whose number
//! is below `known`. While nothing came late, the numbers ascend and two searches answer it; otherwise
//! each block's least number says whether to look into it at all.

use std::sync::Arc;

use throughline_journal::Millis;

/// How many entries a block holds before it is split.
const BLOCK: usize = 512;

/// The end of what is true without end.
pub(crate) const OPEN_END: Millis = Millis::MAX;

/// A place in an [`Order`]: block and offset. It stands before the entry it names.
pub(crate) type Place = (usize, usize);

/// Version numbers in the order of valid time. A copy shares its blocks until one of the two changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    /// The first entry of each block, apart, so that a search touches little memory.
    heads: Vec<(Millis, u32)>,
    blocks: Vec<Arc<Block>>,
    late: bool,
}

#[derive(Clone, Debug, Default)]
struct Block {
    from: Vec<Millis>,
    index: Vec<u32>,
    least: u32,
    /// The latest end of what is true among the entries.
    end: Millis,
}

impl Block {
    fn first(&self) -> (Millis, u32) {
        (self.from.first().copied().unwrap_or(Millis::MIN), self.index.first().copied().unwrap_or(0))
    }

    fn refresh(&mut self, end_of: &impl Fn(u32) -> Millis) {
        self.least = self.index.iter().copied().min().unwrap_or(u32::MAX);
        self.end = self.index.iter().map(|i| end_of(*i)).max().unwrap_or(Millis::MIN);
    }
}

impl Order {
    /// Puts version `index`, true from `from` to `end_of(index)`, behind every entry of which `before` says so.
    pub(crate) fn insert(
        &mut self,
        from: Millis,
        index: u32,
        before: impl Fn(Millis, u32) -> bool,
        end_of: impl Fn(u32) -> Millis,
    ) {
        let (b, o) = self.place(&before);
        if self.blocks.is_empty() {
            self.heads.push((from, index));
            self.blocks.push(Arc::new(Block { least: u32::MAX, end: Millis::MIN, ..Block::default() }));
        }
        let last_block = self.blocks.len().saturating_sub(1);
        let b = b.min(last_block);
        let Some(block) = self.blocks.get_mut(b).map(Arc::make_mut) else { return };
        let o = o.min(block.index.len());
        self.late |= b < last_block || o < block.index.len();
        block.from.insert(o, from);
        block.index.insert(o, index);
        block.least = block.least.min(index);
        block.end = block.end.max(end_of(index));
        if let Some(head) = self.heads.get_mut(b) {
            *head = block.first();
        }
        if block.index.len() >= BLOCK {
            // At the end a full block is left full, so that versions in order fill their blocks.
            let at = if o + 1 == block.index.len() { block.index.len() - 1 } else { block.index.len() / 2 };
            let mut next =
                Block { from: block.from.split_off(at), index: block.index.split_off(at), ..Block::default() };
            block.refresh(&end_of);
            next.refresh(&end_of);
            self.heads.insert(b + 1, next.first());
            self.blocks.insert(b + 1, Arc::new(next));
        }
    }

    /// The place behind every entry of which `before` says so; it must say so of a beginning of the order.
    pub(crate) fn place(&self, before: impl Fn(Millis, u32) -> bool) -> Place {
        let after = self.heads.partition_point(|(from, index)| before(*from, *index));
        let Some(b) = after.checked_sub(1) else { return (0, 0) };
        let Some(block) = self.blocks.get(b) else { return (0, 0) };
        let mut low = 0;
        let mut high = block.index.len();
        while low < high {
            let middle = (low + high) / 2;
            match (block.from.get(middle), block.index.get(middle)) {
                (Some(from), Some(index)) if before(*from, *index) => low = middle + 1,
                _ => high = middle,
            }
        }
        (b, low)
    }

    /// The place behind everything that is true at or before `valid_at`.
    pub(crate) fn until(&self, valid_at: Millis) -> Place {
        self.place(|from, _| from <= valid_at)
    }

    /// The last entry before `place` with a number below `known`, and its place.
    pub(crate) fn last_before(&self, place: Place, known: u32) -> Option<(Place, u32)> {
        let step = self.step_back(place)?;
        if step.1 < known {
            return Some(step);
        }
        if self.late {
            return self.seek(place, known, Millis::MIN, |_| OPEN_END);
        }
        // The numbers rise, and here they are past `known` already.
        self.step_back(self.place(|_, index| index < known))
    }

    fn step_back(&self, (b, o): Place) -> Option<(Place, u32)> {
        let (b, o) = match o.checked_sub(1) {
            Some(o) => (b, o),
            None => {
                let b = b.checked_sub(1)?;
                (b, self.blocks.get(b)?.index.len().checked_sub(1)?)
            }
        };
        Some(((b, o), *self.blocks.get(b)?.index.get(o)?))
    }

    /// As [`Order::last_before`], among those that end after `valid_at`.
    pub(crate) fn last_covering(
        &self,
        place: Place,
        known: u32,
        valid_at: Millis,
        end_of: impl Fn(u32) -> Millis,
    ) -> Option<(Place, u32)> {
        self.seek(place, known, valid_at, end_of)
    }

    fn seek(
        &self,
        (b, o): Place,
        known: u32,
        valid_at: Millis,
        end_of: impl Fn(u32) -> Millis,
    ) -> Option<(Place, u32)> {
        let search = |b: usize, upto: usize| {
            let block = self.blocks.get(b).filter(|block| block.least < known && block.end > valid_at)?;
            let head = block.index.get(..upto.min(block.index.len()))?;
            let o = head.iter().rposition(|index| *index < known && end_of(*index) > valid_at)?;
            head.get(o).map(|index| ((b, o), *index))
        };
        search(b, o).or_else(|| (0..b).rev().find_map(|b| search(b, usize::MAX)))
    }

    /// The entries before and behind the place that [`Order::place`] gives.
    pub(crate) fn around(&self, before: impl Fn(Millis, u32) -> bool) -> (Option<u32>, Option<u32>) {
        let place = self.place(before);
        (self.step_back(place).map(|(_, index)| index), self.at(place))
    }

    /// The last entry.
    pub(crate) fn last(&self) -> Option<u32> {
        self.blocks.last()?.index.last().copied()
    }

    /// The entry behind a place.
    pub(crate) fn at(&self, (b, o): Place) -> Option<u32> {
        let here = self.blocks.get(b)?;
        here.index.get(o).or_else(|| self.blocks.get(b + 1)?.index.first()).copied()
    }

    /// Whether no version ever came in before another.
    pub(crate) fn in_order(&self) -> bool {
        !self.late
    }

    /// Every number, in the order of valid time.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = u32> + '_ {
        self.blocks.iter().flat_map(|block| block.index.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Inserts `froms` in their sequence and compares every read with a scan.
    #[track_caller]
    fn check(froms: &[Millis]) {
        let mut order = Order::default();
        let end = |i: u32| froms[i as usize] + 3;
        for (i, from) in froms.iter().enumerate() {
            let index = i as u32;
            order.insert(*from, index, |f, n| (f, n) < (*from, index), end);
        }
        let mut sorted: Vec<(Millis, u32)> = froms.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        assert_eq!(order.iter().collect::<Vec<_>>(), sorted.iter().map(|(_, i)| *i).collect::<Vec<_>>());
        let step = (froms.len() / 7).max(1);
        for known in (0..=froms.len() as u32).step_by(step) {
            for valid_at in froms.iter().step_by(step).flat_map(|f| [f - 1, *f, f + 1]) {
                let naive = sorted.iter().rev().find(|(f, i)| *f <= valid_at && *i < known).map(|(_, i)| *i);
                assert_eq!(order.last_before(order.until(valid_at), known).map(|(_, i)| i), naive);
                let covering = sorted
                    .iter()
                    .rev()
                    .find(|(f, i)| *f <= valid_at && *i < known && f + 3 > valid_at)
                    .map(|(_, i)| *i);
                let found = order.last_covering(order.until(valid_at), known, valid_at, end);
                assert_eq!(found.map(|(_, i)| i), covering);
            }
        }
    }

    #[test]
    fn reads_on_both_axes_equal_a_scan_in_any_order_of_arrival() {
        check(&[]);
        check(&[5]);
        check(&[5, 5, 5, 4, 6, 5]);
        check(&(0..2_000).collect::<Vec<_>>());
        check(&(0..2_000).rev().collect::<Vec<_>>());
        check(&vec![7; 1_500]);
        check(&(0..3_000).map(|i| i * 7_919 % 1_009).collect::<Vec<_>>());
    }
}
