//! Where a person looks: the place, the view and the record, as the fragment of the page's address.
//!
//! A fragment never reaches a server, and a static host needs no rules for it.

/// A view of a run, beside the timeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum View {
    /// What matters most, side by side.
    #[default]
    Overview,
    /// Every record as a table.
    Events,
    /// The plan's runs.
    Plan,
    /// The machine.
    State,
    /// The fact ledger.
    Facts,
    /// Entities and relations.
    World,
    /// Scheduled events.
    Schedule,
    /// Remembered events.
    Memory,
    /// What is open or went wrong.
    Problems,
    /// Two moments or journals side by side, and what would be if.
    Compare,
    /// Models: prompts, exchanges, figures, settings.
    Model,
}

impl View {
    /// All of them, in the order of the tabs and of the keys 1 to 9; those after have no key.
    pub(crate) const ALL: [Self; 11] = [
        Self::Overview,
        Self::Events,
        Self::Plan,
        Self::State,
        Self::Facts,
        Self::World,
        Self::Schedule,
        Self::Memory,
        Self::Problems,
        Self::Compare,
        Self::Model,
    ];

    /// Its name in the address.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Overview => "overview",
            Self::Events => "events",
            Self::Plan => "plan",
            Self::State => "state",
            Self::Facts => "facts",
            Self::World => "world",
            Self::Schedule => "schedule",
            Self::Memory => "memory",
            Self::Problems => "problems",
            Self::Compare => "compare",
            Self::Model => "model",
        }
    }

    /// The view of this name.
    pub(crate) fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|view| view.name() == name)
    }
}

/// A page of the inspector.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Place {
    /// Demos, stored journals, and a place to drop a file.
    #[default]
    Home,
    /// One journal.
    Run(String),
}

/// What the fragment says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Focus {
    /// The page.
    pub(crate) place: Place,
    /// The view of the run.
    pub(crate) view: View,
    /// The record; the newest one, whichever that is, when absent.
    pub(crate) seq: Option<u64>,
    /// What other versions of this page wrote; kept as it is.
    pub(crate) rest: Vec<(String, String)>,
}

impl Focus {
    /// Reads a fragment; what it cannot read falls back to what is always there.
    pub(crate) fn read(fragment: &str) -> Self {
        let fragment = fragment.trim_start_matches('#');
        let (path, query) = fragment.split_once('?').unwrap_or((fragment, ""));
        let mut focus = Self::default();
        let mut parts = path.split('/').filter(|part| !part.is_empty());
        if parts.next() == Some("run")
            && let Some(name) = parts.next().map(decode).filter(|name| !name.is_empty())
        {
            focus.place = Place::Run(name);
            focus.view = parts.next().and_then(View::of).unwrap_or_default();
        }
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            if key == "s" {
                focus.seq = value.parse().ok();
            } else {
                focus.rest.push((key.to_owned(), value.to_owned()));
            }
        }
        focus
    }

    /// Writes the fragment, with its `#`.
    pub(crate) fn write(&self) -> String {
        let mut out = match &self.place {
            Place::Home => "#/".to_owned(),
            Place::Run(name) => format!("#/run/{}/{}", encode(name), self.view.name()),
        };
        let seq = self.seq.map(|seq| format!("s={seq}"));
        let rest = self.rest.iter().map(|(key, value)| format!("{key}={value}"));
        let pairs: Vec<_> = seq.into_iter().chain(rest).collect();
        if !pairs.is_empty() {
            out.push('?');
            out.push_str(&pairs.join("&"));
        }
        out
    }

    /// A run, at its newest record.
    pub(crate) fn run(name: &str) -> Self {
        Self { place: Place::Run(name.to_owned()), ..Self::default() }
    }
}

/// Percent-encodes what is not plain in a fragment.
fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~') {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Undoes [`encode`]; a bad escape stays as it is.
fn decode(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        out.extend_from_slice(before.as_bytes());
        match after.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                out.push(b'%');
                rest = after;
            }
        }
    }
    out.extend_from_slice(rest.as_bytes());
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(fragment: &str, focus: Focus) {
        assert_eq!(Focus::read(fragment), focus);
        assert_eq!(Focus::read(&focus.write()), focus, "{} reads back", focus.write());
    }

    #[test]
    fn a_fragment_says_the_place_the_view_and_the_record() {
        check("", Focus::default());
        check("#/", Focus::default());
        check("#/run/a/facts?s=12", Focus { view: View::Facts, seq: Some(12), ..Focus::run("a") });
        check("#/run/a%20%E5%8C%85", Focus::run("a 包"));
        check("#/run/100%25", Focus::run("100%"));
    }

    #[test]
    fn what_cannot_be_read_falls_back_and_what_is_unknown_is_kept() {
        check("#/run/a/no-such-view?s=x", Focus::run("a"));
        check("#/run/", Focus::default());
        check("#/run/50%", Focus::run("50%"));
        let rest = vec![("v".to_owned(), "0.1-0.2".to_owned())];
        check("#/run/a/plan?s=3&v=0.1-0.2", Focus { view: View::Plan, seq: Some(3), rest, ..Focus::run("a") });
    }
}
