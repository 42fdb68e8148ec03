//! Entities, relations, atomic actions and scheduled events.
