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

impl Building {
    fn is_whole(&self) -> bool {
        self.balance.is_closed()
    }
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
        // One id for two calls is as bad as one number: arguments that are whole take no more.
        if !id.is_empty()
            && let Some(place) = self.0.iter().rposition(|b| b.call.id == id)
        {
            let more = self.0.get(place).is_some_and(|b| !b.is_whole() || arguments.trim().is_empty());
            return more.then_some(place);
        }
        let place = match index {
            Some(_) => self.0.iter().rposition(|b| b.index == index)?,
            None => self.0.len().checked_sub(1)?,
        };
        let building = self.0.get(place)?;
        let other_id = !id.is_empty() && !building.call.id.is_empty();
        let other_name = !name.is_empty() && !building.call.name.is_empty();
        let complete = building.is_whole() && !arguments.trim().is_empty();
        (!other_id && !other_name && !complete).then_some(place)
    }

    /// The arguments of a call as a later event says them whole, where none were streamed.
    pub(super) fn complete(&mut self, index: Option<i64>, arguments: &str) {
        let call = self.0.iter_mut().rfind(|b| b.index == index && b.call.arguments.trim().is_empty());
        if let Some(building) = call {
            building.balance.push(arguments);
            arguments.clone_into(&mut building.call.arguments);
        }
    }

    /// Whether a call of this number has begun.
    pub(super) fn has(&self, index: Option<i64>) -> bool {
        self.0.iter().any(|b| b.index == index)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn into_calls(self) -> Vec<ToolCall> {
        self.0.into_iter().map(|b| b.call).collect()
    }
}
