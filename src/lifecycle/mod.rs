//! The coordinator: from matches to aborts, injections and persisted entries.
