//! Tool calls from fragments.

use throughline_value::Value;

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
    /// Adds a fragment; gives the place of its call and the arguments that it brought.
    pub(super) fn push(&mut self, fragment: &Value) -> (usize, String) {
        let text = |path: &[&str]| fragment.at(path).and_then(Value::as_str).unwrap_or_default();
        let (id, name) = (text(&["id"]), text(&["function", "name"]));
        let arguments = match fragment.at(&["function", "arguments"]) {
            Some(Value::Text(text)) => text.clone(),
            // Some servers send the arguments as a map, whole.
            Some(value) if !value.is_null() => value.to_json(),
            _ => String::new(),
        };
        let index = fragment.get("index").and_then(Value::as_i64);
        let place = self.find(index, id, name, &arguments).unwrap_or_else(|| {
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
            building.balance.push(&arguments);
            building.call.arguments.push_str(&arguments);
        }
        (place, arguments)
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

    pub(super) fn into_calls(self) -> Vec<ToolCall> {
        self.0.into_iter().map(|b| b.call).collect()
    }
}
