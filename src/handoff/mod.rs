//! From a transcript to a new session.
