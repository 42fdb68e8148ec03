//! The text form of a typed plan: one step a line, names aligned.

use std::fmt::Write as _;

use crate::plan::{Action, Extract, How, Plan, Step};
use crate::text::{quote_pattern, quote_plain};

impl Plan {
    /// The plan in its normal text form; reading it gives the same steps.
    #[must_use]
    pub fn to_text(&self) -> String {
        let width = self.steps.iter().map(|s| s.id.value.chars().count()).filter(|w| *w <= 16).max().unwrap_or(0);
        let mut out = String::new();
        for step in &self.steps {
            line(&mut out, step, width);
        }
        comment(&mut out, &self.note);
        out
    }
}

fn line(out: &mut String, step: &Step, width: usize) {
    let id = &step.id.value;
    let space = " ".repeat(width.saturating_sub(id.chars().count()));
    write_step(out, &format!("${id}{space}"), &step.action.to_string(), &step.note);
}

/// A line from its parts: a note of one line stands behind the step, a longer one before it.
pub(crate) fn write_step(out: &mut String, name: &str, action: &str, note: &str) {
    let one_line = !note.contains(['\n', '\r']);
    if !one_line {
        comment(out, note);
    }
    let _ = write!(out, "{name} = {action}");
    if one_line && !note.is_empty() {
        let _ = write!(out, "  # {note}");
    }
    out.push('\n');
}

pub(crate) fn comment(out: &mut String, note: &str) {
    if note.is_empty() {
        return;
    }
    for line in note.split(['\n', '\r']) {
        out.push_str("# ");
        out.push_str(line.trim());
        while out.ends_with(' ') {
            out.pop();
        }
        out.push('\n');
    }
}

/// A source, a tool or a pattern by name: in quotes where the bare name would not read back.
pub(crate) fn name(name: &str) -> String {
    let plain = name.chars().next().is_some_and(|c| c == '_' || c.is_alphanumeric())
        && name.chars().all(|c| c == '_' || c.is_alphanumeric() || matches!(c, '-' | '.' | '/' | ':'))
        && !name.ends_with(['-', '.', '/', ':']);
    if plain { name.to_owned() } else { quote_plain(name) }
}

/// The name of an argument.
pub(crate) fn argument_name(name: &str) -> String {
    let plain = name.chars().next().is_some_and(|c| c == '_' || c.is_alphabetic())
        && name.chars().all(|c| c == '_' || c.is_alphanumeric());
    if plain { name.to_owned() } else { quote_plain(name) }
}

impl std::fmt::Display for Action {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Get { source } => write!(f, "GET {}", name(&source.value)),
            Self::Extract(extract) => extract.fmt(f),
            Self::Compute(formula) => write!(f, "COMPUTE {}", one_line(formula.source())),
            Self::If { condition, then, otherwise } => write!(
                f,
                "IF {} THEN {} ELSE {}",
                one_line(condition.source()),
                one_line(then.source()),
                one_line(otherwise.source())
            ),
            Self::Call { tool, arguments } => {
                write!(f, "CALL {}(", name(&tool.value))?;
                for (i, argument) in arguments.iter().enumerate() {
                    let comma = if i > 0 { ", " } else { "" };
                    write!(f, "{comma}{}: {}", argument_name(&argument.name.value), one_line(argument.value.source()))?;
                }
                f.write_str(")")
            }
        }
    }
}

impl std::fmt::Display for Extract {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "EXTRACT ${} ", self.from.value)?;
        match &self.how {
            How::Path(path) => write!(f, "JSONPATH {}", quote_pattern(&path.value))?,
            How::Pattern(pattern) => write!(f, "PATTERN {}", quote_pattern(&pattern.value))?,
            How::Named(pattern) => match name(&pattern.value) {
                // A quoted name would be read as a regular expression; no pattern of a domain is called so.
                quoted if quoted.starts_with('"') => write!(f, "PATTERN {}", pattern.value)?,
                bare => write!(f, "PATTERN {bare}")?,
            },
        }
        if let Some(pick) = self.pick {
            write!(f, " {}", pick.as_str())?;
        }
        if let Some(r#type) = self.r#type {
            write!(f, " AS {}", r#type.as_str())?;
        }
        if let Some(default) = &self.default {
            write!(f, " DEFAULT {}", one_line(default.source()))?;
        }
        Ok(())
    }
}

/// An expression on one line: continued lines are joined, in the normal spelling where a break stood in it.
pub(crate) fn one_line(source: &str) -> String {
    if !source.contains(['\n', '\r']) {
        return source.to_owned();
    }
    throughline_expr::Expr::parse(source).map_or_else(|_| source.replace(['\n', '\r'], " "), |expr| expr.normal())
}
