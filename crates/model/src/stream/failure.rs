//! Errors as providers report them, under stable codes.

use throughline_value::Value;

use crate::{Ending, redact};

/// The longest message that is taken over from a provider, in characters.
const MAX_MESSAGE_CHARS: usize = 600;

/// The failure in an error body or error event: `{"error": {"code", "type", "message"}}`, `{"error": "text"}`
/// or `{"type", "message"}`; `status` is the HTTP status, or 200 amid a stream.
pub(super) fn of_value(error: &Value, status: u16) -> Ending {
    let text = |name: &str| error.get(name).and_then(Value::as_str).filter(|t| !t.is_empty());
    let number = error.get("code").and_then(Value::as_i64).and_then(|n| u16::try_from(n).ok());
    let status = number.unwrap_or(status);
    let message = error.as_str().or(text("message")).or(text("detail")).unwrap_or("the provider gave no message");
    let named = text("code").or(text("type")).or(text("status")).map(kebab);
    of_parts(named, message, status)
}

/// The failure in a body that is not JSON.
pub(super) fn of_text(text: &str, status: u16) -> Ending {
    let text = text.trim();
    let message = if text.is_empty() { "the answer was empty" } else { text };
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

/// How long an error's words ask to wait, in milliseconds: "Please try again in 1.5s", "in 20 seconds",
/// "in 250ms". The header that says it is hidden from pages.
pub(super) fn retry_after(message: &str) -> Option<u64> {
    let (_, rest) = message.split_once("try again in ")?;
    let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let (amount, unit) = rest.split_at_checked(digits)?;
    let (whole, fraction) = amount.split_once('.').unwrap_or((amount, ""));
    let whole: u64 = whole.parse().ok()?;
    let thousandths: u64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    let ms = whole.checked_mul(1_000)?.checked_add(thousandths)?;
    let unit = unit.trim_start();
    if unit.starts_with("ms") {
        Some(whole)
    } else if unit.starts_with('m') {
        ms.checked_mul(60)
    } else if unit.starts_with('s') {
        Some(ms)
    } else {
        None
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
            ("try again later", None),
            ("try again in a while", None),
        ] {
            assert_eq!(retry_after(text), expected, "{text}");
        }
    }
}
