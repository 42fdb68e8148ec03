//! Throughline for Rust: the state of long-running agents, kept straight.
