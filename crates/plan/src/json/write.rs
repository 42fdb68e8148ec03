//! A typed plan to its JSON form.

use throughline_value::{Map, Value};

use crate::plan::{Action, Argument, Formula, How, Length, Options, Plan, Spanned};
use crate::print::one_line;

use super::read::literal;

impl Plan {
    /// The plan in its JSON form: a list of steps; a map `{steps, note}` when remarks follow the last step.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let steps = self.steps.iter().map(|step| {
            let mut out = Map::new();
            out.insert("id".to_owned(), step.id.value.as_str().into());
            out.insert("op".to_owned(), step.action.op().as_str().into());
            out.insert("args".to_owned(), Value::Map(args(&step.action)));
            out.extend(options(&step.options));
            if !step.note.is_empty() {
                out.insert("note".to_owned(), step.note.as_str().into());
            }
            Value::Map(out)
        });
        let steps = Value::List(steps.collect());
        if self.note.is_empty() && self.options.is_empty() {
            return steps;
        }
        let mut out = options(&self.options);
        out.insert("steps".to_owned(), steps);
        if !self.note.is_empty() {
            out.insert("note".to_owned(), self.note.as_str().into());
        }
        Value::Map(out)
    }
}

/// `as`, `unit` and `with` of a step or a plan in the JSON form.
pub(crate) fn options(options: &Options) -> Map {
    let mut out = Map::new();
    if let Some(r#type) = &options.r#type {
        out.insert("as".to_owned(), r#type.value.as_str().into());
    }
    if let Some(unit) = &options.unit {
        out.insert("unit".to_owned(), unit.value.as_str().into());
    }
    let mut with = Map::new();
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            with.insert(name.to_owned(), value);
        }
    };
    let length = |length: &Option<Length>| length.as_ref().map(|l| l.text.as_str().into());
    put("temporal_scope", options.temporal_scope.as_ref().map(argument));
    put("fallback", options.fallback.as_ref().map(argument));
    put("retry", options.retry.map(|n| u64::from(n).into()));
    put("backoff", length(&options.backoff));
    put("timeout", length(&options.timeout));
    put("max_age", length(&options.max_age));
    put("max_tokens", options.max_tokens.map(Value::from));
    put("max_steps", options.max_steps.map(|n| u64::from(n).into()));
    put("on_failure", options.on_failure.map(|o| o.as_str().into()));
    if !with.is_empty() {
        out.insert("with".to_owned(), Value::Map(with));
    }
    out
}

fn how(how: &How) -> Map {
    let text = |text: &Spanned<String>| Value::from(text.value.as_str());
    match how {
        How::Path(path) => one("path", text(path)),
        How::Pattern(pattern) => one("pattern", text(pattern)),
        How::Named(name) => one("named", text(name)),
        How::Selector(selector) => one("selector", text(selector)),
        How::Cell(row, column) => one("cell", vec![text(row), text(column)].into()),
        How::Looks(looks, near) => {
            let mut out = one("find", looks.value.as_str().into());
            out.extend(near.iter().map(|near| ("near".to_owned(), text(near))));
            out
        }
    }
}

fn one(name: &str, value: Value) -> Map {
    Map::from_iter([(name.to_owned(), value)])
}

fn arguments_of(arguments: &[Argument]) -> Value {
    Value::Map(arguments.iter().map(|a| (a.name.value.clone(), argument(&a.value))).collect())
}

fn names(names: &[Spanned<String>], before: &str) -> Value {
    names.iter().map(|name| Value::from(format!("{before}{}", name.value))).collect::<Vec<_>>().into()
}

/// The arguments of a step in the JSON form.
pub(crate) fn args(action: &Action) -> Map {
    let mut out = Map::new();
    let mut put = |name: &str, value: Value| _ = out.insert(name.to_owned(), value);
    let expression = |formula: &Formula| Value::Text(one_line(formula.source()));
    match action {
        Action::Get { source, arguments, or } => {
            put("source", source.value.as_str().into());
            if !arguments.is_empty() {
                put("arguments", arguments_of(arguments));
            }
            if !or.is_empty() {
                put("or", names(or, ""));
            }
        }
        Action::Search(lookup) | Action::Query(lookup) => {
            put("source", lookup.source.value.as_str().into());
            if !lookup.arguments.is_empty() {
                put("arguments", arguments_of(&lookup.arguments));
            }
            if !lookup.or.is_empty() {
                put("or", names(&lookup.or, ""));
            }
            if let Some(words) = &lookup.words {
                put("for", argument(words));
            }
            if let Some(rule) = &lookup.rule {
                put("where", expression(rule));
            }
            if let Some(limit) = lookup.limit {
                put("limit", u64::from(limit).into());
            }
        }
        Action::Extract(extract) => {
            put("from", format!("${}", extract.from.value).into());
            for (name, value) in how(&extract.how) {
                put(&name, value);
            }
            if !extract.or.is_empty() {
                put("or", extract.or.iter().map(|h| Value::Map(how(h))).collect::<Vec<_>>().into());
            }
            if let Some(pick) = extract.pick {
                put("pick", pick.as_str().to_lowercase().into());
            }
            if let Some(r#type) = extract.r#type {
                put("as", r#type.as_str().into());
            }
            if let Some(default) = &extract.default {
                put("default", argument(default));
            }
        }
        Action::Compute(formula) => put("expression", expression(formula)),
        Action::If { condition, then, otherwise } => {
            put("condition", expression(condition));
            put("then", argument(then));
            put("else", argument(otherwise));
        }
        Action::Validate { rule, message } => {
            put("rule", expression(rule));
            if let Some(message) = message {
                put("message", argument(message));
            }
        }
        Action::Merge { items, by } => {
            put("items", items.iter().map(argument).collect::<Vec<_>>().into());
            if let Some(by) = by {
                put("by", by.value.as_str().into());
            }
        }
        Action::Filter { list, rule } => {
            put("list", argument(list));
            put("where", expression(rule));
        }
        Action::Arbitrate { among, by, within } => {
            put("among", names(among, "$"));
            if !by.is_empty() {
                put("by", by.iter().map(|p| Value::from(p.value.as_str())).collect::<Vec<_>>().into());
            }
            if let Some(within) = within {
                put("within", argument(within));
            }
        }
        Action::Ask { question, options } => {
            put("question", argument(question));
            if let Some(options) = options {
                put("options", argument(options));
            }
        }
        Action::Call { tool, arguments } => {
            put("tool", tool.value.as_str().into());
            put("arguments", arguments_of(arguments));
        }
    }
    out
}

/// An argument that may be a value or an expression: a value where it would be written in the very same
/// way, a reference as it is, anything else behind `=`.
fn argument(formula: &Formula) -> Value {
    let source = one_line(formula.source());
    if super::read::is_reference(&source) {
        return Value::Text(source);
    }
    // Only what JSON and the expression language both write in the same way.
    if let Ok(value) = throughline_value::json::read_value(&source)
        && literal(&value).as_deref() == Ok(source.as_str())
    {
        return value;
    }
    Value::Text(format!("={source}"))
}
