//! A condition that the agent takes for a file glob though it does not look like one to people.

use super::Subject;
use crate::diagnostic::{Diagnostic, code};

pub(super) fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for glob in &subject.listed.rule.fields.glob_conditions {
        // `*.ts` is meant as a glob; `src/**` most likely too.
        if glob.starts_with("*.") || glob.contains("**") {
            continue;
        }
        let message = format!(
            "the condition `{glob}` is read as a file glob: the rule fires on every edit of such a file and on no text"
        );
        let escaped = glob.to_string_lossy().replace('/', "\\/");
        let help = format!("for a regular expression write `'{escaped}'`; for files write `globs`");
        let range = subject.condition_range(glob, None);
        findings.push(subject.finding(code::GLOB_AS_CONDITION, message, range).with_help(help));
    }
}
