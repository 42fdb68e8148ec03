//! Names, locals and steps into values.

use std::rc::Rc;

use throughline_value::{Span, Value};

use super::{Context, Val};
use crate::ast::{Node, NodeData, Step};
use crate::error::{Code, Error, a, wrong_type};
use crate::names::{Link, Path, chain};

/// A name bound inside the expression or template.
pub(crate) struct Local {
    pub(crate) name: String,
    pub(crate) value: Value,
    pub(crate) origin: Origin,
}

/// What a local stands for in the environment.
#[derive(Clone)]
pub(crate) enum Origin {
    /// Nothing that is not recorded already.
    None,
    /// The value at exactly this path.
    At(Vec<String>),
    /// Something computed from these paths.
    From(Rc<[Path]>),
}

/// A step whose index has been computed.
enum Taken {
    Name(String),
    Position(i64),
}

impl Context<'_> {
    /// Binds a local for as long as `inner` runs.
    pub(crate) fn bound<T>(&self, local: Local, inner: impl FnOnce() -> T) -> T {
        self.locals.borrow_mut().push(local);
        let out = inner();
        self.locals.borrow_mut().pop();
        out
    }

    /// Binds a local until [`Context::unbind`] cuts the locals back.
    pub(crate) fn bind(&self, local: Local) {
        self.locals.borrow_mut().push(local);
    }

    pub(crate) fn bound_count(&self) -> usize {
        self.locals.borrow().len()
    }

    pub(crate) fn unbind(&self, to: usize) {
        self.locals.borrow_mut().truncate(to);
    }

    /// The value of a node in which an unknown name counts as absent: `None`. Only the node's own chain is
    /// lenient; an unknown name in an operation or an argument is still an error.
    pub(crate) fn lenient(&self, node: &Node) -> Result<Option<Val>, Error> {
        match &node.data {
            NodeData::Name(_) | NodeData::Access { .. } => {
                self.spend(1)?;
                match self.chain(node, true) {
                    Err(error) if absent(node, &error) => Ok(None),
                    other => other.map(Some).map_err(|error| error.at(node.span)),
                }
            }
            _ => self.eval(node).map(Some),
        }
    }

    /// Whether a name is known and the field is there.
    pub(super) fn defined(&self, node: &Node) -> Result<bool, Error> {
        if !matches!(node.data, NodeData::Name(_) | NodeData::Access { .. }) {
            return self.eval(node).map(|_| true);
        }
        match self.look(node) {
            Ok(found) => Ok(found.is_some()),
            Err(error) if absent(node, &error) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The value of `a.b[0].c`. A step into null and an absent field are null.
    pub(super) fn chain(&self, node: &Node, lenient: bool) -> Result<Val, Error> {
        match self.look(node) {
            Ok(found) => Ok(found.unwrap_or(Val::NULL)),
            Err(error) if !lenient && safe(node) && absent(node, &error) => Ok(Val::NULL),
            Err(error) => Err(error),
        }
    }

    /// The value at the end of a chain; `None` when a field on the way is absent.
    fn look(&self, node: &Node) -> Result<Option<Val>, Error> {
        let (root, links) = chain(node);
        let mut steps = Vec::with_capacity(links.len());
        for link in &links {
            steps.push((self.take(link)?, link.span));
        }
        let NodeData::Name(name) = &root.data else {
            let base = self.eval(root)?;
            let Val::Plain(value) = &base else {
                return if steps.is_empty() { Ok(Some(base)) } else { Err(no_fields(base.kind())) };
            };
            return walk(value, &steps, &mut Vec::new()).map(|found| found.cloned().map(Val::Plain));
        };
        if let Some(found) = self.local(name, node.span, &steps) {
            return found;
        }
        if name == "now"
            && let Some(ms) = self.now()
        {
            self.read(vec![name.clone()], node.span);
            return if steps.is_empty() { Ok(Some(Val::Instant(ms))) } else { Err(no_fields("instant")) };
        }
        self.named(name, root.span, node.span, &steps)
    }

    fn named(&self, name: &str, root: Span, span: Span, steps: &[(Taken, Span)]) -> Result<Option<Val>, Error> {
        let mut path = vec![name.to_owned()];
        // Positions from the end need the list; everything else the environment can look up by itself.
        let direct = steps.iter().all(|(step, _)| !matches!(step, Taken::Position(at) if *at < 0));
        if direct {
            path.extend(steps.iter().map(|(step, _)| match step {
                Taken::Name(name) => name.clone(),
                Taken::Position(at) => at.to_string(),
            }));
            let borrowed: Vec<&str> = path.iter().map(String::as_str).collect();
            if let Some(value) = self.env.get_path(&borrowed) {
                self.spend_on(&value)?;
                self.read(path, span);
                return Ok(Some(Val::Plain(value)));
            }
        }
        let Some(value) = self.env.get(name) else {
            return Err(unknown(name).at(root));
        };
        self.spend_on(&value)?;
        let mut path = vec![name.to_owned()];
        let found = walk(&value, steps, &mut path)?.cloned();
        self.read(path, span);
        Ok(found.map(Val::Plain))
    }

    fn local(&self, name: &str, span: Span, steps: &[(Taken, Span)]) -> Option<Result<Option<Val>, Error>> {
        let locals = self.locals.borrow();
        let local = locals.iter().rev().find(|local| local.name == name)?;
        let mut path = match &local.origin {
            Origin::At(path) => path.clone(),
            _ => Vec::new(),
        };
        let found = match walk(&local.value, steps, &mut path) {
            Ok(found) => found,
            Err(error) => return Some(Err(error)),
        };
        match &local.origin {
            Origin::None => {}
            Origin::At(_) => self.read(path, span),
            Origin::From(paths) => {
                if let Err(error) = self.spend(paths.len() as u64) {
                    return Some(Err(error));
                }
                paths.iter().for_each(|path| self.read(path.segments.clone(), span));
            }
        }
        Some(match found {
            None => Ok(None),
            Some(value) => self.spend_on(value).map(|()| Some(Val::Plain(value.clone()))),
        })
    }

    fn read(&self, segments: Vec<String>, span: Span) {
        if let Some(reads) = &self.reads {
            let mut reads = reads.borrow_mut();
            let order = reads.len();
            reads.entry(segments).or_insert((order, span));
        }
    }

    fn take(&self, link: &Link<'_>) -> Result<Taken, Error> {
        let index = match link.step {
            Step::Name { name, .. } => return Ok(Taken::Name(name.clone())),
            Step::Index(index) => index,
        };
        let val = self.eval(index)?;
        let taken = match &val {
            Val::Plain(Value::Text(text)) => Some(Taken::Name(text.clone())),
            other => other.as_number().and_then(|number| number.as_i64()).map(Taken::Position),
        };
        taken.ok_or_else(|| {
            wrong_type(format!("an index is a whole number or a text, not {}", a(val.kind()))).at(index.span)
        })
    }

    /// The path of a node that is nothing but a chain from a name of the environment, or from a local that
    /// stands for one.
    pub(crate) fn path_of(&self, node: &Node) -> Option<Vec<String>> {
        let (root, links) = chain(node);
        let NodeData::Name(name) = &root.data else { return None };
        let locals = self.locals.borrow();
        let mut path = match locals.iter().rev().find(|local| local.name == *name) {
            Some(Local { origin: Origin::At(path), .. }) => path.clone(),
            Some(_) => return None,
            None => vec![name.clone()],
        };
        drop(locals);
        for link in &links {
            path.push(match self.take(link).ok()? {
                Taken::Name(name) => name,
                Taken::Position(at) => usize::try_from(at).ok()?.to_string(),
            });
        }
        Some(path)
    }
}

/// Whether any step of the chain is `?.`.
fn safe(node: &Node) -> bool {
    let (_, links) = chain(node);
    links.iter().any(|link| matches!(link.step, Step::Name { safe: true, .. }))
}

/// Whether the error says that the name the chain starts with is not there: not one inside an index.
fn absent(node: &Node, error: &Error) -> bool {
    let (root, _) = chain(node);
    matches!(error.kind(), Code::UnknownName | Code::NowMissing) && error.span() == Some(root.span)
}

fn unknown(name: &str) -> Error {
    if name == "now" {
        return Error::new(Code::NowMissing, "`now` is not known here; the caller gives no clock reading");
    }
    Error::new(
        Code::UnknownName,
        format!(
            "there is no `{name}` here; check the spelling, or write `{name} ?? …` or exists({name}) if it may be missing"
        ),
    )
}

fn no_fields(kind: &str) -> Error {
    wrong_type(format!("{} has no fields or positions", a(kind)))
}

/// Walks into a value and adds the steps taken to `path`.
fn walk<'v>(value: &'v Value, steps: &[(Taken, Span)], path: &mut Vec<String>) -> Result<Option<&'v Value>, Error> {
    let mut value = value;
    for (step, span) in steps {
        let next = match (value, step) {
            (Value::Null, _) => return Ok(None),
            (Value::Map(map), Taken::Name(name)) => {
                path.push(name.clone());
                map.get(name)
            }
            (Value::Map(map), Taken::Position(at)) => {
                let name = at.to_string();
                let found = map.get(&name);
                path.push(name);
                found
            }
            (Value::List(items), Taken::Position(at)) => {
                let at = if *at < 0 {
                    items.len().checked_sub(at.unsigned_abs() as usize)
                } else {
                    usize::try_from(*at).ok()
                };
                let Some(at) = at else { return Ok(None) };
                path.push(at.to_string());
                items.get(at)
            }
            (Value::List(items), Taken::Name(name)) => match name.parse::<usize>() {
                Ok(at) => {
                    path.push(name.clone());
                    items.get(at)
                }
                Err(_) => {
                    return Err(wrong_type(format!(
                        "a list has no field `{name}`; take an item `[0]`, or map(list, x => x.{name})"
                    ))
                    .at(*span));
                }
            },
            (other, _) => return Err(no_fields(other.kind()).at(*span)),
        };
        match next {
            Some(next) => value = next,
            None => return Ok(None),
        }
    }
    Ok(Some(value))
}
