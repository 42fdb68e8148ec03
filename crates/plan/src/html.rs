//! HTML, read with the bytes that everything stands in: a tokenizer, a tree, the text that a reader sees,
//! and selectors.
//!
//! It is no browser: scripts do not run and styles hide nothing. Tags that are not closed end where HTML says
//! they do for lists, tables and paragraphs, and at their parent's end else; a closing tag that closes
//! nothing is passed over. There is no document that cannot be read.

mod entity;
mod select;
mod token;

use throughline_value::Span;

use crate::limits::MAX_HTML_DEPTH;
use token::{Token, Tokens};

pub(crate) use select::Selector;

/// A document, read.
pub(crate) struct Html<'a> {
    source: &'a str,
    /// The elements and texts in the order of the source; the first is the root, which has no tag.
    nodes: Vec<Node<'a>>,
}

/// An element, or a text when it has no tag.
#[derive(Debug)]
struct Node<'a> {
    /// As written; empty for the root and for texts.
    tag: &'a str,
    attributes: Vec<(&'a str, Span)>,
    parent: usize,
    /// For elements the place of the first node that is no longer inside it.
    end: usize,
    /// The bytes of the text.
    text: Option<Span>,
}

/// Elements that have no content.
const VOID: &[&str] =
    &["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];

/// Elements whose content a reader does not see.
const UNSEEN: &[&str] = &["script", "style", "template", "head", "noscript"];

/// Elements around which a reader sees a break.
const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "br",
    "caption",
    "dd",
    "div",
    "dl",
    "dt",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "html",
    "li",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "section",
    "table",
    "tbody",
    "tfoot",
    "thead",
    "title",
    "tr",
    "ul",
];

/// What an opening tag closes, up to which element at most.
const CLOSES: &[(&str, &[&str], &[&str])] = &[
    ("li", &["li"], &["ul", "ol"]),
    ("dt", &["dt", "dd"], &["dl"]),
    ("dd", &["dt", "dd"], &["dl"]),
    ("td", &["td", "th"], &["tr", "table"]),
    ("th", &["td", "th"], &["tr", "table"]),
    ("tr", &["tr", "td", "th"], &["table", "tbody", "thead", "tfoot"]),
    ("tbody", &["tbody", "thead", "tfoot", "tr", "td", "th"], &["table"]),
    ("thead", &["tbody", "thead", "tfoot", "tr", "td", "th"], &["table"]),
    ("tfoot", &["tbody", "thead", "tfoot", "tr", "td", "th"], &["table"]),
    ("option", &["option"], &["select"]),
    ("p", &["p"], &["div", "section", "article", "td", "th", "li", "body", "blockquote"]),
    ("div", &["p"], &["div", "section", "article", "td", "th", "li", "body", "blockquote"]),
    ("table", &["p"], &["div", "section", "article", "td", "th", "li", "body", "blockquote"]),
    ("ul", &["p"], &["div", "section", "article", "td", "th", "li", "body", "blockquote"]),
];

fn is(tag: &str, names: &[&str]) -> bool {
    names.iter().any(|name| tag.eq_ignore_ascii_case(name))
}

