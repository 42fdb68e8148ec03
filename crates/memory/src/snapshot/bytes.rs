//! Numbers and texts as bytes.

use throughline_value::SortedMap;

/// Bytes that are written, or only counted: whoever counts first makes no more room than is needed.
pub(crate) struct Out {
    bytes: Vec<u8>,
    counted: Option<usize>,
}

/// Bytes that are read. Every reading gives `None` where they end too early or mean nothing.
pub(crate) struct In<'a>(&'a [u8]);

impl Out {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes), counted: None }
    }

    /// Only counts.
    pub(crate) fn counting() -> Self {
        Self { bytes: Vec::new(), counted: Some(0) }
    }

    /// How many bytes were written or counted.
    pub(crate) fn len(&self) -> usize {
        self.counted.unwrap_or(self.bytes.len())
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    pub(crate) fn number(&mut self, number: u64) {
        if let Some(counted) = &mut self.counted {
            *counted += (number | 1).ilog2() as usize / 7 + 1;
            return;
        }
        let mut n = number;
        while n > 127 {
            self.bytes.push((n & 127) as u8 | 128);
            n >>= 7;
        }
        self.bytes.push(n as u8);
    }

    pub(crate) fn signed(&mut self, number: i64) {
        self.number((number.wrapping_shl(1) ^ (number >> 63)).cast_unsigned());
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        match &mut self.counted {
            Some(counted) => *counted += bytes.len(),
            None => self.bytes.extend_from_slice(bytes),
        }
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.raw(text.as_bytes());
    }

    /// Writes something with its length before it.
    pub(crate) fn section(&mut self, write: &mut dyn FnMut(&mut Self)) {
        let from = self.len();
        self.raw(&[0; 8]);
        write(self);
        let len = (self.len() - from - 8) as u64;
        if let Some(slot) = self.bytes.get_mut(from..from + 8) {
            slot.copy_from_slice(&len.to_le_bytes());
        }
    }

    /// Numbers that rise, as the differences of one to the next.
    pub(crate) fn rising(&mut self, numbers: &mut dyn ExactSizeIterator<Item = u32>) {
        self.number(numbers.len() as u64);
        let mut next = 0;
        for number in numbers {
            self.number(u64::from(number.wrapping_sub(next)));
            next = number.wrapping_add(1);
        }
    }

    /// What some rows or items have.
    pub(crate) fn map<T>(&mut self, map: &SortedMap<u32, T>, mut write: impl FnMut(&mut Self, &T)) {
        self.rising(&mut map.keys().copied());
        map.values().for_each(|value| write(self, value));
    }
}

impl<'a> In<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        let (mut number, mut shift) = (0u64, 0u32);
        loop {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u64::from(byte & 127) << shift;
            if byte & 128 == 0 {
                return Some(number);
            }
            shift += 7;
            if shift > 63 {
                return None;
            }
        }
    }

    pub(crate) fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    /// A number that fits.
    pub(crate) fn small<T: TryFrom<u64>>(&mut self) -> Option<T> {
        T::try_from(self.number()?).ok()
    }

    /// How many things follow, each of which takes at least a byte.
    pub(crate) fn count(&mut self) -> Option<usize> {
        let count = self.small()?;
        self.has(count)
    }

    /// A number of things that follow somewhere, each of which takes at least a byte.
    pub(crate) fn has(&self, count: usize) -> Option<usize> {
        (count <= self.0.len()).then_some(count)
    }

    pub(crate) fn raw(&mut self, len: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(head)
    }

    pub(crate) fn text(&mut self) -> Option<&'a str> {
        let len = self.small()?;
        std::str::from_utf8(self.raw(len)?).ok()
    }

    /// What [`Out::section`] wrote, all of it.
    pub(crate) fn section<T>(&mut self, read: &mut dyn FnMut(&mut In<'a>) -> Option<T>) -> Option<T> {
        let len = u64::from_le_bytes(self.raw(8)?.try_into().ok()?);
        let mut own = In(self.raw(usize::try_from(len).ok()?)?);
        let found = read(&mut own)?;
        own.end()?;
        Some(found)
    }

    /// Whether nothing follows.
    pub(crate) fn end(&self) -> Option<()> {
        self.0.is_empty().then_some(())
    }

    /// Rising numbers, each below `end`.
    pub(crate) fn rising(&mut self, end: usize) -> Option<Vec<u32>> {
        let count = self.count()?;
        let mut numbers = Vec::with_capacity(count);
        let mut next = 0u64;
        for _ in 0..count {
            let number = next.checked_add(self.number()?).filter(|number| *number < end as u64)?;
            numbers.push(u32::try_from(number).ok()?);
            next = number + 1;
        }
        Some(numbers)
    }

    /// What [`Out::map`] wrote, of rows or items below `end`.
    pub(crate) fn map<T>(
        &mut self,
        end: usize,
        mut read: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<SortedMap<u32, T>> {
        let keys = self.rising(end)?;
        let mut map = SortedMap::new();
        for key in keys {
            map.insert(key, read(self)?);
        }
        Some(map)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_what_was_cut_is_not() {
        let mut out = Out::with_capacity(0);
        let mut counted = Out::counting();
        let each = |out: &mut Out| {
            for number in [0, 127, 128, u64::MAX] {
                out.number(number);
                out.signed(number.cast_signed());
            }
            out.text("größer");
            out.rising(&mut [3u32, 4, 900].into_iter());
        };
        out.section(&mut |out| each(out));
        counted.section(&mut |out| each(out));
        let bytes = out.into_bytes();
        assert_eq!((counted.len(), counted.bytes()), (bytes.len(), [].as_slice()));
        let read = |bytes: &[u8]| {
            In::new(bytes).section(&mut |from| {
                for number in [0, 127, 128, u64::MAX] {
                    assert_eq!(from.number()?, number);
                    assert_eq!(from.signed()?, number.cast_signed());
                }
                assert_eq!(from.text()?, "größer");
                from.rising(901)
            })
        };
        assert_eq!(read(&bytes), Some(vec![3, 4, 900]));
        (0..bytes.len()).for_each(|len| assert_eq!(read(&bytes[..len]), None));
        assert_eq!(In::new(&[255; 11]).number(), None);
        assert_eq!(In::new(&[200, 1, 0]).count(), None, "more than can follow");
    }
}
