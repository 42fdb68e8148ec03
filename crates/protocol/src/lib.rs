//! Commands, queries, outcomes and envelopes: what crosses a thread or a tab.
