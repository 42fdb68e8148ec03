//! Every limit of the room, in one place.

use throughline_journal::Millis;

/// How many events one command remembers, forgets or recovers.
pub const MAX_ITEMS: usize = 10_000;
/// How many events one command remembers as columns.
pub const MAX_COLUMN_ROWS: usize = 250_000;
/// For how many rows, and how many entities of rows, room is made in advance at most.
pub const MAX_EXPECTED_ROWS: usize = 4 << 20;
/// The longest text of an event, in bytes.
pub const MAX_TEXT_BYTES: usize = 64 << 10;
/// The largest data of an event, in bytes of JSON.
pub const MAX_DATA_BYTES: usize = 64 << 10;
/// The longest name of a kind or an entity, in bytes.
pub const MAX_NAME_BYTES: usize = 1_024;
/// The most entities of one event.
pub const MAX_ENTITIES: usize = 256;
/// The most kinds of events.
pub const MAX_KINDS: usize = 65_535;
/// The earliest and the latest time of an event, as far from 1970 as JavaScript's dates reach.
pub const MAX_MILLIS: Millis = 8_640_000_000_000_000;
/// The most hits that one recall gives.
pub const MAX_HITS: usize = 10_000;
/// The longest words of a recall, in bytes.
pub const MAX_WORDS_BYTES: usize = 4_096;
/// The most different words of a recall that are looked for.
pub const MAX_QUERY_TERMS: usize = 64;
/// The most buckets of one count.
pub const MAX_BUCKETS: usize = 100_000;
/// The most names that are looked at for a suggestion.
pub const MAX_SUGGESTION_NAMES: usize = 2_000;
/// The most components of a vector.
pub const MAX_DIMENSIONS: usize = 8_192;
/// How many of the best hits by words are fused with other rankings.
pub const MAX_FUSED: usize = 1_000;
/// The most parts of the tree that one look at it shows.
pub const MAX_TREE_PARTS: usize = 4_096;
/// The most events that an answer without a limit of its own shows.
pub const MAX_SHOWN: usize = 100_000;
