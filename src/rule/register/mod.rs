//! From rules in discovery order to registered rules and buckets (engine.md E1.11, E2, E3): what the agent's engine
//! accepts, and why it leaves out the rest.

mod compile;
mod flaw;
mod registrar;
mod scope;
mod unregistered;

pub use compile::{CompiledRule, Refusal};
pub use flaw::Flaw;
pub use registrar::{Bucket, Listed, Registrar, RuleSet, Unheard};
pub use scope::{Scope, ScopeToken, ToolScope};
pub use unregistered::Unregistered;
