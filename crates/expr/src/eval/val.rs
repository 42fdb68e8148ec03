//! A value while it is computed with: besides what a [`Value`] holds, decimals, instants and durations.

use rust_decimal::Decimal;
use throughline_value::{Number, Value};

use super::Context;
use crate::decimal;
use crate::error::{Error, wrong_type};
use crate::time::{Duration, format_instant};

#[derive(Clone, Debug)]
pub(crate) enum Val {
    /// A value that still has its spelling.
    Plain(Value),
    /// A number that was computed.
    Decimal(Decimal),
    /// Milliseconds since 1970 UTC.
    Instant(i64),
    Duration(Duration),
    /// A number with its unit.
    Quantity(Decimal, String),
}

impl Val {
    pub(crate) const NULL: Self = Self::Plain(Value::Null);

    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Plain(value) => value.kind(),
            Self::Decimal(_) => "number",
            Self::Instant(_) => "instant",
            Self::Duration(_) => "duration",
            Self::Quantity(..) => "quantity",
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Plain(Value::Null))
    }

    pub(crate) fn as_bool(&self) -> Option<bool> {
        if let Self::Plain(value) = self { value.as_bool() } else { None }
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        if let Self::Plain(value) = self { value.as_str() } else { None }
    }

    /// The number as a decimal, `None` when it is not a number.
    pub(crate) fn as_decimal(&self) -> Option<Result<Decimal, Error>> {
        match self {
            Self::Decimal(decimal) => Some(Ok(*decimal)),
            Self::Plain(Value::Number(number)) => Some(decimal::from_number(number)),
            _ => None,
        }
    }

    /// The number with its spelling, `None` when it is not a number.
    pub(crate) fn as_number(&self) -> Option<Number> {
        match self {
            Self::Decimal(decimal) => Some(decimal::to_number(*decimal)),
            Self::Plain(Value::Number(number)) => Some(number.clone()),
            _ => None,
        }
    }
}

impl From<bool> for Val {
    fn from(bool: bool) -> Self {
        Self::Plain(Value::Bool(bool))
    }
}

impl From<usize> for Val {
    fn from(count: usize) -> Self {
        Self::Plain(Value::from(count))
    }
}

impl From<Value> for Val {
    fn from(value: Value) -> Self {
        Self::Plain(value)
    }
}

impl Context<'_> {
    /// The value as data: instants and durations become text.
    pub(crate) fn value(&self, val: Val) -> Result<Value, Error> {
        Ok(match val {
            Val::Plain(value) => value,
            Val::Decimal(decimal) => Value::Number(decimal::to_number(decimal)),
            Val::Instant(ms) => Value::Text(format_instant(ms, self.zone())),
            Val::Duration(duration) => Value::Text(duration.to_string()),
            Val::Quantity(amount, unit) => Value::Text(format!("{} {unit}", decimal::to_number(amount))),
        })
    }

    /// The value as it stands in a text. Null has no text: a hole in a sentence is never silent.
    pub(crate) fn printed(&self, val: Val) -> Result<String, Error> {
        Ok(match val {
            Val::Plain(Value::Null) => {
                return Err(wrong_type("null cannot stand in a text; give a value for it: `x ?? \"unknown\"`"));
            }
            Val::Plain(Value::Text(text)) => text,
            Val::Plain(value @ (Value::List(_) | Value::Map(_))) => {
                self.spend_on(&value)?;
                value.to_json()
            }
            other => match self.value(other)? {
                Value::Text(text) => text,
                value => value.to_json(),
            },
        })
    }
}
