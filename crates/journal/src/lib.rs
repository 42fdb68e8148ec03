//! Records, the clock rule, the hash chain, and the journal as bytes.
//!
//! **Invariant: the journal is the only ground truth.** Every change is one [`Record`]; the records of one
//! append form a [`Frame`], which is hashed onto the chain of all frames before it and stored as one line of
//! JSON. Everything else in Throughline is a pure fold of the records, and can be deleted and rebuilt.
//!
//! **Invariant: `seq` is dense and is the order.** Wall-clock time is data: [`Record::recorded_at`] never
//! decreases, whatever the clock does, and the frame keeps the clock's own reading beside it.
//!
//! **Invariant: nothing is guessed.** [`read_frames`] and [`import`] stop at the first frame that does not
//! fit and say where and why; what stood before it is still good.
//!
//! ```
//! use throughline_journal::{Draft, Journal};
//! let mut journal = Journal::new("example");
//! let frame = journal.propose(1_000, vec![], vec![Draft::new("note.written", "hello".into())]);
//! journal.commit(frame)?;
//! assert_eq!(journal.head().seq, 1);
//! let copy = throughline_journal::import(&journal.export(2_000))?;
//! assert_eq!(copy.head(), journal.head());
//! # Ok::<(), throughline_journal::Error>(())
//! ```

mod cold;
mod digest;
mod error;
mod export;
mod frame;
mod journal;
mod record;
mod segment;
mod versions;

pub use cold::{APART_BYTES, Wanted};
pub use digest::Digest;
pub use error::Error;
pub use export::{Partial, import, import_partial};
pub use frame::{FORMAT, Frame, MAX_FRAME_BYTES, MAX_FRAME_RECORDS, commitment};
pub use journal::{Head, Journal, genesis};
pub use record::{Actor, ActorKind, Body, Cause, Draft, MAIN_THREAD, Millis, Origin, Record, Seq};
pub use segment::{read_frames, read_frames_of, read_segment, write_segment};
pub use versions::Versions;
