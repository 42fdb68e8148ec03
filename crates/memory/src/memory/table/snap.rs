//! Items and rows as bytes.

use throughline_value::Number;

use super::{Batch, GIVEN, NONE, Names, Rare, Table, USUAL_IMPORTANCE};
use crate::limits::{MAX_KINDS, MAX_MILLIS};
use crate::memory::bodies::Bodies;
use crate::snapshot::{In, Out};

fn write_names(names: &Names, out: &mut Out) {
    out.number(names.len() as u64);
    names.kept().for_each(|name| out.text(name));
}

fn read_names(from: &mut In<'_>) -> Option<Names> {
    let mut names = Names::default();
    for n in 0..from.count()? {
        if names.add_kept(from.text()?) != n {
            return None;
        }
    }
    Some(names)
}

fn write_exact(numbers: &Rare<Number>, out: &mut Out) {
    out.map(numbers, |out, number| out.text(&number.to_string()));
}

fn read_exact(from: &mut In<'_>, rows: usize) -> Option<Rare<Number>> {
    from.map(rows, |from| Number::parse(from.text()?))
}

fn is_time(at: &i64) -> bool {
    at.unsigned_abs() <= MAX_MILLIS.unsigned_abs()
}

/// The next number of a list in which each is as a rule one above the one before.
fn follow(next: &mut i64, from: &mut In<'_>) -> Option<u32> {
    let number = u32::try_from(next.checked_add(from.signed()?)?).ok()?;
    *next = i64::from(number) + 1;
    Some(number)
}

impl Table {
    pub(crate) fn write(&self, out: &mut Out) {
        [&self.kinds, &self.entities, &self.threads, &self.sources].into_iter().for_each(|n| write_names(n, out));
        out.number(self.batches.len() as u64);
        let mut before = (0, 0, 0);
        let ends = self.batches.iter().skip(1).map(|batch| batch.first_item as usize).chain([self.items.len()]);
        for (batch, end) in self.batches.iter().zip(ends) {
            out.number(batch.seq.wrapping_sub(before.0));
            out.signed(batch.recorded_at.wrapping_sub(before.1));
            out.number(u64::from(batch.thread));
            out.number(u64::from(batch.source) * 2 + u64::from(batch.counts));
            out.signed(batch.source_seq.wrapping_sub(before.2).cast_signed());
            out.number((end - batch.first_item as usize) as u64);
            out.signed(i64::from(batch.first_row) - i64::from(batch.first_item));
            before = (batch.seq, batch.recorded_at, batch.source_seq);
        }
        self.write_rows(out);
        out.number(self.dead.len() as u64);
        self.dead.iter().for_each(|bits| out.number(*bits));
        out.map(&self.latest, |out, row| out.number(u64::from(*row)));
        out.map(&self.later, |out, (seq, before)| {
            out.number(*seq);
            out.number(u64::from(*before));
        });
        out.map(&self.died, |out, seq| out.number(*seq));
        out.map(&self.text_of, |out, row| out.number(u64::from(*row)));
        out.map(&self.odd_names, |out, name| out.text(name));
        out.map(&self.forgotten, |out, turns| {
            out.number(turns.len() as u64);
            turns.iter().for_each(|(seq, forgotten)| {
                out.number(*seq);
                out.number(u64::from(*forgotten));
            });
        });
        out.map(&self.purged, |out, seq| out.number(*seq));
        out.map(&self.places, |out, place| out.number(*place));
        out.map(&self.used, |out, uses| {
            out.number(uses.len() as u64);
            uses.iter().for_each(|(seq, at)| {
                out.number(*seq);
                out.signed(*at);
            });
        });
        out.map(&self.untils, |out, until| out.signed(*until));
        write_exact(&self.importances, out);
        write_exact(&self.confidences, out);
        self.bodies.write(out);
    }

    fn write_rows(&self, out: &mut Out) {
        out.number(self.at.len() as u64);
        let mut before = 0;
        for at in &self.at {
            out.signed(at.wrapping_sub(before));
            before = *at;
        }
        self.kind.iter().for_each(|kind| out.number(u64::from(*kind)));
        for importance in &self.importance {
            let given = i64::from(importance & GIVEN != 0);
            out.signed((i64::from(importance & !GIVEN) - i64::from(USUAL_IMPORTANCE)) << 1 | given);
        }
        let rows = || (0u32..).zip(&self.at).map(|(row, _)| row);
        rows().for_each(|row| out.number(u64::from(self.words_of(row))));
        let mut item = 0;
        for own in rows().filter_map(|row| self.item_of(row)) {
            out.signed(i64::from(own) - item);
            item = i64::from(own) + 1;
        }
        // Of what was purged nothing is left, not even how much it was.
        let lists = || (0u32..).zip(&self.at).map(|(row, _)| self.entities_of(row));
        let kept = |list: &[u32]| list.iter().filter(|entity| **entity != NONE).count();
        lists().for_each(|list| out.number(kept(list) as u64));
        lists().flatten().filter(|entity| **entity != NONE).for_each(|entity| out.number(u64::from(*entity)));
    }

