//! Ollama's own chat: one JSON map a line.

use throughline_value::Value;

use super::building::Building;
use super::{arguments_of, count_at, list_at, str_at};
use crate::{Ending, Usage};

pub(super) fn value(building: &mut Building, value: &Value) {
    if let Some(message) = value.get("message") {
        building.text(str_at(message, &["content"]));
        building.thinking(str_at(message, &["thinking"]));
        for call in list_at(message, &["tool_calls"]) {
            let arguments = arguments_of(call.at(&["function", "arguments"]));
            building.call(None, str_at(call, &["id"]), str_at(call, &["function", "name"]), &arguments);
        }
    }
    if value.get("done").and_then(Value::as_bool) != Some(true) {
        return;
    }
    building.over = true;
    if let Some(completion) = count_at(value, &["eval_count"]) {
        // A prompt that is wholly in the cache has no count.
        let prompt = count_at(value, &["prompt_eval_count"]).unwrap_or(0);
        building.usage = Some(Usage { prompt, completion, cached: 0, estimated: false });
    }
    match str_at(value, &["done_reason"]) {
        "stop" | "" => building.say(Ending::Done),
        "length" => building.say(Ending::Truncated),
        other => building.say_unknown(other),
    }
}
