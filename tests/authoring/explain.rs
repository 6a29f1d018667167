//! `--explain`: the nearest reason for each rule and message, and what it rests on.

use ttsr::text::json::Value;

use super::{of_kind, path, rules, text};
use crate::support::program::ttsr;

/// The one gate of one rule on one text.
fn gate(frontmatter: &str, more: &[&str]) -> Value {
    let folder = rules(&[("r", frontmatter)]);
    let fixed = ["replay", "--rules", path(folder.path()), "--format", "jsonl", "--explain"];
    let outcome = ttsr(fixed.iter().chain(more));
    let gates = of_kind(&outcome, "gate");
    assert_eq!(gates.len(), 1, "{}{}", outcome.out, outcome.err);
    gates.into_iter().next().expect("a gate")
}

fn why(frontmatter: &str, more: &[&str], gate_name: &str) -> String {
    let gate = gate(frontmatter, more);
    assert_eq!(text(&gate, "gate"), gate_name, "{}", gate.to_json());
    text(&gate, "why")
}

#[test]
fn a_condition_says_what_it_saw_and_where_it_came_closest() {
    let found = gate("condition: 'console\\.log\\('", &["--text", "use console.lag(x)"]);
    assert_eq!(
        text(&found, "why"),
        "its condition does not match the prose; it came closest with `console.l`, where `ag(x)` follows and `o` is \
         wanted"
    );
    assert_eq!(text(&found, "searched.what"), "text");
    assert_eq!(text(&found, "searched.excerpt"), "use console.lag(x)");
    assert_eq!(text(&found, "closest.read"), "console.l");
    assert_eq!(found.get("closest").and_then(|at| at.get("at")).and_then(Value::as_f64), Some(4.0));
    let none = why("condition: foo", &["--text", "bar"], "condition");
    assert!(none.ends_with("nothing in it begins a match"), "{none}");
    let behind = why("condition: '(?<!a)foo'", &["--text", "afoo"], "condition");
    assert!(behind.contains("where it came closest is not available"), "{behind}");
    let several = why("condition: [foo, 'b\\.z']", &["--text", "b.y"], "condition");
    assert!(several.contains("none of its 2 conditions matches the prose; one would be enough"), "{several}");
    assert!(several.contains("`b.`"), "{several}");
}

/// The commonest mistake about `bash`: a line start, in a text that begins with a brace (rows 111 and 112).
#[test]
fn a_condition_on_the_command_is_told_from_one_on_the_arguments() {
    for (condition, command) in [("^git push", "git push"), ("git commit -m \"wip\"", "git commit -m \"wip\"")] {
        let frontmatter = format!("condition: '{condition}'\nscope: tool:bash");
        let found = gate(&frontmatter, &["--text", command, "--tool", "bash"]);
        let why = text(&found, "why");
        assert!(why.contains("would match the value of `command`, but the agent matches the JSON text"), "{why}");
        assert!(why.contains("the JSON arguments of the `bash` call, {\"command\":\""), "{why}");
        assert_eq!(text(&found, "would_match"), "command");
        assert_eq!(text(&found, "searched.what"), "arguments");
    }
    // A value inside values has its path.
    let nested = r#"{"tasks":[{"prompt":"x"},{"prompt":"do it"}]}"#;
    let found = gate("condition: '^do'", &["--text", nested, "--tool", "todo"]);
    assert_eq!(text(&found, "would_match"), "tasks[1].prompt");
    let quiet = gate("condition: zzz", &["--text", "git push", "--tool", "bash"]);
    assert!(quiet.get("would_match").is_none(), "{}", quiet.to_json());
}

/// Row 113: around the content there is no JSON.
#[test]
fn a_condition_on_the_arguments_is_told_from_one_on_the_content() {
    let frontmatter = "condition: '\"path\"\\s*:\\s*\"/tmp/'\nscope: tool:write";
    let found = gate(frontmatter, &["--text", "hello", "--path", "/tmp/a.txt"]);
    let why = text(&found, "why");
    assert!(why.contains("does not match the content of the `write` call"), "{why}");
    assert!(why.contains("would match the JSON arguments, but the agent matches what the call writes"), "{why}");
    assert_eq!(text(&found, "searched.what"), "content");
    assert!(found.get("would_match").is_some());
}

#[test]
fn the_text_of_an_edit_is_what_it_brings_in() {
    let found = gate("condition: old\nscope: tool:edit", &["--text", "new", "--tool", "edit", "--path", "src/a.ts"]);
    assert_eq!(text(&found, "searched.what"), "added");
    assert_eq!(text(&found, "searched.path"), "src/a.ts");
    assert!(text(&found, "why").contains("what the `edit` call brings into `src/a.ts`"), "{}", found.to_json());
}

