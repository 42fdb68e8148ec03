//! The world as its callers meet it: commands in, records folded, moments looked at.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_docs_in_private_items,
    reason = "a test may panic"
)]

mod bench;
mod entities;
mod events;
mod graph;
mod histories;
mod identity;
mod properties;
mod relations;
mod repeating;
mod robust;
