//! The synchronous, scalar way in for hot loops: row numbers in, row numbers and counts out. Rows keep their
//! numbers for ever, whatever is forgotten; nothing is allocated for a row.
//!
//! Everything is as of what is folded now: the newest state.

use throughline_journal::Millis;

use crate::columns::Columns;
use crate::index::{Block, Rows as _};
use crate::memory::Memory;
use crate::pyramid::LANES;

/// What a column gives for a row whose body is not in memory: it was purged, or no such row was ever made.
pub const NOT_RESIDENT: &str = "not-resident";

/// How many rows are looked at at a time.
const STRIDE: usize = 16;
/// Up to so many kinds are each compared with all the rows of a stride; more are looked up.
const COMPARED: usize = 8;
/// Below so many rows, tables of their own cost more than they bring.
const FEW_ROWS: usize = 24;
/// Up to this many kinds are counted in four tables at once, so that one count need not wait for another.
const FEW_KINDS: usize = 32;

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
}

/// Which of sixteen rows are of one of the kinds, one bit each.
#[cfg(not(target_arch = "wasm32"))]
fn hits(rows: &[u16; STRIDE], kinds: &[u16]) -> u32 {
    (0u32..).zip(rows).fold(0, |hits, (place, kind)| hits | u32::from(kinds.contains(kind)) << place)
}

/// Which of sixteen rows are of one of the kinds, one bit each; all sixteen compared at once.
#[cfg(target_arch = "wasm32")]
#[target_feature(enable = "simd128")]
#[inline]
fn hits(rows: &[u16; STRIDE], kinds: &[u16]) -> u32 {
    use core::arch::wasm32::{i8x16_bitmask, i8x16_narrow_i16x8, u16x8, u16x8_eq, u16x8_splat, v128_or};
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *rows;
    let (low, high) = (u16x8(a, b, c, d, e, f, g, h), u16x8(i, j, k, l, m, n, o, p));
    let (mut in_low, mut in_high) = (u16x8_splat(0), u16x8_splat(0));
    for kind in kinds {
        let kind = u16x8_splat(*kind);
        in_low = v128_or(in_low, u16x8_eq(low, kind));
        in_high = v128_or(in_high, u16x8_eq(high, kind));
    }
    u32::from(i8x16_bitmask(i8x16_narrow_i16x8(in_low, in_high)))
}

/// Appends the rows of a few wanted kinds.
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
fn fill_few(wanted: &[u16], kinds: &[u16], rows: &[u32], out: &mut Vec<u32>) {
    let (kind_chunks, kind_rest) = kinds.as_chunks::<STRIDE>();
    let (row_chunks, row_rest) = rows.as_chunks::<STRIDE>();
    for (kinds, rows) in kind_chunks.iter().zip(row_chunks) {
        let mut found = hits(kinds, wanted);
        while found != 0 {
            out.extend(rows.get(found.trailing_zeros() as usize));
            found &= found - 1;
        }
    }
    out.extend(kind_rest.iter().zip(row_rest).filter(|(kind, _)| wanted.contains(kind)).map(|(_, row)| *row));
}

