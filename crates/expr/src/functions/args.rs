//! Evaluated arguments, taken by kind; an error points at the argument.

use std::collections::VecDeque;

use rust_decimal::Decimal;
use throughline_value::{Map, Span, Value};

use crate::error::{Code, Error, a, wrong_type};
use crate::eval::{Context, Val};
use crate::time::{Duration, Unit, Zone, parse_duration};

pub(super) struct Args {
    signature: &'static str,
    waiting: VecDeque<(Val, Span)>,
}

impl Args {
    pub(super) fn new(signature: &'static str) -> Self {
        Self { signature, waiting: VecDeque::new() }
    }

    pub(super) fn push(&mut self, val: Val, span: Span) {
        self.waiting.push_back((val, span));
    }

    /// The next argument; the number of arguments was checked when the call was read.
    pub(super) fn next(&mut self) -> Result<(Val, Span), Error> {
        self.waiting
            .pop_front()
            .ok_or_else(|| Error::new(Code::WrongArity, format!("an argument is missing: {}", self.signature)))
    }

    pub(super) fn next_if_any(&mut self) -> Option<(Val, Span)> {
        self.waiting.pop_front()
    }

    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn rest(self) -> impl Iterator<Item = (Val, Span)> {
        self.waiting.into_iter()
    }

    fn wrong(&self, what: &str, val: &Val, span: Span) -> Error {
        let hint = if val.is_null() { "; give a value for null: `x ?? …`" } else { "" };
        wrong_type(format!("{} takes {what} here, not {}{hint}", self.signature, a(val.kind()))).at(span)
    }

    pub(super) fn text(&mut self) -> Result<String, Error> {
        match self.next()? {
            (Val::Plain(Value::Text(text)), _) => Ok(text),
            (val, span) => Err(self.wrong("a text", &val, span)),
        }
    }

    pub(super) fn list(&mut self) -> Result<Vec<Value>, Error> {
        match self.next()? {
            (Val::Plain(Value::List(items)), _) => Ok(items),
            (val, span) => Err(self.wrong("a list", &val, span)),
        }
    }

    pub(super) fn map(&mut self) -> Result<Map, Error> {
        match self.next()? {
            (Val::Plain(Value::Map(map)), _) => Ok(map),
            (val, span) => Err(self.wrong("a map", &val, span)),
        }
    }

    pub(super) fn decimal(&mut self) -> Result<Decimal, Error> {
        let (val, span) = self.next()?;
        match val.as_decimal() {
            Some(decimal) => decimal.map_err(|error| error.at(span)),
            None => Err(self.wrong("a number", &val, span)),
        }
    }

    /// The next argument, when it is a quantity.
    pub(super) fn quantity(&mut self) -> Option<(Decimal, String)> {
        let Some((Val::Quantity(amount, unit), _)) = self.waiting.front() else { return None };
        let out = (*amount, unit.clone());
        self.waiting.pop_front();
        Some(out)
    }

    /// A whole number that fits an `i32`.
    pub(super) fn int(&mut self) -> Result<i32, Error> {
        let (val, span) = self.next()?;
        let int = val.as_number().and_then(|number| number.as_i64()).and_then(|int| i32::try_from(int).ok());
        int.ok_or_else(|| self.wrong("a whole number", &val, span))
    }

    pub(super) fn int_or(&mut self, default: i32) -> Result<i32, Error> {
        if self.len() == 0 { Ok(default) } else { self.int() }
    }

    /// One of the spellings of a table.
    pub(super) fn choice<T: Copy>(
        &mut self,
        known: &[(&'static str, T)],
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<T, Error> {
        let (val, span) = self.next()?;
        val.as_text().and_then(read).ok_or_else(|| {
            let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
            Error::new(Code::BadArgument, format!("{}: write one of {}", self.signature, names.join(", "))).at(span)
        })
    }

    pub(super) fn unit(&mut self) -> Result<Unit, Error> {
        self.choice(Unit::ALL, Unit::parse)
    }

    /// An instant, or a text that is one.
    pub(super) fn instant(&mut self, context: &Context<'_>) -> Result<i64, Error> {
        match self.next()? {
            (Val::Instant(ms), _) => Ok(ms),
            (Val::Plain(Value::Text(text)), span) => context.instant(&text).map_err(|error| error.at(span)),
            (val, span) => Err(self.wrong("an instant", &val, span)),
        }
    }

    /// A duration, or a text that is one.
    pub(super) fn duration(&mut self) -> Result<Duration, Error> {
        match self.next()? {
            (Val::Duration(duration), _) => Ok(duration),
            (Val::Plain(Value::Text(text)), span) => parse_duration(&text).map_err(|error| error.at(span)),
            (val, span) => Err(self.wrong("a duration", &val, span)),
        }
    }

    /// The zone that is named, else the environment's; a calendar date without a zone would be a guess.
    pub(super) fn zone(&mut self, context: &Context<'_>) -> Result<Zone, Error> {
        if self.len() > 0 {
            let (val, span) = self.next()?;
            let Some(text) = val.as_text() else { return Err(self.wrong("a zone as text", &val, span)) };
            if let Some(zone) = context.zone().filter(|zone| zone.name() == text) {
                return Ok(zone.clone());
            }
            return match context.zone_named(text) {
                Some(zone) => Ok(zone),
                None => Zone::parse(text).map_err(|error| error.at(span)),
            };
        }
        context.zone().cloned().ok_or_else(|| {
            Error::new(
                Code::ZoneMissing,
                format!("the day and hour of an instant depend on the zone, and none is given: {}", self.signature),
            )
        })
    }
}
