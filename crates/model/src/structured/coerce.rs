//! Changes that make a value fit, each of them listed.

use throughline_value::{Map, Number, Value};

use crate::schema::{self, Problem};

/// How often a value is changed before it is given up.
const MAX_COERCIONS: usize = 64;

/// One change that made a value fit its schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coercion {
    /// A stable code: `unwrapped`, `text-to-number`, `text-to-boolean`, `number-to-text`, `dropped-null`,
    /// `respelled`.
    pub code: &'static str,
    /// Where in the value that came out, as a JSON pointer.
    pub path: String,
    /// What stood there.
    pub from: Value,
    /// What stands there now; null when it was dropped.
    pub to: Value,
}

impl Coercion {
    /// As it is shown and recorded.
    #[must_use]
    pub fn to_value(&self) -> Value {
        Value::from([
            ("code", Value::from(self.code)),
            ("path", Value::from(self.path.as_str())),
            ("from", self.from.clone()),
            ("to", self.to.clone()),
        ])
    }
}

/// A value that was read, changed at its places so that it fits a schema, with the changes.
///
/// # Errors
/// The problems that are left.
pub fn fit(value: &Value, schema: &Value) -> Result<(Value, Vec<Coercion>), Vec<Problem>> {
    let (value, mut done) = at_places(value.clone(), schema, Vec::new())?;
    let value = spell(value, schema, &mut done);
    Ok((value, done))
}

/// The value changed so that it fits, and the changes; or the problems that are left.
pub(super) fn coerce(value: &Value, schema: &Value) -> Result<(Value, Vec<Coercion>), Vec<Problem>> {
    let direct = at_places(value.clone(), schema, Vec::new());
    let unwrapped = unwrap(value, schema).map(|(inner, coercion)| at_places(inner, schema, vec![coercion]));
    match (direct, unwrapped) {
        (Ok(fits), _) | (Err(_), Some(Ok(fits))) => Ok(fits),
        // The problems of what was inside the wrapper say more than "the field is missing".
        (Err(_), Some(Err(left))) | (Err(left), None) => Err(left),
    }
}

/// The value inside a wrapper of one name that the schema does not know.
fn unwrap(value: &Value, schema: &Value) -> Option<(Value, Coercion)> {
    let map = value.as_map().filter(|m| m.len() == 1)?;
    let (name, inner) = map.first()?;
    let known = schema.at(&["properties", name]).is_some();
    let shape = schema.get("type").and_then(Value::as_str);
    let fits = match inner {
        Value::Map(_) => matches!(shape, Some("object") | None),
        Value::List(_) => shape == Some("array"),
        _ => false,
    };
    (fits && !known).then(|| {
        let from = Value::from([(name.as_str(), Value::from("…"))]);
        let coercion = Coercion { code: "unwrapped", path: String::new(), from, to: Value::from(name.as_str()) };
        (inner.clone(), coercion)
    })
}

/// Mends the places that have problems, one after another, as long as that makes them fewer.
fn at_places(
    mut value: Value,
    schema: &Value,
    mut done: Vec<Coercion>,
) -> Result<(Value, Vec<Coercion>), Vec<Problem>> {
    let mut problems = schema::problems(&value, schema);
    for _ in 0..MAX_COERCIONS {
        if problems.is_empty() {
            return Ok((value, done));
        }
        if problems.iter().any(|problem| problem.code == schema::TOO_COSTLY) {
            break;
        }
        let better = problems.iter().find_map(|problem| {
            let old = pointer(&value, &problem.path)?.clone();
            options(&old).into_iter().find_map(|(code, new)| {
                let mut changed = value.clone();
                set(&mut changed, &problem.path, new.clone());
                let left = schema::problems(&changed, schema);
                let to = new.unwrap_or_default();
                let coercion = Coercion { code, path: problem.path.clone(), from: old.clone(), to };
                (left.len() < problems.len()).then_some((changed, left, coercion))
            })
        });
        let Some((changed, left, coercion)) = better else { break };
        (value, problems) = (changed, left);
        done.push(coercion);
    }
    if problems.is_empty() { Ok((value, done)) } else { Err(problems) }
}

