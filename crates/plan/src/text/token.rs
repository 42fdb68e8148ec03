//! Reading single words, names and texts at a place of the plan's text.

use std::fmt::Write as _;

use throughline_value::Span;

/// A place in the plan's text, up to the end of one step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'a> {
    pub(crate) text: &'a str,
    pub(crate) at: usize,
    pub(crate) end: usize,
}

/// A text in quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Quoted {
    /// What it says. With a wrong escape: what stands between the quotes, as it is.
    pub(crate) value: String,
    /// With its quotes.
    pub(crate) span: Span,
    /// The first backslash that starts no escape.
    pub(crate) wrong_escape: Option<Span>,
    /// Whether the closing quote is missing.
    pub(crate) open: bool,
}

pub(crate) fn is_name_start(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

pub(crate) fn is_name_part(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str, span: Span) -> Self {
        Self { text, at: span.start, end: span.end }
    }

    pub(crate) fn rest(&self) -> &'a str {
        self.text.get(self.at..self.end).unwrap_or("")
    }

    pub(crate) fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.start..span.end).unwrap_or("")
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(crate) fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    pub(crate) fn is_done(&mut self) -> bool {
        self.skip_space();
        self.at >= self.end
    }

    /// The rest, without space around it.
    pub(crate) fn remaining(&self) -> Span {
        trimmed(self.text, Span::new(self.at, self.end))
    }

    pub(crate) fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> Span {
        let rest = self.rest();
        let start = self.at;
        self.at += rest.find(|c| !keep(c)).unwrap_or(rest.len());
        Span::new(start, self.at)
    }

    /// A name in any script: `carrier_scans`, `订单`.
    pub(crate) fn name(&mut self) -> Option<Span> {
        self.peek().filter(|c| is_name_start(*c))?;
        Some(self.take_while(is_name_part))
    }

    /// The name of a source, a tool or a pattern: as a name, with `-`, `.`, `/` and `:` inside.
    pub(crate) fn word(&mut self) -> Option<Span> {
        self.peek().filter(|c| is_name_part(*c))?;
        let mut span = self.take_while(|c| is_name_part(c) || matches!(c, '-' | '.' | '/' | ':'));
        let tail = self.slice(span).len() - self.slice(span).trim_end_matches(['-', '.', '/', ':']).len();
        span.end -= tail;
        self.at = span.end;
        Some(span)
    }

    /// `$name`, or a bare name; the span covers the `$`.
    pub(crate) fn reference(&mut self) -> Option<Span> {
        let start = self.at;
        let dollar = self.eat("$");
        match self.name() {
            Some(name) => Some(Span::new(start, name.end)),
            None => {
                if dollar {
                    self.at = start;
                }
                None
            }
        }
    }

    /// Everything up to the next space.
    pub(crate) fn chunk(&mut self) -> Span {
        self.take_while(|c| !c.is_whitespace())
    }

    /// A text in quotes, `r` in front of it takes backslashes as they are.
    pub(crate) fn quoted(&mut self) -> Option<Quoted> {
        let start = self.at;
        let rest = self.rest();
        let (raw, body) =
            rest.strip_prefix(['r', 'R']).filter(|b| b.starts_with(['"', '\''])).map_or((false, rest), |b| (true, b));
        let mark = body.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let inside = start + usize::from(raw) + 1;
        let mut value = String::new();
        let mut wrong = None;
        let mut chars = self.text.get(inside..self.end).unwrap_or("").char_indices();
        let mut close = None;
        while let Some((i, c)) = chars.next() {
            if c == mark {
                close = Some(inside + i);
                break;
            }
            if c != '\\' || raw {
                value.push(c);
                continue;
            }
            let Some((_, e)) = chars.next() else { break };
            match e {
                '"' | '\'' | '\\' | '/' => value.push(e),
                'n' => value.push('\n'),
                'r' => value.push('\r'),
                't' => value.push('\t'),
                'u' => {
                    let digits: String = chars.clone().take(4).map(|(_, c)| c).collect();
                    match u32::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 4).and_then(char::from_u32) {
                        Some(c) => {
                            value.push(c);
                            for _ in 0..4 {
                                chars.next();
                            }
                        }
                        None => _ = wrong.get_or_insert(inside + i),
                    }
                }
                _ => _ = wrong.get_or_insert(inside + i),
            }
        }
        let end = close.map_or(self.end, |c| c + 1);
        self.at = end;
        let inner = self.slice(Span::new(inside, close.unwrap_or(self.end)));
        Some(Quoted {
            value: if wrong.is_some() { inner.to_owned() } else { value },
            span: Span::new(start, end),
            wrong_escape: wrong.map(|at| Span::new(at, (at + 2).min(self.end))),
            open: close.is_none(),
        })
    }

    /// Where `word` stands as a word of its own, outside quotes and brackets.
    pub(crate) fn find_word(&self, word: &str) -> Option<usize> {
        let mut before = ' ';
        let mut depth = 0_usize;
        let mut skip_to = self.at;
        for (i, c) in self.rest().char_indices() {
            let at = self.at + i;
            if at < skip_to {
                continue;
            }
            match c {
                '"' | '\'' => {
                    let mut inner = Self { at: if before == 'r' { at - 1 } else { at }, ..*self };
                    inner.quoted();
                    skip_to = inner.at.max(at + 1);
                }
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ if depth == 0 && !is_name_part(before) && !matches!(before, '$' | '.') => {
                    let tail = self.text.get(at..self.end).unwrap_or("");
                    if tail.strip_prefix(word).is_some_and(|t| !t.starts_with(is_name_part)) {
                        return Some(at);
                    }
                }
                _ => {}
            }
            before = c;
        }
        None
    }

    /// The first place at which one of `words` stands, as [`Cursor::find_word`] has it.
    pub(crate) fn find_first(&self, words: &[&str]) -> Option<usize> {
        words.iter().filter_map(|word| self.find_word(word)).min()
    }

    /// Takes `word` if it comes next as a word of its own.
    pub(crate) fn eat_word(&mut self, word: &str) -> bool {
        let mut ahead = *self;
        ahead.skip_space();
        let found = ahead.name().is_some_and(|span| ahead.slice(span) == word);
        if found {
            *self = ahead;
        }
        found
    }

    /// Where the bracket closes that was opened just before.
    pub(crate) fn close(&self) -> Option<usize> {
        let mut depth = 0_usize;
        let mut cursor = *self;
        while let Some(c) = cursor.peek() {
            if matches!(c, '"' | '\'') {
                cursor.quoted();
                continue;
            }
            match c {
                '(' | '[' | '{' => depth += 1,
                ')' if depth == 0 => return Some(cursor.at),
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            cursor.at += c.len_utf8();
        }
        None
    }

    /// How many brackets of the rest are open at its end; `None` when a quote is.
    pub(crate) fn open_brackets(&self) -> Option<usize> {
        let mut depth = 0_usize;
        let mut skip_to = self.at;
        for (i, c) in self.rest().char_indices() {
            let at = self.at + i;
            if at < skip_to {
                continue;
            }
            match c {
                '"' | '\'' => {
                    let mut inner = Self { at, ..*self };
                    if inner.quoted().is_none_or(|q| q.open) {
                        return None;
                    }
                    skip_to = inner.at;
                }
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        Some(depth)
    }

    /// The rest as parts between commas outside quotes and brackets.
    pub(crate) fn split_commas(&self) -> Vec<Span> {
        let mut parts = Vec::new();
        let mut depth = 0_usize;
        let mut start = self.at;
        let mut skip_to = self.at;
        // Whether a letter stands before, and whether more than one does: `r'…'` is a text, `Arthur's` is not.
        let (mut word, mut long, mut before) = (false, false, ' ');
        for (i, c) in self.rest().char_indices() {
            let at = self.at + i;
            if at < skip_to {
                continue;
            }
            let inside_word = word && (long || !matches!(before, 'r' | 'R'));
            long = word && is_name_part(c);
            word = is_name_part(c);
            before = c;
            match c {
                // An apostrophe.
                '\'' if inside_word => {}
                '"' | '\'' => {
                    let mut inner = Self { at, ..*self };
                    inner.quoted();
                    skip_to = inner.at.max(at + 1);
                }
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    parts.push(trimmed(self.text, Span::new(start, at)));
                    start = at + 1;
                }
                _ => {}
            }
        }
        parts.push(trimmed(self.text, Span::new(start, self.end)));
        parts
    }
}

/// The span without space at its ends.
pub(crate) fn trimmed(text: &str, span: Span) -> Span {
    let slice = text.get(span.start..span.end).unwrap_or("");
    let start = span.start + slice.len() - slice.trim_start().len();
    Span::new(start, start + slice.trim().len())
}

/// A text in quotes as the text form reads it.
pub(crate) fn quote_plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // Whatever else ends a line or cannot be seen.
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => _ = write!(out, "\\u{:04x}", u32::from(c)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A regular expression in quotes, raw where that is possible.
pub(crate) fn quote_pattern(pattern: &str) -> String {
    if pattern.contains(char::is_control) || !pattern.contains('\\') {
        return quote_plain(pattern);
    }
    match (pattern.contains('"'), pattern.contains('\'')) {
        (false, _) => format!("r\"{pattern}\""),
        (true, false) => format!("r'{pattern}'"),
        (true, true) => quote_plain(pattern),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_quoted_so_that_it_reads_back_as_itself() {
        for text in ["", "a\"b'c\\d\n\t\r\u{0}\u{2028}中😀", r"(\d+)", r#"a"\w"#, r#"'"\w"#, "r", "#"] {
            for quoted in [quote_plain(text), quote_pattern(text)] {
                let mut cursor = Cursor::new(&quoted, Span::new(0, quoted.len()));
                let read = cursor.quoted().unwrap();
                assert_eq!((read.value.as_str(), read.wrong_escape, read.open), (text, None, false), "{quoted}");
                assert_eq!(cursor.at, quoted.len());
            }
        }
    }

    #[test]
    fn words_are_found_outside_quotes_and_brackets_only() {
        let text = "\"THEN\" == (a THEN b) and $THEN and r'\\' != x.THEN THEN 1";
        let cursor = Cursor::new(text, Span::new(0, text.len()));
        assert_eq!(cursor.find_word("THEN"), Some(text.len() - 6));
        assert_eq!(cursor.find_word("ELSE"), None);
    }
}
