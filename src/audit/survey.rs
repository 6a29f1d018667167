//! [`Survey`]: what many sessions come to together. It holds sums, and one item per rule, code and project; of a session
//! it keeps no more than when and where it began.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::clock::parse_iso_time;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::session::Session;
use crate::text::JsString;
use crate::text::json::Value;

use super::{AuditReport, EvidenceKind};

/// Wordings of one rule beyond this many are one.
const WORDINGS: usize = 64;
/// Refused files beyond this many are only counted.
const REFUSED: usize = 1000;

/// A rule that a switch turns off, and who did it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DisabledRule {
    /// The rule's name.
    pub rule: JsString,
    /// The switch, in words.
    pub by: String,
    /// Where it stands: a file with its line, or the option of the command line.
    pub place: String,
}

/// A file that is no session, or that could not be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    /// The file as it was named.
    pub file: String,
    /// Why, the decisive finding first.
    pub findings: Vec<Diagnostic>,
}

/// An injection somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Milliseconds since the epoch; of the session when the entry tells no time.
    pub time: Option<i64>,
    /// The time as it is written.
    pub timestamp: Option<JsString>,
    /// The file as it was named.
    pub file: String,
    /// The session's id.
    pub session: Option<JsString>,
    /// The entry's id.
    pub entry: Option<JsString>,
}

impl Seen {
    /// What tells the order: the time, then the file.
    fn order(&self) -> (Option<i64>, &str) {
        (self.time, &self.file)
    }
}

/// One way in which reminders of a rule read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wording {
    /// The earliest reminder that reads so.
    pub first: Seen,
    /// The latest.
    pub last: Seen,
    /// How many do.
    pub reminders: usize,
}

/// A rule's life over the sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuleLife {
    /// Entries that name it.
    pub injections: usize,
    /// Sessions with such an entry.
    pub sessions: usize,
    /// Numbers of the projects with such a session, as in [`Survey::projects`].
    pub projects: BTreeSet<u32>,
    /// The kinds of evidence.
    pub kinds: BTreeSet<EvidenceKind>,
    /// The earliest injection.
    pub first: Option<Seen>,
    /// The latest.
    pub last: Option<Seen>,
    wordings: BTreeMap<u64, Wording>,
}

impl RuleLife {
    fn seen(&mut self, seen: &Seen) {
        keep_ends(&mut self.first, &mut self.last, seen);
    }

    /// The wordings of its reminders, the earliest first: more than one where the rule was changed.
    pub fn wordings(&self) -> Vec<&Wording> {
        let mut wordings: Vec<&Wording> = self.wordings.values().collect();
        wordings.sort_by_key(|wording| wording.first.order());
        wordings
    }
}

fn keep_ends(first: &mut Option<Seen>, last: &mut Option<Seen>, seen: &Seen) {
    if first.as_ref().is_none_or(|first| seen.order() < first.order()) {
        *first = Some(seen.clone());
    }
    if last.as_ref().is_none_or(|last| seen.order() >= last.order()) {
        *last = Some(seen.clone());
    }
}

/// What was found of one code.
#[derive(Clone, Debug, PartialEq)]
pub struct CodeTotals {
    /// The code.
    pub code: Code,
    /// The worst severity.
    pub severity: Severity,
    /// How many findings.
    pub count: usize,
    /// In how many files.
    pub files: usize,
    /// The first file, and the line in it.
    pub first: (String, usize),
}

/// The sessions of one working directory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectTotals {
    /// The working directory; empty where the header names none.
    pub cwd: JsString,
    /// Sessions.
    pub sessions: usize,
    /// Entries that record injections.
    pub injections: usize,
    /// The earliest time at which one began, in milliseconds since the epoch, and as it is written.
    pub first: Option<(i64, JsString)>,
    /// The latest.
    pub last: Option<(i64, JsString)>,
}

/// What many sessions come to together.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// Files, refused ones too.
    pub files: usize,
    /// Sessions that were read.
    pub sessions: usize,
    /// Entries in them.
    pub entries: usize,
    /// Entries that record injections.
    pub injections: usize,
    /// Sessions by generation.
    pub generations: BTreeMap<&'static str, usize>,
    /// The files that were refused, as far as they are listed.
    pub refused: Vec<Refused>,
    /// How many were refused.
    pub refused_count: usize,
    /// Recorded decisions that a replay made again, and how many it could tell; none without a replay.
    pub agreement: Option<(usize, usize)>,
    /// The rules that switches turn off, by who did it.
    pub disabled: Vec<DisabledRule>,
    /// The working directories, in order of appearance.
    pub projects: Vec<ProjectTotals>,
    codes: BTreeMap<u16, CodeTotals>,
    rules: BTreeMap<JsString, RuleLife>,
    numbers: BTreeMap<JsString, u32>,
    /// Project and beginning of each session.
    begun: Vec<(u32, i64)>,
}