#[test]
fn scopes_and_globs_name_what_did_not_meet() {
    let scope =
        gate("condition: a\nscope: 'tool:edit(*.rs)'", &["--text", "a", "--tool", "edit", "--path", "src/a.py"]);
    assert_eq!(text(&scope, "gate"), "scope");
    let why_scope = text(&scope, "why");
    assert!(why_scope.contains("it takes `tool:edit(*.rs)`, and `*.rs` does not meet the path"), "{why_scope}");
    assert!(why_scope.contains("its condition would match there"), "{why_scope}");
    let pathless = why("condition: a\nscope: 'tool:bash(git *)'", &["--text", "a", "--tool", "bash"], "scope");
    assert!(pathless.contains("this call names no file for `git *`"), "{pathless}");
    let globs = gate("condition: a\nglobs: ['src/*.ts', 'lib/**']", &["--text", "a", "--path", "docs/a.md"]);
    assert_eq!(text(&globs, "gate"), "globs");
    assert!(
        text(&globs, "why").starts_with("its globs exclude `docs/a.md`: none of `src/*.ts`, `lib/**` meets it"),
        "{}",
        globs.to_json()
    );
    assert_eq!(globs.get("globs").and_then(Value::as_array).map(<[Value]>::len), Some(2));
    let prose = why("condition: a\nglobs: '*.ts'", &["--text", "a"], "globs");
    assert!(prose.contains("prose has no file, and the rule has globs: `*.ts`"), "{prose}");
}

/// A rule of structural patterns only, and a call that is no edit: its scope has nothing to do with it.
#[test]
fn structural_rules_say_that_a_call_is_no_edit() {
    let rule = "astCondition: 'foo($A)'";
    let bash = why(rule, &["--text", "foo(1)", "--tool", "bash"], "language");
    assert!(bash.contains("nothing of this call can be read as an edit"), "{bash}");
    let prose = why(rule, &["--text", "foo(1)"], "language");
    assert!(prose.contains("structural patterns look at tool calls only"), "{prose}");
    let unknown = why(rule, &["--text", "foo(1)", "--path", "a.unknown"], "language");
    assert!(unknown.contains("no language for `a.unknown`"), "{unknown}");
    let silent = why(rule, &["--text", "bar(1)", "--path", "a.ts"], "ast");
    assert!(silent.contains("no structural pattern matches"), "{silent}");
    let both = why("condition: zzz\nastCondition: 'foo($A)'", &["--text", "bar(1)", "--path", "a.ts"], "condition");
    assert!(both.contains("; no structural pattern matches"), "{both}");
}

/// Row 129, and the gates of rules that the engine never sees.
#[test]
fn rules_that_are_not_registered_name_the_reason() {
    let broken = why("condition: '(foo'", &["--text", "foo"], "not-registered");
    assert!(broken.contains("does not compile"), "{broken}");
    let off = gate("condition: foo\nenabled: false", &["--text", "foo"]);
    assert_eq!(text(&off, "gate"), "disabled", "{}", off.to_json());
    let named = gate("condition: foo", &["--text", "foo", "--set", "ttsr.disabledRules=[r]"]);
    assert_eq!(text(&named, "gate"), "disabled", "{}", named.to_json());
    let other = gate("condition: foo\nagents: [other]", &["--text", "foo"]);
    assert_eq!(text(&other, "gate"), "agent", "{}", other.to_json());
    let none = gate("description: d", &["--text", "foo"]);
    assert_eq!(text(&none, "gate"), "not-registered", "{}", none.to_json());
}

/// A rule that no text of the message is for may still match one: that is the nearest reason.
#[test]
fn a_match_where_a_rule_does_not_look_is_told() {
    let folder = rules(&[("r", "condition: foo\nscope: tool:bash")]);
    let script = folder.path().join("script.json");
    let reply = r#"[[{"text":"foo"},{"tool":"bash","id":"c1","args":{"command":"ls"}}],[{"text":"x"}]]"#;
    std::fs::write(&script, reply).expect("a script");
    let fixed = ["replay", "--script", path(&script), "--prompt", "go", "--rules", path(folder.path())];
    let outcome = ttsr(fixed.iter().chain(&["--format", "jsonl", "--explain"]));
    let gates = of_kind(&outcome, "gate");
    assert_eq!(text(&gates[0], "gate"), "condition", "{}{}", outcome.out, outcome.err);
    let why = text(&gates[0], "why");
    assert!(why.contains("the JSON arguments of the `bash` call, {\"command\":\"ls\"}"), "{why}");
    assert!(why.contains("it matches the prose, but its scope excludes prose; it takes `tool:bash`"), "{why}");
    // The second message has prose only.
    assert_eq!(text(&gates[1], "gate"), "scope");
}

#[test]
fn thinking_that_a_generation_does_not_watch_is_no_matter_of_scope() {
    let folder = rules(&[("r", "condition: foo\nscope: thinking")]);
    let run = |lifecycle: &str| {
        let fixed = ["replay", "--rules", path(folder.path()), "--format", "jsonl", "--explain"];
        let more = ["--text", "foo", "--source", "thinking", "--lifecycle", lifecycle];
        ttsr(fixed.iter().chain(&more))
    };
    let watched = run("v3");
    assert_eq!(of_kind(&watched, "trigger").len(), 1, "{}", watched.out);
    let early = rules(&[("r", "ttsr_trigger: foo")]);
    let fixed = ["replay", "--rules", path(early.path()), "--format", "jsonl", "--explain", "--lifecycle", "v1"];
    let early = ttsr(fixed.iter().chain(&["--text", "foo", "--source", "thinking"]));
    let gates = of_kind(&early, "gate");
    assert_eq!(text(&gates[0], "why"), "this lifecycle does not watch thinking", "{}", early.out);
}
