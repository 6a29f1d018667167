//! Group A: registration and frontmatter.

use std::fs;

use serde_json::json;

use super::{Checked, call, condition, edit, file, files, path_in, rule, text, thinking};
use crate::support::program::{surroundings, ttsr_with};

#[test]
fn row_01_leading_flag_and_badly_quoted_scope() {
    for (pattern, scope) in [
        ("\"(?i)pre.existing\"", "\"text\",\"thinking\""),
        ("(?i)pre.existing", "'text', 'thinking'"),
        ("'(?im)pre.existing'", "\"thinking\", \"text\""),
    ] {
        let rules = rule(&format!("condition: {pattern}\nscope: {scope}"));
        let checked = rules.check();
        assert!(checked.registered(), "{scope}");
        let mut tokens = checked.list("scope");
        tokens.sort_unstable();
        assert_eq!(tokens, ["text", "thinking"], "{scope}");
        let repaired = checked.finding("invalid-frontmatter", "warning");
        assert_eq!(repaired.line, 3, "{repaired:?}");
        assert_eq!(checked.names().len(), 1, "{:#?}", checked.findings());
        assert_eq!(rules.fires(&thinking(&["PRE-EX", "isting"])), Some(2));
        assert_eq!(rules.fires(&text(&["pre-ex", "ISTING"])), Some(2));
        assert_eq!(rules.play("v2", &thinking(&["PRE-EX", "isting"])).fired(), [2]);
    }
}

#[test]
fn row_03_one_bad_pattern_among_good_ones() {
    for list in ["[\"(\", \"foo\"]", "\n  - '('\n  - foo", "['foo', '(']"] {
        let rules = rule(&format!("condition: {list}"));
        let checked = rules.check();
        assert!(checked.registered());
        assert_eq!(checked.list("condition"), ["foo"]);
        let bad = checked.finding("invalid-condition", "error");
        assert!(bad.message.contains("`(`") && bad.help.contains("`\\(`"), "{bad:?}");
        assert_eq!(checked.names().len(), 1, "{:#?}", checked.findings());
        for lifecycle in ["v2", "v3"] {
            assert_eq!(rules.play(lifecycle, &text(&["foo"])).fired(), [1]);
        }
    }
    // The one that is left decides whether the rule lives.
    let checked = rule("condition: ['(', 'a**']").check();
    assert!(!checked.registered());
    let names: Vec<String> = checked.names().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["no-valid-condition", "invalid-condition", "invalid-condition"]);
}

#[test]
fn row_04_condition_that_is_no_text() {
    for (value, kind) in [
        ("[]", "an empty list"),
        ("{regex: foo}", "a mapping"),
        ("42", "a number"),
        ("true", "a boolean"),
        ("[1, 2]", "a list without any text"),
    ] {
        let rules = rule(&format!("condition: {value}"));
        let checked = rules.check();
        assert!(!checked.registered(), "{value}");
        let missing = checked.finding("missing-trigger", "error");
        assert!(missing.message.contains("no usable condition"), "{missing:?}");
        assert!(missing.message.contains(kind), "{value}: {missing:?}");
        let run = rules.play("v3", &text(&["foo 42 true"]));
        assert!(!run.registered() && run.fired().is_empty(), "{value}");
    }
}

#[test]
fn row_06_legacy_keys() {
    for key in ["ttsr_trigger", "ttsrTrigger", "ttsr-trigger"] {
        let checked = rule(&format!("{key}: x")).check();
        assert_eq!(checked.list("condition"), ["x"], "{key}");
        let legacy = checked.finding("legacy-key", "note");
        assert_eq!(legacy.help, "write `condition`");
        assert_eq!(checked.names().len(), 1, "{key}");
    }
    let both = rule("ttsr_trigger: x\nttsrTrigger: x\ncondition: y").check();
    assert_eq!(both.list("condition"), ["y"]);
    assert_eq!(both.names(), vec![("masked-legacy-key".to_owned(), "warning".to_owned()); 2]);
    for found in both.findings() {
        assert!(found.help.contains("`condition`"), "{found:?}");
    }
    let legacy = rule("ttsr_trigger: x");
    for lifecycle in ["v1", "v2", "v3"] {
        assert_eq!(legacy.play(lifecycle, &text(&["a x"])).fired(), [1], "{lifecycle}");
    }
    // The early generation knows one spelling.
    assert!(!rule("ttsrTrigger: x").play("v1", &text(&["a x"])).registered());
}

#[test]
fn row_07_byte_order_mark() {
    let rules = file(b"\xEF\xBB\xBF---\ncondition: foo\n---\nB\n");
    let checked = rules.check();
    assert!(checked.registered());
    let mark = checked.finding("byte-order-mark", "note");
    assert!(mark.help.contains("without a mark"), "{mark:?}");
    assert_eq!(checked.names().len(), 1);
    assert_eq!(rules.fires(&text(&["foo"])), Some(1));
}

