//! Group C of the second reports: what rule files say that the agent does not do.

use super::{Rules, call, condition, edit, file, files, path_in, quoted, rule, text};
use crate::support::program::{surroundings, ttsr, ttsr_with};

/// A call of `bash` with this command.
fn bash(command: &str) -> serde_json::Value {
    call("bash", &[&serde_json::json!({"command": command}).to_string()])
}

/// A call of `write` with this path and content.
fn write(path: &str, content: &str) -> serde_json::Value {
    call("write", &[&serde_json::json!({"path": path, "content": content}).to_string()])
}

/// The rule is registered, and this is the only finding.
fn only(rules: &Rules, name: &str, severity: &str) -> super::Finding {
    let checked = rules.check();
    assert!(checked.registered(), "{:#?}", checked.findings());
    assert_eq!(checked.names().len(), 1, "{:#?}", checked.findings());
    checked.finding(name, severity)
}

/// The rule is registered, and there is nothing to say of it.
fn is_silent(rules: &Rules) {
    let checked = rules.check();
    assert!(checked.registered() && checked.names().is_empty(), "{:#?}", checked.findings());
}

#[test]
fn row_102_path_filter_on_a_tool_without_paths() {
    for scope in ["\"Bash(git *)\"", "tool:bash(*.sh)"] {
        let rules = rule(&format!("condition: foo\nscope: {scope}"));
        let found = only(&rules, "pathless-tool", "error");
        assert!(found.help.starts_with("write `tool:bash`"), "{found:?}");
        assert_eq!(rules.fires(&bash("git foo")), None);
    }
    // A glob for each of several files would be as dead.
    only(&rule("condition: foo\nscope: tool:bash(*.sh,*.bash)"), "pathless-tool", "error");
    let mended = rule("condition: foo\nscope: tool:bash");
    is_silent(&mended);
    assert!(mended.fires(&bash("git foo")).is_some());
    is_silent(&rule("condition: foo\nscope: tool:mcp__fs_read(*.sh)"));
}

#[test]
fn row_103_globs_beside_a_tool_without_paths() {
    let rules = rule("condition: foo\nscope: tool:bash\nglobs: [\"*.sh\"]");
    let found = only(&rules, "pathless-tool", "error");
    assert!(found.message.contains("can never fire") && found.help.starts_with("remove `globs`"), "{found:?}");
    assert_eq!(rules.fires(&bash("foo a.sh")), None);
    // Other tools of the scope have paths.
    let both = rule("condition: foo\nscope: tool:edit, tool:bash\nglobs: [\"*.sh\"]");
    only(&both, "pathless-tool", "warning");
    assert_eq!(both.fires(&bash("foo a.sh")), None);
    assert_eq!(both.fires(&edit("a.sh", &["foo"])), Some(1));
}

#[test]
fn row_104_values_of_a_type_that_is_ignored() {
    for (frontmatter, loss) in [
        ("globs: 5", "for every file"),
        ("globs: {a: b}", "for every file"),
        ("scope: 5", "for prose and all tools"),
        ("agents: true", "for every agent"),
        ("description: [d]", "no description"),
        ("astCondition: 5", "no condition"),
    ] {
        let rules = rule(&format!("condition: foo\n{frontmatter}"));
        let found = only(&rules, "wrong-type", "warning");
        assert!(found.message.contains(loss), "{found:?}");
        assert_eq!(rules.fires(&text(&["foo"])), Some(1), "{frontmatter}");
    }
}

#[test]
fn row_105_empty_values() {
    for (key, fires) in [("scope", Some(1)), ("globs", Some(1)), ("agents", Some(1))] {
        for value in ["[]", "''", "[' ']"] {
            let rules = rule(&format!("condition: foo\n{key}: {value}"));
            only(&rules, "empty-value", "warning");
            assert_eq!(rules.fires(&text(&["foo"])), fires, "{key}: {value}");
        }
    }
    // A form that was not filled in, and a rule that has nothing to narrow.
    is_silent(&rule("condition: foo\nglobs:"));
    assert!(rule("description: d\nglobs: []").check().names().is_empty());
}

