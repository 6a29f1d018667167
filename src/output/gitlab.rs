//! Findings as a code quality report, which a continuous-integration service shows beside a merge request.

use serde::Serialize;

use crate::diagnostic::{Diagnostic, Severity};

/// What is shown of a finding about no file: the report takes none without a path.
const NO_FILE: &str = ".";

#[derive(Serialize)]
struct Issue<'a> {
    description: &'a str,
    check_name: String,
    /// Of two issues with the same one the service shows one.
    fingerprint: &'a str,
    severity: &'static str,
    location: Location<'a>,
}

#[derive(Serialize)]
struct Location<'a> {
    path: &'a str,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: usize,
}

/// The report, one issue a line; files are to be named from the root of the repository on.
pub fn document(findings: &[&Diagnostic]) -> String {
    let issue = |finding: &&Diagnostic| {
        let place = finding.place.as_ref();
        let issue = Issue {
            description: &finding.message,
            check_name: format!("{} {}", finding.code, finding.code.name()),
            fingerprint: finding.fingerprint.as_deref().unwrap_or_default(),
            severity: match finding.severity {
                Severity::Error => "major",
                Severity::Warning => "minor",
                Severity::Note => "info",
            },
            location: Location {
                path: place.map_or(NO_FILE, |place| place.file.as_str()),
                lines: Lines { begin: place.map_or(1, |place| place.start.line.max(1)) },
            },
        };
        serde_json::to_string(&issue).unwrap_or_default()
    };
    let issues: Vec<String> = findings.iter().map(issue).collect();
    if issues.is_empty() { "[]\n".to_owned() } else { format!("[\n{}\n]\n", issues.join(",\n")) }
}