#[test]
fn row_08_text_before_the_fence() {
    for (before, line) in [("\n", 2), ("# Title\n\n", 3), (" ", 1)] {
        let rules = file(format!("{before}---\ncondition: foo\n---\nB\n").as_bytes());
        let checked = rules.check();
        assert!(!checked.registered(), "{before:?}");
        assert_eq!(checked.finding("misplaced-fence", "error").line, line, "{before:?}");
        assert!(rules.play("v3", &text(&["foo"])).fired().is_empty());
    }
}

#[test]
fn row_09_closing_fence_missing() {
    for text in ["---\ncondition: foo\nB\n", "---\ncondition: foo\n --- \nB", "---\ncondition: foo"] {
        let checked = file(text.as_bytes()).check();
        assert!(!checked.registered());
        assert_eq!(checked.finding("unclosed-fence", "error").line, 1);
    }
}

#[test]
fn row_10_crlf() {
    let lf = "---\ndescription: d\ncondition:\n  - foo\n  - 'b.r'\nscope: text, thinking\nglobs: ['*.ts']\nagents: main\n---\nB\nC\n";
    let crlf = lf.replace('\n', "\r\n");
    let (lf, crlf) = (file(lf.as_bytes()), file(crlf.as_bytes()));
    let rules = |checked: &Checked| {
        let mut rule = checked.rule().clone();
        rule["path"] = json!("r.md");
        rule
    };
    assert_eq!(rules(&crlf.check()), rules(&lf.check()));
    assert!(!crlf.check().rule().to_string().contains("\\r"));
    assert_eq!(crlf.check().names(), lf.check().names());
    let crlf = file(b"---\r\ncondition: |\r\n  foo\r\n---\r\nB\r\nC\r\n");
    let run = crlf.play("v3", &text(&["foo"]));
    assert_eq!(run.fired(), [1]);
    assert!(!run.of_kind("inject")[0]["content"].as_str().expect("content").contains('\r'));
}

#[test]
fn row_11_backspace_from_double_quotes() {
    for (written, help) in [("\\bfoo\\b", "`'\\bfoo\\b'`"), ("\\bcan't", "`'\\bcan''t'`"), ("a\\fb", "`'a\\fb'`")] {
        let rules = rule(&format!("condition: \"{written}\""));
        let checked = rules.check();
        assert!(checked.registered());
        let control = checked.finding("control-character", "error");
        assert!(control.help.contains("single quotes") && control.help.contains(help), "{control:?}");
        assert_eq!(rules.fires(&text(&["a foo b can't a\u{b}b"])), None, "{written}");
    }
}

#[test]
fn row_12_escape_that_yaml_does_not_know() {
    for (written, prose, right) in
        [("foo\\sbar", "foo bar", "'foo\\sbar'"), ("a\\.b", "a.b", "'a\\.b'"), ("it's\\d", "it's1", "'it''s\\d'")]
    {
        let rules = rule(&format!("condition: \"{written}\""));
        let checked = rules.check();
        assert_eq!(checked.list("condition"), [format!("\"{written}\"")]);
        let kept = checked.finding("quoted-condition", "error");
        assert!(kept.help.contains(right), "{kept:?}");
        assert_eq!(rules.fires(&text(&[prose])), None);
        // What the help says works.
        assert_eq!(rule(&format!("condition: {right}")).fires(&text(&[prose])), Some(1));
    }
}

#[test]
fn row_13_pattern_between_slashes() {
    for (written, prose, right) in [
        ("/foo/i", "FOO", "'(?i)foo'"),
        ("/fo+/", "foo", "'fo+'"),
        ("/^foo/gim", "x\nFOO", "'(?im)^foo'"),
        ("/it's/u", "it's", "'it''s'"),
    ] {
        let rules = condition(written);
        let checked = rules.check();
        assert!(checked.registered());
        let literal = checked.finding("regex-literal", "warning");
        assert!(literal.help.contains(right), "{literal:?}");
        assert_eq!(rules.fires(&text(&[prose])), None, "{written}");
        assert_eq!(rule(&format!("condition: {right}")).fires(&text(&[prose])), Some(1), "{right}");
    }
}

