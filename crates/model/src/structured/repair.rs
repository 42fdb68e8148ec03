//! A tolerant reader: one candidate, every change noted.

use throughline_value::{Error, Map, Number, Span, Value};

use super::{Diagnostic, MAX_SCAN_DEPTH};

/// Reads a text that is almost JSON. Every departure from JSON is noted; what would have to be guessed is
/// refused. Quotation marks inside texts are tried first, then none of them, then a text that is closed by the
/// brackets after it.
pub(super) fn repair(text: &str) -> Result<(Value, Vec<Diagnostic>), Error> {
    let first = match attempt(text, Quotes::Inner) {
        Ok(done) => return Ok(done),
        Err(error) => error,
    };
    attempt(text, Quotes::Close).or_else(|_| attempt(text, Quotes::Missing)).map_err(|_| first)
}

fn attempt(text: &str, quotes: Quotes) -> Result<(Value, Vec<Diagnostic>), Error> {
    let mut reader = Reader { text, at: 0, depth: 0, stack: Vec::new(), quotes, notes: Vec::new() };
    reader.skip()?;
    let mut value = reader.value()?;
    reader.skip()?;
    // A map that goes on after its end was closed too early.
    while let Value::Map(map) = &mut value
        && reader.goes_on()
    {
        let start = reader.at;
        reader.at += 1;
        reader.note("wrong-bracket", start, "a map was closed before its last field");
        reader.stack.push('}');
        reader.pairs(map)?;
        reader.stack.pop();
        reader.skip()?;
    }
    if let Some(rest) = reader.rest().strip_prefix("```") {
        reader.at = text.len() - rest.trim_start().len();
    }
    if reader.at < text.len() {
        return Err(reader.error("something follows the value"));
    }
    Ok((value, reader.notes))
}

