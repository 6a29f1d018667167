//! What lints say of rules: nothing of good ones, and what to write instead of bad ones.

use ttsr::diagnostic::Severity;
use ttsr::generation::Lifecycle;
use ttsr::rule::{RuleFile, RuleSet, lint};
use ttsr::settings::Settings;

/// The codes that a rule with this frontmatter gives, and the help of the first finding of `code`.
fn of(frontmatter: &str, code: &str) -> (Vec<&'static str>, Option<String>) {
    in_lifecycle(Lifecycle::V3, frontmatter, code)
}

fn in_lifecycle(lifecycle: Lifecycle, frontmatter: &str, code: &str) -> (Vec<&'static str>, Option<String>) {
    let semantics = lifecycle.semantics();
    let text = format!("---\n{frontmatter}\n---\nB");
    let file = RuleFile::read("r.md", text.into_bytes(), &semantics);
    let rule = ttsr::rule::Rule::from_file("r.md", "/p/r.md".into(), file, &semantics);
    let set = RuleSet::register([rule], &Settings::default(), &semantics, None);
    let found = lint::run(&set, &semantics);
    let help = found.iter().find(|finding| finding.code.name() == code).and_then(|finding| finding.help.clone());
    (found.iter().map(|finding| finding.code.name()).collect(), help)
}

#[test]
fn a_good_rule_gives_nothing() {
    for good in [
        "condition: 'TODO: '",
        "condition: ['foo', 'bar[a-z]']\nscope: text, thinking, tool:edit(*.{ts,tsx})",
        "condition: foo\nscope: tool\nglobs: ['**/*.ts', '*.tsx']",
        "condition: '*.rs'",
        "ast-condition: foo($A)\nglobs: '*.ts'\nx-own: 1\nauthor: me\nmetadata: {a: b}",
        "description: d\nalwaysApply: true",
        "condition: 'a/b'",
        "condition: foo\nglobs: ['**/\\[id\\].tsx', '**/*.{js,ts}', '**/[a-z]*.md']",
        "condition: foo\nexamples: {fires: [foo], silent: [bar]}",
        "condition: foo\ninterruptMode: tool-only\nagents: [main, task]",
    ] {
        assert_eq!(of(good, "").0, [""; 0], "{good}");
    }
}

#[test]
fn help_says_what_to_write() {
    for (frontmatter, code, wanted) in [
        ("alwaysapply: true", "unknown-key", "did you mean `alwaysApply`?"),
        (
            "condition: a\nalwaysapply: true",
            "unknown-key",
            "remove it: `alwaysApply` has no effect beside a condition either",
        ),
        ("conditions: a", "unknown-key", "did you mean `condition`?"),
        ("condition: a\ninterrupt_mode: never", "unknown-key", "did you mean `interruptMode`?"),
        ("condition: a\ninterruptMode: ' Never '", "invalid-interrupt-mode", "write `interruptMode: never`"),
        ("condition: /foo/gi", "regex-literal", "write `'(?i)foo'`"),
        ("condition: a\nexmaples: {fires: [a]}", "unknown-key", "did you mean `examples`?"),
        ("condition: a\nexample: {fires: [a]}", "unknown-key", "did you mean `examples`?"),
        ("condition: a\nexamples: {fires: [1]}", "invalid-example", "put the value into single quotes"),
        ("condition: a\nscope: prose", "unknown-scope-tool", "did you mean `text`?"),
        ("condition: a\nscope: txt", "unknown-scope-tool", "did you mean `text`?"),
        ("condition: a\nscope: tools", "unknown-scope-tool", "did you mean `tool`?"),
        ("condition: a\nscope: tool:edti", "unknown-scope-tool", "did you mean `tool:edit`?"),
        ("condition: a\nglobs: '!*.ts'", "negated-glob", "write `!**/*.ts`"),
        ("condition: \"\\bfoo\\b\"", "control-character", "write the pattern in single quotes: `'\\bfoo\\b'`"),
        ("condition: \"foo\\sbar\"", "quoted-condition", "write the pattern in single quotes: `'foo\\sbar'`"),
        ("condition: 'foo(?i)bar'", "untranslated-inline-flag", "write `(?i)foobar` for all of it, or `foo(?i:bar)`"),
        ("condition: '(?i)(?m)a'", "untranslated-inline-flag", "write `(?i)(?m:a)`"),
        ("condition: a\nscope: 'tool: edit'", "invalid-scope-token", "write `tool:edit`"),
        ("condition: a\nglobs: 'src\\*.ts'", "invalid-glob", "write `**/src/*.ts`"),
        ("condition: a\nglobs: '[id.ts'", "invalid-glob", "close it, or write `\\[id.ts` for the character"),
        ("condition: '\\Afoo'", "foreign-syntax", "write `^`"),
    ] {
        assert_eq!(of(frontmatter, code).1.as_deref(), Some(wanted), "{frontmatter}");
    }
}

