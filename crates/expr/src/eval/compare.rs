//! Equality and order. What cannot be compared is an error, never a silent false.

use std::cmp::Ordering;

use throughline_value::Value;

use super::{Context, Val, quantity};
use crate::ast::CompareOp;
use crate::error::{Error, a, wrong_type};
use crate::time::{complete_instant, looks_like_instant, parse_duration};

impl Context<'_> {
    pub(crate) fn holds(&self, op: CompareOp, left: &Val, right: &Val) -> Result<bool, Error> {
        Ok(match op {
            CompareOp::Eq => self.equal(left, right)?,
            CompareOp::Ne => !self.equal(left, right)?,
            CompareOp::Lt => self.order(left, right)? == Ordering::Less,
            CompareOp::Le => self.order(left, right)? != Ordering::Greater,
            CompareOp::Gt => self.order(left, right)? == Ordering::Greater,
            CompareOp::Ge => self.order(left, right)? != Ordering::Less,
            CompareOp::In => self.contains(right, left)?,
            CompareOp::NotIn => !self.contains(right, left)?,
        })
    }

    /// `==`. Null equals only null; two different kinds are an error, since one of them is a mistake.
    pub(crate) fn equal(&self, left: &Val, right: &Val) -> Result<bool, Error> {
        if left.is_null() || right.is_null() {
            return Ok(left.is_null() && right.is_null());
        }
        match (left, right) {
            (Val::Plain(a), Val::Plain(b)) if a.kind() == b.kind() => self.same(a, b),
            (Val::Plain(Value::Bool(_)) | Val::Plain(Value::List(_)) | Val::Plain(Value::Map(_)), _)
            | (_, Val::Plain(Value::Bool(_)) | Val::Plain(Value::List(_)) | Val::Plain(Value::Map(_))) => {
                Err(different(left, right))
            }
            _ => self.order(left, right).map(Ordering::is_eq),
        }
    }

    /// Equality of two values inside lists and maps, where different kinds simply differ.
    pub(crate) fn same(&self, a: &Value, b: &Value) -> Result<bool, Error> {
        self.spend(1)?;
        Ok(match (a, b) {
            (Value::Text(a), Value::Text(b)) => {
                a == b
                    || match (complete_instant(a), complete_instant(b)) {
                        (Some(a), Some(b)) => a == b,
                        _ => false,
                    }
            }
            (Value::List(a), Value::List(b)) => {
                if a.len() != b.len() {
                    return Ok(false);
                }
                for (a, b) in a.iter().zip(b) {
                    if !self.same(a, b)? {
                        return Ok(false);
                    }
                }
                true
            }
            (Value::Map(a), Value::Map(b)) => {
                if a.len() != b.len() {
                    return Ok(false);
                }
                for (name, a) in a {
                    match b.get(name) {
                        Some(b) if self.same(a, b)? => {}
                        _ => return Ok(false),
                    }
                }
                true
            }
            (a, b) => a == b,
        })
    }

    /// The order of two values of one kind: numbers by value, texts by code points, but instants as
    /// instants whatever their spelling; text beside an instant or a duration is read as one.
    pub(crate) fn order(&self, left: &Val, right: &Val) -> Result<Ordering, Error> {
        if let Some((left, right)) = quantity::pair(left, right)? {
            return quantity::order(&left, &right);
        }
        match (left, right) {
            (Val::Decimal(a), Val::Decimal(b)) => Ok(a.cmp(b)),
            (Val::Instant(a), Val::Instant(b)) => Ok(a.cmp(b)),
            (Val::Duration(a), Val::Duration(b)) => a.try_cmp(b),
            (Val::Instant(a), Val::Plain(Value::Text(b))) => Ok(a.cmp(&self.instant(b)?)),
            (Val::Plain(Value::Text(a)), Val::Instant(b)) => Ok(self.instant(a)?.cmp(b)),
            (Val::Duration(a), Val::Plain(Value::Text(b))) => a.try_cmp(&parse_duration(b)?),
            (Val::Plain(Value::Text(a)), Val::Duration(b)) => parse_duration(a)?.try_cmp(b),
            (Val::Plain(Value::Text(a)), Val::Plain(Value::Text(b))) => self.text_order(a, b),
            _ => match (left.as_number(), right.as_number()) {
                (Some(a), Some(b)) => Ok(a.cmp(&b)),
                _ => Err(unordered(left, right)),
            },
        }
    }

    fn text_order(&self, a: &str, b: &str) -> Result<Ordering, Error> {
        if !looks_like_instant(a) || !looks_like_instant(b) {
            return Ok(a.cmp(b));
        }
        match (complete_instant(a), complete_instant(b)) {
            (Some(a), Some(b)) => Ok(a.cmp(&b)),
            (None, None) => Ok(a.cmp(b)),
            // One says its zone and the other does not: as texts they would compare by accident.
            _ => Ok(self.instant(a)?.cmp(&self.instant(b)?)),
        }
    }

    /// `in`: an item of a list, a name of a map, a part of a text.
    pub(crate) fn contains(&self, whole: &Val, part: &Val) -> Result<bool, Error> {
        match whole {
            Val::Plain(Value::List(items)) => {
                let part = self.value(part.clone())?;
                for item in items {
                    if self.same(item, &part)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Val::Plain(Value::Map(map)) => {
                let name = part.as_text().ok_or_else(|| {
                    wrong_type(format!("the names of a map are texts; {} is never one of them", a(part.kind())))
                })?;
                Ok(map.contains_key(name))
            }
            Val::Plain(Value::Text(text)) => {
                let part = part.as_text().ok_or_else(|| {
                    wrong_type(format!("a text contains texts, not {}; write text(…)", a(part.kind())))
                })?;
                self.spend((text.len() / crate::limits::BYTES_PER_FUEL) as u64)?;
                Ok(text.contains(part))
            }
            other => Err(wrong_type(format!(
                "`in` and contains() look into a list, a map or a text, not {}{}",
                a(other.kind()),
                if other.is_null() { "; write `x ?? []`" } else { "" }
            ))),
        }
    }
}

fn different(left: &Val, right: &Val) -> Error {
    wrong_type(format!("{} and {} are never equal; convert one of them", a(left.kind()), a(right.kind())))
}

fn unordered(left: &Val, right: &Val) -> Error {
    let (left, right) = (left.kind(), right.kind());
    if left == right {
        return wrong_type(format!("{} has no order; compare numbers, texts, instants or durations", a(left)));
    }
    let hint = match (left, right) {
        ("null", _) | (_, "null") => "give a value for null: `x ?? 0`",
        ("text", "number") | ("number", "text") => "write number(…) around the text",
        _ => "convert one of them",
    };
    wrong_type(format!("{} cannot be compared with {}; {hint}", a(left), a(right)))
}
