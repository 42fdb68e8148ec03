//! The journal on IndexedDB, and in memory for tests and Node.
//!
//! **Invariant: an append is acknowledged only after it is committed.** One append is one transaction; the
//! head it expects is compared and swapped in the same transaction, so that two tabs can never write over
//! one another: the later one gets the frames it has missed and decides again.
//!
//! **Invariant: an unreadable store is not an empty store.** [`Store::open`] fails with
//! [`StoreError::Unreadable`] and writes nothing; [`Store::raw`] gives the bytes as they lie, and
//! [`Store::salvage`] what stood before the damage.
//!
//! A journal lies in three places: a small `meta` text with its id and head; its segments, each under the number of
//! its first frame; and the large bodies of memories, each under the number of its frame, so that an opening need
//! not read them. Beside them may lie a snapshot of what was folded, which goes with everything that is erased. Both stores share the code that reads them ([`load`]) and one suite of tests
//! ([`conformance!`]).

mod conformance;
mod error;
#[cfg(target_arch = "wasm32")]
mod indexed_db;
mod load;
mod memory;
mod meta;
mod snapshot;
mod store;
#[cfg(target_arch = "wasm32")]
pub mod timer;

pub use conformance::suite;
pub use error::{Damage, StoreError};
#[cfg(target_arch = "wasm32")]
pub use indexed_db::IndexedDb;
pub use load::{Salvaged, load};
pub use memory::Memory;
pub use meta::Listing;
pub use snapshot::Snapshot;
pub use store::{Appended, Pending, Store};

/// Frames are imported in segments of about this many bytes.
pub const SEGMENT_BYTES: usize = 128 << 10;

/// About how many bytes of a long journal an opening keeps; the rest is read again as it is folded.
pub const OPEN_BYTES: usize = 128 << 20;

/// How long opening the database may take before it counts as blocked by another tab.
pub const OPEN_TIMEOUT_MS: i32 = 5_000;

/// How long one transaction may take before it is given up.
pub const TRANSACTION_TIMEOUT_MS: i32 = 30_000;
