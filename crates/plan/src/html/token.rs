//! Tags and texts, one after the other.

use throughline_value::Span;

/// A piece of a document. Comments, declarations and processing instructions are none.
pub(super) enum Token<'a> {
    Text(Span),
    Open { tag: &'a str, attributes: Vec<(&'a str, Span)>, closed: bool },
    Close(&'a str),
}

/// Elements whose content holds no tags.
const RAW: &[&str] = &["script", "style", "textarea", "title"];

pub(super) struct Tokens<'a> {
    source: &'a str,
    at: usize,
    /// The raw element that is open.
    raw: Option<&'a str>,
}

impl<'a> Tokens<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        Self { source, at: 0, raw: None }
    }

    fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or("")
    }

    /// The bytes of a text up to the next tag, at least one byte of it.
    fn text(&mut self) -> Token<'a> {
        let start = self.at;
        let rest = self.rest();
        let mut from = rest.chars().next().map_or(0, char::len_utf8);
        loop {
            let next = rest.get(from..).and_then(|rest| rest.find('<')).map(|at| from + at);
            let Some(next) = next else {
                self.at = self.source.len();
                break;
            };
            if begins_tag(rest.get(next..).unwrap_or("")) {
                self.at = start + next;
                break;
            }
            from = next + 1;
        }
        Token::Text(Span::new(start, self.at))
    }

    fn open(&mut self) -> Token<'a> {
        self.at += 1;
        let tag = self.word(|c| c.is_whitespace() || c == '/' || c == '>');
        let mut attributes = Vec::new();
        let mut closed = false;
        loop {
            self.space();
            match self.rest().chars().next() {
                None => break,
                Some('>') => {
                    self.at += 1;
                    break;
                }
                Some('/') => {
                    closed = true;
                    self.at += 1;
                }
                Some('=') => self.at += 1,
                Some(_) => {
                    closed = false;
                    let name = self.word(|c| c.is_whitespace() || matches!(c, '/' | '>' | '='));
                    self.space();
                    let value = if self.rest().starts_with('=') {
                        self.at += 1;
                        self.space();
                        self.value()
                    } else {
                        Span::new(self.at, self.at)
                    };
                    attributes.push((name, value));
                }
            }
        }
        if !closed && RAW.iter().any(|raw| tag.eq_ignore_ascii_case(raw)) {
            self.raw = Some(tag);
        }
        Token::Open { tag, attributes, closed }
    }

    fn value(&mut self) -> Span {
        let quote = self.rest().chars().next().filter(|c| matches!(c, '"' | '\''));
        if let Some(quote) = quote {
            self.at += 1;
            let start = self.at;
            let length = self.rest().find(quote).unwrap_or(self.rest().len());
            self.at = (start + length + 1).min(self.source.len());
            return Span::new(start, start + length);
        }
        let start = self.at;
        self.word(|c| c.is_whitespace() || c == '>');
        Span::new(start, self.at)
    }

    fn word(&mut self, ends: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(ends).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or("")
    }

    fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Behind the next `mark`, or at the end.
    fn skip_past(&mut self, mark: &str) {
        self.at = self.rest().find(mark).map_or(self.source.len(), |at| self.at + at + mark.len());
    }
}

fn begins_tag(text: &str) -> bool {
    let mut chars = text.chars().skip(1);
    match chars.next() {
        Some('/') => chars.next().is_some_and(|c| c.is_ascii_alphabetic()),
        Some('!' | '?') => true,
        Some(c) => c.is_ascii_alphabetic(),
        None => false,
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        if let Some(raw) = self.raw.take() {
            let start = self.at;
            let rest = self.rest();
            let closes =
                |at: &usize| rest.get(at + 2..at + 2 + raw.len()).is_some_and(|name| name.eq_ignore_ascii_case(raw));
            let length = rest.match_indices("</").map(|(at, _)| at).find(closes).unwrap_or(rest.len());
            self.at += length;
            if length > 0 {
                return Some(Token::Text(Span::new(start, self.at)));
            }
        }
        loop {
            let rest = self.rest();
            if rest.is_empty() {
                return None;
            }
            if !rest.starts_with('<') || !begins_tag(rest) {
                return Some(self.text());
            }
            if rest.starts_with("<!--") {
                self.skip_past("-->");
            } else if rest.starts_with("<!") || rest.starts_with("<?") {
                self.skip_past(">");
            } else if rest.starts_with("</") {
                self.at += 2;
                let tag = self.word(|c| c.is_whitespace() || c == '/' || c == '>');
                self.skip_past(">");
                return Some(Token::Close(tag));
            } else {
                return Some(self.open());
            }
        }
    }
}
