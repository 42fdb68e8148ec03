//! A typed plan to its JSON form.

use throughline_value::{Map, Value};

use crate::plan::{Action, Formula, How, Plan};
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
            if !step.note.is_empty() {
                out.insert("note".to_owned(), step.note.as_str().into());
            }
            Value::Map(out)
        });
        let steps = Value::List(steps.collect());
        if self.note.is_empty() {
            return steps;
        }
        Value::Map(Map::from_iter([("steps".to_owned(), steps), ("note".to_owned(), self.note.as_str().into())]))
    }
}

/// The arguments of a step in the JSON form.
pub(crate) fn args(action: &Action) -> Map {
    let mut out = Map::new();
    let mut put = |name: &str, value: Value| _ = out.insert(name.to_owned(), value);
    let expression = |formula: &Formula| Value::Text(one_line(formula.source()));
    match action {
        Action::Get { source, .. } => put("source", source.value.as_str().into()),
        Action::Extract(extract) => {
            put("from", format!("${}", extract.from.value).into());
            match &extract.how {
                How::Path(path) => put("path", path.value.as_str().into()),
                How::Pattern(pattern) => put("pattern", pattern.value.as_str().into()),
                How::Named(name) => put("named", name.value.as_str().into()),
                _ => {}
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
        Action::Call { tool, arguments } => {
            put("tool", tool.value.as_str().into());
            let arguments = arguments.iter().map(|a| (a.name.value.clone(), argument(&a.value)));
            put("arguments", Value::Map(arguments.collect()));
        }
        _ => {}
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
