//! The JSON form to text.

use throughline_expr::Expr;
use throughline_value::{Map, Span, Value};

use crate::Op;
use crate::check::problems::Problems;
use crate::print::{argument_name, comment, name, one_line, write_step};
use crate::scope::bare;
use crate::text::{quote_pattern, quote_plain};

/// The plan in the text form. What has no place there is reported; what is merely wrong is written down as it
/// is, so that it is reported with its place.
pub(crate) fn to_text(plan: &Value, problems: &mut Problems) -> String {
    let mut out = String::new();
    let (steps, note) = match plan {
        Value::List(steps) => (Some(steps.as_slice()), ""),
        Value::Map(map) => {
            for field in map.keys().filter(|k| !matches!(k.as_str(), "steps" | "note" | "plan")) {
                say(problems, None, format!("a plan has no field `{field}`; it has `steps` and `note`"));
            }
            let steps = map.get("steps").or_else(|| map.get("plan")).and_then(Value::as_list);
            (steps, map.get("note").and_then(Value::as_str).unwrap_or(""))
        }
        _ => (None, ""),
    };
    let Some(steps) = steps else {
        say(problems, None, "a plan in JSON is a list of steps, or a map with the list under `steps`".to_owned());
        return out;
    };
    for (index, step) in steps.iter().enumerate() {
        write(&mut out, step, index + 1, problems);
    }
    comment(&mut out, note);
    out
}

fn say(problems: &mut Problems, step: Option<&str>, message: String) {
    let problem = problems.error("plan-syntax", Span::default(), message);
    problem.span = None;
    problem.step = step.map(str::to_owned);
}

fn write(out: &mut String, step: &Value, number: usize, problems: &mut Problems) {
    let Some(map) = step.as_map() else {
        say(problems, None, format!("step {number} is a {}; a step is a map `{{id, op, args}}`", step.kind()));
        return;
    };
    let text = |field: &str| map.get(field).and_then(Value::as_str).unwrap_or("");
    let id = bare(text("id"));
    let shown = if id.is_empty() { format!("step {number}") } else { format!("step `{id}`") };
    if argument_name(id) != id || id.is_empty() {
        say(problems, None, format!("step {number} has no `id` that is a name of letters, digits and `_`"));
        return;
    }
    for field in map.keys().filter(|k| !matches!(k.as_str(), "id" | "op" | "args" | "note")) {
        say(problems, Some(id), format!("{shown} has no field `{field}`; the fields are id, op, args, note"));
    }
    let op = text("op");
    if op.is_empty() || op.contains(|c: char| !c.is_alphanumeric() && c != '_') {
        say(problems, Some(id), format!("{shown} has no `op`; the operations are {}", Op::available_names()));
        return;
    }
    let empty = Map::new();
    let args = match map.get("args") {
        Some(Value::Map(args)) => args,
        None => &empty,
        Some(other) => {
            say(problems, Some(id), format!("`args` of {shown} is a {}; it is a map", other.kind()));
            return;
        }
    };
    let mut writer = Writer { args, used: Vec::new(), problems, id, shown: &shown };
    let action = writer.action(op);
    let used = std::mem::take(&mut writer.used);
    let left: Vec<_> = args.keys().filter(|k| !used.contains(&k.as_str())).cloned().collect();
    if Op::parse(op).is_some_and(Op::available) {
        for field in left {
            let names = used.join(", ");
            say(problems, Some(id), format!("{op} in {shown} has no argument `{field}`; the arguments are {names}"));
        }
    }
    write_step(out, &format!("${id}"), &action, text("note"));
}

struct Writer<'a> {
    args: &'a Map,
    used: Vec<&'static str>,
    problems: &'a mut Problems,
    id: &'a str,
    shown: &'a str,
}

