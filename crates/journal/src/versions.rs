//! The versions of one key, in the order of the journal.

use crate::Seq;

/// The versions of one key on the journal's own axis: a view at a moment is a search, never a copy.
///
/// ```
/// use throughline_journal::Versions;
/// let mut v = Versions::default();
/// v.push(3, "a");
/// v.push(7, "b");
/// assert_eq!((v.at(2), v.at(5), v.at(7)), (None, Some(&"a"), Some(&"b")));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Versions<T>(Vec<(Seq, T)>);

impl<T> Default for Versions<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Versions<T> {
    /// Adds the version that record `seq` made. One record may make several; the last one counts.
    pub fn push(&mut self, seq: Seq, value: T) {
        self.0.push((seq, value));
    }

    /// The version that stood after record `seq`.
    #[must_use]
    pub fn at(&self, seq: Seq) -> Option<&T> {
        self.entry_at(seq).map(|(_, value)| value)
    }

    /// The version that stood after record `seq`, with the record that made it.
    #[must_use]
    pub fn entry_at(&self, seq: Seq) -> Option<&(Seq, T)> {
        let after = self.0.partition_point(|(s, _)| *s <= seq);
        after.checked_sub(1).and_then(|i| self.0.get(i))
    }

    /// The newest version.
    #[must_use]
    pub fn last(&self) -> Option<&T> {
        self.0.last().map(|(_, value)| value)
    }

    /// How many versions record `seq` and those before it made.
    #[must_use]
    pub fn count_at(&self, seq: Seq) -> usize {
        self.0.partition_point(|(s, _)| *s <= seq)
    }

    /// All versions, oldest first, with the record that made each.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &(Seq, T)> {
        self.0.iter()
    }

    /// Whether there is no version.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many versions there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }
}
