//! From the values of a frontmatter to the fields of a rule (engine.md E1.9, E1.10): what is accepted, coerced,
//! dropped, split.

use super::frontmatter::{Frontmatter, Member};
use super::node::{Node, Yaml};
use super::source::is_js_blank;
use crate::generation::Semantics;
use crate::settings::InterruptMode;
use crate::text::JsString;

/// The fields that the frontmatter gives a rule.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fields {
    /// `description`, verbatim.
    pub description: Option<JsString>,
    /// The conditions, glob-like ones taken out.
    pub condition: Option<Vec<JsString>>,
    /// `astCondition`
    pub ast_condition: Option<Vec<JsString>>,
    /// `question`, trimmed; never blank, and none in generations without judged rules (generation-v4.md W2).
    pub question: Option<JsString>,
    /// `scope`, and the scopes that glob-like conditions add.
    pub scope: Option<Vec<JsString>>,
    /// `globs`, untrimmed.
    pub globs: Option<Vec<JsString>>,
    /// `alwaysApply`
    pub always_apply: bool,
    /// `agents`, in lower case.
    pub agents: Option<Vec<JsString>>,
    /// `interruptMode`
    pub interrupt_mode: Option<InterruptMode>,
    /// Not `enabled: false`.
    pub enabled: bool,
    /// The condition tokens that were taken for globs.
    pub glob_conditions: Vec<JsString>,
}

/// The names of the key that holds the conditions; the first that is there and not null counts.
pub const CONDITION_KEYS: [&str; 3] = ["condition", "ttsr_trigger", "ttsrTrigger"];

impl Fields {
    /// Reads the fields as the generation does.
    pub(in super::super) fn read(frontmatter: &Frontmatter, semantics: &Semantics) -> Self {
        if semantics.legacy_trigger_only {
            return Self::read_early(frontmatter);
        }
        let mut fields = Self {
            description: string(frontmatter.get("description")),
            condition: condition_member(frontmatter).and_then(|member| tokens(&member.value)),
            ast_condition: frontmatter.get("astCondition").and_then(tokens),
            question: string(frontmatter.get("question").filter(|_| semantics.judged_rules)).and_then(question),
            scope: frontmatter.get("scope").and_then(tokens).and_then(|list| split_scopes(&list)),
            globs: frontmatter.get("globs").and_then(globs),
            always_apply: is_bool(frontmatter.get("alwaysApply"), true),
            agents: frontmatter.get("agents").and_then(tokens).and_then(|list| split_scopes(&list)).map(agents),
            interrupt_mode: string(frontmatter.get("interruptMode")).as_ref().and_then(InterruptMode::parse),
            enabled: !(semantics.rule_enabled_key && is_bool(frontmatter.get("enabled"), false)),
            glob_conditions: Vec::new(),
        };
        fields.take_out_globs();
        fields
    }

    /// The early generation: one string triggers, and nothing narrows (engine.md E11 G1, G4).
    fn read_early(frontmatter: &Frontmatter) -> Self {
        let trigger = string(frontmatter.get("ttsr_trigger")).filter(|trigger| !trigger.is_empty());
        Self {
            description: string(frontmatter.get("description")),
            condition: trigger.map(|trigger| vec![trigger]),
            globs: frontmatter.get("globs").and_then(globs),
            always_apply: is_bool(frontmatter.get("alwaysApply"), true),
            enabled: true,
            ..Self::default()
        }
    }

    /// Turns conditions that look like file globs into scopes.
    fn take_out_globs(&mut self) {
        let Some(tokens) = self.condition.take() else { return };
        let (globs, mut conditions): (Vec<_>, Vec<_>) = tokens.into_iter().partition(is_file_glob);
        if !globs.is_empty() {
            let token = |glob: &JsString, tool: &str| {
                let mut token = JsString::from(format!("tool:{tool}("));
                token.push_units(glob.units());
                token.push_str(")");
                token
            };
            let made = globs.iter().flat_map(|glob| ["edit", "write"].map(|tool| token(glob, tool)));
            self.scope = distinct(self.scope.take().into_iter().flatten().chain(made));
            if conditions.is_empty() {
                conditions.push(".*".into());
            }
        }
        self.glob_conditions = globs;
        self.condition = Some(conditions);
    }
}

/// The member that the conditions come from.
pub fn condition_member(frontmatter: &Frontmatter) -> Option<&Member> {
    CONDITION_KEYS.iter().find_map(|key| frontmatter.member(key).filter(|member| member.value.value != Yaml::Null))
}

/// A question without the blanks around it, if anything is left (generation-v4.md W2.1).
pub(in super::super) fn question(text: JsString) -> Option<JsString> {
    Some(text.trim()).filter(|text| !text.is_empty())
}

fn string(node: Option<&Node>) -> Option<JsString> {
    match &node?.value {
        Yaml::String(text) => Some(text.as_str().into()),
        _ => None,
    }
}

fn is_bool(node: Option<&Node>, value: bool) -> bool {
    node.is_some_and(|node| node.value == Yaml::Bool(value))
}

/// A list of distinct, trimmed strings that are not blank; of a string a list of one. Nothing when none is left.
fn tokens(node: &Node) -> Option<Vec<JsString>> {
    let items: &[Node] = match &node.value {
        Yaml::List(items) => items,
        _ => std::slice::from_ref(node),
    };
    distinct(items.iter().filter_map(|item| string(Some(item))).map(|text| text.trim()))
}

