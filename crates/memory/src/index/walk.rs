//! Walking over the tree, in order of time, forwards and back.

use std::ops::Range;

use throughline_journal::Millis;

use super::{Block, FANOUT, Summary, TimeIndex};

/// What to do with a part of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Nothing in it matters, or its summary said all.
    Pass,
    /// Look inside.
    Open,
}

impl TimeIndex {
    /// Walks over all parts in order of time: `part` sees each summary first and says whether to look
    /// inside; `leaf` sees the blocks that are opened.
    pub(crate) fn walk<'a>(&'a self, part: &mut dyn FnMut(&'a Summary) -> Step, leaf: &mut dyn FnMut(&'a Block)) {
        if let Some(top) = self.levels.len().checked_sub(1) {
            self.walk_level(top, 0, part, leaf);
        }
    }

    fn walk_level<'a>(
        &'a self,
        level: usize,
        from: usize,
        part: &mut dyn FnMut(&'a Summary) -> Step,
        leaf: &mut dyn FnMut(&'a Block),
    ) {
        let nodes = self.levels.get(level).map(Vec::as_slice).unwrap_or_default();
        for (i, summary) in nodes.iter().enumerate().skip(from).take(FANOUT) {
            if part(summary) == Step::Pass {
                continue;
            }
            match level.checked_sub(1) {
                Some(below) => self.walk_level(below, i * FANOUT, part, leaf),
                None => {
                    for block in self.blocks().iter().skip(i * FANOUT).take(FANOUT) {
                        if part(&block.summary) == Step::Open {
                            leaf(block);
                        }
                    }
                }
            }
        }
    }

    /// How many levels lie above the blocks.
    pub(crate) fn depth(&self) -> usize {
        self.levels.len()
    }

    /// Walks over all parts, each with how many levels it lies above the rows, and its blocks; blocks are at 0.
    pub(crate) fn visit(&self, part: &mut dyn FnMut(usize, &Summary, Range<usize>) -> Step) {
        if let Some(top) = self.levels.len().checked_sub(1) {
            self.visit_level(top, 0, part);
        }
    }

    fn visit_level(&self, level: usize, from: usize, part: &mut dyn FnMut(usize, &Summary, Range<usize>) -> Step) {
        let nodes = self.levels.get(level).map(Vec::as_slice).unwrap_or_default();
        let width = (0..=level).fold(1, |width, _| width * FANOUT);
        for (i, summary) in nodes.iter().enumerate().skip(from).take(FANOUT) {
            if part(level + 1, summary, i * width..(i + 1) * width) == Step::Pass {
                continue;
            }
            match level.checked_sub(1) {
                Some(below) => self.visit_level(below, i * FANOUT, part),
                None => self.blocks().iter().enumerate().skip(i * FANOUT).take(FANOUT).for_each(|(n, block)| {
                    part(0, &block.summary, n..n + 1);
                }),
            }
        }
    }

    /// Walks back in time, until `leaf` says that it has found what it wants.
    pub(crate) fn walk_back<'a>(
        &'a self,
        part: &mut dyn FnMut(&'a Summary) -> Step,
        leaf: &mut dyn FnMut(&'a Block) -> bool,
    ) {
        if let Some(top) = self.levels.len().checked_sub(1) {
            self.back_level(top, 0, part, leaf);
        }
    }

    fn back_level<'a>(
        &'a self,
        level: usize,
        from: usize,
        part: &mut dyn FnMut(&'a Summary) -> Step,
        leaf: &mut dyn FnMut(&'a Block) -> bool,
    ) -> bool {
        let nodes = self.levels.get(level).map(Vec::as_slice).unwrap_or_default();
        let end = (from + FANOUT).min(nodes.len());
        for i in (from..end).rev() {
            if nodes.get(i).is_none_or(|summary| part(summary) == Step::Pass) {
                continue;
            }
            let found = match level.checked_sub(1) {
                Some(below) => self.back_level(below, i * FANOUT, part, leaf),
                None => {
                    let last = ((i + 1) * FANOUT).min(self.blocks().len());
                    let blocks = self.blocks().get(i * FANOUT..last).unwrap_or_default();
                    blocks.iter().rev().any(|b| part(&b.summary) == Step::Open && leaf(b))
                }
            };
            if found {
                return true;
            }
        }
        false
    }

    /// Looks into the blocks before block `end` that hold live rows of a kind, from the last back, until one
    /// gives something. Parts of the tree without the kind are passed over.
    pub(crate) fn last_block_of<T>(
        &self,
        end: usize,
        kind: u16,
        look: &mut dyn FnMut(&Block) -> Option<T>,
    ) -> Option<T> {
        let mask = 1u64 << (kind % 64);
        let mut place = end;
        while place > 0 {
            // The widest part that ends here is tried first.
            let (mut level, mut width) = (0, 1);
            while place.is_multiple_of(width * FANOUT) && level < self.levels.len() {
                (level, width) = (level + 1, width * FANOUT);
            }
            loop {
                let from = (place - 1) / width;
                let summary = match level {
                    0 => self.blocks().get(from).map(|b| &*b.summary),
                    _ => self.levels.get(level - 1).and_then(|nodes| nodes.get(from)),
                };
                let holds = summary.is_some_and(|s| s.mask & mask != 0 && s.of(kind).is_some_and(|c| c.live > 0));
                if !holds {
                    place = from * width;
                    break;
                }
                if level == 0 {
                    if let Some(found) = self.blocks().get(from).and_then(&mut *look) {
                        return Some(found);
                    }
                    place = from;
                    break;
                }
                (level, width) = (level - 1, width / FANOUT);
            }
        }
        None
    }

    /// The rows from this time on, forwards.
    pub(crate) fn from(&self, ts: Millis) -> impl Iterator<Item = u32> + '_ {
        let first = self.first_block(ts);
        let rest = self.blocks().get(first..).unwrap_or_default();
        rest.iter().flat_map(move |b| b.rows(b.place_of(ts)..b.len()))
    }

    /// The rows before this time, backwards.
    pub(crate) fn before(&self, ts: Millis) -> impl Iterator<Item = u32> + '_ {
        let end = self.end_block(ts);
        let head = self.blocks().get(..end).unwrap_or_default();
        head.iter().rev().flat_map(move |b| b.rows(0..b.place_of(ts)).rev())
    }
}
