//! Chat completions.

use throughline_value::Value;

use super::building::Building;
use super::{arguments_of, count_at, list_at, str_at, text_of};
use crate::{Ending, Usage};

pub(super) fn value(building: &mut Building, value: &Value) {
    // The last event has `"choices": []`, with some servers `null`.
    let ours = list_at(value, &["choices"]).iter().find(|c| c.get("index").and_then(Value::as_i64).unwrap_or(0) == 0);
    // Some count in the choice.
    let usage = present(value, "usage").or_else(|| present(ours?, "usage"));
    building.usage = usage.and_then(usage_of).or(building.usage);
    let Some(choice) = ours else { return };
    if let Some(message) = present(choice, "delta").or_else(|| present(choice, "message")) {
        self::message(building, message);
    }
    match str_at(choice, &["finish_reason"]) {
        "" => {}
        "stop" | "tool_calls" | "function_call" | "eos" => building.say(Ending::Done),
        "length" | "max_tokens" | "model_length" => building.say(Ending::Truncated),
        "content_filter" | "safety" | "refusal" | "sensitive" => building.say(Ending::Refused),
        "error" | "network_error" => {
            building.fail("provider-error", "the model ended with an error that it does not name".to_owned());
        }
        "insufficient_system_resource" => {
            let error = [("type", "overloaded_error"), ("message", "the provider had no room to go on")];
            building.error(&Value::from(error));
        }
        other => building.say_unknown(other),
    }
}

/// A field that is there and not null: some servers write every field of both forms.
fn present<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    value.get(name).filter(|field| !field.is_null())
}

fn message(building: &mut Building, message: &Value) {
    building.text(&message.get("content").map(text_of).unwrap_or_default());
    let thinking = present(message, "reasoning_content").or_else(|| present(message, "reasoning")).map(text_of);
    building.thinking(&thinking.unwrap_or_default());
    building.refusal(&message.get("refusal").map(text_of).unwrap_or_default());
    for part in list_at(message, &["content"]) {
        building.refusal(str_at(part, &["refusal"]));
    }
    for fragment in list_at(message, &["tool_calls"]) {
        let arguments = arguments_of(fragment.at(&["function", "arguments"]));
        let index = fragment.get("index").and_then(Value::as_i64);
        building.call(index, str_at(fragment, &["id"]), str_at(fragment, &["function", "name"]), &arguments);
    }
    if let Some(call) = message.get("function_call").filter(|call| !call.is_null()) {
        legacy_call(building, call);
    }
}

/// The one call of a tool as it was written before there could be several.
fn legacy_call(building: &mut Building, call: &Value) {
    building.call(Some(-1), "", str_at(call, &["name"]), &arguments_of(call.get("arguments")));
}

fn usage_of(usage: &Value) -> Option<Usage> {
    Some(Usage {
        prompt: count_at(usage, &["prompt_tokens"])?,
        completion: count_at(usage, &["completion_tokens"])?,
        cached: count_at(usage, &["prompt_tokens_details", "cached_tokens"])
            .or(count_at(usage, &["prompt_cache_hit_tokens"]))
            .unwrap_or(0),
        estimated: false,
    })
}
