//! Bodies come and go: what rows say is let go of, missed, and taken again from the records.

use throughline_journal::{Record, Seq};
use throughline_value::Value;

use super::Memory;
use crate::columns;
use crate::kind;

impl Memory {
    /// Lets go of what rows say, the least recently wanted first, until at most so many bytes are held. What
    /// records after `committed` say stays, since nothing else holds it yet.
    ///
    /// Everything that a view shows beside texts and data is still known. A view that needs what is not held shows
    /// it empty, and [`Memory::take_missing`] tells; such an answer is to be thrown away, the records given to
    /// [`Memory::warm`], and the question asked again. No fold needs it.
    pub fn cool(&mut self, keep_bytes: usize, committed: Seq) {
        self.table.cool(keep_bytes as u64, committed);
    }

    /// How many bytes of texts and data are held.
    #[must_use]
    pub fn resident_bytes(&self) -> u64 {
        self.table.bodies.resident()
    }

    /// How many bytes of texts and data are not held.
    #[must_use]
    pub fn cold_bytes(&self) -> u64 {
        self.table.bodies.total().saturating_sub(self.table.bodies.resident())
    }

    /// The records, in order, whose texts or data were wanted and not held since the last call.
    #[must_use]
    pub fn take_missing(&self) -> Vec<Seq> {
        self.table.take_missing()
    }

    /// Takes what a record says again: what was missed of it, or all when nothing was. What does not fit what is
    /// known of the record's rows is passed over.
    pub fn warm(&mut self, record: &Record) {
        let data = record.data();
        _ = match record.kind.as_str() {
            kind::REMEMBERED => self.warm_items(record.seq, data),
            kind::COLUMNS => self.warm_columns(record.seq, data),
            kind::AMENDED => self.warm_amended(record.seq, data),
            _ => None,
        };
    }

    fn warm_items(&mut self, seq: Seq, data: &Value) -> Option<()> {
        let items = data.get("items")?.as_list()?;
        let said = items.iter().map(|item| {
            let text = item.get("text").and_then(Value::as_str).unwrap_or("");
            (text, item.get("data").unwrap_or(&Value::Null))
        });
        self.warm_rows(seq, &said.collect::<Vec<_>>())
    }

    fn warm_columns(&mut self, seq: Seq, data: &Value) -> Option<()> {
        let text = data.get("text")?.as_str()?;
        let (mut begin, mut said) = (0usize, Vec::new());
        for bytes in columns::lengths(data.get("text_bytes")?)? {
            let end = begin.checked_add(usize::try_from(bytes).ok()?)?;
            said.push((text.get(begin..end)?, &Value::Null));
            begin = end;
        }
        self.warm_rows(seq, &said)
    }

    fn warm_amended(&mut self, seq: Seq, data: &Value) -> Option<()> {
        let item = self.table.find(data.get("memory")?.as_str()?)?;
        let text = data.get("text")?.as_str()?;
        let row =
            self.table.rows_of(item).into_iter().find(|row| self.table.row(*row).is_some_and(|r| r.born == seq))?;
        self.table.bodies.warm(row, text, &Value::Null);
        Some(())
    }

    /// What the items of a record said first, in their order.
    fn warm_rows(&mut self, seq: Seq, said: &[(&str, &Value)]) -> Option<()> {
        let first = self.table.first_item(seq)?;
        let rows: Vec<Option<u32>> = (first..)
            .zip(said)
            .map(|(item, _)| {
                let own = self.table.item(item).filter(|own| own.seq == seq);
                own.and_then(|_| self.table.first_row(item))
            })
            .collect();
        let missed = rows.iter().flatten().any(|row| self.table.bodies.is_awaited(*row));
        for (row, (text, data)) in rows.iter().zip(said) {
            if let Some(row) = row.filter(|row| !missed || self.table.bodies.is_awaited(*row)) {
                self.table.bodies.warm(row, text, data);
            }
        }
        Some(())
    }
}
