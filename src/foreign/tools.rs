//! Calls of other agents' tools as calls of the agent's own.

use crate::json_object;
use crate::text::JsString;
use crate::text::json::{Object, Value};

use super::model::{Call, CallResult, Facts, Shows, joined};

/// Names of the argument that says which file is meant.
const PATH_KEYS: [&str; 7] =
    ["file_path", "filePath", "notebook_path", "path", "absolute_path", "absolutePath", "dir_path"];

/// A finished call. `cwd` is that of the record: a path is made absolute where it is not the one of the session.
pub(super) fn call(id: JsString, foreign: JsString, input: &Value, cwd: Option<&JsString>) -> Call {
    let name = foreign.to_string_lossy();
    let path = PATH_KEYS.iter().find_map(|key| input.get(key)?.as_string()).map(|path| placed(path, cwd));
    let string = |keys: &[&str]| keys.iter().find_map(|key| input.get(key)?.as_string().cloned());
    let (tool, shows) = match name.as_str() {
        "Edit" | "MultiEdit" | "edit" | "replace" | "multiedit" => {
            let text = string(&["new_string", "newString"]).or_else(|| new_strings(input));
            ("edit", Some(Shows::Entries(path.zip(text).into_iter().collect())))
        }
        "NotebookEdit" => {
            let deletes = string(&["edit_mode"]).is_some_and(|mode| mode == "delete");
            let text = string(&["new_source"]).filter(|_| !deletes);
            ("edit", Some(Shows::Entries(path.zip(text).into_iter().collect())))
        }
        "Write" | "write" | "write_file" => {
            let mut arguments = Object::new();
            arguments.insert("path", path.unwrap_or_default());
            arguments.insert("content", string(&["content"]).unwrap_or_default());
            ("write", Some(Shows::Arguments(arguments.into())))
        }
        "Bash" | "bash" | "PowerShell" | "run_shell_command" => {
            let command = string(&["command"]).unwrap_or_default();
            ("bash", Some(Shows::Arguments(json_object! {"command": command}.into())))
        }
        "Read" | "read" | "read_file" => ("read", None),
        "Grep" | "grep" | "search_file_content" | "grep_search" => ("grep", None),
        "Glob" | "glob" => ("glob", None),
        "WebSearch" | "websearch" | "google_web_search" => ("web_search", None),
        "TodoWrite" | "todowrite" => ("todo", None),
        "Agent" | "Task" | "task" => ("task", None),
        _ => ("", None),
    };
    let shows = shows.unwrap_or_else(|| Shows::Arguments(renamed(input, tool)));
    let tool = if tool.is_empty() { foreign.clone() } else { tool.into() };
    Call { id, tool, foreign, shows, result: CallResult::Unknown }
}

/// The texts of `edits`, joined by LF.
fn new_strings(input: &Value) -> Option<JsString> {
    let edits = input.get("edits")?.as_array()?;
    Some(joined(edits.iter().filter_map(|edit| edit.get("new_string").or_else(|| edit.get("newString"))?.as_string())))
}

/// The arguments of a tool that has a counterpart, with the path under the agent's own key; others unchanged.
fn renamed(input: &Value, tool: &str) -> Value {
    let Some(object) = input.as_object().filter(|_| !tool.is_empty()) else { return input.clone() };
    let mut renamed = Object::new();
    for (key, value) in object.iter() {
        let is_path = PATH_KEYS.iter().any(|path| *key == **path);
        renamed.insert(if is_path { "path".into() } else { key.clone() }, value.clone());
    }
    renamed.into()
}

/// A path as the record means it: relative ones stand in the record's directory.
pub(super) fn placed(path: &JsString, cwd: Option<&JsString>) -> JsString {
    let text = path.to_string_lossy();
    let is_absolute = text.starts_with(['/', '\\', '~']) || text.as_bytes().get(1) == Some(&b':');
    match cwd.filter(|_| !is_absolute) {
        Some(cwd) => {
            let mut placed = cwd.clone();
            placed.push_str("/");
            placed.push_units(path.units());
            placed
        }
        None => path.clone(),
    }
}

/// The calls that a patch is: one `edit` with what each file that exists receives, and one `write` a new file, under
/// the id `CALL#n`. The agent's own patches hide new files, which reach it as `write` (engine.md E6.2).
pub(super) fn patch(
    id: &JsString,
    foreign: &JsString,
    patch: &JsString,
    cwd: Option<&JsString>,
    facts: &mut Facts,
) -> Vec<Call> {
    let mut edited: Vec<(JsString, Vec<JsString>)> = Vec::new();
    let mut added: Vec<(JsString, Vec<JsString>)> = Vec::new();
    let mut into_new: Option<bool> = None;
    for line in patch.units().split(|&unit| unit == 0x0A) {
        let line = JsString::from_units(line.strip_suffix(&[0x0D]).unwrap_or(line));
        let header = |prefix: &str| {
            let rest = line.starts_with(prefix).then(|| line.units().get(prefix.len()..))??;
            Some(placed(&JsString::from_units(rest).trim(), cwd))
        };
        if let Some(path) = header("*** Update File:") {
            edited.push((path, Vec::new()));
            into_new = Some(false);
        } else if let Some(path) = header("*** Add File:") {
            added.push((path, Vec::new()));
            into_new = Some(true);
        } else if line.starts_with("*** Delete File:") || line.starts_with("*** End Patch") {
            into_new = None;
        } else if let (Some(is_new), Some((&0x2B, text))) = (into_new, line.units().split_first()) {
            let list = if is_new { &mut added } else { &mut edited };
            if let Some((_, lines)) = list.last_mut() {
                lines.push(JsString::from_units(text));
            }
        }
    }
    let mut calls = Vec::new();
    if !edited.is_empty() || added.is_empty() {
        let entries = edited.iter().filter(|(_, lines)| !lines.is_empty());
        let entries = entries.map(|(path, lines)| (path.clone(), joined(lines))).collect();
        let (id, foreign) = (id.clone(), foreign.clone());
        calls.push(Call {
            id,
            tool: "edit".into(),
            foreign,
            shows: Shows::Entries(entries),
            result: CallResult::Unknown,
        });
    }
    for (number, (path, lines)) in added.iter().enumerate() {
        facts.added_files += 1;
        let mut id = id.clone();
        id.push_str(&format!("#{}", number + 1));
        let mut content = joined(lines);
        if !content.is_empty() {
            content.push_str("\n");
        }
        let arguments = json_object! {"path": path.clone(), "content": content};
        let (foreign, shows) = (foreign.clone(), Shows::Arguments(arguments.into()));
        calls.push(Call { id, tool: "write".into(), foreign, shows, result: CallResult::Unknown });
    }
    calls
}
