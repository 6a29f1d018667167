//! `--text` for tools: what is assumed is said.

use super::{path, rules};
use crate::support::program::ttsr;

fn said(more: &[&str]) -> String {
    let rules = rules(&[("r", "condition: foo")]);
    let outcome = ttsr(["replay", "--rules", path(rules.path())].iter().chain(more));
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    outcome.err
}

#[test]
fn tool_path_and_mode_are_said_and_why() {
    let write = said(&["--text", "foo", "--path", "src/a.ts"]);
    let expected = "--text: taken as the content of a finished `write` call (a path and no --tool) to `src/a.ts`\n";
    assert_eq!(write, expected);
    let bash = said(&["--text", "foo", "--tool", "bash"]);
    assert!(bash.contains("taken as the command of a finished `bash` call, which names no file (no --path)"), "{bash}");
    let edit = said(&["--text", "foo", "--tool", "edit", "--path", "a.ts"]);
    assert!(edit.contains("the new text of a finished `edit` call to `a.ts`, edit mode replace"), "{edit}");
    let patch = "*** Begin Patch\n*** Update File: src/b.ts\n@@\n-a\n+foo\n*** End Patch\n";
    let patch = said(&["--text", patch, "--tool", "edit"]);
    assert!(patch.contains("to `src/b.ts`, edit mode apply_patch"), "{patch}");
    let json = said(&["--text", r#"{"path":"c.ts","content":"foo"}"#, "--tool", "write"]);
    assert!(json.contains("the arguments as JSON of a finished `write` call to `c.ts`"), "{json}");
    // Prose is prose.
    assert_eq!(said(&["--text", "foo"]), "");
    assert_eq!(said(&["--text", "foo", "--tool", "bash", "--quiet"]), "");
}
