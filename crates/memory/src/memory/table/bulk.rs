//! Many items at once, each with one version, column by column.

use throughline_journal::Seq;

use super::{GIVEN, NONE, Table, USUAL_IMPORTANCE, next, usual_id};
use crate::columns::Columns;

impl Table {
    /// Adds the items of a new batch and a row for each, as the columns have them: nothing of them was purged, and
    /// `kinds` and `entities` are the numbers of their names. `first` is the record that their ids name. Their words and
    /// vectors are not looked at. `None` when a limit is reached.
    pub(crate) fn push_columns(
        &mut self,
        batch: u32,
        first: Seq,
        columns: &Columns,
        kinds: &[u16],
        entities: &[u32],
    ) -> Option<()> {
        let count = columns.at.len();
        let (first_item, first_row) = (next(self.items.len())?, next(self.rows())?);
        let end = next(self.items.len() + count)?;
        next(self.rows() + count)?;
        if self.batches.get(batch as usize)?.seq != first {
            for (item, index) in (first_item..end).zip(0..) {
                let id = usual_id(first, index);
                self.odd_names.insert(item, id.clone());
                self.odd_ids.insert(id, item);
            }
        }
        self.items.resize(end as usize, batch);
        self.note_item(first_row, first_item);
        if !self.of_item.is_empty() {
            self.of_item.extend(first_item + 1..end);
        }
        self.at.extend_from_slice(&columns.at);
        self.kind.extend(columns.kind.iter().map(|kind| kinds.get(usize::from(*kind)).copied().unwrap_or(0)));
        let importance = |given: &u16| given.checked_sub(1).map_or(USUAL_IMPORTANCE, |given| given | GIVEN);
        self.importance.extend(columns.importance.iter().map(importance));
        self.importance.resize(self.at.len(), USUAL_IMPORTANCE);
        let mut entity_end = u32::try_from(self.entity_lists.len()).ok()?;
        self.entities_end.extend(columns.entity_count.iter().map(|count| {
            entity_end = entity_end.saturating_add(*count);
            entity_end
        }));
        self.entities_end.resize(self.at.len(), entity_end);
        let number = |own: &u32| entities.get(*own as usize).copied().unwrap_or(NONE);
        self.entity_lists.extend(columns.entity.iter().map(number));
        for (row, lasts) in (first_row..).zip(&columns.lasts).filter(|(_, lasts)| **lasts > 0) {
            let at = self.at.get(row as usize).copied()?;
            self.untils.insert(row, at.saturating_add_unsigned(*lasts));
        }
        for (item, place) in (first_item..).zip(&columns.place) {
            self.places.insert(item, *place);
        }
        self.bodies.push_all(&columns.text, &columns.text_bytes, count);
        Some(())
    }
}
