//! The reader.

use crate::{Error, MAX_NUMBER_CHARS, Map, Named, Number, Span, Value};

/// How deep lists and maps may nest. A deeper text is refused with `json-too-deep`.
pub const MAX_DEPTH: usize = 96;

/// The longest text that is read, in bytes. A longer one is refused with `json-too-long`.
pub const MAX_TEXT_BYTES: usize = 256 << 20;

/// A value in a text, with the bytes it stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub data: NodeData,
}

/// A name in a map, with the bytes it stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The name.
    pub name: String,
    /// Where it stands, quotes included.
    pub span: Span,
}

/// What a [`Node`] is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeData {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as written.
    Number(Number),
    /// A text, unescaped.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A map, in the order written; no name twice.
    Map(Vec<(Key, Node)>),
}

impl Node {
    /// The value without positions.
    #[must_use]
    pub fn into_value(self) -> Value {
        match self.data {
            NodeData::Null => Value::Null,
            NodeData::Bool(bool) => Value::Bool(bool),
            NodeData::Number(number) => Value::Number(number),
            NodeData::Text(text) => Value::Text(text),
            NodeData::List(list) => Value::List(list.into_iter().map(Self::into_value).collect()),
            NodeData::Map(map) => Value::Map(map.into_iter().map(|(k, v)| (k.name, v.into_value())).collect::<Map>()),
        }
    }

    /// The node under `name`, when this is a map that has it.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Node> {
        if let NodeData::Map(map) = &self.data {
            map.iter().find(|(k, _)| k.name == name).map(|(_, v)| v)
        } else {
            None
        }
    }
}

/// Reads one JSON text (RFC 8259) that holds exactly one value.
///
/// # Errors
/// `json-syntax`, `duplicate-name`, `lone-surrogate`, `json-too-deep`, `json-too-long`,
/// `number-too-long`; each with the byte where it happened.
pub fn read(text: &str) -> Result<Node, Error> {
    let (node, end) = read_prefix(text)?;
    let mut reader = Reader { text, at: end, depth: 0 };
    reader.skip_space();
    match reader.peek() {
        None => Ok(node),
        Some(_) => Err(reader.syntax("the value ends before this; remove what follows")),
    }
}

