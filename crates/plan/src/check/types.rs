//! What is known of values before anything is run: arguments that a schema does not take, conditions that
//! are none.

use throughline_expr::{BinaryOp, MapEnv, Node, NodeData};
use throughline_value::{Number, SortedMap, Value};

use super::problems::{Problems, fix};
use super::sources;
use crate::Op;
use crate::nearest::nearest;
use crate::plan::{Action, Argument, Formula, Spanned, Type};
use crate::scope::{Scope, bare};
use crate::text::{Draft, DraftPlan, quote_plain};

type Types<'a> = SortedMap<&'a str, Type>;

pub(super) fn check(text: &str, plan: &DraftPlan, scope: &Scope, problems: &mut Problems) {
    let types: Types<'_> = plan.steps.iter().filter_map(|s| Some((s.id.value.as_str(), of_step(s)?))).collect();
    for step in &plan.steps {
        let from = problems.len();
        let Some(action) = &step.action else { continue };
        match action {
            Action::Call { tool, arguments } => {
                if let Some(rule) = scope.tools.get(&tool.value) {
                    against(arguments, tool, &rule.schema, &types, problems);
                }
            }
            Action::If { condition, .. } => boolean(condition, &types, problems),
            Action::Validate { rule, .. } => boolean(rule, &types, problems),
            Action::Filter { list, rule } => {
                boolean(rule, &types, problems);
                wants_list(list, &types, problems);
            }
            _ => {
                if let Some((source, arguments, _)) = sources::parts(action)
                    && let Some(rule) = scope.source_rules.get(&source.value)
                {
                    against(arguments, source, &rule.schema, &types, problems);
                }
            }
        }
        for formula in formulas(action) {
            always_fails(formula, problems);
            arithmetic(formula.expr.ast(), text, &types, problems);
        }
        problems.belong_to(from, &step.id.value);
    }
}

/// An expression of nothing but constants that has no value has none in any run; the plan may still go on without.
fn always_fails(formula: &Formula, problems: &mut Problems) {
    if !formula.expr.names().is_empty() {
        return;
    }
    if let Err(error) = formula.expr.eval(&MapEnv::new())
        && !matches!(error.code(), "now-missing" | "zone-missing" | "bad-zone")
    {
        problems.warning(error.code(), error.span().unwrap_or(formula.span), error.message());
    }
}

fn formulas(action: &Action) -> Vec<&Formula> {
    match action {
        Action::Compute(formula) => vec![formula],
        Action::If { condition, then, otherwise } => vec![condition, then, otherwise],
        Action::Validate { rule, .. } | Action::Filter { rule, .. } => vec![rule],
        Action::Call { arguments, .. } => arguments.iter().map(|a| &a.value).collect(),
        _ => Vec::new(),
    }
}

/// What the value of a step is, when the plan says so.
fn of_step(step: &Draft) -> Option<Type> {
    let action = step.action.as_ref()?;
    match action {
        // A fallback may be anything.
        _ if step.options.fallback.is_some() => None,
        Action::Extract(extract) if extract.pick == Some(crate::Pick::All) => Some(Type::List),
        Action::Extract(extract) if extract.default.is_none() => extract.r#type,
        Action::Extract(_) => None,
        _ if step.options.r#type.is_some() => step.options.r#type.as_ref().map(|t| t.value),
        Action::Validate { .. } => Some(Type::Boolean),
        Action::Search(_) | Action::Query(_) | Action::Filter { .. } => Some(Type::List),
        Action::Compute(formula) => constant(formula).as_ref().and_then(of_value),
        _ => None,
    }
}

fn constant(formula: &Formula) -> Option<Value> {
    if formula.expr.names().is_empty() { formula.expr.eval(&MapEnv::new()).ok() } else { None }
}

fn of_value(value: &Value) -> Option<Type> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(_) => Type::Boolean,
        Value::Number(n) if n.is_integer() => Type::Integer,
        Value::Number(_) => Type::Number,
        Value::Text(_) => Type::Text,
        Value::List(_) => Type::List,
        Value::Map(_) => Type::Map,
    })
}

/// The type of a formula, when it is a constant or nothing but a binding.
fn of_formula(formula: &Formula, types: &Types<'_>) -> Option<Type> {
    reference(formula.expr.ast(), types).or_else(|| constant(formula).as_ref().and_then(of_value))
}

fn reference(node: &Node, types: &Types<'_>) -> Option<Type> {
    match &node.data {
        NodeData::Name(name) if name.starts_with('$') => types.get(bare(name)).copied(),
        _ => None,
    }
}

