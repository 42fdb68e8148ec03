//! Keys do not belong into messages.

/// Beginnings by which the keys of common providers are known.
const KEY_STARTS: &[&str] = &["sk-", "AIza", "gsk_", "xai-", "hf_", "Bearer "];

/// The shortest run of key characters after a beginning that is taken for a key.
const MIN_KEY_CHARS: usize = 8;

/// The same in what people and models say.
const MIN_SAID_CHARS: usize = 16;

/// The text with everything that looks like a provider's key replaced by `[key]`. Providers quote keys back
/// in their error messages.
///
/// ```
/// use throughline_model::redact;
/// assert_eq!(redact("Incorrect API key provided: sk-or-v1-0123456789abcdef."), "Incorrect API key provided: [key].");
/// assert_eq!(redact("a task-based plan"), "a task-based plan");
/// ```
#[must_use]
pub fn redact(text: &str) -> String {
    replaced(text, |run| run.len() >= MIN_KEY_CHARS)
}

/// What people and models say, without what can only be a key: longer than a word, with digits. `sk-learn` stays.
///
/// ```
/// use throughline_model::redact_said;
/// assert_eq!(redact_said("mine is sk-proj-0123456789abcdefghij, ok?"), "mine is [key], ok?");
/// assert_eq!(redact_said("密钥是sk-proj-0123456789abcdefghij吗"), "密钥是[key]吗");
/// assert_eq!(redact_said("sk-learn-pipelines-in-practice"), "sk-learn-pipelines-in-practice");
/// ```
#[must_use]
pub fn redact_said(text: &str) -> String {
    replaced(text, |run| run.len() >= MIN_SAID_CHARS && run.bytes().any(|b| b.is_ascii_digit()))
}

fn replaced(text: &str, is_key: impl Fn(&str) -> bool) -> String {
    if !KEY_STARTS.iter().any(|start| text.contains(start)) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut inside_word = false;
    while let Some(c) = rest.chars().next() {
        let start = if inside_word { None } else { KEY_STARTS.iter().find(|s| rest.starts_with(**s)) };
        if let Some(start) = start {
            let tail = rest.get(start.len()..).unwrap_or("");
            let run =
                tail.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '*'))).unwrap_or(tail.len());
            if is_key(tail.get(..run).unwrap_or("")) {
                out.push_str("[key]");
                rest = tail.get(run..).unwrap_or("");
                continue;
            }
        }
        out.push(c);
        // Scripts that write no spaces put a key right behind a word.
        inside_word = c.is_ascii_alphanumeric();
        rest = rest.get(c.len_utf8()..).unwrap_or("");
    }
    out
}