#[test]
fn row_14_pattern_that_looks_like_a_file_glob() {
    for (written, prose) in [
        ("https?://", "https://"),
        ("a/b?", "a/b"),
        ("/tmp/[a-z]*", "/tmp/x"),
        ("TODO/[a-z]", "TODO/x"),
        ("it's/?", "it's/"),
    ] {
        let rules = condition(written);
        let checked = rules.check();
        assert_eq!(checked.list("condition"), [".*"], "{written}");
        assert_eq!(checked.list("scope"), [format!("tool:edit({written})"), format!("tool:write({written})")]);
        let glob = checked.finding("glob-as-condition", "error");
        assert!(glob.message.contains("read as a file glob"), "{glob:?}");
        assert_eq!(rules.fires(&text(&[prose])), None, "{written}");
        // The line that the help offers for a regular expression is one.
        let right = glob.help.split('`').nth(1).expect("a line to write");
        let right = rule(&format!("condition: {right}"));
        assert!(right.check().is_silent("glob-as-condition"), "{written}");
        assert_eq!(right.fires(&text(&[prose])), Some(1), "{written}: {}", glob.help);
    }
}

#[test]
fn row_15_near_miss_keys() {
    for (key, value, right) in [
        ("conditions", "x", "condition"),
        ("ast_condition", "x", "astCondition"),
        ("astcondition", "x", "astCondition"),
        ("interrupt_mode", "never", "interruptMode"),
        ("Condition", "x", "condition"),
        ("scopes", "text", "scope"),
    ] {
        let checked = rule(&format!("condition: foo\n{key}: {value}")).check();
        let unknown = checked.finding("unknown-key", "warning");
        assert_eq!(unknown.help, format!("did you mean `{right}`?"), "{key}");
        assert_eq!(checked.list("condition"), ["foo"]);
        assert!(checked.list("ast_condition").is_empty() && checked.rule()["interrupt_mode"].is_null(), "{key}");
    }
    assert!(!rule("conditions: foo").check().registered());
    let kebab = rule("ast-condition: foo($A)").check();
    assert!(kebab.registered() && kebab.names().is_empty(), "{:#?}", kebab.findings());
    assert_eq!(kebab.list("ast_condition"), ["foo($A)"]);
}

#[test]
fn row_16_interrupt_mode_in_another_form() {
    for (value, right) in [("Never", "never"), ("\" never \"", "never"), ("TOOL-ONLY", "tool-only")] {
        let rules = rule(&format!("condition: foo\ninterruptMode: {value}"));
        let checked = rules.check();
        assert!(checked.registered() && checked.rule()["interrupt_mode"].is_null());
        let mode = checked.finding("invalid-interrupt-mode", "error");
        assert_eq!(mode.help, format!("write `interruptMode: {right}`"));
        let decision = |options: &[&str]| {
            rules.play_with("v3", &text(&["foo"]), options).of_kind("trigger")[0]["decision"].clone()
        };
        assert_eq!(decision(&[]), "interrupt", "{value}");
        assert_eq!(decision(&["--set", "ttsr.interruptMode=never"]), "defer", "{value}");
    }
    let checked = rule("condition: foo\ninterruptMode: sometimes").check();
    let message = checked.finding("invalid-interrupt-mode", "error").message;
    assert!(message.contains("`sometimes` is none of") && message.contains("`prose-only`"), "{message}");
}

#[test]
fn row_19_settings_as_rule_keys() {
    for (key, value) in [("repeatMode", "after-gap"), ("repeatGap", "1"), ("contextMode", "keep")] {
        let rules = rule(&format!("condition: foo\n{key}: {value}"));
        let checked = rules.check();
        let setting = checked.finding("setting-as-key", "warning");
        assert!(setting.message.contains("is a setting, not a rule key"), "{setting:?}");
        assert!(setting.help.contains(&format!("`ttsr.{key}`")), "{setting:?}");
        // Two prompts: with any of these in force the second would see a trigger or a kept message.
        let with = rules.play_with("v3", &text(&["foo"]), &["--prompt", "again"]);
        let without = rule("condition: foo").play_with("v3", &text(&["foo"]), &["--prompt", "again"]);
        let kinds = |run: &super::Run| run.trace.iter().map(|line| line["kind"].clone()).collect::<Vec<_>>();
        assert_eq!(kinds(&with), kinds(&without), "{key}");
        assert_eq!(with.of_kind("run")[0]["settings"]["repeatMode"], "once");
    }
}

#[test]
fn row_20_enabled_false() {
    let rules = rule("condition: foo\nttsr_trigger: foo");
    for (lifecycle, fired) in [("v1", true), ("v2", false), ("v3", false)] {
        for value in ["ttsr.enabled=false", "ttsr.enabled=null"] {
            let run = rules.play_with(lifecycle, &text(&["foo"]), &["--set", value]);
            assert_eq!(run.registered(), fired, "{lifecycle} {value}");
            assert_eq!(!run.fired().is_empty(), fired, "{lifecycle} {value}");
            assert_eq!(run.of_kind("run")[0]["rules"], u64::from(fired), "{lifecycle} {value}");
        }
    }
}

