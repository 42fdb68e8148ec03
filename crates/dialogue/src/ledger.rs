//! The fact ledger: what is known, by subject and key, with every version on both time axes.
//!
//! **Invariant: only an assertion of the same subject and key can supersede.** A late fact goes in before
//! the newer one and does not replace it. Nothing is ever removed: a retraction is one more entry.

mod decide;
mod evolve;
mod order;
mod shards;
mod store;
mod timeline;
mod view;

use throughline_journal::{Digest, Millis, Seq};
use throughline_protocol::At;
use throughline_value::{InOrder as _, Value};

pub use timeline::{Cardinality, Status};
pub use view::FactWhy;

pub use shards::FactPlace;
use shards::Shards;
use timeline::Timeline;

/// The longest subject or key, in characters. A longer one is refused with `name-too-long`.
pub const MAX_NAME_CHARS: usize = 256;

/// The largest value of a fact, in bytes of JSON. A larger one is refused with `value-too-large`.
pub const MAX_VALUE_BYTES: usize = 256 * 1024;

/// The fact ledger; see the module.
///
/// A clone is cheap: it shares the versions until one of the two changes.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    keys: Shards,
    quarantined: Vec<Seq>,
}

impl Ledger {
    /// How many versions there are, and how many bytes they take beside their values and what only few of them have.
    #[must_use]
    pub fn weight(&self) -> (usize, usize) {
        let stores = self.keys.iter(None, None).map(|(_, _, timeline)| timeline.versions());
        stores.fold((0, 0), |(versions, bytes), store| (versions + store.len(), bytes + store.bytes()))
    }

    fn timeline(&self, subject: &str, key: &str) -> Option<&Timeline> {
        self.keys.get(subject, key)
    }

    /// The keys in order, of one subject and key or of all. Naming one looks at no other.
    fn timelines<'a>(
        &'a self,
        subject: Option<&'a str>,
        key: Option<&'a str>,
    ) -> impl Iterator<Item = (&'a str, &'a str, &'a Timeline)> {
        self.keys.iter(subject, key)
    }

    /// The records of its own kinds that could not be read, up to `seq`.
    #[must_use]
    pub fn quarantined(&self, seq: Seq) -> &[Seq] {
        let known = self.quarantined.partition_point(|s| *s <= seq);
        self.quarantined.get(..known).unwrap_or_default()
    }

    /// Adds every version of every fact.
    pub fn digest_history(&self, digest: &mut Digest) {
        digest.text("facts");
        for (subject, key, timeline) in self.timelines(None, None) {
            digest.text(subject);
            digest.text(key);
            digest.text(timeline.cardinality.name());
            digest.number(timeline.versions().len() as i64);
            for version in timeline.versions().iter() {
                digest.number(version.seq() as i64);
                digest.number(version.recorded_at());
                digest.number(i64::from(version.turn()));
                digest.number(version.valid_from());
                digest.number(version.says() as i64);
                digest.value(version.value());
                digest.value(&version.valid_to().into());
                digest.value(&version.source().cloned().into());
                digest.value(&version.confidence().cloned().into());
                if let Some(origin) = version.origin() {
                    digest.text(&origin.source);
                    digest.number(origin.seq as i64);
                }
            }
        }
        digest.text("quarantined");
        digest.number(self.quarantined.len() as i64);
        for seq in &self.quarantined {
            digest.number(*seq as i64);
        }
    }

    /// Adds the facts that are true at `valid_at`, so that equal knowledge gives equal digests whatever the
    /// order in which it arrived.
    pub fn digest_content(&self, digest: &mut Digest, valid_at: Millis) {
        digest.text("facts");
        let at = At { seq: Seq::MAX, valid_at };
        for (subject, key, timeline) in self.timelines(None, None) {
            let rows = timeline.current(at).into_iter().filter_map(|i| timeline.first_said(i, at.seq)).map(|version| {
                let row: [Value; 5] = [
                    version.identity().clone(),
                    version.valid_from().into(),
                    version.valid_to().into(),
                    version.source().cloned().into(),
                    version.confidence().cloned().into(),
                ];
                Value::List(row.into()).canonical()
            });
            let mut rows: Vec<String> = rows.collect();
            if timeline.cardinality == Cardinality::Many {
                rows.order();
            }
            if rows.is_empty() {
                continue;
            }
            digest.text(subject);
            digest.text(key);
            digest.number(rows.len() as i64);
            for row in rows {
                digest.text(&row);
            }
        }
    }
}
