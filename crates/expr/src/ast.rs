//! The syntax tree. It is public, so that guards can be analysed and evidence derived without parsing again.

use throughline_value::{Number, Span};

use crate::error::{Code, Error};
use crate::limits::MAX_DEPTH;

/// A part of an expression, with the bytes it stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Where it stands in the source.
    pub span: Span,
    /// What it is.
    pub data: NodeData,
    depth: usize,
}

/// What a [`Node`] is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NodeData {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// `91.70`, as written
    Number(Number),
    /// `5%`: the number before the sign
    Percent(Number),
    /// `3.5 kg`: the number and the unit
    Quantity(Number, String),
    /// `PT30M` as a literal, as written
    Duration(String),
    /// `"text"`, unescaped
    Text(String),
    /// `[a, b]`
    List(Vec<Node>),
    /// `{name: value}`
    Map(Vec<(String, Node)>),
    /// A value of the environment, a local of a lambda, or `now`
    Name(String),
    /// `object.name`, `object?.name`, `object[index]`
    Access {
        /// What is looked into.
        object: Box<Node>,
        /// The step.
        step: Step,
    },
    /// `-a`, `+a`, `not a`
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Its operand.
        operand: Box<Node>,
    },
    /// `a + b`, `a and b`, `a ?? b` and the like
    Binary {
        /// The operator.
        op: BinaryOp,
        /// The left operand.
        left: Box<Node>,
        /// The right operand.
        right: Box<Node>,
    },
    /// `a < b <= c`: each neighbouring pair must hold, each operand is evaluated once at most
    Compare {
        /// The first operand.
        first: Box<Node>,
        /// The operators with the operands to their right; never empty.
        rest: Vec<(CompareOp, Node)>,
    },
    /// `a is null`, `a is not defined`
    Is {
        /// What is asked about.
        operand: Box<Node>,
        /// The question.
        test: Test,
        /// Whether it is `is not`.
        negated: bool,
    },
    /// `if c then a else b`, `c ? a : b`, `a if c else b`
    If {
        /// The condition.
        condition: Box<Node>,
        /// The value when it holds.
        then: Box<Node>,
        /// The value when it does not.
        otherwise: Box<Node>,
    },
    /// `name(arguments)`, `first_argument | name(arguments)`
    Call {
        /// The function's name.
        name: String,
        /// Where the name stands.
        name_span: Span,
        /// The arguments.
        args: Vec<Node>,
    },
    /// `item => body`, only as an argument
    Lambda {
        /// The local it binds.
        param: String,
        /// What is computed with it.
        body: Box<Node>,
    },
}

/// One step into a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// `.name`; with `safe`, `?.name`
    Name {
        /// The field.
        name: String,
        /// Whether an unknown name before it counts as null.
        safe: bool,
    },
    /// `[index]`: a position in a list (negative ones count from the end) or a name in a map
    Index(Box<Node>),
}

/// A prefix operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `+`
    Plus,
    /// `not`, `!`
    Not,
}

/// An operator between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `or`, `||`
    Or,
    /// `and`, `&&`
    And,
    /// `??`
    Coalesce,
    /// `~`
    Concat,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
    /// `%`
    Rem,
}

impl BinaryOp {
    /// How it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Or => "or",
            Self::And => "and",
            Self::Coalesce => "??",
            Self::Concat => "~",
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
        }
    }
}

/// An operator that answers with a boolean and can be chained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareOp {
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `in`
    In,
    /// `not in`
    NotIn,
}

impl CompareOp {
    /// How it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
            Self::In => "in",
            Self::NotIn => "not in",
        }
    }
}

/// What `is` asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// The name is known and the field is there, null or not.
    Defined,
    /// The value is null.
    Null,
    /// The value is null, or a text, list or map without content.
    Empty,
    /// The value is a boolean.
    Boolean,
    /// The value is a number.
    Number,
    /// The value is a text.
    Text,
    /// The value is a list.
    List,
    /// The value is a map.
    Map,
}

impl Test {
    /// Every test.
    pub const ALL: &'static [Self] =
        &[Self::Defined, Self::Null, Self::Empty, Self::Boolean, Self::Number, Self::Text, Self::List, Self::Map];

    /// How it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Defined => "defined",
            Self::Null => "null",
            Self::Empty => "empty",
            Self::Boolean => "boolean",
            Self::Number => "number",
            Self::Text => "text",
            Self::List => "list",
            Self::Map => "map",
        }
    }
}

impl Node {
    /// A node over its children. The depth is checked here, where every node passes, so that no shape of
    /// source can build a tree whose evaluation or drop would overflow the stack.
    pub(crate) fn new(span: Span, data: NodeData) -> Result<Self, Error> {
        let mut node = Self { span, data, depth: 0 };
        let mut below = 0;
        node.each_child(&mut |child| below = below.max(child.depth));
        node.depth = below + 1;
        if node.depth > MAX_DEPTH {
            return Err(Error::new(
                Code::TooDeep,
                format!("this expression nests or chains more than {MAX_DEPTH} deep; split it into parts"),
            )
            .at(span));
        }
        Ok(node)
    }

    /// How many levels of nodes there are, this one included.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Calls `visit` with every direct child, in the order of the source.
    pub fn each_child<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        match &self.data {
            NodeData::Null
            | NodeData::Bool(_)
            | NodeData::Number(_)
            | NodeData::Percent(_)
            | NodeData::Quantity(..)
            | NodeData::Duration(_)
            | NodeData::Text(_)
            | NodeData::Name(_) => {}
            NodeData::List(items) | NodeData::Call { args: items, .. } => items.iter().for_each(visit),
            NodeData::Map(entries) => entries.iter().for_each(|(_, item)| visit(item)),
            NodeData::Access { object, step } => {
                visit(object);
                if let Step::Index(index) = step {
                    visit(index);
                }
            }
            NodeData::Unary { operand, .. } | NodeData::Is { operand, .. } | NodeData::Lambda { body: operand, .. } => {
                visit(operand)
            }
            NodeData::Binary { left, right, .. } => {
                visit(left);
                visit(right);
            }
            NodeData::Compare { first, rest } => {
                visit(first);
                rest.iter().for_each(|(_, item)| visit(item));
            }
            NodeData::If { condition, then, otherwise } => {
                visit(condition);
                visit(then);
                visit(otherwise);
            }
        }
    }
}
