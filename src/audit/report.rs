//! The report of an audit, as data.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::Diagnostic;
use crate::session::{Context, EntryKind, Role, Session, SessionError, Shown as ShownPart};
use crate::text::JsString;
use crate::text::json::{Object, Value};

use super::AuditOptions;
use super::check;
use super::compare::Comparison;
use super::follow::{self, Follow};
use super::state::{self, State};
use super::subject::Subject;
use super::subject::{Evidence, EvidenceKind, Named};
use super::timeline::{self, Moment};
use super::turns::Turns;

/// What an audit found.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditReport {
    /// The file as the user named it.
    pub file: String,
    /// The generation by which it was read.
    pub lifecycle: &'static str,
    /// The mark in the session that decided for it, in words; whoever chose the generation sets it.
    pub lifecycle_from: Option<String>,
    /// The header after migration.
    pub header: Object,
    /// The version that the file names, 1 when it names none.
    pub version: Value,
    /// Whether the file was migrated in memory.
    pub migrated: bool,
    /// The session's name.
    pub title: Option<JsString>,
    /// Number of entries.
    pub entries: usize,
    /// Number of entries per type, by name; those without a type under the empty name.
    pub by_type: BTreeMap<JsString, usize>,
    /// Id of the leaf.
    pub leaf: Option<JsString>,
    /// Indexes of the entries from root to leaf.
    pub branch: Vec<u32>,
    /// Labels by target id.
    pub labels: BTreeMap<JsString, JsString>,
    /// Rules that a resume at the leaf restores.
    pub injected_rules: Vec<JsString>,
    /// Rules that the branch records, also in a generation that restores none.
    pub recorded_rules: Vec<JsString>,
    /// Every `ttsr_injection` of the file, in file order.
    pub injections: Vec<Injection>,
    /// One summary per rule, in order of first appearance.
    pub rules: Vec<RuleSummary>,
    /// The assistant messages of the branch by how they ended.
    pub messages: MessageTotals,
    /// The requests to a judge on the branch.
    pub judge: JudgeTotals,
    /// Every reminder of the file, in file order.
    pub reminders: Vec<Reminder>,
    /// Reminders that say something else than the given rule of that name does now.
    pub changed_rules: Vec<ChangedRule>,
    /// The context of the leaf, when asked for.
    pub context: Option<Context>,
    /// What the entries name outside of the file.
    pub named: Named,
    /// What happened on the branch, in order, when asked for.
    pub timeline: Option<Vec<Moment>>,
    /// How the rules stand at the entry that was asked for.
    pub state: Option<State>,
    /// What came of the injection that was asked for; none also where the entry has to do with none.
    pub follow: Option<Follow>,
    /// What the agent reads beside what is there; whoever asks for it sets it.
    pub comparison: Option<Comparison>,
    /// The findings: of reading first, then of the checks.
    pub findings: Vec<Diagnostic>,
}

/// One `ttsr_injection` entry.
#[derive(Clone, Debug, PartialEq)]
pub struct Injection {
    /// Index of the entry.
    pub index: usize,
    /// Its id.
    pub entry: Option<JsString>,
    /// 1-based line.
    pub line: usize,
    /// `injectedRules` as it stands.
    pub rules: Vec<Value>,
    /// ISO time stamp.
    pub timestamp: Option<JsString>,
    /// Whether it is on the branch of the leaf.
    pub on_branch: bool,
    /// The evidence per distinct name.
    pub evidence: Vec<(JsString, Evidence)>,
    /// Turns completed since the last injection of one of its rules on the branch.
    pub turns_since_previous: Option<usize>,
    /// Turns completed before it, on the branch.
    pub turn: Option<usize>,
}

/// A reminder that the model got.
#[derive(Clone, Debug, PartialEq)]
pub struct Reminder {
    /// The rule's name.
    pub rule: JsString,
    /// Index of the entry that holds it.
    pub entry: usize,
    /// What it says, without the sentences of its template.
    pub content: JsString,
}

/// A reminder of a rule that was changed since.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedRule {
    /// The rule's name.
    pub rule: JsString,
    /// Index of the entry that holds the reminder.
    pub entry: usize,
    /// What the reminder says, without the sentences of its template.
    pub reminder: JsString,
    /// What the rule says now.
    pub content: JsString,
}

/// What the session says of one rule (session.md S10.4).
#[derive(Clone, Debug, PartialEq)]
pub struct RuleSummary {
    /// The name.
    pub name: JsString,
    /// Number of entries that name it.
    pub count: usize,
    /// Index of the first of them.
    pub first: usize,
    /// Index of the last of them.
    pub last: usize,
    /// The kinds of evidence.
    pub kinds: BTreeSet<EvidenceKind>,
    /// Whether an entry on the branch names it.
    pub in_force: bool,
    /// Whether a reminder of it is in the context of the leaf.
    pub in_context: bool,
}

/// The assistant messages of a branch. One that a rule interrupted is no failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageTotals {
    /// Completed turns (session.md S10.2 A3).
    pub turns: usize,
    /// Assistant messages.
    pub assistant: usize,
    /// Index of each message that a rule interrupted, and the rules as its error message names them.
    pub interrupted: Vec<(usize, JsString)>,
    /// Index of each other message that ended `aborted`.
    pub aborted: Vec<usize>,
    /// Index of each message that ended `error`.
    pub errors: Vec<usize>,
}

/// Requests to a judge that ended (generation-v4.md W10.1). What was asked and answered no session says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JudgeTotals {
    /// How many there were.
    pub asked: usize,
    /// Of these, how many failed.
    pub failed: usize,
}

