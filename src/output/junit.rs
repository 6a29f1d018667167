//! The check of rule files as JUnit XML: one suite a file, with one case for what the lints find in it and one for each
//! of its samples. Names hold no lines, so that a case stays the same when the file is edited above it.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::{escape_lines, examples};
use crate::diagnostic::{Diagnostic, Severity};
use crate::replay::{Example, Verdict};

/// A sample that was run.
pub struct Ran<'a> {
    /// Its file, as the suite is named.
    pub file: String,
    /// What came of it.
    pub result: &'a Example,
}

/// What was found.
pub struct Findings<'a> {
    /// Findings about files.
    pub of_files: Vec<&'a Diagnostic>,
    /// Findings that come of samples.
    pub of_samples: Vec<&'a Diagnostic>,
    /// What was found and does not count, in words.
    pub beside: Option<String>,
    /// From which severity on a finding is a failure; others are the output of a case that passes.
    pub fail_on: Severity,
}

/// What the name of a suite of findings about no file is.
const NO_FILE: &str = "(no file)";

/// The suites of `files` in their order, then of the other files that findings are about.
///
/// # Errors
/// When the XML cannot be written.
pub fn document(files: &[String], samples: &[Ran<'_>], findings: &Findings<'_>) -> Result<String, String> {
    let mut by_file: BTreeMap<&str, Vec<&Diagnostic>> = BTreeMap::new();
    let mut by_line: HashMap<(&str, usize), Vec<&Diagnostic>> = HashMap::new();
    let lines: HashSet<(&str, usize)> = samples.iter().map(|ran| (ran.file.as_str(), ran.result.line)).collect();
    for finding in &findings.of_samples {
        let place = finding.place.as_ref().map(|place| (place.file.as_str(), place.start.line));
        match place.filter(|place| lines.contains(place)) {
            Some(place) => by_line.entry(place).or_default().push(finding),
            None => by_file.entry(file_of(finding)).or_default().push(finding),
        }
    }
    for finding in &findings.of_files {
        by_file.entry(file_of(finding)).or_default().push(finding);
    }
    let mut by_suite: HashMap<&str, Vec<&Ran<'_>>> = HashMap::new();
    for ran in samples {
        by_suite.entry(&ran.file).or_default().push(ran);
    }
    let mut report = Report::new("ttsr check-rules");
    report.set_time(Duration::ZERO);
    let mut seen = HashSet::new();
    let names: Vec<&str> = files.iter().map(String::as_str).chain(by_file.keys().copied()).collect();
    for file in names.into_iter().filter(|file| seen.insert(*file)) {
        let mut suite = TestSuite::new(xml_text(file));
        suite.set_time(Duration::ZERO);
        if let Some(beside) = findings.beside.as_ref().filter(|_| report.test_suites.is_empty()) {
            suite.add_property(("findings that do not count", beside.as_str()));
        }
        let found = by_file.get(file).map_or(&[][..], Vec::as_slice);
        let line =
            found.iter().find(|finding| finding.severity >= findings.fail_on).and_then(|finding| line_of(finding));
        suite.add_test_case(case("lints", file, line, status(found, findings.fail_on)));
        let mut names: HashMap<String, usize> = HashMap::new();
        for ran in by_suite.remove(file).unwrap_or_default() {
            let name = format!("{}: {}", ran.result.sample.expected.as_str(), examples::label(ran.result));
            let number = names.entry(name.clone()).or_default();
            *number += 1;
            let name = if *number > 1 { format!("{name} ({number})") } else { name };
            let said = by_line.get(&(file, ran.result.line)).map_or(&[][..], Vec::as_slice);
            suite.add_test_case(case(
                &name,
                file,
                Some(ran.result.line),
                of_sample(ran.result, said, findings.fail_on),
            ));
        }
        report.add_test_suite(suite);
    }
    report.to_string().map_err(|error| error.to_string())
}

fn file_of(finding: &Diagnostic) -> &str {
    finding.place.as_ref().map_or(NO_FILE, |place| &place.file)
}

fn line_of(finding: &Diagnostic) -> Option<usize> {
    finding.place.as_ref().map(|place| place.start.line).filter(|line| *line > 0)
}

/// The status of a case, and what it puts out.
type Status = (TestCaseStatus, Option<String>);

fn case(name: &str, file: &str, line: Option<usize>, (status, output): Status) -> TestCase {
    let mut case = TestCase::new(xml_text(name), status);
    case.set_classname(xml_text(file)).set_time(Duration::ZERO);
    if file != NO_FILE {
        case.extra.insert("file".into(), xml_text(file).into());
        line.into_iter().for_each(|line| drop(case.extra.insert("line".into(), line.to_string().into())));
    }
    if let Some(output) = output {
        case.set_system_out(xml_text(&output));
    }
    case
}

/// A failure where a finding is one, with all that are; the others are output.
fn status(findings: &[&Diagnostic], fail_on: Severity) -> Status {
    let (failures, others): (Vec<_>, Vec<_>) = findings.iter().copied().partition(|one| one.severity >= fail_on);
    let output = (!others.is_empty()).then(|| texts(&others));
    let Some(worst) = failures.iter().max_by_key(|finding| finding.severity) else {
        return (TestCaseStatus::success(), output);
    };
    let more = match failures.len() {
        1 => String::new(),
        number => format!(" (and {} more)", number - 1),
    };
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status
        .set_type(format!("{} {}", worst.code, worst.code.name()))
        .set_message(xml_text(&format!("{}{more}", worst.message)))
        .set_description(xml_text(&texts(&failures)));
    (status, output)
}

fn of_sample(result: &Example, findings: &[&Diagnostic], fail_on: Severity) -> Status {
    // Several samples may stand on one line; what is said there is about those that are not as expected.
    if result.passed() {
        return (TestCaseStatus::success(), None);
    }
    let (status, output) = status(findings, fail_on);
    if result.verdict == Verdict::NotRun && matches!(status, TestCaseStatus::Success { .. }) {
        return (TestCaseStatus::skipped(), output);
    }
    let got = match &result.why {
        Some(why) => format!("{}: {why}", examples::got(result)),
        None => examples::got(result).to_owned(),
    };
    let output = output.map_or(got.clone(), |output| format!("{got}\n{output}"));
    (status, Some(output))
}

fn texts(findings: &[&Diagnostic]) -> String {
    let text = |finding: &&Diagnostic| {
        let place = finding.place.as_ref().filter(|place| place.start.line > 0);
        let at = place.map(|place| format!(":{}:{}", place.start.line, place.start.column)).unwrap_or_default();
        let (file, code) = (file_of(finding), finding.code);
        format!("{file}{at}: {} {code} {}: {}", finding.severity, code.name(), finding.with_remedy())
    };
    findings.iter().map(text).collect::<Vec<_>>().join("\n\n")
}

/// What could drive a terminal is shown escaped, which XML could not hold in part; the two characters that are neither
/// that nor allowed in XML are replaced.
fn xml_text(text: &str) -> String {
    escape_lines(text).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::lint::{invalid_condition, legacy_key};
    use crate::text::Place;

    #[test]
    fn a_file_is_a_suite_with_one_case_for_all_that_is_found() {
        let finding = |code, line| Diagnostic::new(code, "a < b \u{1b}[31m\u{ffff}").at(Place::line("r.md", line, 10));
        let found = [finding(invalid_condition::CODE, 3), finding(legacy_key::CODE, 4)];
        let files = ["good.md".to_owned(), "r.md".to_owned()];
        let findings = Findings {
            of_files: found.iter().collect(),
            of_samples: Vec::new(),
            beside: Some("2 known".to_owned()),
            fail_on: Severity::Error,
        };
        let text = document(&files, &[], &findings).expect("XML");
        for part in [
            "<testsuites name=\"ttsr check-rules\" tests=\"2\" skipped=\"0\" failures=\"1\"",
            "<testcase name=\"lints\" classname=\"good.md\" time=\"0.000\" file=\"good.md\"/>",
            "<testcase name=\"lints\" classname=\"r.md\" time=\"0.000\" file=\"r.md\" line=\"3\">",
            "TTSR003 invalid-condition",
            "a &lt; b",
            r"\u{1b}[31m",
            "2 known",
        ] {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
        assert!(!text.contains(['\u{1b}', '\u{ffff}']), "{text}");
    }
}
