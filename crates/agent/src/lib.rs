//! Domains, prompts and the five-stage turn, as a state machine without I/O.
