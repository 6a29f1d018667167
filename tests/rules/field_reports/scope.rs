//! Group B: scope, globs, paths.

use serde_json::json;

use super::{Rules, call, edit, rule, text, thinking};

/// The delta at which a rule `foo` with these keys fires when `edit` puts `foo` into a file.
fn edits(keys: &str, path: &str) -> Option<u64> {
    rule(&format!("condition: foo\n{keys}")).fires(&edit(path, &["foo"]))
}

fn never_fires(rules: &Rules) {
    for reply in [
        text(&["foo(1)"]),
        thinking(&["foo(1)"]),
        edit("a.ts", &["foo(1)"]),
        call("write", &["{\"path\":\"a.ts\",\"content\":\"foo(1)\"}"]),
        call("bash", &["{\"command\":\"foo(1)\"}"]),
    ] {
        assert_eq!(rules.fires(&reply), None, "{reply}");
    }
}

#[test]
fn row_25_globs_on_prose() {
    for scope in ["text", "thinking", "[text, thinking]"] {
        let rules = rule(&format!("condition: foo\nscope: {scope}\nglobs: [\"*.ts\"]"));
        let checked = rules.check();
        assert!(checked.registered());
        let found = checked.finding("globs-exclude-prose", "error");
        assert!(found.message.contains("can never fire"), "{found:?}");
        assert_eq!(checked.names().len(), 1, "{:#?}", checked.findings());
        never_fires(&rules);
    }
    assert_eq!(rule("condition: foo\nscope: text\nglobs: [' ']").fires(&text(&["foo"])), Some(1));
}

#[test]
fn row_26_ast_condition_without_tools() {
    for scope in ["text", "thinking", "tool:bash"] {
        let rules = rule(&format!("astCondition: foo($A)\nscope: {scope}"));
        let checked = rules.check();
        assert!(checked.registered());
        checked.finding("ast-never-runs", "error");
        assert_eq!(checked.names().len(), 1, "{:#?}", checked.findings());
        never_fires(&rules);
    }
}

#[test]
fn row_27_bare_word_is_a_tool() {
    for (scope, right) in [
        ("txt", "`text`"),
        ("tools", "`tool`"),
        ("assistant", "`text`"),
        ("tool:edti", "`tool:edit`"),
        ("thinkng", "`thinking`"),
        ("tool:wirte(*.ts)", "`tool:write(*.ts)`"),
        ("bahs", "`bash`"),
    ] {
        let rules = rule(&format!("condition: foo\nscope: {scope}"));
        let checked = rules.check();
        assert!(checked.registered(), "{scope}");
        assert_eq!(checked.list("scope"), [scope]);
        let unknown = checked.finding("unknown-scope-tool", "warning");
        assert_eq!(unknown.help, format!("did you mean {right}?"), "{scope}");
        never_fires(&rules);
    }
}

#[test]
fn row_30_case_and_commas_inside_braces() {
    let rules = rule("condition: foo\nscope: \"Tool:Edit({*.ts,*.tsx}), TEXT\"");
    let checked = rules.check();
    assert_eq!(checked.list("scope"), ["Tool:Edit({*.ts,*.tsx})", "TEXT"]);
    assert!(checked.names().is_empty(), "{:#?}", checked.findings());
    assert_eq!(rules.fires(&text(&["foo"])), Some(1));
    assert_eq!(rules.fires(&edit("a.ts", &["foo"])), Some(1));
    assert_eq!(rules.fires(&edit("src/b.tsx", &["fo", "o"])), Some(2));
    assert_eq!(rules.fires(&edit("a.js", &["foo"])), None);
    assert_eq!(rules.fires(&thinking(&["foo"])), None);
    assert_eq!(rule("condition: foo\nscope: THINKING, toolCall").fires(&thinking(&["foo"])), Some(1));
}

#[test]
fn row_31_globs_as_one_comma_string() {
    for (globs, right) in [
        ("'*.ts, *.tsx'", "`globs: ['*.ts', '*.tsx']`"),
        ("\"src/**,lib/**\"", "`globs: ['src/**', 'lib/**']`"),
        ("['*.ts,*.js']", "`globs: ['*.ts', '*.js']`"),
    ] {
        let rules = rule(&format!("condition: foo\nglobs: {globs}"));
        let checked = rules.check();
        assert!(checked.registered());
        assert_eq!(checked.list("globs").len(), 1);
        let comma = checked.finding("comma-in-glob", "error");
        assert!(comma.help.contains(right), "{comma:?}");
        for path in ["a.ts", "src/a.tsx", "src/a", "lib/a.js"] {
            assert_eq!(rules.fires(&edit(path, &["foo"])), None, "{globs} {path}");
        }
    }
    assert_eq!(edits("globs: ['*.ts', '*.tsx']", "a.ts"), Some(1));
    assert_eq!(edits("globs: '*.{ts,tsx}'", "a.ts"), Some(1));
    assert!(rule("condition: foo\nglobs: '*.{ts,tsx}'").check().names().is_empty());
}

