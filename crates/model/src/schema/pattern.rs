//! Patterns as JSON Schema means them, within limits.

use regex::{Regex, RegexBuilder};

/// The longest pattern that is compiled, in bytes.
pub(super) const MAX_PATTERN_BYTES: usize = 1_024;

/// The memory that a compiled pattern may take, in bytes.
const MAX_COMPILED_BYTES: usize = 1 << 20;

/// The pattern, compiled; none when it is too large, or uses what is not checked here (looking around, back
/// references).
pub(super) fn compile(pattern: &str) -> Option<Regex> {
    if pattern.len() > MAX_PATTERN_BYTES {
        return None;
    }
    // In JSON Schema these are ASCII, and a dollar is the end of the text.
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut chars = pattern.chars();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next()? {
                'd' if in_class => out.push_str("0-9"),
                'd' => out.push_str("[0-9]"),
                'w' if in_class => out.push_str("0-9A-Za-z_"),
                'w' => out.push_str("[0-9A-Za-z_]"),
                'D' if !in_class => out.push_str("[^0-9]"),
                'W' if !in_class => out.push_str("[^0-9A-Za-z_]"),
                '/' => out.push('/'),
                other => {
                    out.push('\\');
                    out.push(other);
                }
            },
            '[' if in_class => out.push_str("\\["),
            _ => {
                in_class = (in_class || c == '[') && c != ']';
                out.push(c);
            }
        }
    }
    let mut builder = RegexBuilder::new(&out);
    builder.size_limit(MAX_COMPILED_BYTES).dfa_size_limit(MAX_COMPILED_BYTES).build().ok()
}
