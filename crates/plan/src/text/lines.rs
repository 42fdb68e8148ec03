//! Lines of text to steps' lines: comments out of the way, continuations joined.

use throughline_value::Span;

/// One step's text with its continuations, and the comments around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// From the first to the last byte that is not space or comment.
    pub(crate) span: Span,
    /// The comments before it and in it, one a line.
    pub(crate) note: String,
}

/// A plan's text as lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Lines {
    /// The text with every comment replaced by as many spaces, so that places stay.
    pub(crate) masked: String,
    /// The steps' lines.
    pub(crate) lines: Vec<Line>,
    /// The comments after the last step.
    pub(crate) tail: String,
    /// Lines that only fence code (```` ``` ````); they are passed over and reported.
    pub(crate) fences: Vec<Span>,
}

pub(crate) fn lines(text: &str) -> Lines {
    let mut out =
        Lines { masked: String::with_capacity(text.len()), lines: Vec::new(), tail: String::new(), fences: Vec::new() };
    let mut base: Option<usize> = None;
    let mut notes: Vec<&str> = Vec::new();
    // Whether the next deeper line goes on with the last step.
    let mut open = false;
    let mut at = 0;
    for raw in text.split_inclusive('\n') {
        let start = at;
        at += raw.len();
        let code = code_part(raw);
        let comment = raw.get(code..).unwrap_or("").trim_end_matches(['\n', '\r']);
        let kept = raw.get(..code).unwrap_or("");
        out.masked.push_str(kept);
        out.masked.extend(std::iter::repeat_n(' ', comment.len()));
        out.masked.push_str(raw.get(code + comment.len()..).unwrap_or(""));
        let note = comment.trim_start_matches('#').trim();
        let body = kept.trim();
        if body.is_empty() {
            if comment.is_empty() {
                // A blank line ends a step.
                open = false;
            } else {
                notes.push(note);
            }
            continue;
        }
        let indent = kept.len() - kept.trim_start().len();
        if body.starts_with("```") || body.starts_with("~~~") {
            out.fences.push(Span::new(start + indent, start + indent + body.len()));
            open = false;
            continue;
        }
        let first = *base.get_or_insert(indent);
        let span = Span::new(start + indent, start + kept.trim_end().len());
        match out.lines.last_mut() {
            Some(line) if open && indent > first => {
                line.span.end = span.end;
                for note in notes.drain(..).chain((!note.is_empty()).then_some(note)) {
                    push_note(&mut line.note, note);
                }
            }
            _ => {
                let mut joined = String::new();
                for note in notes.drain(..).chain((!note.is_empty()).then_some(note)) {
                    push_note(&mut joined, note);
                }
                out.lines.push(Line { span, note: joined });
                base = Some(first.min(indent));
            }
        }
        open = true;
    }
    for note in notes {
        push_note(&mut out.tail, note);
    }
    out
}

fn push_note(notes: &mut String, note: &str) {
    if !notes.is_empty() {
        notes.push('\n');
    }
    notes.push_str(note);
}

/// How many bytes of the line stand before its comment: a `#` outside quotes.
fn code_part(line: &str) -> usize {
    let mut quote: Option<(char, bool)> = None;
    let mut before = ' ';
    let mut escaped = false;
    for (at, c) in line.char_indices() {
        match quote {
            Some((mark, raw)) => {
                if escaped {
                    escaped = false;
                } else if c == '\\' && !raw {
                    escaped = true;
                } else if c == mark {
                    quote = None;
                }
            }
            None if c == '#' => return at,
            None if c == '"' || c == '\'' => quote = Some((c, before == 'r')),
            None => {}
        }
        before = c;
    }
    line.trim_end_matches(['\n', '\r']).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[(&str, &str)], tail: &str) {
        let lines = lines(text);
        assert_eq!(lines.masked.len(), text.len(), "places stay");
        let got: Vec<_> = lines
            .lines
            .iter()
            .map(|l| (lines.masked.get(l.span.start..l.span.end).unwrap().to_owned(), l.note.clone()))
            .collect();
        let expected: Vec<_> = expected.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        assert_eq!((got, lines.tail.as_str()), (expected, tail), "{text}");
    }

    #[test]
    fn comments_become_notes_and_indented_lines_go_on() {
        check("a = 1 # one\nb = 2", &[("a = 1", "one"), ("b = 2", "")], "");
        check("# before\na = 1\n  + 2\n", &[("a = 1\n  + 2", "before")], "");
        check("  a = 1\n  b = 2\n    + 3\n# end", &[("a = 1", ""), ("b = 2\n    + 3", "")], "end");
        check("a = \"#1\" # c", &[("a = \"#1\"", "c")], "");
        check("a = r\"\\\" # c", &[("a = r\"\\\"", "c")], "");
        check("a = '\\'#' # c", &[("a = '\\'#'", "c")], "");
        check("a = 1 #中\n   + 2 # d\r\nb = 3", &[("a = 1     \n   + 2", "中\nd"), ("b = 3", "")], "");
        check("```\na = 1\n```", &[("a = 1", "")], "");
        check("", &[], "");
        check("\n\n# only", &[], "only");
    }
}
