//! The rule manager: buffers, gates, repeat ledger, checks.
