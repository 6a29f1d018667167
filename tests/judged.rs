//! Judged rules and what else the newest generation does differently.

mod recorded;
mod statements;
mod vectors;
mod written;