#[test]
fn a_good_judged_rule_gives_nothing() {
    for good in [
        "question: Is it?",
        "question: Is it?\ncondition: 'foo$'",
        "question: Is it?\ncondition: '*.rs'",
        "question: Is it?\ncondition: '.*'\nscope: text, tool",
        "question: Is it?\nastCondition: foo($A)\nscope: tool:bash",
        "question: Is it?\nastCondition: foo($A)\ncondition: bar\nglobs: '*.ts'",
        "question: >\n  Is it\n  wrong?\ndescription: d",
    ] {
        assert_eq!(in_lifecycle(Lifecycle::V4, good, "").0, [""; 0], "{good}");
    }
}

#[test]
fn judged_rules_that_ask_nobody_or_everybody_are_told() {
    for (frontmatter, codes) in [
        ("question: 5", vec!["invalid-question"]),
        ("question: '  '", vec!["invalid-question"]),
        ("question: [Is it?]\ncondition: foo", vec!["invalid-question"]),
        ("question:\ncondition: foo", vec!["invalid-question"]),
        ("questions: Is it?", vec!["unknown-key", "missing-trigger"]),
        ("Question: Is it?\ncondition: foo", vec!["unknown-key"]),
        ("question: Is it?\ninterruptMode: never", vec!["ineffective-interrupt-mode"]),
        ("question: Is it?\nscope: text\nglobs: '*.ts'", vec!["globs-exclude-prose"]),
        ("question: Is it?\nscope: text, thinking\nastCondition: foo($A)", vec!["ast-never-runs"]),
        ("question: Is it?\ncondition: ''", vec!["lost-gate"]),
        ("question: Is it?\nastCondition: ['  ']", vec!["lost-gate"]),
        ("question: Is it?\ncondition: ['(', foo]", vec!["invalid-condition"]),
        ("question: Is it?\ncondition: '('", vec!["invalid-condition", "lost-gate"]),
    ] {
        assert_eq!(in_lifecycle(Lifecycle::V4, frontmatter, "").0, codes, "{frontmatter}");
    }
    for (frontmatter, codes) in [
        ("question: Is it?\ncondition: foo", vec!["question-before-v4"]),
        ("question: Is it?\ndescription: d", vec!["question-before-v4"]),
        ("question: Is it?", vec!["question-before-v4"]),
        ("question: ' '\ncondition: foo", vec![]),
    ] {
        for lifecycle in [Lifecycle::V2, Lifecycle::V3] {
            assert_eq!(in_lifecycle(lifecycle, frontmatter, "").0, codes, "{frontmatter}");
        }
    }
}

