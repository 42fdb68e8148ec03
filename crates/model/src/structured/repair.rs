//! A tolerant reader: one candidate, every change noted.

use throughline_value::{Error, Map, Number, Span, Value};

use super::{Diagnostic, MAX_SCAN_DEPTH};

/// Reads a text that is almost JSON. Every departure from JSON is noted; what would have to be guessed is
/// refused.
pub(super) fn repair(text: &str) -> Result<(Value, Vec<Diagnostic>), Error> {
    let mut reader = Reader { text, at: 0, depth: 0, notes: Vec::new() };
    reader.skip()?;
    let value = reader.value()?;
    reader.skip()?;
    if reader.at < text.len() {
        return Err(reader.error("something follows the value"));
    }
    Ok((value, reader.notes))
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
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
                trimmed.find("*/").map(|i| i + 2).ok_or_else(|| self.error("a comment is not closed"))?
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
            Some('{') => self.nested(Self::map),
            Some('[') => self.nested(Self::list),
            Some(c) if close_of(c).is_some() => self.string().map(Value::Text),
            Some(c) if c == '-' || c.is_ascii_digit() => self.number(),
            Some(c) if c.is_alphabetic() => self.word(),
            Some(_) => Err(self.error("a value is expected")),
            None => Err(self.error("the text ends where a value is expected")),
        }
    }

    fn nested(&mut self, inner: fn(&mut Self) -> Result<Value, Error>) -> Result<Value, Error> {
        if self.depth >= MAX_SCAN_DEPTH {
            return Err(self.error("lists and maps nest too deep"));
        }
        self.depth += 1;
        self.at += 1;
        let value = inner(self)?;
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
            _ => return Err(self.error("`,` or a closing bracket is expected")),
        }
        if self.ends(close)? {
            self.note("trailing-comma", start, "a comma before the end was dropped");
            return Ok(true);
        }
        Ok(false)
    }

    fn list(&mut self) -> Result<Value, Error> {
        let mut items = Vec::new();
        if self.ends(']')? {
            return Ok(Value::List(items));
        }
        loop {
            self.skip()?;
            items.push(self.value()?);
            if self.comma(']')? {
                return Ok(Value::List(items));
            }
        }
    }

    fn map(&mut self) -> Result<Value, Error> {
        let mut map = Map::new();
        if self.ends('}')? {
            return Ok(Value::Map(map));
        }
        loop {
            self.skip()?;
            let start = self.at;
            let name = match self.peek() {
                Some(c) if close_of(c).is_some() => self.string()?,
                Some(c) if c.is_alphabetic() || matches!(c, '_' | '$') => self.bare_name(),
                _ => return Err(self.error("a name is expected")),
            };
            self.skip()?;
            match self.peek() {
                Some(':') => self.at += 1,
                Some(c @ ('：' | '=')) => {
                    let at = self.at;
                    self.bump(c);
                    self.note("wide-mark", at, "this mark was read as a colon");
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
                return Ok(Value::Map(map));
            }
        }
    }

    fn bare_name(&mut self) -> String {
        let start = self.at;
        let len = self
            .rest()
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '-')))
            .unwrap_or(self.rest().len());
        let name = self.rest().get(..len).unwrap_or("").to_owned();
        self.at += len;
        self.note("bare-name", start, "a name without quotes was read");
        name
    }

    fn word(&mut self) -> Result<Value, Error> {
        let start = self.at;
        let len = self.rest().find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.rest().len());
        let word = self.rest().get(..len).unwrap_or("");
        self.at += len;
        let value = match word {
            "true" => return Ok(Value::Bool(true)),
            "false" => return Ok(Value::Bool(false)),
            "null" => return Ok(Value::Null),
            "True" => Value::Bool(true),
            "False" => Value::Bool(false),
            "None" | "undefined" => Value::Null,
            _ => {
                self.at = start;
                return Err(self.error("a word without quotes is not a value"));
            }
        };
        self.note("other-word", start, "a word of another language was read");
        Ok(value)
    }

    fn number(&mut self) -> Result<Value, Error> {
        let rest = self.rest();
        let len = rest
            .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.' | '_')))
            .unwrap_or(rest.len());
        // Digits at the very end may be the first of more: only what follows proves that a number is whole.
        if len == rest.len() {
            return Err(self.error("a number stands at the end and may have been cut off"));
        }
        let text = rest.get(..len).unwrap_or("");
        let number = Number::parse(text).ok_or_else(|| self.error("this is not a number in JSON"))?;
        self.at += len;
        Ok(Value::Number(number))
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
        loop {
            let Some(c) = self.peek() else {
                return Err(self.error("a text is not closed and may have been cut off"));
            };
            let at = self.at;
            self.bump(c);
            if c == close || (open != '"' && is_curly(open) && is_curly(c)) {
                if self.closes_here() {
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

    /// Whether what follows a quotation mark is what follows a text.
    fn closes_here(&self) -> bool {
        let rest = self.rest().trim_start();
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
                self.note("bad-escape", start, "an escape that JSON does not know was read as the character itself");
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