fn judge_totals(subject: &Subject<'_>) -> Result<JudgeTotals, SessionError> {
    let mut totals = JudgeTotals::default();
    let entries = subject.branch.iter().filter_map(|at| subject.session.entry(*at as usize));
    for entry in entries.filter(|entry| entry.kind() == Some(EntryKind::ModelUsage)) {
        let usage = entry.value()?;
        let is = |key: &str, word: &str| usage.get(key).and_then(Value::as_string).is_some_and(|text| *text == word);
        if is("purpose", "ttsr") {
            totals.asked += 1;
            totals.failed += usize::from(!is("stopReason", "stop"));
        }
    }
    Ok(totals)
}

pub(super) fn build(session: &Session, options: &AuditOptions<'_>) -> Result<AuditReport, SessionError> {
    let subject = Subject::new(session, options)?;
    let id = |at: usize| session.entry(at).and_then(|entry| entry.id());
    let turns = Turns::count(&subject, &subject.branch);
    let part = session.shown(&subject.branch)?;
    let rules = summaries(&subject, &turns, &part);
    let mut findings = session.diagnostics().to_vec();
    findings.extend(check::run(&subject, &turns, &rules)?);
    let recorded_rules = session.injected_rules(subject.leaf)?;
    let persists = options.semantics.persists;
    Ok(AuditReport {
        file: session.file().to_owned(),
        lifecycle: options.semantics.lifecycle.as_str(),
        lifecycle_from: None,
        header: session.header().clone(),
        version: session.version_before().clone(),
        migrated: session.is_migrated(),
        title: session.title()?,
        entries: session.len(),
        by_type: session.entry_totals(),
        leaf: subject.leaf.and_then(id),
        labels: session.labels()?,
        injected_rules: if persists { recorded_rules.clone() } else { Vec::new() },
        recorded_rules,
        injections: injections(&subject, &turns),
        messages: totals(&subject, &turns),
        judge: judge_totals(&subject)?,
        reminders: check::known_rules::reminders(&subject),
        changed_rules: check::known_rules::changed_rules(&subject),
        context: if options.context { Some(session.context(subject.leaf)?) } else { None },
        timeline: options.timeline.then(|| timeline::timeline(&subject)).transpose()?,
        state: options.state_at.map(|at| state::state(&subject, at)).transpose()?,
        follow: options.follow.map(|at| follow::follow(&subject, at)).transpose()?.flatten(),
        comparison: None,
        named: subject.named,
        branch: subject.branch,
        rules,
        findings,
    })
}

fn injections(subject: &Subject<'_>, turns: &Turns) -> Vec<Injection> {
    let mut last: BTreeMap<&JsString, usize> = BTreeMap::new();
    let mut injections = Vec::with_capacity(subject.recorded.len());
    for recorded in &subject.recorded {
        let Some(entry) = subject.entry(recorded.entry) else { continue };
        let completed = turns.mark(recorded.entry).filter(|_| recorded.on_branch).map(|mark| mark.completed);
        let mut since = None;
        if let Some(completed) = completed {
            for name in recorded.names() {
                if let Some(before) = last.insert(name, completed) {
                    let turns = completed.saturating_sub(before);
                    since = Some(since.map_or(turns, |least: usize| least.min(turns)));
                }
            }
        }
        injections.push(Injection {
            index: recorded.entry,
            entry: entry.id(),
            line: entry.line(),
            rules: recorded.elements.clone(),
            timestamp: recorded.timestamp.clone(),
            on_branch: recorded.on_branch,
            evidence: recorded.evidence.clone(),
            turns_since_previous: since,
            turn: completed,
        });
    }
    injections
}

fn summaries(subject: &Subject<'_>, turns: &Turns, part: &ShownPart) -> Vec<RuleSummary> {
    let mut rules: Vec<RuleSummary> = Vec::new();
    let mut places: BTreeMap<&JsString, usize> = BTreeMap::new();
    for recorded in &subject.recorded {
        for (name, evidence) in &recorded.evidence {
            let place = *places.entry(name).or_insert_with(|| {
                rules.push(RuleSummary {
                    name: name.clone(),
                    count: 0,
                    first: recorded.entry,
                    last: recorded.entry,
                    kinds: BTreeSet::new(),
                    in_force: false,
                    in_context: false,
                });
                rules.len() - 1
            });
            let rule = &mut rules[place];
            rule.count += 1;
            rule.last = recorded.entry;
            rule.kinds.insert(evidence.kind);
            rule.in_force |= recorded.on_branch && subject.options.semantics.persists;
            let position = evidence.entry.and_then(|entry| turns.mark(entry)).map(|mark| mark.position);
            rule.in_context |= recorded.on_branch && position.is_some_and(|position| part.contains(position));
        }
    }
    rules
}

fn totals(subject: &Subject<'_>, turns: &Turns) -> MessageTotals {
    let mut totals = MessageTotals { turns: turns.end.completed, ..MessageTotals::default() };
    for at in subject.branch.iter().map(|at| *at as usize) {
        let Some(entry) = subject.entry(at).filter(|entry| entry.role() == Role::Assistant) else { continue };
        totals.assistant += 1;
        if let Some(names) = subject.interrupted.get(&at) {
            totals.interrupted.push((at, names.clone()));
        } else if entry.is_aborted() {
            totals.aborted.push(at);
        } else if entry.is_error() {
            totals.errors.push(at);
        }
    }
    totals
}

impl Injection {
    /// The kind that stands for the whole entry: that of its first name with evidence.
    pub fn main_evidence(&self) -> Evidence {
        let found = self.evidence.iter().map(|(_, evidence)| *evidence);
        let none = Evidence { kind: EvidenceKind::None, entry: None, matched: None };
        found.into_iter().find(|evidence| evidence.kind != EvidenceKind::None).unwrap_or(none)
    }
}