impl<'a> Html<'a> {
    /// Reads a text.
    pub(crate) fn read(source: &'a str) -> Self {
        let root = Node { tag: "", attributes: Vec::new(), parent: 0, end: 0, text: None };
        let mut out = Self { source, nodes: vec![root] };
        let mut open: Vec<usize> = vec![0];
        for token in Tokens::new(source) {
            match token {
                Token::Text(span) => {
                    let parent = open.last().copied().unwrap_or(0);
                    out.nodes.push(Node { tag: "", attributes: Vec::new(), parent, end: 0, text: Some(span) });
                }
                Token::Open { tag, attributes, closed } => {
                    if let Some((_, closes, within)) = CLOSES.iter().find(|(name, ..)| tag.eq_ignore_ascii_case(name)) {
                        let inner = open.iter().rposition(|node| is(out.tag(*node), within)).unwrap_or(0);
                        let first = open.iter().enumerate().skip(inner).find(|(_, node)| is(out.tag(**node), closes));
                        if let Some(at) = first.map(|(at, _)| at) {
                            out.close(&mut open, at);
                        }
                    }
                    let parent = open.last().copied().unwrap_or(0);
                    out.nodes.push(Node { tag, attributes, parent, end: 0, text: None });
                    // Deeper ones are read as siblings: their text is still found.
                    if !closed && !is(tag, VOID) && open.len() < MAX_HTML_DEPTH {
                        open.push(out.nodes.len() - 1);
                    } else {
                        let end = out.nodes.len();
                        if let Some(node) = out.nodes.last_mut() {
                            node.end = end;
                        }
                    }
                }
                Token::Close(tag) => {
                    if let Some(at) = open.iter().rposition(|node| out.tag(*node).eq_ignore_ascii_case(tag))
                        && at > 0
                    {
                        out.close(&mut open, at);
                    }
                }
            }
        }
        out.close(&mut open, 0);
        out
    }

    /// Ends the open elements from place `at` on.
    fn close(&mut self, open: &mut Vec<usize>, at: usize) {
        let end = self.nodes.len();
        for node in open.drain(at..) {
            if let Some(node) = self.nodes.get_mut(node) {
                node.end = end;
            }
        }
    }

    fn tag(&self, node: usize) -> &'a str {
        self.nodes.get(node).map_or("", |node| node.tag)
    }

    fn is_element(&self, node: usize) -> bool {
        node > 0 && self.nodes.get(node).is_some_and(|node| node.text.is_none())
    }

    fn parent(&self, node: usize) -> usize {
        self.nodes.get(node).map_or(0, |node| node.parent)
    }

    /// The nodes inside one, itself not.
    fn inside(&self, node: usize) -> std::ops::Range<usize> {
        node + 1..self.nodes.get(node).map_or(0, |node| node.end).max(node + 1)
    }

    /// The elements of one of these tags inside a node.
    pub(crate) fn elements(&self, node: usize, tags: &[&str]) -> Vec<usize> {
        self.inside(node).filter(|node| self.is_element(*node) && is(self.tag(*node), tags)).collect()
    }

    /// The nearest of these elements around a node.
    pub(crate) fn around(&self, node: usize, tags: &[&str]) -> Option<usize> {
        let ups = std::iter::successors(Some(self.parent(node)), |node| (*node > 0).then(|| self.parent(*node)));
        ups.take(MAX_HTML_DEPTH).find(|node| is(self.tag(*node), tags))
    }

    /// The value of an attribute, with its bytes.
    pub(crate) fn attribute(&self, node: usize, name: &str) -> Option<(String, Span)> {
        let attributes = &self.nodes.get(node)?.attributes;
        let (_, span) = attributes.iter().find(|(n, _)| n.eq_ignore_ascii_case(name))?;
        let raw = self.source.get(span.start..span.end)?;
        Some((entity::decoded(raw), *span))
    }

    /// What a reader sees of a node: its text, and where each part of it stands.
    pub(crate) fn seen(&self, node: usize) -> Seen {
        let mut out = Seen::default();
        let mut unseen_until = 0;
        let range = if self.is_element(node) || node == 0 { self.inside(node) } else { node..node + 1 };
        for at in range {
            let Some(one) = self.nodes.get(at) else { break };
            if at < unseen_until {
                continue;
            }
            match one.text {
                Some(span) => {
                    // An element that has ended since may have been a block.
                    out.break_for(self.break_before(at));
                    out.add(self.source, span);
                }
                None if is(one.tag, UNSEEN) => unseen_until = one.end,
                None if is(one.tag, BLOCKS) => out.break_for(Break::Line),
                None if is(one.tag, &["td", "th"]) => out.break_for(Break::Cell),
                None => {}
            }
        }
        out.finish()
    }

    /// The break that stands before a text since a block has ended right there.
    fn break_before(&self, at: usize) -> Break {
        let parent = self.parent(at);
        let mut before = at.saturating_sub(1);
        let mut found = Break::None;
        // Up from the node before, through everything that ends here.
        for _ in 0..MAX_HTML_DEPTH {
            if before == parent || before == 0 {
                break;
            }
            if self.is_element(before) && is(self.tag(before), BLOCKS) {
                return Break::Line;
            }
            if is(self.tag(before), &["td", "th"]) {
                found = Break::Cell;
            }
            before = self.parent(before);
        }
        found
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Break {
    #[default]
    None,
    Cell,
    Line,
}

/// What a reader sees: text with white space made one, and the bytes of the source behind every part.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// The text.
    pub(crate) text: String,
    /// Where each character stands: its place in the text, and its bytes in the source.
    places: Vec<(usize, Span)>,
    pending: Break,
    space: bool,
}

