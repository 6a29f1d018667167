//! The audit of sessions as CSV: one table a call.

use super::replay_human::csv_field;
use crate::audit::{AuditReport, Refused, Survey};
use crate::diagnostic::{Diagnostic, Severity};
use crate::session::Session;
use crate::text::JsString;
use crate::text::json::Value;

/// Heads of [`injections`].
pub const INJECTIONS: &str =
    "file,session,time,project,line,entry,rule,evidence,evidence_entry,on_branch,turn,turns_since_previous,lifecycle\n";
/// Heads of [`rules`].
pub const RULES: &str = "rule,injections,sessions,projects,evidence,first_time,first_file,first_entry,last_time,last_file,last_entry,sessions_since,wordings,disabled_by,disabled_at\n";
/// Heads of [`session`] and [`refused`].
pub const SESSIONS: &str = "file,session,project,time,parent,lifecycle,version,entries,branch,turns,injections,rules_in_force,errors,warnings,notes,refused\n";
/// Heads of [`findings`].
pub const FINDINGS: &str = "file,line,entry,code,name,severity,message,lifecycle\n";
/// Heads of [`disabled`].
pub const DISABLED: &str = "rule,disabled_by,disabled_at,injections,last_time,last_file\n";

fn row(fields: &[String]) -> String {
    let fields: Vec<String> = fields.iter().map(|field| csv_field(field)).collect();
    fields.join(",") + "\n"
}

fn text(text: Option<&JsString>) -> String {
    text.map(JsString::to_string_lossy).unwrap_or_default()
}

fn number(number: Option<usize>) -> String {
    number.map(|number| number.to_string()).unwrap_or_default()
}

fn member<'a>(report: &'a AuditReport, key: &str) -> Option<&'a JsString> {
    report.header.get(key).and_then(Value::as_string)
}

/// A row per rule of each persisted injection; one without rules has a row too.
pub fn injections(session: &Session, report: &AuditReport) -> String {
    let mut out = String::new();
    for injection in &report.injections {
        let none = (JsString::new(), injection.main_evidence());
        let named = if injection.evidence.is_empty() { std::slice::from_ref(&none) } else { &injection.evidence };
        for (rule, evidence) in named {
            let holder = evidence.entry.and_then(|at| session.entry(at)).and_then(|entry| entry.id());
            out += &row(&[
                report.file.clone(),
                text(member(report, "id")),
                text(injection.timestamp.as_ref()),
                text(member(report, "cwd")),
                injection.line.to_string(),
                text(injection.entry.as_ref()),
                rule.to_string_lossy(),
                evidence.kind.as_str().to_owned(),
                text(holder.as_ref()),
                injection.on_branch.to_string(),
                number(injection.turn),
                number(injection.turns_since_previous),
                report.lifecycle.to_owned(),
            ]);
        }
    }
    out
}

/// A row per rule, over all files: those that a session names, then those that only a switch does.
pub fn rules(survey: &Survey) -> String {
    let mut out = String::new();
    let switches = |rule: &JsString| {
        let (mut by, mut places) = (Vec::new(), Vec::new());
        for disabled in survey.disabled_by(rule) {
            by.push(disabled.by.clone());
            places.push(disabled.place.clone());
        }
        (by.join("; "), places.join("; "))
    };
    for (name, life) in survey.rules() {
        let projects = life.projects.iter().filter_map(|number| survey.projects.get(*number as usize));
        let projects: Vec<String> = projects.map(|project| project.cwd.to_string_lossy()).collect();
        let kinds: Vec<&str> = life.kinds.iter().map(|kind| kind.as_str()).collect();
        let seen = |seen: Option<&crate::audit::Seen>| match seen {
            Some(seen) => [text(seen.timestamp.as_ref()), seen.file.clone(), text(seen.entry.as_ref())],
            None => [String::new(), String::new(), String::new()],
        };
        let ([first_time, first_file, first_entry], [last_time, last_file, last_entry]) =
            (seen(life.first.as_ref()), seen(life.last.as_ref()));
        let (by, places) = switches(name);
        out += &row(&[
            name.to_string_lossy(),
            life.injections.to_string(),
            life.sessions.to_string(),
            projects.join("; "),
            kinds.join("; "),
            first_time,
            first_file,
            first_entry,
            last_time,
            last_file,
            last_entry,
            survey.sessions_since(life).to_string(),
            life.wordings().len().to_string(),
            by,
            places,
        ]);
    }
    let mut told: Vec<&JsString> = survey.rules().map(|(name, _)| name).collect();
    for disabled in &survey.disabled {
        if told.contains(&&disabled.rule) {
            continue;
        }
        told.push(&disabled.rule);
        let (by, places) = switches(&disabled.rule);
        let mut fields = vec![String::new(); 15];
        for (at, field) in [
            (0, disabled.rule.to_string_lossy()),
            (1, "0".to_owned()),
            (2, "0".to_owned()),
            (11, "0".to_owned()),
            (12, "0".to_owned()),
            (13, by),
            (14, places),
        ] {
            if let Some(place) = fields.get_mut(at) {
                *place = field;
            }
        }
        out += &row(&fields);
    }
    out
}

/// A row per rule that a switch turns off: who did it, and how often it was injected all the same.
pub fn disabled(survey: &Survey) -> String {
    let rows = survey.disabled.iter().map(|disabled| {
        let life = survey.rules().find(|(name, _)| **name == disabled.rule).map(|(_, life)| life);
        let last = life.and_then(|life| life.last.as_ref());
        row(&[
            disabled.rule.to_string_lossy(),
            disabled.by.clone(),
            disabled.place.clone(),
            life.map_or(0, |life| life.injections).to_string(),
            text(last.and_then(|last| last.timestamp.as_ref())),
            last.map(|last| last.file.clone()).unwrap_or_default(),
        ])
    });
    rows.collect()
}

/// The row of a session.
pub fn session(report: &AuditReport) -> String {
    let of = |severity| report.findings.iter().filter(|finding| finding.severity == severity).count().to_string();
    row(&[
        report.file.clone(),
        text(member(report, "id")),
        text(member(report, "cwd")),
        text(member(report, "timestamp")),
        text(member(report, "parentSession")),
        report.lifecycle.to_owned(),
        report.version.to_json(),
        report.entries.to_string(),
        report.branch.len().to_string(),
        report.messages.turns.to_string(),
        report.injections.len().to_string(),
        report.injected_rules.len().to_string(),
        of(Severity::Error),
        of(Severity::Warning),
        of(Severity::Note),
        String::new(),
    ])
}

/// The row of a file that is no session.
pub fn refused(refused: &Refused) -> String {
    let of = |severity| refused.findings.iter().filter(|finding| finding.severity == severity).count().to_string();
    let mut fields = vec![refused.file.clone()];
    fields.resize(12, String::new());
    fields.extend([of(Severity::Error), of(Severity::Warning), of(Severity::Note)]);
    fields.push(refused.findings.first().map(|finding| finding.code.to_string()).unwrap_or_default());
    row(&fields)
}

/// A row per finding.
pub fn findings(findings: &[Diagnostic], lifecycle: &str) -> String {
    let rows = findings.iter().map(|finding| {
        let place = finding.place.as_ref();
        let line = place.map(|place| place.start.line).filter(|line| *line > 0);
        row(&[
            place.map(|place| place.file.clone()).unwrap_or_default(),
            number(line),
            finding.entry.clone().unwrap_or_default(),
            finding.code.to_string(),
            finding.code.name().to_owned(),
            finding.severity.as_str().to_owned(),
            finding.message.clone(),
            lifecycle.to_owned(),
        ])
    });
    rows.collect()
}