#[test]
fn row_22_same_name_twice() {
    let good = b"---\ncondition: foo\n---\nfirst\n";
    let later = b"---\ncondition: bar\n---\nlater\n";
    let rules = files(&[("a/r.md", good), ("b/r.md", later), ("c/r.mdc", later)]);
    let checked = rules.check();
    let registered: Vec<bool> = checked.rules().iter().map(|rule| rule["registered"] == true).collect();
    assert_eq!(registered, [true, false, false]);
    let first = path_in(&rules, "a/r.md").to_string_lossy().into_owned();
    let shadowed = checked.findings();
    assert_eq!(checked.names(), vec![("shadowed-rule".to_owned(), "note".to_owned()); 2]);
    for (found, path) in shadowed.iter().zip(["b/r.md", "c/r.mdc"]) {
        assert_eq!(found.file, path_in(&rules, path).to_string_lossy());
        assert!(found.message.contains(&first), "{found:?}");
    }
    assert_eq!(rules.fires(&text(&["foo"])), Some(1));
    assert_eq!(rules.fires(&text(&["bar"])), None);

    // The same through discovery: project, home, another provider.
    let roots = files(&[
        ("work/.omp/rules/r.md", good),
        ("home/.omp/agent/rules/r.md", later),
        ("work/.agents/rules/r.md", later),
    ]);
    let mut surroundings = surroundings();
    surroundings.cwd = path_in(&roots, "work");
    surroundings.home = Some(path_in(&roots, "home"));
    let outcome = ttsr_with(["check-rules", "--format", "json", "--lifecycle", "v3"], b"", &surroundings);
    let checked = Checked(serde_json::from_str(&outcome.out).expect("JSON"));
    let providers: Vec<&str> = checked.rules().iter().map(|rule| rule["provider"].as_str().expect("text")).collect();
    assert_eq!(providers, ["native", "native", "agents"]);
    assert_eq!(checked.rules()[0]["registered"], true);
    assert_eq!(checked.names(), vec![("shadowed-rule".to_owned(), "note".to_owned()); 2]);
    assert!(checked.findings().iter().all(|found| found.message.contains(".omp/rules/r.md")));
}

#[test]
fn row_23_bundled_rules_off_or_a_name_disabled() {
    let rules = rule("condition: foo");
    fs::write(path_in(&rules, "s.md"), "---\ncondition: bar\n---\nB\n").expect("written");
    let settings = path_in(&rules, "settings.yml");
    for (disabled, lifecycle, registered) in [
        ("[\" r \"]", "v3", false),
        ("[\"\\tr\"]", "v3", false),
        ("[R]", "v3", true),
        ("[\" r \"]", "v2", false),
        ("[]", "v3", true),
    ] {
        fs::write(&settings, format!("ttsr:\n  builtinRules: false\n  disabledRules: {disabled}\n")).expect("written");
        let options = ["--settings", settings.to_str().expect("UTF-8"), "--lifecycle", lifecycle];
        let checked = rules.check_with(&options);
        assert_eq!(checked.rules()[0]["registered"], registered, "{disabled}");
        // This program bundles no rules, so nothing but the two is ever listed.
        assert_eq!((checked.rules().len(), &checked.rules()[1]["registered"]), (2, &json!(true)));
        if !registered {
            assert_eq!(checked.rules()[0]["reason"], "named in `ttsr.disabledRules`");
        }
        let run = rules.play_with(lifecycle, &text(&["foo"]), &options[..2]);
        assert_eq!(!run.fired().is_empty(), registered, "{disabled}");
    }
}

#[test]
fn row_24_agents() {
    let rules = rule("condition: foo\nagents: \"task*\"");
    for (agent, lifecycle, registered) in [
        ("main", "v3", false),
        ("task-1", "v3", true),
        ("TASK", "v3", true),
        ("sub", "v3", false),
        ("main", "v2", true),
    ] {
        let options = ["--agent", agent, "--lifecycle", lifecycle];
        let checked = rules.check_with(&options);
        assert_eq!(checked.registered(), registered, "{agent} {lifecycle}");
        if !registered {
            assert_eq!(checked.rule()["reason"], format!("not for the agent `{agent}`"));
        }
        let run = rules.play_with(lifecycle, &text(&["foo"]), &options[..2]);
        assert_eq!(!run.fired().is_empty(), registered, "{agent} {lifecycle}");
        assert_eq!(run.of_kind("rule")[0]["reason"].is_null(), registered);
    }
    let except = rule("condition: foo\nagents: '!main'");
    assert!(!except.check_with(&["--agent", "main"]).registered());
    assert!(except.check_with(&["--agent", "task"]).registered());
    assert_eq!(except.play("v2", &call("bash", &["foo"])).fired(), [1]);
    assert!(except.play("v3", &edit("a.ts", &["foo"])).fired().is_empty());
}
