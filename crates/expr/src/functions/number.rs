//! Functions of numbers.

use rust_decimal::Decimal;
use throughline_value::Value;

use super::{Args, Function, MANY, strict};
use crate::decimal::{self, Rounding};
use crate::error::{Code, Error, a, bad_argument, wrong_type};
use crate::eval::{Context, Val, convert, read_quantity};

/// The largest exponent of `power`.
const MAX_POWER: i32 = 1000;

pub(super) const FUNCTIONS: &[Function] = &[
    strict("abs(x)", "The number without its sign.", 1, 1, |_, mut args| {
        let unit = args.quantity();
        match unit {
            Some((amount, unit)) => Ok(Val::Quantity(amount.abs(), unit)),
            None => Ok(Val::Decimal(args.decimal()?.abs())),
        }
    }),
    strict(
        "min(a, b, …)",
        "The smallest of the arguments, or of one list; null when the list is empty.",
        1,
        MANY,
        |c, a| extreme(c, a, false),
    ),
    strict(
        "max(a, b, …)",
        "The largest of the arguments, or of one list; null when the list is empty.",
        1,
        MANY,
        |c, a| extreme(c, a, true),
    ),
    strict("sum(list)", "The sum of a list of numbers; 0 when it is empty.", 1, 1, |c, mut args| {
        Ok(Val::Decimal(total(c, &args.list()?)?))
    }),
    strict("avg(list)", "The mean of a list of numbers; null when it is empty.", 1, 1, |c, mut args| {
        let items = args.list()?;
        if items.is_empty() {
            return Ok(Val::NULL);
        }
        Ok(Val::Decimal(decimal::div(total(c, &items)?, Decimal::from(items.len()))?))
    }),
    strict(
        "round(x, digits = 0, mode = \"half-up\")",
        "The number rounded to so many digits after the point; negative digits round tens and hundreds. Modes: half-up, half-even, half-down, up, down, floor, ceil.",
        1,
        3,
        |_, args| round(args, None),
    ),
    strict("floor(x, digits = 0)", "The number rounded towards minus infinity.", 1, 2, |_, args| {
        round(args, Some(Rounding::Floor))
    }),
    strict("ceil(x, digits = 0)", "The number rounded towards plus infinity.", 1, 2, |_, args| {
        round(args, Some(Rounding::Ceil))
    }),
    strict(
        "fixed(x, digits)",
        "The number as text with exactly so many digits after the point, rounded half-up.",
        2,
        2,
        |c, mut args| {
            let value = args.decimal()?;
            let digits = digits(args.int()?)?;
            c.text(decimal::fixed(value, digits, Rounding::HalfUp))
        },
    ),
    strict(
        "percent(x, digits?)",
        "The fraction as text with a percent sign: percent(0.917) is \"91.7%\".",
        1,
        2,
        |c, mut args| {
            let value = decimal::mul(args.decimal()?, Decimal::ONE_HUNDRED)?;
            let text = if args.len() > 0 {
                decimal::fixed(value, digits(args.int()?)?, Rounding::HalfUp)
            } else {
                decimal::to_number(value).to_string()
            };
            c.text(text + "%")
        },
    ),
    strict(
        "power(x, n)",
        "The number multiplied by itself n times; n is a whole number from 0 to 1000.",
        2,
        2,
        |_, mut args| {
            let base = args.decimal()?;
            let times = args.int()?;
            if !(0..=MAX_POWER).contains(&times) {
                return Err(bad_argument(format!("the exponent of power() is a whole number from 0 to {MAX_POWER}")));
            }
            (0..times).try_fold(Decimal::ONE, |product, _| decimal::mul(product, base)).map(Val::Decimal)
        },
    ),
    strict(
        "number(x)",
        "The number a text spells, with its digits kept; `5%` is 0.05. A number stays as it is, a quantity loses its unit.",
        1,
        1,
        |_, mut args| {
            let (val, span) = args.next()?;
            let read = |text: &str| match text.trim_end().strip_suffix(['%', '％']) {
                Some(text) => Ok(Val::Decimal(decimal::div(decimal::parse(text)?, Decimal::ONE_HUNDRED)?)),
                None => Ok(Val::Plain(Value::Number(decimal::number_from_text(text)?))),
            };
            match (&val, val.as_text()) {
                (Val::Quantity(amount, _), _) => Ok(Val::Decimal(*amount)),
                (Val::Decimal(_) | Val::Plain(Value::Number(_)), _) => Ok(val),
                (_, Some(text)) => read(text).map_err(|error: Error| error.at(span)),
                (Val::Duration(_), _) => {
                    Err(wrong_type("a duration is not a number; write total(x, \"hours\")").at(span))
                }
                _ => Err(wrong_type(format!("number(x) takes a text or a number, not {}", a(val.kind()))).at(span)),
            }
        },
    ),
    strict(
        "quantity(x, unit?)",
        "The number with a unit: quantity(3.5, \"kg\"), or what a text spells: quantity(\"3.5 kg\").",
        1,
        2,
        |_, mut args| {
            if args.len() == 2 {
                let amount = args.decimal()?;
                return Ok(Val::Quantity(amount, args.text()?));
            }
            match args.next()? {
                (val @ Val::Quantity(..), _) => Ok(val),
                (Val::Plain(Value::Text(text)), span) => read_quantity(&text).map_err(|error| error.at(span)),
                (val, span) => {
                    Err(wrong_type(format!("quantity(x) takes a text like \"3.5 kg\", not {}", a(val.kind()))).at(span))
                }
            }
        },
    ),
    strict("unit(x)", "The unit of a quantity as text.", 1, 1, |c, mut args| match args.next()? {
        (Val::Quantity(_, unit), _) => c.text(unit),
        (val, span) => Err(wrong_type(format!("unit(x) takes a quantity, not {}", a(val.kind()))).at(span)),
    }),
    strict(
        "convert(x, unit, factor)",
        "The quantity in another unit, of which one old unit is `factor`: convert(3 kg, \"g\", 1000).",
        3,
        3,
        |_, mut args| {
            let (val, span) = args.next()?;
            let unit = args.text()?;
            convert(&val, unit, args.decimal()?).map_err(|error| error.at(span))
        },
    ),
];

