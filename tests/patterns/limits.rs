//! Patterns and texts at the limits: nothing may panic, hang or blow up, and what has no back-reference is decided.

use std::fmt::Write as _;
use std::sync::Arc;

use ttsr::pattern::{Buffer, PatternErrorKind, PatternSet, Scanner, Verdict};
use ttsr::text::JsString;

use super::{compile, scan};

/// Compiles, scans in deltas, and gives the verdict.
fn verdict(source: &str, text: &str, delta: usize) -> Verdict {
    let pattern = compile(&JsString::from(source)).unwrap_or_else(|error| panic!("`{source:.60}`: {error:?}"));
    scan(&pattern, JsString::from(text).units(), delta)
}

#[test]
fn deep_nesting_costs_no_call_stack() {
    let deep = 10_000;
    for (open, close) in [("(", ")"), ("(?:", ")*"), ("(?:a|", ")"), ("(?=", ")"), ("(?<!", ")"), ("(", ")\\1?")] {
        let source = format!("{}b{}", open.repeat(deep), close.repeat(deep));
        let found = verdict(&source, "ab", 1);
        assert!(found.is_match() || matches!(open, "(?<!"), "`{open}`: {found:?}");
    }
    assert!(compile(&JsString::from("(".repeat(deep))).is_err());
    assert!(compile(&JsString::from("[".repeat(deep))).is_ok_and(|_| false) || compile(&JsString::from("[")).is_err());
}

#[test]
fn huge_counts_compile_and_decide() {
    for (source, text, wanted) in [
        ("x{99999999999}", "xxx", false),
        ("^x{0,99999999999}$", "xxx", true),
        ("(?:){99999999999}a", "ba", true),
        ("(?:\\b|a){99999999999}", "aaa", true),
        ("(?:a?){2147483648}b", "aab", true),
        ("(?:a|\\b){100,}!", "aa!", true),
        ("(a{1000}){1000}", "aaaa", false),
        ("^(?:a{0,1000}){1000}$", "aaaa", true),
        ("[\\s\\S]{0,100000}b", "aab", true),
        ("(?:(?:(?:a{1,100}){1,100}){1,100}){1,100}b", "aaab", true),
        ("(?:x{65536}){65536}", "xxxx", false),
        ("(?=a{100000})b|c", "abc", true),
    ] {
        for delta in [1, 100] {
            let found = verdict(source, text, delta);
            assert!(found != Verdict::Undecided && found.is_match() == wanted, "`{source}`: {found:?}");
        }
    }
}

#[test]
fn long_texts_are_read_in_linear_time() {
    let lines = "some text here\n".repeat(700);
    assert!(verdict("(?:[^\\n]*\\n){600,}", &lines, 12).is_match());
    assert!(!verdict("(?:[^\\n]*\\n){701,}", &lines, 12).is_match());
    let run = "a".repeat(100_000);
    assert!(!verdict("^(a+)+$|b", &format!("{run}!"), 4).is_match());
    assert!(verdict("^(a+)+$|b", &format!("{run}!b"), 4).is_match());
    assert!(!verdict("(?:.*.*)*=", &run, 4).is_match());
    assert!(!verdict("a[^]{0,300}b|(?=a{50}c)", &run, 4).is_match());
    assert!(!verdict("(?!.*a$)a", &run, 4).is_match());
    assert!(verdict("(?<!b.*)a$", &run, 4).is_match());
    assert!(!verdict("(?<=b[^]{1000})a", &run, 12).is_match());
    assert!(!verdict("a{1000}b", &run, 12).is_match());
}

#[test]
fn many_groups_and_alternatives_are_no_trouble() {
    let mut names = String::new();
    let mut words = String::new();
    for index in 0..5_000 {
        let _ = write!(names, "(?<n{index}>a)|");
        let _ = write!(words, "word{index}|");
    }
    assert!(verdict(&format!("{names}b"), "b", 1).is_match());
    assert!(verdict(&format!("{words}b"), "xword4999x", 1).is_match());
    assert!(verdict(&format!("{}\\5000", "(a?)".repeat(5_000)), "a", 1).is_match());
}

#[test]
fn sources_beyond_the_limit_are_reported() {
    let error = compile(&JsString::from("a".repeat(1 << 20))).expect_err("too large");
    assert_eq!(error.kind, PatternErrorKind::TooLarge);
    assert!(compile(&JsString::from("a".repeat(1 << 16))).is_ok());
}

/// The same with a step budget of its own.
fn verdict_within(steps: u64, source: &str, text: &str, delta: usize) -> Verdict {
    let pattern = compile(&JsString::from(source)).unwrap_or_else(|error| panic!("`{source}`: {error:?}"));
    let mut scanner = Scanner::with_limits(Arc::new(PatternSet::new(vec![pattern])), 1 << 20, steps);
    let mut buffer = Buffer::new();
    for part in JsString::from(text).units().chunks(delta) {
        scanner.append(&mut buffer, part);
        scanner.verdict(&mut buffer, 0);
    }
    scanner.verdict(&mut buffer, 0)
}

