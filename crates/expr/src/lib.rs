//! The one expression language: exact decimals, instants, durations; parse, check, evaluate within limits.