impl Writer<'_> {
    fn action(&mut self, op: &str) -> String {
        match Op::parse(op) {
            Some(Op::Get) => format!("GET {}", self.name("source")),
            Some(Op::Extract) => self.extract(),
            Some(Op::Compute) => format!("COMPUTE {}", self.expression("expression")),
            Some(Op::If) => {
                let condition = self.expression("condition");
                let (then, otherwise) = (self.argument("then"), self.argument("else"));
                format!("IF {condition} THEN {} ELSE {}", then.unwrap_or_default(), otherwise.unwrap_or_default())
            }
            Some(Op::Call) => self.call(),
            // Reported by the reader of the text form, at this word.
            _ => op.to_owned(),
        }
    }

    fn extract(&mut self) -> String {
        let from = self.text("from");
        let from = bare(&from);
        let mut out = format!("EXTRACT ${from}");
        if argument_name(from) != from || from.is_empty() {
            say(self.problems, Some(self.id), format!("`from` of {} is not the name of a binding", self.shown));
            "EXTRACT".clone_into(&mut out);
        }
        let ways = ["path", "pattern", "named"].iter().filter(|w| self.args.contains_key(w)).count();
        if ways > 1 {
            say(
                self.problems,
                Some(self.id),
                format!("{} has several of path, pattern and named; keep one", self.shown),
            );
        }
        self.used.extend(["path", "pattern", "named", "pick", "as", "default"]);
        let text = |name: &str| self.args.get(name).and_then(Value::as_str);
        if let Some(path) = text("path") {
            out.push_str(&format!(" JSONPATH {}", quote_pattern(path)));
        } else if let Some(pattern) = text("pattern") {
            out.push_str(&format!(" PATTERN {}", quote_pattern(pattern)));
        } else if let Some(named) = text("named") {
            let quoted = name(named);
            if quoted.starts_with('"') {
                say(self.problems, Some(self.id), format!("{named:?} in {} is not the name of a pattern", self.shown));
            } else {
                out.push_str(&format!(" PATTERN {quoted}"));
            }
        }
        for (field, before) in [("pick", ""), ("as", "AS ")] {
            let Some(value) = self.args.get(field) else { continue };
            let word = value.as_str().unwrap_or("");
            if argument_name(word) != word || word.is_empty() {
                say(self.problems, Some(self.id), format!("`{field}` of {} is not a word", self.shown));
                continue;
            }
            let word = if field == "pick" { word.to_uppercase() } else { word.to_owned() };
            out.push_str(&format!(" {before}{word}"));
        }
        if let Some(default) = self.argument("default") {
            out.push_str(&format!(" DEFAULT {default}"));
        }
        out
    }

    fn call(&mut self) -> String {
        let tool = self.name("tool");
        self.used.push("arguments");
        let empty = Map::new();
        let arguments = match self.args.get("arguments") {
            Some(Value::Map(map)) => map,
            None | Some(Value::Null) => &empty,
            Some(other) => {
                let message = format!("`arguments` of {} is a {}; it is a map", self.shown, other.kind());
                say(self.problems, Some(self.id), message);
                &empty
            }
        };
        let parts: Vec<_> = arguments
            .iter()
            .map(|(key, value)| {
                format!("{}: {}", argument_name(key), self.value(value).unwrap_or_else(|| "null".to_owned()))
            })
            .collect();
        format!("CALL {tool}({})", parts.join(", "))
    }

    fn text(&mut self, field: &'static str) -> String {
        self.used.push(field);
        match self.args.get(field) {
            Some(Value::Text(text)) => text.clone(),
            None => String::new(),
            Some(other) => {
                let message = format!("`{field}` of {} is a {}; it is a text", self.shown, other.kind());
                say(self.problems, Some(self.id), message);
                String::new()
            }
        }
    }

    fn name(&mut self, field: &'static str) -> String {
        let text = self.text(field);
        if text.is_empty() { text } else { name(&text) }
    }

    /// An argument that is always an expression.
    fn expression(&mut self, field: &'static str) -> String {
        self.used.push(field);
        match self.args.get(field) {
            None => String::new(),
            Some(Value::Text(text)) => self.formula(text),
            Some(other) => literal(other).unwrap_or_default(),
        }
    }

    /// An argument that is a value or an expression.
    fn argument(&mut self, field: &'static str) -> Option<String> {
        if !self.used.contains(&field) {
            self.used.push(field);
        }
        let value = self.args.get(field)?;
        self.value(value)
    }

    fn value(&mut self, value: &Value) -> Option<String> {
        match written(value) {
            Ok(text) => Some(text),
            Err(source) => Some(self.formula(&source)),
        }
    }

    /// An expression for the text form. One that would not stand there as it is, is reported here.
    fn formula(&mut self, source: &str) -> String {
        let source = source.trim();
        let breaks = source.contains(['\n', '\r', '#']);
        match Expr::parse(source) {
            Ok(_) => one_line(source),
            Err(error) if breaks => {
                let problem = self.problems.error(
                    error.code(),
                    Span::default(),
                    format!("in {}: {}", self.shown, error.message()),
                );
                problem.span = None;
                problem.step = Some(self.id.to_owned());
                "null".to_owned()
            }
            Err(_) => source.to_owned(),
        }
    }
}

/// A value or an expression as the expression language writes it; `Err` has a single expression that stands
/// alone.
fn written(value: &Value) -> Result<String, String> {
    match value {
        Value::Text(text) if text.starts_with('=') => Err(text.get(1..).unwrap_or("").to_owned()),
        Value::Text(text) if is_reference(text) => Ok(text.clone()),
        Value::List(items) => {
            let items: Vec<_> = items.iter().map(inner).collect();
            Ok(format!("[{}]", items.join(", ")))
        }
        Value::Map(map) => {
            let items: Vec<_> = map.iter().map(|(k, v)| format!("{}: {}", quote_plain(k), inner(v))).collect();
            Ok(format!("{{{}}}", items.join(", ")))
        }
        plain => literal(plain),
    }
}

/// A value inside a list or a map. An expression there must read; else it stays the text that it is, which
/// the reader of the text form then shows.
fn inner(value: &Value) -> String {
    match written(value) {
        Ok(text) => text,
        Err(source) => match Expr::parse(source.trim()) {
            Ok(expr) => format!("({})", expr.normal()),
            Err(_) => quote_plain(&format!("={source}")),
        },
    }
}

/// A value without any expression in it.
pub(super) fn literal(value: &Value) -> Result<String, String> {
    match value {
        Value::Text(text) if text.starts_with('=') || is_reference(text) => Err(text.clone()),
        Value::Text(text) => Ok(quote_plain(text)),
        Value::List(items) => {
            let items: Result<Vec<_>, _> = items.iter().map(literal).collect();
            Ok(format!("[{}]", items?.join(", ")))
        }
        Value::Map(map) => {
            let items: Result<Vec<_>, String> =
                map.iter().map(|(k, v)| Ok(format!("{}: {}", quote_plain(k), literal(v)?))).collect();
            Ok(format!("{{{}}}", items?.join(", ")))
        }
        plain => Ok(plain.to_json()),
    }
}

/// `$name`, `$name.field`, `$name[0]`: a text of the JSON form that is a reference and not a text.
pub(super) fn is_reference(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('$') else { return false };
    let Some(first) = rest.chars().next() else { return false };
    (first == '_' || first.is_alphabetic())
        && rest.chars().all(|c| c == '_' || c.is_alphanumeric() || matches!(c, '.' | '[' | ']'))
        && Expr::parse(text).is_ok()
}
