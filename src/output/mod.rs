//! Reports to bytes: one file per form. Nothing here decides anything.

pub mod catalogue;
pub mod change;
pub mod check;
mod course;
pub mod diagnostic;
mod escape;
pub mod examples;
pub mod explain;
pub mod files;
pub mod foreign;
mod frontmatter_schema;
pub mod generations;
pub mod github;
pub mod gitlab;
mod grouped;
pub mod handoff;
pub mod inspect;
pub mod inspect_csv;
pub mod json;
pub mod junit;
pub mod repair;
pub mod replay_human;
pub mod report;
pub mod sarif;
mod style;
pub mod survey;
pub mod trace_diff;
pub mod transcript;

pub use escape::{drives_terminal, escape, escape_lines};
pub use frontmatter_schema::frontmatter_schema;
pub use style::{FIXED_WIDTH, Style, count};

/// A generation as reports name it, with the mark in the input that decided for it.
pub fn generation(lifecycle: &str, from: Option<&str>) -> String {
    match from {
        Some(mark) => format!("lifecycle {lifecycle} ({mark})"),
        None => format!("lifecycle {lifecycle}"),
    }
}
