//! Gemini's `generateContent`.

use throughline_value::Value;

use super::building::Building;
use super::{arguments_of, count_at, list_at, str_at};
use crate::{Ending, Usage};

pub(super) fn value(building: &mut Building, value: &Value) {
    if let Some(usage) = value.get("usageMetadata") {
        let count = |name: &str| count_at(usage, &[name]);
        if let Some(prompt) = count("promptTokenCount") {
            let completion = count("candidatesTokenCount").unwrap_or(0) + count("thoughtsTokenCount").unwrap_or(0);
            let cached = count("cachedContentTokenCount").unwrap_or(0);
            building.usage = Some(Usage { prompt, completion, cached, estimated: false });
        }
    }
    let candidates = list_at(value, &["candidates"]);
    let blocked = str_at(value, &["promptFeedback", "blockReason"]);
    if candidates.is_empty() && !blocked.is_empty() {
        building.refusal(&format!("the prompt was blocked: {blocked}"));
        building.say(Ending::Refused);
    }
    let Some(candidate) = candidates.iter().find(|c| c.get("index").and_then(Value::as_i64).unwrap_or(0) == 0) else {
        return;
    };
    let parts = list_at(candidate, &["content", "parts"]);
    if !parts.is_empty() {
        // Some models say `STOP` with every piece: it holds for the last one.
        building.said = None;
    }
    for part in parts {
        if let Some(call) = part.get("functionCall") {
            building.call(None, str_at(call, &["id"]), str_at(call, &["name"]), &arguments_of(call.get("args")));
        } else if part.get("thought").and_then(Value::as_bool) == Some(true) {
            building.thinking(str_at(part, &["text"]));
        } else {
            building.text(str_at(part, &["text"]));
        }
    }
    match str_at(candidate, &["finishReason"]) {
        "" | "FINISH_REASON_UNSPECIFIED" => {}
        "STOP" => building.say(Ending::Done),
        "MAX_TOKENS" => building.say(Ending::Truncated),
        reason @ ("SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" | "LANGUAGE"
        | "IMAGE_SAFETY") => {
            building.refusal(&format!("the reply was stopped: {reason}"));
            building.say(Ending::Refused);
        }
        "MALFORMED_FUNCTION_CALL" | "UNEXPECTED_TOOL_CALL" => {
            building.fail("malformed-call", "the model wrote a tool call that the provider could not read".to_owned());
        }
        other => building.say_unknown(other),
    }
}