#[test]
fn row_106_repeated_keys() {
    let rules = rule("condition: foo\ncondition: bar");
    let found = only(&rules, "repeated-key", "error");
    assert!(found.help.contains("`condition: [A, B]`"), "{found:?}");
    assert_eq!((found.line, rules.check().list("condition")), (2, vec!["bar"]));
    assert_eq!((rules.fires(&text(&["foo"])), rules.fires(&text(&["bar"]))), (None, Some(1)));
    let spellings = rule("condition: x\ninterrupt-mode: never\ninterruptMode: always");
    assert_eq!(only(&spellings, "repeated-key", "error").line, 3);
    is_silent(&rule("condition: foo\nnote: a\nnote: b"));
}

#[test]
fn row_107_narrowing_key_of_another_tool() {
    for key in ["paths", "files"] {
        let rules = rule(&format!("condition: foo\n{key}: [\"src/**\"]"));
        let found = only(&rules, "unknown-key", "warning");
        assert!(found.help.contains("`globs`"), "{found:?}");
        assert_eq!(rules.fires(&text(&["foo"])), Some(1));
    }
    is_silent(&rule("condition: foo\nglobs: '*.ts'\npaths: a"));
}

#[test]
fn row_108_classes_of_unicode() {
    for pattern in ["\\p{Han}", "[\\p{L}]", "\\P{Lu}x"] {
        let rules = condition(pattern);
        only(&rules, "foreign-syntax", "error");
        assert_eq!(rules.fires(&text(&["漢"])), None, "{pattern}");
    }
    is_silent(&condition("\\\\p\\{Han\\}"));
}

#[test]
fn row_109_code_points_in_braces() {
    for (pattern, right, shown) in
        [("\\x{41}", "`\\u0041`", "A"), ("\\u{1F600}", "`\\uD83D\\uDE00`", "😀"), ("a\\u{e9}", "`\\u00E9`", "aé")]
    {
        let rules = condition(pattern);
        let found = only(&rules, "foreign-syntax", "error");
        assert!(found.help.contains(right), "{found:?}");
        assert_eq!(rules.fires(&text(&[shown])), None, "{pattern}");
    }
    assert_eq!(condition("\\uD83D\\uDE00").fires(&text(&["😀"])), Some(1));
}

#[test]
fn row_110_a_gap_of_no_turns() {
    let rules = rule("condition: foo\ninterruptMode: never");
    let options = ["--set", "ttsr.repeatMode=after-gap", "--set", "ttsr.repeatGap=0"];
    rules.check_with(&options).finding("no-gap", "warning");
    let deltas = call("write", &["{\"path\":\"a\",\"content\":\"foo ", "foo ", "foo\"}"]);
    // The last one is at the end of the call.
    assert_eq!(rules.play_with("v3", &deltas, &options).fired(), [1, 2, 3, 0]);
    let one = [&options[..3], &["ttsr.repeatGap=1"]].concat();
    assert!(rules.check_with(&one).names().is_empty());
    assert_eq!(rules.play_with("v3", &deltas, &one).fired(), [1]);
    assert!(rules.check_with(&options[2..]).names().is_empty());
}

#[test]
fn row_111_line_start_under_a_bash_scope() {
    for pattern in ["^git push", "(?m)^git push", "^\\s*git push"] {
        let rules = rule(&format!("condition: {}\nscope: tool:bash", quoted(pattern)));
        let found = only(&rules, "unseen-text", "error");
        assert!(found.message.contains("`{\"command\":\"…\"}`") && !found.help.contains("(?m)^"), "{found:?}");
        assert_eq!(rules.fires(&bash("git push")), None, "{pattern}");
        let written = found.help.trim_start_matches("write `").trim_end_matches('`').to_owned();
        let mended = rule(&format!("condition: {written}\nscope: tool:bash"));
        is_silent(&mended);
        assert!(mended.fires(&bash("git push")).is_some(), "{written}");
    }
    only(&rule("condition: ^git push\nscope: text, tool:bash"), "start-anchor", "note");
    is_silent(&rule("condition: '^\\{\"command\":\"git'\nscope: tool:bash"));
}

