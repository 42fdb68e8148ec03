//! What was found, as the type that was asked for: exactly, or not at all.

use throughline_expr::Env;
use throughline_expr::time::{format_instant, parse_duration, parse_instant};
use throughline_value::{Number, Value};

use super::{Failure, short};
use crate::plan::Type;

/// The value as `type`; as it is when none is asked for.
///
/// # Errors
/// `wrong-type` when it is not one; nothing is rounded, guessed or cut off.
pub fn convert(value: &Value, r#type: Option<Type>, env: &dyn Env) -> Result<Value, Failure> {
    let Some(r#type) = r#type else { return Ok(value.clone()) };
    let out = match (r#type, value) {
        (Type::Text, Value::Text(_)) => Some(value.clone()),
        (Type::Text, Value::Number(number)) => Some(Value::Text(number.as_str().into_owned())),
        (Type::Text, Value::Bool(bool)) => Some(Value::Text(bool.to_string())),
        (Type::Number, Value::Number(_)) => Some(value.clone()),
        (Type::Number, Value::Map(map)) => map.get("amount").filter(|a| matches!(a, Value::Number(_))).cloned(),
        (Type::Number, Value::Text(text)) => number(text).map(Value::Number),
        (Type::Integer, Value::Number(n)) => n.is_integer().then(|| value.clone()),
        (Type::Integer, Value::Text(text)) => number(text).filter(Number::is_integer).map(Value::Number),
        (Type::Boolean, Value::Bool(_)) => Some(value.clone()),
        (Type::Boolean, Value::Text(text)) => boolean(text).map(Value::Bool),
        (Type::Duration, Value::Text(text)) => match parse_duration(text.trim()) {
            Ok(_) => Some(Value::Text(text.trim().to_owned())),
            Err(error) => return Err(wrong(value, r#type, error.message())),
        },
        (Type::Instant, Value::Text(text)) => match parse_instant(text, env.zone()) {
            // A written zone stays as it is written; one that was assumed is written out.
            Ok(reading) if reading.zone_assumed => {
                env.zone_assumed(text);
                Some(Value::Text(format_instant(reading.ms, env.zone())))
            }
            Ok(_) => Some(Value::Text(text.trim().to_owned())),
            Err(error) => return Err(wrong(value, r#type, error.message())),
        },
        (Type::Instant, Value::Number(n)) => n.as_i64().map(|ms| Value::Text(format_instant(ms, env.zone()))),
        (Type::List, Value::List(_)) | (Type::Map, Value::Map(_)) => Some(value.clone()),
        _ => None,
    };
    out.ok_or_else(|| wrong(value, r#type, "extract what surrounds it more closely, or ask for another type"))
}

fn wrong(value: &Value, r#type: Type, why: &str) -> Failure {
    Failure::new("wrong-type", format!("{} is not of type {}: {why}", short(value), r#type.as_str()))
}

/// A number as people write it: `1,234.50`, `１２３`, `+5`. Every digit stays; a comma counts only where it
/// separates thousands.
pub(crate) fn number(text: &str) -> Option<Number> {
    let plain: String = text.trim().chars().map(narrow).collect();
    let plain = plain.strip_prefix('+').unwrap_or(&plain);
    if let Some(number) = Number::parse(plain) {
        return Some(number);
    }
    let (sign, digits) = plain.strip_prefix('-').map_or(("", plain), |rest| ("-", rest));
    let (whole, fraction) = digits.split_once('.').map_or((digits, None), |(w, f)| (w, Some(f)));
    let mut groups = whole.split(',');
    let first = groups.next().filter(|g| (1..=3).contains(&g.len()))?;
    let mut joined = format!("{sign}{first}");
    for group in groups {
        if group.len() != 3 {
            return None;
        }
        joined.push_str(group);
    }
    if let Some(fraction) = fraction {
        joined.push('.');
        joined.push_str(fraction);
    }
    Number::parse(&joined)
}

/// Full-width digits and signs, as Chinese and Japanese documents have them.
pub(crate) fn narrow(c: char) -> char {
    match c {
        '０'..='９' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        '．' => '.',
        '，' => ',',
        '－' | '−' => '-',
        '＋' => '+',
        c => c,
    }
}

fn boolean(text: &str) -> Option<bool> {
    match text.trim().to_lowercase().as_str() {
        "true" | "yes" | "是" => Some(true),
        "false" | "no" | "否" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use throughline_expr::MapEnv;
    use throughline_expr::time::Zone;
    use throughline_value::json;

    #[track_caller]
    fn check(value: &str, r#type: Type, expected: Option<&str>) {
        let env = MapEnv::new().in_zone(Zone::parse("+08:00").unwrap());
        let got = convert(&json::read_value(value).unwrap(), Some(r#type), &env);
        assert_eq!(got.ok().map(|v| v.to_json()).as_deref(), expected, "{value} as {}", r#type.as_str());
    }

    #[test]
    fn values_become_the_type_asked_for_exactly_or_not_at_all() {
        check("91.70", Type::Number, Some("91.70"));
        check("\"91.70\"", Type::Number, Some("91.70"));
        check("\"1,234,567.50\"", Type::Number, Some("1234567.50"));
        check("\"１２３．５\"", Type::Number, Some("123.5"));
        check("\"+5\"", Type::Number, Some("5"));
        check("\"-1,000\"", Type::Number, Some("-1000"));
        check("\"1,23\"", Type::Number, None);
        check("\"12,34.5\"", Type::Number, None);
        check("\"5 kg\"", Type::Number, None);
        check("\"9007199254740993\"", Type::Integer, Some("9007199254740993"));
        check("\"2.5\"", Type::Integer, None);
        check("2.0", Type::Integer, Some("2.0"));
        check("91.70", Type::Text, Some("\"91.70\""));
        check("[1]", Type::Text, None);
        check("\"Yes\"", Type::Boolean, Some("true"));
        check("\"maybe\"", Type::Boolean, None);
        check("\"PT30M\"", Type::Duration, Some("\"PT30M\""));
        check("\"soon\"", Type::Duration, None);
        check("\"2026-03-01T09:00:00Z\"", Type::Instant, Some("\"2026-03-01T09:00:00Z\""));
        check("\"2026-03-01 09:00\"", Type::Instant, Some("\"2026-03-01T09:00:00+08:00\""));
        check("0", Type::Instant, Some("\"1970-01-01T08:00:00+08:00\""));
        check("\"yesterday\"", Type::Instant, None);
        check("null", Type::Number, None);
    }
}
