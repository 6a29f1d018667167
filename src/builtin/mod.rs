//! What is known of the agent besides its behaviour, as tables from which checks are derived: the keys of rule files and
//! its tools. Its settings are in [`crate::settings`], the places that it reads rules from in `rule`.

pub mod keys;
pub mod tools;
