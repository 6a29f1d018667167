//! Constants of the agent's runtime: how long it waits, how often it reads again.

/// Milliseconds from an interrupt to its retry (engine.md E7.4).
pub const RETRY_DELAY_MS: u64 = 50;

/// Milliseconds from the end of a message to the continuation that delivers its follow-up.
pub const FOLLOW_UP_DELAY_MS: u64 = 1;

/// Milliseconds that a run which is about to end waits for open asks (generation-v4.md W8.4).
pub const OPEN_ASK_WAIT_MS: u64 = 5_000;

/// Milliseconds for which a judge that refuses the caller is not asked (generation-v4.md W7.3).
pub const JUDGE_PAUSE_MS: u64 = 5 * 60 * 1_000;

/// While a call streams, its arguments are read anew after growth by this many units at least (engine.md E6.6) …
pub const REPARSE_UNITS: usize = 256;

/// … and at least by this part of the text.
pub const REPARSE_SHARE: usize = 32;