#[test]
fn a_sticky_look_ahead_is_told_only_where_it_loses_matches() {
    for (condition, help) in [
        ("(?=[\\s\\S]*foo|bar)", Some("write `'(?=[\\s\\S]*(?:foo|bar))'`")),
        ("(?i)(?=[\\s\\S]*it's|bar)", Some("write `'(?i)(?=[\\s\\S]*(?:it''s|bar))'`")),
        (
            "(?=[\\s\\S]*a)(?=[\\s\\S]*b|c)",
            Some("put the alternatives into a group behind `[\\s\\S]*`: `(?=[\\s\\S]*(?:A|B))`"),
        ),
        ("(?=[\\s\\S]*(?:foo|bar))", None),
        ("(?=[\\s\\S]*foo)(?=[\\s\\S]*bar)", None),
        ("foo|bar", None),
        ("(?=[\\s\\S]*?foo|bar)", None),
    ] {
        let frontmatter = format!("condition: '{}'", condition.replace('\'', "''"));
        assert_eq!(in_lifecycle(Lifecycle::V4, &frontmatter, "sticky-look-ahead").1.as_deref(), help, "{condition}");
        assert!(!of(&frontmatter, "").0.contains(&"sticky-look-ahead"), "{condition}");
    }
}

/// The codes and severities of what is found in a rule, and the advice with each.
fn with_advice(frontmatter: &str) -> Vec<(&'static str, Severity, String)> {
    let semantics = Lifecycle::V3.semantics();
    let file = RuleFile::read("r.md", format!("---\n{frontmatter}\n---\nB").into_bytes(), &semantics);
    let rule = ttsr::rule::Rule::from_file("r.md", "/p/r.md".into(), file, &semantics);
    let set = RuleSet::register([rule], &Settings::default(), &semantics, None);
    let found = lint::run(&set, &semantics).into_iter();
    found.map(|found| (found.code.name(), found.severity, found.help.unwrap_or_default())).collect()
}

#[test]
fn a_condition_that_is_written_as_advised_is_no_dead_one() {
    let conditions = [
        "\\Agit",
        "/^foo/i",
        "^git push",
        "^\\s*foo",
        "(?i)^foo",
        "foo\\b",
        "TODO(?!x)",
        "\\x{41}",
        "\\p{L}+",
        "[[:alpha:]]+",
        "git commit -m \"x\"",
        "foo$",
        "foo\\Z",
        "(?x)foo",
        "foo(?i)bar",
        "a/b?",
        "https?://x",
        "src/**/*.ts",
        "\\hfoo",
        "/foo\\/bar/g",
        "café",
        "x*",
        "\"path\": \"/a",
        "\"content\":\"foo",
        "foo|^bar",
    ];
    let narrowings = [
        "",
        "scope: tool:bash",
        "scope: tool:write",
        "scope: tool:edit(*.ts)",
        "scope: text",
        "scope: thinking",
        "scope: tool:grep",
        "globs: '*.ts'",
    ];
    let mut tried = 0;
    for (condition, narrowing) in conditions.iter().flat_map(|one| narrowings.iter().map(move |other| (one, other))) {
        let written = |condition: &str| format!("condition: {condition}\n{narrowing}");
        let before = with_advice(&written(&format!("'{}'", condition.replace('\'', "''"))));
        for (code, _, help) in &before {
            let advised =
                help.split('`').filter(|part| part.starts_with('\'') && part.ends_with('\'') && part.len() > 1);
            for advised in advised {
                tried += 1;
                let after = with_advice(&written(advised));
                assert!(after.iter().all(|(other, ..)| other != code), "{condition} {narrowing}: {advised}: {after:?}");
                let is_new = |other: &str| before.iter().all(|(code, ..)| *code != other);
                let worse = after.iter().find(|(other, severity, _)| *severity == Severity::Error && is_new(other));
                assert!(worse.is_none(), "{condition} {narrowing}: {advised}: {worse:?}");
            }
        }
    }
    assert!(tried > 60, "{tried}");
}

