//! Functions of lists and maps, and of values that may be missing.

use std::cell::RefCell;
use std::cmp::Ordering;

use throughline_value::{InOrder as _, Map, Named, Value};

use super::{Args, Function, MANY, lazy, strict, text::position};
use crate::ast::{Node, NodeData};
use crate::error::{Code, Error, a, bad_argument, wrong_type};
use crate::eval::{Context, Local, Origin, Val};
use crate::limits::MAX_LIST_ITEMS;
use crate::time::complete_instant;

pub(super) const FUNCTIONS: &[Function] = &[
    lazy("exists(x)", "Whether the value is there and not null; the name may be unknown.", 1, 1, false, |c, nodes| {
        let [node] = nodes else { return Err(missing()) };
        Ok(Val::from(c.lenient(node)?.is_some_and(|val| !val.is_null())))
    }),
    lazy(
        "after(event)",
        "Whether the event has happened: a scheduled one fired, or the machine took it.",
        1,
        1,
        false,
        |c, nodes| happened(c, nodes).map(Val::from),
    ),
    lazy("before(event)", "Whether the event has not happened yet.", 1, 1, false, |c, nodes| {
        Ok(Val::from(!happened(c, nodes)?))
    }),
    lazy(
        "coalesce(a, b, …)",
        "The first argument that is there and not null, else null; names may be unknown.",
        1,
        MANY,
        false,
        coalesce,
    ),
    lazy("default(x, y)", "x when it is there and not null, else y; the same as `x ?? y`.", 2, 2, false, coalesce),
    lazy(
        "any(list, item => condition)",
        "Whether the condition holds for an item; without one, whether an item is true.",
        1,
        2,
        true,
        |c, nodes| {
            let mut found = false;
            each(c, nodes, |_, _, holds| {
                found = holds.condition()?;
                Ok(!found)
            })?;
            Ok(Val::from(found))
        },
    ),
    lazy(
        "all(list, item => condition)",
        "Whether the condition holds for every item; true when the list is empty.",
        1,
        2,
        true,
        |c, nodes| {
            let mut all = true;
            each(c, nodes, |_, _, holds| {
                all = holds.condition()?;
                Ok(all)
            })?;
            Ok(Val::from(all))
        },
    ),
    lazy(
        "count(list, item => condition)",
        "How many items there are, or for how many the condition holds.",
        1,
        2,
        true,
        count,
    ),
    lazy("map(list, item => value)", "The list of what is computed for each item.", 2, 2, true, |c, nodes| {
        let mut out = Vec::new();
        each(c, nodes, |_, _, mapped| {
            out.push(mapped.value()?);
            Ok(true)
        })?;
        c.list(out)
    }),
    lazy("filter(list, item => condition)", "The items for which the condition holds.", 2, 2, true, |c, nodes| {
        let mut out = Vec::new();
        each(c, nodes, |_, item, holds| {
            if holds.condition()? {
                out.push(item.clone());
            }
            Ok(true)
        })?;
        c.list(out)
    }),
    lazy(
        "first(list, item => condition)",
        "The first item, or the first for which the condition holds; null when there is none.",
        1,
        2,
        true,
        |c, nodes| pick(c, nodes, true),
    ),
    lazy(
        "last(list, item => condition)",
        "The last item, or the last for which the condition holds; null when there is none.",
        1,
        2,
        true,
        |c, nodes| pick(c, nodes, false),
    ),
    lazy(
        "sort(list, item => key)",
        "The items in ascending order, of themselves or of a key; equal ones keep their order.",
        1,
        2,
        true,
        sort,
    ),
    strict("reverse(list)", "The items from last to first.", 1, 1, |c, mut args| {
        let mut items = args.list()?;
        items.reverse();
        c.list(items)
    }),
    strict("unique(list)", "The items without repetitions; the first of equal ones stays.", 1, 1, |c, mut args| {
        let mut seen = Named::<()>::new();
        let items = args.list()?;
        for item in &items {
            c.spend_on(item)?;
        }
        c.list(items.into_iter().filter(|item| seen.insert(key(item), ()).is_none()).collect())
    }),
    strict("flatten(list)", "The items of the lists in a list, one level deep.", 1, 1, |c, mut args| {
        let mut out = Vec::new();
        for item in args.list()? {
            match item {
                Value::List(items) => out.extend(items),
                other => out.push(other),
            }
            if out.len() > MAX_LIST_ITEMS {
                break;
            }
        }
        c.list(out)
    }),
    strict(
        "slice(list, start, end?)",
        "The items from a position up to, not including, another; negative ones count from the end.",
        2,
        3,
        |c, mut args| {
            let items = args.list()?;
            let start = position(args.int()?, items.len());
            let end = if args.len() > 0 { position(args.int()?, items.len()) } else { items.len() };
            c.list(items.into_iter().take(end).skip(start).collect())
        },
    ),
    strict(
        "range(from, to)",
        "The whole numbers from one up to, not including, another; with one argument from 0.",
        1,
        2,
        |c, mut args| {
            let first = args.int()?;
            let (from, to) = if args.len() > 0 { (first, args.int()?) } else { (0, first) };
            let count = i64::from(to) - i64::from(from);
            if count > MAX_LIST_ITEMS as i64 {
                return Err(Error::new(Code::ListTooLong, format!("a list may have at most {MAX_LIST_ITEMS} items")));
            }
            c.list((from..to).map(Value::from).collect())
        },
    ),
    strict("keys(map)", "The names of a map, in its order.", 1, 1, |c, mut args| {
        c.list(args.map()?.into_keys().map(Value::from).collect())
    }),
    strict("values(map)", "The values of a map, in its order.", 1, 1, |c, mut args| {
        c.list(args.map()?.into_values().collect())
    }),
    strict("entries(map)", "The map as a list of {key, value}.", 1, 1, |c, mut args| {
        let entry = |(name, value)| Value::from([("key", Value::Text(name)), ("value", value)]);
        c.list(args.map()?.into_iter().map(entry).collect())
    }),
    strict("merge(a, b, …)", "One map of all names; the last one given wins.", 1, MANY, |c, mut args| {
        let mut out: Map = args.map()?;
        while args.len() > 0 {
            for (name, value) in args.map()? {
                c.spend(1)?;
                out.insert(name, value);
            }
        }
        Ok(Val::Plain(Value::Map(out)))
    }),
    strict(
        "get(x, key, default?)",
        "The value under a name or position that is computed; null, or the default, when there is none.",
        2,
        3,
        get,
    ),
];

