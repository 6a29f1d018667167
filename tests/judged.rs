//! Judged rules and what else the newest generation does differently.

mod statements;
mod vectors;
