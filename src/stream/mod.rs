//! Where deltas come from: event streams and recorded messages.
