//! A session audit for people: header, tree, turns, injections with their evidence, findings.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use comfy_table::Cell;
use similar::TextDiff;

use super::course;
use super::grouped;
use super::{Style, count, escape, escape_lines, generation};
use crate::audit::{AuditReport, Refused};
use crate::diagnostic::Diagnostic;
use crate::message::{ContentBlock, Message, REMINDER_PREFIX};
use crate::session::{Entry, EntryKind, Session, SessionError, Tree};
use crate::text::JsString;
use crate::text::json::Value;

/// Longest preview of a message, in characters.
const PREVIEW: usize = 60;

/// Which parts of the report are wanted beside the usual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// The tree.
    pub tree: bool,
    /// Nothing but the injections.
    pub injections: bool,
    /// The rebuilt context.
    pub context: bool,
    /// Nothing but how things went: what happened, how the rules stood, what came of an injection, what the agent reads.
    pub course: bool,
    /// Each finding by itself.
    pub verbose: bool,
}

impl Parts {
    /// Whether a part is asked for that only a single file has.
    pub fn asks_for_one(self) -> bool {
        self.tree || self.context || self.course
    }
}

/// What a replay of the branch said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replayed {
    /// Entry, rules, and whether the engine decides the same, per message with recorded triggers; none where the file
    /// does not allow to tell.
    pub recorded: Vec<(Option<JsString>, Vec<JsString>, Option<bool>)>,
    /// Where the engine decides otherwise.
    pub differences: Vec<Diagnostic>,
    /// Recorded matches that the file does not allow to reproduce.
    pub not_reproducible: usize,
    /// Recorded matches that are a race in the agent itself.
    pub races: usize,
}

/// The report of one session.
///
/// # Errors
/// When an entry cannot be read from the file again.
pub fn render(
    session: &Session,
    report: &AuditReport,
    replayed: Option<&Replayed>,
    parts: Parts,
    style: Style,
) -> Result<String, SessionError> {
    let mut out = String::new();
    let is_part = parts.injections || parts.course;
    if is_part {
        let read_by = generation(report.lifecycle, report.lifecycle_from.as_deref());
        let _ = writeln!(out, "{}  {read_by}", style.heading(&escape(&report.file)));
    } else {
        head(&mut out, session, report, style);
    }
    if parts.injections || !is_part {
        injections(&mut out, session, report, style);
    }
    if parts.course {
        course::render(&mut out, session, report, style);
    }
    if is_part {
        if !report.findings.is_empty() {
            let found = count(report.findings.len(), "finding");
            let _ = writeln!(out, "\n{found}, which the report without these options shows");
        }
        return Ok(out);
    }
    if parts.tree {
        tree(&mut out, session, report, style)?;
    }
    if parts.context {
        context(&mut out, session, report, style);
    }
    if let Some(replayed) = replayed {
        replay(&mut out, replayed, style);
    }
    changed(&mut out, session, report, style);
    findings(&mut out, &report.findings, parts, style);
    Ok(out)
}

fn shown(text: &JsString) -> String {
    escape(&text.to_string_lossy())
}

