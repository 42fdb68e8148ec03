//! The temporal memory index: remember, recall, forget.
//!
//! [`Memory`] is a projection of the journal: [`Memory::evolve`] folds the records of its kinds, the views
//! read it as of any record. What is remembered lies in blocks in valid-time order, each with an exact
//! summary, under a tree of summaries; beside them are posting lists by entity and by word.
//!
//! **Invariant: aggregates are exact.** After any mix of remembering (late, too), amending, forgetting and
//! recovering, every count equals that of a naive scan. A property test compares the two.
//!
//! **Invariant: filters come before ranking.** A window, kinds, entities or a thread decide what is ranked,
//! never what is left of a ranking; and the answer says how many were hidden and why.
//!
//! **Invariant: the order of arrival does not show.** Events are ordered by valid time, then by their
//! source's own order, then by the order of writing.
//!
//! ```
//! use throughline_memory::Memory;
//! use throughline_protocol::{At, Domain, query::Recall};
//! let page = Memory::default().recall(At { seq: 0, valid_at: 0 }, &Recall::default(), &Domain::default())?;
//! assert_eq!((page.total, page.hits.len()), (0, 0));
//! # Ok::<(), throughline_protocol::Refusal>(())
//! ```

mod aggregate;
pub mod allen;
mod columns;
mod decide;
mod digest;
pub mod episodes;
mod evolve;
mod forgetting;
mod index;
pub mod kind;
pub mod limits;
mod purging;
mod pyramid;
mod query;
mod recall;
mod rows;
mod snapshot;
mod summaries;
mod time;
mod vectors;
mod view;
mod words;

mod memory;

pub use aggregate::{Counts, Moment, Neighbours};
pub use columns::Columns;
pub use forgetting::{Candidate, Policy};
pub use memory::Memory;
pub use purging::{Said, words_in};
pub use pyramid::LANES;
pub use rows::NOT_RESIDENT;
