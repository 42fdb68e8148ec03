//! The engine without I/O: inputs in, outputs out.
