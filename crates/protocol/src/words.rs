//! The words and ranges that fields of a domain document may hold: one table for the check when a domain is
//! loaded, for the published JSON Schema (`cargo xtask schema` reads this file) and for whoever completes
//! what is typed. An entry is a tuple of plain literals.

/// Part of the document, field, and the words that it may hold.
pub const WORDS: &[(&str, &str, &[&str])] = &[
    ("EntityType", "normalise", &["trim", "fold_width", "fold_case", "nfc"]),
    (
        "FieldType",
        "type",
        &["text", "integer", "decimal", "boolean", "instant", "duration", "enum", "reference", "list", "any"],
    ),
    ("RelationType", "cardinality", &["one", "many"]),
    ("RelationType", "below_floor", &["drop", "hold", "keep"]),
    ("FactType", "cardinality", &["one", "many", "interval", "append"]),
    ("FactType", "said_by", &["user", "rule", "tool", "model", "import"]),
    ("AgentRules", "tool_calls", &["native", "json"]),
    ("FactType", "on_purge", &["purge", "end", "keep"]),
    ("FactType", "conflict", &["newest_valid", "most_trusted", "official", "ask"]),
    ("Tool", "effect", &["read", "write"]),
];

/// Part of the document, field, and the least and the greatest number that it may hold.
pub const RANGES: &[(&str, &str, u64, u64)] = &[
    ("RelationType", "confidence_floor", 0, 1),
    ("Source", "trust", 0, 1),
    ("AgentRules", "confidence", 0, 1),
    ("AgentRules", "retries", 0, 8),
    ("AgentRules", "prompt_budget", 64, 1000000),
    ("AgentRules", "token_cap", 64, 1000000000),
];

/// The words of a field.
#[must_use]
pub fn words_of(part: &str, field: &str) -> &'static [&'static str] {
    WORDS.iter().find(|(p, f, _)| *p == part && *f == field).map_or(&[], |(_, _, words)| words)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_types_that_a_field_may_have_are_those_that_are_checked() {
        assert_eq!(super::words_of("FieldType", "type"), crate::check::FIELD_TYPES);
    }
}
