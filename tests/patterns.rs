//! Conditions: the reference's verdicts, and properties against other ways to decide.

pub mod generate;
mod limits;
mod properties;
mod superlinear;

use std::sync::Arc;

use ttsr::pattern::{Buffer, CompileOptions, Pattern, PatternError, PatternSet, Scanner, Verdict};
use ttsr::text::JsString;
use ttsr::text::json::Value;

use crate::support::{js_string, run_vectors};

fn compile(source: &JsString) -> Result<Pattern, PatternError> {
    Pattern::compile(source, CompileOptions::default())
}

/// Reads a text in deltas of the given length and gives the verdict at its end.
fn scan(pattern: &Pattern, text: &[u16], delta: usize) -> Verdict {
    let mut scanner = Scanner::new(Arc::new(PatternSet::new(vec![pattern.clone()])));
    let mut buffer = Buffer::new();
    for part in text.chunks(delta) {
        scanner.append(&mut buffer, part);
        scanner.verdict(&mut buffer, 0);
    }
    scanner.verdict(&mut buffer, 0)
}

#[test]
fn regex_vectors() {
    run_vectors("regex", |case| {
        let source = js_string(case, "pattern").ok_or("no pattern")?;
        let pattern = match (compile(&source), case.get("error").is_some()) {
            (Err(_), true) => return Ok(()),
            (Err(error), false) => return Err(format!("`{source}` refused: {error:?}")),
            (Ok(_), true) => return Err(format!("`{source}` accepted")),
            (Ok(pattern), false) => pattern,
        };
        let input = js_string(case, "input").ok_or("no input")?;
        let wanted = case.get("match") == Some(&Value::Bool(true));
        let whole = scan(&pattern, input.units(), usize::MAX);
        let pieces = scan(&pattern, input.units(), if input.len() > 10_000 { 12 } else { 1 });
        let found = PatternSet::new(vec![pattern.clone()]).find(0, input.units()).is_some();
        if whole == Verdict::Undecided || [whole.is_match(), pieces.is_match(), found] != [wanted; 3] {
            return Err(format!("`{source}`: whole {whole:?}, in pieces {pieces:?}, found {found}, wanted {wanted}"));
        }
        Ok(())
    });
}
