//! Findings that a rule file accepts by `ttsr-ignore`: taken as such, and what is said of suppressions that do nothing.

use std::collections::HashMap;
use std::ops::Range;

use super::checked::needs_samples;
use crate::diagnostic::{Accepted, Code, Diagnostic, Severity, code};
use crate::output::catalogue;
use crate::rule::RuleFile;
use crate::rule::suppression::{Misplaced, Suppression, Suppressions};

/// Marks the findings that the file accepts, and adds what is to be said of its suppressions. `is_searched` says of a
/// code whether its findings would have been found.
pub(super) fn apply(file: &RuleFile, findings: &mut Vec<Diagnostic>, is_searched: impl Fn(Code) -> bool) {
    let Suppressions { accepted, misplaced } = Suppressions::read(file);
    let mut said = Vec::new();
    let mut by_code = ByCode::new(file, findings);
    for suppression in accepted {
        for (name, span) in &suppression.codes {
            let Some(code) = catalogue::find(name).filter(|_| !name.bytes().all(|byte| byte.is_ascii_digit())) else {
                said.push(unknown(file, name, span.clone()));
                continue;
            };
            let is_used = by_code.accept(code, &suppression, findings);
            if !is_used && is_searched(code) {
                let message = format!("{code} `{}` is not found here, so nothing is accepted", code.name());
                let finding = file.finding(code::UNUSED_SUPPRESSION, message, span.clone());
                said.push(finding.with_help("take it out, or put it above the key that the finding is at"));
            }
        }
    }
    for (span, why) in misplaced {
        let (message, help) = words(why);
        let finding = file.finding(code::MISPLACED_SUPPRESSION, message, span).with_help(help);
        said.push(if why == Misplaced::AboveFence { finding.with_severity(Severity::Error) } else { finding });
    }
    findings.append(&mut said);
}

/// The findings about a file by code and place.
struct ByCode {
    /// Offset and number of each finding, in order.
    places: HashMap<u16, Vec<(usize, usize)>>,
    /// What was looked at, and whether it accepted anything.
    seen: HashMap<(u16, Option<Range<usize>>), bool>,
}

impl ByCode {
    fn new(file: &RuleFile, findings: &[Diagnostic]) -> Self {
        let mut places: HashMap<u16, Vec<(usize, usize)>> = HashMap::new();
        for (at, finding) in findings.iter().enumerate() {
            if let Some(place) = finding.place.as_ref().filter(|place| place.file == file.name) {
                places.entry(finding.code.number()).or_default().push((place.start.offset, at));
            }
        }
        places.values_mut().for_each(|list| list.sort_unstable());
        Self { places, seen: HashMap::new() }
    }

    /// Marks the findings of this code that are meant; whether there is one.
    fn accept(&mut self, code: Code, suppression: &Suppression, findings: &mut [Diagnostic]) -> bool {
        let key = (code.number(), suppression.about.clone());
        if let Some(is_used) = self.seen.get(&key) {
            return *is_used;
        }
        let list = self.places.get(&code.number()).map_or(&[][..], Vec::as_slice);
        let (from, to) = match &suppression.about {
            None => (0, list.len()),
            Some(about) => (
                list.partition_point(|(offset, _)| *offset < about.start),
                list.partition_point(|(offset, _)| *offset <= about.end),
            ),
        };
        let meant = list.get(from..to).unwrap_or_default();
        for (_, at) in meant {
            let Some(finding) = findings.get_mut(*at) else { continue };
            finding.accepted.get_or_insert_with(|| Accepted { reason: suppression.reason.clone() });
            // What nobody wants to see mended stays as it is.
            finding.fix = None;
        }
        self.seen.insert(key, !meant.is_empty());
        !meant.is_empty()
    }
}

/// Whether a code is looked for in a run.
pub(super) fn is_searched(code: Code, runs_samples: bool) -> bool {
    runs_samples || !needs_samples(code)
}

fn unknown(file: &RuleFile, name: &str, span: Range<usize>) -> Diagnostic {
    let message = format!("there is no code `{name}`");
    let close =
        catalogue::all().into_iter().map(|code| (strsim::normalized_damerau_levenshtein(code.name(), name), code));
    let help = match close.max_by(|one, other| one.0.total_cmp(&other.0)).filter(|(likeness, _)| *likeness > 0.7) {
        _ if name.eq_ignore_ascii_case("all") => {
            "name the codes one by one, with commas between them: all would hide what nobody has looked at".to_owned()
        }
        Some((_, code)) => format!("write `{}`", code.name()),
        None => "codes are written as TTSR003 or invalid-condition; `ttsr check-rules --explain all` lists them".into(),
    };
    file.finding(code::UNKNOWN_SUPPRESSION, message, span).with_help(help)
}

fn words(why: Misplaced) -> (&'static str, &'static str) {
    const OWN_LINE: &str = "put it on a line of its own above the key";
    match why {
        Misplaced::Trailing => {
            ("a suppression behind something else does not count: the agent may read it as part of the value", OWN_LINE)
        }
        Misplaced::InValue => ("the suppression is part of a value, which is a text of several lines", OWN_LINE),
        Misplaced::Colon => (
            "a suppression with a colon and a blank does not count: the agent may read it as a key and a value",
            "leave the colon out",
        ),
        Misplaced::MarkupInFrontmatter => (
            "an HTML comment does not count in the frontmatter",
            "write `# ttsr-ignore CODE reason` on a line of its own above the key",
        ),
        Misplaced::AboveFence => (
            "the agent deletes the comment and leaves its line, so that the file does not begin with `---` and the \
             frontmatter is lost",
            "move it below the frontmatter",
        ),
        Misplaced::LineOfBody => (
            "in the body this is no suppression but a line that the model is told",
            "write `<!-- ttsr-ignore CODE reason -->`, which the agent deletes",
        ),
        Misplaced::NothingBelow => (
            "there is nothing below the suppression that it could be about",
            "put it above the key, or write `# ttsr-ignore-file CODE reason`",
        ),
        Misplaced::NoCode => ("the suppression names no code", "write `# ttsr-ignore CODE reason`"),
    }
}
