//! The tools that the agent brings along, and what it is known to make of their calls.

/// A tool of the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tool {
    /// The name by which the model calls it.
    pub name: &'static str,
    /// Arguments that must be strings, or the call is refused (engine.md E7.5a). What a call of `edit` needs depends on
    /// its mode.
    pub required: &'static [&'static str],
    /// What conditions are matched against.
    pub shows: Shows,
    /// Whether an argument may be a path (engine.md E6.4). Where that is not known, it may.
    pub names_files: bool,
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
    Tool { name: "apply_patch", required: &[], shows: Shows::AddedLines, names_files: true },
    other("ask"),
    other("ast_edit"),
    other("ast_grep"),
    Tool { name: "bash", required: &["command"], shows: Shows::Arguments, names_files: false },
    other("browser"),
    other("calc"),
    other("checkpoint"),
    other("debug"),
    Tool { name: "edit", required: &[], shows: Shows::AddedLines, names_files: true },
    other("eval"),
    other("exit_plan_mode"),
    other("fetch"),
    other("find"),
    other("generate_image"),
    other("github"),
    other("glob"),
    Tool { required: &["pattern"], ..other("grep") },
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
    Tool { required: &["path"], ..other("read") },
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
    Tool { name: "write", required: &["path", "content"], shows: Shows::Content, names_files: true },
    other("yield"),
];

/// A tool of which nothing but its name is known.
const fn other(name: &'static str) -> Tool {
    Tool { name, required: &[], shows: Shows::Arguments, names_files: true }
}

/// The agent's tool of this name.
pub fn tool(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|tool| tool.name == name)
}

/// Whether a tool of this name may be there: one of the agent, or one of a server that brings its own.
pub fn may_be_there(name: &str) -> bool {
    name.starts_with("mcp") || tool(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_unique() {
        assert!(TOOLS.is_sorted_by(|one, other| one.name < other.name));
    }
}
