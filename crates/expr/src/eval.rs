//! Evaluation within limits.

mod access;
mod compare;
mod operate;
mod quantity;
mod val;

use std::cell::{Cell, RefCell};

use throughline_value::{InOrder as _, Map, SortedMap, Span, Value};

use crate::ast::{BinaryOp, CompareOp, Node, NodeData, Test, UnaryOp};
use crate::env::Env;
use crate::error::{Code, Error, a, wrong_type};
use crate::functions;
use crate::limits::{BYTES_PER_FUEL, MAX_FUEL, MAX_LIST_ITEMS, MAX_TEXT_BYTES, MAX_VALUE_DEPTH};
use crate::names::Path;
use crate::time::{Reading, Zone, parse_instant};

pub(crate) use access::{Local, Origin};
pub(crate) use quantity::{convert, read as read_quantity};
pub(crate) use val::Val;

/// Each path that was read, with when it was read first and by which bytes of the source.
type Reads = SortedMap<Vec<String>, (usize, Span)>;

/// One evaluation: the environment, the locals, what is left to spend and what was read.
pub(crate) struct Context<'e> {
    env: &'e dyn Env,
    fuel: Cell<u64>,
    locals: RefCell<Vec<Local>>,
    reads: Option<RefCell<Reads>>,
}

impl<'e> Context<'e> {
    pub(crate) fn new(env: &'e dyn Env) -> Self {
        Self { env, fuel: Cell::new(MAX_FUEL), locals: RefCell::new(Vec::new()), reads: None }
    }

    pub(crate) fn traced(env: &'e dyn Env) -> Self {
        Self { reads: Some(RefCell::new(Reads::new())), ..Self::new(env) }
    }

    /// The paths read since the last time this was asked.
    pub(crate) fn take_reads(&self) -> Vec<Path> {
        let reads = self.reads.as_ref().map(RefCell::take).unwrap_or_default();
        let mut ordered: Vec<_> = reads.into_iter().collect();
        ordered.order_by_key(|(_, (order, _))| *order);
        ordered.into_iter().map(|(segments, (_, span))| Path { segments, span }).collect()
    }

    /// The value as it leaves the language.
    pub(crate) fn finish(&self, val: Val) -> Result<Value, Error> {
        self.value(val)
    }

    pub(crate) fn zone(&self) -> Option<&Zone> {
        self.env.zone()
    }

    pub(crate) fn has_happened(&self, event: &str) -> bool {
        self.env.get_path(&["events", event, "happened"]) == Some(Value::Bool(true))
    }

    pub(crate) fn zone_named(&self, name: &str) -> Option<Zone> {
        self.env.zone_named(name)
    }

    pub(crate) fn spend(&self, units: u64) -> Result<(), Error> {
        match self.fuel.get().checked_sub(units) {
            Some(left) => {
                self.fuel.set(left);
                Ok(())
            }
            None => {
                self.fuel.set(0);
                Err(Error::new(
                    Code::OutOfFuel,
                    format!("the evaluation took over {MAX_FUEL} units of work; look at less data or split it"),
                ))
            }
        }
    }

    /// Pays for every part of a value that is about to be copied.
    pub(crate) fn spend_on(&self, value: &Value) -> Result<(), Error> {
        let mut waiting = vec![value];
        while let Some(value) = waiting.pop() {
            let bytes = match value {
                Value::Text(text) => text.len(),
                Value::List(items) => {
                    waiting.extend(items);
                    0
                }
                Value::Map(map) => {
                    waiting.extend(map.values());
                    map.keys().map(String::len).sum()
                }
                Value::Null | Value::Bool(_) | Value::Number(_) => 0,
            };
            self.spend(1 + (bytes / BYTES_PER_FUEL) as u64)?;
        }
        Ok(())
    }

    /// A text that was made here, paid for and within its limit.
    pub(crate) fn text(&self, text: String) -> Result<Val, Error> {
        self.text_size(text.len())?;
        self.spend((text.len() / BYTES_PER_FUEL) as u64)?;
        Ok(Val::Plain(Value::Text(text)))
    }

