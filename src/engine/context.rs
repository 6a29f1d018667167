//! [`Context`]: what a checked text is part of, and the buffer that it belongs to (engine.md E5.1, E5.2).

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::message::Source;
use crate::text::JsString;

/// What a checked text is part of.
#[derive(Clone, Debug, PartialEq)]
pub struct Context {
    /// The stream.
    pub source: Source,
    /// The tool's name as called.
    pub tool: Option<JsString>,
    /// Candidate paths of the files that the text touches (engine.md E6.4, E6.5); empty for none.
    pub paths: Vec<JsString>,
    /// Key of the stream inside the source, e.g. `toolcall:ID`.
    pub stream_key: Option<JsString>,
}

impl Context {
    /// Prose or thinking: no tool, no paths, one buffer per source.
    pub fn prose(source: Source) -> Self {
        Self { source, tool: None, paths: Vec::new(), stream_key: None }
    }

    /// The call of a tool, the block `index` of its message (engine.md E5.2); `id` is empty when there is none.
    pub fn call(id: &JsString, name: &JsString, index: usize, paths: Vec<JsString>) -> Self {
        let mut key = JsString::from(if id.is_empty() { "tool:" } else { "toolcall:" });
        if id.is_empty() {
            key.push_units(name.units());
            key.push_str(&format!(":{index}"));
        } else {
            key.push_units(id.units());
        }
        Self { source: Source::Tool, tool: Some(name.clone()), paths, stream_key: Some(key) }
    }

    /// One file of the call that this is: its own paths, its own buffer.
    #[must_use]
    pub fn entry(&self, path: &JsString, cwd: &JsString) -> Self {
        let mut key = self.stream_key.clone().unwrap_or_default();
        key.push_str("#");
        key.push_units(path.units());
        let paths = crate::tool::paths::candidates(path, cwd);
        Self { source: self.source, tool: self.tool.clone(), paths, stream_key: Some(key) }
    }

    /// The key of the buffer: the stream key unless blank, else the source, else the tool (engine.md E5.2).
    pub fn buffer_key(&self) -> Cow<'_, JsString> {
        static TEXT: LazyLock<JsString> = LazyLock::new(|| JsString::from(Source::Text.as_str()));
        static THINKING: LazyLock<JsString> = LazyLock::new(|| JsString::from(Source::Thinking.as_str()));
        if let Some(key) = self.stream_key.as_ref().filter(|key| !key.is_blank()) {
            return Cow::Borrowed(key);
        }
        match self.source {
            Source::Text => Cow::Borrowed(&TEXT),
            Source::Thinking => Cow::Borrowed(&THINKING),
            Source::Tool => match self.tool.as_ref().map(JsString::trim).filter(|tool| !tool.is_empty()) {
                Some(tool) => {
                    let mut key = JsString::from("tool:");
                    let lower = tool.to_utf8().map(|name| JsString::from(name.to_lowercase()));
                    key.push_units(lower.unwrap_or_else(|| tool.to_ascii_lowercase()).units());
                    Cow::Owned(key)
                }
                None => Cow::Owned(JsString::from("tool")),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffer_keys_fall_back_to_tool_and_source() {
        let mut context = Context::prose(Source::Tool);
        assert_eq!(*context.buffer_key(), "tool");
        context.tool = Some(JsString::from(" Edit "));
        assert_eq!(*context.buffer_key(), "tool:edit");
        context.stream_key = Some(JsString::from("  "));
        assert_eq!(*context.buffer_key(), "tool:edit");
        context.stream_key = Some(JsString::from("toolcall:1"));
        assert_eq!(*context.buffer_key(), "toolcall:1");
        assert_eq!(*Context::prose(Source::Thinking).buffer_key(), "thinking");
    }
}
