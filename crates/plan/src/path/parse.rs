//! Reading a path.

use throughline_value::{Number, Value};

use super::{Call, Comparison, Function, Operand, Path, Query, Segment, Selector, Test, Wrong};

/// Positions and steps are whole numbers that every JSON reader keeps exactly.
const MAX_INTEGER: i64 = (1 << 53) - 1;

const COMPARISONS: [(&str, Comparison); 6] = [
    ("==", Comparison::Equal),
    ("!=", Comparison::Unequal),
    ("<=", Comparison::LessOrEqual),
    (">=", Comparison::GreaterOrEqual),
    ("<", Comparison::Less),
    (">", Comparison::Greater),
];

const FUNCTIONS: [(&str, Function, usize); 5] = [
    ("length", Function::Length, 1),
    ("count", Function::Count, 1),
    ("value", Function::Value, 1),
    ("match", Function::Match, 2),
    ("search", Function::Search, 2),
];

impl Path {
    /// Reads a path; its length is the caller's to limit, and bounds how deep it nests.
    pub(crate) fn parse(text: &str) -> Result<Self, Wrong> {
        let mut reader = Reader { text, at: 0 };
        if !reader.takes("$") {
            return Err(reader.wrong("a path begins with `$`"));
        }
        let segments = reader.segments()?;
        if reader.at < text.len() {
            return Err(reader.wrong("`.name`, `[…]` or the end of the path is expected"));
        }
        Ok(Self { segments })
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    #[cold]
    #[inline(never)]
    fn wrong(&self, message: &str) -> Wrong {
        Wrong { at: self.at, message: message.to_owned() }
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn takes(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), Wrong> {
        if self.takes(token) { Ok(()) } else { Err(self.wrong(&format!("`{token}` is expected"))) }
    }

    fn space(&mut self) {
        let rest = self.rest();
        let trimmed = rest.trim_start_matches([' ', '\t', '\n', '\r']);
        self.at += rest.len() - trimmed.len();
    }

    /// Takes the characters that `is` says.
    fn run(&mut self, is: fn(char) -> bool) -> String {
        let rest = self.rest();
        let run = rest.get(..rest.find(|c| !is(c)).unwrap_or(rest.len())).unwrap_or_default().to_owned();
        self.at += run.len();
        run
    }

    fn segments(&mut self) -> Result<Vec<Segment>, Wrong> {
        let mut segments = Vec::new();
        loop {
            let before = self.at;
            self.space();
            let descend = self.takes("..");
            if self.peek() == Some('[') {
                segments.push(Segment { descend, selectors: self.selectors()? });
            } else if descend || self.takes(".") {
                let selector = if self.takes("*") { Selector::All } else { Selector::Name(self.name()?) };
                segments.push(Segment { descend, selectors: vec![selector] });
            } else {
                // Space belongs to the path only between its segments.
                self.at = before;
                return Ok(segments);
            }
        }
    }

    fn name(&mut self) -> Result<String, Wrong> {
        let is_first = |c: char| c.is_ascii_alphabetic() || c == '_' || !c.is_ascii();
        if !self.peek().is_some_and(is_first) {
            return Err(self.wrong("a name or `*` is expected; other names stand as ['…']"));
        }
        Ok(self.run(|c| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii()))
    }

    fn selectors(&mut self) -> Result<Vec<Selector>, Wrong> {
        let open = self.at;
        self.expect("[")?;
        let mut selectors = Vec::new();
        loop {
            self.space();
            let selector = self.selector();
            self.space();
            if self.rest().is_empty() {
                return Err(self.back(open, "the `[` is not closed"));
            }
            selectors.push(selector?);
            self.space();
            if self.takes("]") {
                return Ok(selectors);
            }
            if !self.takes(",") {
                return Err(self.wrong("`,` or `]` is expected"));
            }
        }
    }

    fn selector(&mut self) -> Result<Selector, Wrong> {
        match self.peek() {
            Some('\'' | '"') => Ok(Selector::Name(self.quoted()?)),
            Some('*') => {
                self.at += 1;
                Ok(Selector::All)
            }
            Some('?') => {
                self.at += 1;
                self.space();
                Ok(Selector::Filter(self.any()?))
            }
            Some('-' | '0'..='9' | ':') => self.index_or_slice(),
            _ => Err(self.wrong("a name in quotes, a position, `*`, a slice or a filter is expected")),
        }
    }

    fn index_or_slice(&mut self) -> Result<Selector, Wrong> {
        let from = self.integer()?;
        let before = self.at;
        self.space();
        if !self.takes(":") {
            self.at = before;
            return from.map(Selector::Index).ok_or_else(|| self.wrong("a position is expected"));
        }
        self.space();
        let to = self.integer()?;
        let before = self.at;
        self.space();
        let mut step = None;
        if self.takes(":") {
            let before = self.at;
            self.space();
            step = self.integer()?;
            if step.is_none() {
                self.at = before;
            }
        } else {
            self.at = before;
        }
        Ok(Selector::Slice { from, to, step: step.unwrap_or(1) })
    }

    fn integer(&mut self) -> Result<Option<i64>, Wrong> {
        let start = self.at;
        let negative = self.takes("-");
        let digits = self.run(|c| c.is_ascii_digit());
        if digits.is_empty() && !negative {
            return Ok(None);
        }
        let plain = if negative { !digits.starts_with('0') } else { digits == "0" || !digits.starts_with('0') };
        let value = digits.parse::<i64>().ok().filter(|n| plain && *n <= MAX_INTEGER);
        match value {
            Some(n) => Ok(Some(if negative { -n } else { n })),
            None => {
                self.at = start;
                Err(self.wrong("a whole number is expected, without leading zeros and within 2^53"))
            }
        }
    }

    /// A text in single or double quotes.
    fn quoted(&mut self) -> Result<String, Wrong> {
        let open = self.at;
        let Some(mark @ ('\'' | '"')) = self.peek() else { return Err(self.wrong("a text in quotes is expected")) };
        self.at += 1;
        let mut out = String::new();
        loop {
            let Some(c) = self.peek() else {
                self.at = open;
                return Err(self.wrong("the quote is not closed"));
            };
            if c < ' ' {
                return Err(self.wrong("a control character must be written as an escape"));
            }
            self.at += c.len_utf8();
            match c {
                c if c == mark => return Ok(out),
                '\\' => out.push(self.escape(mark)?),
                c => out.push(c),
            }
        }
    }

    fn escape(&mut self, mark: char) -> Result<char, Wrong> {
        let c = match self.peek() {
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some(c @ ('/' | '\\')) => c,
            Some(c) if c == mark => c,
            Some('u') => {
                self.at += 1;
                return self.unicode();
            }
            _ => return Err(self.wrong("there is no such escape")),
        };
        self.at += 1;
        Ok(c)
    }

    fn unicode(&mut self) -> Result<char, Wrong> {
        let first = self.four_digits()?;
        if !(0xD800..0xDC00).contains(&first) {
            return char::from_u32(first).ok_or_else(|| self.wrong("half of a surrogate pair stands alone"));
        }
        let second = if self.takes("\\u") { self.four_digits()? } else { 0 };
        if !(0xDC00..0xE000).contains(&second) {
            return Err(self.wrong("half of a surrogate pair stands alone"));
        }
        let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        char::from_u32(code).ok_or_else(|| self.wrong("there is no such character"))
    }

    fn four_digits(&mut self) -> Result<u32, Wrong> {
        let digits = self.rest().get(..4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        let code = code.ok_or_else(|| self.wrong("four hexadecimal digits are expected"))?;
        self.at += 4;
        Ok(code)
    }

    fn any(&mut self) -> Result<Test, Wrong> {
        let mut tests = vec![self.every()?];
        while self.joined("||") {
            tests.push(self.every()?);
        }
        Ok(alone(tests, Test::Any))
    }

    fn every(&mut self) -> Result<Test, Wrong> {
        let mut tests = vec![self.test()?];
        while self.joined("&&") {
            tests.push(self.test()?);
        }
        Ok(alone(tests, Test::Every))
    }

    fn joined(&mut self, by: &str) -> bool {
        let before = self.at;
        self.space();
        if self.takes(by) {
            self.space();
            return true;
        }
        self.at = before;
        false
    }

    fn test(&mut self) -> Result<Test, Wrong> {
        let negated = self.takes("!");
        if negated {
            self.space();
        }
        let start = self.at;
        let test = if self.takes("(") {
            self.space();
            let inner = self.any()?;
            self.space();
            self.expect(")")?;
            inner
        } else {
            let left = self.operand()?;
            let before = self.at;
            self.space();
            match COMPARISONS.iter().find(|(sign, _)| !negated && self.rest().starts_with(sign)) {
                Some((sign, comparison)) => {
                    self.at += sign.len();
                    self.comparable(&left, start)?;
                    self.space();
                    let start = self.at;
                    let right = self.operand()?;
                    self.comparable(&right, start)?;
                    Test::Compare(Box::new((left, *comparison, right)))
                }
                None => {
                    self.at = before;
                    match left {
                        Operand::Query(query) => Test::Exists(query),
                        Operand::Call(call) if call.function.is_test() => Test::Call(call),
                        _ => return Err(self.back(start, "a value is no test; compare it with something")),
                    }
                }
            }
        };
        Ok(if negated { Test::Not(Box::new(test)) } else { test })
    }

    #[cold]
    fn back(&mut self, start: usize, message: &str) -> Wrong {
        self.at = start;
        self.wrong(message)
    }

    /// Whether it gives one value at most.
    fn comparable(&mut self, operand: &Operand, start: usize) -> Result<(), Wrong> {
        match operand {
            Operand::Query(query) if !query.is_singular() => {
                Err(self.back(start, "only a path to one value can be compared"))
            }
            Operand::Call(call) if call.function.is_test() => {
                Err(self.back(start, "this function says yes or no and cannot be compared"))
            }
            _ => Ok(()),
        }
    }

    fn operand(&mut self) -> Result<Operand, Wrong> {
        match self.peek() {
            Some(c @ ('@' | '$')) => {
                self.at += 1;
                Ok(Operand::Query(Query { from_root: c == '$', segments: self.segments()? }))
            }
            Some('\'' | '"') => Ok(Operand::Literal(Value::Text(self.quoted()?))),
            Some('-' | '0'..='9') => self.number().map(|number| Operand::Literal(Value::Number(number))),
            Some('a'..='z') => self.word(),
            _ => Err(self.wrong("a path from `@` or `$`, a value or a function is expected")),
        }
    }

    fn number(&mut self) -> Result<Number, Wrong> {
        let start = self.at;
        self.takes("-");
        let is_digit = |c: char| c.is_ascii_digit();
        self.run(is_digit);
        if self.takes(".") {
            self.run(is_digit);
        }
        if self.takes("e") || self.takes("E") {
            if !self.takes("+") {
                self.takes("-");
            }
            self.run(is_digit);
        }
        let number = self.text.get(start..self.at).and_then(Number::parse);
        number.ok_or_else(|| self.back(start, "this is not a number as JSON writes it"))
    }

    fn word(&mut self) -> Result<Operand, Wrong> {
        let start = self.at;
        let name = self.run(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if !self.takes("(") {
            return match name.as_str() {
                "true" => Ok(Operand::Literal(Value::Bool(true))),
                "false" => Ok(Operand::Literal(Value::Bool(false))),
                "null" => Ok(Operand::Literal(Value::Null)),
                _ => Err(self.back(start, "a text must stand in quotes, and a path begins with `@` or `$`")),
            };
        }
        let Some((_, function, count)) = FUNCTIONS.iter().find(|(known, ..)| *known == name) else {
            return Err(self.back(start, "the functions are length, count, value, match and search"));
        };
        let mut args = Vec::new();
        self.space();
        while !self.takes(")") {
            if !args.is_empty() {
                self.expect(",")?;
                self.space();
            }
            let at = self.at;
            let arg = self.operand()?;
            match (function, &arg) {
                (Function::Count | Function::Value, Operand::Query(_)) => {}
                (Function::Count | Function::Value, _) => return Err(self.back(at, "a path is expected here")),
                _ => self.comparable(&arg, at)?,
            }
            args.push(arg);
            self.space();
        }
        if args.len() != *count {
            return Err(self.back(start, if *count == 1 { "it takes one argument" } else { "it takes two arguments" }));
        }
        Ok(Operand::Call(Box::new(Call { function: *function, args })))
    }
}

/// One test as it is, several joined.
fn alone(mut tests: Vec<Test>, join: fn(Vec<Test>) -> Test) -> Test {
    match tests.pop() {
        Some(only) if tests.is_empty() => only,
        last => {
            tests.extend(last);
            join(tests)
        }
    }
}
