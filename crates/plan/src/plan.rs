//! The typed plan.

mod options;

pub use options::{Length, OnFailure, Options};

use throughline_expr::Expr;
use throughline_value::Span;

use crate::Op;

/// An enum whose variants are words of the language.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$vdoc])* $variant,)* }

        impl $name {
            /// Every one.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// How it is written.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// The one of this name.
            #[must_use]
            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|w| w.as_str() == word)
            }
        }
    };
}
use words;

/// Something with the bytes of the plan's text that it stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spanned<T> {
    /// What it is.
    pub value: T,
    /// Where it stands.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Something with its place.
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

/// A plan that was read and has no errors.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The text that the spans point into.
    pub source: String,
    /// Its steps, in the order written.
    pub steps: Vec<Step>,
    /// What stands in comments after the last step.
    pub note: String,
    /// What holds for the whole plan: `PLAN WITH …`.
    pub options: Options,
}

/// One step: it gives its value to the binding of its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The binding's name, without `$`; it is also the step's id.
    pub id: Spanned<String>,
    /// What it does.
    pub action: Action,
    /// What it is for.
    pub note: String,
    /// Where it stands, without comments.
    pub span: Span,
    /// The bindings it cannot start without, in the order of their use.
    pub needs: Vec<String>,
    /// For `IF`: the bindings that only the `THEN` branch uses, and those that only the `ELSE` branch uses.
    pub branches: [Vec<String>; 2],
    /// The bindings that only its `fallback` uses: it starts without them, and waits for them only when it
    /// has failed.
    pub rescue: Vec<String>,
    /// How it is run and what its value must be.
    pub options: Options,
}

/// What a step does, with typed arguments.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// `GET source(name: expression, …) OR other`
    Get {
        /// The source.
        source: Spanned<String>,
        /// Its arguments, in the order written.
        arguments: Vec<Argument>,
        /// The sources that are read when it fails, in this order.
        or: Vec<Spanned<String>>,
    },
    /// `SEARCH source FOR words WHERE rule LIMIT number`: a list of finds
    Search(Box<Lookup>),
    /// `EXTRACT $from …`
    Extract(Box<Extract>),
    /// `QUERY source FOR words WHERE rule LIMIT number`: a list of items
    Query(Box<Lookup>),
    /// `COMPUTE expression`
    Compute(Formula),
    /// `IF condition THEN expression ELSE expression`
    If {
        /// The condition.
        condition: Formula,
        /// The value when it holds.
        then: Formula,
        /// The value when it does not.
        otherwise: Formula,
    },
    /// `VALIDATE rule ELSE message`: true, or the step fails
    Validate {
        /// What must hold.
        rule: Formula,
        /// What is said when it does not.
        message: Option<Formula>,
    },
    /// `MERGE $a, $b BY "field"`: one list of several, or one map of several
    Merge {
        /// What is merged: lists, or maps of which the later ones win.
        items: Vec<Formula>,
        /// Items of lists that are equal in this field (or wholly, when it is absent) stand once.
        by: Option<Spanned<String>>,
    },
    /// `FILTER list WHERE rule`: the items for which the rule holds
    Filter {
        /// The list.
        list: Formula,
        /// The rule over `item` and `index`.
        rule: Formula,
    },
    /// `ARBITRATE $a, $b BY official, newest WITHIN tolerance`: one of the values
    Arbitrate {
        /// The bindings that disagree, without `$`.
        among: Vec<Spanned<String>>,
        /// How it is settled; each policy decides what those before it leave open.
        by: Vec<Spanned<Policy>>,
        /// Numbers that differ by no more than this agree.
        within: Option<Formula>,
    },
    /// `ASK question OPTIONS list`: what a person answers
    Ask {
        /// The question.
        question: Formula,
        /// The answers to choose from.
        options: Option<Formula>,
    },
    /// `CALL tool(name: expression, …)`
    Call {
        /// The tool.
        tool: Spanned<String>,
        /// Its arguments, in the order written.
        arguments: Vec<Argument>,
    },
}

/// The arguments of `SEARCH` and `QUERY`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// The source.
    pub source: Spanned<String>,
    /// Its arguments, in the order written.
    pub arguments: Vec<Argument>,
    /// The sources that are asked when it fails, in this order.
    pub or: Vec<Spanned<String>>,
    /// `FOR`: the words that are looked for.
    pub words: Option<Formula>,
    /// `WHERE`: the rule over `item` and `index` that each find must keep.
    pub rule: Option<Formula>,
    /// `LIMIT`: at most this many finds.
    pub limit: Option<u32>,
}

words! {
    /// How a disagreement between sources is settled.
    Policy {
        /// The value of the official source.
        Official = "official",
        /// The newest value, by its evidence's time.
        Newest = "newest",
        /// The value that most agree on.
        Majority = "majority",
        /// The value of the most trusted source.
        Trust = "trust",
    }
}

