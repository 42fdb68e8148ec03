//! The world on data of others, through commands and queries only: plans that models wrote, processes in paragraphs,
//! an order system with its own tools.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::indexing_slicing,
    clippy::missing_docs_in_private_items,
    reason = "a test may panic"
)]

mod world_data {
    pub(crate) mod planbench;
    pub(crate) mod propara;
    pub(crate) mod retail;
    pub(crate) mod shared;
}
