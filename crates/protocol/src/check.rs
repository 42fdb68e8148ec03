//! Whether a value is of a field's type: one answer for entity fields, facts and action arguments.
//!
//! Only the shape of instants and durations is looked at here; the room that knows the domain's zone reads
//! them. Whether a field must be there is the caller's question, since an absent field has no value to check.

use throughline_value::{Number, Value};

use crate::Refusal;
use crate::domain::FieldType;
use crate::tagged::nearest;

/// Every name that [`FieldType::type`](FieldType) may have. An empty one means `any`.
pub const FIELD_TYPES: &[&str] =
    &["text", "integer", "decimal", "boolean", "instant", "duration", "enum", "reference", "list", "any"];

/// The deepest list type that is looked into. A deeper one is refused with `too-deep`.
pub const MAX_FIELD_DEPTH: usize = 16;

/// The value in the form in which it is stored, or why it cannot be. Null is taken unless the field is
/// `required`. A number may come with its unit, as `{"value": 5, "unit": "kg"}`; it is stored without.
///
/// The path of a refusal starts at the value: empty for the value itself, `/2` for the third item of a list.
///
/// ```
/// use throughline_protocol::{check::check_value, domain::FieldType};
/// let weight = FieldType { r#type: "decimal".into(), unit: Some("kg".into()), ..Default::default() };
/// assert_eq!(check_value(&weight, &[("value", 5), ].into()).unwrap_err().code, "wrong-type");
/// assert_eq!(check_value(&weight, &5.into())?, 5.into());
/// # Ok::<(), throughline_protocol::Refusal>(())
/// ```
///
/// # Errors
/// `wrong-type`, `not-allowed`, `wrong-unit`, `bad-instant`, `bad-duration`, `unknown-type`, `too-deep`.
pub fn check_value(field: &FieldType, value: &Value) -> Result<Value, Refusal> {
    check(field, value, "", 0)
}

