//! The timelines by subject and key, in blocks, so that a copy costs little and shares nearly everything.

use std::cmp::Ordering;
use std::sync::Arc;

use super::timeline::Timeline;

/// How many keys a block holds before it is split.
const BLOCK: usize = 256;

/// Where a key was found last: the search begins there, and mostly ends there.
#[derive(Clone, Copy, Debug, Default)]
pub struct FactPlace {
    block: u32,
    row: u32,
}

#[derive(Clone, Debug)]
struct Row {
    subject: Arc<str>,
    key: Arc<str>,
    timeline: Arc<Timeline>,
}

impl Row {
    fn compare(&self, subject: &str, key: &str) -> Ordering {
        self.subject.as_ref().cmp(subject).then_with(|| self.key.as_ref().cmp(key))
    }
}

/// The timelines in the order of subject and key.
#[derive(Clone, Debug, Default)]
pub(super) struct Shards {
    blocks: Vec<Arc<Vec<Row>>>,
}

impl Shards {
    /// The block that a key belongs to, and its place there.
    fn find(&self, subject: &str, key: &str) -> (usize, Result<usize, usize>) {
        let begins_by =
            |block: &Arc<Vec<Row>>| block.first().is_some_and(|row| row.compare(subject, key) != Ordering::Greater);
        let block = self.blocks.partition_point(begins_by).saturating_sub(1);
        let rows = self.blocks.get(block).map_or(&[][..], |rows| rows.as_slice());
        (block, rows.binary_search_by(|row| row.compare(subject, key)))
    }

    pub(super) fn get(&self, subject: &str, key: &str) -> Option<&Timeline> {
        let (block, place) = self.find(subject, key);
        Some(&self.blocks.get(block)?.get(place.ok()?)?.timeline)
    }

    /// The same, looked for first where it was `last`; `last` says then where it is.
    pub(super) fn get_from(&self, last: &mut FactPlace, subject: &str, key: &str) -> Option<&Timeline> {
        let row = |place: &FactPlace| self.blocks.get(place.block as usize)?.get(place.row as usize);
        let same = |row: &&Row| *row.key == *key && *row.subject == *subject;
        if let Some(found) = row(last).filter(same) {
            return Some(&found.timeline);
        }
        let (block, place) = self.find(subject, key);
        *last = FactPlace { block: u32::try_from(block).ok()?, row: u32::try_from(place.ok()?).ok()? };
        row(last).map(|row| row.timeline.as_ref())
    }

    /// The timeline of a key, made where there is none.
    pub(super) fn entry(&mut self, subject: &str, key: &str, make: impl FnOnce() -> Timeline) -> Option<&mut Timeline> {
        let (mut block, place) = self.find(subject, key);
        let mut place = match place {
            Ok(place) => place,
            Err(place) => {
                if self.blocks.is_empty() {
                    self.blocks.push(Arc::default());
                }
                let rows = Arc::make_mut(self.blocks.get_mut(block)?);
                // Keys of one subject share its name.
                let before = place.checked_sub(1).and_then(|p| rows.get(p)).filter(|row| *row.subject == *subject);
                let subject = before.map_or_else(|| Arc::from(subject), |row| Arc::clone(&row.subject));
                rows.insert(place, Row { subject, key: Arc::from(key), timeline: Arc::new(make()) });
                place
            }
        };
        if self.blocks.get(block)?.len() >= BLOCK {
            let rows = Arc::make_mut(self.blocks.get_mut(block)?);
            // What comes in order leaves full blocks behind.
            let at = if place + 1 == rows.len() { rows.len() - 1 } else { rows.len() / 2 };
            let next = rows.split_off(at);
            self.blocks.insert(block + 1, Arc::new(next));
            if place >= at {
                (block, place) = (block + 1, place - at);
            }
        }
        Some(Arc::make_mut(&mut Arc::make_mut(self.blocks.get_mut(block)?).get_mut(place)?.timeline))
    }

    /// The timelines in order, of one subject and key or of all. Naming a subject looks at no other.
    pub(super) fn iter<'a>(
        &'a self,
        subject: Option<&'a str>,
        key: Option<&'a str>,
    ) -> impl Iterator<Item = (&'a str, &'a str, &'a Timeline)> {
        let (block, place) = subject.map_or((0, Ok(0)), |subject| self.find(subject, key.unwrap_or_default()));
        let place = place.unwrap_or_else(|place| place);
        let rows = self.blocks.iter().skip(block).flat_map(|rows| rows.iter()).skip(place);
        let within = move |row: &&Row| subject.is_none_or(|s| *row.subject == *s && key.is_none_or(|k| *row.key <= *k));
        rows.take_while(within)
            .filter(move |row| key.is_none_or(|k| *row.key == *k))
            .map(|row| (row.subject.as_ref(), row.key.as_ref(), row.timeline.as_ref()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::timeline::Cardinality;

    #[test]
    fn keys_stand_in_order_whatever_their_arrival_and_a_copy_keeps_what_it_had() {
        let mut shards = Shards::default();
        let mut copies = Vec::new();
        let name = |i: usize| (format!("s{}", i % 7), format!("k{:04}", i * 7_919 % 2_003));
        for i in 0..2_003 {
            if i % 500 == 0 {
                copies.push((i, shards.clone()));
            }
            let (subject, key) = name(i);
            assert!(shards.entry(&subject, &key, || Timeline::new(Cardinality::Many)).is_some());
        }
        let mut sorted: Vec<(String, String)> = (0..2_003).map(name).collect();
        sorted.sort();
        let all: Vec<(String, String)> = shards.iter(None, None).map(|(s, k, _)| (s.into(), k.into())).collect();
        assert_eq!(all, sorted);
        let of_three = sorted.iter().filter(|(s, _)| s == "s3").count();
        assert_eq!(shards.iter(Some("s3"), None).count(), of_three);
        let (subject, key) = name(99);
        assert_eq!(shards.iter(Some(&subject), Some(&key)).count(), 1);
        assert_eq!(shards.iter(Some("none"), Some(&key)).count(), 0);
        assert_eq!(shards.iter(None, Some(&key)).count(), 1);
        assert!(shards.get(&subject, &key).is_some() && shards.get(&subject, "none").is_none());
        // One place for all, one for each, and one that lies far outside.
        let (mut shared, mut own) = (FactPlace { block: 99, row: 9_999 }, FactPlace::default());
        for i in 0..2_003 {
            let (subject, key) = name(i);
            let found = shards.get(&subject, &key).map(std::ptr::from_ref);
            assert!(found.is_some());
            for place in [&mut shared, &mut own, &mut FactPlace::default()] {
                assert_eq!(shards.get_from(place, &subject, &key).map(std::ptr::from_ref), found);
                assert_eq!(shards.get_from(place, &subject, &key).map(std::ptr::from_ref), found);
            }
            assert!(shards.get_from(&mut shared, &subject, "none").is_none());
        }
        for (count, copy) in copies {
            assert_eq!(copy.iter(None, None).count(), count);
        }
    }
}