fn head(out: &mut String, session: &Session, report: &AuditReport, style: Style) {
    let title = report.title.as_ref().map(|title| format!("  \"{}\"", shown(title))).unwrap_or_default();
    let _ = writeln!(out, "{}{title}", style.heading(&escape(&report.file)));
    let migrated = if report.migrated { " (read as version 3)" } else { "" };
    let read_by = generation(report.lifecycle, report.lifecycle_from.as_deref());
    let mut facts = vec![format!("version {}{migrated}", escape(&report.version.to_json())), read_by];
    for (key, name) in [("id", "id"), ("cwd", "cwd"), ("timestamp", "begun"), ("parentSession", "parent")] {
        if let Some(value) = report.header.get(key).and_then(Value::as_string) {
            facts.push(format!("{name} {}", shown(value)));
        }
    }
    let _ = writeln!(out, "{}", facts.join(", "));
    let types = report.by_type.iter().map(|(name, number)| {
        let name = if name.is_empty() { "(no type)".to_owned() } else { shown(name) };
        format!("{name} {number}")
    });
    let entries = format!("{report_entries} entries", report_entries = report.entries);
    let _ = writeln!(out, "{entries}: {}", types.collect::<Vec<_>>().join(", "));
    let leaf = report.leaf.as_ref().map_or_else(|| "none".to_owned(), shown);
    let _ = writeln!(out, "branch of {} to the leaf {leaf}", count(report.branch.len(), "entry"));
    if !report.labels.is_empty() {
        let labels = report.labels.iter().map(|(target, label)| format!("{} = {}", shown(target), shown(label)));
        let _ = writeln!(out, "labels: {}", labels.collect::<Vec<_>>().join(", "));
    }
    let totals = &report.messages;
    let _ = writeln!(
        out,
        "{} completed, {}: {} interrupted by rules, {} aborted, {} failed",
        count(totals.turns, "turn"),
        count(totals.assistant, "assistant message"),
        totals.interrupted.len(),
        totals.aborted.len(),
        totals.errors.len(),
    );
    for (at, rules) in &totals.interrupted {
        let id = session.entry(*at).and_then(|entry| entry.id()).unwrap_or_default();
        let _ = writeln!(out, "  {} interrupted by rule {}", shown(&id), shown(rules));
    }
    if report.judge.asked > 0 {
        let (asked, failed) = (count(report.judge.asked, "request"), report.judge.failed);
        let _ = writeln!(out, "{asked} to a judge: {failed} failed; what was asked and answered is not recorded");
    }
    let named = &report.named;
    let outside = [
        (named.blobs.len(), "blob"),
        (named.artifacts.len(), "artifact"),
        (named.local_files.len(), "`local://` file"),
    ];
    let outside: Vec<String> =
        outside.into_iter().filter(|(number, _)| *number > 0).map(|(number, noun)| count(number, noun)).collect();
    if !outside.is_empty() {
        let _ = writeln!(out, "names outside of the file: {}", outside.join(", "));
    }
    let names: Vec<String> = report.injected_rules.iter().map(shown).collect();
    let line = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let _ = writeln!(out, "a resume at the leaf restores: {line}");
    if report.injected_rules.is_empty() && !report.recorded_rules.is_empty() {
        let names: Vec<String> = report.recorded_rules.iter().map(shown).collect();
        let _ = writeln!(out, "recorded, not restored in this generation: {}", names.join(", "));
    }
}

fn injections(out: &mut String, session: &Session, report: &AuditReport, style: Style) {
    if report.injections.is_empty() {
        let _ = writeln!(out, "\nNo injection is persisted.");
        return;
    }
    let mut table = style.table(&["Line", "Entry", "Rules", "Time", "Branch", "Evidence", "Turns since"]);
    for injection in &report.injections {
        let rules = injection.rules.iter().map(|rule| match rule {
            Value::String(name) => shown(name),
            other => escape(&other.to_json()),
        });
        let evidence = injection.main_evidence();
        let entry = evidence.entry.and_then(|at| session.entry(at)).and_then(|entry| entry.id());
        let entry = entry.map(|id| format!(" {}", shown(&id))).unwrap_or_default();
        let evidence_text = format!("{}{entry}", evidence.kind.as_str());
        let evidence_cell =
            if evidence.entry.is_none() { Style::notable_cell(evidence_text) } else { Cell::new(evidence_text) };
        table.add_row([
            Cell::new(injection.line),
            Cell::new(injection.entry.as_ref().map(shown).unwrap_or_default()),
            Cell::new(rules.collect::<Vec<_>>().join(", ")),
            Cell::new(injection.timestamp.as_ref().map(shown).unwrap_or_default()),
            if injection.on_branch { Cell::new("live") } else { Style::notable_cell("abandoned") },
            evidence_cell,
            Cell::new(injection.turns_since_previous.map(|turns| turns.to_string()).unwrap_or_default()),
        ]);
    }
    let _ = writeln!(out, "\n{}\n{}", style.heading("Persisted injections"), table.trim_fmt());
    let mut table = style.table(&["Rule", "Entries", "First", "Last", "Evidence", "In force", "In context"]);
    let id = |at: usize| session.entry(at).and_then(|entry| entry.id()).map(|id| shown(&id)).unwrap_or_default();
    for rule in &report.rules {
        let yes = |value: bool| if value { "yes" } else { "no" }.to_owned();
        let kinds = rule.kinds.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(", ");
        table.add_row([
            shown(&rule.name),
            rule.count.to_string(),
            id(rule.first),
            id(rule.last),
            kinds,
            yes(rule.in_force),
            yes(rule.in_context),
        ]);
    }
    let _ = writeln!(out, "\n{}\n{}", style.heading("Rules"), table.trim_fmt());
}

