//! OpenAI's Responses.

use throughline_value::Value;

use super::building::Building;
use super::{arguments_of, count_at, list_at, str_at};
use crate::{Ending, Usage};

pub(super) fn value(building: &mut Building, value: &Value) {
    let delta = str_at(value, &["delta"]);
    match str_at(value, &["type"]) {
        "response.output_text.delta" => building.text(delta),
        "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => building.thinking(delta),
        "response.refusal.delta" => building.refusal(delta),
        "response.output_item.added" => {
            if let Some(item) = value.get("item").filter(|item| str_at(item, &["type"]) == "function_call") {
                call(building, item, index(value), "");
            }
        }
        "response.function_call_arguments.delta" => building.call(index(value), "", "", delta),
        // Some servers do not stream arguments and say them at the end.
        "response.function_call_arguments.done" => {
            building.calls.complete(index(value), &arguments_of(value.get("arguments")));
        }
        "response.output_item.done" => {
            building.calls.complete(index(value), &arguments_of(value.at(&["item", "arguments"])));
        }
        kind @ ("response.completed" | "response.incomplete" | "response.failed") => {
            if let Some(response) = value.get("response") {
                let status = kind.strip_prefix("response.").unwrap_or_default();
                whole(building, response, status);
                building.over = true;
            }
        }
        // A reply that was not streamed.
        "" if value.get("output").is_some() => whole(building, value, ""),
        // Others tell of parts that begin and end, and new ones may come.
        _ => {}
    }
}

fn index(value: &Value) -> Option<i64> {
    value.get("output_index").and_then(Value::as_i64)
}

fn call(building: &mut Building, item: &Value, index: Option<i64>, arguments: &str) {
    building.call(index, str_at(item, &["call_id"]), str_at(item, &["name"]), arguments);
}

/// A whole response; `status` is what the event around it says of it.
fn whole(building: &mut Building, response: &Value, status: &str) {
    if let Some(usage) = response.get("usage")
        && let (Some(prompt), Some(completion)) =
            (count_at(usage, &["input_tokens"]), count_at(usage, &["output_tokens"]))
    {
        let cached = count_at(usage, &["input_tokens_details", "cached_tokens"]).unwrap_or(0);
        building.usage = Some(Usage { prompt, completion, cached, estimated: false });
    }
    // What was streamed is not taken twice.
    let (streamed, declined) = (!building.is_empty(), building.has_refusal());
    for (item, i) in list_at(response, &["output"]).iter().zip(0i64..) {
        match str_at(item, &["type"]) {
            "function_call" if streamed => {
                building.calls.complete(Some(i), &arguments_of(item.get("arguments")));
            }
            "function_call" => call(building, item, Some(i), &arguments_of(item.get("arguments"))),
            "reasoning" if streamed => {}
            "reasoning" => list_at(item, &["summary"]).iter().for_each(|p| building.thinking(str_at(p, &["text"]))),
            _ => {
                for part in list_at(item, &["content"]) {
                    if !streamed {
                        building.text(str_at(part, &["text"]));
                    }
                    if !declined {
                        building.refusal(str_at(part, &["refusal"]));
                    }
                }
            }
        }
    }
    let said = str_at(response, &["status"]);
    match if said.is_empty() { status } else { said } {
        "completed" => building.say(Ending::Done),
        "incomplete" => match str_at(response, &["incomplete_details", "reason"]) {
            "content_filter" => building.say(Ending::Refused),
            _ => building.say(Ending::Truncated),
        },
        "failed" => building.error(response.get("error").unwrap_or(&Value::Null)),
        "cancelled" => building.say(Ending::Interrupted),
        other => building.say_unknown(other),
    }
}
