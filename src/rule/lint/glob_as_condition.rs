//! A condition that the agent takes for a file glob though it does not look like one to people.

use super::shared::{Subject, in_quotes, lint};
use crate::diagnostic::{Diagnostic, Severity};
use crate::pattern::{CompileOptions, Pattern};

lint! {
    number: 13,
    name: "glob-as-condition",
    severity: Error,
    explanation: "A condition with `/` and a wildcard, and without any character that only a regular expression has, is taken for a file glob; only a warning where files were most likely meant.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for glob in &subject.listed.rule.fields.glob_conditions {
        // `*.ts` is meant as a glob.
        if !glob.contains("/") {
            continue;
        }
        let text = glob.to_string_lossy();
        let message = format!(
            "the condition `{glob}` is read as a file glob: the rule fires on no text, only on edits of files whose path matches"
        );
        let escaped = text.replace('/', "\\/");
        let files = looks_like_files(&text);
        // A pattern for paths may be none for text.
        let as_pattern = Pattern::compile(&escaped.as_str().into(), CompileOptions::default())
            .is_ok()
            .then(|| format!("a backslash makes it a regular expression: write `{}`", in_quotes(&escaped)));
        let as_glob = match (files, text.contains("://")) {
            (true, _) => Some(format!("for files write `globs: {}` and a condition", in_quotes(&text))),
            (false, true) => None,
            (false, false) => Some("for files write `globs` and a condition".to_owned()),
        };
        let help = as_pattern.into_iter().chain(as_glob).collect::<Vec<_>>().join("; ");
        let range = subject.condition_range(glob, None);
        let severity = if files { Severity::Warning } else { Severity::Error };
        let finding = subject.finding(CODE, message, range).with_severity(severity);
        findings.push(finding.with_help(help));
    }
}

/// Whether files were most likely meant: any folder, or a wildcard and an extension.
fn looks_like_files(glob: &str) -> bool {
    let extension = || {
        let name = glob.rsplit('/').next().unwrap_or_default();
        name.rsplit_once('.').is_some_and(|(stem, extension)| {
            !stem.is_empty() && !extension.is_empty() && extension.chars().all(|one| one.is_ascii_alphanumeric())
        })
    };
    !glob.contains("://") && (glob.contains("**") || extension())
}
