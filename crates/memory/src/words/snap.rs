//! Words and the rows that hold them, as bytes.

use super::{Posting, WordIndex};
use crate::snapshot::{In, Out};

impl WordIndex {
    pub(crate) fn write(&self, out: &mut Out) {
        out.number(self.postings.len() as u64);
        for (term, posting) in (0u32..).zip(&self.postings) {
            // Of a word that was purged, not even the length is left.
            out.text(self.spelling(term).trim_matches('\0'));
            out.number(posting.rows.len() as u64);
            let mut next = 0;
            for (row, count) in posting.iter() {
                let several = u64::from(count != 1);
                out.number(u64::from(row.wrapping_sub(next)) << 1 | several);
                if several == 1 {
                    out.number(u64::from(count));
                }
                next = row.wrapping_add(1);
            }
        }
    }

    pub(crate) fn read(from: &mut In<'_>, end: usize) -> Option<Self> {
        let mut this = Self::default();
        for term in 0..from.count()? {
            let word = from.text()?;
            if this.terms.find(word).is_some() && !word.is_empty() || this.new_term(word) as usize != term {
                return None;
            }
            let len = from.count()?;
            let mut posting = Posting { rows: Vec::with_capacity(len), counts: Vec::with_capacity(len) };
            let mut next = 0u64;
            for _ in 0..len {
                let number = from.number()?;
                let row = next.checked_add(number >> 1).filter(|row| *row < end as u64)?;
                posting.rows.push(u32::try_from(row).ok()?);
                posting.counts.push(if number & 1 == 1 { from.small()? } else { 1 });
                next = row + 1;
            }
            *this.postings.get_mut(term)? = posting;
        }
        Some(this)
    }
}