fn missing() -> Error {
    Error::new(Code::WrongArity, "an argument is missing")
}

fn coalesce(context: &Context<'_>, nodes: &[Node]) -> Result<Val, Error> {
    for node in nodes {
        if let Some(val) = context.lenient(node)?
            && !val.is_null()
        {
            return Ok(val);
        }
    }
    Ok(Val::NULL)
}

/// What the lambda gives for an item; without a lambda, the item itself.
struct Applied<'a, 'e> {
    context: &'a Context<'e>,
    body: Option<&'a Node>,
    item: &'a Value,
}

impl Applied<'_, '_> {
    fn condition(&self) -> Result<bool, Error> {
        match (self.body, self.item) {
            (Some(body), _) => self.context.condition(body),
            (None, Value::Bool(bool)) => Ok(*bool),
            (None, other) => {
                Err(wrong_type(format!("an item is {}, not true or false; add a condition: `x => …`", a(other.kind()))))
            }
        }
    }

    fn value(&self) -> Result<Value, Error> {
        match self.body {
            Some(body) => self.context.inner_value(body),
            None => Ok(self.item.clone()),
        }
    }
}

/// Visits the items of the list in the first argument, with the lambda in the second bound to each, until
/// `visit` says that it has seen enough.
fn each(
    context: &Context<'_>,
    nodes: &[Node],
    mut visit: impl FnMut(usize, &Value, Applied<'_, '_>) -> Result<bool, Error>,
) -> Result<(), Error> {
    let list = nodes.first().ok_or_else(missing)?;
    let items = items(context, list)?;
    let (param, body) = match nodes.get(1) {
        None => (None, None),
        Some(node) => match &node.data {
            NodeData::Lambda { param, body } => (Some(param), Some(&**body)),
            _ => return Err(bad_argument("write what to do with each item as `item => …`").at(node.span)),
        },
    };
    // Only a lambda can read parts of an item, so only then its place matters.
    let path = param.and_then(|_| context.path_of(list));
    for (at, item) in items.iter().enumerate() {
        context.spend(1)?;
        let applied = Applied { context, body, item };
        let Some(param) = param else {
            if visit(at, item, applied)? {
                continue;
            }
            return Ok(());
        };
        context.spend_on(item)?;
        let origin = match &path {
            Some(path) => Origin::At(path.iter().cloned().chain([at.to_string()]).collect()),
            None => Origin::None,
        };
        let local = Local { name: param.clone(), value: item.clone(), origin };
        if !context.bound(local, || visit(at, item, applied))? {
            return Ok(());
        }
    }
    Ok(())
}

