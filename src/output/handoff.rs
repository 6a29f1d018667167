//! A handoff as text for people, and as the document `ttsr.handoff/1` (cli.md section 5).

use std::fmt::Write as _;
use std::path::Path;

use super::{Style, count, escape};
use crate::diagnostic::Diagnostic;
use crate::handoff::{Report, headings_found, required_headings};
use crate::json_object;
use crate::text::JsString;
use crate::text::json::Value;

/// The JSON Schema of [`document`].
pub const SCHEMA: &str = include_str!("schema/handoff.json");

/// What a handoff that is done came to. `generation` is the name of the generation and the mark that decided for it,
/// `path` the file that was written, `copy` the copy of the old session.
pub fn human(
    report: &Report,
    generation: (&str, Option<&str>),
    path: Option<&Path>,
    copy: Option<&Path>,
    style: Style,
) -> String {
    let mut out = String::new();
    let shown = |text: &JsString| escape(&text.to_string_lossy());
    let _ = writeln!(out, "{}", style.good(&shown(&report.message)));
    let mut line = |label: &str, value: String| {
        let _ = writeln!(out, "  {} {value}", style.faint(&format!("{label:<10}")));
    };
    line("pipeline", report.pipeline.as_str().to_owned());
    let mark = generation.1.map(|mark| format!(" ({mark})")).unwrap_or_default();
    line("lifecycle", format!("{}{mark}", generation.0));
    let id = report.source.id.as_ref().map(shown).unwrap_or_default();
    line("from", format!("{} ({id}, {})", escape(&report.source.file), count(report.source.messages, "message")));
    if let (Some(path), Some(session)) = (path, &report.session) {
        line("to", format!("{} ({})", escape(&path.to_string_lossy()), shown(&session.id)));
        if let Some(parent) = &session.parent {
            line("parent", shown(parent));
        }
    }
    if let Some(path) = copy {
        line("old copy", escape(&path.to_string_lossy()));
    }
    if let Some(document) = &report.document {
        let found = headings_found(document, report.pipeline).len();
        let bytes = count(document.utf8_len(), "byte");
        line("document", format!("{bytes}, {found} of {} headings", required_headings(report.pipeline).count()));
    }
    if !report.rules_rearmed.is_empty() {
        let names: Vec<String> = report.rules_rearmed.iter().map(shown).collect();
        line("rearmed", names.join(", "));
    }
    out
}

/// The result as one document. `generation` is the name of the generation and the mark that decided for it, `path` the
/// file that was written.
pub fn document(report: &Report, generation: (&str, Option<&str>), path: Option<&Path>) -> Value {
    let text = |text: Option<&JsString>| text.cloned().map_or(Value::Null, Value::String);
    let list = |items: &[&str]| items.iter().map(|item| Value::from(*item)).collect::<Vec<_>>();
    let session = report.session.as_ref().map_or(Value::Null, |session| {
        Value::Object(json_object! {
            "id": session.id.clone(),
            "path": path.map_or(Value::Null, |path| Value::from(path.to_string_lossy().as_ref())),
            "timestamp": session.timestamp.clone(),
            "parentSession": text(session.parent.as_ref()),
        })
    });
    let document = report.document.as_ref().map_or(Value::Null, |document| {
        let found = headings_found(document, report.pipeline);
        Value::Object(json_object! {
            "origin": report.origin.as_str(),
            "bytes": document.utf8_len(),
            "headings": list(&found),
            "text": document.clone(),
        })
    });
    let mut object = json_object! {
        "schema": "ttsr.handoff/1",
        "status": report.status.as_str(),
        "reason": report.reason.map_or(Value::Null, Value::from),
        "message": report.message.clone(),
        "pipeline": report.pipeline.as_str(),
        "reference": report.reference.clone(),
        "session": session,
        "source": json_object! {
            "path": report.source.file.as_str(),
            "id": text(report.source.id.as_ref()),
            "leaf": text(report.source.leaf.as_ref()),
            "messages": report.source.messages,
        },
        "document": document,
        "entry": text(report.entry.as_ref()),
        "lineage": text(report.session.as_ref().and_then(|session| session.parent.as_ref())),
        "headings_missing": list(&report.headings_missing),
        "rules_rearmed": report.rules_rearmed.iter().cloned().map(Value::String).collect::<Vec<_>>(),
        "warnings": report.warnings.iter().map(warning).collect::<Vec<_>>(),
        "lifecycle": generation.0,
    };
    if let Some(mark) = generation.1 {
        object.insert("lifecycle_from", mark);
    }
    Value::Object(object)
}

fn warning(diagnostic: &Diagnostic) -> Value {
    Value::Object(json_object! {
        "code": diagnostic.code.to_string(),
        "name": diagnostic.code.name(),
        "severity": diagnostic.severity.as_str(),
        "message": diagnostic.message.as_str(),
    })
}
