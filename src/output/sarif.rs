//! Findings as SARIF 2.1.0, for code-scanning services.

use super::Style;
use super::explain::explain;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::json_object;
use crate::text::json::{Object, Value};

/// The schema that the document follows.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// One run with all findings. Relative files are given relative to `SRCROOT`.
pub fn document(findings: &[Diagnostic]) -> Value {
    let mut codes: Vec<Code> = findings.iter().map(|finding| finding.code).collect();
    codes.sort_by_key(|code| code.number());
    codes.dedup();
    let results = findings.iter().map(|finding| {
        let index = codes.iter().position(|code| *code == finding.code).unwrap_or_default();
        Value::Object(result(finding, index))
    });
    let mut run = run(&codes);
    run.insert("results", Value::Array(results.collect()));
    Value::Object(json_object! {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": vec![Value::Object(run)],
    })
}

/// The same document, written piece by piece: what is known of the codes stands behind the results.
#[derive(Debug, Default)]
pub struct Pieces {
    codes: Vec<Code>,
    has_begun: bool,
    has_results: bool,
}

impl Pieces {
    /// Writes results.
    pub fn add(&mut self, findings: &[Diagnostic], out: &mut dyn FnMut(&str)) {
        self.begin(out);
        for finding in findings {
            let index = self.codes.iter().position(|code| *code == finding.code).unwrap_or_else(|| {
                self.codes.push(finding.code);
                self.codes.len() - 1
            });
            if std::mem::replace(&mut self.has_results, true) {
                out(",");
            }
            out(&Value::Object(result(finding, index)).to_json());
        }
    }

    fn begin(&mut self, out: &mut dyn FnMut(&str)) {
        if !std::mem::replace(&mut self.has_begun, true) {
            let schema = Value::from(SCHEMA).to_json();
            out(&format!("{{\"$schema\":{schema},\"version\":\"2.1.0\",\"runs\":[{{\"results\":["));
        }
    }

    /// Writes what stands behind the results; `lifecycles`: the generations that the inputs were read by.
    pub fn finish(mut self, lifecycles: &[&str], out: &mut dyn FnMut(&str)) {
        self.begin(out);
        let mut run = run(&self.codes);
        if !lifecycles.is_empty() {
            let names = lifecycles.iter().map(|name| Value::from(*name)).collect::<Vec<_>>();
            run.insert("properties", json_object! {"lifecycles": names});
        }
        let members = Value::Object(run).to_json();
        out(&format!("],{}]}}\n", members.strip_prefix('{').unwrap_or(&members)));
    }
}

/// The members of a run, the results aside.
fn run(codes: &[Code]) -> Object {
    let rules = codes.iter().map(|code| {
        Value::Object(json_object! {
            "id": code.to_string(),
            "name": code.name(),
            "shortDescription": json_object! {"text": code.name().replace('-', " ")},
            "fullDescription": json_object! {"text": code.explanation()},
            "help": json_object! {"text": explain(*code, Style::PLAIN)},
            "defaultConfiguration": json_object! {"level": level(code.severity())},
        })
    });
    let driver = json_object! {
        "name": "ttsr",
        "version": env!("CARGO_PKG_VERSION"),
        "rules": Value::Array(rules.collect()),
    };
    let source_root = json_object! {"text": "The folder in which ttsr was run."};
    json_object! {
        "tool": json_object! {"driver": driver},
        "originalUriBaseIds": json_object! {"SRCROOT": json_object! {"description": source_root}},
        "columnKind": "unicodeCodePoints",
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn result(finding: &Diagnostic, index: usize) -> Object {
    let mut result = json_object! {
        "ruleId": finding.code.to_string(),
        "ruleIndex": index,
        "level": level(finding.severity),
        "message": json_object! {"text": finding.with_remedy()},
    };
    if let Some(place) = &finding.place {
        let mut artifact = json_object! {"uri": uri(&place.file)};
        if !place.file.starts_with('/') {
            artifact.insert("uriBaseId", "SRCROOT");
        }
        let mut location = json_object! {"artifactLocation": artifact};
        if place.start.line > 0 {
            let mut region = json_object! {"startLine": place.start.line, "startColumn": place.start.column};
            if place.end > place.start {
                region.insert("endLine", place.end.line);
                region.insert("endColumn", place.end.column);
            }
            location.insert("region", region);
        }
        let location = json_object! {"physicalLocation": location};
        result.insert("locations", vec![Value::Object(location)]);
    }
    result
}

/// A file name as a URI reference: everything but unreserved characters and `/` percent-encoded.
fn uri(file: &str) -> String {
    let mut out = String::with_capacity(file.len());
    for byte in file.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    if file.starts_with('/') { format!("file://{out}") } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::code;
    use crate::text::Place;

    #[test]
    fn places_become_regions_and_relative_uris() {
        let finding = Diagnostic::new(code::MALFORMED_LINE, "cut").at(Place::line("a b/s.jsonl", 3, 10));
        let document = document(&[finding]).to_json();
        for part in ["\"uri\":\"a%20b/s.jsonl\"", "\"uriBaseId\":\"SRCROOT\"", "\"startLine\":3", "\"TTSR101\""] {
            assert!(document.contains(part), "{part} missing in {document}");
        }
    }
}
