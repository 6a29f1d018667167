//! A replay as tables: decisions, injections and persisted entries, totals per rule.

use std::fmt::Write as _;

use comfy_table::Cell;

use super::{Style, count, escape, generation};
use crate::lifecycle::Decision;
use crate::replay::trace::{At, Matched, Summary, Totals, TraceEvent, TraceKind, Trigger};
use crate::text::JsString;
use crate::text::json::{Object, Value};

/// Longest excerpt of a reminder in the table of injections, in characters.
const CONTENT_LIMIT: usize = 60;

/// Renders the events of one input.
pub fn render(events: &[TraceEvent], style: Style) -> String {
    let mut out = String::new();
    for event in events {
        if let TraceKind::Run { input_kind, lifecycle, lifecycle_from, chunk, settings, rules, foreign, .. } =
            &event.kind
        {
            let lifecycle = generation(lifecycle, lifecycle_from.as_deref());
            let chunk = if matches!(*input_kind, "session" | "foreign") { format!(", {chunk}") } else { String::new() };
            let input_kind = match foreign {
                Some(foreign) => super::foreign::read_as(foreign),
                None => (*input_kind).to_owned(),
            };
            let title = style.heading(&escape(&event.at.input));
            let _ = writeln!(out, "{title}  {input_kind}, {lifecycle}{chunk}, {}", count(*rules, "rule"));
            let changed = changed_settings(settings);
            if !changed.is_empty() {
                let _ = writeln!(out, "{}", style.faint(&format!("settings: {}", escape(&changed))));
            }
        }
    }
    unregistered(&mut out, events, style);
    decisions(&mut out, events, style);
    effects(&mut out, events, style);
    undecided(&mut out, events, style);
    gates(&mut out, events, style);
    recorded(&mut out, events, style);
    for event in events {
        if let TraceKind::Summary(summary) = &event.kind {
            totals(&mut out, summary, style);
        }
    }
    out
}

/// The settings that differ from the defaults, as `key=value`.
fn changed_settings(settings: &Object) -> String {
    let defaults = crate::settings::Settings::default().to_object();
    let changed = settings.iter().filter(|(key, value)| {
        let key = key.to_string_lossy();
        defaults.get(&key) != Some(*value)
    });
    changed.map(|(key, value)| format!("{key}={}", value.to_json())).collect::<Vec<_>>().join(", ")
}

fn unregistered(out: &mut String, events: &[TraceEvent], style: Style) {
    for event in events {
        if let TraceKind::Rule { name, registered: false, reason, .. } = &event.kind {
            let reason = reason.as_deref().unwrap_or("refused");
            let line = format!("rule {} is not registered: {}", escape(&name.to_string_lossy()), escape(reason));
            let _ = writeln!(out, "{}", style.notable(&line));
        }
    }
}

fn decisions(out: &mut String, events: &[TraceEvent], style: Style) {
    let mut rows: Vec<(&At, &Trigger, usize)> = Vec::new();
    for event in events {
        if let TraceKind::Trigger(trigger) = &event.kind {
            let repeats = |(at, before, _): &&mut (&At, &Trigger, usize)| {
                at.message == event.at.message
                    && at.block == event.at.block
                    && before.rules == trigger.rules
                    && before.decision == trigger.decision
            };
            match rows.last_mut().filter(repeats) {
                Some((_, _, again)) => *again += 1,
                None => rows.push((&event.at, trigger, 0)),
            }
        }
    }
    if rows.is_empty() {
        let is_explained = events.iter().any(|event| matches!(event.kind, TraceKind::Gate(_)));
        let hint = match events.iter().any(|event| matches!(event.kind, TraceKind::Rule { .. })) {
            false => " There are no rules: name some with --rules.",
            true if is_explained => "",
            true => " --explain says why.",
        };
        let _ = writeln!(out, "\nNo rule triggered.{hint}");
        return;
    }
    let mut table = style.table(&["Where", "Source", "Rule", "Matched", "What happened"]);
    for (at, trigger, again) in rows {
        table.add_row([
            Cell::new(place(at)),
            Cell::new(source(trigger)),
            Cell::new(names(&trigger.rules, ", ")),
            Cell::new(matched(trigger)),
            happened(trigger, again),
        ]);
    }
    let _ = writeln!(out, "\n{}\n{}", style.heading("Decisions"), table.trim_fmt());
}

fn place(at: &At) -> String {
    let mut parts = Vec::new();
    if let Some(line) = at.line {
        parts.push(format!("line {line}"));
    }
    if let Some(message) = at.message {
        parts.push(format!("message {message}"));
    }
    if let Some(delta) = at.delta {
        parts.push(format!("delta {delta}"));
    }
    parts.join(", ")
}

fn source(trigger: &Trigger) -> String {
    match &trigger.tool {
        Some(tool) => {
            let paths = trigger.paths.first().map(|path| format!(" {}", escape(&path.to_string_lossy())));
            format!("{} {}{}", trigger.source.as_str(), escape(&tool.to_string_lossy()), paths.unwrap_or_default())
        }
        None => trigger.source.as_str().to_owned(),
    }
}

