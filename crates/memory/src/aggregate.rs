//! Counts, the last of a kind, histories and neighbours.

use throughline_journal::{Millis, Seq};
use throughline_protocol::view::MemoryView;
use throughline_protocol::{At, Refusal};
use throughline_value::{InOrder as _, order_numbers};

use crate::allen::Relation;
use crate::index::{Block, Step, Summary};
use crate::limits::{MAX_BUCKETS, MAX_SHOWN};
use crate::memory::Memory;

/// How many events of each kind began in each part of a window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The kinds, in the order asked for; all kinds by name when none was named.
    pub kinds: Vec<String>,
    /// Where the parts begin, and where the last one ends.
    pub edges: Vec<Millis>,
    /// By part, then by kind.
    pub counts: Vec<Vec<u64>>,
}

/// Events that count as simultaneous.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moment {
    /// When the first one begins.
    pub from: Millis,
    /// When the last one begins.
    pub to: Millis,
    /// The events by thread, then in the order of writing.
    pub events: Vec<MemoryView>,
}

/// The events next to a moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Neighbours {
    /// Those before it, in order of time.
    pub before: Vec<MemoryView>,
    /// Those at it and after it, in order of time.
    pub after: Vec<MemoryView>,
}

impl Memory {
    /// Counts the events that began in `since..until`, in as many equal parts as `buckets` says, by kind.
    ///
    /// # Errors
    /// `empty-window`, `bad-buckets`.
    pub fn counts(
        &self,
        at: At,
        since: Millis,
        until: Millis,
        buckets: usize,
        kinds: &[String],
    ) -> Result<Counts, Refusal> {
        if until <= since {
            let message = format!("the window ends ({until}) before it begins ({since})");
            return Err(Refusal::new("empty-window", message).at_path("/until"));
        }
        if buckets == 0 || buckets > MAX_BUCKETS {
            let message = format!("{buckets} parts cannot be counted; ask for 1 to {MAX_BUCKETS}");
            return Err(Refusal::new("bad-buckets", message).at_path("/buckets"));
        }
        let mut names: Vec<String> = kinds.to_vec();
        if names.is_empty() {
            names = self.kinds_at(at.seq);
        }
        // From the number of a kind to its column.
        let mut columns = vec![None; self.table.kinds.len()];
        for (column, name) in names.iter().enumerate() {
            if let Some(slot) = self.table.kinds.get_index_of(name.as_str()).and_then(|i| columns.get_mut(i)) {
                slot.get_or_insert(column);
            }
        }
        let mut count =
            Count { edges: edges(since, until, buckets), columns, counts: vec![vec![0; names.len()]; buckets] };
        let mut opened = Vec::new();
        // Blocks that lie in several parts, or that changed since, are looked at row by row.
        self.time.walk(&mut |summary| count.step(summary, at.seq), &mut |block| opened.push(block));
        for block in opened {
            self.count_rows(block, at.seq, &mut count);
        }
        // A name that stands twice counts in both places.
        let Count { edges, mut counts, .. } = count;
        for (column, name) in names.iter().enumerate() {
            if let Some(first) = names.iter().position(|n| n == name).filter(|first| *first != column) {
                for row in &mut counts {
                    let value = row.get(first).copied().unwrap_or(0);
                    if let Some(slot) = row.get_mut(column) {
                        *slot = value;
                    }
                }
            }
        }
        Ok(Counts { kinds: names, edges, counts })
    }

    /// The kinds that events had until a record, by name; what was purged had none.
    fn kinds_at(&self, seq: Seq) -> Vec<String> {
        let mut seen = vec![false; self.table.kinds.len()];
        let mut note = |kind: u16| seen.get_mut(usize::from(kind)).into_iter().for_each(|seen| *seen = true);
        let mut may = |summary: &Summary| if summary.born <= seq { Step::Open } else { Step::Pass };
        self.time.walk(&mut may, &mut |block| {
            if block.summary.changed <= seq {
                block.summary.kinds.iter().filter(|count| count.ever > 0).for_each(|count| note(count.kind));
            } else {
                let rows = block.kinds(0..block.len());
                rows.filter(|(_, row)| self.table.standing_at(*row, seq).is_some()).for_each(|(kind, _)| note(kind));
            }
        });
        let numbers = seen.into_iter().enumerate().filter(|(_, seen)| *seen).map(|(number, _)| number);
        let mut names: Vec<String> =
            numbers.filter_map(|number| self.table.kinds.get_index(number)).map(str::to_owned).collect();
        names.order();
        names
    }