/// The tree: a chain stands in one column, branches are indented; `●` marks the live branch.
fn tree(out: &mut String, session: &Session, report: &AuditReport, style: Style) -> Result<(), SessionError> {
    let _ = writeln!(out, "\n{}", style.heading("Tree"));
    let tree = Tree::new(session)?;
    let live: BTreeSet<usize> = report.branch.iter().map(|at| *at as usize).collect();
    let leaf = report.branch.last().map(|at| *at as usize);
    let mut open: Vec<(usize, String, String)> =
        tree.roots().rev().map(|at| (at, String::new(), String::new())).collect();
    while let Some((at, first, rest)) = open.pop() {
        let Some(entry) = session.entry(at) else { continue };
        let mark = if live.contains(&at) { "●" } else { "○" };
        let label = entry.id().and_then(|id| report.labels.get(&id).map(|label| format!("  [{}]", shown(label))));
        let end = if Some(at) == leaf { "  ← leaf" } else { "" };
        let line = format!("{mark} {}{}{end}", describe(entry)?, label.unwrap_or_default());
        let line = if live.contains(&at) { line } else { style.faint(&line) };
        let _ = writeln!(out, "{first}{line}");
        let children: Vec<usize> = tree.children(at).collect();
        if let [only] = children[..] {
            open.push((only, rest.clone(), rest));
            continue;
        }
        for (position, child) in children.iter().enumerate().rev() {
            let last = position + 1 == children.len();
            let (branch, below) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            open.push((*child, format!("{rest}{branch}"), format!("{rest}{below}")));
        }
    }
    Ok(())
}

/// An entry in a line: id, kind, and the beginning of what it says.
fn describe(entry: Entry<'_>) -> Result<String, SessionError> {
    let id = entry.id().map(|id| shown(&id)).unwrap_or_default();
    let value = entry.value()?;
    let message = value.get("message").and_then(Value::as_object).map(|raw| Message::new(raw.clone()));
    let what = match (entry.kind(), &message) {
        (Some(EntryKind::Message), Some(message)) => told(message),
        _ => {
            let kind = shown(entry.kind_name());
            let custom = value.get("customType").and_then(Value::as_string);
            custom.map_or(kind.clone(), |custom| format!("{kind} {}", shown(custom)))
        }
    };
    Ok(format!("{id} {what}"))
}

