//! Lints: what a rule file says and what the agent makes of it, where the two differ (engine.md E12, E13). Each has a
//! file that is named like its code, with its text, its check and its repair; its samples are in
//! `testdata/rules/<code>/`. A new one is such a file and a line in `LINTS`, below.
//!
//! Reading and registration decide and say nothing; what is to be said of their decisions is said here.

pub mod any_condition;
pub mod ast_never_runs;
pub mod byte_order_mark;
pub mod catch_all;
pub mod chunk_dependent_pattern;
pub mod comma_in_glob;
pub mod condition_beyond_limits;
pub mod control_character;
pub mod empty_content;
pub mod empty_value;
pub mod example_did_not_fire;
pub mod example_fired;
pub mod example_not_run;
pub mod foreign_syntax;
pub mod frontmatter_beyond_limits;
pub mod glob_as_condition;
pub mod globs_exclude_prose;
pub mod idle_narrowing;
pub mod ineffective_interrupt_mode;
pub mod invalid_ast_condition;
pub mod invalid_condition;
pub mod invalid_example;
pub mod invalid_frontmatter;
pub mod invalid_glob;
pub mod invalid_interrupt_mode;
pub mod invalid_question;
pub mod invalid_scope_token;
pub mod later_key;
pub mod legacy_key;
pub mod literal_dot_glob;
pub mod lost_always_apply;
pub mod lost_gate;
pub mod malformed_text;
pub mod masked_legacy_key;
pub mod matches_empty;
pub mod misplaced_fence;
pub mod missing_apply_to;
pub mod missing_examples;
pub mod missing_trigger;
pub mod negated_glob;
pub mod never_matches;
pub mod no_valid_condition;
pub mod normalisation_form;
pub mod nothing_registered_in_v1;
pub mod pathless_tool;
pub mod premature_example;
pub mod question_before_v4;
pub mod quoted_condition;
pub mod regex_literal;
pub mod relative_glob;
pub mod repeated_key;
pub mod scope_as_condition;
pub mod setting_as_key;
pub mod several_documents;
pub mod shadowed_rule;
mod shared;
pub mod skipped_file;
pub mod start_anchor;
pub mod sticky_look_ahead;
pub mod superlinear_pattern;
pub mod unclosed_fence;
pub mod undecided_example;
pub mod unknown_key;
pub mod unknown_scope_tool;
pub mod unreachable_scope;
pub mod unreadable_rule_file;
pub mod unseen_text;
pub mod untested_condition;
pub mod untranslated_inline_flag;
pub mod utf16_file;
pub mod wrong_type;

use shared::{Check, Lint, Subject};

use super::read::{Reading, RuleFile};
use super::register::{CompiledRule, Listed, RuleSet};
use crate::diagnostic::{Code, Diagnostic};
use crate::generation::Semantics;

