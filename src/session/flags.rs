//! What is kept of each entry in the index, one bit each.

/// A `custom_message` of the rule engine.
pub(super) const INJECTION_MESSAGE: u16 = 1;
/// A tool result that begins with a reminder.
pub(super) const REMINDER: u16 = 1 << 1;
/// An assistant message whose error message names rules.
pub(super) const RULE_ABORT: u16 = 1 << 2;
/// An assistant message that ended `aborted`.
pub(super) const ABORTED: u16 = 1 << 3;
/// An assistant message that ended `error`.
pub(super) const ERROR: u16 = 1 << 4;
/// A `custom` entry `session_exit`.
pub(super) const SESSION_EXIT: u16 = 1 << 5;
/// A `message` entry without a message, or a `ttsr_injection` whose list cannot be used.
pub(super) const UNUSABLE: u16 = 1 << 6;
/// A `message` entry without a message at all: the agent cannot open the file.
pub(super) const RAISES: u16 = 1 << 7;
/// The entry has a parent id that no entry has.
pub(super) const DANGLING: u16 = 1 << 8;
/// A JSON value that is no object.
pub(super) const NO_OBJECT: u16 = 1 << 9;
/// A line `null`: the agent cannot open the file.
pub(super) const NULL: u16 = 1 << 10;
/// A number, string or truth value: the first migration raises on it.
pub(super) const SCALAR: u16 = 1 << 11;
/// The id is written, as `null`.
pub(super) const NULL_ID: u16 = 1 << 12;