#[test]
fn row_112_bare_quote_under_a_bash_scope() {
    for pattern in ["git commit -m \"wip\"", "git commit -m \\\"wip\\\"", "NAME=\"x\""] {
        let rules = rule(&format!("condition: {}\nscope: tool:bash", quoted(pattern)));
        let found = only(&rules, "unseen-text", "error");
        let command = pattern.replace('\\', "");
        assert_eq!(rules.fires(&bash(&command)), None, "{pattern}");
        let written = found.help.trim_start_matches("write `").trim_end_matches('`').to_owned();
        let mended = rule(&format!("condition: {written}\nscope: tool:bash"));
        is_silent(&mended);
        assert!(mended.fires(&bash(&command)).is_some(), "{written}");
    }
    // Quotes of the JSON itself.
    for pattern in ["\"command\":\"git", "push\"", "\"git push\"", "-m \\\\\"wip"] {
        is_silent(&rule(&format!("condition: {}\nscope: tool:bash", quoted(pattern))));
    }
}

#[test]
fn row_113_json_around_the_text_under_a_write_scope() {
    let rules = rule(&format!("condition: {}\nscope: tool:write", quoted("\"path\"\\s*:\\s*\"/tmp/")));
    let found = only(&rules, "unseen-text", "error");
    assert!(found.help.contains("`globs`"), "{found:?}");
    assert_eq!(rules.fires(&write("/tmp/x", "foo")), None);
    is_silent(&rule(&format!("condition: {}\nscope: tool:write", quoted("\"name\"\\s*:\\s*\"x\""))));
}

#[test]
fn row_114_tools_of_the_agent() {
    for name in ["eval", "debug", "todo", "github", "hub", "recall", "yield", "think"] {
        let rules = rule(&format!("condition: foo\nscope: tool:{name}"));
        is_silent(&rules);
        assert!(rules.fires(&call(name, &["{\"a\":\"foo\"}"])).is_some(), "{name}");
    }
    // What no tool of the agent is near to may be another's.
    let found = only(&rule("condition: foo\nscope: tool:deploy_site"), "unknown-scope-tool", "note");
    assert!(found.help.contains("fine if an extension or an MCP server brings it"), "{found:?}");
}

#[test]
fn row_115_always_apply_beside_a_condition() {
    let rules = rule("condition: foo\nalwaysApply: true");
    only(&rules, "lost-always-apply", "warning");
    assert_eq!(rules.check().rule()["bucket"], "ttsr");
    assert!(rule("alwaysApply: true").check().names().is_empty());
    is_silent(&rule("condition: foo\nalwaysApply: false"));
}

#[test]
fn row_116_a_word_of_the_scope_as_condition() {
    let rules = rule("condition: tool:bash");
    let found = only(&rules, "scope-as-condition", "warning");
    assert!(found.help.contains("`scope: 'tool:bash'`"), "{found:?}");
    assert_eq!((rules.fires(&text(&["tool:bash"])), rules.fires(&bash("ls"))), (Some(1), None));
    only(&rule("condition: [foo, tool:bash]\nscope: text"), "scope-as-condition", "warning");
    only(&rule("condition: [foo, tool:bash]"), "any-condition", "note");
    is_silent(&rule("condition: 'tool:foo'"));
}

#[test]
fn row_117_keys_of_stream_rules_without_a_condition() {
    for (frontmatter, bucket) in [
        ("description: d\nscope: text", "rulebook"),
        ("description: d\ninterruptMode: never", "rulebook"),
        ("alwaysApply: true\nscope: text", "always"),
    ] {
        let checked = rule(frontmatter).check();
        assert_eq!(checked.rule()["bucket"], bucket);
        assert_eq!(checked.names(), [("missing-trigger".to_owned(), "warning".to_owned())], "{frontmatter}");
    }
    assert!(rule("description: d\nglobs: ['*.ts']\nagents: [main]").check().names().is_empty());
}

