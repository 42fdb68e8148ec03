//! Domains, prompts and the five-stage turn, as a state machine without I/O.
//!
//! A turn goes through five stages: **interpret**, **ground**, **gather**, **decide**, **respond**. Where a
//! stage asks a model, what comes back is a proposal: it is read by a schema, checked by code, asked again
//! with the checker's words a bounded number of times, and replaced by the domain's own rules when it does
//! not hold. Everything that is known of a turn is folded from the journal, so it goes on after a reload
//! where it stopped.
//!
//! **Invariant: the model never changes state.** [`turn::advance`] gives commands and drafts; only the
//! engine executes and records them, by the same door as everybody's.

mod claims;
mod constraints;
pub mod documents;
pub mod domain;
mod hosted;
mod known;
mod metrics;
mod owners;
mod phrases;
mod recent;
mod rooms;
pub mod turn;
pub mod turns;
pub mod zones;

pub use documents::Documents;
pub use domain::LoadedDomain;
pub use hosted::Hosted;
pub use metrics::{Figures, metrics};
pub use recent::MAX_RECENT_FACTS;
pub use rooms::{Names, Rooms, zone_named, zone_of};
pub use throughline_dialogue::import_machine;
pub use turns::Turns;
