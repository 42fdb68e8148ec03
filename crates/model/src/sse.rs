//! Server-sent events from bytes in pieces of any size.
//!
//! The reader follows the HTML standard: an optional byte order mark, lines that end with CR, LF or both,
//! comments, fields with or without a space after the colon, several `data` lines joined by a line feed. The
//! pieces may end anywhere, inside a character or between CR and LF. The event that the stream ends in
//! without a blank line is not dispatched, but [`Decoder::finish`] hands it out apart.

/// The largest event that is kept, in bytes. A larger one sets [`Decoder::overflowed`] and ends the reading.
pub const MAX_EVENT_BYTES: usize = 8 << 20;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Its type, when the stream named one.
    pub event: Option<String>,
    /// Its id, when the stream gave it one.
    pub id: Option<String>,
    /// Its data; several lines are joined by a line feed.
    pub data: String,
    /// Whether bytes that are not UTF-8 were replaced in it.
    pub replaced: bool,
}

/// Bytes in, events out.
///
/// ```
/// use throughline_model::sse::Decoder;
/// let mut decoder = Decoder::default();
/// let bytes = "data: 包裹\r\n\r\n".as_bytes();
/// assert!(decoder.push(&bytes[..8]).is_empty());
/// assert_eq!(decoder.push(&bytes[8..])[0].data, "包裹");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    line: Vec<u8>,
    begun: bool,
    after_cr: bool,
    current: Pending,
    retry: Option<u64>,
    overflowed: bool,
}

#[derive(Clone, Debug, Default)]
struct Pending {
    event: Event,
    has_data: bool,
}

impl Decoder {
    /// Takes the next bytes and gives the events that they complete.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() && !self.overflowed {
            if self.after_cr && rest.first() == Some(&b'\n') {
                rest = rest.get(1..).unwrap_or_default();
            }
            if !rest.is_empty() {
                self.after_cr = false;
            }
            let Some(end) = rest.iter().position(|b| *b == b'\n' || *b == b'\r') else {
                self.keep(rest);
                break;
            };
            let (head, tail) = rest.split_at(end);
            self.keep(head);
            self.after_cr = tail.first() == Some(&b'\r');
            rest = tail.get(1..).unwrap_or_default();
            let line = std::mem::take(&mut self.line);
            events.extend(self.take_line(&line));
        }
        events
    }

    /// The event that the stream ended in, though no blank line followed it.
    #[must_use]
    pub fn finish(mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        if self.overflowed {
            return None;
        }
        let dispatched = self.take_line(&line);
        dispatched.or(self.current.has_data.then_some(self.current.event))
    }

    /// How long to wait before connecting again, in milliseconds, as last said by the stream.
    #[must_use]
    pub fn retry(&self) -> Option<u64> {
        self.retry
    }

    /// Whether an event was larger than [`MAX_EVENT_BYTES`]; what follows it is not read.
    #[must_use]
    pub fn overflowed(&self) -> bool {
        self.overflowed
    }

    fn keep(&mut self, bytes: &[u8]) {
        if self.line.len() + self.current.event.data.len() + bytes.len() > MAX_EVENT_BYTES {
            self.overflowed = true;
            self.line = Vec::new();
            return;
        }
        self.line.extend_from_slice(bytes);
    }

    fn take_line(&mut self, line: &[u8]) -> Option<Event> {
        let first = !std::mem::replace(&mut self.begun, true);
        let line = if first { line.strip_prefix(BOM).unwrap_or(line) } else { line };
        if line.is_empty() {
            let done = std::mem::take(&mut self.current);
            return done.has_data.then_some(done.event);
        }
        let text = String::from_utf8_lossy(line);
        self.current.event.replaced |= matches!(text, std::borrow::Cow::Owned(_));
        let (field, value) = text.split_once(':').unwrap_or((&text, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.current.has_data {
                    self.current.event.data.push('\n');
                }
                self.current.event.data.push_str(value);
                self.current.has_data = true;
            }
            "event" => self.current.event.event = (!value.is_empty()).then(|| value.to_owned()),
            "id" if !value.contains('\0') => self.current.event.id = Some(value.to_owned()),
            "retry" if !value.is_empty() && value.bytes().all(|b| b.is_ascii_digit()) => {
                self.retry = value.parse().ok().or(self.retry);
            }
            // A comment (an empty name) and an unknown field are ignored, as the standard says.
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The data of the events for one byte after another, and for all bytes at once.
    #[track_caller]
    fn check(bytes: &[u8], expected: &[&str], tail: Option<&str>) {
        for size in [1, 2, 3, 5, bytes.len().max(1)] {
            let mut decoder = Decoder::default();
            let events: Vec<Event> = bytes.chunks(size).flat_map(|piece| decoder.push(piece)).collect();
            let data: Vec<&str> = events.iter().map(|e| e.data.as_str()).collect();
            assert_eq!(data, expected, "in pieces of {size}");
            assert_eq!(decoder.finish().map(|e| e.data).as_deref(), tail, "in pieces of {size}");
        }
    }

    #[test]
    fn every_line_end_and_the_byte_order_mark_are_read_in_pieces_of_any_size() {
        check(b"data: a\n\ndata: b\n\n", &["a", "b"], None);
        check(b"data: a\r\n\r\ndata: b\r\n\r\n", &["a", "b"], None);
        check(b"data: a\r\rdata: b\r\r", &["a", "b"], None);
        check(b"\xef\xbb\xbfdata: a\n\n", &["a"], None);
        check("data: 包裹\ndata:延误\n\n".as_bytes(), &["包裹\n延误"], None);
        check(b"data\n\ndata:\n\n", &["", ""], None);
        check(b": ping\n\nevent: x\n\ndata: a\n\n", &["a"], None);
    }

    #[test]
    fn an_event_without_a_blank_line_after_it_is_handed_out_apart() {
        check(b"data: a\n\ndata: [DONE]", &["a"], Some("[DONE]"));
        check(b"data: a\n\ndata: [DONE]\n", &["a"], Some("[DONE]"));
        check(b"data: a\n\ndata: [DONE]\r", &["a"], Some("[DONE]"));
        check(b"data: a\n\ndat", &["a"], None);
    }

    #[test]
    fn bytes_that_are_not_utf_8_are_replaced_and_flagged_and_the_next_event_is_whole() {
        let mut decoder = Decoder::default();
        let events = decoder.push(b"data: \xff\n\ndata: ok\n\n");
        assert_eq!(events.iter().map(|e| e.replaced).collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn an_event_over_the_limit_ends_the_reading_and_says_so() {
        let mut decoder = Decoder::default();
        decoder.push(b"data: ");
        for _ in 0..9 {
            decoder.push(&vec![b'a'; 1 << 20]);
        }
        assert!(decoder.overflowed());
        assert!(decoder.push(b"\n\ndata: b\n\n").is_empty());
        assert_eq!(decoder.finish(), None);
    }
}
