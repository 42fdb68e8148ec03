//! The check of a value against a schema.

use std::cell::Cell;

use throughline_value::{Map, Named, Number, Value};

use super::{Problem, escape, format, pattern, resolve};

/// How deep schemas may nest, references followed.
pub const MAX_SCHEMA_DEPTH: usize = 128;

/// How many problems of one value are listed.
const MAX_PROBLEMS: usize = 32;

/// How many places are looked at, alternatives counted each, before a check is given up: alternatives inside
/// alternatives can be without end.
pub const MAX_SCHEMA_STEPS: usize = 400_000;

/// The code of a check that was given up.
pub(crate) const TOO_COSTLY: &str = "schema-too-costly";

/// All ways in which `value` does not fit `schema`, in the order of the value; empty when it fits.
///
/// ```
/// use throughline_model::schema;
/// use throughline_value::json;
/// let schema = json::read_value(r#"{"properties": {"score": {"enum": [1, 2]}}, "required": ["score"]}"#)?;
/// let problems = schema::problems(&json::read_value(r#"{"score": 9}"#)?, &schema);
/// assert_eq!((problems[0].code, problems[0].path.as_str()), ("not-in-enum", "/score"));
/// # Ok::<(), throughline_value::Error>(())
/// ```
#[must_use]
pub fn problems(value: &Value, schema: &Value) -> Vec<Problem> {
    let steps = Cell::new(0);
    let mut check = Check { root: schema, found: Vec::new(), quiet: false, steps: &steps };
    check.value(value, schema, "", 0);
    if steps.get() > MAX_SCHEMA_STEPS {
        let message = "the value is too large for the alternatives of its schema; write less".to_owned();
        return vec![Problem { code: TOO_COSTLY, path: String::new(), message, allowed: Vec::new() }];
    }
    check.found
}

struct Check<'a> {
    root: &'a Value,
    found: Vec<Problem>,
    /// Only whether it fits is asked: the first problem is enough.
    quiet: bool,
    steps: &'a Cell<usize>,
}

impl<'a> Check<'a> {
    fn add(&mut self, code: &'static str, path: &str, message: String) {
        self.add_with(code, path, message, Vec::new());
    }

    fn add_with(&mut self, code: &'static str, path: &str, message: String, allowed: Vec<Value>) {
        if self.found.len() < MAX_PROBLEMS {
            self.found.push(Problem { code, path: path.to_owned(), message, allowed });
        }
    }

    fn fits(&self, value: &Value, schema: &'a Value, depth: usize) -> bool {
        let mut inner = Check { root: self.root, found: Vec::new(), quiet: true, steps: self.steps };
        inner.value(value, schema, "", depth + 1);
        inner.found.is_empty()
    }