/// What a value may stand for; none drops it.
fn options(value: &Value) -> Vec<(&'static str, Option<Value>)> {
    match value {
        Value::Text(text) => match text.as_str() {
            "true" => vec![("text-to-boolean", Some(Value::Bool(true)))],
            "false" => vec![("text-to-boolean", Some(Value::Bool(false)))],
            text => Number::parse(text).map(|n| ("text-to-number", Some(Value::Number(n)))).into_iter().collect(),
        },
        Value::Number(number) => vec![("number-to-text", Some(Value::from(number.as_str().as_ref())))],
        Value::Null => vec![("dropped-null", None)],
        _ => Vec::new(),
    }
}

/// Whole numbers without a fraction, and listed values as the schema spells them.
pub(super) fn spell(value: Value, schema: &Value, done: &mut Vec<Coercion>) -> Value {
    spelled(value, schema, "", done)
}

fn spelled(value: Value, schema: &Value, path: &str, done: &mut Vec<Coercion>) -> Value {
    match value {
        Value::Map(map) => {
            let inner = |name: &str| schema.at(&["properties", name]).unwrap_or(&Value::Null);
            let step = |name: &str| format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
            let entries = map.into_iter().map(|(n, v)| {
                let v = spelled(v, inner(&n), &step(&n), done);
                (n, v)
            });
            Value::Map(entries.collect::<Map>())
        }
        Value::List(list) => {
            let inner = schema.get("items").unwrap_or(&Value::Null);
            let items = list.into_iter().enumerate();
            Value::List(items.map(|(i, v)| spelled(v, inner, &format!("{path}/{i}"), done)).collect())
        }
        Value::Number(number) => {
            let listed = schema.get("enum").and_then(Value::as_list).unwrap_or_default();
            let listed = listed.iter().find_map(|v| v.as_number().filter(|n| **n == number));
            let whole = schema.get("type").and_then(Value::as_str) == Some("integer");
            let whole = || number.as_i64().filter(|_| whole).map(Number::from);
            let wanted = listed.cloned().or_else(whole).filter(|n| n.as_str() != number.as_str());
            let Some(wanted) = wanted else { return Value::Number(number) };
            let (from, to) = (Value::Number(number), Value::Number(wanted));
            done.push(Coercion { code: "respelled", path: path.to_owned(), from, to: to.clone() });
            to
        }
        other => other,
    }
}

fn steps(path: &str) -> Vec<String> {
    path.split('/').skip(1).map(|s| s.replace("~1", "/").replace("~0", "~")).collect()
}

fn pointer<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    let steps = steps(path);
    value.at(&steps.iter().map(String::as_str).collect::<Vec<_>>())
}

fn set(value: &mut Value, path: &str, new: Option<Value>) {
    let mut steps = steps(path);
    let Some(last) = steps.pop() else {
        if let Some(new) = new {
            *value = new;
        }
        return;
    };
    let parent = steps.iter().try_fold(value, |value, step| match value {
        Value::Map(map) => map.get_mut(step),
        Value::List(list) => list.get_mut(step.parse::<usize>().ok()?),
        _ => None,
    });
    match (parent, new) {
        (Some(Value::Map(map)), Some(new)) => {
            map.insert(last, new);
        }
        (Some(Value::Map(map)), None) => {
            map.shift_remove(&last);
        }
        (Some(Value::List(list)), Some(new)) => {
            if let Some(slot) = last.parse::<usize>().ok().and_then(|i| list.get_mut(i)) {
                *slot = new;
            }
        }
        // An item of a list is never dropped: that would lose it in silence.
        _ => {}
    }
}