/// A message in a line. Of a tool result the payload is shown, and the reminders in front of it are named.
fn told(message: &Message) -> String {
    let mut reminders = Vec::new();
    let mut texts = Vec::new();
    let mut calls = Vec::new();
    for block in message.blocks() {
        match block {
            ContentBlock::Text(text) if texts.is_empty() && text.starts_with(REMINDER_PREFIX) => {
                let text = text.to_string_lossy();
                let names = text.split(" rule=\"").skip(1).filter_map(|rest| rest.split('"').next());
                reminders.extend(names.map(str::to_owned));
            }
            ContentBlock::Text(text) => texts.push(text.to_string_lossy()),
            ContentBlock::ToolCall(call) => calls.push(format!("{}()", call.name)),
            ContentBlock::Thinking(_) | ContentBlock::Other(_) => {}
        }
    }
    let mut parts = vec![shown(&message.role())];
    if let Some(stop) = message.stop_reason().filter(|stop| *stop != "stop" && *stop != "toolUse") {
        parts.push(shown(&stop));
    }
    parts.extend(calls.iter().map(|call| escape(call)));
    let text = escape(&texts.join(" "));
    if !text.is_empty() {
        parts.push(format!("\"{}\"", cut(&text)));
    }
    if !reminders.is_empty() {
        parts.push(format!("(with the reminder of {})", escape(&reminders.join(", "))));
    }
    parts.join(" ")
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(PREVIEW) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

fn context(out: &mut String, session: &Session, report: &AuditReport, style: Style) {
    let Some(context) = &report.context else { return };
    let _ = writeln!(out, "\n{}", style.heading("Context of the leaf"));
    for message in &context.messages {
        let id = session.entry(message.entry).and_then(|entry| entry.id()).unwrap_or_default();
        let _ = writeln!(out, "{} {}", shown(&id), told(&message.message));
    }
    // In faithful mode a value of another type can stand for a name.
    let name = |value: &Value| value.as_string().map_or_else(|| value.to_json(), shown);
    let models = context.models.iter().map(|(role, model)| format!("{} {}", shown(role), name(model)));
    let models = models.collect::<Vec<_>>().join(", ");
    let (thinking, mode) = (name(&context.thinking_level), name(&context.mode));
    let _ = writeln!(out, "thinking {thinking}; mode {mode}; models: {models}");
}

fn replay(out: &mut String, replayed: &Replayed, style: Style) {
    let agreeing = replayed.recorded.iter().filter(|(_, _, agrees)| *agrees == Some(true)).count();
    let races =
        if replayed.races == 0 { String::new() } else { format!(", {} are a race in the agent", replayed.races) };
    let line = format!(
        "Replay: {agreeing} of {} recorded decisions are decided again, {} cannot be reproduced from this file{races}",
        replayed.recorded.len(),
        replayed.not_reproducible
    );
    let good = replayed.differences.is_empty();
    let _ = writeln!(out, "\n{}", if good { style.good(&line) } else { style.bad(&line) });
    for (entry, rules, agrees) in &replayed.recorded {
        let entry = entry.as_ref().map(shown).unwrap_or_default();
        let rules = rules.iter().map(shown).collect::<Vec<_>>().join(", ");
        let verdict = match agrees {
            Some(true) => "decided again",
            Some(false) => "decided otherwise",
            None => "cannot be told from this file",
        };
        let _ = writeln!(out, "  {entry} {rules}: {verdict}");
    }
}

fn changed(out: &mut String, session: &Session, report: &AuditReport, style: Style) {
    for changed in &report.changed_rules {
        let id = session.entry(changed.entry).and_then(|entry| entry.id()).unwrap_or_default();
        let title = format!("Rule {} changed since the reminder in {}", shown(&changed.rule), shown(&id));
        let _ = writeln!(out, "\n{}", style.heading(&title));
        let (before, after) = (changed.reminder.to_string_lossy(), changed.content.to_string_lossy());
        let diff = TextDiff::from_lines(before.as_str(), after.as_str());
        let text = diff.unified_diff().header("reminder", "rule file").to_string();
        out.push_str(&escape_lines(&text));
        if !text.ends_with('\n') {
            out.push('\n');
        }
    }
}

fn findings(out: &mut String, findings: &[Diagnostic], parts: Parts, style: Style) {
    if findings.is_empty() {
        let _ = writeln!(out, "\n{}", style.good("No findings."));
        return;
    }
    let _ = writeln!(out, "\n{}", style.heading(&count(findings.len(), "finding")));
    out.push_str(&grouped::render(findings, parts.verbose, style));
}

/// The report of a file that is no session.
pub fn refused(refused: &Refused, parts: Parts, style: Style) -> String {
    let mut out = format!("{}\n", style.heading(&escape(&refused.file)));
    let _ = writeln!(out, "{}", style.bad("not read"));
    findings(&mut out, &refused.findings, parts, style);
    out
}