fn matched(trigger: &Trigger) -> String {
    let excerpts = trigger.by.iter().map(|by| {
        let excerpt = escape(&by.excerpt.to_string_lossy());
        let note = match (by.premature, by.chunk_dependent) {
            (true, _) => "  (premature: the whole block does not match)",
            (false, true) => "  (another cut of the text decides otherwise)",
            _ => "",
        };
        let choice = by.any_of.map(|count| format!("  (any one of its {count} conditions is enough)"));
        format!("{excerpt}{note}{}", choice.unwrap_or_default())
    });
    excerpts.collect::<Vec<_>>().join("\n")
}

fn happened(trigger: &Trigger, again: usize) -> Cell {
    let mut after = String::new();
    if again > 0 {
        let _ = write!(after, ", again at {}", count(again, "more delta"));
    }
    if trigger.after_divergence {
        after.push_str(", after divergence");
    }
    match trigger.decision {
        Decision::Interrupt => Style::bad_cell(format!("interrupted{after}")),
        Decision::Defer => Style::notable_cell(format!("reminder deferred{after}")),
        Decision::Fold => Style::notable_cell(format!("reminder with the tool result{after}")),
        Decision::Warn => Style::notable_cell(format!("warning{after}")),
    }
}

fn names(rules: &[JsString], separator: &str) -> String {
    rules.iter().map(|rule| escape(&rule.to_string_lossy())).collect::<Vec<_>>().join(separator)
}

fn effects(out: &mut String, events: &[TraceEvent], style: Style) {
    let mut table = style.table(&["What", "Rules", "Detail"]);
    for event in events {
        let row = match &event.kind {
            TraceKind::Inject { role, rules, content, delivery_id, .. } => {
                let delivery = delivery_id.map(|id| format!(", delivery {id}")).unwrap_or_default();
                [format!("injected as {role} message{delivery}"), names(rules, ", "), body(content)]
            }
            TraceKind::Fold { tool_call, rules, content } => {
                let call = escape(&tool_call.to_string_lossy());
                [format!("put before the result of {call}"), names(rules, ", "), body(content)]
            }
            TraceKind::Persist { rules, entry } => {
                let entry = format!("entry {}", escape(&entry.to_string_lossy()));
                ["persisted as ttsr_injection".to_owned(), names(rules, ", "), entry]
            }
            TraceKind::Drop { rules, why } => ["dropped".to_owned(), names(rules, ", "), (*why).to_owned()],
            _ => continue,
        };
        table.add_row(row);
    }
    if table.row_count() > 0 {
        let _ = writeln!(out, "\n{}\n{}", style.heading("Injections and persisted entries"), table.trim_fmt());
    }
}

/// The content of a reminder without its tags and wording, cut short.
fn body(content: &JsString) -> String {
    let text = content.to_string_lossy();
    let inner = text.lines().rfind(|line| !line.starts_with('<') && !line.trim().is_empty());
    let escaped = escape(inner.unwrap_or_default());
    match escaped.char_indices().nth(CONTENT_LIMIT) {
        Some((at, _)) => format!("{}…", &escaped[..at]),
        None => escaped,
    }
}

fn undecided(out: &mut String, events: &[TraceEvent], style: Style) {
    for event in events {
        if let TraceKind::Undecided { rule, matched, why } = &event.kind {
            let _ = writeln!(out, "{}", style.notable(&undecided_line(event, rule, matched, why)));
        }
    }
}

fn undecided_line(event: &TraceEvent, rule: &JsString, matched: &Matched, why: &str) -> String {
    let place = place(&event.at);
    let place = if place.is_empty() { place } else { format!(" at {place}") };
    let (rule, why, quoted) = (escape(&rule.to_string_lossy()), escape(why), escape(&matched.text().quotable()));
    format!("undecided: rule {rule}{place}: {why} ({quoted})")
}

/// A line about a verdict that could not be reached, other than that nobody has answered a question yet.
pub fn open_gate(event: &TraceEvent) -> Option<String> {
    match &event.kind {
        TraceKind::Undecided { matched: Matched::Question(_), .. } => None,
        TraceKind::Undecided { rule, matched, why } => Some(undecided_line(event, rule, matched, why)),
        _ => None,
    }
}

fn gates(out: &mut String, events: &[TraceEvent], style: Style) {
    let mut table = style.table(&["Where", "Rule", "Held back by", "Why"]);
    for event in events {
        if let TraceKind::Gate(gate) = &event.kind {
            table.add_row([
                place(&event.at),
                escape(&gate.rule.to_string_lossy()),
                gate.gate.to_owned(),
                escape(&gate.why),
            ]);
        }
    }
    if table.row_count() > 0 {
        let _ = writeln!(out, "\n{}\n{}", style.heading("Why rules did not fire"), table.trim_fmt());
    }
}

