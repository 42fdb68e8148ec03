//! Numbers with units: `3.5 kg`.
//!
//! Two units are the same when they are spelt the same. One becomes another only where the expression says
//! how: `convert(3 kg, "g", 1000)`. Everything else is an error, never a guess.

use std::cmp::Ordering;

use rust_decimal::Decimal;
use throughline_value::Value;

use super::Val;
use crate::ast::BinaryOp;
use crate::decimal;
use crate::error::{Code, Error, a, wrong_type};

/// A text like `3.5 kg` or `１２.5％`: a number, and what stands behind it.
pub(crate) fn read(text: &str) -> Result<Val, Error> {
    let text = text.trim();
    let end = text
        .char_indices()
        .find(|(_, c)| !matches!(c, '0'..='9' | '０'..='９' | '+' | '-' | '.' | ',' | '．' | '−' | '－'))
        .map_or(text.len(), |(at, _)| at);
    let (number, unit) = text.split_at(end);
    let unit = unit.trim();
    if unit.is_empty() {
        let message = format!("{text:?} has no unit; write `3.5 kg`, or quantity(3.5, \"kg\")");
        return Err(Error::new(Code::BadNumber, message));
    }
    let amount = decimal::parse(&number.replace(',', ""))?;
    Ok(Val::Quantity(amount, unit.to_owned()))
}

/// Whether either side is a quantity; then a text beside it is read as one.
pub(super) fn pair(left: &Val, right: &Val) -> Result<Option<(Val, Val)>, Error> {
    if !matches!(left, Val::Quantity(..)) && !matches!(right, Val::Quantity(..)) {
        return Ok(None);
    }
    let one = |val: &Val| match val {
        Val::Plain(Value::Text(text)) => read(text),
        other => Ok(other.clone()),
    };
    Ok(Some((one(left)?, one(right)?)))
}

pub(super) fn arithmetic(op: BinaryOp, left: &Val, right: &Val) -> Result<Val, Error> {
    match (left, right) {
        (Val::Quantity(x, unit), Val::Quantity(y, other)) => {
            same(unit, other)?;
            match op {
                BinaryOp::Add => Ok(Val::Quantity(decimal::add(*x, *y)?, unit.clone())),
                BinaryOp::Sub => Ok(Val::Quantity(decimal::sub(*x, *y)?, unit.clone())),
                BinaryOp::Rem => Ok(Val::Quantity(decimal::rem(*x, *y)?, unit.clone())),
                BinaryOp::Div => decimal::div(*x, *y).map(Val::Decimal),
                _ => Err(Error::new(
                    Code::UnitMismatch,
                    format!(
                        "{unit} times {unit} has no unit here; multiply number(…) and give the unit with quantity(x, unit)"
                    ),
                )),
            }
        }
        (Val::Quantity(x, unit), by) | (by, Val::Quantity(x, unit)) => {
            let by = by.as_decimal().transpose()?;
            match (op, by, matches!(left, Val::Quantity(..))) {
                (BinaryOp::Mul, Some(by), _) => Ok(Val::Quantity(decimal::mul(*x, by)?, unit.clone())),
                (BinaryOp::Div, Some(by), true) => Ok(Val::Quantity(decimal::div(*x, by)?, unit.clone())),
                _ => Err(lone(op.as_str(), left, right)),
            }
        }
        _ => Err(lone(op.as_str(), left, right)),
    }
}

pub(super) fn order(left: &Val, right: &Val) -> Result<Ordering, Error> {
    match (left, right) {
        (Val::Quantity(x, unit), Val::Quantity(y, other)) => same(unit, other).map(|()| x.cmp(y)),
        _ => Err(lone("compare", left, right)),
    }
}

fn same(unit: &str, other: &str) -> Result<(), Error> {
    if unit == other {
        return Ok(());
    }
    let message =
        format!("{unit} and {other} are two units; say how one becomes the other: `convert(x, \"{unit}\", factor)`");
    Err(Error::new(Code::UnitMismatch, message))
}

fn lone(what: &str, left: &Val, right: &Val) -> Error {
    wrong_type(format!(
        "`{what}` does not go between {} and {}; give both a unit, or take number(x)",
        a(left.kind()),
        a(right.kind())
    ))
}

/// The amount in another unit, of which one old unit is `factor`.
pub(crate) fn convert(val: &Val, unit: String, factor: Decimal) -> Result<Val, Error> {
    match val {
        Val::Quantity(amount, _) => Ok(Val::Quantity(decimal::mul(*amount, factor)?, unit)),
        other => Err(wrong_type(format!("convert() takes a quantity, not {}", a(other.kind())))),
    }
}
