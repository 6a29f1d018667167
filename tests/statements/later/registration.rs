//! The statements B1.…: discovery, buckets, registration, structural conditions.

use super::{Bench, at, v2, write};
use crate::statements::Run;

fn starting<'line>(lines: &'line [String], start: &str) -> Vec<&'line str> {
    lines.iter().filter(|line| line.starts_with(start)).map(String::as_str).collect()
}

/// Whether the one rule fires on a `write` of `content` to `path`.
fn writes(bench: &Bench, path: &str, content: &str) -> bool {
    !bench.replay(&["--text", content, "--tool", "write", "--path", path]).triggers().is_empty()
}

#[test]
fn b1_1_discovered_rules_go_through_the_buckets_with_both_settings() {
    let bench = Bench::new("v2", &[]).discovering();
    for name in ["mine", "gone"] {
        bench.rule(&format!("project/.omp/rules/{name}.md"), "condition: foo");
    }
    bench.rule("home/.omp/agent/rules/user.md", "condition: foo");
    bench.rule("bundled/own.md", "condition: foo");
    bench.write("project/.omp/config.yml", "ttsr:\n  builtinRules: false\n  disabledRules: [gone]\n");
    let bundled = bench.path("bundled").to_string_lossy().into_owned();
    let run = bench.replay(&["--text", "foo", "--bundled", &bundled]);
    assert_eq!(
        (run.each("run", "rules").concat().as_str(), run.triggers()),
        ("2", vec!["mine,user interrupt".to_owned()])
    );
}

#[test]
fn b1_2_disabled_rules_are_in_no_bucket() {
    let rules = [("a", "condition: foo"), ("b", "alwaysApply: true"), ("c", "description: d"), ("k", "condition: foo")];
    let bench = v2(&rules).set("disabledRules=[\"a\",\"b\",\"c\"]");
    let buckets = bench.buckets(&[]);
    assert_eq!(buckets.len(), 4);
    assert_eq!(starting(&buckets, "k "), ["k ttsr: null"]);
    assert!(["a none:", "b none:", "c none:"].iter().all(|start| starting(&buckets, start).len() == 1), "{buckets:?}");
    assert_eq!(bench.replay(&["--text", "foo"]).triggers(), ["k interrupt"]);
    let all = v2(&rules).buckets(&[]);
    assert_eq!(
        (starting(&all, "a ttsr").len(), starting(&all, "b always").len(), starting(&all, "c rulebook").len()),
        (1, 1, 1)
    );
}

#[test]
fn b1_3_builtin_rules_false_drops_the_bundled_ones_only() {
    for (value, expected) in [("true", "r,own interrupt"), ("false", "r interrupt")] {
        let bench = v2(&[("r", "condition: foo")]).set(&format!("builtinRules={value}"));
        bench.rule("bundled/own.md", "condition: foo");
        let bundled = bench.path("bundled").to_string_lossy().into_owned();
        assert_eq!(bench.replay(&["--text", "foo", "--bundled", &bundled]).triggers(), [expected]);
    }
}

#[test]
fn b1_4_accepted_rules_are_registered_the_rest_goes_on() {
    let bench = v2(&[
        ("a", "condition: foo\nalwaysApply: true"),
        ("b", "condition: '('\nalwaysApply: true"),
        ("c", "condition: '('\ndescription: d"),
        ("d", "condition: '('"),
        ("e", "description: d"),
    ]);
    let buckets: Vec<String> =
        bench.buckets(&[]).iter().map(|line| line.split(':').next().unwrap_or_default().to_owned()).collect();
    assert_eq!(buckets, ["a ttsr", "b always", "c rulebook", "d none", "e rulebook"]);
}

#[test]
fn b1_5_of_equal_names_the_first_provider_wins() {
    let bench = Bench::new("v2", &[]).discovering();
    bench.rule("project/.cursor/rules/r.md", "condition: low");
    bench.rule("project/.omp/rules/r.md", "condition: high");
    assert!(bench.replay(&["--text", "low"]).triggers().is_empty());
    let run = bench.replay(&["--text", "high"]);
    assert_eq!((run.each("run", "rules").concat().as_str(), run.triggers()), ("1", vec!["r interrupt".to_owned()]));
}

#[test]
fn b1_6_nothing_is_registered_when_ttsr_is_disabled() {
    let rules = [("r", "condition: foo\nalwaysApply: true")];
    assert!(v2(&rules).buckets(&[])[0].starts_with("r ttsr"));
    assert!(v2(&rules).set("enabled=false").buckets(&[])[0].starts_with("r always"));
}

