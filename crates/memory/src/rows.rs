//! The synchronous, scalar way in for hot loops: row numbers in, row numbers and counts out. Rows keep their
//! numbers for ever, whatever is forgotten; nothing is allocated for a row.
//!
//! Everything is as of what is folded now: the newest state.

mod scan;

use throughline_journal::Millis;
use throughline_protocol::command::RememberColumns;

use crate::columns::{Columns, Packed};
use crate::index::{Block, add_all, take_all};

use crate::memory::Memory;
use crate::pyramid::LANES;
use crate::vectors::Among;

/// What a column gives for a row whose body is not in memory: it was purged, or no such row was ever made.
pub const NOT_RESIDENT: &str = "not-resident";

/// Up to so many kinds are each compared with many rows at a time; more are looked up.
const COMPARED: usize = 4;

/// Which kinds are wanted, by number.
struct Wanted<'a> {
    kinds: &'a [u16],
    /// By kind, where there are too many to be compared one by one.
    bits: Vec<u8>,
    mask: u64,
}

impl<'a> Wanted<'a> {
    fn of(kinds: &'a [u16]) -> Self {
        let mask = kinds.iter().fold(0, |mask, kind| mask | 1 << (kind % 64));
        let mut bits = Vec::new();
        if kinds.len() > COMPARED {
            bits.resize(kinds.iter().map(|k| usize::from(*k) + 1).max().unwrap_or(0), 0);
            for kind in kinds {
                bits.get_mut(usize::from(*kind)).into_iter().for_each(|bit| *bit = 1);
            }
        }
        Self { kinds, bits, mask }
    }

    fn all(&self) -> bool {
        self.kinds.is_empty()
    }

    fn has(&self, kind: u16) -> bool {
        match self.bits.is_empty() {
            true => self.kinds.contains(&kind),
            false => self.bits.get(usize::from(kind)) == Some(&1),
        }
    }

    /// The kinds as bytes, some of them several times over, where they can be compared so. A kind that is not below
    /// 256 is in no row whose kind is.
    fn few(&self) -> Option<[u8; COMPARED]> {
        let mut narrow = self.kinds.iter().filter_map(|kind| u8::try_from(*kind).ok());
        let first = narrow.next().filter(|_| self.bits.is_empty())?;
        let mut few = [first; COMPARED];
        few.iter_mut().zip(narrow).for_each(|(slot, kind)| *slot = kind);
        Some(few)
    }
}

/// Appends the rows of wanted kinds that stand in some places of a block and are live.
fn fill(
    memory: &Memory,
    wanted: &Wanted<'_>,
    few: Option<[u8; COMPARED]>,
    block: &Block,
    places: std::ops::Range<usize>,
    out: &mut Vec<u32>,
) {
    let before = out.len();
    let all = 0..block.len();
    match (few, block.narrow_kinds(all.clone()), block.narrow_rows(all)) {
        (Some(few), Some(kinds), Some((first, rows))) => scan::fill(few, kinds, first, rows, places, out),
        (_, _, Some((first, rows))) if wanted.all() => {
            let rows = rows.get(places).unwrap_or_default();
            out.extend(rows.iter().map(|row| first.wrapping_add(u32::from(*row))));
        }
        _ => {
            let kinds = block.kinds(places).filter(|(kind, _)| wanted.all() || wanted.has(*kind));
            out.extend(kinds.map(|(_, row)| row));
        }
    }
    if !block.clean {
        let mut kept = before;
        for place in before..out.len() {
            let row = out.get(place).copied().unwrap_or(0);
            if !memory.table.is_dead(row) {
                out.get_mut(kept).into_iter().for_each(|slot| *slot = row);
                kept += 1;
            }
        }
        out.truncate(kept);
    }
}

impl Memory {
    /// The number of a kind, for the other calls; `None` when no event ever had it.
    #[must_use]
    pub fn kind_number(&self, name: &str) -> Option<u16> {
        self.table.kinds.get_index_of(name).and_then(|n| u16::try_from(n).ok())
    }

    /// The name of a kind.
    #[must_use]
    pub fn kind_name(&self, kind: u16) -> Option<&str> {
        self.table.kinds.get_index(usize::from(kind))
    }

    /// How many kinds have numbers.
    #[must_use]
    pub fn kind_count(&self) -> usize {
        self.table.kinds.len()
    }

    /// The number of an entity.
    #[must_use]
    pub fn entity_number(&self, name: &str) -> Option<u32> {
        self.table.entities.get_index_of(name).and_then(|n| u32::try_from(n).ok())
    }