    pub(crate) fn read(from: &mut In<'_>) -> Option<Self> {
        let (kinds, entities) = (read_names(from)?, read_names(from)?);
        let (threads, sources) = (read_names(from)?, read_names(from)?);
        let mut table = Self { kinds, entities, threads, sources, ..Self::default() };
        if table.kinds.len() > MAX_KINDS {
            return None;
        }
        let count = from.count()?;
        table.batches.reserve_exact(count);
        let mut before = (0u64, 0i64, 0u64);
        for n in 0..count {
            let seq = before.0.checked_add(from.number()?).filter(|seq| n == 0 || *seq > before.0)?;
            let recorded_at = before.1.wrapping_add(from.signed()?);
            let thread = from.small().filter(|thread| (*thread as usize) < table.threads.len())?;
            let source = from.number()?;
            let counts = source % 2 == 1;
            let source = u32::try_from(source / 2).ok().filter(|source| (*source as usize) <= table.sources.len())?;
            let source_seq = before.2.wrapping_add(from.signed()?.cast_unsigned());
            let first = table.items.len();
            // Every item has a row, or is among those that were purged: each takes more than a byte.
            let end = first.checked_add(from.small()?)?;
            table.items.resize(from.has(end)?, u32::try_from(n).ok()?);
            let first_item = u32::try_from(first).ok()?;
            let first_row = u32::try_from(i64::from(first_item).checked_add(from.signed()?)?).ok()?;
            table.batches.push(Batch { seq, recorded_at, thread, source, source_seq, counts, first_item, first_row });
            before = (seq, recorded_at, source_seq);
        }
        table.read_rows(from)?;
        let (rows, items) = (table.rows(), table.items.len());
        for _ in 0..from.count().filter(|count| *count <= rows.div_ceil(64))? {
            table.dead.push(from.number()?);
        }
        table.latest = from.map(items, In::small)?;
        table.later = from.map(rows, |from| Some((from.number()?, from.small()?)))?;
        table.died = from.map(rows, In::number)?;
        table.text_of = from.map(rows, In::small)?;
        // Chains of versions end.
        let falls = |row: &u32, before: &u32| before < row;
        if !table.later.iter().all(|(row, (_, before))| falls(row, before))
            || !table.text_of.iter().all(|(row, of)| falls(row, of))
        {
            return None;
        }
        table.odd_names = from.map(items, |from| Some(from.text()?.to_owned()))?;
        for (item, name) in table.odd_names.iter() {
            table.odd_ids.insert(name.clone(), *item);
        }
        table.forgotten = from.map(items, |from| {
            let count = from.count()?;
            (0..count).map(|_| Some((from.number()?, from.number()? == 1))).collect()
        })?;
        table.purged = from.map(items, In::number)?;
        table.places = from.map(items, In::number)?;
        table.used = from.map(items, |from| {
            let count = from.count()?;
            (0..count).map(|_| Some((from.number()?, from.signed().filter(is_time)?))).collect()
        })?;
        table.untils = from.map(rows, |from| from.signed().filter(is_time))?;
        table.importances = read_exact(from, rows)?;
        table.confidences = read_exact(from, rows)?;
        table.bodies = Bodies::read(from, rows)?;
        Some(table)
    }

    fn read_rows(&mut self, from: &mut In<'_>) -> Option<()> {
        let rows = from.count().filter(|rows| *rows < NONE as usize)?;
        self.at.reserve_exact(rows);
        let mut before = 0i64;
        for _ in 0..rows {
            before = before.checked_add(from.signed()?).filter(is_time)?;
            self.at.push(before);
        }
        let kinds = self.kinds.len();
        self.kind = (0..rows).map(|_| from.small().filter(|kind| usize::from(*kind) < kinds)).collect::<Option<_>>()?;
        self.importance.reserve_exact(rows);
        for _ in 0..rows {
            let number = from.signed()?;
            let importance = u16::try_from((number >> 1).checked_add(i64::from(USUAL_IMPORTANCE))?).ok()?;
            self.importance.push(importance & !GIVEN | if number & 1 == 1 { GIVEN } else { 0 });
        }
        for row in 0..u32::try_from(rows).ok()? {
            self.set_words(row, u32::from(from.small::<u16>()?));
        }
        let (mut item, items) = (0i64, self.items.len());
        for row in 0..u32::try_from(rows).ok()? {
            let item = follow(&mut item, from).filter(|item| (*item as usize) < items)?;
            self.note_item(row, item);
        }
        let mut end = 0u32;
        self.entities_end =
            (0..rows).map(|_| end.checked_add(from.small()?).inspect(|sum| end = *sum)).collect::<Option<_>>()?;
        let entities = self.entities.len() as u64;
        // Each takes a byte at least.
        for _ in 0..end {
            self.entity_lists.push(from.number().filter(|entity| *entity < entities)?.try_into().ok()?);
        }
        self.entity_lists.shrink_to_fit();
        Some(())
    }
}