    fn count_rows(&self, block: &Block, seq: Seq, count: &mut Count) {
        let clean = block.summary.is_clean() && block.summary.changed <= seq;
        let mut bucket = None;
        for (ts, kind, row) in block.all() {
            bucket = count.bucket_from(bucket, ts);
            let Some(bucket) = bucket else { continue };
            if clean || self.is_live_at(row, seq) {
                count.add(bucket, kind, 1);
            }
        }
    }

    /// The last event of a kind that began before a time.
    #[must_use]
    pub fn last(&self, at: At, kind: &str, before: Millis) -> Option<MemoryView> {
        let kind = u16::try_from(self.table.kinds.get_index_of(kind)?).ok()?;
        let mut found = None;
        let mut part = |summary: &Summary| {
            // What is dead now may have lived at an earlier moment.
            let count = summary.of(kind).filter(|_| summary.first < before && summary.born <= at.seq);
            let lives = count.is_some_and(|c| c.live > 0 || (summary.changed > at.seq && c.ever > 0));
            if lives { Step::Open } else { Step::Pass }
        };
        let mut leaf = |block: &Block| {
            let rows = block.kinds(0..block.place_of(before)).rev();
            found = rows.filter(|(k, _)| *k == kind).map(|(_, row)| row).find(|row| self.is_live_at(*row, at.seq));
            found.is_some()
        };
        self.time.walk_back(&mut part, &mut leaf);
        self.show(found?, at.seq, "the last of its kind before the time asked for".to_owned())
    }

    /// Everything that an entity was part of, in order of time.
    #[must_use]
    pub fn history(&self, at: At, entity: &str) -> Vec<MemoryView> {
        let place = self.table.entities.get_index_of(entity);
        let rows = place.and_then(|place| self.by_entity.get(place)).map(|list| &**list).unwrap_or_default();
        let live = rows.iter().filter(|row| self.is_live_at(**row, at.seq));
        live.filter_map(|row| self.show(*row, at.seq, format!("with {entity}"))).collect()
    }

    /// The events that began in `since..until`, those within `tolerance` of the first of them together: one
    /// moment begins where the one before it can hold no more, so no moment is longer than the tolerance.
    ///
    /// # Errors
    /// `too-many-events` when they are more than [`MAX_SHOWN`].
    pub fn moments(&self, at: At, since: Millis, until: Millis, tolerance: Millis) -> Result<Vec<Moment>, Refusal> {
        let time = |row: u32| self.table.row(row).map_or(Millis::MAX, |r| r.at);
        let mut moments: Vec<Vec<u32>> = Vec::new();
        let mut count = 0;
        for row in self.time.from(since).take_while(|row| time(*row) < until) {
            if !self.is_live_at(row, at.seq) {
                continue;
            }
            count += 1;
            if count > MAX_SHOWN {
                return Err(too_many("narrow the window", "/since"));
            }
            match moments.last_mut() {
                Some(rows) if rows.first().is_some_and(|f| time(row).saturating_sub(time(*f)) <= tolerance) => {
                    rows.push(row)
                }
                _ => moments.push(vec![row]),
            }
        }
        let moment = |rows: Vec<u32>| {
            let (from, to) = (rows.first().map_or(0, |r| time(*r)), rows.last().map_or(0, |r| time(*r)));
            let mut rows = rows;
            order_numbers(&mut rows, &mut |a, b| self.in_moment(a, b));
            let show = |row: u32| self.show(row, at.seq, "at the same moment".to_owned());
            Moment { from, to, events: rows.into_iter().filter_map(show).collect() }
        };
        Ok(moments.into_iter().map(moment).collect())
    }

    /// By thread, then by record, then the surest first, then in the order of writing.
    fn in_moment(&self, a: u32, b: u32) -> std::cmp::Ordering {
        let item = |row: u32| self.table.item_of(row).and_then(|item| self.table.item(item));
        let sure = |row: u32| self.table.confidence(row).map_or(1.0, throughline_value::Number::to_f64);
        match (item(a), item(b)) {
            (Some(x), Some(y)) if (x.thread, x.seq) == (y.thread, y.seq) => {
                sure(b).total_cmp(&sure(a)).then_with(|| self.logical(a, b))
            }
            _ => self.logical(a, b),
        }
    }