/// What a quotation mark inside a text is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quotes {
    /// A part of the text, unless what follows is what follows a text.
    Inner,
    /// The text's end.
    Close,
    /// As `Inner`; and the text's own end may be missing before the last brackets.
    Missing,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    /// What closes the lists and maps that are open.
    stack: Vec<char>,
    quotes: Quotes,
    notes: Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn error(&self, message: &str) -> Error {
        Error::new("json-syntax", message).at(Span::new(self.at, self.at))
    }

    fn note(&mut self, code: &'static str, start: usize, message: &str) {
        let span = Span::new(start, self.at.max(start));
        self.notes.push(Diagnostic { code, span, message: message.to_owned() });
    }

    fn bump(&mut self, c: char) {
        self.at += c.len_utf8();
    }

    /// Skips space and comments.
    fn skip(&mut self) -> Result<(), Error> {
        loop {
            let trimmed = self.rest().trim_start();
            self.at = self.text.len() - trimmed.len();
            let end = if trimmed.starts_with("//") || trimmed.starts_with('#') {
                trimmed.find('\n').unwrap_or(trimmed.len())
            } else if trimmed.starts_with("/*") {
                trimmed.find("*/").map_or(trimmed.len(), |i| i + 2)
            } else {
                return Ok(());
            };
            let start = self.at;
            self.at += end;
            self.note("comment", start, "a comment was dropped");
        }
    }

    fn value(&mut self) -> Result<Value, Error> {
        match self.peek() {
            Some('{') if self.is_set() => self.nested('}', |r| r.list_until('}')),
            Some('{') => self.nested('}', Self::map),
            Some('[') => self.nested(']', |r| r.list_until(']')),
            Some('(') => self.nested(')', Self::tuple),
            Some(c) if close_of(c).is_some() => self.string().map(Value::Text),
            Some(c) if c.is_alphanumeric() || matches!(c, '-' | '.' | '_' | '$') => self.bare(),
            Some(_) => Err(self.error("a value is expected")),
            None => Err(self.error("the text ends where a value is expected")),
        }
    }

    fn nested(&mut self, close: char, inner: fn(&mut Self) -> Result<Value, Error>) -> Result<Value, Error> {
        if self.depth >= MAX_SCAN_DEPTH {
            return Err(self.error("lists and maps nest too deep"));
        }
        self.depth += 1;
        self.at += 1;
        self.stack.push(close);
        let value = inner(self)?;
        self.stack.pop();
        self.depth -= 1;
        Ok(value)
    }

    /// Whether a list or map ends here; at the end of the text it is closed, with a note.
    fn ends(&mut self, close: char) -> Result<bool, Error> {
        self.skip()?;
        match self.peek() {
            Some(c) if c == close => {
                self.bump(c);
                Ok(true)
            }
            Some('}') if close == ']' => {
                let start = self.at;
                let after = self.rest().get(1..).unwrap_or("").trim_start();
                let goes_on = after.strip_prefix(',').is_some_and(|t| t.trim_start().starts_with('"'));
                // A map that goes on was not closed here: the bracket is the wrong one.
                self.at += usize::from(goes_on);
                self.note("wrong-bracket", start, "a list was closed where a map's bracket stands");
                Ok(true)
            }
            None => {
                self.note("closed-at-end", self.at, &format!("`{close}` was added at the end"));
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// The comma between two items; a missing one is noted. `true` when the end follows.
    fn comma(&mut self, close: char) -> Result<bool, Error> {
        if self.ends(close)? {
            return Ok(true);
        }
        let start = self.at;
        match self.peek() {
            Some(',') => self.at += 1,
            Some(c @ ('，' | ';' | '；')) => {
                self.bump(c);
                self.note("wide-mark", start, "this mark was read as a comma");
            }
            Some(c) if close_of(c).is_some() || matches!(c, '{' | '[') => {
                self.note("missing-comma", start, "a comma was added");
                return Ok(false);
            }
            Some(c) if c.is_alphabetic() && close == '}' => {
                let rest = self.rest();
                let len = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
                self.at += len;
                self.note("skipped-text", start, "a word after a value was dropped");
                return self.comma(close);
            }
            _ => return Err(self.error("`,` or a closing bracket is expected")),
        }
        if self.ends(close)? {
            self.note("trailing-comma", start, "a comma before the end was dropped");
            return Ok(true);
        }
        Ok(false)
    }

    fn list_until(&mut self, close: char) -> Result<Value, Error> {
        if close == '}' {
            self.note("other-brackets", self.at, "a set was read as a list");
        }
        let mut items = Vec::new();
        if self.ends(close)? {
            return Ok(Value::List(items));
        }
        loop {
            self.skip()?;
            if self.ellipsis() {
                if self.comma(close)? {
                    return Ok(Value::List(items));
                }
                continue;
            }
            let start = self.at;
            let item = self.value()?;
            self.skip()?;
            if self.peek() == Some(':') {
                let (Value::Text(name), true) = (item, items.is_empty()) else {
                    return Err(self.error("a name stands in a list; write a map"));
                };
                self.note("wrong-bracket", start, "a name in a list was read as a map around it");
                self.at += 1;
                self.skip()?;
                let value = self.value()?;
                items.push(Value::Map(Map::from_iter([(name, value)])));
            } else {
                items.push(item);
            }
            if self.comma(close)? {
                return Ok(Value::List(items));
            }
        }
    }

    /// Brackets of another language: one value alone is itself, several are a list.
    fn tuple(&mut self) -> Result<Value, Error> {
        self.note("other-brackets", self.at, "round brackets were read as a list");
        let mut items = Vec::new();
        let mut alone = true;
        while !self.ends(')')? {
            items.push(self.value()?);
            if self.comma(')')? {
                // `(1,)` is a list of one.
                alone = items.len() == 1 && self.notes.last().is_none_or(|n| n.code != "trailing-comma");
                break;
            }
            alone = false;
        }
        match (alone, items.pop()) {
            (true, Some(only)) if items.is_empty() => Ok(only),
            (_, last) => {
                items.extend(last);
                Ok(Value::List(items))
            }
        }
    }

    /// Whether this brace holds texts only, without a colon after the first.
    fn is_set(&self) -> bool {
        let mut ahead = Reader {
            text: self.text,
            at: self.at + 1,
            depth: self.depth,
            stack: Vec::new(),
            quotes: self.quotes,
            notes: Vec::new(),
        };
        let quoted = ahead.skip().is_ok() && ahead.peek().is_some_and(|c| close_of(c).is_some());
        quoted && ahead.string().is_ok() && ahead.skip().is_ok() && matches!(ahead.peek(), Some(',' | '}'))
    }

    /// Passes over `...`, which stands for what the model left out.
    fn ellipsis(&mut self) -> bool {
        let start = self.at;
        let Some(rest) = self.rest().strip_prefix("...").or_else(|| self.rest().strip_prefix('…')) else {
            return false;
        };
        self.at = self.text.len() - rest.len();
        self.note("ellipsis", start, "three dots were dropped; the list may not be whole");
        true
    }

    /// Whether a closed map goes on: a comma, and a name in quotes.
    fn goes_on(&self) -> bool {
        self.rest().strip_prefix(',').is_some_and(|t| t.trim_start().starts_with('"'))
    }

    fn map(&mut self) -> Result<Value, Error> {
        let mut map = Map::new();
        if self.ends('}')? {
            return Ok(Value::Map(map));
        }
        self.pairs(&mut map)?;
        Ok(Value::Map(map))
    }

    /// The fields of a map, and its end.
    fn pairs(&mut self, map: &mut Map) -> Result<(), Error> {
        loop {
            self.skip()?;
            let start = self.at;
            let name = match self.peek() {
                Some(c) if close_of(c).is_some() => self.string()?,
                Some(c) if c.is_alphanumeric() || matches!(c, '_' | '$') => self.bare_name()?,
                _ => return Err(self.error("a name is expected")),
            };
            // Nobody means a name to end with the end of a line, which was noted.
            let name = name.trim_end_matches(['\n', '\r']).to_owned();
            self.skip()?;
            match self.peek() {
                Some(':') => self.at += 1,
                Some(c @ ('：' | '=')) => {
                    let at = self.at;
                    self.bump(c);
                    self.note("wide-mark", at, "this mark was read as a colon");
                }
                Some(c) if c == '"' && self.quotes == Quotes::Close => {
                    self.note("missing-colon", self.at, "a colon was added");
                }
                _ => return Err(self.error("`:` is expected after a name")),
            }
            self.skip()?;
            let value = self.value()?;
            if map.insert(name.clone(), value).is_some() {
                let message = format!("the name {name:?} stands twice in one map");
                return Err(Error::new("duplicate-name", message).at(Span::new(start, self.at)));
            }
            if self.comma('}')? {
                return Ok(());
            }
        }
    }

    fn bare_name(&mut self) -> Result<String, Error> {
        let start = self.at;
        let rest = self.rest();
        let len = rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '-'))).unwrap_or(rest.len());
        let name = rest.get(..len).unwrap_or("").to_owned();
        self.at += len;
        // A word right before a name in quotes is a remark.
        let quoted = self.rest().trim_start().starts_with(['"', '“']);
        if quoted && len > 0 {
            self.note("skipped-text", start, "a word before a name was dropped");
            self.skip()?;
            return self.string();
        }
        self.note("bare-name", start, "a name without quotes was read");
        Ok(name)
    }

    /// A number, a word that stands for a value, or a text without quotes.
    fn bare(&mut self) -> Result<Value, Error> {
        let start = self.at;
        let rest = self.rest();
        // It goes to the next mark outside of brackets of its own, but not over a quotation mark.
        let mut depth = 0usize;
        let end = rest.find(|c: char| match c {
            '{' | '(' => {
                depth += 1;
                false
            }
            '}' | ')' if depth > 0 => {
                depth -= 1;
                false
            }
            ',' | '}' | ']' | ')' | '\n' | '"' | '“' | '，' => true,
            _ => false,
        });
        // What stands at the very end may be the beginning of more.
        let Some(end) = end else {
            let word = rest.trim_end();
            let whole =
                word.len() < rest.len() && (Number::parse(word).is_some() || matches!(word, "true" | "false" | "null"));
            if !whole {
                return Err(self.error("a value without quotes stands at the end and may have been cut off"));
            }
            self.at += word.len();
            return plain(word).ok_or_else(|| self.error("this is not a value"));
        };
        let word = rest.get(..end).unwrap_or("").trim_end();
        self.at += word.len();
        self.stray_quote();
        if let Some(value) = plain(word) {
            return Ok(value);
        }
        if let Some(number) = spelled_number(word) {
            self.note("other-number", start, "a number in another spelling was read");
            return Ok(Value::Number(number));
        }
        let value = match word.to_ascii_lowercase().as_str() {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "null" | "none" | "undefined" | "nil" => Value::Null,
            _ if word.contains(':') || word.is_empty() => {
                self.at = start;
                return Err(self.error("a text without quotes cannot be told from a name"));
            }
            _ => {
                self.note("bare-text", start, "a text without quotes was read");
                return Ok(Value::from(word));
            }
        };
        self.note("other-word", start, "a word of another language was read");
        Ok(value)
    }

    /// Drops a quotation mark after a value without quotes: only the first of two is missing.
    fn stray_quote(&mut self) {
        if self.peek() != Some('"') {
            return;
        }
        let start = self.at;
        self.at += 1;
        if self.closes_here() {
            self.note("quote", start, "a quotation mark after a value without quotes was dropped");
        } else {
            self.at = start;
        }
    }

    fn string(&mut self) -> Result<String, Error> {
        let start = self.at;
        let Some((open, close)) = self.peek().and_then(|c| Some((c, close_of(c)?))) else {
            return Err(self.error("a text is expected"));
        };
        self.bump(open);
        if open != '"' {
            self.note("quote", start, "other quotation marks were read as double quotes");
        }
        let mut out = String::new();
        // The mark stands twice at the beginning: one is too many.
        if open == '"'
            && self.peek() == Some('"')
            && self.rest().chars().nth(1).is_some_and(|c| c.is_alphanumeric() || c == ' ')
        {
            let second = self.at;
            self.at += 1;
            if self.closes_here() {
                self.at = second;
            } else {
                self.note("quote", second, "a second quotation mark at the beginning of a text was dropped");
            }
        }
        let begin = self.at;
        loop {
            let Some(c) = self.peek() else {
                if let Some(end) = self.end_before_brackets(begin) {
                    self.at = end;
                    self.note("quote", end, "a text was closed before the brackets that end the value");
                    let cut = self.text.len() - end;
                    out.truncate(out.len().saturating_sub(cut));
                    return Ok(out.trim_end().to_owned());
                }
                return Err(self.error("a text is not closed and may have been cut off"));
            };
            let at = self.at;
            self.bump(c);
            if c == close || (open != '"' && is_curly(open) && is_curly(c)) {
                if self.quotes == Quotes::Close || self.closes_here() {
                    return Ok(out);
                }
                self.note("quote", at, "a quotation mark inside a text was kept");
                out.push(c);
            } else if c == '\\' {
                self.escape(at, &mut out)?;
            } else {
                if u32::from(c) < 0x20 {
                    self.note("raw-control", at, "a control character inside a text was kept");
                }
                out.push(c);
            }
        }
    }

    /// Where a text ends whose mark is missing: before the brackets that close all that is open. A text that opens
    /// brackets of its own could own them.
    fn end_before_brackets(&self, begin: usize) -> Option<usize> {
        if self.quotes != Quotes::Missing || self.stack.is_empty() {
            return None;
        }
        let mut rest = self.text.get(begin..)?.trim_end();
        rest = rest.strip_suffix("```").unwrap_or(rest);
        for close in &self.stack {
            rest = rest.trim_end().strip_suffix(*close)?;
        }
        (!rest.contains(['{', '[', '\\', '"'])).then_some(begin + rest.len())
    }

    /// Whether what follows a quotation mark is what follows a text.
    fn closes_here(&self) -> bool {
        let rest = self.rest().trim_start();
        // In a map a comma is followed by a name; else it belongs to the text, and the mark with it.
        if let Some(after) = rest.strip_prefix(',').filter(|_| self.stack.last() == Some(&'}')) {
            let after = after.trim_start();
            let word = after.trim_start_matches(|c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-'));
            let named = word.len() < after.len() && word.trim_start().starts_with([':', '：', '=', '"']);
            return named || after.is_empty() || after.starts_with(['"', '\'', '“', '}', '/', '#', '.', '…']);
        }
        rest.is_empty()
            || rest.starts_with([',', ':', '}', ']', '，', '：', ';', '；'])
            || rest.starts_with("//")
            || rest.starts_with("/*")
    }

    fn escape(&mut self, start: usize, out: &mut String) -> Result<(), Error> {
        let Some(c) = self.peek() else { return Err(self.error("an escape is not finished")) };
        self.bump(c);
        match c {
            '"' | '\\' | '/' => out.push(c),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'u' => {
                let first = self.four()?;
                let code = if (0xd800..0xdc00).contains(&first) && self.rest().starts_with("\\u") {
                    self.at += 2;
                    let second = self.four()?;
                    0x10000 + ((first - 0xd800) << 10) + (second.wrapping_sub(0xdc00) & 0x3ff)
                } else {
                    first
                };
                out.push(
                    char::from_u32(code).ok_or_else(|| self.error("half of a surrogate pair is not a character"))?,
                );
            }
            other => {
                self.note("bad-escape", start, "an escape that JSON does not know was read as it stands");
                if other != '\'' {
                    out.push('\\');
                }
                out.push(other);
            }
        }
        Ok(())
    }

    fn four(&mut self) -> Result<u32, Error> {
        let digits = self.rest().get(..4).and_then(|d| u32::from_str_radix(d, 16).ok());
        let code = digits.ok_or_else(|| self.error("four hexadecimal digits are expected"))?;
        self.at += 4;
        Ok(code)
    }
}

/// A number, a truth value or null as JSON writes it.
fn plain(word: &str) -> Option<Value> {
    match word {
        "true" => Some(Value::Bool(true)),
        "false" => Some(Value::Bool(false)),
        "null" => Some(Value::Null),
        _ => Number::parse(word).map(Value::Number),
    }
}

/// A number with grouping underscores, a leading plus, or nothing before its point.
fn spelled_number(word: &str) -> Option<Number> {
    let plain: String = word.strip_prefix('+').unwrap_or(word).chars().filter(|c| *c != '_').collect();
    let between = |side: Option<char>| side.is_some_and(|c| c.is_ascii_digit());
    if !between(word.chars().next_back()) {
        return None;
    }
    Number::parse(&plain).or_else(|| plain.strip_prefix('.').and_then(|rest| Number::parse(&format!("0.{rest}"))))
}

/// The mark that closes what this one opens.
fn close_of(open: char) -> Option<char> {
    match open {
        '"' => Some('"'),
        '\'' => Some('\''),
        '“' | '”' => Some('”'),
        '‘' | '’' => Some('’'),
        '「' => Some('」'),
        _ => None,
    }
}

fn is_curly(c: char) -> bool {
    matches!(c, '“' | '”')
}