/// Every lint. Of those that look at the same thing, the order is the one in which they run.
const LINTS: &[Lint] = &[
    // A file as it was read.
    byte_order_mark::LINT,
    utf16_file::LINT,
    malformed_text::LINT,
    unclosed_fence::LINT,
    invalid_frontmatter::LINT,
    several_documents::LINT,
    frontmatter_beyond_limits::LINT,
    // What registration leaves out, or why it refuses a rule.
    shadowed_rule::LINT,
    empty_content::LINT,
    condition_beyond_limits::LINT,
    invalid_condition::LINT,
    untranslated_inline_flag::LINT,
    no_valid_condition::LINT,
    invalid_scope_token::LINT,
    unreachable_scope::LINT,
    // A rule that came into its own.
    misplaced_fence::LINT,
    unknown_key::LINT,
    setting_as_key::LINT,
    repeated_key::LINT,
    wrong_type::LINT,
    empty_value::LINT,
    invalid_interrupt_mode::LINT,
    invalid_question::LINT,
    question_before_v4::LINT,
    later_key::LINT,
    ineffective_interrupt_mode::LINT,
    lost_gate::LINT,
    legacy_key::LINT,
    masked_legacy_key::LINT,
    lost_always_apply::LINT,
    missing_trigger::LINT,
    glob_as_condition::LINT,
    control_character::LINT,
    quoted_condition::LINT,
    regex_literal::LINT,
    foreign_syntax::LINT,
    matches_empty::LINT,
    catch_all::LINT,
    any_condition::LINT,
    scope_as_condition::LINT,
    unseen_text::LINT,
    never_matches::LINT,
    start_anchor::LINT,
    sticky_look_ahead::LINT,
    normalisation_form::LINT,
    chunk_dependent_pattern::LINT,
    superlinear_pattern::LINT,
    unknown_scope_tool::LINT,
    pathless_tool::LINT,
    globs_exclude_prose::LINT,
    comma_in_glob::LINT,
    invalid_glob::LINT,
    negated_glob::LINT,
    literal_dot_glob::LINT,
    relative_glob::LINT,
    idle_narrowing::LINT,
    ast_never_runs::LINT,
    invalid_ast_condition::LINT,
    invalid_example::LINT,
    // Found on the way through folders, or in all rules together.
    nothing_registered_in_v1::LINT,
    unreadable_rule_file::LINT,
    skipped_file::LINT,
    missing_apply_to::LINT,
    // Found where samples are run.
    missing_examples::LINT,
    example_not_run::LINT,
    example_did_not_fire::LINT,
    example_fired::LINT,
    premature_example::LINT,
    undecided_example::LINT,
    untested_condition::LINT,
];

/// The codes of all lints.
pub fn codes() -> impl Iterator<Item = Code> {
    LINTS.iter().map(|lint| lint.code)
}

/// What is wrong with a file before any of its values is looked at.
pub fn of_file(file: &RuleFile) -> Vec<Diagnostic> {
    let look = |lint: &Lint| if let Check::File(check) = lint.check { check(file) } else { None };
    LINTS.iter().filter_map(look).collect()
}

/// What registration left out of a rule, or why it refused it.
fn of_flaws(listed: &Listed, findings: &mut Vec<Diagnostic>) {
    for flaw in &listed.flaws {
        let look = |lint: &Lint| if let Check::Flaw(check) = lint.check { check(&listed.rule, flaw) } else { None };
        findings.extend(LINTS.iter().filter_map(look));
    }
}

/// What there is to say of the registration of all rules.
pub fn of_registration(set: &RuleSet) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    set.inventory.iter().for_each(|listed| of_flaws(listed, &mut findings));
    findings.extend(set.unheard.as_ref().map(nothing_registered_in_v1::finding));
    findings
}

/// Runs all lints over all rules of a set; the findings about their files are the reader's.
#[cfg(feature = "internals")]
pub fn run(set: &RuleSet, semantics: &Semantics) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    set.inventory.iter().for_each(|listed| run_on(listed, set.compiled_of(listed), semantics, &mut findings));
    findings.extend(set.unheard.as_ref().map(nothing_registered_in_v1::finding));
    findings
}

/// Says what registration left out of a rule, and, when it comes from a file and is neither shadowed nor unreadable,
/// runs all lints on it. `semantics` is the generation by which it was registered; the lints about what only later
/// generations read are silent in the early one.
pub fn run_on(listed: &Listed, compiled: Option<&CompiledRule>, semantics: &Semantics, findings: &mut Vec<Diagnostic>) {
    of_flaws(listed, findings);
    let Some(file) = listed.rule.file.as_deref().filter(|_| !listed.is_shadowed) else { return };
    if file.frontmatter.as_ref().is_some_and(|matter| matches!(matter.reading, Reading::Beyond(_))) {
        return;
    }
    let subject = Subject { listed, compiled, file, semantics };
    for lint in LINTS {
        match lint.check {
            Check::Rule(check) if !semantics.legacy_trigger_only => check(&subject, findings),
            Check::Always(check) => check(&subject, findings),
            _ => {}
        }
    }
}