/// Reads the JSON value at the start of `text` and says at which byte it ends.
///
/// # Errors
/// As [`read`], except that text after the value is not an error.
pub fn read_prefix(text: &str) -> Result<(Node, usize), Error> {
    if text.len() > MAX_TEXT_BYTES {
        return Err(Error::new(
            "json-too-long",
            format!("a text of over {MAX_TEXT_BYTES} bytes is not read; split it"),
        ));
    }
    let mut reader = Reader { text, at: 0, depth: 0 };
    reader.skip_space();
    let node = reader.value()?;
    Ok((node, reader.at))
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn syntax(&self, hint: &str) -> Error {
        let found = self.rest().chars().next();
        let found = found.map_or_else(|| "the end of the text".to_owned(), |c| format!("{c:?}"));
        let end = self.at + self.rest().chars().next().map_or(0, char::len_utf8);
        Error::new("json-syntax", format!("found {found}: {hint}")).at(Span::new(self.at, end))
    }

    fn value(&mut self) -> Result<Node, Error> {
        let start = self.at;
        let data = match self.peek() {
            Some(b'n') => self.word("null", NodeData::Null)?,
            Some(b't') => self.word("true", NodeData::Bool(true))?,
            Some(b'f') => self.word("false", NodeData::Bool(false))?,
            Some(b'"') => NodeData::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b'[') => self.nested(Self::list)?,
            Some(b'{') => self.nested(Self::map)?,
            _ => return Err(self.syntax("a value is expected")),
        };
        Ok(Node { span: Span::new(start, self.at), data })
    }

    fn word(&mut self, word: &str, data: NodeData) -> Result<NodeData, Error> {
        if !self.rest().starts_with(word) {
            return Err(self.syntax(&format!("`{word}` is expected")));
        }
        self.at += word.len();
        Ok(data)
    }

    fn nested(&mut self, inner: fn(&mut Self) -> Result<NodeData, Error>) -> Result<NodeData, Error> {
        if self.depth >= MAX_DEPTH {
            return Err(Error::new(
                "json-too-deep",
                format!("lists and maps nest more than {MAX_DEPTH} deep; flatten them"),
            )
            .at(Span::new(self.at, self.at + 1)));
        }
        self.depth += 1;
        self.at += 1;
        let data = inner(self)?;
        self.depth -= 1;
        Ok(data)
    }

    fn list(&mut self) -> Result<NodeData, Error> {
        let mut items = Vec::new();
        self.skip_space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(NodeData::List(items));
        }
        loop {
            self.skip_space();
            items.push(self.value()?);
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(NodeData::List(items));
                }
                _ => return Err(self.syntax("`,` or `]` is expected in a list")),
            }
        }
    }

    fn map(&mut self) -> Result<NodeData, Error> {
        let mut entries: Vec<(Key, Node)> = Vec::new();
        let mut seen = Named::<()>::new();
        self.skip_space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(NodeData::Map(entries));
        }
        loop {
            self.skip_space();
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.syntax("a name in double quotes is expected"));
            }
            let name = self.string()?;
            let span = Span::new(start, self.at);
            if seen.insert(name.clone(), ()).is_some() {
                return Err(Error::new(
                    "duplicate-name",
                    format!("the name {name:?} stands twice in one map; keep one"),
                )
                .at(span));
            }
            self.skip_space();
            if self.peek() != Some(b':') {
                return Err(self.syntax("`:` is expected after a name"));
            }
            self.at += 1;
            self.skip_space();
            let value = self.value()?;
            entries.push((Key { name, span }, value));
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(NodeData::Map(entries));
                }
                _ => return Err(self.syntax("`,` or `}` is expected in a map")),
            }
        }
    }

    fn number(&mut self) -> Result<NodeData, Error> {
        let start = self.at;
        while matches!(self.peek(), Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')) {
            self.at += 1;
        }
        let span = Span::new(start, self.at);
        let text = self.text.get(start..self.at).unwrap_or("");
        if text.len() > MAX_NUMBER_CHARS {
            return Err(Error::new(
                "number-too-long",
                format!("a number of over {MAX_NUMBER_CHARS} characters is not read"),
            )
            .at(span));
        }
        Number::parse(text)
            .map(NodeData::Number)
            .ok_or_else(|| Error::new("json-syntax", format!("`{text}` is not a number in JSON")).at(span))
    }

    fn string(&mut self) -> Result<String, Error> {
        let start = self.at;
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = self.rest();
            let plain = super::plain(rest.as_bytes());
            out.push_str(rest.get(..plain).unwrap_or(""));
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                Some(_) => return Err(self.syntax("a control character in a text must be escaped")),
                None => {
                    return Err(Error::new("json-syntax", "this text is not closed; add a double quote")
                        .at(Span::new(start, self.at)));
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, Error> {
        let start = self.at;
        self.at += 1;
        let char = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode(start);
            }
            _ => return Err(self.syntax("this is not an escape in JSON")),
        };
        self.at += 1;
        Ok(char)
    }

    fn unicode(&mut self, start: usize) -> Result<char, Error> {
        let first = self.four_digits()?;
        let code = if (0xd800..0xdc00).contains(&first) && self.rest().starts_with("\\u") {
            self.at += 2;
            let second = self.four_digits()?;
            if (0xdc00..0xe000).contains(&second) {
                0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00)
            } else {
                first
            }
        } else {
            first
        };
        char::from_u32(code).ok_or_else(|| {
            Error::new("lone-surrogate", "half of a surrogate pair is not a character; write both halves or neither")
                .at(Span::new(start, self.at))
        })
    }

    fn four_digits(&mut self) -> Result<u32, Error> {
        let digits = self.text.get(self.at..self.at + 4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        match digits.and_then(|d| u32::from_str_radix(d, 16).ok()) {
            Some(code) => {
                self.at += 4;
                Ok(code)
            }
            None => Err(self.syntax("four hexadecimal digits are expected after \\u")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<&str, (&str, usize)>) {
        let got = read(text).map(|n| n.into_value().to_json());
        let got = got.map_err(|e| (e.code(), e.span().map_or(usize::MAX, |s| s.start)));
        assert_eq!(got, expected.map(str::to_owned), "{text}");
    }

    #[test]
    fn valid_texts_are_read_and_written_again_with_their_digits() {
        check(" {\"a\" : [1, 2.50, -0.0, 1e400, null, true]} ", Ok("{\"a\":[1,2.50,-0.0,1e400,null,true]}"));
        check("\"\\u4e2d\\uD83D\\uDE00\\n\"", Ok("\"中😀\\n\""));
        check("9007199254740993", Ok("9007199254740993"));
        check("[]", Ok("[]"));
        check("{}", Ok("{}"));
        check("\"\"", Ok("\"\""));
    }

    #[test]
    fn a_bad_text_is_refused_at_the_byte_where_it_goes_wrong() {
        check("", Err(("json-syntax", 0)));
        check("{\"a\":1,}", Err(("json-syntax", 7)));
        check("[1 2]", Err(("json-syntax", 3)));
        check("{\"a\":1,\"a\":2}", Err(("duplicate-name", 7)));
        check("[\"\\ud800\"]", Err(("lone-surrogate", 2)));
        check("[01]", Err(("json-syntax", 1)));
        check("1 1", Err(("json-syntax", 2)));
        check("\"abc", Err(("json-syntax", 0)));
        check("\"a\tb\"", Err(("json-syntax", 2)));
        check("中", Err(("json-syntax", 0)));
        check("{\"a\" 1}", Err(("json-syntax", 5)));
        check("\"\\uZZZZ\"", Err(("json-syntax", 3)));
        check("[1e]", Err(("json-syntax", 1)));
    }

    #[test]
    fn depth_is_limited_by_name_and_never_overflows_the_stack() {
        let deep = "[".repeat(200_000);
        check(&deep, Err(("json-too-deep", MAX_DEPTH)));
        let fits = format!("{}{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
        assert!(read(&fits).is_ok());
    }

    #[test]
    fn a_prefix_says_where_the_value_ends() {
        let (node, end) = read_prefix("{\"a\":1} tail").unwrap();
        assert_eq!((node.span.end, end), (7, 7));
    }
}
