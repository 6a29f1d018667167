//! Structural patterns: what the agent said of them.

#![expect(clippy::print_stdout, reason = "the runner reports its three figures")]

#[cfg(feature = "languages-all")]
mod budget;
#[cfg(feature = "languages-common")]
mod properties;
#[cfg(feature = "languages-all")]
mod scanners;

use std::collections::BTreeMap;
use std::panic::catch_unwind;

use ttsr::ast::{AstSet, Outcome, Snapshot, aliases_without_grammar};
use ttsr::text::JsString;
use ttsr::text::json::{self, Value};

use super::support::{js_string, panic_text, strings, vector_lines};

/// The verdict of one rule with these patterns.
fn outcome(alias: &JsString, patterns: Vec<JsString>, source: &JsString) -> Outcome {
    let mut set = AstSet::new(vec![patterns]);
    set.run(&mut Snapshot::new(), alias, source.units(), 0, &[0]).remove(0)
}

/// Cases of `vectors-wide` that the agent's grammars decide otherwise than any release of the registry that builds here;
/// `testdata/README.md` tells why for each. They are run like the others, and one that passes must leave this list.
const OTHER_GRAMMAR: [&str; 6] = ["ast-wg0004", "ast-wg0006", "ast-wg0010", "ast-wg0013", "ast-wg0014", "ast-wg0019"];

/// Cases of an alias for which this build has no grammar are counted apart, and so are those of [`OTHER_GRAMMAR`].
#[test]
fn ast_vectors() {
    let lines = vector_lines("ast");
    if lines.is_empty() {
        return;
    }
    let (mut passed, mut failures, mut named) = (0, Vec::new(), Vec::new());
    let mut lacking: BTreeMap<String, usize> = BTreeMap::new();
    for line in &lines {
        let run = || {
            let case = json::parse(line).expect("a case is JSON");
            let alias = js_string(&case, "lang").expect("a language");
            let source = js_string(&case, "source").expect("a source");
            let expected = case.get("match").and_then(Value::as_bool).expect("a verdict");
            let patterns = strings(&case, "patterns").expect("patterns");
            let id = js_string(&case, "id").unwrap_or_default().to_string_lossy();
            (id, alias.clone(), expected, outcome(&alias, patterns, &source))
        };
        let (id, alias, expected, outcome) = match catch_unwind(run) {
            Ok(ran) => ran,
            Err(payload) => {
                failures.push(format!("panicked: {}\n    {line}", panic_text(payload.as_ref())));
                continue;
            }
        };
        let passes = match &outcome {
            Outcome::NoGrammar => {
                *lacking.entry(alias.to_string_lossy()).or_default() += 1;
                continue;
            }
            Outcome::Match(_) => expected,
            Outcome::NoMatch => !expected,
            Outcome::Undecided(_) => false,
        };
        let is_named = OTHER_GRAMMAR.contains(&id.as_str()) && cfg!(feature = "languages-all");
        match (passes, is_named) {
            (true, false) => passed += 1,
            (true, true) => failures.push(format!("{id} passes: it has to leave the list of named cases")),
            (false, true) => named.push(id),
            (false, false) => failures.push(format!("{id}: {outcome:?}\n    {line}")),
        }
    }
    let without: usize = lacking.values().sum();
    println!("ast: {passed} passed, {} failed, {without} without grammar", failures.len());
    if !named.is_empty() {
        println!(
            "  otherwise than the agent, whose grammar is of another release ({}): {}",
            named.len(),
            named.join(" ")
        );
    }
    for (alias, count) in &lacking {
        println!("  without grammar: {alias} ({count})");
    }
    println!("  aliases without grammar: {}", aliases_without_grammar().join(" "));
    for failure in failures.iter().take(20) {
        println!("  {failure}");
    }
    assert!(failures.is_empty(), "ast: {} cases failed", failures.len());
    if cfg!(feature = "languages-all") {
        assert!(without * 100 <= (passed + without) * 6, "too many cases without a grammar");
    }
}

