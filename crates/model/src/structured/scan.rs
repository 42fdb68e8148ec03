//! Finding values in prose.

use throughline_value::Span;

use super::Diagnostic;

/// How deep a value in prose may nest to be found.
pub const MAX_SCAN_DEPTH: usize = 64;

/// How many brackets in prose are tried as the beginning of a value.
pub const MAX_SCAN_STARTS: usize = 512;

/// The tags between which models think aloud.
const THINK_TAGS: &[(&str, &str)] = &[
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
];

/// Counts brackets outside of texts, character by character.
#[derive(Clone, Debug, Default)]
pub(crate) struct Balance {
    open: Vec<char>,
    in_text: bool,
    escaped: bool,
    begun: bool,
    wrong: bool,
}

impl Balance {
    pub(crate) fn push(&mut self, text: &str) {
        text.chars().for_each(|c| self.step(c));
    }

    /// Whether a value began with a bracket and that bracket is closed.
    pub(crate) fn is_closed(&self) -> bool {
        self.begun && self.open.is_empty() && !self.wrong
    }

    fn step(&mut self, c: char) {
        if self.in_text {
            match c {
                _ if self.escaped => self.escaped = false,
                '\\' => self.escaped = true,
                '"' => self.in_text = false,
                _ => {}
            }
            return;
        }
        match c {
            '"' => self.in_text = true,
            '{' | '[' => {
                self.begun = true;
                self.open.push(if c == '{' { '}' } else { ']' });
            }
            '}' | ']' => self.wrong |= self.open.pop() != Some(c),
            _ => {}
        }
    }
}

/// What was found in a text.
pub(super) struct Found {
    /// Balanced values outside of thinking, not yet parsed.
    pub(super) values: Vec<Span>,
    /// The last bracket that never closes, to the end of the text.
    pub(super) open: Option<Span>,
    pub(super) thinking: String,
    pub(super) diagnostics: Vec<Diagnostic>,
}

pub(super) fn scan(text: &str) -> Found {
    let mut found = Found { values: Vec::new(), open: None, thinking: String::new(), diagnostics: Vec::new() };
    let mut at = 0;
    let mut prose = 0;
    let mut starts = 0;
    // Some templates open the thinking before the reply begins.
    if let Some((end, tag)) = closed_only(text) {
        found.thinking.push_str(text.get(..end).unwrap_or("").trim());
        at = end + tag.len();
        prose = at;
    }
    while let Some(c) = rest(text, at).chars().next() {
        if let Some((open, close)) = THINK_TAGS.iter().find(|(open, _)| rest(text, at).starts_with(open)) {
            skipped(text, Span::new(prose, at), &mut found.diagnostics);
            let inner = rest(text, at + open.len());
            let len = inner.find(close).unwrap_or(inner.len());
            if !found.thinking.is_empty() {
                found.thinking.push('\n');
            }
            found.thinking.push_str(inner.get(..len).unwrap_or("").trim());
            at = (at + open.len() + len + close.len()).min(text.len());
            prose = at;
            continue;
        }
        if !matches!(c, '{' | '[') {
            at += c.len_utf8();
            continue;
        }
        starts += 1;
        if starts > MAX_SCAN_STARTS {
            let message = format!("the search for values stopped after {MAX_SCAN_STARTS} brackets");
            let span = Span::new(at, text.len());
            found.diagnostics.push(Diagnostic { code: "search-limited", span, message });
            break;
        }
        match balanced(text, at) {
            // A value that goes on after its end was closed too early: what it holds is not all.
            Some(end) if goes_on(rest(text, end)) => {
                found.open = Some(Span::new(at, text.len()));
                break;
            }
            Some(end) => {
                skipped(text, Span::new(prose, at), &mut found.diagnostics);
                found.values.push(Span::new(at, end));
                found.open = None;
                at = end;
                prose = end;
            }
            // Whatever stands inside a broken value is a part of it and not the value.
            None if is_like_json(rest(text, at)) => {
                found.open = Some(Span::new(at, text.len()));
                break;
            }
            None => {
                found.open.get_or_insert(Span::new(at, text.len()));
                at += 1;
            }
        }
    }
    let end = found.open.map_or(text.len(), |s| s.start);
    skipped(text, Span::new(prose.min(end), end), &mut found.diagnostics);
    found
}