#[test]
fn what_runs_out_of_steps_is_undecided_not_denied() {
    let text = format!("{}!b", "a".repeat(60));
    assert_eq!(verdict_within(1_000, "^(?:(a+)+)+!\\1", &text, 100), Verdict::Undecided);
    assert_eq!(verdict_within(1_000, "^(?:(a+)+)+!\\1", &text, 1), Verdict::Undecided);
    // Nothing that the over-approximation refuses is tried at all.
    assert_eq!(verdict_within(1_000, "^(?:(a+)+)+\\1b", &text, 100), Verdict::No);
}

#[test]
fn multiplying_ways_are_decided_with_references_too() {
    let run = "a".repeat(60);
    for (source, text, wanted) in [
        ("^(?:(a+)+)+!\\1", format!("{run}!b"), false),
        ("^(?:(a+)+)+!\\1b", format!("{run}!ab"), true),
        ("^(a?){40}\\1b$", format!("{run}!"), false),
        ("^(?:(a|aa)+)+\\1$", format!("{run}!"), false),
        ("^(?:(\\w+)\\s?)*\\1;$", format!("{} ", "word ".repeat(12)), false),
        ("^(?:(a+)+)+\\b(?=!)(?!!\\1)", format!("{run}!b"), true),
        ("(?:(a*)*)*(?!\\1)!", format!("{run}b"), false),
    ] {
        for delta in [1, 7, 1_000] {
            let found = verdict(source, &text, delta);
            assert!(found != Verdict::Undecided && found.is_match() == wanted, "`{source}`, {delta}: {found:?}");
        }
    }
}

#[test]
fn what_the_stream_finds_the_whole_text_search_finds() {
    for (source, text) in [
        ("^(a?){20}a{20}$", "a".repeat(20)),
        ("^(a?){20}a{20}$", "a".repeat(33)),
        ("(?:a?){60}a{60}b", format!("{}b", "a".repeat(90))),
        ("(x+x+)+y|!$", format!("{}!", "x".repeat(80))),
        ("^(?:(?:a|b)?(?:a|c)?){40}a{30}$", "a".repeat(70)),
    ] {
        let text = JsString::from(text);
        let pattern = compile(&JsString::from(source)).expect(source);
        assert!(scan(&pattern, text.units(), 1).is_match(), "{source}");
        assert!(pattern.test(text.units(), 100_000_000).is_match(), "{source}");
        assert!(PatternSet::new(vec![pattern]).find(0, text.units()).is_some(), "{source}");
    }
}

#[test]
fn a_text_that_comes_back_is_decided_as_before() {
    let pattern = compile(&JsString::from("(?:(a)\\1|c)$")).expect("a pattern");
    let mut scanner = Scanner::new(Arc::new(PatternSet::new(vec![pattern])));
    let mut buffer = Buffer::new();
    for text in ["aac", "aacaa", "aac!", "aac", "aa", "aab", "aa", "aac"] {
        let units = JsString::from(text);
        scanner.replace(&mut buffer, units.units(), 0);
        let wanted = text.ends_with("aa") || text.ends_with('c');
        assert_eq!(scanner.verdict(&mut buffer, 0).is_match(), wanted, "{text}");
    }
}

#[test]
fn a_look_ahead_that_saw_the_end_is_tried_again() {
    let pattern = compile(&JsString::from("(x?)\\1[ab](?=(?:a|b)*c)(?<=b)")).expect("a pattern");
    // States are noted from the first steps on under so small a budget.
    let mut scanner = Scanner::with_limits(Arc::new(PatternSet::new(vec![pattern])), 1 << 20, 2_000);
    let mut buffer = Buffer::new();
    for (delta, wanted) in [("ab", false), ("a", false), ("c", true)] {
        scanner.append(&mut buffer, JsString::from(delta).units());
        assert_eq!(scanner.verdict(&mut buffer, 0).is_match(), wanted, "{delta}");
    }
}

/// Lines of code that differ, and then a block of three that has been there.
fn code(lines: usize) -> String {
    let mut text = String::new();
    for line in 0..lines {
        let _ = match line % 5 {
            0 => writeln!(text, "    let value_{line} = table.get(index_{line}, {line}).unwrap_or_default();"),
            1 => writeln!(text, "    if value_{} > limit && !seen.contains(&value_{line}) {{", line - 1),
            2 => writeln!(text, "        results.push(Entry {{ name: names[{line}].clone(), size: {line} }});"),
            3 => writeln!(text, "    }}"),
            _ => writeln!(text, "    // The entry {line} has been read: go on with the next one."),
        };
    }
    text
}

