//! Units: a number with its unit read off, in the unit that was asked for, exactly.

use throughline_expr::decimal::{Decimal, div, from_number, mul, parse, to_number};
use throughline_value::Value;

use super::{Failed, Finished, is_number};
use crate::extract::{Failure, number};
use crate::plan::Type;

/// Units that can be made one of another: what they measure, the unit, its other names, and how much of the
/// first one it is.
const UNITS: &[(&str, &str, &[&str], &str)] = &[
    ("mass", "kg", &["kilogram", "kilograms", "公斤", "千克"], "1"),
    ("mass", "g", &["gram", "grams", "克"], "0.001"),
    ("mass", "mg", &["毫克"], "0.000001"),
    ("mass", "t", &["ton", "tons", "tonne", "tonnes", "吨"], "1000"),
    ("mass", "lb", &["lbs", "pound", "pounds", "磅"], "0.45359237"),
    ("length", "m", &["metre", "metres", "meter", "meters", "米"], "1"),
    ("length", "km", &["kilometre", "kilometres", "kilometer", "kilometers", "公里", "千米"], "1000"),
    ("length", "cm", &["厘米"], "0.01"),
    ("length", "mm", &["毫米"], "0.001"),
    ("length", "in", &["inch", "inches", "英寸"], "0.0254"),
    ("length", "mi", &["mile", "miles", "英里"], "1609.344"),
    ("time", "s", &["sec", "second", "seconds", "秒"], "1"),
    ("time", "ms", &["毫秒"], "0.001"),
    ("time", "min", &["minute", "minutes", "分钟"], "60"),
    ("time", "h", &["hour", "hours", "小时"], "3600"),
    ("time", "d", &["day", "days", "天", "日"], "86400"),
    ("time", "week", &["weeks", "周", "星期"], "604800"),
    ("part", "%", &["percent", "per cent", "pct", "％"], "0.01"),
    ("part", "‰", &["permil"], "0.001"),
    ("part", "1", &["ratio"], "1"),
    ("data", "B", &["byte", "bytes", "字节"], "1"),
    ("data", "kB", &["KB"], "1000"),
    ("data", "MB", &[], "1000000"),
    ("data", "GB", &[], "1000000000"),
    ("number", "thousand", &["千"], "1000"),
    ("number", "万", &[], "10000"),
    ("number", "million", &["百万"], "1000000"),
    ("number", "亿", &[], "100000000"),
    ("number", "billion", &["十亿"], "1000000000"),
];

fn unit(name: &str) -> Option<&'static (&'static str, &'static str, &'static [&'static str], &'static str)> {
    let known = |(_, unit, names, _): &&(&str, &str, &[&str], &str)| *unit == name || names.contains(&name);
    let lower = name.to_lowercase();
    UNITS.iter().find(known).or_else(|| {
        UNITS.iter().find(|(_, unit, names, _)| unit.to_lowercase() == lower || names.contains(&lower.as_str()))
    })
}

/// The number in the unit that was asked for. A number without a unit is taken to be in it.
pub(super) fn apply(finished: &mut Finished, wanted: &str, r#type: Option<Type>) -> Result<(), Failed> {
    let fail = |finished: &Finished, code, message: String| Err((finished.input.clone(), Failure::new(code, message)));
    if !is_number(r#type) {
        return fail(
            finished,
            "wrong-type",
            format!("only a number has a unit; AS and UNIT {wanted:?} do not go together"),
        );
    }
    let text = match &finished.output {
        Value::Number(_) => {
            finished.unit = Some(wanted.to_owned());
            return Ok(());
        }
        Value::Map(map) if map.get("amount").is_some() => {
            let currency = map.get("currency").and_then(Value::as_str).unwrap_or("");
            if !currency.eq_ignore_ascii_case(wanted) {
                let message = format!("the amount is in {currency}, not in {wanted}; exchange rates are no units");
                return fail(finished, "wrong-unit", message);
            }
            finished.output = map.get("amount").cloned().unwrap_or_default();
            finished.unit = Some(wanted.to_owned());
            return Ok(());
        }
        Value::Text(text) => text.trim().to_owned(),
        other => return fail(finished, "wrong-type", format!("{} is no number with a unit", other.kind())),
    };
    let end = text
        .find(|c: char| !(c.is_numeric() || matches!(c, '.' | ',' | '+' | '-' | '−' | '，' | '．')))
        .unwrap_or(text.len());
    let (digits, has) = text.split_at_checked(end).unwrap_or((&text, ""));
    let has = has.trim();
    let Some(value) = number(digits) else {
        return fail(finished, "wrong-type", format!("`{text}` does not begin with a number"));
    };
    if has.is_empty() || has == wanted {
        finished.output = Value::Number(value);
    } else {
        let (Some(from), Some(to)) = (unit(has), unit(wanted)) else {
            return fail(
                finished,
                "wrong-unit",
                format!("`{text}` is in `{has}`, not in `{wanted}`, and how much one is of the other is not known"),
            );
        };
        if from.0 != to.0 {
            return fail(finished, "wrong-unit", format!("`{text}` is a {}; `{wanted}` is a {}", from.0, to.0));
        }
        let exact = |value: Decimal| div(mul(value, parse(from.3)?)?, parse(to.3)?);
        finished.output = if from.1 == to.1 {
            Value::Number(value)
        } else {
            match from_number(&value).and_then(exact) {
                Ok(value) => Value::Number(to_number(value)),
                Err(error) => return fail(finished, "number-overflow", error.message().to_owned()),
            }
        };
    }
    finished.unit = Some(wanted.to_owned());
    Ok(())
}