/// The balanced values that begin inside `outer`.
pub(super) fn inner(text: &str, outer: Span) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut at = outer.start + 1;
    let mut starts = 0;
    while at < outer.end && starts < MAX_SCAN_STARTS {
        let Some(c) = rest(text, at).chars().next() else { break };
        if matches!(c, '{' | '[') {
            starts += 1;
            if let Some(end) = balanced(text, at).filter(|end| *end <= outer.end) {
                spans.push(Span::new(at, end));
            }
        }
        at += c.len_utf8();
    }
    spans
}

/// A text, or the inside of its one fence, that is nothing but one pair of round brackets.
pub(super) fn round(text: &str) -> Option<Span> {
    let inside = match text.split_once("```") {
        Some((_, after)) => {
            let body = after.split_once('\n')?.1;
            body.split_once("```")?.0
        }
        None => text,
    };
    let inside = inside.trim();
    let start = inside.as_ptr().addr() - text.as_ptr().addr();
    (inside.starts_with('(') && inside.ends_with(')')).then(|| Span::new(start, start + inside.len()))
}

fn rest(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or("")
}

/// Whether a bracket and what follows it look like JSON rather than like prose.
pub(super) fn is_like_json(text: &str) -> bool {
    let mut chars = text.chars().filter(|c| !c.is_whitespace());
    match (chars.next(), chars.next()) {
        (Some('{'), Some(c)) => matches!(c, '"' | '}' | '\'' | '“'),
        (Some('['), Some(c)) => matches!(c, '"' | '[' | ']' | '{' | '-' | '\'' | '“') || c.is_ascii_digit(),
        _ => false,
    }
}

fn goes_on(after: &str) -> bool {
    after.trim_start().strip_prefix(',').is_some_and(|t| t.trim_start().starts_with('"'))
}

/// Where thinking ends that the text did not open.
fn closed_only(text: &str) -> Option<(usize, &'static str)> {
    THINK_TAGS.iter().find_map(|(open, close)| {
        let end = text.find(close)?;
        let before = text.get(..end)?;
        // A closing tag inside a value is part of a text there.
        let quoted = balanced_starts_before(before);
        (!before.contains(open) && !quoted).then_some((end, *close))
    })
}

fn balanced_starts_before(before: &str) -> bool {
    let mut balance = Balance::default();
    balance.push(before.trim_start());
    before.trim_start().starts_with(['{', '[']) && !balance.is_closed() && balance.in_text
}

fn balanced(text: &str, start: usize) -> Option<usize> {
    let mut balance = Balance::default();
    for (i, c) in rest(text, start).char_indices() {
        balance.step(c);
        if balance.wrong || balance.open.len() > MAX_SCAN_DEPTH {
            return None;
        }
        if balance.is_closed() {
            return Some(start + i + c.len_utf8());
        }
    }
    None
}

/// Notes what was passed over, unless it is only space or a fence.
fn skipped(text: &str, span: Span, diagnostics: &mut Vec<Diagnostic>) {
    let passed = text.get(span.start..span.end).unwrap_or("");
    let trimmed = passed.trim();
    let start = span.start + (passed.len() - passed.trim_start().len());
    let span = Span::new(start, start + trimmed.len());
    if trimmed.is_empty() {
        return;
    }
    let is_fence = trimmed.starts_with("```") && !trimmed.contains(char::is_whitespace);
    let (code, message) = if is_fence {
        ("stripped-fence", "the fence around the value was passed over".to_owned())
    } else {
        ("skipped-text", format!("{} characters of prose were passed over", trimmed.chars().count()))
    };
    diagnostics.push(Diagnostic { code, span, message });
}
