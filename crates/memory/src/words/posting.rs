//! The rows that hold a word, packed: most lie so near to the one before that a byte or two say which it is.

use std::ops::Range;

/// After how many rows a place is noted from which reading can begin.
const MARKED: u32 = 128;
/// The least room that is made.
const ROOM: usize = 8;

/// The rows that hold a term, in the order of writing, and how often it stands in each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Posting {
    /// For each row the distance to the one before less one, doubled; one more when the term stands there more than
    /// once, and how often comes next.
    bytes: Vec<u8>,
    len: u32,
    /// The least row that can come next.
    next: u32,
    /// From where the distance of the row counts, and its first byte, for every row of so many.
    marks: Vec<(u32, u32)>,
}

/// Rows with how often the term stands in them.
pub(crate) struct Iter<'a> {
    bytes: &'a [u8],
    next: u32,
}

impl Iterator for Iter<'_> {
    type Item = (u32, u8);

    #[inline]
    fn next(&mut self) -> Option<(u32, u8)> {
        let (first, mut rest) = self.bytes.split_first()?;
        let mut number = u64::from(*first);
        if number > 127 {
            number &= 127;
            let mut shift = 7;
            loop {
                let (byte, after) = rest.split_first()?;
                rest = after;
                number |= u64::from(byte & 127) << shift;
                if *byte < 128 {
                    break;
                }
                shift += 7;
                if shift > 35 {
                    return None;
                }
            }
        }
        let mut count = 1;
        if number & 1 == 1 {
            let (byte, after) = rest.split_first()?;
            (count, rest) = (*byte, after);
        }
        self.bytes = rest;
        let row = self.next.wrapping_add((number >> 1) as u32);
        self.next = row.wrapping_add(1);
        Some((row, count))
    }
}

impl Posting {
    /// Adds a row that comes after all others.
    pub(crate) fn push(&mut self, row: u32, count: u8) {
        if self.len.is_multiple_of(MARKED) && self.len > 0 {
            self.marks.push((self.next, u32::try_from(self.bytes.len()).unwrap_or(u32::MAX)));
        }
        if self.bytes.capacity() - self.bytes.len() < ROOM {
            self.bytes.reserve_exact(ROOM.max(self.bytes.len() / 4));
        }
        let several = count != 1;
        let mut number = u64::from(row.saturating_sub(self.next)) << 1 | u64::from(several);
        while number > 127 {
            self.bytes.push((number & 127) as u8 | 128);
            number >>= 7;
        }
        self.bytes.push(number as u8);
        if several {
            self.bytes.push(count);
        }
        (self.len, self.next) = (self.len + 1, row.saturating_add(1));
    }

    pub(crate) fn len(&self) -> u32 {
        self.len
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    #[inline]
    pub(crate) fn iter(&self) -> Iter<'_> {
        Iter { bytes: &self.bytes, next: 0 }
    }