#[test]
fn b1_7_without_any_condition_that_works_a_rule_is_refused() {
    let bench = v2(&[
        ("bad", "condition: ['(', '[']"),
        ("mixed", "condition: ['(', foo]"),
        ("none", "description: d"),
        ("tree", "condition: '('\nastCondition: eval($A)"),
    ]);
    let registered = bench.replay(&["--text", "foo"]).each("rule", "registered");
    assert_eq!(registered, ["false", "true", "false", "true"]);
}

#[test]
fn b1_8_a_name_that_is_taken_is_refused() {
    let bench = v2(&[("r", "condition: one")]).and_rules("more");
    bench.rule("more/r.md", "condition: two");
    let run = bench.replay(&["--text", "two"]);
    assert_eq!((run.each("run", "rules").concat().as_str(), run.triggers().len()), ("1", 0));
    assert_eq!(bench.replay(&["--text", "one"]).triggers(), ["r interrupt"]);
}

#[test]
fn b1_9_a_scope_that_reaches_no_stream_is_refused() {
    let bench = v2(&[("no", "condition: foo\nscope: 'tool:'"), ("yes", "condition: foo\nscope: 'tool:, text'")]);
    let run = bench.replay(&["--text", "foo"]);
    assert_eq!(run.each("rule", "registered"), ["false", "true"]);
    assert_eq!(run.each("rule", "reason")[0], "its scope excludes all streams");
    assert_eq!(run.triggers(), ["yes interrupt"]);
}

#[test]
fn b1_10_bad_regex_and_dead_scope_are_warnings() {
    let bench =
        v2(&[("half", "condition: ['(', foo]"), ("dead", "condition: foo\nscope: 'tool:'"), ("r", "condition: foo")]);
    let run = bench.replay(&["--text", "foo"]);
    assert!(
        run.outcome.err.contains("half.md") && run.outcome.err.contains("invalid-condition"),
        "{}",
        run.outcome.err
    );
    assert!(
        run.outcome.err.contains("dead.md") && run.outcome.err.contains("unreachable-scope"),
        "{}",
        run.outcome.err
    );
    assert_eq!((run.outcome.status, run.triggers()), (0, vec!["half,r interrupt".to_owned()]));
}

#[test]
fn b1_11_globs_gate_the_whole_rule_on_paths() {
    let bench = v2(&[("r", "condition: foo\nglobs: '*.ts'")]);
    assert!(writes(&bench, "src/a.ts", "foo") && !writes(&bench, "src/a.js", "foo"));
    assert!(bench.replay(&["--text", "foo"]).triggers().is_empty(), "prose has no path");
    let structural = v2(&[("r", "astCondition: foo($A)\nglobs: '*.ts'")]);
    assert!(writes(&structural, "a.ts", "foo(1)") && !writes(&structural, "a.js", "foo(1)"));
}

#[test]
fn b1_12_ast_conditions_are_a_list_any_of_which_matches_structure() {
    let bench = v2(&[("r", "astCondition: ['console.log($A)', 'eval($A)']")]);
    assert!(writes(&bench, "a.ts", "eval( x )") && writes(&bench, "a.ts", "console\n  .log(x)"));
    assert!(!writes(&bench, "a.ts", "// eval(x)\nlet s = 'console.log(x)'"), "text alone is no structure");
}

#[test]
fn b1_13_one_metavariable_twice_is_one_text() {
    let bench = v2(&[("r", "astCondition: 'if ($X) clearTimeout($X)'")]);
    assert!(writes(&bench, "a.ts", "if (t) clearTimeout(t)"));
    assert!(!writes(&bench, "a.ts", "if (t) clearTimeout(u)"));
}

#[test]
fn b1_14_ast_runs_on_edit_and_write_in_the_language_of_the_extension() {
    let bench = v2(&[("r", "astCondition: eval($A)")]);
    assert!(writes(&bench, "a.ts", "eval(x)"));
    assert!(writes(&v2(&[("r", "astCondition: <p>$A</p>")]), "a.tsx", "let x = <p>a</p>"));
    assert!(!writes(&v2(&[("r", "astCondition: <p>$A</p>")]), "a.ts", "let x = <p>a</p>"), "no JSX in `.ts`");
    assert!(!writes(&bench, "a.txt", "eval(x)"), "no language");
    let call = |tool: &str, key: &str| {
        let script = format!(
            r#"[[{{"tool":"{tool}","args":{{"path":"a.ts","{key}":"eval(x)"}}}}],[{{"text":"ok"}}],[{{"text":"ok"}}]]"#
        );
        bench.play_with(&script, &["--arguments", "eager"]).triggers().len()
    };
    assert_eq!((call("edit", "new_string"), call("write", "content"), call("other", "content")), (1, 1, 0));
}

