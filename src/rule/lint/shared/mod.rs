//! What lints have in common: how one is declared, the rule that it looks at, how advice is written.

pub(super) mod declare;
mod subject;
mod wording;

pub(super) use declare::{Check, Lint, lint};
pub(super) use subject::{Subject, in_condition, in_key};
pub(super) use wording::{flow_list, in_quotes, nearest, split_flags};
