//! Findings as JUnit XML: one suite a file, one case a finding.

use std::collections::{BTreeMap, HashSet};

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::escape_lines;
use crate::diagnostic::{Diagnostic, Severity};

/// The suites of `files` in their order, then of the other files that findings are about. A finding of at least
/// `fail_on` is a failure, a lesser one a passed case with the text as its output; a file without findings has one
/// passed case.
///
/// # Errors
/// When the XML cannot be written.
pub fn document(files: &[String], findings: &[Diagnostic], fail_on: Severity) -> Result<String, String> {
    let mut by_file: BTreeMap<&str, Vec<&Diagnostic>> = BTreeMap::new();
    for finding in findings.iter().filter(|finding| finding.accepted.is_none()) {
        let file = finding.place.as_ref().map_or("(no file)", |place| place.file.as_str());
        by_file.entry(file).or_default().push(finding);
    }
    let mut report = Report::new("ttsr check-rules");
    let mut seen = HashSet::new();
    for file in files.iter().map(String::as_str).chain(by_file.keys().copied()).filter(|file| seen.insert(*file)) {
        let mut suite = TestSuite::new(xml_text(file));
        let findings = by_file.get(file).map_or(&[][..], Vec::as_slice);
        if findings.is_empty() {
            suite.add_test_case(case("check-rules", file, TestCaseStatus::success()));
        }
        for finding in findings {
            suite.add_test_case(finding_case(finding, file, fail_on));
        }
        report.add_test_suite(suite);
    }
    report.to_string().map_err(|error| error.to_string())
}

fn case(name: &str, file: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(xml_text(name), status);
    case.set_classname(xml_text(file));
    case
}

/// What could drive a terminal is shown escaped, which XML could not hold in part; the two characters that are neither
/// that nor allowed in XML are replaced.
fn xml_text(text: &str) -> String {
    escape_lines(text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

fn finding_case(finding: &Diagnostic, file: &str, fail_on: Severity) -> TestCase {
    let place = finding.place.as_ref().filter(|place| place.start.line > 0);
    let code = format!("{} {}", finding.code, finding.code.name());
    let (name, at) = match place.map(|place| format!("{}:{}", place.start.line, place.start.column)) {
        Some(at) => (format!("{code} at {at}"), format!("{file}:{at}")),
        None => (code, file.to_owned()),
    };
    let text = format!("{at}: {}", finding.with_remedy());
    if finding.severity < fail_on {
        let mut case = case(&name, file, TestCaseStatus::success());
        case.set_system_out(xml_text(&text));
        return case;
    }
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_type(finding.severity.as_str()).set_message(xml_text(&finding.message)).set_description(xml_text(&text));
    case(&name, file, status)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::lint::{invalid_condition, legacy_key};
    use crate::text::Place;

    #[test]
    fn a_file_is_a_suite_and_a_finding_a_case() {
        let finding = |code, line| Diagnostic::new(code, "a < b \u{1b}[31m\u{ffff}").at(Place::line("r.md", line, 10));
        let findings = [finding(invalid_condition::CODE, 3), finding(legacy_key::CODE, 4)];
        let files = ["good.md".to_owned(), "r.md".to_owned()];
        let text = document(&files, &findings, Severity::Error).expect("XML");
        assert!(
            text.contains("<testsuites name=\"ttsr check-rules\" tests=\"3\" skipped=\"0\" failures=\"1\""),
            "{text}"
        );
        assert!(text.contains("<testcase name=\"check-rules\" classname=\"good.md\"/>"), "{text}");
        assert!(text.contains("TTSR003 invalid-condition at 3:1") && text.contains("a &lt; b"), "{text}");
        assert!(text.contains(r"\u{1b}[31m") && !text.contains(['\u{1b}', '\u{ffff}']), "{text}");
    }
}