fn items(context: &Context<'_>, node: &Node) -> Result<Vec<Value>, Error> {
    match context.eval(node)? {
        Val::Plain(Value::List(items)) => Ok(items),
        other => {
            let hint = match other.kind() {
                "null" => "; write `x ?? []`",
                "map" => "; write values(x), keys(x) or entries(x)",
                _ => "",
            };
            Err(wrong_type(format!("a list is expected here, not {}{hint}", a(other.kind()))).at(node.span))
        }
    }
}

fn count(context: &Context<'_>, nodes: &[Node]) -> Result<Val, Error> {
    let mut count = 0usize;
    let conditional = nodes.len() > 1;
    each(context, nodes, |_, _, holds| {
        count += usize::from(!conditional || holds.condition()?);
        Ok(true)
    })?;
    Ok(Val::from(count))
}

fn pick(context: &Context<'_>, nodes: &[Node], first: bool) -> Result<Val, Error> {
    let mut found = None;
    let conditional = nodes.len() > 1;
    each(context, nodes, |_, item, holds| {
        if !conditional || holds.condition()? {
            found = Some(item.clone());
            return Ok(!first);
        }
        Ok(true)
    })?;
    Ok(found.map_or(Val::NULL, Val::Plain))
}

fn sort(context: &Context<'_>, nodes: &[Node]) -> Result<Val, Error> {
    let mut keyed = Vec::new();
    each(context, nodes, |_, item, key| {
        keyed.push((Val::Plain(key.value()?), item.clone()));
        Ok(true)
    })?;
    // The order of a sort that met two values without one is of no use; the first such pair is the error.
    let failed: RefCell<Option<Error>> = RefCell::new(None);
    keyed.order_by(|(a, _), (b, _)| {
        if failed.borrow().is_some() {
            return Ordering::Equal;
        }
        context.spend(1).and_then(|()| context.order(a, b)).unwrap_or_else(|error| {
            failed.borrow_mut().get_or_insert(error);
            Ordering::Equal
        })
    });
    match failed.into_inner() {
        Some(error) => Err(error),
        None => context.list(keyed.into_iter().map(|(_, item)| item).collect()),
    }
}

/// A text that equal items share; instants count as instants.
fn key(item: &Value) -> String {
    match item {
        Value::Text(text) => match complete_instant(text) {
            Some(at) => format!("@{}", at.as_nanosecond()),
            None => item.canonical(),
        },
        other => other.canonical(),
    }
}

fn get(_: &Context<'_>, mut args: Args) -> Result<Val, Error> {
    let (whole, span) = args.next()?;
    let (index, index_span) = args.next()?;
    let default = args.next_if_any().map_or(Val::NULL, |(val, _)| val);
    let at = index.as_number().and_then(|number| number.as_i64());
    let found = match (&whole, index.as_text(), at) {
        (Val::Plain(Value::Null), ..) => None,
        (Val::Plain(Value::Map(map)), Some(name), _) => map.get(name),
        (Val::Plain(Value::List(items)), _, Some(at)) => {
            let at =
                if at < 0 { items.len().checked_sub(at.unsigned_abs() as usize) } else { usize::try_from(at).ok() };
            at.and_then(|at| items.get(at))
        }
        (Val::Plain(Value::Map(_) | Value::List(_)), ..) => {
            return Err(wrong_type(format!(
                "get(x, key) takes a text for a map and a whole number for a list, not {}",
                a(index.kind())
            ))
            .at(index_span));
        }
        _ => {
            return Err(wrong_type(format!("get(x, key) looks into a map or a list, not {}", a(whole.kind()))).at(span));
        }
    };
    Ok(match found {
        Some(Value::Null) | None => default,
        Some(value) => Val::Plain(value.clone()),
    })
}

/// The event that is named is looked up and not evaluated: `after(order_confirmed)`, `after("订单确认")`.
fn happened(c: &Context<'_>, nodes: &[Node]) -> Result<bool, Error> {
    let [node] = nodes else { return Err(missing()) };
    let name = crate::names::event_name(node)
        .ok_or_else(|| bad_argument("an event is named here, as a word or in quotes").at(node.span))?;
    Ok(c.has_happened(&name))
}
