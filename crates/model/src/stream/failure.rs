//! Errors as providers report them, under stable codes.

use throughline_value::Value;

use crate::{Ending, redact};

/// The longest message that is taken over from a provider, in characters.
const MAX_MESSAGE_CHARS: usize = 600;

/// The failure in an error body or error event: `{"error": {"code", "type", "message"}}`, `{"error": "text"}`
/// or `{"type", "message"}`; `status` is the HTTP status, or 200 amid a stream.
pub(super) fn of_value(error: &Value, status: u16) -> Ending {
    let text = |name: &str| error.get(name).and_then(Value::as_str).filter(|t| !t.is_empty());
    // A status stands there as a number or as a text.
    let code = error.get("code");
    let number = code.and_then(|c| c.as_i64().or_else(|| c.as_str()?.parse().ok()));
    let number = number.and_then(|n| u16::try_from(n).ok()).filter(|n| (400..600).contains(n));
    let status = number.unwrap_or(status);
    let message = error.as_str().or(text("message")).or(text("detail")).unwrap_or("the provider gave no message");
    let named = text("code").filter(|_| number.is_none()).or(text("type")).or(text("status")).map(kebab);
    of_parts(named, message, status)
}

/// The failure in a body that is not JSON.
pub(super) fn of_text(text: &str, status: u16) -> Ending {
    // The last character may be half of one.
    let text = text.trim_end_matches('\u{fffd}').trim();
    let message = match text {
        "" => "the answer was empty",
        _ if text.contains(['\u{fffd}', '\0']) => "the answer is no text; it may be compressed or damaged",
        _ => text,
    };
    of_parts(None, message, status)
}

fn of_parts(named: Option<String>, message: &str, status: u16) -> Ending {
    let lower = message.to_lowercase();
    // Some providers say by words alone what others have a code for.
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let broke = says(&["credit balance is too low", "insufficient balance", "insufficient credit", "余额不足", "欠费"]);
    let code = match named.as_deref() {
        _ if broke => "quota-exceeded",
        _ if says(&["api key not valid", "api_key_invalid", "incorrect api key"]) => "unauthorized",
        Some("overloaded" | "engine-overloaded") => "overloaded",
        Some("rate-limit" | "rate-limit-exceeded" | "resource-exhausted" | "too-many-requests") => "rate-limited",
        Some("insufficient-quota" | "billing-not-active" | "insufficient-credits") => "quota-exceeded",
        Some("invalid-api-key" | "authentication" | "unauthorized") => "unauthorized",
        Some("model-not-found" | "not-found") => "model-not-found",
        Some("context-length-exceeded") => "context-full",
        _ if says(&["prompt is too long", "maximum context length", "exceeds the available context size"]) => {
            "context-full"
        }
        Some("permission" | "permission-denied") => "forbidden",
        Some("timeout") => "timed-out",
        Some("api" | "server" | "internal-server") => "server-error",
        _ if lower.contains("overloaded") => "overloaded",
        _ => of_status(status),
    };
    let retryable = matches!(code, "overloaded" | "rate-limited" | "timed-out" | "server-error");
    let message: String = redact(message).chars().take(MAX_MESSAGE_CHARS).collect();
    // A name that is not in the list above stands before the message, so that nothing is lost.
    let message = match named {
        Some(name) if code == "provider-error" => format!("{name}: {message}"),
        _ => message,
    };
    Ending::Failed { code: code.to_owned(), message, retryable }
}

fn of_status(status: u16) -> &'static str {
    match status {
        400 | 422 => "bad-request",
        401 => "unauthorized",
        402 => "quota-exceeded",
        403 => "forbidden",
        404 => "model-not-found",
        408 | 504 => "timed-out",
        413 => "context-full",
        429 => "rate-limited",
        529 => "overloaded",
        500..=599 => "server-error",
        _ => "provider-error",
    }
}

fn kebab(name: &str) -> String {
    let name = name.to_lowercase().replace(['_', ' ', '.'], "-");
    name.strip_suffix("-error").unwrap_or(&name).to_owned()
}

/// Where the words of errors say how long to wait.
const WAITS: &[&str] = &["try again in ", "retry after ", "retry in ", "\"retrydelay\": \"", "\"retrydelay\":\""];

/// How long an error's words ask to wait, in milliseconds: "Please try again in 1.5s", "retry after 20 seconds",
/// "in 250ms", "in 1m30s", or Gemini's `retryDelay`. The header that says it is hidden from pages.
pub(super) fn retry_after(message: &str) -> Option<u64> {
    let lower = message.to_ascii_lowercase();
    WAITS.iter().find_map(|words| duration(lower.split_once(words)?.1))
}

/// The time at the beginning of a text: amounts with their units, one after another.
fn duration(mut rest: &str) -> Option<u64> {
    let mut sum: Option<u64> = None;
    loop {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (amount, after) = rest.split_at_checked(digits)?;
        let unit = after.trim_start();
        // In milliseconds, the longer names first.
        let units = [("ms", 1), ("milli", 1), ("m", 60_000), ("s", 1_000), ("h", 3_600_000)];
        let Some((name, scale)) = units.iter().find(|(name, _)| !amount.is_empty() && unit.starts_with(name)) else {
            return sum;
        };
        let (whole, fraction) = amount.split_once('.').unwrap_or((amount, ""));
        let thousandths: u64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
        let whole = if whole.is_empty() { 0 } else { whole.parse::<u64>().ok()? };
        let ms = whole.checked_mul(1_000)?.checked_add(thousandths)?.checked_mul(*scale)? / 1_000;
        sum = sum.unwrap_or(0).checked_add(ms);
        rest = unit.get(name.len()..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_to_wait_is_read_from_the_words() {
        for (text, expected) in [
            ("Please try again in 1.5s.", Some(1_500)),
            ("try again in 20 seconds", Some(20_000)),
            ("try again in 250ms", Some(250)),
            ("try again in 2m", Some(120_000)),
            ("Rate limit. Try again in 20s.", Some(20_000)),
            ("Please try again in 1m30.5s", Some(90_500)),
            ("Please try again in 6m0s.", Some(360_000)),
            ("try again in 1 hour", Some(3_600_000)),
            ("Please retry after 26 seconds.", Some(26_000)),
            ("Please retry in 26.5s.", Some(26_500)),
            ("{\"details\": [{\"retryDelay\": \"34s\"}]}", Some(34_000)),
            ("{\"details\":[{\"retryDelay\":\"0.2s\"}]}", Some(200)),
            ("try again in 99999999999999999999s", None),
            ("try again in s", None),
            ("try again later", None),
            ("try again in a while", None),
        ] {
            assert_eq!(retry_after(text), expected, "{text}");
        }
    }
}