/// The strings that are not empty, each once; nothing when there are none.
fn distinct(items: impl IntoIterator<Item = JsString>) -> Option<Vec<JsString>> {
    let mut seen = std::collections::HashSet::new();
    let list: Vec<_> = items.into_iter().filter(|text| !text.is_empty() && seen.insert(text.clone())).collect();
    (!list.is_empty()).then_some(list)
}

fn globs(node: &Node) -> Option<Vec<JsString>> {
    match &node.value {
        Yaml::List(items) => Some(items.iter().filter_map(|item| string(Some(item))).collect()),
        Yaml::String(text) => Some(vec![text.as_str().into()]),
        _ => None,
    }
}

/// Without the blanks around commas, in lower case.
fn agents(names: Vec<JsString>) -> Vec<JsString> {
    let tidy = |name: &JsString| {
        let text = name.to_string_lossy().to_lowercase();
        let parts: Vec<_> = text.split(',').collect();
        let last = parts.len() - 1;
        let trimmed = parts.iter().enumerate().map(|(at, part)| {
            let part = if at > 0 { part.trim_start_matches(is_js_blank) } else { part };
            if at < last { part.trim_end_matches(is_js_blank) } else { part }
        });
        JsString::from(trimmed.collect::<Vec<_>>().join(","))
    };
    distinct(names.iter().map(tidy)).unwrap_or_default()
}

/// Splits each token at the commas that are outside brackets and quotes, and takes paired quotes off the pieces.
pub fn split_scopes(tokens: &[JsString]) -> Option<Vec<JsString>> {
    distinct(tokens.iter().flat_map(split_at_commas).map(|piece| unquote(&piece)))
}

fn split_at_commas(token: &JsString) -> Vec<JsString> {
    let mut pieces = vec![Vec::new()];
    let mut depth = [0_usize; 3];
    let mut quote = None;
    let mut previous = 0;
    for &unit in token.units() {
        let one = u8::try_from(unit).unwrap_or(0);
        if quote.is_some() {
            if previous != b'\\' && quote == Some(one) {
                quote = None;
            }
        } else {
            match one {
                b'"' | b'\'' => quote = Some(one),
                b'(' => depth[0] += 1,
                b'[' => depth[1] += 1,
                b'{' => depth[2] += 1,
                b')' => depth[0] = depth[0].saturating_sub(1),
                b']' => depth[1] = depth[1].saturating_sub(1),
                b'}' => depth[2] = depth[2].saturating_sub(1),
                b',' if depth == [0; 3] => {
                    pieces.push(Vec::new());
                    previous = one;
                    continue;
                }
                _ => {}
            }
        }
        previous = one;
        if let Some(piece) = pieces.last_mut() {
            piece.push(unit);
        }
    }
    pieces.into_iter().map(|piece| JsString::from_units(piece).trim()).collect()
}

fn unquote(piece: &JsString) -> JsString {
    match piece.units() {
        [first, inner @ .., last] if first == last && [u16::from(b'"'), u16::from(b'\'')].contains(first) => {
            JsString::from_units(inner).trim()
        }
        _ => piece.clone(),
    }
}

/// Whether a condition is taken for a file glob (engine.md E1.10).
pub fn is_file_glob(condition: &JsString) -> bool {
    let has = |set: &str| condition.units().iter().any(|&unit| set.encode_utf16().any(|one| one == unit));
    if has("\\^$+|()") || !has("?*[]{}") {
        return false;
    }
    has("/") || is_extension_glob(condition)
}

/// `*.` and something without blanks.
fn is_extension_glob(condition: &JsString) -> bool {
    let blank = |unit: &u16| crate::text::is_js_white_space(*unit);
    condition.starts_with("*.") && condition.len() > 2 && !condition.units()[2..].iter().any(blank)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        split_scopes(&[text.into()]).unwrap_or_default().iter().map(JsString::to_string_lossy).collect()
    }

    #[test]
    fn scopes_are_split_outside_brackets_and_quotes() {
        assert_eq!(split("text, thinking"), ["text", "thinking"]);
        assert_eq!(split("tool:edit(*.{ts,tsx}), text"), ["tool:edit(*.{ts,tsx})", "text"]);
        assert_eq!(split("text,,thinking,"), ["text", "thinking"]);
        assert_eq!(split("'a,b', c"), ["a,b", "c"]);
        assert_eq!(split("a),b"), ["a)", "b"]);
        assert_eq!(split("a(,b"), ["a(,b"]);
        assert_eq!(split("it's, text"), ["it's, text"]);
        assert_eq!(split("\"text\",\"thinking\""), ["text", "thinking"]);
        assert_eq!(split("[text, thinking"), ["[text, thinking"]);
        assert_eq!(split("TEXT, text, text"), ["TEXT", "text"]);
    }

    #[test]
    fn only_some_conditions_look_like_file_globs() {
        for glob in ["*.rs", "https?://x", "TODO/[a-z]", "<[a-z]/>", "src/**", "*.{ts,tsx}"] {
            assert!(is_file_glob(&glob.into()), "{glob}");
        }
        for regex in ["foo*", "a?b", "https?:", "*.ts bar", "src/foo.ts", ".*", "*.", "a/b+", "(a/*)"] {
            assert!(!is_file_glob(&regex.into()), "{regex}");
        }
    }
}