    fn value(&mut self, value: &Value, schema: &'a Value, path: &str, depth: usize) {
        if self.quiet && !self.found.is_empty() {
            return;
        }
        let steps = self.steps.get() + 1;
        self.steps.set(steps);
        if steps > MAX_SCHEMA_STEPS {
            return;
        }
        if depth > MAX_SCHEMA_DEPTH {
            let message = format!("the schema nests more than {MAX_SCHEMA_DEPTH} deep; flatten it");
            return self.add("schema-too-deep", path, message);
        }
        let map = match schema {
            Value::Map(map) => map,
            Value::Bool(false) => return self.add("excluded", path, "nothing may stand here".to_owned()),
            _ => return,
        };
        if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
            match resolve(self.root, reference) {
                Some(inner) => self.value(value, inner, path, depth + 1),
                None => {
                    self.add("bad-reference", path, format!("the schema refers to `{reference}`, which is not in it"))
                }
            }
        }
        self.kind(value, map, path);
        self.listed(value, map, path);
        match value {
            Value::Number(number) => self.number(number, map, path),
            Value::Text(text) => self.text(text, map, path),
            Value::List(list) => self.list(list, map, path, depth),
            Value::Map(entries) => self.map(entries, map, path, depth),
            Value::Null | Value::Bool(_) => {}
        }
        self.alternatives(value, map, path, depth);
    }

    fn kind(&mut self, value: &Value, schema: &Map, path: &str) {
        let names: Vec<&str> = match schema.get("type") {
            Some(Value::Text(name)) => vec![name],
            Some(Value::List(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => return,
        };
        if !names.iter().any(|name| is_of_type(value, name)) {
            let message = format!("a {} stands where {} is expected", value.kind(), names.join(" or "));
            self.add("wrong-type", path, message);
        }
    }

    fn listed(&mut self, value: &Value, schema: &Map, path: &str) {
        let allowed = match (schema.get("enum"), schema.get("const")) {
            (_, Some(one)) => std::slice::from_ref(one),
            (Some(Value::List(list)), None) => list.as_slice(),
            _ => return,
        };
        if !allowed.contains(value) {
            let texts: Vec<String> = allowed.iter().map(Value::to_json).collect();
            let message = format!("{} is not one of {}", value.to_json(), texts.join(", "));
            self.add_with("not-in-enum", path, message, allowed.to_vec());
        }
    }

    fn number(&mut self, number: &Number, schema: &Map, path: &str) {
        let bound = |name: &str| schema.get(name).and_then(Value::as_number);
        if let Some(min) = bound("minimum").filter(|min| number < min) {
            self.add("too-small", path, format!("{number} is below {min}"));
        }
        if let Some(max) = bound("maximum").filter(|max| number > max) {
            self.add("too-large", path, format!("{number} is above {max}"));
        }
        if let Some(min) = bound("exclusiveMinimum").filter(|min| number <= min) {
            self.add("too-small", path, format!("{number} is not above {min}"));
        }
        if let Some(max) = bound("exclusiveMaximum").filter(|max| number >= max) {
            self.add("too-large", path, format!("{number} is not below {max}"));
        }
        if let Some(step) = bound("multipleOf").filter(|step| !is_multiple(number, step)) {
            self.add("not-multiple", path, format!("{number} is not a multiple of {step}"));
        }
    }

    fn text(&mut self, text: &str, schema: &Map, path: &str) {
        self.length(text.chars().count(), schema, ("minLength", "maxLength"), "characters", path);
        let wanted = |name: &str| schema.get(name).and_then(Value::as_str);
        if let Some(wanted) = wanted("pattern")
            && pattern::compile(wanted).is_some_and(|regex| !regex.is_match(text))
        {
            self.add("no-match", path, format!("the text does not match the pattern {wanted}"));
        }
        if let Some(wanted) = wanted("format").filter(|wanted| !format::holds(wanted, text)) {
            self.add("wrong-format", path, format!("the text is no {wanted}"));
        }
    }

    fn length(&mut self, len: usize, schema: &Map, bounds: (&str, &str), unit: &str, path: &str) {
        let bound = |name: &str| schema.get(name).and_then(Value::as_i64).and_then(|n| usize::try_from(n).ok());
        if let Some(min) = bound(bounds.0).filter(|min| len < *min) {
            self.add("too-short", path, format!("{len} {unit} are fewer than {min}"));
        }
        if let Some(max) = bound(bounds.1).filter(|max| len > *max) {
            self.add("too-long", path, format!("{len} {unit} are more than {max}"));
        }
    }

    fn list(&mut self, list: &[Value], schema: &'a Map, path: &str, depth: usize) {
        self.length(list.len(), schema, ("minItems", "maxItems"), "items", path);
        if schema.get("uniqueItems") == Some(&Value::Bool(true)) {
            let mut seen = Named::<()>::new();
            if let Some(i) = list.iter().position(|item| seen.insert(item.canonical(), ()).is_some()) {
                self.add("not-unique", &format!("{path}/{i}"), "this item stands twice in the list".to_owned());
            }
        }
        if let Some(wanted) = schema.get("contains") {
            let fitting = list.iter().filter(|item| self.fits(item, wanted, depth)).count();
            let bound = |name: &str| schema.get(name).and_then(Value::as_i64).and_then(|n| usize::try_from(n).ok());
            let (min, max) = (bound("minContains").unwrap_or(1), bound("maxContains"));
            if fitting < min {
                self.add("too-few", path, format!("{fitting} items are as wanted; at least {min} must be"));
            } else if let Some(max) = max.filter(|max| fitting > *max) {
                self.add("too-many", path, format!("{fitting} items are as wanted; at most {max} may be"));
            }
        }
        let prefix = schema.get("prefixItems").and_then(Value::as_list).unwrap_or_default();
        let rest = schema.get("items");
        for (i, item) in list.iter().enumerate() {
            if let Some(inner) = prefix.get(i).or(rest) {
                self.value(item, inner, &format!("{path}/{i}"), depth + 1);
            }
        }
    }

    fn map(&mut self, entries: &Map, schema: &'a Map, path: &str, depth: usize) {
        self.length(entries.len(), schema, ("minProperties", "maxProperties"), "fields", path);
        for name in schema.get("required").and_then(Value::as_list).unwrap_or_default().iter().filter_map(Value::as_str)
        {
            if !entries.contains_key(name) {
                self.add("missing-field", path, format!("the field `{name}` is missing"));
            }
        }
        for (name, needs) in schema.get("dependentRequired").and_then(Value::as_map).into_iter().flatten() {
            let needs = needs.as_list().unwrap_or_default().iter().filter_map(Value::as_str);
            for needed in needs.filter(|needed| entries.contains_key(name) && !entries.contains_key(needed)) {
                self.add("missing-field", path, format!("with `{name}` the field `{needed}` is needed"));
            }
        }
        if let Some(names) = schema.get("propertyNames") {
            for name in entries.keys() {
                if self.fits(&Value::from(name.as_str()), names, depth) {
                    continue;
                }
                let message = format!("the name `{name}` is not allowed");
                self.add("unknown-field", &format!("{path}/{}", escape(name)), message);
            }
        }
        let patterns = schema.get("patternProperties").and_then(Value::as_map);
        let patterns: Vec<_> =
            patterns.into_iter().flatten().filter_map(|(text, inner)| Some((pattern::compile(text)?, inner))).collect();
        let properties = schema.get("properties").and_then(Value::as_map);
        let others = schema.get("additionalProperties");
        for (name, inner) in entries {
            let here = format!("{path}/{}", escape(name));
            let mut matched = false;
            for (_, wanted) in patterns.iter().filter(|(regex, _)| regex.is_match(name)) {
                matched = true;
                self.value(inner, wanted, &here, depth + 1);
            }
            let others = others.filter(|_| !matched);
            match (properties.and_then(|p| p.get(name)), others) {
                (Some(known), _) => self.value(inner, known, &here, depth + 1),
                (None, Some(Value::Bool(false))) => {
                    let names: Vec<&str> = properties.into_iter().flat_map(Map::keys).map(String::as_str).collect();
                    let allowed = names.iter().map(|name| Value::from(*name)).collect();
                    let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
                    let message = format!("there is no field `{name}`; the fields are {names}");
                    self.add_with("unknown-field", &here, message, allowed);
                }
                (None, Some(others)) => self.value(inner, others, &here, depth + 1),
                (None, None) => {}
            }
        }
    }

    fn alternatives(&mut self, value: &Value, schema: &'a Map, path: &str, depth: usize) {
        let list = |name: &str| schema.get(name).and_then(Value::as_list);
        for inner in list("allOf").unwrap_or_default() {
            self.value(value, inner, path, depth + 1);
        }
        if let Some(any) = list("anyOf")
            && !any.iter().any(|inner| self.fits(value, inner, depth))
        {
            self.none_of(value, any, path, depth);
        }
        if let Some(one) = list("oneOf") {
            match one.iter().filter(|inner| self.fits(value, inner, depth)).count() {
                1 => {}
                0 => self.none_of(value, one, path, depth),
                n => self.add("many-alternatives", path, format!("the value fits {n} alternatives; it must fit one")),
            }
        }
        if let Some(condition) = schema.get("if") {
            let branch = if self.fits(value, condition, depth) { "then" } else { "else" };
            if let Some(inner) = schema.get(branch) {
                self.value(value, inner, path, depth + 1);
            }
        }
        if let Some(not) = schema.get("not")
            && self.fits(value, not, depth)
        {
            self.add("excluded", path, "the value is of a form that is excluded here".to_owned());
        }
    }

    fn none_of(&mut self, value: &Value, alternatives: &'a [Value], path: &str, depth: usize) {
        if self.quiet {
            return self.add("no-alternative", path, String::new());
        }
        // The problems of the alternative that fits best say most.
        let nearest = alternatives.iter().map(|inner| {
            let mut check = Check { root: self.root, found: Vec::new(), quiet: false, steps: self.steps };
            check.value(value, inner, path, depth + 1);
            check.found
        });
        let nearest =
            nearest.min_by_key(|found| (found.iter().any(|p| p.code == "wrong-type" && p.path == path), found.len()));
        self.add("no-alternative", path, format!("the value fits none of {} alternatives", alternatives.len()));
        for problem in nearest.unwrap_or_default() {
            self.add_with(problem.code, &problem.path, problem.message, problem.allowed);
        }
    }
}

/// Whether a value is of a type of JSON Schema.
fn is_of_type(value: &Value, name: &str) -> bool {
    match (name, value) {
        ("null", Value::Null)
        | ("boolean", Value::Bool(_))
        | ("number", Value::Number(_))
        | ("string", Value::Text(_))
        | ("array", Value::List(_))
        | ("object", Value::Map(_)) => true,
        ("integer", Value::Number(number)) => number.is_integer(),
        _ => false,
    }
}

/// Whether `number` is a whole multiple of `step`, exactly; where the digits are too many to say, it is taken
/// to be one.
fn is_multiple(number: &Number, step: &Number) -> bool {
    let (Some((a, ea)), Some((b, eb))) = (scaled(number), scaled(step)) else { return true };
    let low = ea.min(eb);
    let lift = |digits: i128, exponent: i32| {
        10i128.checked_pow(u32::try_from(exponent - low).ok()?).and_then(|p| digits.checked_mul(p))
    };
    match (lift(a, ea), lift(b, eb)) {
        (Some(a), Some(b)) if b != 0 => a % b == 0,
        _ => true,
    }
}

fn scaled(number: &Number) -> Option<(i128, i32)> {
    let canonical = number.canonical();
    let (digits, exponent) = canonical.split_once('e').unwrap_or((&canonical, "0"));
    Some((digits.parse().ok()?, exponent.parse().ok()?))
}
