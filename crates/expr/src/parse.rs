//! A Pratt parser: tokens to the syntax tree.

use throughline_value::Span;

use crate::ast::{BinaryOp, CompareOp, Node, NodeData, Step, Test, UnaryOp};
use crate::error::{Code, Error, syntax};
use crate::functions;
use crate::lex::{Tok, Token, tokens};
use crate::limits::{MAX_NESTING, MAX_SOURCE_BYTES};

/// How tightly operators bind, from loose to tight.
mod binding {
    pub(super) const CONDITIONAL: u8 = 1;
    pub(super) const OR: u8 = 2;
    pub(super) const AND: u8 = 3;
    pub(super) const NOT: u8 = 4;
    pub(super) const COMPARE: u8 = 5;
    pub(super) const COALESCE: u8 = 6;
    pub(super) const CONCAT: u8 = 7;
    pub(super) const SUM: u8 = 8;
    pub(super) const PRODUCT: u8 = 9;
}

pub(crate) use crate::lex::KEYWORDS;

/// Reads a whole expression. Spans are shifted by `base`, for an expression inside a larger text.
pub(crate) fn parse(source: &str, base: usize) -> Result<Node, Error> {
    if source.len() > MAX_SOURCE_BYTES {
        return Err(Error::new(
            Code::SourceTooLong,
            format!("an expression has at most {MAX_SOURCE_BYTES} bytes; this one has {}", source.len()),
        )
        .at(Span::new(base, base + source.len())));
    }
    let tokens = tokens(source, base)?;
    let mut parser = Parser { tokens, at: 0, nesting: 0 };
    let node = parser.expression(0)?;
    match parser.peek() {
        Tok::End => Ok(node),
        _ => Err(parser.unexpected("an operator or the end is expected")),
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    nesting: usize,
}

const END: Tok = Tok::End;

impl Parser {
    fn peek(&self) -> &Tok {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> &Tok {
        self.tokens.get(self.at + ahead).map_or(&END, |token| &token.tok)
    }

    fn span(&self) -> Span {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(Span::default(), |token| token.span)
    }

    fn previous_end(&self) -> usize {
        self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or(0, |token| token.span.end)
    }

    fn is_op(&self, op: &str) -> bool {
        matches!(self.peek(), Tok::Op(found) if *found == op)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Tok::Name(found) if found == word)
    }

    fn eat_op(&mut self, op: &str) -> bool {
        let found = self.is_op(op);
        self.at += usize::from(found);
        found
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    fn expect_op(&mut self, op: &str, hint: &str) -> Result<(), Error> {
        if self.eat_op(op) { Ok(()) } else { Err(self.unexpected(hint)) }
    }

    fn unexpected(&self, hint: &str) -> Error {
        let found = match self.peek() {
            Tok::End => "the end".to_owned(),
            Tok::Op(op) => format!("`{op}`"),
            Tok::Name(name) => format!("`{name}`"),
            Tok::Text(_) => "a text".to_owned(),
            Tok::Number(number) => format!("`{number}`"),
            Tok::Percent(number) => format!("`{number}%`"),
            Tok::Quantity(number, unit) => format!("`{number} {unit}`"),
            Tok::Duration(text) => format!("`{text}`"),
        };
        syntax(format!("found {found}: {hint}")).at(self.span())
    }

    /// Runs `inner` one level further in, within the nesting limit.
    fn nested<T>(&mut self, inner: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.nesting >= MAX_NESTING {
            return Err(Error::new(
                Code::TooDeep,
                format!("brackets, prefixes and conditions nest at most {MAX_NESTING} deep; split the expression"),
            )
            .at(self.span()));
        }
        self.nesting += 1;
        let out = inner(self)?;
        self.nesting -= 1;
        Ok(out)
    }

    fn node(&self, start: usize, data: NodeData) -> Result<Node, Error> {
        Node::new(Span::new(start, self.previous_end()), data)
    }

    fn expression(&mut self, least: u8) -> Result<Node, Error> {
        self.nested(|parser| {
            let start = parser.span().start;
            let mut left = parser.prefix()?;
            loop {
                match parser.infix(left, least, start)? {
                    Next::More(node) => left = node,
                    Next::Done(node) => return Ok(node),
                }
            }
        })
    }

    /// Extends `left` by one operator that binds at least as tightly as `least`.
    fn infix(&mut self, left: Node, least: u8, start: usize) -> Result<Next, Error> {
        if let Some(op) = self.compare_op() {
            if binding::COMPARE < least {
                return Ok(Next::Done(left));
            }
            return self.comparison(left, op, start).map(Next::More);
        }
        if self.is_word("is") {
            if binding::COMPARE < least {
                return Ok(Next::Done(left));
            }
            return self.is(left, start).map(Next::More);
        }
        // `12.5 %`, when nothing follows that could be divided by.
        if let (NodeData::Number(number), Tok::Op("%")) = (&left.data, self.peek())
            && !self.begins_value(1)
        {
            let data = NodeData::Percent(number.clone());
            self.at += 1;
            return self.node(start, data).map(Next::More);
        }
        let (op, level) = match self.peek() {
            Tok::Op("||") => (BinaryOp::Or, binding::OR),
            Tok::Op("&&") => (BinaryOp::And, binding::AND),
            Tok::Op("??") => (BinaryOp::Coalesce, binding::COALESCE),
            Tok::Op("~") => (BinaryOp::Concat, binding::CONCAT),
            Tok::Op("+") => (BinaryOp::Add, binding::SUM),
            Tok::Op("-") => (BinaryOp::Sub, binding::SUM),
            Tok::Op("*") => (BinaryOp::Mul, binding::PRODUCT),
            Tok::Op("/") => (BinaryOp::Div, binding::PRODUCT),
            Tok::Op("%") => (BinaryOp::Rem, binding::PRODUCT),
            Tok::Name(word) if word == "or" => (BinaryOp::Or, binding::OR),
            Tok::Name(word) if word == "and" => (BinaryOp::And, binding::AND),
            Tok::Op("?") if binding::CONDITIONAL >= least => {
                self.at += 1;
                let then = self.expression(0)?;
                self.expect_op(":", "`:` is expected between the two values of `c ? a : b`")?;
                let otherwise = self.expression(binding::CONDITIONAL)?;
                return self.choice(start, left, then, otherwise).map(Next::More);
            }
            Tok::Name(word) if word == "if" && binding::CONDITIONAL >= least => {
                self.at += 1;
                let condition = self.expression(binding::OR)?;
                if !self.eat_word("else") {
                    return Err(self.unexpected("`else` is expected: write `a if c else b`"));
                }
                let otherwise = self.expression(binding::CONDITIONAL)?;
                return self.choice(start, condition, left, otherwise).map(Next::More);
            }
            _ => return Ok(Next::Done(left)),
        };
        if level < least {
            return Ok(Next::Done(left));
        }
        self.at += 1;
        // `??` groups to the right, all others to the left.
        let right = self.expression(if op == BinaryOp::Coalesce { level } else { level + 1 })?;
        let data = NodeData::Binary { op, left: Box::new(left), right: Box::new(right) };
        self.node(start, data).map(Next::More)
    }

    /// Whether the token `ahead` begins a value.
    fn begins_value(&self, ahead: usize) -> bool {
        match self.peek_at(ahead) {
            Tok::End => false,
            Tok::Op(op) => matches!(*op, "(" | "[" | "{" | "-" | "+" | "!"),
            Tok::Name(word) => !matches!(word.as_str(), "and" | "or" | "in" | "is" | "if" | "then" | "else"),
            _ => true,
        }
    }

    fn choice(&self, start: usize, condition: Node, then: Node, otherwise: Node) -> Result<Node, Error> {
        self.node(
            start,
            NodeData::If { condition: Box::new(condition), then: Box::new(then), otherwise: Box::new(otherwise) },
        )
    }

    fn compare_op(&self) -> Option<CompareOp> {
        match self.peek() {
            Tok::Op("==") => Some(CompareOp::Eq),
            Tok::Op("!=") => Some(CompareOp::Ne),
            Tok::Op("<") => Some(CompareOp::Lt),
            Tok::Op("<=") => Some(CompareOp::Le),
            Tok::Op(">") => Some(CompareOp::Gt),
            Tok::Op(">=") => Some(CompareOp::Ge),
            Tok::Name(word) if word == "in" => Some(CompareOp::In),
            Tok::Name(word) if word == "not" => {
                matches!(self.peek_at(1), Tok::Name(next) if next == "in").then_some(CompareOp::NotIn)
            }
            _ => None,
        }
    }

    fn comparison(&mut self, first: Node, op: CompareOp, start: usize) -> Result<Node, Error> {
        let mut rest = Vec::new();
        let mut next = Some(op);
        while let Some(op) = next {
            self.at += if op == CompareOp::NotIn { 2 } else { 1 };
            rest.push((op, self.expression(binding::COMPARE + 1)?));
            next = self.compare_op();
        }
        self.node(start, NodeData::Compare { first: Box::new(first), rest })
    }

    fn is(&mut self, operand: Node, start: usize) -> Result<Node, Error> {
        self.at += 1;
        let negated = self.eat_word("not");
        let test = match self.peek() {
            Tok::Name(word) => Test::ALL.iter().find(|test| test.as_str() == word).copied(),
            _ => None,
        };
        let Some(test) = test else {
            let known: Vec<_> = Test::ALL.iter().map(|test| test.as_str()).collect();
            return Err(self.unexpected(&format!("after `is` one of {} is expected", known.join(", "))));
        };
        self.at += 1;
        self.node(start, NodeData::Is { operand: Box::new(operand), test, negated })
    }

    /// An operand with its prefixes and filters. A filter takes the prefixed operand: `-3 | abs` is 3.
    fn prefix(&mut self) -> Result<Node, Error> {
        let start = self.span().start;
        if self.is_word("if") {
            return self.conditional(start);
        }
        if self.eat_word("not") {
            let operand = self.expression(binding::NOT)?;
            return self.node(start, NodeData::Unary { op: UnaryOp::Not, operand: Box::new(operand) });
        }
        let operand = self.signed()?;
        self.filters(operand, start)
    }

    fn signed(&mut self) -> Result<Node, Error> {
        let start = self.span().start;
        let op = match self.peek() {
            Tok::Op("-") => UnaryOp::Neg,
            Tok::Op("+") => UnaryOp::Plus,
            Tok::Op("!") => UnaryOp::Not,
            _ => {
                let operand = self.primary()?;
                return self.postfix(operand, start);
            }
        };
        self.at += 1;
        let operand = self.nested(Self::signed)?;
        self.node(start, NodeData::Unary { op, operand: Box::new(operand) })
    }

    fn conditional(&mut self, start: usize) -> Result<Node, Error> {
        self.at += 1;
        let condition = self.expression(binding::OR)?;
        if !self.eat_word("then") {
            return Err(self.unexpected("`then` is expected: write `if c then a else b`"));
        }
        let then = self.expression(binding::OR)?;
        if !self.eat_word("else") {
            return Err(self.unexpected("`else` is expected: write `if c then a else b`"));
        }
        let otherwise = self.expression(binding::CONDITIONAL)?;
        self.choice(start, condition, then, otherwise)
    }

    fn primary(&mut self) -> Result<Node, Error> {
        let start = self.span().start;
        let data = match self.peek().clone() {
            Tok::Number(number) => NodeData::Number(number),
            Tok::Percent(number) => NodeData::Percent(number),
            Tok::Quantity(number, unit) => NodeData::Quantity(number, unit),
            Tok::Duration(text) => NodeData::Duration(text),
            Tok::Text(text) => NodeData::Text(text),
            Tok::Name(name) => return self.name(name, start),
            Tok::Op("(") => {
                self.at += 1;
                let inner = self.expression(0)?;
                self.expect_op(")", "`)` is expected")?;
                return Ok(inner);
            }
            Tok::Op("[") => {
                self.at += 1;
                let items = self.items("]", false)?;
                return self.node(start, NodeData::List(items));
            }
            Tok::Op("{") => return self.map(start),
            _ => return Err(self.unexpected("a value is expected")),
        };
        self.at += 1;
        self.node(start, data)
    }

    fn name(&mut self, name: String, start: usize) -> Result<Node, Error> {
        let data = match name.as_str() {
            "null" => NodeData::Null,
            "true" => NodeData::Bool(true),
            "false" => NodeData::Bool(false),
            "True" => return Err(self.unexpected("write `true`")),
            "False" => return Err(self.unexpected("write `false`")),
            "None" | "nil" | "undefined" => return Err(self.unexpected("write `null`")),
            word if KEYWORDS.contains(&word) => return Err(self.unexpected("a value is expected")),
            _ if matches!(self.peek_at(1), Tok::Op("(")) => {
                let name_span = self.span();
                self.at += 2;
                let args = self.items(")", true)?;
                return self.call(start, name, name_span, args);
            }
            _ => NodeData::Name(name),
        };
        self.at += 1;
        self.node(start, data)
    }

    fn call(&self, start: usize, name: String, name_span: Span, args: Vec<Node>) -> Result<Node, Error> {
        functions::check_call(&name, name_span, &args, Span::new(start, self.previous_end()))?;
        self.node(start, NodeData::Call { name, name_span, args })
    }

    /// What stands between two brackets, up to `close`, which is eaten.
    fn items(&mut self, close: &str, lambdas: bool) -> Result<Vec<Node>, Error> {
        let mut items = Vec::new();
        loop {
            if self.eat_op(close) {
                return Ok(items);
            }
            items.push(if lambdas { self.argument()? } else { self.expression(0)? });
            if !self.is_op(close) {
                self.expect_op(",", &format!("`,` or `{close}` is expected"))?;
            }
        }
    }

    fn argument(&mut self) -> Result<Node, Error> {
        let (Tok::Name(param), Tok::Op("=>")) = (self.peek().clone(), self.peek_at(1)) else {
            return self.expression(0);
        };
        let start = self.span().start;
        if KEYWORDS.contains(&param.as_str()) || param == "now" {
            return Err(self.unexpected("a word of the language cannot be a local name; choose another"));
        }
        self.at += 2;
        let body = self.expression(0)?;
        self.node(start, NodeData::Lambda { param, body: Box::new(body) })
    }

    fn map(&mut self, start: usize) -> Result<Node, Error> {
        self.at += 1;
        let mut entries: Vec<(String, Node)> = Vec::new();
        loop {
            if self.eat_op("}") {
                return self.node(start, NodeData::Map(entries));
            }
            let (Tok::Name(name) | Tok::Text(name)) = self.peek().clone() else {
                return Err(self.unexpected("a name or a text is expected as a map's name"));
            };
            if entries.iter().any(|(known, _)| *known == name) {
                return Err(self.unexpected("this name stands twice in one map; keep one"));
            }
            self.at += 1;
            self.expect_op(":", "`:` is expected after a map's name")?;
            let value = self.expression(0)?;
            entries.push((name, value));
            if !self.is_op("}") {
                self.expect_op(",", "`,` or `}` is expected")?;
            }
        }
    }

    fn postfix(&mut self, mut object: Node, start: usize) -> Result<Node, Error> {
        loop {
            let step = match self.peek() {
                Tok::Op(op @ ("." | "?.")) => {
                    let safe = *op == "?.";
                    self.at += 1;
                    let Tok::Name(name) = self.peek().clone() else {
                        return Err(self.unexpected("a field's name is expected after the point"));
                    };
                    self.at += 1;
                    Step::Name { name, safe }
                }
                Tok::Op("[") => {
                    self.at += 1;
                    let index = self.expression(0)?;
                    self.expect_op("]", "`]` is expected")?;
                    Step::Index(Box::new(index))
                }
                Tok::Op("(") => {
                    return Err(self.unexpected("only a function's name can be called; a field is not a function"));
                }
                _ => return Ok(object),
            };
            object = self.node(start, NodeData::Access { object: Box::new(object), step })?;
        }
    }

    /// `x | round(2)` is `round(x, 2)`.
    fn filters(&mut self, mut value: Node, start: usize) -> Result<Node, Error> {
        while self.eat_op("|") {
            let name_span = self.span();
            let Tok::Name(name) = self.peek().clone() else {
                return Err(self.unexpected("a function's name is expected after `|`"));
            };
            self.at += 1;
            let mut args = vec![value];
            if self.eat_op("(") {
                args.extend(self.items(")", true)?);
            }
            value = self.call(start, name, name_span, args)?;
            value = self.postfix(value, start)?;
        }
        Ok(value)
    }
}

/// Whether an operand can still grow.
enum Next {
    More(Node),
    Done(Node),
}