#[test]
fn syntax_of_other_engines_is_told_with_what_to_write() {
    for (condition, wanted) in [
        ("a\\h+x", "write `[ \\t]`"),
        ("\\R", "write `\\r?\\n`"),
        ("a\\Kb", "leave it out: only whether there is a match counts"),
        ("\\Gfoo", "leave it out: only whether there is a match counts"),
        ("[[:<:]]foo", "write `\\b`"),
        ("\\pLx", "name the characters, such as `[\\u4E00-\\u9FFF]` or `[A-Za-zÀ-ɏ]`"),
        ("\\p{^L}", "name the characters, such as `[\\u4E00-\\u9FFF]` or `[A-Za-zÀ-ɏ]`"),
        ("[\\p{Script=Greek}]", "name the characters, such as `[\\u4E00-\\u9FFF]` or `[A-Za-zÀ-ɏ]`"),
        ("\\Qa.b\\E", "write `a\\.b`"),
        ("\\N{U+41}", "write `\\u0041`"),
        ("\\N+x", "write `[^\\n]`"),
        ("(a)\\g{1}", "write `\\1`"),
        ("\\e\\[31m", "write `\\x1b`"),
        ("\\a", "write `\\x07`"),
        ("\\o{101}", "write `\\u0041`"),
        ("\\U0001F600", "write `\\uD83D\\uDE00`"),
        ("\\x4", "write `\\u0004`"),
        ("[a-z&&[^aeiou]]", "ask for one of the sets in a look-ahead: `(?![aeiou])[a-z]`"),
        ("[[:^alpha:]]x", "write `[^A-Za-z]`"),
        ("[[.a.]]", "write `a`"),
        ("\\mfoo\\M", "write `\\b`"),
        ("\\yfoo", "write `\\b`"),
        ("foo\\z", "leave it out: where a stream ends nobody knows before it does"),
        ("[\\h]", "write ` \\t`"),
        ("\\<foo\\>", "for the word write `\\bfoo\\b`, for the tag `<foo>`"),
        ("\\k{n}", "name a group `(?<NAME>…)` and write `\\k<NAME>`"),
    ] {
        let frontmatter = format!("condition: '{condition}'");
        let (codes, help) = of(&frontmatter, "foreign-syntax");
        assert_eq!(help.as_deref(), Some(wanted), "{condition}");
        assert!(!codes.contains(&"never-matches"), "{condition}");
        // A remedy for a part of it ends the finding.
        if let Some(instead) = wanted.strip_prefix("write `").and_then(|rest| rest.strip_suffix('`')) {
            let bare = format!("condition: '{instead}'");
            assert!(!of(&bare, "").0.contains(&"foreign-syntax"), "{instead}");
        }
    }
    for plain in [
        "\\d\\w\\s\\bx",
        "[\\w-]x",
        "<\\/?div\\>",
        "\\u0041\\x41",
        "(?<n>a)\\k<n>",
        "\\cA",
        "\\-\\_",
        "[\\]a]b",
        "\\\\Afoo",
        "\\\\p\\{L\\}",
        "a && b",
        "[&]&x",
        "\\i\\j\\l\\q",
    ] {
        assert!(!of(&format!("condition: '{plain}'"), "").0.contains(&"foreign-syntax"), "{plain}");
    }
}

#[test]
fn what_narrows_nothing_is_told() {
    for (frontmatter, is_idle) in [
        ("scope: tool, tool:edit(*.ts)", true),
        ("scope: 'toolcall, tool(*.ts)'", true),
        ("scope: tool:edit, 'tool:edit(*.ts)'", true),
        ("scope: text, tool:edit(*.ts)", false),
        ("scope: tool:write, tool:edit(*.ts)", false),
        ("globs: ['*.ts', '!**/*.d.ts']", true),
        ("globs: ['!**/*.d.ts']", false),
        ("globs: ['*.ts', '*.js']", false),
        ("agents: [main, '!task']", true),
        ("agents: ['*', main]", true),
        ("agents: ['!main']", false),
        ("agents: [main, 'task-*']", false),
    ] {
        let (codes, _) = of(&format!("condition: foo\n{frontmatter}"), "idle-narrowing");
        assert_eq!(codes.contains(&"idle-narrowing"), is_idle, "{frontmatter}: {codes:?}");
    }
    let (codes, help) = of("condition: ['*.rs', foo]\nscope: tool", "idle-narrowing");
    assert_eq!(codes, ["idle-narrowing"]);
    assert_eq!(help.as_deref(), Some("remove `tool`, or `*.rs` if every call is meant"));
}
