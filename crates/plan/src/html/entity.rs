//! Character references: the named ones that occur in practice, and every number.

use throughline_value::Span;

const NAMED: &[(&str, &str)] = &[
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", "\u{a0}"),
    ("ensp", "\u{2002}"),
    ("emsp", "\u{2003}"),
    ("thinsp", "\u{2009}"),
    ("shy", "\u{ad}"),
    ("copy", "©"),
    ("reg", "®"),
    ("trade", "™"),
    ("deg", "°"),
    ("plusmn", "±"),
    ("times", "×"),
    ("divide", "÷"),
    ("minus", "−"),
    ("frac12", "½"),
    ("permil", "‰"),
    ("ndash", "–"),
    ("mdash", "—"),
    ("hellip", "…"),
    ("middot", "·"),
    ("bull", "•"),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("laquo", "«"),
    ("raquo", "»"),
    ("euro", "€"),
    ("pound", "£"),
    ("yen", "¥"),
    ("cent", "¢"),
    ("sect", "§"),
    ("para", "¶"),
    ("micro", "µ"),
    ("le", "≤"),
    ("ge", "≥"),
    ("ne", "≠"),
    ("asymp", "≈"),
    ("rarr", "→"),
    ("larr", "←"),
];

/// The longest reference that is looked for, in bytes.
const MAX_REFERENCE: usize = 32;

/// The text in parts, each with its bytes in the source.
pub(super) fn parts(raw: &str) -> Vec<(String, Span)> {
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(c) = raw.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = raw.get(at..).unwrap_or("");
        let (text, length) = match (c == '&').then(|| reference(rest)).flatten() {
            Some((text, length)) => (text, length),
            None => (c.to_string(), c.len_utf8()),
        };
        out.push((text, Span::new(at, at + length)));
        at += length;
    }
    out
}

/// The text with its references read.
pub(super) fn decoded(raw: &str) -> String {
    if !raw.contains('&') {
        return raw.to_owned();
    }
    parts(raw).into_iter().map(|(text, _)| text).collect()
}

/// The reference that a text begins with, and its length.
fn reference(text: &str) -> Option<(String, usize)> {
    let end = text.bytes().take(MAX_REFERENCE).position(|b| b == b';')?;
    let name = text.get(1..end)?;
    let found = match name.strip_prefix('#') {
        Some(number) => {
            let hex = number.strip_prefix(['x', 'X']);
            let code = hex.map_or_else(|| number.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok())?;
            char::from_u32(code).filter(|c| *c != '\0')?.to_string()
        }
        None => NAMED.iter().find(|(n, _)| *n == name)?.1.to_owned(),
    };
    Some((found, end + 1))
}