fn check(field: &FieldType, value: &Value, path: &str, depth: usize) -> Result<Value, Refusal> {
    if depth > MAX_FIELD_DEPTH {
        return Err(Refusal::new("too-deep", format!("lists go at most {MAX_FIELD_DEPTH} deep")).at_path(path));
    }
    if value.is_null() {
        return if field.required {
            Err(Refusal::new("wrong-type", "a value is required here, and null is none; give one")
                .at_path(path)
                .with(Value::from([("expected", field.r#type.as_str()), ("found", "null")])))
        } else {
            Ok(Value::Null)
        };
    }
    let checked = match field.r#type.as_str() {
        "" | "any" => value.clone(),
        "text" => text(field, value, path).map(Value::from)?,
        "reference" => match text(field, value, path)? {
            "" => return Err(wrong(field, value, path, "a reference names an entity; it cannot be empty")),
            id => Value::from(id),
        },
        "boolean" => match value {
            Value::Bool(_) => value.clone(),
            _ => return Err(wrong(field, value, path, "true or false is expected")),
        },
        "integer" | "decimal" => number(field, value, path)?,
        "instant" => instant(field, value, path)?,
        "duration" => {
            let text = text(field, value, path)?;
            if !is_duration(text) {
                let message = format!("`{text}` is not an ISO 8601 duration such as `PT30M` or `P2D`");
                return Err(Refusal::new("bad-duration", message).at_path(path));
            }
            value.clone()
        }
        "enum" => value.clone(),
        "list" => list(field, value, path, depth)?,
        other => {
            let refusal =
                Refusal::new("unknown-type", format!("the domain gives this field the type `{other}`, which is none"))
                    .at_path(path);
            return Err(match nearest(other, FIELD_TYPES) {
                Some(name) => refusal.suggest(format!("did you mean `{name}`?")),
                None => refusal.suggest(format!("the types are {}", FIELD_TYPES.join(", "))),
            });
        }
    };
    allowed(field, checked, path)
}

/// The values of an `enum`, and of any other type that lists them, are the only ones.
fn allowed(field: &FieldType, value: Value, path: &str) -> Result<Value, Refusal> {
    if (field.values.is_empty() && field.r#type != "enum") || field.values.contains(&value) {
        return Ok(value);
    }
    let names: Vec<&str> = field.values.iter().filter_map(Value::as_str).collect();
    let all: Vec<String> = field.values.iter().map(Value::to_json).collect();
    let refusal = Refusal::new("not-allowed", format!("{} is not among the allowed values", value.to_json()))
        .at_path(path)
        .with(Value::from([("allowed", Value::List(field.values.clone()))]));
    Err(match value.as_str().and_then(|text| nearest(text, &names)) {
        Some(name) => refusal.suggest(format!("did you mean `{name}`?")),
        None => refusal.suggest(format!("the allowed values are {}", all.join(", "))),
    })
}

fn wrong(field: &FieldType, value: &Value, path: &str, expected: &str) -> Refusal {
    let r#type = if field.r#type.is_empty() { "any" } else { &field.r#type };
    Refusal::new("wrong-type", format!("{expected}; this is a {}", value.kind()))
        .at_path(path)
        .with(Value::from([("expected", r#type), ("found", value.kind())]))
}

fn text<'a>(field: &FieldType, value: &'a Value, path: &str) -> Result<&'a str, Refusal> {
    value.as_str().ok_or_else(|| wrong(field, value, path, "a text is expected"))
}

/// A number and the unit behind it, as a text spells them: `3.10 kg`.
fn spelled(text: &str) -> Option<(Number, &str)> {
    let at = text.find(|c: char| !matches!(c, '0'..='9' | '.' | '-' | '+'))?;
    let (number, unit) = text.split_at_checked(at)?;
    let unit = unit.trim();
    let is_unit =
        unit.chars().all(|c| c.is_alphabetic() || matches!(c, '/' | '%' | '°' | '²' | '³' | '$' | '€' | '£' | '¥'));
    if is_unit { Some((Number::parse(number)?, unit)) } else { None }
}

fn number(field: &FieldType, value: &Value, path: &str) -> Result<Value, Refusal> {
    let whole = field.r#type == "integer";
    let expected = if whole { "a whole number is expected" } else { "a number is expected" };
    let number = match value {
        Value::Number(number) => number.clone(),
        // Exact decimals may come as text, because other programs' numbers would round them.
        Value::Text(text) if !whole => match (Number::parse(text), spelled(text), field.unit.as_deref()) {
            (Some(number), ..) => number,
            (None, Some((number, given)), Some(unit)) if given == unit => number,
            (None, Some(_), unit) => {
                let message = match unit {
                    Some(unit) => format!("the unit here is `{unit}`; convert the number first"),
                    None => "this number has no unit; give it alone".to_owned(),
                };
                return Err(Refusal::new("wrong-unit", message).at_path(path));
            }
            (None, None, _) => return Err(wrong(field, value, path, expected)),
        },
        Value::Map(map) if map.len() == 2 && map.contains_key("value") && map.contains_key("unit") => {
            let given = map.get("unit").and_then(Value::as_str);
            if given.is_none() || given != field.unit.as_deref() {
                let message = match &field.unit {
                    Some(unit) => format!("the unit here is `{unit}`; convert the number first"),
                    None => "this number has no unit; give it alone".to_owned(),
                };
                return Err(Refusal::new("wrong-unit", message).at_path(format!("{path}/unit")));
            }
            let inner = map.get("value").cloned().unwrap_or_default();
            if inner.as_map().is_some() || inner.is_null() {
                return Err(wrong(field, &inner, &format!("{path}/value"), expected));
            }
            let checked = number(field, &inner, &format!("{path}/value"))?;
            return Ok(checked);
        }
        _ => return Err(wrong(field, value, path, expected)),
    };
    if !whole {
        return Ok(Value::Number(number));
    }
    if !number.is_integer() {
        let refusal = Refusal::new("wrong-type", format!("a whole number is expected, not {number}"));
        return Err(refusal.at_path(path));
    }
    // `3.0` is stored as 3; a number too large for that keeps its spelling.
    Ok(number.as_i64().map_or(Value::Number(number), Value::from))
}

fn instant(field: &FieldType, value: &Value, path: &str) -> Result<Value, Refusal> {
    match value {
        Value::Number(ms) if ms.as_i64().is_some() => Ok(value.clone()),
        Value::Text(text) if is_instant(text) => Ok(value.clone()),
        Value::Text(text) => {
            let message = format!("`{text}` is not an RFC 3339 instant such as `2026-03-01T09:00:00+08:00`");
            Err(Refusal::new("bad-instant", message).at_path(path))
        }
        _ => Err(wrong(field, value, path, "an instant is expected, as text or in whole milliseconds")),
    }
}

fn list(field: &FieldType, value: &Value, path: &str, depth: usize) -> Result<Value, Refusal> {
    let Value::List(list) = value else { return Err(wrong(field, value, path, "a list is expected")) };
    let Some(items) = &field.items else { return Ok(value.clone()) };
    let checked = list.iter().enumerate().map(|(i, item)| check(items, item, &format!("{path}/{i}"), depth + 1));
    Ok(Value::List(checked.collect::<Result<_, _>>()?))
}

/// Takes a number of exactly `digits` digits within `range` from the front of `text`.
fn digits(text: &str, count: usize, range: std::ops::RangeInclusive<u32>) -> Option<&str> {
    let (head, rest) = text.split_at_checked(count)?;
    let valid = head.bytes().all(|b| b.is_ascii_digit()) && range.contains(&head.parse().ok()?);
    valid.then_some(rest)
}

/// The shape of RFC 3339, also with a space for the `T`, without seconds, and without a zone: whether a
/// zone may be absent is for the room to say. A plain date has the shape too.
fn is_instant(text: &str) -> bool {
    fn date(text: &str) -> Option<&str> {
        let rest = digits(text, 4, 0..=9999)?.strip_prefix('-')?;
        digits(digits(rest, 2, 1..=12)?.strip_prefix('-')?, 2, 1..=31)
    }
    fn time(text: &str) -> Option<&str> {
        let rest = digits(digits(text, 2, 0..=23)?.strip_prefix(':')?, 2, 0..=59)?;
        let Some(seconds) = rest.strip_prefix(':') else { return Some(rest) };
        let rest = digits(seconds, 2, 0..=60)?;
        match rest.strip_prefix('.') {
            Some(fraction) => {
                let after = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
                (after.len() < fraction.len()).then_some(after)
            }
            None => Some(rest),
        }
    }
    fn zone(text: &str) -> Option<&str> {
        let rest = match text.strip_prefix(['Z', 'z']) {
            Some(rest) => rest,
            None => digits(digits(text.strip_prefix(['+', '-'])?, 2, 0..=23)?.strip_prefix(':')?, 2, 0..=59)?,
        };
        // A named zone after the offset, as in RFC 9557.
        Some(if rest.starts_with('[') && rest.ends_with(']') { "" } else { rest })
    }
    let Some(rest) = date(text) else { return false };
    let Some(clock) = rest.strip_prefix(['T', 't', ' ']) else { return rest.is_empty() };
    match time(clock) {
        Some(rest) => rest.is_empty() || zone(rest).is_some_and(str::is_empty),
        None => false,
    }
}

/// The shape of an ISO 8601 duration, with an optional sign.
fn is_duration(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let Some(body) = text.strip_prefix(['P', 'p']) else { return false };
    let (days, clock) = match body.split_once(['T', 't']) {
        Some((days, clock)) => (days, Some(clock)),
        None => (body, None),
    };
    let units = |text: &str, order: &str| {
        let mut order = order.chars();
        let mut rest = text;
        while !rest.is_empty() {
            let after = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ',');
            let Some(unit) = after.chars().next() else { return false };
            if after.len() == rest.len() || !order.any(|o| o == unit.to_ascii_uppercase()) {
                return false;
            }
            rest = after.strip_prefix(unit).unwrap_or("");
        }
        true
    };
    (!days.is_empty() || clock.is_some())
        && units(days, "YMWD")
        && clock.is_none_or(|clock| !clock.is_empty() && units(clock, "HMS"))
}

#[cfg(test)]
mod tests {
    use throughline_value::json;

    use super::*;

    /// `field` and `value` are JSON; `expected` is the stored JSON or `code at path`.
    #[track_caller]
    fn check(field: &str, value: &str, expected: &str) {
        let field: FieldType = throughline_value::from_value(&json::read_value(field).unwrap()).unwrap();
        let answer = match check_value(&field, &json::read_value(value).unwrap()) {
            Ok(value) => value.to_json(),
            Err(refusal) => format!("{} at {}", refusal.code, refusal.path.unwrap_or_default()),
        };
        assert_eq!(answer, expected, "{value}");
    }

    #[test]
    fn a_value_is_stored_in_the_form_of_its_type_or_refused_with_its_place() {
        check(r#"{}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#);
        check(r#"{"type":"text"}"#, r#""x""#, r#""x""#);
        check(r#"{"type":"text"}"#, "1", "wrong-type at ");
        check(r#"{"type":"text"}"#, "null", "null");
        check(r#"{"type":"text","required":true}"#, "null", "wrong-type at ");
        check(r#"{"type":"integer"}"#, "3.0", "3");
        check(r#"{"type":"integer"}"#, "3.5", "wrong-type at ");
        check(r#"{"type":"integer"}"#, r#""3""#, "wrong-type at ");
        check(r#"{"type":"integer"}"#, "90071992547409930000", "90071992547409930000");
        check(r#"{"type":"decimal"}"#, "91.70", "91.70");
        check(r#"{"type":"decimal"}"#, r#""91.70""#, "91.70");
        check(r#"{"type":"decimal"}"#, r#""9l.70""#, "wrong-type at ");
        check(r#"{"type":"decimal","unit":"kg"}"#, r#"{"value":5,"unit":"kg"}"#, "5");
        check(r#"{"type":"decimal","unit":"kg"}"#, r#"{"value":5,"unit":"g"}"#, "wrong-unit at /unit");
        check(r#"{"type":"decimal"}"#, r#"{"value":5,"unit":"g"}"#, "wrong-unit at /unit");
        check(r#"{"type":"decimal","unit":"kg"}"#, r#""3.10 kg""#, "3.10");
        check(r#"{"type":"decimal","unit":"kg"}"#, r#""3kg""#, "3");
        check(r#"{"type":"decimal","unit":"kg"}"#, r#""3 lb""#, "wrong-unit at ");
        check(r#"{"type":"decimal"}"#, r#""3 lb""#, "wrong-unit at ");
        check(r#"{"type":"decimal","unit":"kg"}"#, r#""heavy""#, "wrong-type at ");
        check(r#"{"type":"boolean"}"#, "false", "false");
        check(r#"{"type":"boolean"}"#, "0", "wrong-type at ");
        check(r#"{"type":"enum","values":["air","sea"]}"#, r#""sea""#, r#""sea""#);
        check(r#"{"type":"enum","values":["air","sea"]}"#, r#""seas""#, "not-allowed at ");
        check(r#"{"type":"integer","values":[1,2]}"#, "2.0", "2");
        check(r#"{"type":"integer","values":[1,2]}"#, "3", "not-allowed at ");
        check(r#"{"type":"reference","to":"order"}"#, r#""""#, "wrong-type at ");
        check(r#"{"type":"list","items":{"type":"integer"}}"#, "[1,2.0]", "[1,2]");
        check(r#"{"type":"list","items":{"type":"integer"}}"#, r#"[1,"2"]"#, "wrong-type at /1");
        check(r#"{"type":"txt"}"#, "1", "unknown-type at ");
    }

    #[test]
    fn instants_and_durations_are_known_by_their_shape() {
        for good in [
            "2026-03-01T09:00:00+08:00",
            "2026-03-01T01:00:00.000000Z",
            "2026-03-01 09:00",
            "2026-03-01",
            "2026-03-01T09:00:00+08:00[Asia/Shanghai]",
        ] {
            check(r#"{"type":"instant"}"#, &json::quote(good), &json::quote(good));
        }
        check(r#"{"type":"instant"}"#, "1772326800000", "1772326800000");
        for bad in ["2026-13-01", "2026-3-1", "tomorrow", "2026-03-01T25:00:00Z", "2026-03-01T09:00:00.Z", "二〇二六"]
        {
            check(r#"{"type":"instant"}"#, &json::quote(bad), "bad-instant at ");
        }
        for good in ["PT30M", "P2D", "P1Y2M3DT4H5M6.5S", "-PT1S", "P1W"] {
            check(r#"{"type":"duration"}"#, &json::quote(good), &json::quote(good));
        }
        for bad in ["P", "PT", "30M", "PT30", "PTM", "P1H", "PT1M2H", "一天"] {
            check(r#"{"type":"duration"}"#, &json::quote(bad), "bad-duration at ");
        }
    }
}
