//! What a value rests on: the document, the page, the bytes, and a hash to check them by.

use throughline_journal::Digest;
use throughline_protocol::view::Evidence;
use throughline_value::{Span, Value};

use crate::extract::Failure;
use crate::limits::MAX_QUOTE_BYTES;
use crate::{DocumentRef, Documents};

/// Evidence for the bytes `span` of a document.
#[must_use]
pub fn of(document: &DocumentRef<'_>, span: Span, method: &str) -> Evidence {
    Evidence {
        document: document.name.to_owned(),
        version: document.version,
        page: page(document.text, span.start),
        span,
        quote: quote(document.text, span),
        hash: document.hash.to_owned(),
        method: method.to_owned(),
    }
}

/// Evidence for several places of a document: its pages are counted once.
#[must_use]
pub fn all_of(document: &DocumentRef<'_>, spans: &[Span], method: &str) -> Vec<Evidence> {
    match spans {
        [] => return Vec::new(),
        [one] => return vec![of(document, *one, method)],
        _ => {}
    }
    let feeds: Vec<usize> =
        document.text.bytes().enumerate().filter(|(_, b)| *b == b'\x0c').map(|(at, _)| at).collect();
    let page = |at: usize| u32::try_from(feeds.partition_point(|feed| *feed < at)).unwrap_or(u32::MAX - 1) + 1;
    let one = |span: &Span| Evidence {
        document: document.name.to_owned(),
        version: document.version,
        page: page(span.start),
        span: *span,
        quote: quote(document.text, *span),
        hash: document.hash.to_owned(),
        method: method.to_owned(),
    };
    spans.iter().map(one).collect()
}

/// Evidence for a value that was given and not found: an input of a run.
#[must_use]
pub fn given(name: &str, value: &Value, method: &str) -> Evidence {
    let text = value.as_str().map_or_else(|| value.to_json(), str::to_owned);
    let span = Span::new(0, text.len());
    Evidence {
        document: name.to_owned(),
        version: 0,
        page: 1,
        span,
        quote: quote(&text, span),
        hash: Digest::of_bytes(text.as_bytes()),
        method: method.to_owned(),
    }
}

/// The page of a byte, from 1: form feeds separate pages.
#[must_use]
pub fn page(text: &str, at: usize) -> u32 {
    let before = text.as_bytes().get(..at).unwrap_or(text.as_bytes());
    let feeds = before.iter().filter(|b| **b == b'\x0c').count();
    u32::try_from(feeds).unwrap_or(u32::MAX - 1) + 1
}

/// The bytes of the span, cut at a character when there are too many.
fn quote(text: &str, span: Span) -> String {
    let whole = text.get(span.start..span.end).unwrap_or("");
    let mut end = whole.len().min(MAX_QUOTE_BYTES);
    while !whole.is_char_boundary(end) {
        end -= 1;
    }
    whole.get(..end).unwrap_or("").to_owned()
}

/// Whether the evidence still holds: the version of the document is there, its text has the hash, and the bytes
/// hold the quote. Evidence of what is no document (an input, a fact, a tool's result) has nothing to look at.
///
/// # Errors
/// `document-missing`, `hash-differs`, `quote-differs`.
pub fn verify(evidence: &Evidence, host: &dyn Documents) -> Result<(), Failure> {
    const READ: &[&str] = &["pattern", "json-path", "selector", "cell", "recogniser", "passage", "item"];
    if evidence.version == 0 || !READ.contains(&evidence.method.as_str()) {
        return Ok(());
    }
    let Evidence { document: name, version, span, .. } = evidence;
    let Some(document) = host.document(name, Some(*version)) else {
        return Err(Failure::new("document-missing", format!("version {version} of `{name}` is no longer there")));
    };
    if Digest::of_bytes(document.text.as_bytes()) != evidence.hash {
        let message = format!("the text of `{name}`, version {version}, is not the one that was read");
        return Err(Failure::new("hash-differs", message));
    }
    // A quote that was masked is empty; the hash holds the whole text.
    if !evidence.quote.is_empty() && quote(document.text, *span) != evidence.quote {
        let message = format!("bytes {} to {} of `{name}` do not hold the quote", span.start, span.end);
        return Err(Failure::new("quote-differs", message));
    }
    Ok(())
}

/// Adds to `into` what is not in it.
pub fn union(into: &mut Vec<Evidence>, more: &[Evidence]) {
    for evidence in more {
        if !into.contains(evidence) {
            into.push(evidence.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_names_page_bytes_and_hash_and_cuts_long_quotes_at_a_character() {
        let text = format!("one\u{c}two\u{c}三{}", "三".repeat(600));
        let hash = Digest::of_bytes(text.as_bytes());
        let document = DocumentRef { name: "d", version: 2, media_type: "text/plain", text: &text, hash: &hash };
        let found = of(&document, Span::new(4, 7), "pattern");
        assert_eq!(
            (found.page, found.quote.as_str(), found.version, found.hash.as_str()),
            (2, "two", 2, hash.as_str())
        );
        let long = of(&document, Span::new(8, text.len()), "pattern");
        assert_eq!((long.page, long.quote.len()), (3, MAX_QUOTE_BYTES / 3 * 3));
        assert_eq!(page(&text, 9_999_999), 3);
    }
}
