//! Which patterns are said to be slow: published ones are, those that people use are not (`testdata/patterns`).

use std::fs;

use ttsr::pattern::{Cost, Pattern, Verdict};
use ttsr::text::JsString;

use super::compile;
use crate::support::project;

fn patterns(name: &str) -> Vec<(String, Pattern)> {
    let text = fs::read_to_string(project(&format!("testdata/patterns/{name}"))).expect("a list");
    let lines = text.lines().filter(|line| !line.starts_with("# "));
    lines.map(|line| (line.to_owned(), compile(&JsString::from(line)).expect(line))).collect()
}

#[test]
fn published_slow_patterns_are_found() {
    let found = patterns("superlinear.txt");
    assert!(found.len() >= 20);
    let missed: Vec<&str> =
        found.iter().filter(|(_, pattern)| pattern.cost().is_none()).map(|(source, _)| source.as_str()).collect();
    assert!(missed.is_empty(), "{missed:#?}");
    for (source, pattern) in &found {
        match pattern.cost() {
            Some(Cost::Repetition { attack, .. } | Cost::Ordinary { attack: Some(attack), .. }) => {
                let text = attack.text();
                assert!(text.len() <= 600, "{source}: {attack:?}");
                // This program, which does not go through all ways, decides it.
                let verdict = pattern.test(text.units(), 20_000_000);
                assert_ne!(verdict, Verdict::Undecided, "{source}: {attack:?}");
            }
            other => panic!("{source}: no text that shows it: {other:?}"),
        }
    }
}

#[test]
fn usual_patterns_are_not() {
    let usual = patterns("harmless.txt");
    assert!(usual.len() >= 200);
    let wrong: Vec<(&str, Option<Cost>)> = usual
        .iter()
        .map(|(source, pattern)| (source.as_str(), pattern.cost()))
        .filter(|(_, cost)| cost.is_some())
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