    /// Whether a text of `bytes` may be made; asked before it is.
    pub(crate) fn text_size(&self, bytes: usize) -> Result<(), Error> {
        if bytes > MAX_TEXT_BYTES {
            return Err(Error::new(Code::TextTooLong, format!("a text may have at most {MAX_TEXT_BYTES} bytes")));
        }
        Ok(())
    }

    /// A list that was made here, within its limits.
    pub(crate) fn list(&self, items: Vec<Value>) -> Result<Val, Error> {
        if items.len() > MAX_LIST_ITEMS {
            return Err(Error::new(Code::ListTooLong, format!("a list may have at most {MAX_LIST_ITEMS} items")));
        }
        self.spend(items.len() as u64)?;
        Ok(Val::Plain(Value::List(items)))
    }

    /// Reads text as an instant; an assumed zone is flagged to the environment.
    pub(crate) fn instant(&self, text: &str) -> Result<i64, Error> {
        let Reading { ms, zone_assumed } = parse_instant(text, self.zone())?;
        if zone_assumed {
            self.env.zone_assumed(text);
        }
        Ok(ms)
    }

    pub(crate) fn now(&self) -> Option<i64> {
        self.env.now()
    }

    pub(crate) fn eval(&self, node: &Node) -> Result<Val, Error> {
        self.spend(1).and_then(|()| self.dispatch(node)).map_err(|error| error.at(node.span))
    }

    fn dispatch(&self, node: &Node) -> Result<Val, Error> {
        match &node.data {
            NodeData::Null => Ok(Val::Plain(Value::Null)),
            NodeData::Bool(bool) => Ok(Val::from(*bool)),
            NodeData::Number(number) => Ok(Val::Plain(Value::Number(number.clone()))),
            NodeData::Percent(number) => operate::percent(number),
            NodeData::Quantity(number, unit) => Ok(Val::Quantity(crate::decimal::from_number(number)?, unit.clone())),
            NodeData::Duration(text) => Ok(Val::Duration(crate::time::parse_duration(text)?)),
            NodeData::Text(text) => self.text(text.clone()),
            NodeData::List(items) => self.list_of(items),
            NodeData::Map(entries) => self.map_of(entries),
            NodeData::Name(_) | NodeData::Access { .. } => self.chain(node, false),
            NodeData::Unary { op, operand } => self.unary(*op, operand),
            NodeData::Binary { op, left, right } => self.binary(*op, left, right),
            NodeData::Compare { first, rest } => self.compare(first, rest).map(Val::from),
            NodeData::Is { operand, test, negated } => Ok(Val::from(self.is(operand, *test)? != *negated)),
            NodeData::If { condition, then, otherwise } => {
                let holds = self.condition(condition)?;
                self.eval(if holds { then } else { otherwise })
            }
            NodeData::Call { name, args, .. } => functions::call(self, name, args, node.span),
            NodeData::Lambda { .. } => {
                Err(wrong_type("`name => …` stands only inside any, all, count, filter, map, sort and the like"))
            }
        }
    }

    /// The value of a node that must be a boolean.
    pub(crate) fn condition(&self, node: &Node) -> Result<bool, Error> {
        let val = self.eval(node)?;
        val.as_bool().ok_or_else(|| {
            Error::new(
                Code::NotBoolean,
                format!("{} is not true or false; compare it, or test it with exists()", a(val.kind())),
            )
            .at(node.span)
        })
    }

    fn list_of(&self, nodes: &[Node]) -> Result<Val, Error> {
        let mut items = Vec::with_capacity(nodes.len());
        for node in nodes {
            items.push(self.inner_value(node)?);
        }
        self.list(items)
    }

    fn map_of(&self, entries: &[(String, Node)]) -> Result<Val, Error> {
        let mut map = Map::with_capacity(entries.len());
        for (name, node) in entries {
            map.insert(name.clone(), self.inner_value(node)?);
        }
        Ok(Val::Plain(Value::Map(map)))
    }