#[test]
fn repeated_blocks_are_decided() {
    let source = r"(?:^|\n)(?<dup>[^\n]{20,}\n[^\n]{16,}\n[^\n]{16,})[\s\S]{1,4000}?\n\k<dup>";
    for lines in [50, 500] {
        let text = code(lines);
        let block: String = text.lines().skip(lines - 10).take(3).map(|line| format!("{line}\n")).collect();
        for (text, wanted) in [(format!("{text}{block}"), Verdict::Confirmed), (text, Verdict::No)] {
            for delta in [4, usize::MAX] {
                assert_eq!(verdict(source, &text, delta), wanted, "{lines} lines, deltas of {delta}");
            }
        }
    }
}

#[test]
fn rules_with_references_are_read_in_linear_time() {
    let text = code(1_000);
    for source in [
        r"\b(\w+)\s+\1\b",
        r#"(["'])(?:(?!\1).)*\1;;"#,
        r"(?<=(\w{4,})\s)\1",
        r"(?m)^(.{10,})$[\s\S]*^\1$;",
        r"(\w+).*\1\1;",
    ] {
        for delta in [4, usize::MAX] {
            assert_eq!(verdict(source, &text, delta), Verdict::No, "{source}, deltas of {delta}");
        }
    }
}

#[test]
fn errors_say_where_and_how_to_mend() {
    for (source, span, help) in [
        ("(?P<n>a)", 0..3, "(?<name>"),
        ("(?i)(?m)a", 4..8, "(?i:"),
        ("a(?i)b", 1..5, "(?i:"),
        ("(?x)a", 0..3, "i"),
        ("a++", 2..3, "possessive"),
        ("*.rs", 0..1, "globs"),
        ("a)", 1..2, "\\)"),
        ("(a", 0..1, "\\("),
        ("[a", 0..1, "\\["),
        ("x{2,1}", 1..6, "{1,2}"),
        ("[z-a]", 1..4, "swap"),
        ("[😀-😂]", 2..5, "units"),
        ("(?<=a)*", 6..7, "(?:"),
        ("(?>a)", 0..3, "atomic"),
        ("a\\", 1..2, "\\\\"),
        ("(?<n>a)\\k<m>", 7..12, "name"),
        ("(?<n>a)(?<n>b)", 7..12, "alternatives"),
    ] {
        let error = compile(&JsString::from(source)).expect_err(source);
        assert_eq!(error.span, span, "`{source}`: {error:?}");
        assert!(error.help.as_ref().is_some_and(|text| text.contains(help)), "`{source}`: {error:?}");
    }
}

#[test]
fn counts_are_compared_as_written() {
    for refused in [
        "a{18446744073709551615}",
        "a{18446744073709551615,}",
        "a{99999999999999999999999,99999999999999999999999}",
        "(?:){340282366920938463463374607431768211456}",
        "a{4294967296,4294967295}",
        "a{18446744073709551614,18446744073709551613}",
        "a{4294967296,7}?",
    ] {
        assert!(compile(&JsString::from(refused)).is_err(), "{refused}");
    }
    for (source, found) in [
        ("^a{0,18446744073709551615}$", true),
        ("^a{1,99999999999999999999999}$", true),
        ("a{18446744073709551614}", false),
        ("^(?:){4294967295,4294967296}a", true),
        ("^(?:){18446744073709551614,}a", true),
    ] {
        assert_eq!(verdict(source, "aaa", 1).is_match(), found, "{source}");
    }
}

#[test]
fn references_by_name_are_read_as_the_agent_does() {
    for refused in [
        "\\k<nm\\w",
        "\\k<nm\\w>",
        "\\k<\\w",
        "\\k<n\\u12",
        "\\k<n\\",
        "\\k<n\\x41>",
        "(a)|\\k<é\\d",
        "(?<a>x)\\k<b>",
        "\\k<b>(?<a>x)",
        "(?<a>x)\\k",
        "(?<a>x)\\k<a",
        "(?<a>x)[\\k]",
        "(?<a>x)\\k<1\\w",
    ] {
        assert!(compile(&JsString::from(refused)).is_err(), "{refused}");
    }
    for (source, text, found) in [
        ("^\\k<nm$", "k<nm", true),
        ("^\\k<1\\w$", "k<1x", true),
        ("^\\k\\w$", "kx", true),
        ("^\\k<n-\\w$", "k<n-x", true),
        ("^\\k<$", "k<", true),
        ("^\\k<n\\u0061>$", "k<na>", true),
        ("^\\k<n\\ud83d\\w>$", "k<n", false),
        ("^[\\k<n\\w]$", "k", true),
        ("(?<n\\u0061>x)\\k<na>", "xx", true),
    ] {
        assert_eq!(verdict(source, text, 1).is_match(), found, "{source}");
    }
}
