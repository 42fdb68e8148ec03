//! The fact ledger, the state machine and the prompt contract.
