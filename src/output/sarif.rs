//! Findings as SARIF 2.1.0, for code-scanning services.

use super::Style;
use super::explain::explain;
use crate::diagnostic::{Code, Diagnostic, Fix, Severity};
use crate::json_object;
use crate::text::Place;
use crate::text::json::{Object, Value};

/// The schema that the document follows.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// What is said of the run beside its findings.
#[derive(Clone, Copy, Debug, Default)]
pub struct Run<'a> {
    /// What runs have in common that replace each other.
    pub category: Option<&'a str>,
    /// Address that explains a code, with `{code}` or `{name}` in its place.
    pub help_uri: Option<&'a str>,
    /// How many findings are accepted.
    pub suppressed: usize,
    /// How many more there are that are known.
    pub known: usize,
}

/// One run with all findings. Relative files are given relative to `SRCROOT`.
pub fn document(findings: &[Diagnostic], about: &Run<'_>) -> Value {
    let mut codes: Vec<Code> = findings.iter().map(|finding| finding.code).collect();
    codes.sort_by_key(|code| code.number());
    codes.dedup();
    // Of a run in which something is suppressed it has to be said of each result whether it is.
    let says_suppressed = findings.iter().any(|finding| finding.accepted.is_some());
    let results = findings.iter().map(|finding| {
        let index = codes.iter().position(|code| *code == finding.code).unwrap_or_default();
        Value::Object(result(finding, index, says_suppressed))
    });
    let mut run = run(&codes, about);
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
            out(&Value::Object(result(finding, index, false)).to_json());
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
        let mut run = run(&self.codes, &Run::default());
        if !lifecycles.is_empty() {
            let names = lifecycles.iter().map(|name| Value::from(*name)).collect::<Vec<_>>();
            run.insert("properties", json_object! {"lifecycles": names});
        }
        let members = Value::Object(run).to_json();
        out(&format!("],{}]}}\n", members.strip_prefix('{').unwrap_or(&members)));
    }
}

/// The members of a run, the results aside.
fn run(codes: &[Code], about: &Run<'_>) -> Object {
    let rules = codes.iter().map(|code| {
        let mut rule = json_object! {
            "id": code.to_string(),
            "name": code.name(),
            "shortDescription": json_object! {"text": code.name().replace('-', " ")},
            "fullDescription": json_object! {"text": code.explanation()},
            "help": json_object! {"text": explain(*code, Style::PLAIN)},
            "defaultConfiguration": json_object! {"level": level(code.severity())},
            "properties": json_object! {"problem.severity": problem(code.severity())},
        };
        if let Some(uri) = about.help_uri {
            rule.insert("helpUri", uri.replace("{code}", &code.to_string()).replace("{name}", code.name()));
        }
        Value::Object(rule)
    });
    let driver = json_object! {
        "name": "ttsr",
        "version": env!("CARGO_PKG_VERSION"),
        "rules": Value::Array(rules.collect()),
    };
    let source_root = json_object! {"text": "The root of the repository, else the folder in which ttsr was run."};
    let mut run = json_object! {
        "tool": json_object! {"driver": driver},
        "originalUriBaseIds": json_object! {"SRCROOT": json_object! {"description": source_root}},
        "columnKind": "unicodeCodePoints",
    };
    if let Some(category) = about.category {
        run.insert("automationDetails", json_object! {"id": category});
        run.insert("properties", json_object! {"suppressed": about.suppressed, "known": about.known});
    }
    run
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    }
}

fn result(finding: &Diagnostic, index: usize, says_suppressed: bool) -> Object {
    let mut result = json_object! {
        "ruleId": finding.code.to_string(),
        "ruleIndex": index,
        "level": level(finding.severity),
        "message": json_object! {"text": finding.with_remedy()},
    };
    if let Some(place) = &finding.place {
        let mut location = json_object! {"artifactLocation": artifact(&place.file)};
        if place.start.line > 0 {
            location.insert("region", region(place));
        }
        let location = json_object! {"physicalLocation": location};
        result.insert("locations", vec![Value::Object(location)]);
    }
    if let Some(fingerprint) = &finding.fingerprint {
        result.insert("partialFingerprints", json_object! {"ttsr/v1": fingerprint.as_str()});
    }
    if let Some(fix) = finding.fix.as_ref().filter(|fix| fix.places.len() == fix.edits.len()) {
        result.insert("fixes", vec![Value::Object(repair(finding, fix))]);
    }
    if says_suppressed {
        let suppression = finding.accepted.as_ref().map(|accepted| {
            let mut suppression = json_object! {"kind": "inSource"};
            if let Some(reason) = &accepted.reason {
                suppression.insert("justification", reason.as_str());
            }
            Value::Object(suppression)
        });
        result.insert("suppressions", suppression.into_iter().collect::<Vec<_>>());
    }
    result
}

fn repair(finding: &Diagnostic, fix: &Fix) -> Object {
    let replacements = fix.edits.iter().zip(&fix.places).map(|((_, text), place)| {
        let mut region = region(place);
        // Nothing deleted is a region that ends where it begins.
        region.insert("endLine", place.end.line);
        region.insert("endColumn", place.end.column);
        let inserted = json_object! {"text": text.as_str()};
        Value::Object(json_object! {"deletedRegion": region, "insertedContent": inserted})
    });
    let file = finding.place.as_ref().map(|place| place.file.as_str()).unwrap_or_default();
    let change = json_object! {
        "artifactLocation": artifact(file),
        "replacements": replacements.collect::<Vec<_>>(),
    };
    json_object! {
        "description": json_object! {"text": fix.title},
        "artifactChanges": vec![Value::Object(change)],
    }
}

fn artifact(file: &str) -> Object {
    let mut artifact = json_object! {"uri": uri(file)};
    if !file.starts_with(['/', '~']) {
        artifact.insert("uriBaseId", "SRCROOT");
    }
    artifact
}

fn region(place: &Place) -> Object {
    let mut region = json_object! {"startLine": place.start.line, "startColumn": place.start.column};
    if place.end > place.start {
        region.insert("endLine", place.end.line);
        region.insert("endColumn", place.end.column);
    }
    region
}

/// The word of services for the gravity of a problem.
fn problem(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "recommendation",
    }
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
        let document = document(&[finding], &Run::default()).to_json();
        for part in ["\"uri\":\"a%20b/s.jsonl\"", "\"uriBaseId\":\"SRCROOT\"", "\"startLine\":3", "\"TTSR101\""] {
            assert!(document.contains(part), "{part} missing in {document}");
        }
    }
}
