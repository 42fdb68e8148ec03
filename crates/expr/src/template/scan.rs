//! A template's source as texts and tags.

use throughline_value::Span;

use crate::error::{Code, Error};

pub(super) fn syntax(message: impl Into<String>) -> Error {
    Error::new(Code::TemplateSyntax, message)
}

/// A piece of the source.
pub(super) enum Piece<'a> {
    /// Text as it stands, white space taken away where a tag says so.
    Text(&'a str),
    /// `{{ … }}`
    Show(Inside<'a>),
    /// `{% … %}`
    Block(Inside<'a>),
}

/// What stands between the braces of a tag.
pub(super) struct Inside<'a> {
    /// The content without white space at its ends.
    pub(super) text: &'a str,
    /// Where the content starts.
    pub(super) start: usize,
    /// The whole tag.
    pub(super) span: Span,
}

/// Cuts the source into pieces. `{% raw %}` is resolved and comments are left out here.
pub(super) fn pieces(source: &str) -> Result<Vec<Piece<'_>>, Error> {
    let mut scanner = Scanner { source, at: 0, trim_next: false, out: Vec::new() };
    while scanner.at < source.len() {
        scanner.step()?;
    }
    Ok(scanner.out)
}

struct Scanner<'a> {
    source: &'a str,
    at: usize,
    trim_next: bool,
    out: Vec<Piece<'a>>,
}

impl<'a> Scanner<'a> {
    fn step(&mut self) -> Result<(), Error> {
        let rest = self.source.get(self.at..).unwrap_or("");
        let open = ["{{", "{%", "{#"].iter().filter_map(|open| rest.find(open)).min();
        let Some(open) = open else {
            self.text(rest, false);
            self.at = self.source.len();
            return Ok(());
        };
        let (text, tag) = rest.split_at_checked(open).unwrap_or((rest, ""));
        let start = self.at + open;
        let trim_before = tag.as_bytes().get(2) == Some(&b'-');
        self.text(text, trim_before);
        if tag.starts_with("{#") {
            return self.comment(tag, start);
        }
        let inside = self.tag(tag, start, trim_before)?;
        if tag.starts_with("{{") {
            self.out.push(Piece::Show(inside));
        } else if inside.text == "raw" {
            self.raw(inside.span)?;
        } else {
            self.out.push(Piece::Block(inside));
        }
        Ok(())
    }

    fn text(&mut self, text: &'a str, trim_end: bool) {
        let text = if self.trim_next { text.trim_start() } else { text };
        let text = if trim_end { text.trim_end() } else { text };
        self.trim_next = false;
        if !text.is_empty() {
            self.out.push(Piece::Text(text));
        }
    }

    fn comment(&mut self, tag: &str, start: usize) -> Result<(), Error> {
        let Some(end) = tag.find("#}") else {
            return Err(syntax("this comment is not closed; add `#}`").at(Span::new(start, start + 2)));
        };
        self.trim_next = end > 2 && tag.as_bytes().get(end - 1) == Some(&b'-');
        self.at = start + end + 2;
        Ok(())
    }

    /// Reads up to the end of a tag: the first closing braces outside of texts and maps.
    fn tag(&mut self, tag: &'a str, start: usize, trim_before: bool) -> Result<Inside<'a>, Error> {
        let close = if tag.starts_with("{{") { "}}" } else { "%}" };
        let bytes = tag.as_bytes();
        if trim_before && tag.starts_with("{{") && bytes.get(3).is_some_and(u8::is_ascii_digit) {
            return Err(syntax(
                "this could be a negative number or take white space away; write `{{ -1 }}` or `{{- 1 }}`",
            )
            .at(Span::new(start, start + 3)));
        }
        let mut at = if trim_before { 3 } else { 2 };
        let content = at;
        let mut quote = None;
        let mut depth = 0usize;
        let end = loop {
            let Some(&byte) = bytes.get(at) else {
                let hint = if quote.is_some() { "a text inside it is not closed" } else { "its end is missing" };
                return Err(syntax(format!("this tag is not closed: {hint}; it ends with `{close}`"))
                    .at(Span::new(start, start + 2)));
            };
            match (quote, byte) {
                (Some(_), b'\\') => at += 1,
                (Some(open), byte) if byte == open => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, _) if depth == 0 && bytes.get(at..at + 2) == Some(close.as_bytes()) => break at,
                (None, b'{') => depth += 1,
                (None, b'}') => depth = depth.saturating_sub(1),
                _ => {}
            }
            at += 1;
        };
        let trim_after = end > content && bytes.get(end - 1) == Some(&b'-');
        let inner = tag.get(content..end - usize::from(trim_after)).unwrap_or("");
        let lead = inner.len() - inner.trim_start().len();
        self.trim_next = trim_after;
        self.at = start + end + 2;
        Ok(Inside { text: inner.trim(), start: start + content + lead, span: Span::new(start, self.at) })
    }

    /// Everything up to `{% endraw %}` is text.
    fn raw(&mut self, open: Span) -> Result<(), Error> {
        let rest = self.source.get(self.at..).unwrap_or("");
        let mut from = 0;
        while let Some(found) = rest.get(from..).and_then(|tail| tail.find("{%")) {
            let tag_at = from + found;
            let tag = rest.get(tag_at + 2..).unwrap_or("");
            let body = tag.strip_prefix('-').unwrap_or(tag);
            if let Some(after) = body.trim_start().strip_prefix("endraw") {
                let after = after.trim_start();
                let (trim_after, after) = after.strip_prefix('-').map_or((false, after), |after| (true, after));
                if let Some(after) = after.strip_prefix("%}") {
                    self.text(rest.get(..tag_at).unwrap_or(""), tag.starts_with('-'));
                    self.trim_next = trim_after;
                    self.at = self.source.len() - after.len();
                    return Ok(());
                }
            }
            from = tag_at + 2;
        }
        Err(syntax("this `raw` block is not closed; add `{% endraw %}`").at(open))
    }
}
