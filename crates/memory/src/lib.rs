//! The temporal memory index: remember, recall, forget.
