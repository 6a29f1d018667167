//! Rule files as the agent sees them: a table, and the document `ttsr.check/1` (cli.md section 3).

use std::fmt::Write as _;

use comfy_table::Cell;

use super::{Style, count, escape, examples};
use crate::diagnostic::{Diagnostic, Fix, Severity};
use crate::json_object;
use crate::replay::Examples;
use crate::rule::{Bucket, RuleSet};
use crate::text::JsString;
use crate::text::Position;
use crate::text::json::Value;

/// The JSON Schema of [`document`].
pub const SCHEMA: &str = include_str!("schema/check.json");

/// What was read and found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Rule files read.
    pub files: usize,
    /// Rules in them.
    pub rules: usize,
    /// Findings of severity error.
    pub errors: usize,
    /// Findings of severity warning.
    pub warnings: usize,
    /// Findings of severity note.
    pub notes: usize,
}

impl Counts {
    /// Counts the findings.
    pub fn of(diagnostics: &[Diagnostic], files: usize, rules: usize) -> Self {
        let of = |severity| diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count();
        Self { files, rules, errors: of(Severity::Error), warnings: of(Severity::Warning), notes: of(Severity::Note) }
    }
}

/// The rules as a table: what became of each, and what the engine works with.
pub fn list(rules: &RuleSet, counts: Counts, style: Style) -> String {
    let mut out = String::new();
    let mut table = style.table(&["Rule", "Bucket", "Conditions", "Scope", "Globs", "Provider"]);
    for listed in &rules.inventory {
        let compiled = rules.compiled_of(listed);
        let joined = |texts: Vec<&JsString>| {
            texts.iter().map(|text| escape(&text.to_string_lossy())).collect::<Vec<_>>().join("\n")
        };
        let conditions = listed.conditions(compiled).into_iter().map(|text| escape(&text.to_string_lossy()));
        let patterns =
            listed.ast_conditions(compiled).into_iter().map(|text| format!("ast: {}", escape(&text.to_string_lossy())));
        let mut triggers = conditions.chain(patterns).collect::<Vec<_>>().join("\n");
        let bucket = match &listed.reason {
            Some(reason) => {
                triggers =
                    if triggers.is_empty() { escape(reason) } else { format!("{triggers}\n({})", escape(reason)) };
                Style::notable_cell(listed.bucket.as_str())
            }
            None => Cell::new(listed.bucket.as_str()),
        };
        table.add_row([
            Cell::new(escape(&listed.rule.name.to_string_lossy())),
            bucket,
            Cell::new(triggers),
            Cell::new(joined(listed.scope(compiled))),
            Cell::new(joined(listed.globs(compiled))),
            Cell::new(listed.rule.provider.id()),
        ]);
    }
    if table.row_count() > 0 {
        let _ = writeln!(out, "{}\n", table.trim_fmt());
    }
    out.push_str(&sums(rules, counts));
    out
}

/// How many rules without effect are named; the rest is counted.
const NAMED: usize = 20;

/// The last lines of a report: which rules the agent does nothing with, and counts.
pub fn totals(rules: &RuleSet, counts: Counts) -> String {
    let idle: Vec<_> = rules.inventory.iter().filter(|listed| listed.bucket == Bucket::None).collect();
    let mut out = String::new();
    for listed in idle.iter().take(NAMED) {
        let reason = listed.reason.as_deref().unwrap_or("no condition");
        let _ = writeln!(out, "no effect: {} ({})", escape(&listed.rule.name.to_string_lossy()), escape(reason));
    }
    if idle.len() > NAMED {
        let _ = writeln!(out, "no effect: {} more (--list shows all)", idle.len() - NAMED);
    }
    out.push_str(&sums(rules, counts));
    out
}

fn sums(rules: &RuleSet, counts: Counts) -> String {
    format!(
        "{} in {}: {} registered; {}, {}, {}\n",
        count(counts.rules, "rule"),
        count(counts.files, "file"),
        rules.compiled.len(),
        count(counts.errors, "error"),
        count(counts.warnings, "warning"),
        count(counts.notes, "note"),
    )
}

/// The rules and findings as one JSON document, with what came of the samples where they were run. Each rule and finding
/// becomes text at once: as values, all of them together take several times the room.
pub fn document(
    rules: &RuleSet,
    diagnostics: &[Diagnostic],
    examples: Option<&Examples>,
    lifecycle: &str,
    counts: Counts,
) -> String {
    let mut last = json_object! {
        "summary": json_object! {
            "files": counts.files,
            "rules": counts.rules,
            "errors": counts.errors,
            "warnings": counts.warnings,
            "notes": counts.notes,
        },
    };
    if let Some(examples) = examples {
        last.insert("examples", examples::to_json(examples));
    }
    let listed = rules.inventory.iter().map(|listed| Value::Object(listed.to_json(rules.compiled_of(listed))));
    let mut out = format!("{{\"schema\":\"ttsr.check/1\",\"lifecycle\":{}", Value::from(lifecycle).to_json());
    push_list(&mut out, "rules", listed);
    push_list(&mut out, "diagnostics", diagnostics.iter().map(diagnostic));
    out.push(',');
    out.push_str(Value::Object(last).to_json().trim_start_matches('{'));
    out
}

fn push_list(out: &mut String, key: &str, items: impl Iterator<Item = Value>) {
    let _ = write!(out, ",\"{key}\":[");
    for (index, item) in items.enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&item.to_json());
    }
    out.push(']');
}

fn diagnostic(diagnostic: &Diagnostic) -> Value {
    let place = diagnostic.place.as_ref();
    Value::Object(json_object! {
        "code": diagnostic.code.to_string(),
        "name": diagnostic.code.name(),
        "severity": diagnostic.severity.as_str(),
        "message": diagnostic.message.as_str(),
        "help": diagnostic.help.as_deref().map_or(Value::Null, Value::from),
        "file": place.map_or(Value::Null, |place| Value::from(place.file.as_str())),
        "start": place.map_or(Value::Null, |place| position(place.start)),
        "end": place.map_or(Value::Null, |place| position(place.end)),
        "fix": diagnostic.fix.as_ref().map_or(Value::Null, fix),
    })
}

fn fix(fix: &Fix) -> Value {
    let edits = fix.edits.iter().map(|(range, text)| {
        Value::Object(json_object! {"start": range.start, "end": range.end, "text": text.as_str()})
    });
    Value::Object(json_object! {"title": fix.title, "edits": edits.collect::<Vec<_>>()})
}

fn position(position: Position) -> Value {
    Value::Object(json_object! {
        "line": position.line,
        "column": position.column,
        "offset": position.offset,
    })
}