#[test]
fn row_118_a_comma_is_split_before_anything_else() {
    for globs in ["src/*.ts, lib/*.ts", "./a.ts,./b.ts"] {
        let found = only(&rule(&format!("condition: foo\nglobs: {globs}")), "comma-in-glob", "error");
        let written = found.help.split('`').nth(1).expect("what to write").to_owned();
        assert!(rule(&format!("condition: foo\n{written}")).check().is_silent("comma-in-glob"), "{written}");
    }
    only(&rule("condition: foo\nglobs: '!a.ts, !b.ts'"), "comma-in-glob", "error");
}

#[test]
fn row_119_the_glob_for_any_folder_is_there_already() {
    is_silent(&rule("condition: foo\nscope: 'tool:edit(src/*.rs), tool:edit(**/src/*.rs)'"));
    is_silent(&rule("condition: foo\nglobs: ['src/*.rs', '**/src/*.rs']"));
    only(&rule("condition: foo\nglobs: ['src/*.rs', '**/lib/*.rs']"), "relative-glob", "note");
}

#[test]
fn row_120_a_rule_without_body_is_told_that_alone() {
    let checked = file(b"---\ndescription: d\nglobs: [\"*.ts\"]\n---\n").check();
    assert_eq!(checked.names(), [("empty-content".to_owned(), "error".to_owned())], "{:#?}", checked.findings());
}

#[test]
fn row_121_a_file_in_a_folder_that_is_named_too() {
    let rules = files(&[("ok.md", b"---\ncondition: foo\n---\nB"), ("sub/ok.md", b"---\ncondition: a\n---\nB")]);
    let folder = rules.path().to_str().expect("UTF-8");
    let named = path_in(&rules, "ok.md");
    let checked = |paths: &[&str]| ttsr([&["check-rules"], paths, &["--format", "json"]].concat()).out;
    let once = checked(&[folder]);
    assert_eq!(once.matches("shadowed-rule").count(), 1, "{once}");
    assert_eq!(checked(&[folder, named.to_str().expect("UTF-8")]), once);
    assert_eq!(checked(&[folder, folder]), once);
}

#[test]
fn row_122_a_rule_on_standard_input() {
    let piped = |arguments: &[&str], input: &str| {
        let arguments = [&["check-rules"], arguments, &["--format", "json", "--lifecycle", "v3"]].concat();
        ttsr_with(arguments, input.as_bytes(), &surroundings())
    };
    let checked = |arguments: &[&str], input: &str| {
        let outcome = piped(arguments, input);
        super::Checked(serde_json::from_str(&outcome.out).unwrap_or_else(|error| panic!("{error}: {}", outcome.err)))
    };
    let good = "---\ncondition: foo\n---\nB\n";
    let named = checked(&["-", "--stdin-filename", ".omp/rules/no-foo.md"], good);
    assert_eq!((&named.rule()["name"], named.registered()), (&"no-foo".into(), true));
    assert_eq!(named.rule()["path"], ".omp/rules/no-foo.md");
    assert!(checked(&["-"], good).registered());
    let found = checked(&["-", "--stdin-filename", "a.md"], "---\ncondition: '('\n---\nB\n").findings();
    assert_eq!((found[0].name.as_str(), found[0].file.as_str(), found[0].line), ("invalid-condition", "a.md", 2));
    let rules = rule("condition: bar");
    let folder = rules.path().to_str().expect("UTF-8");
    assert_eq!(piped(&["-", folder], good).status, 2, "it stands alone");
    // A repair is what comes out; a name is for what is piped.
    let old = "---\nttsr_trigger: foo\n---\nB\n";
    let fixed = ttsr_with(["check-rules", "-", "--fix", "--lifecycle", "v3"], old.as_bytes(), &surroundings());
    assert_eq!(fixed.out, "---\ncondition: foo\n---\nB\n", "{}", fixed.err);
    assert_eq!(piped(&[folder, "--stdin-filename", "a.md"], old).status, 2);
}

