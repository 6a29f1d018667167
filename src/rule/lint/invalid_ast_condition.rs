//! AST patterns that no language of their paths reads.

use super::ast_never_runs::{languages, why};
use super::shared::{Subject, lint};
use crate::ast::check_pattern;
use crate::diagnostic::Diagnostic;

lint! {
    number: 5,
    name: "invalid-ast-condition",
    severity: Warning,
    explanation: "An AST pattern does not parse in the language of the paths it is for, so the agent ignores it.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    let Some(rule) = subject.compiled.filter(|rule| !rule.is_judged() && why(rule).is_none()) else { return };
    let aliases = languages(rule);
    for pattern in rule.ast.iter().filter(|_| !aliases.is_empty()) {
        let errors: Vec<String> = aliases.iter().filter_map(|alias| check_pattern(alias, pattern)).collect();
        if errors.len() == aliases.len() {
            let message = format!("the AST pattern does not parse as `.{}`: {}", aliases[0], errors[0]);
            let help = "a pattern is one node of code: an expression, a statement or a declaration";
            let range = subject.item_range("astCondition", pattern);
            findings.push(subject.finding(CODE, message, range).with_help(help));
        }
    }
}
