//! The plan language: parse, check, fix, run, answer.
