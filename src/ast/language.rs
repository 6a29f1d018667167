//! From paths to language aliases to grammars (engine.md E5.7).

use crate::text::JsString;

/// What is known about a language alias.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// The agent accepts it and this build has the grammar.
    Grammar,
    /// The agent accepts it, this build lacks the grammar.
    NoGrammar,
    /// The agent refuses it: an AST condition never fires for it.
    Refused,
}

/// The alias of the first path with an extension, lower-cased, be it known or not (engine.md E5.7).
pub fn language_of(paths: &[JsString]) -> Option<JsString> {
    let _ = paths;
    None
}

/// What is known about an alias; letter case does not count.
pub fn support(alias: &JsString) -> Support {
    let _ = alias;
    Support::Refused
}
