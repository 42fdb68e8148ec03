//! Arithmetic on numbers, instants and durations.

use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive as _;
use throughline_value::{Number, Value};

use super::{Context, Val, quantity};
use crate::ast::BinaryOp;
use crate::decimal;
use crate::error::{Code, Error, a, wrong_type};
use crate::time::{Duration, Gap, add_span, looks_like_instant, parse_duration};

/// `5%` is 0.05.
pub(super) fn percent(number: &Number) -> Result<Val, Error> {
    Ok(Val::Decimal(decimal::div(decimal::from_number(number)?, Decimal::ONE_HUNDRED)?))
}

pub(super) fn negate(val: Val) -> Result<Val, Error> {
    match val {
        Val::Duration(duration) => Ok(Val::Duration(duration.negated())),
        Val::Quantity(amount, unit) => Ok(Val::Quantity(-amount, unit)),
        other => match other.as_decimal() {
            Some(decimal) => Ok(Val::Decimal(-decimal?)),
            None => Err(wrong_type(format!("`-` takes a number or a duration, not {}", a(other.kind())))),
        },
    }
}

impl Context<'_> {
    pub(super) fn arithmetic(&self, op: BinaryOp, left: Val, right: Val) -> Result<Val, Error> {
        let numbers = (left.as_decimal(), right.as_decimal());
        if let (Some(a), Some(b)) = numbers {
            let (a, b) = (a?, b?);
            return Ok(Val::Decimal(match op {
                BinaryOp::Add => decimal::add(a, b)?,
                BinaryOp::Sub => decimal::sub(a, b)?,
                BinaryOp::Mul => decimal::mul(a, b)?,
                BinaryOp::Div => decimal::div(a, b)?,
                _ => decimal::rem(a, b)?,
            }));
        }
        if let Some((left, right)) = quantity::pair(&left, &right)? {
            return quantity::arithmetic(op, &left, &right);
        }
        let (left, right) = self.temporal(op, left, right)?;
        match (op, &left, &right) {
            (BinaryOp::Add, Val::Instant(at), Val::Duration(by))
            | (BinaryOp::Add, Val::Duration(by), Val::Instant(at)) => self.moved(*at, by),
            (BinaryOp::Sub, Val::Instant(at), Val::Duration(by)) => self.moved(*at, &by.negated()),
            (BinaryOp::Sub, Val::Instant(a), Val::Instant(b)) => {
                let ms =
                    a.checked_sub(*b).ok_or_else(|| Error::new(Code::BadDuration, "the instants lie too far apart"))?;
                Ok(Val::Duration(Duration::from_ms(ms)))
            }
            (BinaryOp::Add, Val::Duration(a), Val::Duration(b)) => a.checked_add(b).map(Val::Duration),
            (BinaryOp::Sub, Val::Duration(a), Val::Duration(b)) => a.checked_add(&b.negated()).map(Val::Duration),
            (BinaryOp::Mul, Val::Duration(a), b) | (BinaryOp::Mul, b, Val::Duration(a)) if b.as_decimal().is_some() => {
                scale(a, b, false)
            }
            (BinaryOp::Div, Val::Duration(a), Val::Duration(b)) => {
                Ok(Val::Decimal(decimal::div(Decimal::from(a.exact_ms()?), Decimal::from(b.exact_ms()?))?))
            }
            (BinaryOp::Div, Val::Duration(a), b) if b.as_decimal().is_some() => scale(a, b, true),
            _ => Err(mismatch(op, &left, &right)),
        }
    }

    /// Text beside an instant or a duration is read as what it looks like; so are two texts that are both
    /// instants, when one is subtracted from the other.
    fn temporal(&self, op: BinaryOp, left: Val, right: Val) -> Result<(Val, Val), Error> {
        if !matches!(op, BinaryOp::Add | BinaryOp::Sub) {
            return Ok((left, right));
        }
        let is_time = |val: &Val| matches!(val, Val::Instant(_) | Val::Duration(_));
        let dated = |val: &Val| val.as_text().is_some_and(looks_like_instant);
        if is_time(&left) || is_time(&right) || (op == BinaryOp::Sub && dated(&left) && dated(&right)) {
            return Ok((self.as_time(left)?, self.as_time(right)?));
        }
        Ok((left, right))
    }

    fn as_time(&self, val: Val) -> Result<Val, Error> {
        match &val {
            Val::Plain(Value::Text(text)) if looks_like_instant(text) => self.instant(text).map(Val::Instant),
            Val::Plain(Value::Text(text)) => parse_duration(text).map(Val::Duration),
            _ => Ok(val),
        }
    }

    fn moved(&self, at: i64, by: &Duration) -> Result<Val, Error> {
        // With `Gap::Shift` there always is an instant.
        Ok(add_span(at, by, self.zone(), Gap::Shift)?.map_or(Val::NULL, Val::Instant))
    }
}

/// A duration times or divided by a number. A whole number keeps days and months; a fraction needs a
/// length and gives the nearest millisecond.
fn scale(duration: &Duration, by: &Val, divide: bool) -> Result<Val, Error> {
    let Some(by) = by.as_decimal().transpose()? else { return Ok(Val::NULL) };
    let too_long = || Error::new(Code::BadDuration, "the duration becomes too long");
    if !divide && by.is_integer() {
        return duration.checked_mul(by.to_i64().ok_or_else(too_long)?).map(Val::Duration);
    }
    let length = Decimal::from(duration.exact_ms()?);
    let exact = if divide { decimal::div(length, by)? } else { decimal::mul(length, by)? };
    let ms = decimal::round(exact, 0, decimal::Rounding::HalfUp)?.to_i64().ok_or_else(too_long)?;
    Duration::default().checked_add(&Duration::from_ms(ms)).map(Val::Duration)
}

fn mismatch(op: BinaryOp, left: &Val, right: &Val) -> Error {
    let (left, right) = (left.kind(), right.kind());
    let hint = match (op, left, right) {
        (_, "null", _) | (_, _, "null") => "give a value for null: `x ?? 0`",
        (BinaryOp::Add, "text", _) | (BinaryOp::Add, _, "text") => "join texts with `~`, or write number(…)",
        (_, "text", _) | (_, _, "text") => "write number(…), instant(…) or duration(…) around the text",
        (BinaryOp::Add, "list", "list") => "join lists with concat(a, b)",
        _ => "convert one of them",
    };
    wrong_type(format!("`{}` does not go between {} and {}; {hint}", op.as_str(), a(left), a(right)))
}
