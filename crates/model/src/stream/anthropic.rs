//! Anthropic's Messages.

use throughline_value::Value;

use super::building::Building;
use super::{arguments_of, count_at, list_at, str_at};
use crate::{Ending, Usage};

pub(super) fn value(building: &mut Building, value: &Value) {
    let index = value.get("index").and_then(Value::as_i64);
    match str_at(value, &["type"]) {
        "message_start" => usage(building, value.at(&["message", "usage"])),
        "content_block_start" => {
            if let Some(part) = value.get("content_block") {
                block(building, part, index, false);
            }
        }
        "content_block_delta" => {
            let Some(delta) = value.get("delta") else { return };
            match str_at(delta, &["type"]) {
                "text_delta" => building.text(str_at(delta, &["text"])),
                "thinking_delta" => building.thinking(str_at(delta, &["thinking"])),
                // The provider's own tools have inputs too, which begin no call of ours.
                "input_json_delta" if building.calls.has(index) => {
                    building.call(index, "", "", str_at(delta, &["partial_json"]));
                }
                _ => {}
            }
        }
        "message_delta" => {
            usage(building, value.get("usage"));
            stop(building, str_at(value, &["delta", "stop_reason"]));
        }
        "message_stop" => {
            building.end();
            building.over = true;
        }
        // A reply that was not streamed.
        "message" => {
            for (part, i) in list_at(value, &["content"]).iter().zip(0i64..) {
                block(building, part, Some(i), true);
            }
            usage(building, value.get("usage"));
            stop(building, str_at(value, &["stop_reason"]));
            if let Some(ending) = building.pending.take() {
                building.say(ending);
            }
        }
        // `ping`, `content_block_stop`, and what may come.
        _ => {}
    }
}

fn block(building: &mut Building, part: &Value, index: Option<i64>, whole: bool) {
    match str_at(part, &["type"]) {
        "tool_use" => {
            // A streamed call begins with an empty map, whose text comes after it.
            let input = part.get("input").filter(|input| whole || input.as_map().is_some_and(|m| !m.is_empty()));
            building.call(index, str_at(part, &["id"]), str_at(part, &["name"]), &arguments_of(input));
        }
        "thinking" => building.thinking(str_at(part, &["thinking"])),
        _ => building.text(str_at(part, &["text"])),
    }
}

fn stop(building: &mut Building, reason: &str) {
    match reason {
        "" => {}
        "end_turn" | "tool_use" | "stop_sequence" => building.pending = Some(Ending::Done),
        "max_tokens" | "model_context_window_exceeded" | "pause_turn" => building.pending = Some(Ending::Truncated),
        "refusal" => building.pending = Some(Ending::Refused),
        other => building.say_unknown(other),
    }
}

/// Counts are cumulative; a later one replaces those that it names.
fn usage(building: &mut Building, usage: Option<&Value>) {
    let Some(usage) = usage else { return };
    let before = building.usage.unwrap_or_default();
    let cached = count_at(usage, &["cache_read_input_tokens"]).unwrap_or(before.cached);
    let prompt = count_at(usage, &["input_tokens"])
        .map(|input| input + cached + count_at(usage, &["cache_creation_input_tokens"]).unwrap_or(0))
        .unwrap_or(before.prompt);
    let completion = count_at(usage, &["output_tokens"]).unwrap_or(before.completion);
    building.usage = Some(Usage { prompt, completion, cached, estimated: false });
}