fn boolean(formula: &Formula, types: &Types<'_>, problems: &mut Problems) {
    let Some(r#type) = of_formula(formula, types).filter(|t| *t != Type::Boolean) else { return };
    let source = formula.source();
    let message = format!("a condition is true or false, and `{source}` is a {}; compare it", r#type.as_str());
    let instead = match r#type {
        Type::Number | Type::Integer => Some(format!("{source} != 0")),
        Type::Text | Type::List | Type::Map => Some(format!("{source} is not empty")),
        _ => None,
    };
    problems.error("argument-type", formula.span, message).fix =
        instead.and_then(|new| fix("compare it", formula.span, new));
}

fn wants_list(formula: &Formula, types: &Types<'_>, problems: &mut Problems) {
    if let Some(r#type) = of_formula(formula, types).filter(|t| *t != Type::List) {
        let message = format!("FILTER goes through a list, and `{}` is a {}", formula.source(), r#type.as_str());
        problems.error("argument-type", formula.span, message);
    }
}

/// Arithmetic with what is known to be no number.
fn arithmetic(node: &Node, text: &str, types: &Types<'_>, problems: &mut Problems) {
    const OPS: [BinaryOp; 5] = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Div, BinaryOp::Rem];
    if let NodeData::Binary { op, left, right } = &node.data
        && OPS.contains(op)
    {
        for side in [left, right] {
            let Some(r#type) = reference(side, types) else { continue };
            if !matches!(r#type, Type::Text | Type::Boolean | Type::List | Type::Map) {
                continue;
            }
            let source = text.get(side.span.start..side.span.end).unwrap_or("");
            let message =
                format!("`{source}` is a {}, not a number; extract it AS number, or convert it", r#type.as_str());
            let problem = problems.error("argument-type", side.span, message);
            if r#type == Type::Text {
                problem.fix = fix("read it as a number", side.span, format!("number({source})"));
            }
        }
    }
    node.each_child(&mut |child| arithmetic(child, text, types, problems));
}

/// Arguments against what the schema says of each.
fn against(arguments: &[Argument], of: &Spanned<String>, schema: &Value, types: &Types<'_>, problems: &mut Problems) {
    let properties = schema.get("properties").and_then(Value::as_map);
    for argument in arguments {
        let Some(rule) = properties.and_then(|p| p.get(&argument.name.value)) else { continue };
        let value = constant(&argument.value);
        if let (Some(value), Some(choices)) = (&value, rule.get("enum").and_then(Value::as_list))
            && !choices.contains(value)
        {
            let list: Vec<_> = choices.iter().map(Value::to_json).collect();
            let message = format!("`{}` of `{}` is one of {}", argument.name.value, of.value, list.join(", "));
            let near = value.as_str().and_then(|text| nearest(text, choices.iter().filter_map(Value::as_str)));
            problems.error("argument-type", argument.value.span, message).fix =
                near.and_then(|near| fix(format!("write {near}"), argument.value.span, quote_plain(near)));
            continue;
        }
        let Some(r#type) = of_formula(&argument.value, types) else { continue };
        let wanted: Vec<&str> = match rule.get("type") {
            Some(Value::Text(one)) => vec![one.as_str()],
            Some(Value::List(several)) => several.iter().filter_map(Value::as_str).collect(),
            _ => continue,
        };
        if wanted.iter().any(|w| takes(w, r#type)) {
            continue;
        }
        let list = wanted.join(" or ");
        let message = format!("`{}` of `{}` is {list}, and this is {}", argument.name.value, of.value, r#type.as_str());
        let instead = instead(&argument.value, value.as_ref(), r#type, &wanted);
        problems.error("argument-type", argument.value.span, message).fix =
            instead.and_then(|new| fix(format!("make it {list}"), argument.value.span, new));
    }
}

fn takes(wanted: &str, r#type: Type) -> bool {
    match wanted {
        // A number may turn out whole; only what is certainly wrong is reported.
        "number" | "integer" => matches!(r#type, Type::Number | Type::Integer),
        "string" => matches!(r#type, Type::Text | Type::Instant | Type::Duration),
        "boolean" => r#type == Type::Boolean,
        "array" => r#type == Type::List,
        "object" => r#type == Type::Map,
        "null" => false,
        _ => true,
    }
}

/// The argument as what the schema takes, where that is plain.
fn instead(formula: &Formula, value: Option<&Value>, r#type: Type, wanted: &[&str]) -> Option<String> {
    let wants = |name: &str| wanted.contains(&name);
    match (value, r#type) {
        (Some(Value::Text(text)), _) if (wants("number") || wants("integer")) && Number::parse(text).is_some() => {
            Some(text.clone())
        }
        (Some(Value::Text(text)), _) if wants("boolean") && matches!(text.as_str(), "true" | "false") => {
            Some(text.clone())
        }
        (Some(value @ (Value::Number(_) | Value::Bool(_))), _) if wants("string") => {
            Some(quote_plain(&value.to_json()))
        }
        (Some(_), _) if wants("array") => Some(format!("[{}]", formula.source())),
        (None, Type::Text) if wants("number") || wants("integer") => Some(format!("number({})", formula.source())),
        (None, Type::Number | Type::Integer | Type::Boolean) if wants("string") => {
            Some(format!("text({})", formula.source()))
        }
        (None, _) if wants("array") => Some(format!("[{}]", formula.source())),
        _ => None,
    }
}

/// Whether an operation gives its value to nobody and is done all the same.
pub(super) fn has_effect(step: &Draft) -> bool {
    matches!(step.action.as_ref().map(Action::op), Some(Op::Call | Op::Validate | Op::Ask) | None)
}