    /// The events that lie so to another one, in order of time: those it was `During`, those that are `After`
    /// it. An event without an end is a moment.
    ///
    /// # Errors
    /// `unknown-memory`; `memory-forgotten` when the other event is not current at that moment; `too-many-events`
    /// when more than [`MAX_SHOWN`] lie so.
    pub fn related(&self, at: At, memory: &str, relations: &[Relation]) -> Result<Vec<MemoryView>, Refusal> {
        let item = self.known(memory, "/memory")?;
        let span = |row: u32| self.table.row(row).map(|r| (r.at, self.table.end(row)));
        let row = self.table.version_at(item, at.seq).filter(|row| self.is_live_at(*row, at.seq));
        let Some(own) = row.and_then(span) else {
            let message = format!("`{memory}` is not current at this moment");
            return Err(Refusal::new("memory-forgotten", message).at_path("/memory"));
        };
        let fits = |number: u32| span(number).is_some_and(|s| relations.contains(&Relation::between(s, own)));
        let mut part = |summary: &Summary| {
            // Only what is apart on one side can be left out without a look.
            let apart = |relation: &Relation| match relation {
                Relation::Before => summary.first < own.0,
                Relation::After => summary.last > own.0,
                _ => summary.first <= own.1 && summary.end >= own.0,
            };
            if relations.iter().any(apart) { Step::Open } else { Step::Pass }
        };
        let mut found = Vec::new();
        self.time.walk(&mut part, &mut |block| {
            let rows = block.rows(0..block.len()).filter(|r| Some(*r) != row);
            let room = (MAX_SHOWN + 1).saturating_sub(found.len());
            found.extend(rows.filter(|r| self.is_live_at(*r, at.seq) && fits(*r)).take(room));
        });
        if found.len() > MAX_SHOWN {
            return Err(too_many("name fewer relations", "/relations"));
        }
        let show = |number: u32| {
            let relation = span(number).map(|s| Relation::between(s, own));
            self.show(number, at.seq, relation.map(|r| format!("{r:?}").to_lowercase()).unwrap_or_default())
        };
        Ok(found.into_iter().filter_map(show).collect())
    }

    /// The `n` events before a moment, and the `n` at it and after it.
    #[must_use]
    pub fn neighbours(&self, at: At, moment: Millis, n: usize) -> Neighbours {
        let show = |row: u32| self.show(row, at.seq, "next to the moment".to_owned());
        let live = |row: &u32| self.is_live_at(*row, at.seq);
        let mut before: Vec<MemoryView> = self.time.before(moment).filter(live).take(n).filter_map(show).collect();
        before.reverse();
        let after = self.time.from(moment).filter(live).take(n).filter_map(show).collect();
        Neighbours { before, after }
    }
}

fn too_many(what: &str, path: &str) -> Refusal {
    let message = format!("more than {MAX_SHOWN} events are too many for one answer; {what}, or page through a recall");
    Refusal::new("too-many-events", message).at_path(path)
}

/// Where equal parts of a window begin, and where the last one ends.
fn edges(since: Millis, until: Millis, buckets: usize) -> Vec<Millis> {
    let span = i128::from(until) - i128::from(since);
    let edge = |i: usize| i128::from(since) + span * i as i128 / buckets as i128;
    (0..=buckets).map(|i| Millis::try_from(edge(i)).unwrap_or(until)).collect()
}

struct Count {
    edges: Vec<Millis>,
    columns: Vec<Option<usize>>,
    counts: Vec<Vec<u64>>,
}

impl Count {
    /// Takes a part of the tree whole when it lies in one bucket and has not changed since record `seq`.
    fn step(&mut self, summary: &Summary, seq: Seq) -> Step {
        let outside = match (self.edges.first(), self.edges.last()) {
            (Some(since), Some(until)) => summary.last < *since || summary.first >= *until,
            _ => true,
        };
        if outside || summary.born > seq {
            return Step::Pass;
        }
        match (self.bucket_of(summary.first), self.bucket_of(summary.last)) {
            (Some(first), Some(last)) if first == last && summary.changed <= seq => {
                for count in &summary.kinds {
                    self.add(first, count.kind, u64::from(count.live));
                }
                Step::Pass
            }
            _ => Step::Open,
        }
    }

    fn add(&mut self, bucket: usize, kind: u16, n: u64) {
        let Some(column) = self.columns.get(usize::from(kind)).copied().flatten() else { return };
        if let Some(slot) = self.counts.get_mut(bucket).and_then(|row| row.get_mut(column)) {
            *slot += n;
        }
    }

    fn bucket_of(&self, ts: Millis) -> Option<usize> {
        let begun = self.edges.partition_point(|edge| *edge <= ts);
        begun.checked_sub(1).filter(|bucket| bucket + 1 < self.edges.len())
    }

    /// As [`Count::bucket_of`], for a time that is not before one that lay in `hint`.
    fn bucket_from(&self, hint: Option<usize>, ts: Millis) -> Option<usize> {
        let Some(mut bucket) = hint else { return self.bucket_of(ts) };
        while self.edges.get(bucket + 1).is_some_and(|edge| *edge <= ts) {
            bucket += 1;
        }
        (bucket + 1 < self.edges.len()).then_some(bucket)
    }
}
