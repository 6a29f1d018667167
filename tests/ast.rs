//! Structural patterns: what the agent said of them.

use std::collections::BTreeMap;

use ttsr::ast::{AstSet, Outcome, Snapshot, aliases_without_grammar};
use ttsr::text::JsString;
use ttsr::text::json::{self, Value};

use super::support::{js_string, strings, vectors_dir};

/// The verdict of one rule with these patterns.
fn outcome(alias: &JsString, patterns: Vec<JsString>, source: &JsString) -> Outcome {
    let mut set = AstSet::new(vec![patterns]);
    set.run(&mut Snapshot::new(), alias, source.units(), 0, &[0]).remove(0)
}

/// Cases of an alias for which this build has no grammar are counted apart.
#[test]
fn ast_vectors() {
    let path = vectors_dir().join("ast.jsonl");
    let Ok(text) = std::fs::read_to_string(&path) else {
        println!("ast: no such file in {}", vectors_dir().display());
        return;
    };
    let (mut passed, mut failures) = (0, Vec::new());
    let mut lacking: BTreeMap<String, usize> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let case = json::parse(line).expect("a case is JSON");
        let alias = js_string(&case, "lang").expect("a language");
        let source = js_string(&case, "source").expect("a source");
        let expected = case.get("match").and_then(Value::as_bool).expect("a verdict");
        match outcome(&alias, strings(&case, "patterns").expect("patterns"), &source) {
            Outcome::NoGrammar => *lacking.entry(alias.to_string_lossy()).or_default() += 1,
            Outcome::Match(_) if expected => passed += 1,
            Outcome::NoMatch if !expected => passed += 1,
            other => failures.push(format!("{}: {other:?}\n    {line}", js_string(&case, "id").unwrap_or_default())),
        }
    }
    let without: usize = lacking.values().sum();
    println!("ast: {passed} passed, {} failed, {without} without grammar", failures.len());
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