/// The arguments of `EXTRACT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extract {
    /// The binding it reads, without `$`.
    pub from: Spanned<String>,
    /// How the value is found.
    pub how: How,
    /// The further ways, tried in this order when nothing was found: `OR PATTERN …`.
    pub or: Vec<How>,
    /// Which of several finds is taken; `None` takes the default of `how`.
    pub pick: Option<Pick>,
    /// What the value must be.
    pub r#type: Option<Type>,
    /// The value when none is found.
    pub default: Option<Formula>,
}

/// How a value is found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// By a JSON path (RFC 9535).
    Path(Spanned<String>),
    /// By a regular expression with one group.
    Pattern(Spanned<String>),
    /// By a pattern of the domain.
    Named(Spanned<String>),
    /// By a selector of HTML elements: `SELECTOR "table.q3 td"`.
    Selector(Spanned<String>),
    /// By the heads of a row and a column of a table: `CELL "Yield" , "Q3"`.
    Cell(Spanned<String>, Spanned<String>),
    /// By what it looks like, near these words: `FIND percent NEAR "yield rate"`.
    Looks(Spanned<Looks>, Option<Spanned<String>>),
}

words! {
    /// What a recogniser looks for.
    Looks {
        /// A number.
        Number = "number",
        /// A date or an instant.
        Date = "date",
        /// A percentage.
        Percent = "percent",
        /// An amount with its currency.
        Money = "money",
        /// The name of somebody or something.
        Name = "name",
    }
}

words! {
    /// Which of several finds is taken.
    Pick {
        /// There must be exactly one; the default of paths.
        One = "ONE",
        /// The first; the default of patterns.
        First = "FIRST",
        /// The last.
        Last = "LAST",
        /// All of them, as a list.
        All = "ALL",
    }
}

words! {
    /// What a value must be.
    Type {
        /// An exact number.
        Number = "number",
        /// An exact whole number.
        Integer = "integer",
        /// A moment in time.
        Instant = "instant",
        /// A length of time.
        Duration = "duration",
        /// Text.
        Text = "text",
        /// True or false.
        Boolean = "boolean",
        /// A list.
        List = "list",
        /// A map.
        Map = "map",
    }
}

/// An expression of a plan.
#[derive(Clone, Debug)]
pub struct Formula {
    /// The expression; its spans count from the start of the plan's text.
    pub expr: Expr,
    /// Where it stands.
    pub span: Span,
}

impl Formula {
    /// As it is written.
    #[must_use]
    pub fn source(&self) -> &str {
        self.expr.source()
    }
}

impl PartialEq for Formula {
    fn eq(&self, other: &Self) -> bool {
        self.source() == other.source() && self.span == other.span
    }
}

impl Eq for Formula {}

/// One argument of a `CALL`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: Spanned<String>,
    /// Its value.
    pub value: Formula,
}

impl Action {
    /// Its operation.
    #[must_use]
    pub const fn op(&self) -> Op {
        match self {
            Self::Get { .. } => Op::Get,
            Self::Search(_) => Op::Search,
            Self::Extract(_) => Op::Extract,
            Self::Query(_) => Op::Query,
            Self::Compute(_) => Op::Compute,
            Self::If { .. } => Op::If,
            Self::Validate { .. } => Op::Validate,
            Self::Merge { .. } => Op::Merge,
            Self::Filter { .. } => Op::Filter,
            Self::Arbitrate { .. } => Op::Arbitrate,
            Self::Ask { .. } => Op::Ask,
            Self::Call { .. } => Op::Call,
        }
    }
}

impl Plan {
    /// The step that gives the binding `name`.
    #[must_use]
    pub fn step(&self, name: &str) -> Option<&Step> {
        self.steps.iter().find(|step| step.id.value == name)
    }
}

impl Action {
    /// Visits every expression of it, in the order written.
    pub(crate) fn each_formula(&mut self, visit: &mut dyn FnMut(&mut Formula)) {
        let lookup = |lookup: &mut Lookup, visit: &mut dyn FnMut(&mut Formula)| {
            lookup.arguments.iter_mut().for_each(|a| visit(&mut a.value));
            lookup.words.iter_mut().chain(&mut lookup.rule).for_each(visit);
        };
        match self {
            Self::Get { arguments, .. } | Self::Call { arguments, .. } => {
                arguments.iter_mut().for_each(|a| visit(&mut a.value));
            }
            Self::Search(inner) | Self::Query(inner) => lookup(inner, visit),
            Self::Extract(extract) => extract.default.iter_mut().for_each(visit),
            Self::Compute(formula) => visit(formula),
            Self::If { condition, then, otherwise } => [condition, then, otherwise].into_iter().for_each(visit),
            Self::Validate { rule, message } => std::iter::once(rule).chain(message).for_each(visit),
            Self::Merge { items, .. } => items.iter_mut().for_each(visit),
            Self::Filter { list, rule } => [list, rule].into_iter().for_each(visit),
            Self::Arbitrate { within, .. } => within.iter_mut().for_each(visit),
            Self::Ask { question, options } => std::iter::once(question).chain(options).for_each(visit),
        }
    }
}
