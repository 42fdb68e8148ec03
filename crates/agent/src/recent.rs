//! The facts that changed last: as many as a prompt can hold, however much is known.
//!
//! A turn looks at these and at no others, so that it takes the same time at record ten and at record ten million.
//! The conversation's own facts have a place of their own: facts about other subjects do not push them out.

use throughline_journal::{Record, Seq};
use throughline_protocol::DEFAULT_SUBJECT;
use throughline_value::{InOrder as _, SortedMap, Value};

/// How many facts of the conversation, and as many of other subjects, are kept in mind.
pub const MAX_RECENT_FACTS: usize = 512;

type Name = (String, String);

/// The names of the facts that changed last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recent {
    own: Newest,
    others: Newest,
}

#[derive(Clone, Debug, Default)]
struct Newest {
    by_name: SortedMap<Name, Seq>,
    by_seq: SortedMap<Seq, Name>,
    /// Whether one was pushed out.
    more: bool,
}

impl Recent {
    pub(crate) fn evolve(&mut self, record: &Record) {
        if record.kind != "fact.asserted" && record.kind != "fact.retracted" {
            return;
        }
        let text = |name: &str| record.data().get(name).and_then(Value::as_str);
        let (Some(subject), Some(key)) = (text("subject"), text("key")) else { return };
        let newest = if subject == DEFAULT_SUBJECT { &mut self.own } else { &mut self.others };
        newest.touch((subject.to_owned(), key.to_owned()), record.seq);
    }

    /// The names, by subject and key.
    pub(crate) fn names(&self) -> Vec<&Name> {
        let mut names: Vec<&Name> = self.own.by_name.keys().chain(self.others.by_name.keys()).collect();
        names.order();
        names
    }

    /// Whether there are older ones.
    pub(crate) fn has_older(&self) -> bool {
        self.own.more || self.others.more
    }
}

impl Newest {
    fn touch(&mut self, name: Name, seq: Seq) {
        if let Some(before) = self.by_name.insert(name.clone(), seq) {
            self.by_seq.remove(&before);
        }
        self.by_seq.insert(seq, name);
        if self.by_seq.len() > MAX_RECENT_FACTS
            && let Some((oldest, name)) = self.by_seq.first_key_value().map(|(seq, name)| (*seq, name.clone()))
        {
            self.by_seq.remove(&oldest);
            self.by_name.remove(&name);
            self.more = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_pushed_out_and_what_changes_again_stays() {
        let mut newest = Newest::default();
        let name = |n: usize| (String::new(), format!("k{n}"));
        for n in 0..MAX_RECENT_FACTS {
            newest.touch(name(n), n as Seq);
        }
        newest.touch(name(0), 10_000);
        assert!(!newest.more);
        newest.touch(name(MAX_RECENT_FACTS), 10_001);
        assert!(newest.more);
        assert_eq!((newest.by_name.len(), newest.by_seq.len()), (MAX_RECENT_FACTS, MAX_RECENT_FACTS));
        assert!(newest.by_name.contains_key(&name(0)) && !newest.by_name.contains_key(&name(1)));
    }
}