fn digits(digits: i32) -> Result<u32, Error> {
    u32::try_from(digits).ok().filter(|digits| *digits <= decimal::MAX_SCALE).ok_or_else(|| {
        Error::new(Code::BadArgument, format!("digits is a whole number from 0 to {}", decimal::MAX_SCALE))
    })
}

fn round(mut args: Args, mode: Option<Rounding>) -> Result<Val, Error> {
    let unit = args.quantity();
    let value = match &unit {
        Some((amount, _)) => *amount,
        None => args.decimal()?,
    };
    let digits = args.int_or(0)?;
    let mode = match mode {
        Some(mode) => mode,
        None if args.len() > 0 => args.choice(Rounding::ALL, Rounding::parse)?,
        None => Rounding::default(),
    };
    let rounded = decimal::round(value, digits, mode)?;
    Ok(unit.map_or(Val::Decimal(rounded), |(_, unit)| Val::Quantity(rounded, unit)))
}

fn total(context: &Context<'_>, items: &[Value]) -> Result<Decimal, Error> {
    let mut sum = Decimal::ZERO;
    for (at, item) in items.iter().enumerate() {
        context.spend(1)?;
        let Value::Number(number) = item else {
            return Err(wrong_type(format!("item {at} of the list is {}, not a number", a(item.kind()))));
        };
        sum = decimal::add(sum, decimal::from_number(number)?)?;
    }
    Ok(sum)
}

fn extreme(context: &Context<'_>, mut args: Args, largest: bool) -> Result<Val, Error> {
    let mut candidates: Vec<Val> = Vec::new();
    if args.len() == 1 {
        candidates.extend(args.list()?.into_iter().map(Val::Plain));
    } else {
        candidates.extend(args.rest().map(|(val, _)| val));
    }
    let mut best: Option<Val> = None;
    for candidate in candidates {
        context.spend(1)?;
        let better = match &best {
            None => {
                // Comparing it with itself refuses what has no order even when it is alone.
                context.order(&candidate, &candidate)?;
                true
            }
            Some(best) if largest => context.order(&candidate, best)?.is_gt(),
            Some(best) => context.order(&candidate, best)?.is_lt(),
        };
        if better {
            best = Some(candidate);
        }
    }
    Ok(best.unwrap_or(Val::NULL))
}
