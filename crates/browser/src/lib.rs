//! Drives the engine in its worker: clock, timers, fetch, and the store.
