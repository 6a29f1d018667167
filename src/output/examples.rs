//! What came of the verdict samples: a table of those that are not as expected, and a line of totals.

use std::fmt::Write as _;

use comfy_table::Cell;

use super::{Style, count, escape};
use crate::replay::{Example, Examples, Verdict};
use crate::text::JsString;

/// Characters of a sample that the table shows.
const SHOWN: usize = 48;

/// The samples that are not as expected, as a table; nothing when there are none.
pub fn failures(examples: &Examples, style: Style) -> String {
    let mut table = style.table(&["Rule", "Sample", "Expected", "Got", "Where"]);
    for result in examples.results.iter().filter(|result| !result.passed()) {
        let place = match (&result.at, &result.why) {
            (Some(at), _) => escape(&at.phrase(result.sample.source)),
            (None, Some(why)) => escape(why),
            (None, None) => String::new(),
        };
        table.add_row([
            Cell::new(escape(&result.rule.to_string_lossy())),
            Cell::new(sample(result)),
            Cell::new(result.sample.expected.as_str()),
            if result.verdict == Verdict::NotRun {
                Style::notable_cell("not run")
            } else {
                Style::bad_cell(got(result))
            },
            Cell::new(place),
        ]);
    }
    if table.row_count() == 0 {
        return String::new();
    }
    format!("{}\n{}\n\n", style.heading("Samples that are not as expected"), table.trim_fmt())
}

pub(super) fn got(result: &Example) -> &'static str {
    match result.verdict {
        Verdict::Fired if result.premature => "fired too early",
        Verdict::Fired => "fired",
        Verdict::Silent => "did not fire",
        Verdict::Undecided => "undecided",
        Verdict::NotRun => "not run",
    }
}

/// The sample's line, what it is, and how its text begins.
fn sample(result: &Example) -> String {
    format!("{}: {}", result.line, label(result))
}

/// What a sample is, and how its text begins.
pub(super) fn label(result: &Example) -> String {
    let sample = &result.sample;
    let text = sample.text.to_string_lossy();
    let shown: String = text.chars().take(SHOWN).collect();
    let cut = if shown.len() < text.len() { "…" } else { "" };
    let name =
        |text: &Option<JsString>| text.iter().map(|text| format!(" {}", escape(&text.to_string_lossy()))).collect();
    let (tool, path): (String, String) = (name(&sample.tool), name(&sample.path));
    let what =
        if sample.tool.is_some() { format!("{}{path}", tool.trim_start()) } else { sample.source.as_str().to_owned() };
    format!("{what}: {}{cut}", escape(&shown))
}

/// The last line of a report.
pub fn totals(examples: &Examples) -> String {
    let mut rules: Vec<&JsString> = examples.results.iter().map(|result| &result.rule).collect();
    rules.sort();
    rules.dedup();
    let passed = examples.count(Example::passed);
    let not_run = examples.count(|result| result.verdict == Verdict::NotRun);
    let mut line = format!(
        "{} of {}: {passed} as expected, {} not",
        count(examples.results.len(), "sample"),
        count(rules.len(), "rule"),
        examples.results.len() - passed - not_run,
    );
    if not_run > 0 {
        let _ = write!(line, ", {not_run} not run");
    }
    line.push('\n');
    line
}
