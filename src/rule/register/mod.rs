//! From rules in discovery order to registered rules and buckets (engine.md E1.11, E2, E3): what the agent's engine
//! accepts, and why it leaves out the rest.

mod compile;
mod registrar;
mod scope;

pub use compile::{CompiledRule, Refusal};
pub use registrar::{Bucket, Listed, Registrar, RuleSet};
pub use scope::{Scope, ScopeToken, ToolScope};