    /// The value of a node that becomes part of a list or map, whose depth is limited.
    pub(crate) fn inner_value(&self, node: &Node) -> Result<Value, Error> {
        let value = self.value(self.eval(node)?)?;
        if matches!(node.data, NodeData::Null | NodeData::Bool(_) | NodeData::Number(_) | NodeData::Text(_)) {
            return Ok(value);
        }
        check_depth(&value).map_err(|error| error.at(node.span))?;
        Ok(value)
    }

    fn unary(&self, op: UnaryOp, operand: &Node) -> Result<Val, Error> {
        match op {
            UnaryOp::Not => Ok(Val::from(!self.condition(operand)?)),
            UnaryOp::Neg => operate::negate(self.eval(operand)?),
            UnaryOp::Plus => {
                let val = self.eval(operand)?;
                match val {
                    Val::Duration(_) | Val::Quantity(..) | Val::Decimal(_) | Val::Plain(Value::Number(_)) => Ok(val),
                    other => Err(wrong_type(format!("`+` takes a number, not {}", a(other.kind())))),
                }
            }
        }
    }

    fn binary(&self, op: BinaryOp, left: &Node, right: &Node) -> Result<Val, Error> {
        match op {
            BinaryOp::And => Ok(Val::from(self.condition(left)? && self.condition(right)?)),
            BinaryOp::Or => Ok(Val::from(self.condition(left)? || self.condition(right)?)),
            BinaryOp::Coalesce => match self.lenient(left)? {
                Some(val) if !val.is_null() => Ok(val),
                _ => self.eval(right),
            },
            BinaryOp::Concat => {
                let mut text = self.printed(self.eval(left)?)?;
                let tail = self.printed(self.eval(right)?)?;
                self.text_size(text.len() + tail.len())?;
                text.push_str(&tail);
                self.text(text)
            }
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem => {
                let left = self.eval(left)?;
                let right = self.eval(right)?;
                self.arithmetic(op, left, right)
            }
        }
    }

    fn compare(&self, first: &Node, rest: &[(CompareOp, Node)]) -> Result<bool, Error> {
        let mut left = self.eval(first)?;
        let mut start = first.span.start;
        for (op, node) in rest {
            let right = self.eval(node)?;
            let holds = self.holds(*op, &left, &right).map_err(|error| error.at(Span::new(start, node.span.end)))?;
            if !holds {
                return Ok(false);
            }
            left = right;
            start = node.span.start;
        }
        Ok(true)
    }

    fn is(&self, operand: &Node, test: Test) -> Result<bool, Error> {
        if test == Test::Defined {
            return self.defined(operand);
        }
        let val = self.eval(operand)?;
        Ok(match test {
            Test::Defined => true,
            Test::Null => val.is_null(),
            Test::Empty => match &val {
                Val::Plain(Value::Null) => true,
                Val::Plain(Value::Text(text)) => text.is_empty(),
                Val::Plain(Value::List(items)) => items.is_empty(),
                Val::Plain(Value::Map(map)) => map.is_empty(),
                _ => false,
            },
            Test::Boolean => matches!(val, Val::Plain(Value::Bool(_))),
            Test::Number => matches!(val, Val::Decimal(_) | Val::Plain(Value::Number(_))),
            Test::Text => matches!(val, Val::Plain(Value::Text(_))),
            Test::List => matches!(val, Val::Plain(Value::List(_))),
            Test::Map => matches!(val, Val::Plain(Value::Map(_))),
        })
    }
}

/// Values that expressions build stay shallow enough for everything that walks them.
fn check_depth(value: &Value) -> Result<(), Error> {
    let mut waiting = vec![(value, 1)];
    while let Some((value, depth)) = waiting.pop() {
        if depth > MAX_VALUE_DEPTH {
            return Err(Error::new(
                Code::TooDeep,
                format!("a value that is made here nests at most {MAX_VALUE_DEPTH} deep; flatten it"),
            ));
        }
        match value {
            Value::List(items) => waiting.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Map(map) => waiting.extend(map.values().map(|item| (item, depth + 1))),
            _ => {}
        }
    }
    Ok(())
}
