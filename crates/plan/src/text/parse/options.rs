//! `AS type`, `UNIT "kg"` and `WITH name: value, …` behind a step, and `PLAN WITH …` before all steps.

use throughline_expr::time::parse_duration;
use throughline_value::Span;

use super::{DraftPlan, Parser, Place};
use crate::check::problems::fix;
use crate::limits;
use crate::nearest::nearest;
use crate::plan::{Action, Length, OnFailure, Options, Spanned};
use crate::text::lines::Line;
use crate::text::token::{Cursor, trimmed};

/// The names that may stand behind `WITH`, in the order of the documentation.
pub(crate) const OPTIONS: [&str; 9] =
    ["temporal_scope", "fallback", "retry", "backoff", "timeout", "max_age", "max_tokens", "max_steps", "on_failure"];

/// What others call them.
const SYNONYMS: [(&str, &str); 9] = [
    ("retries", "retry"),
    ("max_retries", "retry"),
    ("delay", "backoff"),
    ("cache", "max_age"),
    ("cache_age", "max_age"),
    ("ttl", "max_age"),
    ("tokens", "max_tokens"),
    ("period", "temporal_scope"),
    ("default", "fallback"),
];

impl Parser<'_> {
    /// Reads `PLAN WITH …`; whether the line is that.
    pub(super) fn head(&mut self, line: &Line, plan: &mut DraftPlan) -> bool {
        let mut cursor = Cursor::new(self.masked, line.span);
        if !cursor.eat_word("PLAN") || !cursor.eat_word("WITH") {
            return false;
        }
        if plan.head.replace(line.span).is_some() {
            self.problems.error("plan-syntax", line.span, "PLAN stands twice; write all of it in one line");
            return true;
        }
        self.with(&mut cursor);
        if self.options.fallback.is_some() {
            let message = "a plan has no `fallback`; write it behind the step it is for";
            self.problems.error("plan-syntax", line.span, message);
        }
        plan.options = std::mem::take(&mut self.options);
        plan.uses = std::mem::take(&mut self.uses);
        true
    }

    /// Takes the options from the end of a step, so that only its operation is left.
    pub(super) fn cut_options(&mut self, cursor: &mut Cursor<'_>) {
        let op = { *cursor }.name().map_or("", |span| cursor.slice(span));
        if let Some(at) = cursor.find_word("WITH").filter(|at| *at > cursor.at && op != "PLAN") {
            // `EXTRACT $x WITH "…"` is a slip for PATTERN.
            let mut tail = Cursor { at: at + "WITH".len(), ..*cursor };
            tail.skip_space();
            if { tail }.quoted().is_none_or(|_| op != "EXTRACT") {
                self.with(&mut tail);
                cursor.end = trimmed(self.masked, Span::new(cursor.at, at)).end;
            }
        }
        if op == "EXTRACT" {
            return;
        }
        let Some(at) = cursor.find_first(&["AS", "UNIT"]).filter(|at| *at > cursor.at) else { return };
        let mut tail = Cursor { at, ..*cursor };
        cursor.end = trimmed(self.masked, Span::new(cursor.at, at)).end;
        while !tail.is_done() {
            let Some(span) = tail.name() else { break };
            match tail.slice(span) {
                "AS" => {
                    tail.skip_space();
                    let start = tail.at;
                    let Some(found) = self.r#type(&mut tail, span) else { return };
                    let found = Spanned::new(found, Span::new(start, tail.at));
                    let again = self.options.r#type.replace(found).is_some();
                    self.twice(again, span);
                }
                "UNIT" => {
                    if self.unit(&mut tail, span).is_none() {
                        return;
                    }
                }
                _ => {
                    tail.at = span.start;
                    break;
                }
            }
        }
        self.nothing_after(&mut tail);
    }

    /// `UNIT "kg"`, behind the word.
    pub(super) fn unit(&mut self, cursor: &mut Cursor<'_>, word: Span) -> Option<()> {
        let unit = self.quoted_text(cursor, word, "`UNIT \"kg\"`")?;
        let again = self.options.unit.replace(unit).is_some();
        self.twice(again, word);
        Some(())
    }

    /// `name: value, …` behind `WITH`.
    fn with(&mut self, cursor: &mut Cursor<'_>) {
        cursor.skip_space();
        let mut seen: Vec<&str> = Vec::new();
        for part in cursor.split_commas() {
            let mut item = Cursor::new(self.masked, part);
            let Some(name) = item.name() else {
                self.problems.error(
                    "plan-syntax",
                    part,
                    format!("`name: value` is expected; there are {}", OPTIONS.join(", ")),
                );
                continue;
            };
            let word = item.slice(name);
            item.skip_space();
            if !item.eat(":") && !item.eat("=") {
                self.problems.error("plan-syntax", part, format!("`{word}: value` is expected"));
                continue;
            }
            let value = item.remaining();
            let Some(known) = OPTIONS.iter().copied().find(|o| *o == word) else {
                let meant = SYNONYMS.iter().find(|(other, _)| *other == word).map(|(_, ours)| *ours);
                let meant = meant.or_else(|| nearest(word, OPTIONS));
                let message = format!("there is no option `{word}`; there are {}", OPTIONS.join(", "));
                self.problems.error("unknown-option", name, message).fix =
                    meant.and_then(|ours| fix(format!("write {ours}"), name, ours));
                self.loose_uses(value);
                continue;
            };
            if seen.contains(&known) {
                self.twice(true, name);
                continue;
            }
            seen.push(known);
            self.option(known, value);
        }
    }

    fn option(&mut self, name: &str, value: Span) {
        match name {
            "temporal_scope" => self.options.temporal_scope = self.formula(value, Place::Always),
            "fallback" => self.options.fallback = self.formula(value, Place::Rescue),
            "retry" => {
                self.options.retry = self.count(value, u64::from(limits::MAX_RETRIES)).and_then(|n| n.try_into().ok())
            }
            "max_tokens" => self.options.max_tokens = self.count(value, u64::MAX),
            "max_steps" => {
                self.options.max_steps = self.count(value, limits::MAX_STEPS as u64).and_then(|n| n.try_into().ok());
            }
            "backoff" => self.options.backoff = self.length(value),
            "timeout" => self.options.timeout = self.length(value),
            "max_age" => self.options.max_age = self.length(value),
            _ => {
                let names: Vec<_> = OnFailure::ALL.iter().map(|o| o.as_str()).collect();
                let mut cursor = Cursor::new(self.masked, value);
                let found = self.one_of(&mut cursor, value, &names, "what a failure may lead to", "unknown-option");
                self.options.on_failure = found.and_then(|found| OnFailure::parse(&found.value));
                self.nothing_after(&mut cursor);
            }
        }
    }

    fn count(&mut self, value: Span, most: u64) -> Option<u64> {
        let text = self.masked.get(value.start..value.end).unwrap_or("");
        let number = text.parse().ok().filter(|n| *n <= most);
        if number.is_none() {
            let message = if most == u64::MAX {
                "a whole number is expected here".to_owned()
            } else {
                format!("a whole number of at most {most} is expected here")
            };
            self.problems.error("wrong-option", value, message);
        }
        number
    }

    fn length(&mut self, value: Span) -> Option<Length> {
        let mut cursor = Cursor::new(self.masked, value);
        let text = match cursor.quoted() {
            Some(quoted) => self.text(quoted, false)?.value,
            None => self.masked.get(value.start..value.end).unwrap_or("").to_owned(),
        };
        let ms = parse_duration(&text).and_then(|d| d.exact_ms());
        match ms {
            Ok(ms) if ms >= 0 => Some(Length { text, ms }),
            Ok(_) => {
                self.problems.error("wrong-option", value, "a length of time is not negative");
                None
            }
            Err(error) => {
                self.problems.error("wrong-option", value, error.message());
                None
            }
        }
    }

    /// Options that say nothing where they stand.
    pub(super) fn options_fit(&mut self, action: &Action, body: Span) {
        if self.options.max_steps.is_some() {
            self.problems.error("wrong-option", body, "`max_steps` is said of a whole plan: `PLAN WITH max_steps: 20`");
        }
        let r#type = match action {
            Action::Extract(extract) => extract.r#type,
            _ => self.options.r#type.as_ref().map(|t| t.value),
        };
        let number = r#type.is_none_or(|t| matches!(t, crate::Type::Number | crate::Type::Integer | crate::Type::List));
        if let Some(unit) = self.options.unit.as_ref().filter(|_| !number) {
            let message = "a unit belongs to a number; write `AS number`";
            self.problems.error("wrong-option", unit.span, message);
        }
    }
}

impl Options {
    /// Whether nothing is said.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
