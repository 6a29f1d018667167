//! Which streams a rule listens to (engine.md E3.2, E3.3).

use crate::glob::PathGlob;
use crate::message::Source;
use crate::text::JsString;

/// The streams that a rule listens to.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Prose.
    pub text: bool,
    /// Thinking.
    pub thinking: bool,
    /// Every tool, whatever the paths.
    pub any_tool: bool,
    /// Calls of certain tools or to certain paths.
    pub tools: Vec<ToolScope>,
    /// The tokens that mean nothing, as positions in the list.
    pub invalid: Vec<usize>,
}

/// One tool token.
#[derive(Clone, Debug)]
pub struct ToolScope {
    /// The tool's name in lower case; none for any tool.
    pub name: Option<JsString>,
    /// The glob that one of the paths must match.
    pub path: Option<PathGlob>,
}

/// What one token means.
#[derive(Clone, Debug)]
pub enum ScopeToken {
    /// `text`
    Text,
    /// `thinking`
    Thinking,
    /// `tool`, `toolcall`
    AnyTool,
    /// A tool, a path, or both.
    Tool(ToolScope),
}

impl ScopeToken {
    /// Reads one token; nothing when it means nothing.
    pub fn parse(token: &JsString) -> Option<Self> {
        let token = token.trim();
        // Keywords are compared by `toLowerCase`, which makes a `k` of the Kelvin sign; names are ASCII.
        match lower_case(&token).to_string_lossy().as_str() {
            "text" => return Some(Self::Text),
            "thinking" => return Some(Self::Thinking),
            "tool" | "toolcall" => return Some(Self::AnyTool),
            _ => {}
        }
        let units = token.units();
        let (head, path) = match units.iter().position(|&unit| unit == u16::from(b'(')) {
            None => (units, None),
            Some(open) => {
                let path = units[open + 1..].strip_suffix(&[u16::from(b')')])?;
                if path.is_empty() || path.contains(&u16::from(b')')) {
                    return None;
                }
                (&units[..open], Some(JsString::from_units(path).trim()))
            }
        };
        let path = path.filter(|path| !path.is_empty()).map(|path| PathGlob::new(&path));
        let lower = JsString::from_units(head).to_ascii_lowercase();
        let name = match lower.to_string_lossy().as_str() {
            "tool" => None,
            name => {
                let name = name.strip_prefix("tool:").unwrap_or(name);
                let valid = |one: char| one.is_ascii_alphanumeric() || matches!(one, '_' | '-');
                if name.is_empty() || !name.chars().all(valid) {
                    return None;
                }
                Some(name.into())
            }
        };
        Some(if name.is_none() && path.is_none() { Self::AnyTool } else { Self::Tool(ToolScope { name, path }) })
    }
}

impl Scope {
    /// The scope of a list of tokens; without any: prose and every tool, not thinking.
    pub fn new(tokens: &[JsString]) -> Self {
        if tokens.is_empty() {
            return Self { text: true, any_tool: true, ..Self::default() };
        }
        let mut scope = Self::default();
        for (at, token) in tokens.iter().enumerate() {
            match ScopeToken::parse(token) {
                Some(ScopeToken::Text) => scope.text = true,
                Some(ScopeToken::Thinking) => scope.thinking = true,
                Some(ScopeToken::AnyTool) => scope.any_tool = true,
                Some(ScopeToken::Tool(tool)) => scope.tools.push(tool),
                None => scope.invalid.push(at),
            }
        }
        scope
    }

    /// Whether any stream can reach the rule, if only a tool that does not exist.
    pub fn is_reachable(&self) -> bool {
        self.text || self.thinking || self.allows_some_tool()
    }

    /// Whether some tool call can reach the rule.
    pub fn allows_some_tool(&self) -> bool {
        self.any_tool || !self.tools.is_empty()
    }

    /// Whether text of this source is for the rule. `tool` is the name in the call.
    pub fn allows(&self, source: Source, tool: Option<&JsString>, paths: &[JsString]) -> bool {
        match source {
            Source::Text => self.text,
            Source::Thinking => self.thinking,
            Source::Tool => {
                let name = tool.map(|name| lower_case(&name.trim()));
                self.any_tool || self.tools.iter().any(|tool| tool.allows(name.as_ref(), paths))
            }
        }
    }
}

impl ToolScope {
    fn allows(&self, name: Option<&JsString>, paths: &[JsString]) -> bool {
        if self.name.is_some() && self.name.as_ref() != name {
            return false;
        }
        self.path.as_ref().is_none_or(|glob| paths.iter().any(|path| glob.takes(path)))
    }
}

/// `toLowerCase` of the whole of Unicode; a lone surrogate has no lower case, so the text is no tool's name anyway.
fn lower_case(text: &JsString) -> JsString {
    text.to_utf8().map_or_else(|| text.clone(), |text| text.to_lowercase().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_tools_are_read_strictly() {
        for token in ["tool:edit()", "tool:", "tool:(*.ts)", "tool: edit", "tool:edit (*.ts)", "tool:edit(a(b).ts)"]
            .into_iter()
            .chain(["tool:*", "tool:mcp.x", "baſh", "tool:edit(*.ts", ""])
        {
            assert!(ScopeToken::parse(&token.into()).is_none(), "{token}");
        }
        assert!(matches!(ScopeToken::parse(&" ToolCall ".into()), Some(ScopeToken::AnyTool)));
        assert!(matches!(ScopeToken::parse(&"thin\u{212A}ing".into()), Some(ScopeToken::Thinking)));
        assert!(ScopeToken::parse(&"tool:\u{212A}".into()).is_none());
        assert!(matches!(ScopeToken::parse(&"tool( )".into()), Some(ScopeToken::AnyTool)));
        let Some(ScopeToken::Tool(tool)) = ScopeToken::parse(&"toolcall(*.ts)".into()) else { panic!("no tool") };
        assert_eq!(tool.name, Some("toolcall".into()));
        let Some(ScopeToken::Tool(tool)) = ScopeToken::parse(&"tool(*.ts)".into()) else { panic!("no tool") };
        assert!(tool.name.is_none() && tool.path.is_some());
    }
}
