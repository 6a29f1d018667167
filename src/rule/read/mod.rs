//! From the bytes of a rule file to what the rule says (engine.md E1.4 to E1.10): the text, its frontmatter as the
//! agent's reader resolves it, the fields, the body.

mod fields;
mod file;
mod frontmatter;
mod node;
mod outline;
mod provider;
mod rule;
mod source;
mod yaml;
mod yaml_text;

pub(super) use fields::question;
pub use fields::{CONDITION_KEYS, Fields, condition_member, is_file_glob, split_scopes};
pub use file::RuleFile;
pub use frontmatter::{Frontmatter, Member, Problem, Reading};
pub(super) use frontmatter::{is_quoted_alone, normalise_key};
pub use node::{Key, Node, Style, Yaml};
pub use outline::Outline;
pub use provider::Provider;
pub use rule::{Rule, rule_name};
pub(super) use rule::{base_name, given_path};
pub use source::Encoding;
pub(super) use source::{decode, is_js_blank};
pub(super) use yaml::{Content, parse};