/// The verdicts of all rules, without the places.
#[cfg(feature = "languages-common")]
fn verdicts(outcomes: &[Outcome]) -> Vec<Option<bool>> {
    let verdict = |outcome: &Outcome| match outcome {
        Outcome::Match(_) => Some(true),
        Outcome::NoMatch => Some(false),
        Outcome::NoGrammar | Outcome::Undecided(_) => None,
    };
    outcomes.iter().map(verdict).collect()
}

/// A text that grows, is cut back and grows again must show at each step what it shows when it is read at once.
#[cfg(feature = "languages-common")]
fn check_growth(alias: &str, patterns: &[&str], source: &str, step: usize) {
    let rules: Vec<Vec<JsString>> = patterns.iter().map(|&pattern| vec![pattern.into()]).collect();
    let candidates: Vec<usize> = (0..rules.len()).collect();
    let mut set = AstSet::new(rules.clone());
    let mut fresh = AstSet::new(rules);
    let units: Vec<u16> = source.encode_utf16().collect();
    let (alias, mut snapshot, mut before) = (JsString::from(alias), Snapshot::new(), 0);
    let mut ends: Vec<usize> = (step..units.len()).step_by(step).chain([units.len()]).collect();
    ends.extend([units.len() / 2, units.len() / 2 + step, units.len()]);
    for end in ends {
        let text = &units[..end];
        let grown = set.run(&mut snapshot, &alias, text, before.min(end), &candidates);
        let anew = fresh.run(&mut Snapshot::new(), &alias, text, 0, &candidates);
        assert_eq!(verdicts(&grown), verdicts(&anew), "{alias} at {end}");
        assert!(snapshot.holds(text));
        before = end;
    }
}

#[test]
#[cfg(feature = "languages-common")]
fn a_growing_snapshot_shows_what_a_fresh_one_shows() {
    let function = |number: usize| {
        format!(
            "export async function f{number}(a: string, ...b: number[]): Promise<void> {{\n  // note {number}: é🙂\n  \
             if (b.length) clearTimeout(b.length);\n  await call(a, `t ${{b[0]}}`, {{ k: [1, 2,], 'x': /r+/g }});\n  \
             for (const x of b) {{ log(x + {number}); }}\n  return a ? other(a) : undefined\n}}\n\n"
        )
    };
    let text: String = (0..14).map(function).collect::<String>() + "console.log(done, done);\nlet y: any = foo(1, 1)\n";
    let patterns = [
        "console.log($A)",
        "console.log($A, $A)",
        "foo($A, $A)",
        "foo($A, $B, $C)",
        "if ($X) clearTimeout($X)",
        "log($X + 13)",
        "let $X: any = $Y",
        "$A ? $B : undefined",
        "await $F($$$A)",
        "function $F() {}",
        "call($$$A, { $$$K }, $$$B)",
        "$X",
        "done",
    ];
    check_growth("ts", &patterns, &text, 37);
    let python: String = (0..60)
        .map(|number| format!("def f{number}(a, *b):\n    try:\n        print(a, \"x\" + b[{number}])\n    except E as e:\n        raise\n\n"))
        .collect();
    check_growth(
        "py",
        &["print($A, $A)", "print($$$A)", "f59", "def $F($$$A): $$$B", "raise $X", "b[59]"],
        &python,
        41,
    );
    let rust: String = (0..40)
        .map(|number| format!("fn f{number}(x: &str) -> Option<u8> {{ let v = x.parse().unwrap(); match v {{ {number} => None, _ => Some(v) }} }}\n"))
        .collect();
    check_growth(
        "rs",
        &["$X.unwrap()", "$X.expect($M)", "Some($X)", "match $X { $$$A }", "39 => None", "f39"],
        &rust,
        43,
    );
}

