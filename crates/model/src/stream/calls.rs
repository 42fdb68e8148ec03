//! Tool calls from fragments.

use crate::{ToolCall, structured::Balance};

/// Tool calls as they build up. Servers number the fragments badly: two calls come under one number, or
/// without any, so a new call also begins when the id differs, when a name comes again, and when the
/// arguments so far are already complete.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls(Vec<Building>);

#[derive(Clone, Debug, Default)]
struct Building {
    index: Option<i64>,
    call: ToolCall,
    balance: Balance,
}

impl Calls {
    /// Adds a fragment; gives the place of its call.
    pub(super) fn push(&mut self, index: Option<i64>, id: &str, name: &str, arguments: &str) -> usize {
        let place = self.find(index, id, name, arguments).unwrap_or_else(|| {
            self.0.push(Building { index, ..Building::default() });
            self.0.len() - 1
        });
        if let Some(building) = self.0.get_mut(place) {
            if building.call.id.is_empty() {
                id.clone_into(&mut building.call.id);
            }
            if building.call.name.is_empty() {
                name.clone_into(&mut building.call.name);
            }
            building.balance.push(arguments);
            building.call.arguments.push_str(arguments);
        }
        place
    }

    /// The call that a fragment goes on with; none when it begins one.
    fn find(&self, index: Option<i64>, id: &str, name: &str, arguments: &str) -> Option<usize> {
        if !id.is_empty()
            && let Some(place) = self.0.iter().rposition(|b| b.call.id == id)
        {
            return Some(place);
        }
        let place = match index {
            Some(_) => self.0.iter().rposition(|b| b.index == index)?,
            None => self.0.len().checked_sub(1)?,
        };
        let building = self.0.get(place)?;
        let other_id = !id.is_empty() && !building.call.id.is_empty();
        let other_name = !name.is_empty() && !building.call.name.is_empty();
        let complete = building.balance.is_closed() && !arguments.trim().is_empty();
        (!other_id && !other_name && !complete).then_some(place)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn into_calls(self) -> Vec<ToolCall> {
        self.0.into_iter().map(|b| b.call).collect()
    }
}
