//! Allen's thirteen relations between two intervals, and their composition.

use throughline_journal::Millis;

/// How one interval lies to another. Intervals are half-open: `start..end`, with `start < end`; a moment is
/// the interval of one millisecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Relation {
    /// It ends before the other begins.
    Before,
    /// It ends where the other begins.
    Meets,
    /// It begins first, they overlap, the other ends last.
    Overlaps,
    /// It begins with the other and ends first.
    Starts,
    /// It lies inside the other.
    During,
    /// It begins later and ends with the other.
    Finishes,
    /// They are the same.
    Equals,
    /// The other lies inside it, and ends with it.
    FinishedBy,
    /// The other lies inside it.
    Contains,
    /// The other begins with it and ends first.
    StartedBy,
    /// The other begins first, they overlap, it ends last.
    OverlappedBy,
    /// It begins where the other ends.
    MetBy,
    /// It begins after the other ended.
    After,
}

impl Relation {
    /// All thirteen.
    pub const ALL: [Self; 13] = [
        Self::Before,
        Self::Meets,
        Self::Overlaps,
        Self::Starts,
        Self::During,
        Self::Finishes,
        Self::Equals,
        Self::FinishedBy,
        Self::Contains,
        Self::StartedBy,
        Self::OverlappedBy,
        Self::MetBy,
        Self::After,
    ];

    /// How the first interval lies to the second. An interval that ends where it begins, or before, is taken
    /// as a moment.
    ///
    /// ```
    /// use throughline_memory::allen::Relation;
    /// assert_eq!(Relation::between((0, 5), (5, 9)), Relation::Meets);
    /// assert_eq!(Relation::between((0, 5), (2, 9)), Relation::Overlaps);
    /// assert_eq!(Relation::between((3, 4), (2, 9)), Relation::During);
    /// ```
    #[must_use]
    pub fn between(first: (Millis, Millis), second: (Millis, Millis)) -> Self {
        use std::cmp::Ordering::{Equal, Greater, Less};
        let proper = |(start, end): (Millis, Millis)| (start, end.max(start.saturating_add(1)));
        let (a, b) = (proper(first), proper(second));
        match (a.1.cmp(&b.0), a.0.cmp(&b.1)) {
            (Less, _) => return Self::Before,
            (Equal, _) => return Self::Meets,
            (_, Greater) => return Self::After,
            (_, Equal) => return Self::MetBy,
            (Greater, Less) => {}
        }
        match (a.0.cmp(&b.0), a.1.cmp(&b.1)) {
            (Less, Less) => Self::Overlaps,
            (Less, Equal) => Self::FinishedBy,
            (Less, Greater) => Self::Contains,
            (Equal, Less) => Self::Starts,
            (Equal, Equal) => Self::Equals,
            (Equal, Greater) => Self::StartedBy,
            (Greater, Less) => Self::During,
            (Greater, Equal) => Self::Finishes,
            (Greater, Greater) => Self::OverlappedBy,
        }
    }

    /// How the second interval lies to the first.
    #[must_use]
    pub fn converse(self) -> Self {
        match self {
            Self::Before => Self::After,
            Self::Meets => Self::MetBy,
            Self::Overlaps => Self::OverlappedBy,
            Self::Starts => Self::StartedBy,
            Self::During => Self::Contains,
            Self::Finishes => Self::FinishedBy,
            Self::Equals => Self::Equals,
            Self::FinishedBy => Self::Finishes,
            Self::Contains => Self::During,
            Self::StartedBy => Self::Starts,
            Self::OverlappedBy => Self::Overlaps,
            Self::MetBy => Self::Meets,
            Self::After => Self::Before,
        }
    }

    /// How the first of three intervals can lie to the third, when it lies so to the second and the second
    /// lies `then` to the third; in the order of [`Relation::ALL`].
    #[must_use]
    pub fn then(self, then: Self) -> Vec<Self> {
        // Three intervals have six ends: what can be, can be with ends from 0 to 5.
        let mut found = [false; 13];
        let intervals = || (0..5).flat_map(|start| (start + 1..6).map(move |end| (start, end)));
        for a in intervals() {
            for b in intervals().filter(|b| Self::between(a, *b) == self) {
                for c in intervals().filter(|c| Self::between(b, *c) == then) {
                    let relation = Self::between(a, c);
                    Self::ALL.iter().zip(&mut found).filter(|(r, _)| **r == relation).for_each(|(_, f)| *f = true);
                }
            }
        }
        Self::ALL.into_iter().zip(found).filter(|(_, found)| *found).map(|(relation, _)| relation).collect()
    }
}