#[test]
fn row_32_globs_with_a_folder_in_front() {
    assert_eq!(edits("globs: ['src/*.ts']", "/w/src/a.ts"), None);
    assert_eq!(edits("globs: ['./src/*.ts']", "src/a.ts"), None);
    assert_eq!(edits("globs: ['**/src/*.ts']", "/w/src/a.ts"), Some(1));
    // Below the working directory the path is tried relative to it too.
    assert_eq!(edits("globs: ['src/*.ts']", "/project/src/a.ts"), Some(1));
    for (glob, name, severity, right) in [
        ("src/*.ts", "relative-glob", "note", "`**/src/*.ts`"),
        ("src/lib/**", "relative-glob", "note", "`**/src/lib/**`"),
        ("./src/*.ts", "literal-dot-glob", "warning", "`**/src/*.ts`"),
    ] {
        let checked = rule(&format!("condition: foo\nglobs: ['{glob}']")).check();
        let found = checked.finding(name, severity);
        assert!(found.help.contains(right), "{found:?}");
        assert_eq!(checked.names().len(), 1, "{:#?}", checked.findings());
    }
    let scoped = rule("condition: foo\nscope: tool:edit(src/*.ts)");
    assert_eq!(scoped.fires(&edit("/w/src/a.ts", &["foo"])), None);
    assert!(scoped.check().finding("relative-glob", "note").help.contains("`**/src/*.ts`"));
    for silent in ["'*.ts'", "'**/*.ts'", "'/w/src/*.ts'", "'{a,b}.ts'", "README.md"] {
        let checked = rule(&format!("condition: foo\nglobs: {silent}")).check();
        assert!(checked.names().is_empty(), "{silent}: {:#?}", checked.findings());
    }
}

#[test]
fn row_33_base_name_dot_files_case_negation() {
    for (glob, path, fires) in [
        ("*.ts", "src/a.ts", true),
        ("*.env", ".env", true),
        ("*.env", "deploy/.env", true),
        ("*.TS", "a.ts", false),
        ("*.ts", "a.TS", false),
        ("!*.ts", "a.js", true),
        ("!**/*.ts", "a.ts", false),
    ] {
        let fired = edits(&format!("globs: ['{glob}']"), path);
        assert_eq!(fired.is_some(), fires, "{glob} {path}");
        let scoped = edits(&format!("scope: 'tool:edit({glob})'"), path);
        assert_eq!(scoped.is_some(), fires, "scope {glob} {path}");
    }
    let negated = rule("condition: foo\nglobs: ['!*.ts']").check().finding("negated-glob", "warning");
    assert_eq!(negated.help, "write `!**/*.ts`");
}

#[test]
fn row_34_backslash_paths() {
    assert_eq!(edits("globs: ['src/*.ts']", "src\\a.ts"), Some(1));
    assert_eq!(edits("scope: tool:edit(src/*.ts)", "src\\a.ts"), Some(1));
    assert_eq!(edits("globs: ['*.ts']", "C:\\w\\src\\a.ts"), Some(1));
    assert_eq!(edits("globs: ['src/*.ts']", "lib\\a.ts"), None);
}

#[test]
fn row_35_path_in_a_patch_header() {
    let patch = |path: &str, lifecycle: &str, scope: &str| {
        let input = format!("[{path}#ABCD]\nPUT 1.=1:\n+foo\n");
        let arguments = json!({"input": input}).to_string();
        let (first, rest) = arguments.split_at(30);
        rule(&format!("condition: foo\nscope: '{scope}'")).play(lifecycle, &call("edit", &[first, rest])).fired()
    };
    for lifecycle in ["v2", "v3"] {
        assert_eq!(patch("demo.ts", lifecycle, "tool:edit(*.ts)"), [2]);
        assert_eq!(patch("src/demo.ts", lifecycle, "tool:edit(src/*.ts)"), [2]);
        assert!(patch("demo.js", lifecycle, "tool:edit(*.ts)").is_empty());
    }
}

#[test]
fn row_37_text_behind_the_wire_form() {
    let any = rule("condition: '\"any\"'\nscope: tool");
    let written = json!({"path": "a.ts", "content": "say \"any\""}).to_string();
    assert!(written.contains("say \\\"any\\\""));
    for lifecycle in ["v2", "v3"] {
        assert!(!any.play(lifecycle, &call("write", &[&written])).fired().is_empty(), "{lifecycle}");
    }
    // Rows of a patch lose their `+`; escaped line feeds are line feeds.
    let rows = rule("condition: '(?m)^one\\ntwo$'\nscope: tool:edit");
    let patch = json!({"input": "[a.ts#ABCD]\nPUT 1.=1:\n+one\n+two\n"}).to_string();
    assert_eq!(rows.fires(&call("edit", &[&patch])), Some(1));
    let replaced = rule("condition: 'one\\n\\ttwo'\nscope: tool:edit");
    assert_eq!(replaced.fires(&edit("a.ts", &["one\n", "\ttwo"])), Some(2));
}
