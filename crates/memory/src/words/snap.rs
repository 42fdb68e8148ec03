//! Words and the rows that hold them, as bytes.

use super::{Posting, WordIndex};
use crate::snapshot::{In, Out};

impl WordIndex {
    pub(crate) fn write(&self, out: &mut Out) {
        out.number(self.postings.len() as u64);
        for (term, posting) in (0u32..).zip(&self.postings) {
            // Of a word that was purged, not even the length is left.
            out.text(self.spelling(term).trim_matches('\0'));
            out.number(u64::from(posting.len()));
            out.number(posting.bytes().len() as u64);
            out.raw(posting.bytes());
        }
    }

    pub(crate) fn read(from: &mut In<'_>, end: usize) -> Option<Self> {
        let mut this = Self::default();
        for term in 0..from.count()? {
            let word = from.text()?;
            if this.terms.find(word).is_some() && !word.is_empty() || this.new_term(word) as usize != term {
                return None;
            }
            let (len, bytes) = (from.small()?, from.count()?);
            *this.postings.get_mut(term)? = Posting::of_bytes(from.raw(bytes)?, len, end)?;
        }
        Some(this)
    }
}