    /// The rows of a range.
    pub(crate) fn between(&self, range: Range<u32>) -> impl Iterator<Item = (u32, u8)> + '_ {
        let (next, from) = self.mark(range.start);
        let near = Iter { bytes: self.bytes.get(from as usize..).unwrap_or_default(), next };
        near.skip_while(move |(row, _)| *row < range.start).take_while(move |(row, _)| *row < range.end)
    }

    /// The last place to begin to read from at which no row from this one on was passed.
    fn mark(&self, row: u32) -> (u32, u32) {
        let after = self.marks.partition_point(|(next, _)| *next <= row);
        after.checked_sub(1).and_then(|n| self.marks.get(n)).copied().unwrap_or_default()
    }

    /// How often the term stands in a row.
    pub(crate) fn count(&self, row: u32) -> u8 {
        if row >= self.next {
            return 0;
        }
        let (next, from) = self.mark(row);
        let mut near = Iter { bytes: self.bytes.get(from as usize..).unwrap_or_default(), next };
        near.find(|(other, _)| *other >= row).filter(|(other, _)| *other == row).map_or(0, |(_, count)| count)
    }

    /// Takes rows out, which rise; says whether one of them was the last.
    pub(crate) fn remove(&mut self, rows: &[u32]) -> bool {
        let near = rows.partition_point(|row| *row < self.next);
        if !rows.get(..near).unwrap_or_default().iter().any(|row| self.count(*row) > 0) {
            return false;
        }
        let mut rest = Self::default();
        self.iter().filter(|(row, _)| rows.binary_search(row).is_err()).for_each(|(row, count)| rest.push(row, count));
        rest.shrink();
        *self = rest;
        self.len == 0
    }

    /// The rows that bytes say, so many and each below `end`; `None` when they say something else.
    pub(crate) fn of_bytes(bytes: &[u8], len: u32, end: usize) -> Option<Self> {
        let mut this = Self { bytes: Vec::with_capacity(bytes.len() + ROOM), ..Self::default() };
        for (row, count) in (Iter { bytes, next: 0 }) {
            if row < this.next || row as usize >= end {
                return None;
            }
            this.push(row, count);
        }
        this.shrink();
        // What says the same in more bytes is not what was written.
        (this.len == len && this.bytes == bytes).then_some(this)
    }

    fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
        self.marks.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_counted_taken_out_and_read_again() {
        let rows: Vec<(u32, u8)> = (0..2_000u32)
            .map(|n| (n * n % 70_000 / 7 + n * 40, if n % 9 == 0 { 2 + (n % 200) as u8 } else { 1 }))
            .collect();
        let mut rows: Vec<(u32, u8)> = rows;
        rows.sort_unstable();
        rows.dedup_by_key(|(row, _)| *row);
        rows.push((4_000_000_000, 1));
        let of = |rows: &[(u32, u8)]| {
            let mut posting = Posting::default();
            rows.iter().for_each(|(row, count)| posting.push(*row, *count));
            posting
        };
        let mut posting = of(&rows);
        assert_eq!(posting.iter().collect::<Vec<_>>(), rows);
        assert!(rows.iter().all(|(row, count)| posting.count(*row) == *count));
        let mut absent = (0..90_000u32).filter(|row| rows.binary_search_by_key(row, |(r, _)| *r).is_err());
        assert!(absent.all(|row| posting.count(row) == 0) && posting.count(u32::MAX) == 0);
        for (n, (row, _)) in rows.iter().enumerate().step_by(61) {
            for (from, to) in [(*row, row + 9_000), (row + 1, u32::MAX), (0, *row), (*row, *row), (row + 5, row + 3)] {
                let expected = rows.iter().filter(|(row, _)| (from..to).contains(row)).copied();
                assert_eq!(
                    posting.between(from..to).collect::<Vec<_>>(),
                    expected.collect::<Vec<_>>(),
                    "{n}: {from}..{to}"
                );
            }
        }
        let again = Posting::of_bytes(posting.bytes(), posting.len(), usize::MAX).unwrap();
        assert_eq!((again.marks, again.next), (posting.marks.clone(), posting.next));
        assert!(Posting::of_bytes(posting.bytes(), posting.len(), 4_000_000_000).is_none());
        let cut = posting.bytes().split_last().unwrap().1;
        assert!(Posting::of_bytes(cut, posting.len(), usize::MAX).is_none());
        assert!(Posting::of_bytes(&[128, 0], 1, 10).is_none(), "a 0 in two bytes");
        let (gone, rest): (Vec<_>, Vec<_>) = rows.iter().partition(|(row, _)| row % 3 == 0);
        assert!(!posting.remove(&[1_000_000]));
        assert!(!posting.remove(&gone.iter().map(|(row, _)| *row).collect::<Vec<_>>()));
        assert_eq!(posting.iter().collect::<Vec<_>>(), rest);
        assert!(posting.remove(&rest.iter().map(|(row, _)| *row).collect::<Vec<_>>()));
    }
}
