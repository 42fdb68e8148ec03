//! Values for JavaScript: JSON text that `JSON.parse` reads without losing a digit.
//!
//! A number that a double holds exactly goes as a number. Any other goes as `{"$number": "…"}`, which the
//! façade turns into a `BigInt` (when it is whole) or an exact decimal; a map that really has the single
//! name `$number` gets one more `$`. [`from_wire`] reads both, and plain numbers, back.

use crate::{Map, Number, Value};

const NUMBER: &str = "$number";

/// The value as it crosses to JavaScript.
///
/// ```
/// use throughline_value::{json, to_wire};
/// let v = json::read_value("[1, 0.1, 9007199254740993]").unwrap();
/// assert_eq!(to_wire(&v).to_json(), r#"[1,0.1,{"$number":"9007199254740993"}]"#);
/// ```
#[must_use]
pub fn to_wire(value: &Value) -> Value {
    match value {
        Value::Number(number) if !fits_double(number) => {
            Value::Map(Map::from_iter([(NUMBER.to_owned(), Value::Text(number.as_str().into_owned()))]))
        }
        Value::List(list) => Value::List(list.iter().map(to_wire).collect()),
        Value::Map(map) => {
            let single = map.len() == 1;
            Value::Map(
                map.iter()
                    .map(|(k, v)| (if single && is_escape(k) { format!("${k}") } else { k.clone() }, to_wire(v)))
                    .collect(),
            )
        }
        plain => plain.clone(),
    }
}

/// The value that JavaScript sent.
#[must_use]
pub fn from_wire(value: Value) -> Value {
    match value {
        Value::List(list) => Value::List(list.into_iter().map(from_wire).collect()),
        Value::Map(map) if map.len() == 1 => {
            let Some((name, inner)) = map.into_iter().next() else { return Value::map() };
            if name == NUMBER
                && let Some(number) = inner.as_str().and_then(Number::parse)
            {
                return Value::Number(number);
            }
            let name = if is_escape(&name) && name != NUMBER {
                name.strip_prefix('$').unwrap_or(&name).to_owned()
            } else {
                name
            };
            Value::Map(Map::from_iter([(name, from_wire(inner))]))
        }
        Value::Map(map) => Value::Map(map.into_iter().map(|(k, v)| (k, from_wire(v))).collect()),
        plain => plain,
    }
}

/// `$number`, `$$number`, …
fn is_escape(name: &str) -> bool {
    name.trim_start_matches('$') == "number" && name.starts_with('$')
}

fn fits_double(number: &Number) -> bool {
    let double = number.to_f64();
    if !double.is_finite() {
        return false;
    }
    if let Some(int) = number.as_i64() {
        return int.unsigned_abs() < (1 << 53);
    }
    Number::from_f64(double).is_some_and(|back| back == *number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[track_caller]
    fn check(text: &str, wire: &str) {
        let value = json::read_value(text).unwrap();
        assert_eq!(to_wire(&value).to_json(), wire);
        assert_eq!(from_wire(json::read_value(wire).unwrap()), value, "{wire} comes back");
    }

    #[test]
    fn what_a_double_cannot_hold_is_marked_and_comes_back() {
        check("-0.0", "-0.0");
        check("9007199254740991", "9007199254740991");
        check("9007199254740993", r#"{"$number":"9007199254740993"}"#);
        check("18446744073709551615", r#"{"$number":"18446744073709551615"}"#);
        check("0.30000000000000000001", r#"{"$number":"0.30000000000000000001"}"#);
        check("1e400", r#"{"$number":"1e400"}"#);
        check(r#"{"$number":"12"}"#, r#"{"$$number":"12"}"#);
        check(r#"{"$$number":"12"}"#, r#"{"$$$number":"12"}"#);
        check(r#"{"$number":"12","b":1}"#, r#"{"$number":"12","b":1}"#);
        check("[false,0,\"\",null,[],{}]", "[false,0,\"\",null,[],{}]");
    }
}
