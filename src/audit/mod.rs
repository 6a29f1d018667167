//! What a session file holds and what does not add up in it.
