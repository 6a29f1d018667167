//! A3, A4: the repeat policy, proved from the entries.

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, code};
use crate::session::{Session, SessionError};
use crate::settings::RepeatMode;
use crate::text::JsString;

use super::super::subject::Subject;
use super::super::subject::{Evidence, EvidenceKind};
use super::super::turns::{Mark, Turns};
use super::{Check, Input, finding, named};

pub(super) struct Repeat;

/// One injection of a rule on a branch.
struct Injected<'a> {
    entry: usize,
    evidence: &'a Evidence,
    mark: Mark,
}

impl Check for Repeat {
    fn run(&self, input: &Input<'_>, findings: &mut Vec<Diagnostic>) -> Result<(), SessionError> {
        audit_branch(input.subject, input.turns, findings);
        if input.subject.options.all_branches {
            for leaf in other_leaves(input.subject) {
                let branch = input.subject.session.path(Some(leaf));
                let turns = Turns::count(input.subject, &branch);
                let mut own = Vec::new();
                audit_branch(input.subject, &turns, &mut own);
                // Branches share their beginning.
                own.retain(|one| !findings.contains(one));
                findings.append(&mut own);
            }
        }
        Ok(())
    }
}

/// How many branches are looked at beside the leaf's.
const BRANCHES: usize = 256;

/// The last entries of the other branches that hold an injection, latest first.
fn other_leaves(subject: &Subject<'_>) -> Vec<usize> {
    let off = subject.recorded.iter().rev().filter(|recorded| !recorded.on_branch);
    let mut leaves: Vec<usize> = Vec::new();
    for recorded in off {
        let leaf = subject.behind(recorded.entry).last().map_or(recorded.entry, |entry| entry.index());
        if !leaves.contains(&leaf) {
            leaves.push(leaf);
        }
        if leaves.len() == BRANCHES {
            break;
        }
    }
    leaves
}

fn audit_branch(subject: &Subject<'_>, turns: &Turns, findings: &mut Vec<Diagnostic>) {
    let mut last: BTreeMap<&JsString, Injected<'_>> = BTreeMap::new();
    let mut on_branch: Vec<_> =
        subject.recorded.iter().filter_map(|recorded| Some((turns.mark(recorded.entry)?, recorded))).collect();
    on_branch.sort_by_key(|(mark, _)| mark.position);
    for (mark, recorded) in on_branch {
        for (name, evidence) in &recorded.evidence {
            let now = Injected { entry: recorded.entry, evidence, mark: *mark };
            if let Some(before) = last.get(name)
                && let Some(found) = judge(subject, turns, name, before, &now)
            {
                findings.push(found);
            }
            last.insert(name, now);
        }
    }
}

fn judge(
    subject: &Subject<'_>,
    turns: &Turns,
    name: &JsString,
    before: &Injected<'_>,
    now: &Injected<'_>,
) -> Option<Diagnostic> {
    let session: &Session = subject.session;
    let completed = now.mark.completed.saturating_sub(before.mark.completed);
    let both = format!("{} and {}", named(session, before.entry), named(session, now.entry));
    if completed == 0 && now.evidence.kind == EvidenceKind::Deferred {
        let message = format!("`{name}` was delivered twice with no completed turn between: {both}");
        let help = "versions up to 18.1.21 counted a rule as injected only when its queued message arrived";
        return Some(finding(session, code::DUPLICATE_DELIVERY, now.entry, message).with_help(help));
    }
    let settings = subject.options.settings;
    if settings.repeat_mode == RepeatMode::Once {
        let message = format!("`{name}` was injected twice although it fires once: {both}, {completed} turns between");
        return Some(finding(session, code::REPEAT_VIOLATION, now.entry, message));
    }
    // The agent counts every ended turn, and a new process starts again at 0 with the rule marked at 0 (E8). It
    // decides while the message streams that breaks the rule.
    let matched = now.evidence.matched.and_then(|at| turns.mark(at)).unwrap_or(&now.mark);
    let start = if before.mark.process == now.mark.process { before.mark.ended } else { now.mark.process_start };
    let gap = matched.ended.saturating_sub(start) as f64;
    // A gap that is no number compares as false, and the rule stays silent.
    if gap >= settings.repeat_gap {
        return None;
    }
    let message = format!(
        "`{name}` was injected again after {gap} ended turns, fewer than the gap of {}: {both}",
        settings.repeat_gap
    );
    Some(finding(session, code::REPEAT_VIOLATION, now.entry, message))
}