    /// The name of an entity.
    #[must_use]
    pub fn entity_name(&self, entity: u32) -> Option<&str> {
        self.table.entities.get_index(entity as usize)
    }

    /// How many rows were ever made.
    #[must_use]
    pub fn row_count(&self) -> usize {
        self.table.rows()
    }

    /// When a row begins; `None` when it is not resident.
    #[must_use]
    pub fn row_time(&self, row: u32) -> Option<Millis> {
        self.resident(row)?;
        self.table.at(row)
    }

    /// A row's kind.
    #[must_use]
    pub fn row_kind(&self, row: u32) -> Option<u16> {
        self.resident(row)?;
        self.table.kind_of(row)
    }

    /// A row's text; `None` when it is not resident, which [`Memory::take_missing`] tells.
    #[must_use]
    pub fn row_text(&self, row: u32) -> Option<&str> {
        self.resident(row)?;
        self.table.text_or_note(row)
    }

    /// A row's entities.
    #[must_use]
    pub fn row_entities(&self, row: u32) -> Option<&[u32]> {
        self.resident(row)?;
        Some(self.table.entities_of(row))
    }

    /// The id of a row's event.
    #[must_use]
    pub fn row_id(&self, row: u32) -> Option<String> {
        self.table.item_of(row).map(|item| self.table.id(item))
    }

    /// The newest row of an event.
    #[must_use]
    pub fn row_of(&self, id: &str) -> Option<u32> {
        self.table.find(id).and_then(|item| self.table.version_at(item, throughline_journal::Seq::MAX))
    }

    fn resident(&self, row: u32) -> Option<()> {
        let item = self.table.item_of(row)?;
        self.table.purged(item).is_none().then_some(())
    }

    /// Puts the rows that begin in `since..until` and are of one of the kinds (any, when none is named) into
    /// `out`, in order of time from the first; at most `limit`. Gives how many there are in `out`.
    pub fn rows_in(&self, since: Millis, until: Millis, kinds: &[u16], limit: usize, out: &mut Vec<u32>) -> usize {
        out.clear();
        let wanted = Wanted::of(kinds);
        let few = wanted.few();
        let (first, end) = self.time.blocks_of(since, until);
        let blocks = self.time.blocks().get(first..end).unwrap_or_default();
        let mut called = 0;
        for (number, block) in blocks.iter().enumerate() {
            if !wanted.all() && block.mask & wanted.mask == 0 {
                continue;
            }
            // Only the first and the last one can reach beyond the window.
            let from = if number == 0 { block.place_of(since) } else { 0 };
            let to = if number + 1 == blocks.len() { block.place_of(until) } else { block.len() };
            if from >= to {
                continue;
            }
            // What comes next is called for before it is needed; of the last block perhaps little is.
            if let Some(next) = blocks.get(number + 1).filter(|_| number + 2 < blocks.len()) {
                called |= next.call_for();
            }
            fill(self, &wanted, few, block, from..to, out);
            if out.len() >= limit {
                out.truncate(limit);
                break;
            }
        }
        std::hint::black_box(called);
        out.len()
    }

    /// The last row of a kind that begins before a time.
    #[must_use]
    pub fn last_row(&self, kind: u16, before: Millis) -> Option<u32> {
        let mask = 1u64 << (kind % 64);
        let end = self.time.end_block(before);
        let within = |block: &Block, mut end: usize| {
            loop {
                let place = match (block.narrow_kinds(0..end), u8::try_from(kind)) {
                    (Some(kinds), Ok(kind)) => scan::last_of(kinds, kind)?,
                    (Some(_), Err(_)) => return None,
                    _ => (0..end).rev().find(|place| block.kind_at(*place) == Some(kind))?,
                };
                let row = block.row_at(place)?;
                if block.clean || !self.table.is_dead(row) {
                    return Some(row);
                }
                end = place;
            }
        };
        let last = self.time.blocks().get(end.checked_sub(1)?)?;
        if last.mask & mask != 0
            && let Some(row) = within(last, last.place_of(before))
        {
            return Some(row);
        }
        self.time.last_block_of(end - 1, kind, &mut |block| within(block, block.len()))
    }

    /// The newest rows of an entity that begin before a time, newest first, at most `limit`.
    #[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
    pub fn rows_of(&self, entity: u32, before: Millis, limit: usize, out: &mut Vec<u32>) -> usize {
        out.clear();
        let Some(list) = self.by_entity.get(entity as usize) else { return 0 };
        let rows = list.get(..list.place_of(before, &self.table)).unwrap_or_default();
        if self.table.is_all_live() {
            let from = rows.len().saturating_sub(limit);
            out.extend(rows.get(from..).unwrap_or_default().iter().rev());
        } else {
            out.extend(rows.iter().rev().filter(|row| !self.table.is_dead(**row)).take(limit));
        }
        out.len()
    }

