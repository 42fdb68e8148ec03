//! The whole memory but its bodies, as bytes: what was folded before need not be folded again.
//!
//! A format number, then sections with their lengths before them, then the SHA-256 of all that as 64 hexadecimal
//! digits. Numbers are LEB128 varints, signed ones zigzag; what rises is kept as differences. What follows from the
//! rest (lists by entity, summaries, the table of words) is not kept but made anew.
//!
//! Whoever may write these bytes may write the journal too: the hash is against damage, not against intent. Yet no
//! bytes make reading fail otherwise than by `None`, or take more memory than a small multiple of their number.

mod bytes;

use throughline_journal::{Digest, Seq};
use throughline_value::SortedMap;

pub(crate) use bytes::{In, Out};

use crate::index::TimeIndex;
use crate::memory::{Memory, Table, Totals};
use crate::vectors::Vectors;
use crate::words::WordIndex;

/// The format, and what the bytes mean: also how texts are read as words.
const FORMAT: u64 = 2;
/// How long the hash is.
const HASH: usize = 64;

type Origins = SortedMap<String, SortedMap<u64, Vec<u32>>>;

impl Memory {
    /// Everything that is known beside texts and data, as bytes for [`Memory::restore`].
    ///
    /// ```
    /// # use throughline_memory::Memory;
    /// let bytes = Memory::default().snapshot();
    /// assert!(Memory::restore(&bytes).is_some_and(|memory| memory.is_empty()));
    /// assert!(Memory::restore(bytes.get(1..).unwrap_or_default()).is_none());
    /// ```
    #[must_use]
    pub fn snapshot(&self) -> Vec<u8> {
        let mut counted = Out::counting();
        self.write(&mut counted);
        let mut out = Out::with_capacity(counted.len() + HASH);
        self.write(&mut out);
        let hash = Digest::of_bytes(out.bytes());
        let mut bytes = out.into_bytes();
        bytes.extend_from_slice(hash.as_bytes());
        bytes
    }

    fn write(&self, out: &mut Out) {
        out.number(FORMAT);
        out.section(&mut |out| self.table.write(out));
        out.section(&mut |out| self.time.write(out));
        out.section(&mut |out| self.words.write(out));
        out.section(&mut |out| self.vectors.write(out));
        out.section(&mut |out| self.write_rest(out));
    }

    /// The memory of which these are the bytes, without any body; `None` when they are not those of a memory, or
    /// of one of another format.
    #[must_use]
    pub fn restore(bytes: &[u8]) -> Option<Self> {
        let (said, hash) = bytes.split_at_checked(bytes.len().checked_sub(HASH)?)?;
        if Digest::of_bytes(said).as_bytes() != hash {
            return None;
        }
        let mut all = In::new(said);
        if all.number()? != FORMAT {
            return None;
        }
        let table = all.section(&mut |from| Table::read(from))?;
        let time = all.section(&mut |from| TimeIndex::read(from, &table, table.rows()))?;
        let words = all.section(&mut |from| WordIndex::read(from, table.rows()))?;
        let vectors = all.section(&mut |from| Vectors::read(from, table.rows()))?;
        let mut memory = Self { table, time, words, vectors, ..Self::default() };
        all.section(&mut |from| memory.read_rest(from))?;
        all.end()?;
        // In order of time every row goes to the end of its lists.
        let rows: Vec<u32> = memory.time.blocks().iter().flat_map(|block| block.rows(0..block.len())).collect();
        rows.into_iter().for_each(|row| memory.list_entities(row));
        Some(memory)
    }

    fn write_rest(&self, out: &mut Out) {
        out.number(self.changed);
        out.number(self.origins.len() as u64);
        for (source, items) in self.origins.iter() {
            out.text(source);
            out.number(items.len() as u64);
            let mut before = 0;
            for (seq, items) in items.iter() {
                out.number(seq.wrapping_sub(before));
                before = *seq;
                out.number(items.len() as u64);
                // They lie next to one another as a rule.
                let mut next = 0;
                for item in items {
                    out.signed(i64::from(*item) - next);
                    next = i64::from(*item) + 1;
                }
            }
        }
        out.number(self.totals.len() as u64);
        let mut before = (0, Totals::default());
        for (seq, totals) in &self.totals {
            out.number(seq.wrapping_sub(before.0));
            out.signed(totals.events.wrapping_sub(before.1.events).cast_signed());
            out.signed(totals.words.wrapping_sub(before.1.words).cast_signed());
            before = (*seq, *totals);
        }
        out.number(self.quarantined.len() as u64);
        for (seq, kind) in &self.quarantined {
            out.number(*seq);
            out.text(kind);
        }
    }

    fn read_rest(&mut self, from: &mut In<'_>) -> Option<()> {
        self.changed = from.number()?;
        let mut origins = Origins::new();
        for _ in 0..from.count()? {
            let source = from.text()?.to_owned();
            let mut seqs = SortedMap::new();
            let mut seq: u64 = 0;
            for _ in 0..from.count()? {
                seq = seq.wrapping_add(from.number()?);
                let count = from.count()?;
                let mut items = Vec::with_capacity(count);
                let mut next = 0i64;
                for _ in 0..count {
                    let item = u32::try_from(next.checked_add(from.signed()?)?).ok()?;
                    items.push(item);
                    next = i64::from(item) + 1;
                }
                seqs.insert(seq, items);
            }
            origins.insert(source, seqs);
        }
        self.origins = origins;
        let mut now: (Seq, Totals) = Default::default();
        for _ in 0..from.count()? {
            now.0 = now.0.checked_add(from.number()?)?;
            now.1.events = now.1.events.wrapping_add(from.signed()?.cast_unsigned());
            now.1.words = now.1.words.wrapping_add(from.signed()?.cast_unsigned());
            self.totals.push(now);
        }
        for _ in 0..from.count()? {
            let seq = from.number()?;
            self.quarantined.push((seq, from.text()?.to_owned()));
        }
        Some(())
    }
}