impl Seen {
    fn break_for(&mut self, kind: Break) {
        self.pending = self.pending.max(kind);
    }

    fn add(&mut self, source: &str, span: Span) {
        let raw = source.get(span.start..span.end).unwrap_or("");
        for (text, part) in entity::parts(raw) {
            let place = Span::new(span.start + part.start, span.start + part.end);
            for c in text.chars() {
                // A form feed begins a page and stays.
                if c.is_whitespace() && c != '\x0c' {
                    self.space = true;
                    continue;
                }
                if !self.text.is_empty() {
                    match std::mem::take(&mut self.pending) {
                        Break::Line => self.text.push('\n'),
                        Break::Cell => self.text.push('\t'),
                        Break::None if self.space => self.text.push(' '),
                        Break::None => {}
                    }
                }
                self.pending = Break::None;
                self.space = false;
                self.places.push((self.text.len(), place));
                self.text.push(c);
            }
        }
    }

    fn finish(mut self) -> Self {
        self.pending = Break::None;
        self
    }

    /// The bytes of the source behind a part of the text.
    pub(crate) fn source(&self, part: Span) -> Option<Span> {
        let first = self.places.partition_point(|(at, _)| *at < part.start);
        let end = self.places.partition_point(|(at, _)| *at < part.end);
        let (_, start) = self.places.get(first)?;
        let (_, last) = self.places.get(end.checked_sub(1)?)?;
        (first < end).then(|| Span::new(start.start, last.end))
    }

    /// The bytes of the source behind the whole text; the place itself when there is no text.
    pub(crate) fn whole(&self) -> Option<Span> {
        self.source(Span::new(0, self.text.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn sees(html: &str, expected: &str) {
        let seen = Html::read(html).seen(0);
        assert_eq!(seen.text, expected, "{html}");
        for (at, c) in seen.text.char_indices().filter(|(_, c)| !c.is_whitespace()) {
            let span = seen.source(Span::new(at, at + c.len_utf8())).unwrap();
            let raw = html.get(span.start..span.end).unwrap();
            assert!(raw.starts_with(c) || raw.starts_with('&'), "{c} stands in {raw}");
        }
    }

    #[test]
    fn a_reader_sees_text_with_its_breaks_and_no_script() {
        sees("<p>Yield rate: <b>91.70</b> %</p><p>Next", "Yield rate: 91.70 %\nNext");
        sees("<head><title>x</title></head><body>良率：<i>91.7</i>&nbsp;%<!-- no --></body>", "良率：91.7 %");
        sees("<ul><li>a<li>b</ul>c<br>d", "a\nb\nc\nd");
        sees("<table><tr><td>a<td>b<tr><td>c</table>", "a\tb\nc");
        sees("<script>if (a < b) { '<p>no</p>' }</script>x &lt; y &amp; z &#x4e2d;&#20013;", "x < y & z 中中");
        sees("a < b, a<3 and <", "a < b, a<3 and <");
        sees("<div>a</div>b <span>c</span>d", "a\nb cd");
        sees("<a href='x>y' data-q=\"<p>\">z</a", "z");
        sees("", "");
    }

    #[test]
    fn hostile_nesting_is_read_without_end_or_overflow() {
        let deep = format!("{}x{}", "<div>".repeat(100_000), "</div>".repeat(100_000));
        assert_eq!(Html::read(&deep).seen(0).text, "x");
    }
}
