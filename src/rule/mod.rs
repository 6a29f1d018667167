//! Rule files: read as the agent reads them, found where the agent finds them, registered as the agent registers
//! them (engine.md E1 to E3), and the settings files beside them (E10).
//!
//! | room | what it holds | may know |
//! |---|---|---|
//! | `read` | from the bytes of a file to what the rule says | |
//! | `samples` | the texts under `examples` | `read` |
//! | `register` | what the agent's engine accepts, and the bucket of every rule | `read` |
//! | [`lint`] | everything that is said of rules, a file for each code | those above |
//! | `find` | where rules and settings lie | those above |
//! | [`suppression`] | the findings that a file accepts | `read` |
//! | [`repair`] | what the fixes of lints make of a file | `read`, `register`, [`suppression`] |
//! | [`accept`] | a file that accepts more findings | `read`, [`repair`], [`suppression`] |
//! | `listing` | a rule as a report shows it | `read`, `register` |
//!
//! Nothing here matches a stream; that is the engine's.

pub mod accept;
mod find;
pub mod lint;
mod listing;
mod read;
mod register;
pub mod repair;
mod samples;
pub mod suppression;

#[cfg(feature = "internals")]
pub use find::load_paths;
pub use find::settings_files;
pub use find::{
    BUNDLED_PREFIX, Handed, LoadFailure, Loaded, Places, Searched, Sink, search_bundled, search_paths, search_with,
};
pub use listing::RuleRow;
pub use read::{
    CONDITION_KEYS, Encoding, Fields, Frontmatter, Key, Member, Node, Outline, Problem, Provider, Reading, Rule,
    RuleFile, Style, Yaml, condition_member, is_file_glob, rule_name, split_scopes,
};
pub use register::{
    Bucket, CompiledRule, Flaw, Listed, Refusal, Registrar, RuleSet, Scope, ScopeToken, ToolScope, Unheard,
    Unregistered,
};
pub use samples::{Expected, SAMPLES_KEY, Sample, SampleProblem, Samples};