    /// Counts the live rows in equal parts of `since..until` by kind, exactly: part after part, each with one
    /// counter for each kind that has a number. Gives how many parts there are.
    #[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
    pub fn counts_into(&self, since: Millis, until: Millis, parts: usize, out: &mut Vec<u32>) -> usize {
        let kinds = self.table.kinds.len();
        out.clear();
        out.resize(parts * kinds, 0);
        if kinds == 0 || parts == 0 || until <= since {
            return parts;
        }
        let span = i128::from(until) - i128::from(since);
        // Dividing wide numbers is slow; hardly any window needs it.
        let narrow =
            until.checked_sub(since).filter(|span| i64::try_from(parts).is_ok_and(|n| span.checked_mul(n).is_some()));
        let edge = |i: usize| match narrow {
            Some(span) => since + span * i as i64 / parts as i64,
            None => Millis::try_from(i128::from(since) + span * i as i128 / parts as i128).unwrap_or(until),
        };
        let dead = |row: u32| self.table.is_dead(row);
        let (blocks, firsts) = (self.time.blocks(), self.time.firsts());
        let mut number = self.time.first_block(since);
        // How many there are of each kind before the place in the block, and before the next place.
        let (mut before, mut now) = (vec![0u16; kinds], vec![0u16; kinds]);
        if let Some(block) = blocks.get(number) {
            block.count_before(block.place_of(since), &dead, &mut before);
        }
        for (part, counts) in out.chunks_exact_mut(kinds).enumerate() {
            let end = edge(part + 1);
            take_all(counts, &before);
            // Blocks before one that begins before the end lie wholly before it.
            while firsts.get(number + 1).is_some_and(|first| *first < end) {
                if let Some(block) = blocks.get(number) {
                    block.count_all(counts);
                }
                number += 1;
                before.fill(0);
            }
            let Some(block) = blocks.get(number) else { continue };
            block.count_before(block.place_of(end), &dead, &mut now);
            add_all(counts, &now);
            std::mem::swap(&mut before, &mut now);
        }
        parts
    }

    /// The counters of the pyramid for a window, in at most about so many parts: where the first begins, how
    /// wide each is, how many there are. A part has [`LANES`] counters.
    pub fn drawn_into(&self, since: Millis, until: Millis, most: usize, out: &mut Vec<u32>) -> (Millis, Millis, usize) {
        self.with_pyramid(|pyramid| {
            let (begin, width, parts) = pyramid.parts(since, until, most);
            out.clear();
            out.reserve(parts.len() * LANES);
            parts.iter().for_each(|part| out.extend_from_slice(part));
            (begin, width, parts.len())
        })
    }

    /// The rows that hold the words best, best first, that begin in a window and are of one of the kinds.
    pub fn rows_with(
        &self,
        words: &str,
        since: Millis,
        until: Millis,
        kinds: &[u16],
        limit: usize,
        out: &mut Vec<u32>,
    ) -> usize {
        out.clear();
        let mut wanted = self.words.wanted(words);
        wanted.truncate(crate::limits::MAX_QUERY_TERMS);
        let filter = crate::recall::Filter::of_rows(since, until, kinds);
        let mut scores = self.scratch.borrow_mut();
        self.score_words(throughline_journal::Seq::MAX - 1, &wanted, &filter, &mut scores);
        let touched = std::mem::take(&mut scores.touched);
        out.extend_from_slice(&touched);
        self.keep_best(out, limit, &scores);
        scores.clear(&touched);
        out.len()
    }

    /// The rows nearest to a vector, nearest first, that begin in a window.
    pub fn rows_near(&self, vector: &[f32], since: Millis, until: Millis, limit: usize, out: &mut Vec<u32>) -> usize {
        out.clear();
        let usable = !vector.is_empty() && vector.iter().all(|x| x.is_finite()) && vector.iter().any(|x| *x != 0.0);
        if usable {
            self.rows_in(since, until, &[], usize::MAX, out);
            let (near, _) = self.vectors.nearest(vector, limit, &Among::Rows(out));
            out.clear();
            out.extend(near.iter().map(|(row, _)| *row));
        }
        out.len()
    }

    /// The command that remembers columns. They are kept until it is decided, so that nothing is read again.
    #[must_use]
    pub fn columns_command(&self, columns: Columns) -> RememberColumns {
        let command = columns.to_command();
        self.handed.put(&Packed::of_command(&command), columns);
        command
    }
}
