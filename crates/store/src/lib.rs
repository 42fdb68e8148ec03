//! The journal on IndexedDB, and in memory for tests and Node.
