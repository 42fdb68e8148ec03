//! The text form of a typed plan: one step a line, names aligned.

use std::fmt::Write as _;

use crate::plan::{Action, Argument, Extract, Formula, How, Lookup, Options, Plan, Spanned, Step};
use crate::text::{quote_pattern, quote_plain};

impl Plan {
    /// The plan in its normal text form; reading it gives the same steps.
    #[must_use]
    pub fn to_text(&self) -> String {
        let width = self.steps.iter().map(|s| s.id.value.chars().count()).filter(|w| *w <= 16).max().unwrap_or(0);
        let mut out = String::new();
        if self.options != Options::default() {
            let _ = writeln!(out, "PLAN{}", self.options);
        }
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
    write_step(out, &format!("${id}{space}"), &format!("{}{}", step.action, step.options), &step.note);
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
            Self::Get { source, arguments, or } => {
                write!(f, "GET {}", name(&source.value))?;
                if !arguments.is_empty() {
                    self::arguments(f, arguments)?;
                }
                others(f, or)
            }
            Self::Search(lookup) => write!(f, "SEARCH {lookup}"),
            Self::Query(lookup) => write!(f, "QUERY {lookup}"),
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
                write!(f, "CALL {}", name(&tool.value))?;
                self::arguments(f, arguments)
            }
            Self::Validate { rule, message } => {
                write!(f, "VALIDATE {}", one_line(rule.source()))?;
                clause(f, "ELSE", message.as_ref())
            }
            Self::Merge { items, by } => {
                list(f, "MERGE ", items, |item| one_line(item.source()))?;
                by.as_ref().map_or(Ok(()), |by| write!(f, " BY {}", quote_plain(&by.value)))
            }
            Self::Filter { list, rule } => {
                write!(f, "FILTER {} WHERE {}", one_line(list.source()), one_line(rule.source()))
            }
            Self::Arbitrate { among, by, within } => {
                list(f, "ARBITRATE ", among, |name| format!("${}", name.value))?;
                if !by.is_empty() {
                    list(f, " BY ", by, |policy| policy.value.as_str().to_owned())?;
                }
                clause(f, "WITHIN", within.as_ref())
            }
            Self::Ask { question, options } => {
                write!(f, "ASK {}", one_line(question.source()))?;
                clause(f, "OPTIONS", options.as_ref())
            }
        }
    }
}

type Formatter<'a, 'b> = &'a mut std::fmt::Formatter<'b>;

/// Items between commas.
fn list<T>(f: Formatter<'_, '_>, before: &str, items: &[T], text: impl Fn(&T) -> String) -> std::fmt::Result {
    let items: Vec<_> = items.iter().map(text).collect();
    write!(f, "{before}{}", items.join(", "))
}

fn arguments(f: Formatter<'_, '_>, arguments: &[Argument]) -> std::fmt::Result {
    list(f, "(", arguments, |a| format!("{}: {}", argument_name(&a.name.value), one_line(a.value.source())))?;
    f.write_str(")")
}

fn others(f: Formatter<'_, '_>, or: &[Spanned<String>]) -> std::fmt::Result {
    or.iter().try_for_each(|source| write!(f, " OR {}", name(&source.value)))
}

fn clause(f: Formatter<'_, '_>, word: &str, formula: Option<&Formula>) -> std::fmt::Result {
    formula.map_or(Ok(()), |formula| write!(f, " {word} {}", one_line(formula.source())))
}

impl std::fmt::Display for Lookup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&name(&self.source.value))?;
        if !self.arguments.is_empty() {
            arguments(f, &self.arguments)?;
        }
        others(f, &self.or)?;
        clause(f, "FOR", self.words.as_ref())?;
        clause(f, "WHERE", self.rule.as_ref())?;
        self.limit.map_or(Ok(()), |limit| write!(f, " LIMIT {limit}"))
    }
}

impl std::fmt::Display for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(r#type) = &self.r#type {
            write!(f, " AS {}", r#type.value.as_str())?;
        }
        if let Some(unit) = &self.unit {
            write!(f, " UNIT {}", quote_plain(&unit.value))?;
        }
        let parts: Vec<_> = self.named().into_iter().map(|(name, value)| format!("{name}: {value}")).collect();
        if parts.is_empty() { Ok(()) } else { write!(f, " WITH {}", parts.join(", ")) }
    }
}

impl Options {
    /// What stands behind `WITH`: names and values as the text form writes them, in the order of the
    /// documentation.
    fn named(&self) -> Vec<(&'static str, String)> {
        let formula = |f: &Option<Formula>| f.as_ref().map(|f| one_line(f.source()));
        let length = |l: &Option<crate::Length>| l.as_ref().map(|l| quote_plain(&l.text));
        let all = [
            ("temporal_scope", formula(&self.temporal_scope)),
            ("fallback", formula(&self.fallback)),
            ("retry", self.retry.map(|n| n.to_string())),
            ("backoff", length(&self.backoff)),
            ("timeout", length(&self.timeout)),
            ("max_age", length(&self.max_age)),
            ("max_tokens", self.max_tokens.map(|n| n.to_string())),
            ("max_steps", self.max_steps.map(|n| n.to_string())),
            ("on_failure", self.on_failure.map(|o| o.as_str().to_owned())),
        ];
        all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

impl std::fmt::Display for Extract {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "EXTRACT ${} ", self.from.value)?;
        self.how.fmt(f)?;
        self.or.iter().try_for_each(|how| write!(f, " OR {how}"))?;
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

impl std::fmt::Display for How {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Path(path) => write!(f, "JSONPATH {}", quote_pattern(&path.value)),
            Self::Pattern(pattern) => write!(f, "PATTERN {}", quote_pattern(&pattern.value)),
            Self::Named(pattern) => match name(&pattern.value) {
                // A quoted name would be read as a regular expression; no pattern of a domain is called so.
                quoted if quoted.starts_with('"') => write!(f, "PATTERN {}", pattern.value),
                bare => write!(f, "PATTERN {bare}"),
            },
            Self::Selector(selector) => write!(f, "SELECTOR {}", quote_plain(&selector.value)),
            Self::Cell(row, column) => write!(f, "CELL {}, {}", quote_plain(&row.value), quote_plain(&column.value)),
            Self::Looks(looks, near) => {
                write!(f, "FIND {}", looks.value.as_str())?;
                near.as_ref().map_or(Ok(()), |near| write!(f, " NEAR {}", quote_plain(&near.value)))
            }
        }
    }
}

/// An expression on one line: continued lines are joined, in the normal spelling where a break stood in it.
pub(crate) fn one_line(source: &str) -> String {
    if !source.contains(['\n', '\r']) {
        return source.to_owned();
    }
    throughline_expr::Expr::parse(source).map_or_else(|_| source.replace(['\n', '\r'], " "), |expr| expr.normal())
}
