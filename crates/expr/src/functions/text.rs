//! Functions of texts.

use throughline_value::Value;

use super::{Args, Function, MANY, format, strict};
use crate::error::{Error, a, bad_argument, wrong_type};
use crate::eval::{Context, Val};
use crate::limits::{BYTES_PER_FUEL, MAX_LIST_ITEMS};

pub(super) const FUNCTIONS: &[Function] = &[
    strict(
        "text(x)",
        "The value as it would stand in a sentence; a number keeps its spelling.",
        1,
        1,
        |c, mut args| {
            let (val, span) = args.next()?;
            let text = c.printed(val).map_err(|error| error.at(span))?;
            c.text(text)
        },
    ),
    strict("json(x)", "The value as JSON text.", 1, 1, |c, mut args| {
        let value = c.value(args.next()?.0)?;
        c.spend_on(&value)?;
        c.text(value.to_json())
    }),
    strict(
        "type(x)",
        "The kind in a word: null, boolean, number, text, list, map, instant, duration, quantity.",
        1,
        1,
        |c, mut args| c.text(args.next()?.0.kind().to_owned()),
    ),
    strict("len(x)", "How many characters a text has, or items a list or map.", 1, 1, |_, mut args| {
        let (val, span) = args.next()?;
        match &val {
            Val::Plain(Value::Text(text)) => Ok(Val::from(text.chars().count())),
            Val::Plain(Value::List(items)) => Ok(Val::from(items.len())),
            Val::Plain(Value::Map(map)) => Ok(Val::from(map.len())),
            _ => Err(wrong_type(format!("{} has no length", a(val.kind()))).at(span)),
        }
    }),
    strict("upper(text)", "The text in capitals.", 1, 1, |c, mut args| c.text(args.text()?.to_uppercase())),
    strict("lower(text)", "The text in small letters.", 1, 1, |c, mut args| c.text(args.text()?.to_lowercase())),
    strict("trim(text)", "The text without white space at its ends.", 1, 1, |c, mut args| {
        c.text(args.text()?.trim().to_owned())
    }),
    strict(
        "contains(whole, part)",
        "Whether a text contains a text, a list an item, or a map a name.",
        2,
        2,
        |c, mut args| {
            let (whole, _) = args.next()?;
            let (part, _) = args.next()?;
            c.contains(&whole, &part).map(Val::from)
        },
    ),
    strict("starts_with(text, start)", "Whether the text starts so.", 2, 2, |_, mut args| {
        Ok(Val::from(args.text()?.starts_with(&args.text()?)))
    }),
    strict("ends_with(text, end)", "Whether the text ends so.", 2, 2, |_, mut args| {
        Ok(Val::from(args.text()?.ends_with(&args.text()?)))
    }),
    strict("split(text, separator)", "The parts of the text between separators.", 2, 2, |c, mut args| {
        let (text, separator) = (args.text()?, args.text()?);
        if separator.is_empty() {
            return Err(bad_argument("split() needs a separator that is not empty"));
        }
        c.list(text.split(&separator).take(MAX_LIST_ITEMS + 1).map(Value::from).collect())
    }),
    strict(
        "join(list, separator = \"\")",
        "The items of a list as one text, with the separator between them.",
        1,
        2,
        join,
    ),
    strict("replace(text, from, to)", "The text with every `from` replaced.", 3, 3, |c, mut args| {
        let (text, from, to) = (args.text()?, args.text()?, args.text()?);
        if from.is_empty() {
            return Err(bad_argument("replace() needs a text to look for that is not empty"));
        }
        // The size is known before the text is made.
        let hits = text.matches(&from).count();
        c.text_size(text.len().saturating_sub(hits * from.len()).saturating_add(hits.saturating_mul(to.len())))?;
        c.text(text.replace(&from, &to))
    }),
    strict(
        "substring(text, start, length?)",
        "Characters from a position on (0 is the first, -1 the last).",
        2,
        3,
        |c, mut args| {
            let text = args.text()?;
            let count = text.chars().count();
            let start = position(args.int()?, count);
            let length = match args.next_if_any() {
                None => count,
                Some((val, span)) => val
                    .as_number()
                    .and_then(|number| number.as_u64())
                    .and_then(|length| usize::try_from(length).ok())
                    .ok_or_else(|| bad_argument("the length is a whole number from 0 on").at(span))?,
            };
            c.text(text.chars().skip(start).take(length).collect())
        },
    ),
    strict("concat(a, b, …)", "The texts, or the lists, one after the other.", 1, MANY, concat),
    strict(
        "format(x, pattern, zone?)",
        "The number by a pattern like \"#,##0.00\" or \"0.0%\", or the instant by one like \"%Y-%m-%d %H:%M\".",
        2,
        3,
        format::format,
    ),
];

/// A position from the front; negative ones count from the end.
pub(super) fn position(at: i32, count: usize) -> usize {
    match usize::try_from(at) {
        Ok(at) => at.min(count),
        Err(_) => count.saturating_sub(at.unsigned_abs() as usize),
    }
}

fn join(context: &Context<'_>, mut args: Args) -> Result<Val, Error> {
    let items = args.list()?;
    let separator = if args.len() > 0 { args.text()? } else { String::new() };
    let mut out = String::new();
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            out.push_str(&separator);
        }
        out.push_str(&context.printed(Val::Plain(item))?);
        context.text_size(out.len())?;
        context.spend(1 + (separator.len() / BYTES_PER_FUEL) as u64)?;
    }
    context.text(out)
}

fn concat(context: &Context<'_>, args: Args) -> Result<Val, Error> {
    let vals: Vec<Val> = args.rest().map(|(val, _)| val).collect();
    let lists = vals.iter().filter(|val| matches!(val, Val::Plain(Value::List(_)))).count();
    if lists == vals.len() {
        let mut out = Vec::new();
        for val in vals {
            if let Val::Plain(Value::List(items)) = val {
                out.extend(items);
            }
        }
        return context.list(out);
    }
    if lists > 0 {
        return Err(wrong_type("concat() joins texts or lists, not both; write [x] for a list of one"));
    }
    let mut out = String::new();
    for val in vals {
        out.push_str(&context.printed(val)?);
        context.text_size(out.len())?;
    }
    context.text(out)
}
