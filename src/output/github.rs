//! Findings as workflow commands, which a continuous-integration service shows beside the lines they are about.

use super::{count, escape};
use crate::diagnostic::{Diagnostic, Severity};

/// How many annotations of each kind the service shows for a step.
const SHOWN: usize = 10;

/// One command a finding, the gravest first, since the service shows the first ones of each kind only; how many it does
/// not show is said in a line that is no command.
pub fn commands(findings: &[&Diagnostic]) -> String {
    let mut out = String::new();
    let mut hidden = Vec::new();
    for severity in [Severity::Error, Severity::Warning, Severity::Note] {
        let mut number = 0;
        for finding in findings.iter().filter(|finding| finding.severity == severity) {
            out.push_str(&command(finding));
            number += 1;
        }
        if number > SHOWN {
            hidden.push(count(number - SHOWN, severity.as_str()));
        }
    }
    if !hidden.is_empty() {
        out.push_str(&format!("shown are {SHOWN} of a kind; not shown: {}\n", hidden.join(", ")));
    }
    out
}

/// One command, on one line.
fn command(finding: &Diagnostic) -> String {
    let kind = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let mut properties = Vec::new();
    if let Some(place) = &finding.place {
        properties.push(("file", place.file.clone()));
        if place.start.line > 0 {
            properties.push(("line", place.start.line.to_string()));
            if place.end > place.start {
                properties.push(("endLine", place.end.line.to_string()));
            }
            properties.push(("col", place.start.column.to_string()));
            // The service wants the last column itself, and takes columns on one line only.
            if place.end > place.start && place.end.line == place.start.line {
                properties.push(("endColumn", (place.end.column - 1).to_string()));
            }
        }
    }
    properties.push(("title", format!("{} {}", finding.code, finding.code.name())));
    let properties: Vec<String> =
        properties.into_iter().map(|(name, value)| format!("{name}={}", encode(&value, true))).collect();
    format!("::{kind} {}::{}\n", properties.join(","), encode(&finding.with_remedy(), false))
}

/// The characters that end a value are percent-encoded; what could drive a terminal is escaped.
fn encode(text: &str, is_property: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '%' => out.push_str("%25"),
            '\n' => out.push_str("%0A"),
            '\r' => out.push_str("%0D"),
            ':' if is_property => out.push_str("%3A"),
            ',' if is_property => out.push_str("%2C"),
            other => out.push_str(&escape(other.encode_utf8(&mut [0; 4]))),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::lint::invalid_condition;
    use crate::text::{Place, Position};

    #[test]
    fn a_command_stays_on_its_line_and_names_the_place() {
        let start = Position { line: 2, column: 13, offset: 16 };
        let end = Position { line: 2, column: 15, offset: 18 };
        let finding = Diagnostic::new(invalid_condition::CODE, "100%\nbad\u{1b}")
            .at(Place { file: "a,b:c.md".into(), start, end })
            .with_help("mend it");
        assert_eq!(
            command(&finding),
            "::error file=a%2Cb%3Ac.md,line=2,endLine=2,col=13,endColumn=14,title=TTSR003 invalid-condition::\
             100%25%0Abad\\u{1b}%0Amend it\n"
        );
    }
}
