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
            for field in map.keys().filter(|k| !matches!(k.as_str(), "steps" | "note" | "plan" | "with")) {
                say(problems, None, format!("a plan has no field `{field}`; it has `steps`, `with` and `note`"));
            }
            if let Some(with) = map.get("with") {
                let with =
                    Writer { args: &Map::new(), used: Vec::new(), problems, id: "", shown: "the plan" }.with(with);
                if !with.is_empty() {
                    out.push_str(&format!("PLAN{with}\n"));
                }
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
    const FIELDS: [&str; 7] = ["id", "op", "args", "as", "unit", "with", "note"];
    for field in map.keys().filter(|k| !FIELDS.contains(&k.as_str())) {
        say(problems, Some(id), format!("{shown} has no field `{field}`; the fields are {}", FIELDS.join(", ")));
    }
    let op = text("op");
    if op.is_empty() || op.contains(|c: char| !c.is_alphanumeric() && c != '_') {
        say(problems, Some(id), format!("{shown} has no `op`; the operations are {}", Op::names()));
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
    let mut action = writer.action(op);
    action.push_str(&writer.options(map));
    let used = std::mem::take(&mut writer.used);
    let left: Vec<_> = args.keys().filter(|k| !used.contains(&k.as_str())).cloned().collect();
    if Op::parse(op).is_some() {
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
            Some(Op::Get) => format!("GET {}", self.source()),
            Some(op @ (Op::Search | Op::Query)) => {
                let mut out = format!("{} {}", op.as_str(), self.source());
                let words = self.argument("for");
                self.put(&mut out, " FOR ", words);
                let rule = self.given("where");
                self.put(&mut out, " WHERE ", rule);
                let limit = self.argument("limit");
                self.put(&mut out, " LIMIT ", limit);
                out
            }
            Some(Op::Validate) => {
                let mut out = format!("VALIDATE {}", self.expression("rule"));
                let message = self.argument("message");
                self.put(&mut out, " ELSE ", message);
                out
            }
            Some(Op::Merge) => {
                let items = self.list("items", |writer, item| writer.value(item).unwrap_or_default());
                let mut out = format!("MERGE {}", items.join(", "));
                let by = self.text("by");
                let by = self.args.contains_key("by").then(|| quote_plain(&by));
                self.put(&mut out, " BY ", by);
                out
            }
            Some(Op::Filter) => {
                let list = self.argument("list").unwrap_or_default();
                format!("FILTER {list} WHERE {}", self.expression("where"))
            }
            Some(Op::Arbitrate) => {
                let among = self.list("among", |_, item| format!("${}", word(item)));
                let mut out = format!("ARBITRATE {}", among.join(", "));
                let by = self.list("by", |_, item| word(item).to_owned());
                self.put(&mut out, " BY ", (!by.is_empty()).then(|| by.join(", ")));
                let within = self.argument("within");
                self.put(&mut out, " WITHIN ", within);
                out
            }
            Some(Op::Ask) => {
                let mut out = format!("ASK {}", self.argument("question").unwrap_or_default());
                let options = self.argument("options");
                self.put(&mut out, " OPTIONS ", options);
                out
            }
            Some(Op::Extract) => self.extract(),
            Some(Op::Compute) => format!("COMPUTE {}", self.expression("expression")),
            Some(Op::If) => {
                let condition = self.expression("condition");
                let (then, otherwise) = (self.argument("then"), self.argument("else"));
                format!("IF {condition} THEN {} ELSE {}", then.unwrap_or_default(), otherwise.unwrap_or_default())
            }
            Some(Op::Call) => self.call(),
            // Reported by the reader of the text form, at this word.
            None => op.to_owned(),
        }
    }

    #[expect(clippy::unused_self, reason = "reads as the others do")]
    fn put(&self, out: &mut String, before: &str, value: Option<String>) {
        if let Some(value) = value {
            out.push_str(before);
            out.push_str(&value);
        }
    }

    /// An expression that may be absent.
    fn given(&mut self, field: &'static str) -> Option<String> {
        let expression = self.expression(field);
        self.args.contains_key(field).then_some(expression)
    }

    fn list(&mut self, field: &'static str, item: impl Fn(&mut Self, &Value) -> String) -> Vec<String> {
        self.used.push(field);
        match self.args.get(field) {
            Some(Value::List(items)) => items.iter().map(|i| item(self, i)).collect(),
            None => Vec::new(),
            Some(other) => {
                let message = format!("`{field}` of {} is a {}; it is a list", self.shown, other.kind());
                say(self.problems, Some(self.id), message);
                Vec::new()
            }
        }
    }

    /// A source with its arguments and the others behind `OR`.
    fn source(&mut self) -> String {
        let mut out = self.name("source");
        if self.args.contains_key("arguments") {
            out.push_str(&self.arguments());
        }
        let or = self.list("or", |_, item| name(item.as_str().unwrap_or("")));
        for other in or {
            out.push_str(" OR ");
            out.push_str(&other);
        }
        out
    }

    /// `as`, `unit` and `with` of a step.
    fn options(&mut self, step: &Map) -> String {
        let mut out = String::new();
        if let Some(r#type) = step.get("as") {
            self.put(&mut out, " AS ", Some(word(r#type).to_owned()));
        }
        if let Some(unit) = step.get("unit") {
            let unit = unit.as_str().map_or_else(|| unit.to_json(), quote_plain);
            self.put(&mut out, " UNIT ", Some(unit));
        }
        if let Some(with) = step.get("with") {
            let with = self.with(with);
            out.push_str(&with);
        }
        out
    }

    fn with(&mut self, with: &Value) -> String {
        let Some(map) = with.as_map() else {
            say(self.problems, None, format!("`with` of {} is a {}; it is a map", self.shown, with.kind()));
            return String::new();
        };
        let parts: Vec<String> = map
            .iter()
            .map(|(key, value)| {
                let text = match (key.as_str(), value) {
                    ("on_failure", Value::Text(text)) if argument_name(text) == *text => text.clone(),
                    _ => self.value(value).unwrap_or_default(),
                };
                format!("{}: {text}", argument_name(key))
            })
            .collect();
        if parts.is_empty() { String::new() } else { format!(" WITH {}", parts.join(", ")) }
    }

    fn extract(&mut self) -> String {
        let from = self.text("from");
        let from = bare(&from);
        let mut out = format!("EXTRACT ${from}");
        if argument_name(from) != from || from.is_empty() {
            say(self.problems, Some(self.id), format!("`from` of {} is not the name of a binding", self.shown));
            "EXTRACT".clone_into(&mut out);
        }
        self.used.extend(WAYS);
        self.used.extend(["near", "or", "pick", "as", "default"]);
        let how = self.how(self.args);
        out.push_str(&how);
        if let Some(or) = self.args.get("or") {
            for way in or.as_list().unwrap_or(&[]) {
                match way.as_map() {
                    Some(way) => {
                        let how = self.how(way);
                        out.push_str(&format!(" OR{how}"));
                    }
                    None => say(
                        self.problems,
                        Some(self.id),
                        format!("`or` of {} is a list of maps `{{path}}`", self.shown),
                    ),
                }
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

    /// One way to find a value.
    fn how(&mut self, map: &Map) -> String {
        let ways: Vec<&str> = WAYS.into_iter().filter(|w| map.contains_key(w)).collect();
        if ways.len() > 1 {
            let message =
                format!("{} has several of {}; keep one, and put the others under `or`", self.shown, WAYS.join(", "));
            say(self.problems, Some(self.id), message);
        }
        let Some(way) = ways.first() else { return String::new() };
        let value = map.get(way).unwrap_or(&Value::Null);
        let text = value.as_str().unwrap_or("");
        match *way {
            "path" => format!(" JSONPATH {}", quote_pattern(text)),
            "pattern" => format!(" PATTERN {}", quote_pattern(text)),
            "selector" => format!(" SELECTOR {}", quote_plain(text)),
            "cell" => {
                let heads: Vec<_> =
                    value.as_list().unwrap_or(&[]).iter().map(|v| quote_plain(v.as_str().unwrap_or(""))).collect();
                format!(" CELL {}", heads.join(", "))
            }
            "find" => {
                let near = map.get("near").and_then(Value::as_str).map(|near| format!(" NEAR {}", quote_plain(near)));
                format!(" FIND {}{}", word(value), near.unwrap_or_default())
            }
            _ => match name(text) {
                quoted if quoted.starts_with('"') => {
                    say(
                        self.problems,
                        Some(self.id),
                        format!("{text:?} in {} is not the name of a pattern", self.shown),
                    );
                    String::new()
                }
                bare => format!(" PATTERN {bare}"),
            },
        }
    }

    fn call(&mut self) -> String {
        let tool = self.name("tool");
        let arguments = self.arguments();
        format!("CALL {tool}{arguments}")
    }

    fn arguments(&mut self) -> String {
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
        format!("({})", parts.join(", "))
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

/// The ways of `EXTRACT`, by the names of their arguments.
const WAYS: [&str; 6] = ["path", "pattern", "named", "selector", "cell", "find"];

/// A name without `$`; nothing when it is none, so that its place in the text stays empty and is reported there.
fn word(value: &Value) -> &str {
    let word = bare(value.as_str().unwrap_or(""));
    if argument_name(word) == word { word } else { "" }
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