impl Survey {
    /// Adds a session.
    pub fn add(&mut self, session: &Session, report: &AuditReport) {
        self.files += 1;
        self.sessions += 1;
        self.entries += report.entries;
        self.injections += report.injections.len();
        *self.generations.entry(report.lifecycle).or_default() += 1;
        self.find(&report.file, &report.findings);
        let text = |key: &str| report.header.get(key).and_then(Value::as_string);
        let began = text("timestamp").and_then(|time| Some((milliseconds(time)?, time.clone())));
        let project = self.project(text("cwd").cloned().unwrap_or_default());
        if let Some(totals) = self.projects.get_mut(project as usize) {
            totals.sessions += 1;
            totals.injections += report.injections.len();
            if let Some(began) = &began {
                let is_first = totals.first.as_ref().is_none_or(|first| began.0 < first.0);
                let is_last = totals.last.as_ref().is_none_or(|last| began.0 >= last.0);
                totals.first = if is_first { Some(began.clone()) } else { totals.first.take() };
                totals.last = if is_last { Some(began.clone()) } else { totals.last.take() };
            }
        }
        self.begun.extend(began.as_ref().map(|began| (project, began.0)));
        let seen = |timestamp: Option<JsString>, entry: Option<JsString>| {
            let own = timestamp.as_ref().and_then(milliseconds);
            Seen {
                time: own.or(began.as_ref().map(|began| began.0)),
                timestamp: if own.is_some() { timestamp } else { began.as_ref().map(|began| began.1.clone()) },
                file: report.file.clone(),
                session: text("id").cloned(),
                entry,
            }
        };
        let mut named: BTreeSet<&JsString> = BTreeSet::new();
        for injection in &report.injections {
            let place = seen(injection.timestamp.clone(), injection.entry.clone());
            for (name, evidence) in &injection.evidence {
                let rule = self.rules.entry(name.clone()).or_default();
                rule.injections += 1;
                rule.sessions += usize::from(named.insert(name));
                rule.projects.insert(project);
                rule.kinds.insert(evidence.kind);
                rule.seen(&place);
            }
        }
        for reminder in &report.reminders {
            // A rule that is shown and never recorded is one that the sessions name too.
            let rule = self.rules.entry(reminder.rule.trim()).or_default();
            let entry = session.entry(reminder.entry);
            let timestamp = entry.and_then(|entry| entry.value().ok()?.get("timestamp")?.as_string().cloned());
            let place = seen(timestamp, entry.and_then(|entry| entry.id()));
            let key = essence(&reminder.content);
            if let Some(wording) = rule.wordings.get_mut(&key) {
                wording.reminders += 1;
                if place.order() < wording.first.order() {
                    wording.first = place;
                } else if place.order() >= wording.last.order() {
                    wording.last = place;
                }
            } else if rule.wordings.len() < WORDINGS {
                rule.wordings.insert(key, Wording { first: place.clone(), last: place, reminders: 1 });
            }
        }
    }

    /// Adds what a replay makes of each recorded decision.
    pub fn replayed(&mut self, agreeing: impl Iterator<Item = Option<bool>>) {
        let (mut same, mut all) = self.agreement.unwrap_or_default();
        for agrees in agreeing.flatten() {
            all += 1;
            same += usize::from(agrees);
        }
        self.agreement = Some((same, all));
    }

    /// Adds a file that was refused.
    pub fn refuse(&mut self, refused: Refused) {
        self.files += 1;
        self.refused_count += 1;
        self.find(&refused.file, &refused.findings);
        if self.refused.len() < REFUSED {
            self.refused.push(refused);
        }
    }

    fn find(&mut self, file: &str, findings: &[Diagnostic]) {
        let mut here: BTreeSet<u16> = BTreeSet::new();
        for finding in findings {
            let line = finding.place.as_ref().map_or(0, |place| place.start.line);
            let totals = self.codes.entry(finding.code.number()).or_insert_with(|| CodeTotals {
                code: finding.code,
                severity: finding.severity,
                count: 0,
                files: 0,
                first: (file.to_owned(), line),
            });
            totals.count += 1;
            totals.severity = totals.severity.max(finding.severity);
            totals.files += usize::from(here.insert(finding.code.number()));
        }
    }

    fn project(&mut self, cwd: JsString) -> u32 {
        if let Some(number) = self.numbers.get(&cwd) {
            return *number;
        }
        let number = self.projects.len() as u32;
        self.projects.push(ProjectTotals { cwd: cwd.clone(), ..ProjectTotals::default() });
        self.numbers.insert(cwd, number);
        number
    }

    /// What was found, by code.
    pub fn codes(&self) -> impl Iterator<Item = &CodeTotals> {
        self.codes.values()
    }

    /// The rules that sessions name, by name.
    pub fn rules(&self) -> impl Iterator<Item = (&JsString, &RuleLife)> {
        self.rules.iter()
    }

    /// How many sessions of a rule's projects began after its last injection.
    pub fn sessions_since(&self, rule: &RuleLife) -> usize {
        let Some(last) = rule.last.as_ref().and_then(|last| last.time) else { return 0 };
        self.begun.iter().filter(|(project, began)| *began > last && rule.projects.contains(project)).count()
    }

    /// Who turns a rule off.
    pub fn disabled_by<'a>(&'a self, rule: &'a JsString) -> impl Iterator<Item = &'a DisabledRule> {
        self.disabled.iter().filter(move |disabled| disabled.rule == *rule)
    }
}

/// The time of an ISO time stamp, in milliseconds since the epoch.
pub(super) fn milliseconds(timestamp: &JsString) -> Option<i64> {
    parse_iso_time(&timestamp.to_utf8()?)
}

/// What tells one wording from another: neither white space nor the rulers of tables, since rendering tidies both.
fn essence(content: &JsString) -> u64 {
    let mut hasher = DefaultHasher::new();
    for unit in content.units().iter().filter(|unit| **unit > 0x20 && **unit != u16::from(b'-') && **unit != 0xA0) {
        unit.hash(&mut hasher);
    }
    hasher.finish()
}