/// The last place of a kind, before an end.
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
fn last_of(kinds: &[u16], kind: u16) -> Option<usize> {
    let mut end = kinds.len();
    while let Some(chunk) = kinds.get(..end).and_then(|head| head.last_chunk::<STRIDE>()) {
        let found = hits(chunk, &[kind]);
        if found != 0 {
            return Some(end - STRIDE + found.ilog2() as usize);
        }
        end -= STRIDE;
    }
    kinds.get(..end)?.iter().rposition(|k| *k == kind)
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
        self.table.kinds.get_index(usize::from(kind)).map(String::as_str)
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
        self.table.entities.get_index(entity as usize).map(String::as_str)
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

    /// A row's text.
    #[must_use]
    pub fn row_text(&self, row: u32) -> Option<&str> {
        self.resident(row)?;
        Some(self.table.text(row))
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
        let (first, end) = (self.time.first_block(since), self.time.end_block(until));
        for block in self.time.blocks().get(first..end.max(first)).unwrap_or_default() {
            if !wanted.all() && block.summary.mask & wanted.mask == 0 {
                continue;
            }
            let from = block.ts.partition_point(|ts| *ts < since);
            let to = match block.ts.last() {
                Some(last) if *last < until => block.ts.len(),
                _ => block.ts.partition_point(|ts| *ts < until),
            };
            let (kinds, rows) =
                (block.kind.get(from..to).unwrap_or_default(), block.row.get(from..to).unwrap_or_default());
            if block.summary.is_clean() {
                fill(&wanted, kinds, rows, out);
            } else {
                let live = kinds
                    .iter()
                    .zip(rows)
                    .filter(|(kind, row)| (wanted.all() || wanted.has(**kind)) && !self.table.is_dead(**row));
                out.extend(live.map(|(_, row)| *row));
            }
            if out.len() >= limit {
                out.truncate(limit);
                break;
            }
        }
        out.len()
    }

    /// The last row of a kind that begins before a time.
    #[must_use]
    pub fn last_row(&self, kind: u16, before: Millis) -> Option<u32> {
        let mask = 1u64 << (kind % 64);
        let end = self.time.end_block(before);
        let blocks = self.time.blocks();
        let within = |block: &Block, end: usize| {
            let mut kinds = block.kind.get(..end)?;
            while let Some(place) = last_of(kinds, kind) {
                let row = *block.row.get(place)?;
                if !self.table.is_dead(row) {
                    return Some(row);
                }
                kinds = kinds.get(..place)?;
            }
            None
        };
        let last = blocks.get(end.checked_sub(1)?)?;
        if last.summary.mask & mask != 0
            && let Some(row) = within(last, last.ts.partition_point(|ts| *ts < before))
        {
            return Some(row);
        }
        self.time.last_block_of(end - 1, kind, &mut |block| within(block, block.row.len()))
    }

    /// The newest rows of an entity that begin before a time, newest first, at most `limit`.
    pub fn rows_of(&self, entity: u32, before: Millis, limit: usize, out: &mut Vec<u32>) -> usize {
        out.clear();
        let Some(list) = self.by_entity.get(entity as usize) else { return 0 };
        let end = list.partition_point(|row| self.table.at(*row).is_some_and(|at| at < before));
        for row in list.get(..end).unwrap_or_default().iter().rev() {
            if out.len() >= limit {
                break;
            }
            if !self.table.is_dead(*row) {
                out.push(*row);
            }
        }
        out.len()
    }

    /// Counts the live rows in equal parts of `since..until` by kind, exactly: part after part, each with one
    /// counter for each kind that has a number. Gives how many parts there are.
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
        let blocks = self.time.blocks();
        let mut number = self.time.first_block(since);
        // What the block holds before the place, and before the place that comes next.
        let mut place = blocks.get(number).map_or(0, |b| b.ts.partition_point(|ts| *ts < since));
        let (mut before, mut after) = (vec![0u32; kinds], vec![0u32; kinds]);
        if let Some(block) = blocks.get(number) {
            self.count_before(block, (0, None), place, &mut before);
        }
        for (part, counts) in out.chunks_exact_mut(kinds).enumerate() {
            let end = edge(part + 1);
            while let Some(block) = blocks.get(number) {
                let whole = block.ts.last().is_some_and(|last| *last < end);
                if whole && place == 0 {
                    // Its summary says it all.
                    for kind in &block.summary.kinds {
                        if let Some(count) = counts.get_mut(usize::from(kind.kind)) {
                            *count = count.wrapping_add(kind.live);
                        }
                    }
                    number += 1;
                    continue;
                }
                let to = match whole {
                    true => block.ts.len(),
                    false => place + block.ts.get(place..).map_or(0, |rest| rest.partition_point(|ts| *ts < end)),
                };
                if to > place {
                    self.count_before(block, (place, Some(before.as_slice())), to, &mut after);
                    for ((count, a), b) in counts.iter_mut().zip(&after).zip(&before) {
                        *count = count.wrapping_add(a.wrapping_sub(*b));
                    }
                }
                if !whole {
                    if to > place {
                        std::mem::swap(&mut before, &mut after);
                    }
                    place = to;
                    break;
                }
                (number, place) = (number + 1, 0);
                before.fill(0);
            }
        }
        parts
    }

    /// How many live rows of each kind a block holds before a place: counted from its begin, its end, or a place
    /// where that is known, whichever is nearest.
    fn count_before(&self, block: &Block, known: (usize, Option<&[u32]>), place: usize, counts: &mut [u32]) {
        let len = block.row.len();
        let from_known = place.abs_diff(known.0);
        if let Some(before) = known.1.filter(|_| from_known <= len - place && place >= known.0) {
            counts.copy_from_slice(before);
            self.tally(block, known.0, place, counts, true);
            return;
        }
        counts.fill(0);
        if place <= len - place {
            self.tally(block, 0, place, counts, true);
            return;
        }
        for kind in &block.summary.kinds {
            if let Some(slot) = counts.get_mut(usize::from(kind.kind)) {
                *slot = kind.live;
            }
        }
        self.tally(block, place, len, counts, false);
    }

    /// Adds the live rows of a block from one place to another to the counts, or takes them away.
    fn tally(&self, block: &Block, from: usize, to: usize, counts: &mut [u32], up: bool) {
        if from == to {
            return;
        }
        let kinds = block.kind.get(from..to).unwrap_or_default();
        let mut change = |kind: usize, n: u32| {
            if let Some(slot) = counts.get_mut(kind) {
                *slot = if up { slot.wrapping_add(n) } else { slot.wrapping_sub(n) };
            }
        };
        if !block.summary.is_clean() {
            let rows = block.row.get(from..to).unwrap_or_default();
            for (kind, row) in kinds.iter().zip(rows) {
                change(usize::from(*kind), u32::from(!self.table.is_dead(*row)));
            }
        } else if kinds.len() < FEW_ROWS || self.table.kinds.len() > FEW_KINDS {
            kinds.iter().for_each(|kind| change(usize::from(*kind), 1));
        } else {
            let (mut a, mut b, mut c, mut d) = ([0u32; FEW_KINDS], [0; FEW_KINDS], [0; FEW_KINDS], [0; FEW_KINDS]);
            let bump = |table: &mut [u32; FEW_KINDS], kind: u16| {
                if let Some(slot) = table.get_mut(usize::from(kind) % FEW_KINDS) {
                    *slot += 1;
                }
            };
            let (fours, rest) = kinds.as_chunks::<4>();
            for [i, j, k, l] in fours {
                bump(&mut a, *i);
                bump(&mut b, *j);
                bump(&mut c, *k);
                bump(&mut d, *l);
            }
            rest.iter().for_each(|kind| bump(&mut a, *kind));
            for ((((slot, a), b), c), d) in counts.iter_mut().zip(&a).zip(&b).zip(&c).zip(&d) {
                let n = a + b + c + d;
                *slot = if up { slot.wrapping_add(n) } else { slot.wrapping_sub(n) };
            }
        }
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
        let order = |a: &u32, b: &u32| scores.of(*b).total_cmp(&scores.of(*a)).then_with(|| self.table.order(*b, *a));
        if limit > 0 && out.len() > limit {
            out.select_nth_unstable_by(limit - 1, order);
        }
        out.truncate(limit);
        out.sort_unstable_by(order);
        scores.clear(&touched);
        out.len()
    }

    /// The rows nearest to a vector, nearest first, that begin in a window.
    pub fn rows_near(&self, vector: &[f32], since: Millis, until: Millis, limit: usize, out: &mut Vec<u32>) -> usize {
        out.clear();
        let usable = !vector.is_empty() && vector.iter().all(|x| x.is_finite()) && vector.iter().any(|x| *x != 0.0);
        if usable {
            let keep =
                |row: u32| self.table.at(row).is_some_and(|at| at >= since && at < until) && !self.table.is_dead(row);
            let (near, _) = self.vectors.nearest(vector, limit, &keep);
            out.extend(near.iter().map(|(row, _)| *row));
        }
        out.len()
    }

    /// The command that remembers columns, as its JSON text.
    #[must_use]
    pub fn columns_command(columns: &Columns) -> String {
        let mut value = columns.to_value();
        if let throughline_value::Value::Map(map) = &mut value {
            map.insert("type".to_owned(), "remember_columns".into());
        }
        value.to_json()
    }
}

/// Appends the rows of wanted kinds.
fn fill(wanted: &Wanted<'_>, kinds: &[u16], rows: &[u32], out: &mut Vec<u32>) {
    if wanted.all() {
        out.extend_from_slice(rows);
    } else if wanted.bits.is_empty() {
        fill_few(wanted.kinds, kinds, rows, out);
    } else {
        out.extend(kinds.iter().zip(rows).filter(|(kind, _)| wanted.has(**kind)).map(|(_, row)| *row));
    }
}