#[test]
fn bad_sources_get_an_answer() {
    let pattern = |patterns: &[&str]| patterns.iter().map(|&pattern| pattern.into()).collect::<Vec<JsString>>();
    let surrogates = JsString::from_units([0xD800, 0x66, 0x28, 0xDC00, 0x29, 0xDBFF]);
    // Without optimisation the full sizes take minutes and show nothing more.
    let (large, part) = if cfg!(debug_assertions) { (8_000, 10) } else { (5_000_000, 1) };
    let nested = format!("foo({}1{}, 2)", "f(".repeat(5_000 / part), ")".repeat(5_000 / part));
    let sums = format!("x = {}1", "a + ".repeat(20_000 / part));
    let sources = [
        JsString::from("foo(\"cut in the mid"),
        JsString::from("foo(1\0, 2); \0"),
        JsString::from("foo(1)\r\nfoo(2)\rfoo(3)\n\r"),
        JsString::from("}}}} ((( foo ]]"),
        JsString::from("(".repeat(30_000 / part)),
        JsString::from("foo(".repeat(large / 4)),
        JsString::from("(".repeat(large)),
        JsString::from(nested),
        JsString::from(sums),
        JsString::from("foo(1), ".repeat(3_000 / part)),
        JsString::from("'\"`}{)(][".repeat(1_500 / part)),
        surrogates,
        JsString::new(),
    ];
    let aliases = ["ts", "unknown", "py", "rs", "json", "html", "md", "sql"];
    let aliases = if cfg!(debug_assertions) { &aliases[..2] } else { &aliases[..] };
    for alias in aliases {
        for source in &sources {
            for patterns in [&["foo($A, $A)"][..], &["$X"], &["foo($$$A, 2, $$$B)"], &["foo("], &["$$$"], &["  "]] {
                let outcome = outcome(&(*alias).into(), pattern(patterns), source);
                if let Outcome::Match(hit) = &outcome {
                    assert!(hit.range.start <= hit.range.end && hit.range.end <= source.len(), "{alias} {patterns:?}");
                }
                // Too large to parse is no answer that nothing matches.
                if source.len() == large && patterns == ["$X"] && *alias == "ts" {
                    assert!(!matches!(outcome, Outcome::NoMatch));
                }
            }
        }
    }
}

#[test]
#[cfg(feature = "languages-common")]
fn the_hit_names_the_pattern_and_its_units() {
    let source = JsString::from("/* é🙂 */ foo(1); bar(2)");
    let patterns = ["baz($X)", " bar($X) ", ""].map(JsString::from).to_vec();
    let Outcome::Match(hit) = outcome(&"ts".into(), patterns, &source) else {
        panic!("bar(2) matches");
    };
    assert_eq!(hit.pattern, 1);
    assert_eq!(JsString::from_units(&source.units()[hit.range]), "bar(2)");
}

#[test]
#[cfg(feature = "languages-common")]
fn rules_are_decided_each_on_its_own() {
    let rules = [
        vec!["foo($X)", "a b c d"],
        vec!["foo($X); bar($Y)"],
        vec!["$$$"],
        vec!["", " "],
        vec!["(".repeat(70_000).leak()],
    ];
    let rules: Vec<Vec<JsString>> = rules.map(|rule| rule.into_iter().map(JsString::from).collect()).to_vec();
    let source = JsString::from("foo(1)");
    let outcomes = AstSet::new(rules).run(&mut Snapshot::new(), &"ts".into(), source.units(), 0, &[4, 3, 2, 1, 0]);
    assert!(matches!(outcomes[0], Outcome::Undecided(_)));
    assert_eq!(verdicts(&outcomes[1..]), [Some(false), Some(true), Some(false), Some(true)]);
}

#[test]
#[cfg(feature = "languages-common")]
fn a_text_of_errors_that_grows_is_given_up() {
    let units: Vec<u16> = "'\"`}{)(][ foo(1, 2) ".repeat(400).encode_utf16().collect();
    let mut set = AstSet::new(vec![vec!["foo($A, $A)".into()]]);
    let (mut snapshot, mut before, mut last) = (Snapshot::new(), 0, Outcome::NoMatch);
    for end in (8..units.len()).step_by(8) {
        last = set.run(&mut snapshot, &"ts".into(), &units[..end], before, &[0]).remove(0);
        before = end;
    }
    assert!(matches!(last, Outcome::Undecided(_)), "{last:?}");
}