#[test]
fn row_123_files_that_the_agent_never_loads() {
    let text: &[u8] = b"---\ncondition: foo\n---\nB";
    let at = ["a.md", "b.md", ".h.md", "sub/n.md", "UP.MD"].map(|name| format!(".omp/rules/{name}"));
    let mut all: Vec<(&str, &[u8])> = at.iter().map(|path| (path.as_str(), text)).collect();
    all.push((".gitignore", b"b.md\n"));
    let rules = files(&all);
    let folder = rules.path().to_str().expect("UTF-8");
    let out = ttsr(["check-rules", "--project", folder, "--format", "json"]).out;
    let checked = super::Checked(serde_json::from_str(&out).expect("JSON"));
    assert_eq!(checked.rule()["name"], "a");
    let found: Vec<(String, String)> = checked
        .findings()
        .into_iter()
        .map(|found| {
            assert_eq!((found.name.as_str(), found.severity.as_str()), ("skipped-file", "note"));
            (found.file.rsplit('/').next().expect("a name").to_owned(), found.message)
        })
        .collect();
    let whys =
        [(".h.md", "begins with a dot"), ("UP.MD", "lower case"), ("b.md", ".gitignore"), ("n.md", "folders in it")];
    assert_eq!(found.len(), whys.len(), "{found:#?}");
    for ((name, why), (file, message)) in whys.iter().zip(&found) {
        assert!(file == name && message.contains(why), "{found:#?}");
    }
}

#[test]
fn row_125_the_table_shows_interrupts_and_agents() {
    let list = |rules: &Rules| ttsr(["check-rules", rules.path().to_str().expect("UTF-8"), "--list"]).out;
    let both = list(&rule("condition: foo\ninterruptMode: never\nagents: [main, task-*]"));
    let heads = both.lines().next().expect("a line").split_whitespace().collect::<Vec<_>>();
    assert_eq!(heads, ["Rule", "Bucket", "Conditions", "Scope", "Globs", "Interrupts", "Agents", "Provider"]);
    assert!(both.contains(" never ") && both.contains(" main ") && both.contains(" task-*"), "{both}");
    // What no rule has takes no room.
    let plain = list(&rule("condition: foo"));
    assert!(!plain.contains("Interrupts") && !plain.contains("Agents"), "{plain}");
}

#[test]
fn row_126_the_spelling_of_a_list() {
    let rules = rule("condition: foo");
    let found = rules.check_with(&["--set", "ttsr.disabledRules=no-x"]).finding("ignored-setting", "warning");
    assert_eq!(found.help, "write `--set ttsr.disabledRules='[\"no-x\"]'`");
    let listed = rules.check_with(&["--set", "ttsr.disabledRules=[\"r\"]"]);
    assert!(listed.names().is_empty() && !listed.registered(), "{:#?}", listed.findings());
}

#[test]
fn row_127_flags_in_the_early_generation() {
    let rules = rule("ttsr_trigger: '(?i)foo'");
    let checked = rules.check_with(&["--lifecycle", "v1"]);
    assert!(!checked.registered());
    let found = checked.finding("untranslated-inline-flag", "error");
    assert!(!found.help.contains("`(?i)foo`"), "{found:?}");
}

#[test]
fn row_128_a_repeated_block_is_decided() {
    let source = r"(?:^|\n)(?<dup>[^\n]{20,}\n[^\n]{16,}\n[^\n]{16,})[\s\S]{1,4000}?\n\k<dup>";
    let rules = condition(source);
    only(&rules, "superlinear-pattern", "warning");
    let line = |at: usize| format!("    let value_{at} = table.get(index_{at}, {at}).unwrap_or_default();\n");
    let code: String = (0..120).map(line).collect();
    let again: String = (80..83).map(line).collect();
    for (text, fires) in [(code.clone(), false), (code + &again, true)] {
        let pieces: Vec<&str> =
            text.as_bytes().chunks(40).map(|piece| std::str::from_utf8(piece).expect("ASCII")).collect();
        let run = rules.play("v3", &super::text(&pieces));
        assert_eq!(run.of_kind("undecided"), [&serde_json::Value::Null; 0]);
        assert_eq!((run.of_kind("summary")[0]["undecided"].as_u64(), !run.fired().is_empty()), (Some(0), fires));
    }
}
