//! [`Assumed`]: the call that a text stands for, and what made it so (cli.md, `--text`).

use crate::text::JsString;
use crate::text::json::{self, Object, Value};
use crate::tool::{CallReader, EditMode, ReadOptions, ToolKind};

use super::text_turn::TextInput;

/// The arguments of a call that a text stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct Assumed {
    /// The arguments.
    pub arguments: Value,
    /// What the text was taken for, as part of a sentence: `the content` or `the arguments as JSON`.
    pub taken_for: String,
    /// The mode of an edit.
    pub mode: Option<EditMode>,
    /// The path that the call names.
    pub path: Option<JsString>,
}

/// The arguments that make a call of one of these tools: the first is there, the others may be.
const WRITE: [&str; 2] = ["content", "path"];
const EDIT: [&str; 10] =
    ["new_string", "old_string", "edits", "input", "_input", "path", "replace_all", "all", "op", "diff"];
/// The arguments of which an edit has one.
const EDIT_MARKS: [&str; 4] = ["new_string", "edits", "input", "_input"];

impl TextInput {
    /// The call that the text stands for. JSON is taken as arguments where it is an object whose keys are those of the
    /// tool; other text is what `write` writes, what `edit` brings in or takes as a patch, the command of `bash`, and
    /// for any other tool the argument `input`.
    pub fn assume(&self) -> Assumed {
        if let Some(given) = self.given_arguments() {
            return self.assumed(given, "the arguments as JSON");
        }
        let mut arguments = Object::new();
        if let Some(path) = &self.path {
            arguments.insert("path", path.clone());
        }
        let text = self.text.clone();
        let taken_for = match ToolKind::of(&self.tool) {
            ToolKind::Write => {
                arguments.insert("content", text);
                "the content"
            }
            ToolKind::Edit if self.shows_files() => {
                // Its headers name the files.
                arguments = Object::new();
                arguments.insert("input", text);
                "the input, which names its files itself"
            }
            ToolKind::Edit => {
                arguments.insert("old_string", "");
                arguments.insert("new_string", text);
                "the new text"
            }
            ToolKind::Other if self.tool == "bash" => {
                arguments.insert("command", text);
                "the command"
            }
            ToolKind::Other => {
                arguments.insert("input", text);
                "the argument `input`"
            }
        };
        self.assumed(arguments, taken_for)
    }

    /// The text as arguments, if it is JSON of a call of the tool.
    fn given_arguments(&self) -> Option<Object> {
        let Ok(Value::Object(mut given)) = json::parse(&self.text.to_utf8()?) else { return None };
        let all = |known: &[&str]| given.iter().all(|(key, _)| known.iter().any(|known| *key == *known));
        let is_call = match ToolKind::of(&self.tool) {
            ToolKind::Write => given.get("content").is_some() && all(&WRITE),
            ToolKind::Edit => EDIT_MARKS.iter().any(|mark| given.get(mark).is_some()) && all(&EDIT),
            ToolKind::Other if self.tool == "bash" => given.get("command").is_some(),
            // What other tools take is not known.
            ToolKind::Other => true,
        };
        if let Some(path) = self.path.as_ref().filter(|_| given.get("path").is_none()) {
            given.insert("path", path.clone());
        }
        is_call.then_some(given)
    }

    /// Whether the text is the input of an edit that names its files.
    fn shows_files(&self) -> bool {
        let mut arguments = Object::new();
        arguments.insert("input", self.text.clone());
        let mut reader = CallReader::new(&self.tool, &ReadOptions::default());
        reader.finish(Some(&Value::Object(arguments)));
        reader.inspect().entries.is_some()
    }

    fn assumed(&self, arguments: Object, taken_for: &str) -> Assumed {
        let path = arguments.get("path").and_then(Value::as_string).cloned();
        let arguments = Value::Object(arguments);
        let mut reader = CallReader::new(&self.tool, &ReadOptions::default());
        reader.finish(Some(&arguments));
        let entry = reader.inspect().entries.and_then(|entries| entries.first().map(|entry| entry.path.clone()));
        Assumed { mode: reader.edit_mode(), arguments, taken_for: taken_for.to_owned(), path: entry.or(path) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Source;

    fn assume(tool: &str, path: Option<&str>, text: &str) -> (String, String, Option<EditMode>) {
        let input =
            TextInput { source: Source::Tool, tool: tool.into(), path: path.map(JsString::from), text: text.into() };
        let assumed = input.assume();
        (assumed.arguments.stringify(), assumed.taken_for, assumed.mode)
    }

    #[test]
    fn json_is_arguments_where_its_keys_are_those_of_the_tool() {
        let write = assume("write", Some("a.ts"), r#"{"content":"x"}"#);
        assert_eq!(write.0, r#"{"content":"x","path":"a.ts"}"#);
        let package = r#"{"name":"x","content":"y"}"#;
        assert_eq!(assume("write", None, package).1, "the content");
        let edit = assume("edit", None, r#"{"path":"a","old_string":"x","new_string":"y"}"#);
        assert_eq!((edit.1.as_str(), edit.2), ("the arguments as JSON", Some(EditMode::Replace)));
        assert_eq!(assume("edit", Some("a"), r#"{"version":1}"#).1, "the new text");
        assert_eq!(assume("bash", None, r#"{"command":"ls","timeout":1}"#).0, r#"{"command":"ls","timeout":1}"#);
        assert_eq!(assume("bash", None, r#"{"a":1}"#).1, "the command");
        assert_eq!(assume("todo", None, r#"{"a":1}"#).0, r#"{"a":1}"#);
        assert_eq!(assume("todo", None, "[1]").0, r#"{"input":"[1]"}"#);
    }

    #[test]
    fn a_patch_is_the_input_of_an_edit() {
        let patch = "*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a\n+b\n*** End Patch\n";
        for tool in ["edit", "apply_patch"] {
            let found = assume(tool, None, patch);
            assert_eq!(found.1, "the input, which names its files itself", "{tool}");
            assert_eq!(found.2, Some(EditMode::ApplyPatch), "{tool}");
        }
        assert_eq!(assume("edit", Some("a.ts"), "let x").2, Some(EditMode::Replace));
    }
}