fn recorded(out: &mut String, events: &[TraceEvent], style: Style) {
    let recorded: Vec<(Option<bool>, String)> = events
        .iter()
        .filter_map(|event| match &event.kind {
            TraceKind::Recorded { rules, agrees } => {
                let place = place(&event.at);
                Some((*agrees, format!("{place}: {}", names(rules, ", "))))
            }
            _ => None,
        })
        .collect();
    if recorded.is_empty() {
        return;
    }
    let of = |verdict: Option<bool>| recorded.iter().filter(move |(agrees, _)| *agrees == verdict);
    let agreeing = of(Some(true)).count();
    let open = match of(None).count() {
        0 => String::new(),
        count => format!(", {count} cannot be told"),
    };
    let line = format!("\nRecorded triggers: {agreeing} of {} decided the same{open}", recorded.len());
    let differs = of(Some(false)).count() > 0;
    let _ = writeln!(out, "{}", if differs { style.bad(&line) } else { style.good(&line) });
    for (_, text) in of(Some(false)) {
        let _ = writeln!(out, "  {}", style.bad(&format!("differs at {text}")));
    }
    for (_, text) in of(None) {
        let _ = writeln!(out, "  cannot be told from this recording at {text}");
    }
}

/// The counts of the columns behind the rule, in tables and CSV.
fn columns(totals: &Totals) -> [usize; 7] {
    let Totals { triggers, interrupts, deferred, folded, persisted, premature, undecided, .. } = *totals;
    [triggers, interrupts, deferred, folded, persisted, premature, undecided]
}

fn totals(out: &mut String, summary: &Summary, style: Style) {
    let mut table =
        style.table(&["Rule", "Triggers", "Interrupts", "Deferred", "Folded", "Persisted", "Premature", "Undecided"]);
    for (rule, totals) in &summary.per_rule {
        let cells = columns(totals).map(|count| if count == 0 { "·".to_owned() } else { count.to_string() });
        table.add_row(std::iter::once(escape(&rule.to_string_lossy())).chain(cells));
    }
    if table.row_count() > 0 {
        let _ = writeln!(out, "\n{}\n{}", style.heading("Totals per rule"), table.trim_fmt());
    }
    let not_reproducible = match summary.not_reproducible {
        0 => String::new(),
        number => format!(", {number} recorded but not reproducible from this file"),
    };
    let undecided = match summary.all.undecided {
        0 => String::new(),
        number => format!(", {number} undecided"),
    };
    let warned = match summary.all.warned {
        0 => String::new(),
        number => format!(", {number} warned"),
    };
    let _ = writeln!(
        out,
        "{}: {} interrupting, {} deferred, {} folded{warned}; {} persisted{undecided}{not_reproducible}; {} in {}",
        count(summary.all.triggers, "trigger"),
        summary.all.interrupts,
        summary.all.deferred,
        summary.all.folded,
        summary.all.persisted,
        count(summary.bytes, "byte"),
        count(summary.deltas, "delta"),
    );
    let failures = [(summary.aborted_messages, "aborted by the user"), (summary.failed_messages, "ended in an error")];
    let failures = failures.iter().filter(|(number, _)| *number > 0).map(|(number, how)| format!("{number} {how}"));
    let failures = failures.collect::<Vec<_>>().join(", ");
    if !failures.is_empty() {
        let _ = writeln!(out, "{}", style.bad(&format!("of {}: {failures}", count(summary.messages, "message"))));
    }
}

/// The totals of one input as CSV: input, rule, its counts, the generation and the mark that decided for it; of one
/// that could not be read the kind of failure.
pub fn csv(events: &[TraceEvent]) -> String {
    let mut out = String::new();
    let mut generation = String::new();
    for event in events {
        match &event.kind {
            TraceKind::Run { lifecycle, lifecycle_from, .. } => {
                let mark = lifecycle_from.as_deref().unwrap_or_default();
                generation = format!("{lifecycle},{}", csv_field(mark));
            }
            TraceKind::Summary(summary) => {
                for (rule, totals) in &summary.per_rule {
                    let (input, rule) = (csv_field(&event.at.input), csv_field(&rule.to_string_lossy()));
                    let counts = columns(totals).map(|count| count.to_string()).join(",");
                    let _ = writeln!(out, "{input},{rule},{counts},{generation},");
                }
            }
            TraceKind::Refused { code, .. } => {
                let (input, code) = (csv_field(&event.at.input), csv_field(&code.to_string_lossy()));
                let _ = writeln!(out, "{input},,,,,,,,,,,{code}");
            }
            _ => {}
        }
    }
    out
}

/// Heads of the columns of [`csv`].
pub const CSV_HEAD: &str =
    "input,rule,triggers,interrupts,deferred,folded,persisted,premature,undecided,lifecycle,lifecycle_from,refused\n";

/// A field quoted where it must be. A leading sign that a spreadsheet would take for a formula is quoted away too.
pub(super) fn csv_field(text: &str) -> String {
    let text = escape(text);
    let formula = text.starts_with(['=', '+', '-', '@']);
    let text = if formula { format!("'{text}") } else { text };
    if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

/// How the one JSON document of all runs begins; `]}` ends it.
pub const DOCUMENT_HEAD: &str = "{\"schema\":\"ttsr.replay/1\",\"inputs\":[";

/// How a run in that document begins: its trace lines follow, parted by commas, and `]}`.
pub fn run_head(input: &str) -> String {
    format!("{{\"input\":{},\"trace\":[", Value::from(input).to_json())
}