#[test]
fn b1_15_ast_sees_the_source_not_the_wire_text() {
    // On the wire the quotes are escaped.
    let bench = v2(&[("r", "astCondition: 'say(\"hi\")'")]);
    let script = write(r#"say(\"hi\")"#);
    assert_eq!(bench.play_with(&script, &["--arguments", "eager"]).triggers(), ["r interrupt"]);
    // What an edit takes away is on the wire, but not in the source.
    let script =
        r#"[[{"tool":"edit","args":{"path":"a.ts","old_string":"say(\"hi\")","new_string":"x"}}],[{"text":"ok"}]]"#;
    assert!(bench.play_with(script, &["--arguments", "eager"]).triggers().is_empty());
}

#[test]
fn b1_16_smart_strictness_and_no_files() {
    let bench = v2(&[("r", "astCondition: 'foo()'")]);
    let files = || {
        let folder = std::fs::read_dir(bench.path("rules")).expect("the rules");
        folder.map(|entry| entry.expect("an entry").file_name()).collect::<Vec<_>>()
    };
    let before = files();
    assert!(writes(&bench, "a.ts", "foo();"), "trailing punctuation of the source is passed over");
    assert!(!writes(&bench, "a.ts", "foo(1)"));
    assert!(writes(&v2(&[("r", "astCondition: 'foo($A)'")]), "a.ts", "foo(1,)"), "unnamed nodes of the source too");
    assert!(!writes(&v2(&[("r", "astCondition: \"foo('x')\"")]), "a.ts", "foo(\"x\")"), "but quotes differ");
    assert_eq!(files(), before);
    assert!(!bench.path("a.ts").exists());
}

#[test]
fn b1_17_prose_thinking_and_calls_without_path_skip_ast() {
    let bench = v2(&[("r", "astCondition: eval($A)\nscope: text, thinking, tool")]);
    let fires = |part: &str| {
        let script = format!(r#"[[{part}],[{{"text":"ok"}}],[{{"text":"ok"}}]]"#);
        !bench.play_with(&script, &["--arguments", "eager"]).triggers().is_empty()
    };
    assert!(fires(r#"{"tool":"write","args":{"path":"a.ts","content":"eval(x)"}}"#));
    assert!(!fires(r#"{"text":"eval(x)"}"#));
    assert!(!fires(r#"{"thinking":"eval(x)"},{"text":"ok"}"#));
    assert!(!fires(r#"{"tool":"write","args":{"content":"eval(x)"}}"#));
}

#[test]
fn b1_18_a_mixed_rule_has_regex_everywhere_and_ast_there_only() {
    let bench = v2(&[("r", "condition: foo\nastCondition: eval($A)")]);
    let by = |run: &Run| (run.each("trigger", "by.0.condition").concat(), run.each("trigger", "by.0.ast").concat());
    assert_eq!(by(&bench.replay(&["--text", "foo"])), ("foo".to_owned(), "(none)".to_owned()));
    assert!(bench.replay(&["--text", "eval(x)"]).triggers().is_empty());
    let script = |content: &str| write(content);
    let eager = ["--arguments", "eager"];
    assert_eq!(by(&bench.play_with(&script("eval(x)"), &eager)), ("(none)".to_owned(), "eval($A)".to_owned()));
    assert_eq!(by(&bench.play_with(&script("foo"), &eager)), ("foo".to_owned(), "(none)".to_owned()));
}

#[test]
fn b1_19_disabled_every_check_is_empty() {
    let rules = [("a", "astCondition: eval($A)"), ("r", "condition: eval")];
    let text = |bench: &Bench| bench.replay(&["--text", "eval(x)"]).triggers().len();
    let (on, off) = (v2(&rules), v2(&rules).set("enabled=false"));
    assert_eq!((text(&on), text(&off)), (1, 0));
    assert!(writes(&on, "a.ts", "eval(x)") && !writes(&off, "a.ts", "eval(x)"));
    assert_eq!(off.replay(&["--text", "eval(x)"]).each("run", "rules"), ["0"]);
    assert_eq!(at(on.replay(&["--text", "eval(x)"]).of("run")[0], "rules"), "2");
}
