//! The tools that the agent brings along, and what it is known to make of their calls.

/// A tool of the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tool {
    /// The name by which the model calls it.
    pub name: &'static str,
    /// The arguments that are known; there may be others.
    pub arguments: &'static [Argument],
    /// What conditions are matched against.
    pub shows: Shows,
    /// Whether an argument may be a path (engine.md E6.4). Where that is not known, it may.
    pub names_files: bool,
}

/// An argument of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: &'static str,
    /// Whether it must be there and be a string, or the call is refused (engine.md E7.5a). What a call of `edit` needs
    /// depends on its mode.
    pub required: bool,
}

impl Argument {
    /// Whether scopes and globs see the argument as a path (engine.md E6.4).
    #[cfg(test)]
    fn is_path(&self) -> bool {
        let key = self.name.to_ascii_lowercase();
        key.ends_with("path") || key.ends_with("paths")
    }
}

/// The text of a call that conditions see (engine.md E5.5, E6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shows {
    /// The argument `content`.
    Content,
    /// The lines that the call adds to files.
    AddedLines,
    /// The arguments as JSON.
    Arguments,
}

/// Every tool of the agent, hidden ones included. Extensions and servers bring others.
pub const TOOLS: [Tool; 43] = [
    Tool { name: "apply_patch", arguments: &[optional("input")], shows: Shows::AddedLines, names_files: true },
    other("ask"),
    other("ast_edit"),
    other("ast_grep"),
    Tool {
        name: "bash",
        arguments: &[needed("command"), optional("timeout")],
        shows: Shows::Arguments,
        names_files: false,
    },
    other("browser"),
    other("calc"),
    other("checkpoint"),
    other("debug"),
    Tool {
        name: "edit",
        arguments: &[
            optional("path"),
            optional("old_string"),
            optional("new_string"),
            optional("replace_all"),
            optional("edits"),
            optional("input"),
        ],
        shows: Shows::AddedLines,
        names_files: true,
    },
    other("eval"),
    other("exit_plan_mode"),
    other("fetch"),
    other("find"),
    other("generate_image"),
    other("github"),
    other("glob"),
    Tool { arguments: &[needed("pattern"), optional("path"), optional("paths")], ..other("grep") },
    other("hub"),
    other("inspect_image"),
    other("irc"),
    other("job"),
    other("ls"),
    other("lsp"),
    other("memory"),
    other("notebook"),
    other("poll"),
    other("puppeteer"),
    other("python"),
    Tool { arguments: &[needed("path")], ..other("read") },
    other("recall"),
    other("report_finding"),
    other("resolve"),
    other("rewind"),
    other("ssh"),
    other("submit_result"),
    other("task"),
    other("think"),
    other("todo"),
    other("todo_write"),
    other("web_search"),
    Tool { name: "write", arguments: &[needed("path"), needed("content")], shows: Shows::Content, names_files: true },
    other("yield"),
];

/// A tool of which nothing but its name is known.
const fn other(name: &'static str) -> Tool {
    Tool { name, arguments: &[], shows: Shows::Arguments, names_files: true }
}

/// A string that must be there.
const fn needed(name: &'static str) -> Argument {
    Argument { name, required: true }
}

const fn optional(name: &'static str) -> Argument {
    Argument { name, required: false }
}

impl Tool {
    /// The arguments without which the call is refused.
    pub fn required(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.arguments.iter().filter(|argument| argument.required).map(|argument| argument.name)
    }
}

/// The agent's tool of this name.
pub fn tool(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// What conditions see of a call of this name, where the tool is the agent's or one of a server.
pub fn shows(name: &str) -> Option<Shows> {
    tool(name).map(|tool| tool.shows).or_else(|| is_of_server(name).then_some(Shows::Arguments))
}

fn is_of_server(name: &str) -> bool {
    name.starts_with("mcp")
}

/// Whether a tool of this name may be there: one of the agent, or one of a server that brings its own.
pub fn may_be_there(name: &str) -> bool {
    is_of_server(name) || tool(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_unique() {
        assert!(TOOLS.is_sorted_by(|one, other| one.name < other.name));
    }

    #[test]
    fn a_tool_without_files_has_no_argument_that_is_a_path() {
        for tool in TOOLS {
            assert!(tool.names_files || !tool.arguments.iter().any(Argument::is_path), "{}", tool.name);
        }
    }
}
