//! How things went in a session, for people: what happened, how the rules stood, what came of an injection, what the agent
//! reads of the file.

use std::fmt::Write as _;

use comfy_table::{Cell, ContentArrangement};

use super::{Style, count, escape, escape_lines};
use crate::audit::{AuditReport, Comparison, Follow, Moment, MomentKind, Passage, Standing, State};
use crate::session::Session;
use crate::text::JsString;

/// Longest excerpt in a line, in characters.
const EXCERPT: usize = 60;

fn shown(text: &JsString) -> String {
    escape(&text.to_string_lossy())
}

fn cut(text: &JsString) -> String {
    let text = shown(text);
    match text.char_indices().nth(EXCERPT) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text,
    }
}

fn joined(names: &[JsString]) -> String {
    names.iter().map(shown).collect::<Vec<_>>().join(", ")
}

/// The parts that the report holds.
pub(super) fn render(out: &mut String, session: &Session, report: &AuditReport, style: Style) {
    let id = |at: usize| session.entry(at).and_then(|entry| entry.id()).map(|id| shown(&id)).unwrap_or_default();
    if let Some(moments) = &report.timeline {
        timeline(out, moments, &id, style);
    }
    if let Some(at) = &report.state {
        state(out, at, &id, style);
    }
    if let Some(follow) = &report.follow {
        followed(out, follow, &id, style);
    }
    if let Some(comparison) = &report.comparison {
        compared(out, comparison, style);
    }
}

fn timeline(out: &mut String, moments: &[Moment], id: &impl Fn(usize) -> String, style: Style) {
    let mut table = style.table(&["Entry", "Time", "Turn", "What", "Rules", "Text"]);
    table.set_content_arrangement(ContentArrangement::Disabled);
    for moment in moments {
        let kind = moment.kind.as_str();
        table.add_row([
            Cell::new(id(moment.entry)),
            Cell::new(moment.timestamp.as_ref().map(shown).unwrap_or_default()),
            Cell::new(moment.turn),
            match moment.kind {
                MomentKind::Trigger | MomentKind::Injection | MomentKind::Reminder => Style::notable_cell(kind),
                MomentKind::Failed | MomentKind::Aborted => Style::bad_cell(kind),
                _ => Cell::new(kind),
            },
            Cell::new(joined(&moment.rules)),
            Cell::new(cut(&moment.text)),
        ]);
    }
    let _ = writeln!(out, "\n{}\n{}", style.heading("Timeline"), table.trim_fmt());
}

fn state(out: &mut String, state: &State, id: &impl Fn(usize) -> String, style: Style) {
    let branch = if state.on_branch { "" } else { ", on an abandoned branch" };
    let ended = count(state.turn, "turn");
    let title = format!("Rules at {}: {ended} ended before it in its process{branch}", id(state.entry));
    let _ = writeln!(out, "\n{}", style.heading(&title));
    if state.rules.is_empty() {
        let _ = writeln!(out, "no rule is in force or pending");
        return;
    }
    let mut table = style.table(&["Rule", "Standing", "Decided by", "Since", "Turns since", "May fire"]);
    for rule in &state.rules {
        let standing = rule.standing.as_str();
        table.add_row([
            Cell::new(shown(&rule.rule)),
            if rule.standing == Standing::InForce { Cell::new(standing) } else { Style::notable_cell(standing) },
            Cell::new(id(rule.decided_by)),
            Cell::new(rule.since.map(id).unwrap_or_default()),
            Cell::new(rule.turns_since.map(|turns| turns.to_string()).unwrap_or_default()),
            Cell::new(if rule.may_fire { "yes" } else { "no" }),
        ]);
    }
    let _ = writeln!(out, "{}", table.trim_fmt());
    if let Some(exit) = state.restored_at {
        let _ = writeln!(out, "restored by a resume behind the end of a process in {}", id(exit));
    }
}

fn followed(out: &mut String, follow: &Follow, id: &impl Fn(usize) -> String, style: Style) {
    for rule in &follow.rules {
        let branch = if follow.on_branch { "" } else { ", on an abandoned branch" };
        let title =
            format!("Rule {} injected in {} ({}{branch})", shown(&rule.rule), id(follow.entry), rule.kind.as_str());
        let _ = writeln!(out, "\n{}", style.heading(&title));
        let mut line = |name: &str, passage: &Option<Passage>, missing: &str| {
            let _ = match passage {
                Some(passage) => writeln!(out, "  {name:<10} {}  \"{}\"", id(passage.entry), cut(&passage.text)),
                None => writeln!(out, "  {name:<10} {missing}"),
            };
        };
        line("matched", &rule.matched, "(not in the file)");
        line("reminder", &rule.reminder, "(not in the file)");
        line("answer", &rule.answer, "(none yet)");
        let later = rule.repetitions.iter().map(|one| {
            let turns = one.turns.map(|turns| format!(" after {}", count(turns, "turn"))).unwrap_or_default();
            format!("{}{turns}", id(one.entry))
        });
        let later: Vec<String> = later.collect();
        let later = if later.is_empty() { "never".to_owned() } else { later.join(", ") };
        let _ = writeln!(out, "  {:<10} {later}", "again");
        if let Some(reminder) = &rule.reminder {
            let _ = writeln!(out, "  then:\n{}", indented(&reminder.text));
        }
        match (&rule.content_now, rule.is_changed) {
            (Some(_), Some(false)) => {
                let _ = writeln!(out, "  now: the same");
            }
            (Some(content), _) => {
                let _ = writeln!(out, "  now:\n{}", indented(content));
            }
            (None, _) => {}
        }
    }
}

fn indented(text: &JsString) -> String {
    let text = escape_lines(&text.to_string_lossy());
    text.trim_end().lines().map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

fn compared(out: &mut String, comparison: &Comparison, style: Style) {
    let _ = writeln!(out, "\n{}", style.heading("What is there, and what the agent reads"));
    if let Some(refused) = &comparison.refused {
        let _ = writeln!(out, "{}", style.bad(&escape(refused)));
        // It reads nothing, so that there is nothing to put beside what is there.
        let there = comparison.aspects.iter().map(|one| format!("{} {}", one.name, escape(&one.here)));
        let _ = writeln!(out, "there: {}", there.collect::<Vec<_>>().join("; "));
        return;
    }
    let mut table = style.table(&["", "There", "Agent"]);
    let mut differ = 0;
    for aspect in &comparison.aspects {
        let agent = aspect.agent.as_deref().unwrap_or("nothing");
        let same = agent == aspect.here;
        differ += usize::from(!same);
        table.add_row([
            Cell::new(aspect.name),
            Cell::new(escape(&aspect.here)),
            if same { Cell::new(escape(agent)) } else { Style::bad_cell(escape(agent)) },
        ]);
    }
    let _ = writeln!(out, "{}", table.trim_fmt());
    if differ == 0 {
        let _ = writeln!(out, "{}", style.good("both read the same"));
    }
}
