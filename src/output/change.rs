//! What changed between two runs over the same inputs: `ttsr.change/1`, lines, a table, CSV.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use comfy_table::Cell;

use super::{Style, count, escape};
use crate::replay::change::{Change, Changes, Decided};
use crate::text::JsString;

/// The schema name in each form.
pub const SCHEMA: &str = "ttsr.change/1";

/// How many decisions of one rule were gained, lost and moved.
pub type Counts = [usize; 3];

/// The totals of several inputs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChangeTotals {
    /// Inputs that were played.
    pub inputs: usize,
    /// Those in which something changes.
    pub changed: usize,
    /// Inputs that could not be read.
    pub refused: usize,
    /// Decisions that are the same.
    pub unchanged: usize,
    /// Decisions over all rules.
    pub all: Counts,
    /// By rule.
    pub per_rule: BTreeMap<JsString, Counts>,
}

impl ChangeTotals {
    /// Adds an input.
    pub fn add(&mut self, changes: &Changes) {
        self.inputs += 1;
        self.changed += usize::from(!changes.changes.is_empty());
        self.unchanged += changes.unchanged;
        for change in &changes.changes {
            let which = match change {
                Change::Gained(_) => 0,
                Change::Lost(_) => 1,
                Change::Moved { .. } => 2,
            };
            self.all[which] += 1;
            self.per_rule.entry(change.decided().rule.clone()).or_default()[which] += 1;
        }
    }

    /// Whether anything changed.
    pub fn has_changes(&self) -> bool {
        self.changed > 0
    }
}

/// The changes of one input as a table; nothing where there are none.
pub fn render(changes: &Changes, style: Style) -> String {
    if changes.changes.is_empty() {
        return String::new();
    }
    let mut table = style.table(&["Change", "Rule", "Before", "Now", "Matched"]);
    for change in &changes.changes {
        let word = match change {
            Change::Gained(_) => Style::notable_cell("gained"),
            Change::Lost(_) => Style::bad_cell("lost"),
            Change::Moved { .. } => Cell::new("moved"),
        };
        let shown = |decided: Option<&Decided>| Cell::new(decided.map_or_else(|| "·".to_owned(), place));
        let decided = change.decided();
        let text = |text: &JsString| escape(&text.to_string_lossy());
        let mut excerpt = text(&decided.excerpt);
        if let (Some(before), Some(_)) = (change.before(), change.after())
            && before.excerpt != decided.excerpt
        {
            excerpt = format!("{}\nnow {excerpt}", text(&before.excerpt));
        }
        table.add_row([
            word,
            Cell::new(text(&decided.rule)),
            shown(change.before()),
            shown(change.after()),
            Cell::new(excerpt),
        ]);
    }
    let unchanged = match changes.unchanged {
        0 => String::new(),
        number => format!("  {number} unchanged"),
    };
    format!("{}{}\n{}\n\n", style.heading(&escape(&changes.input)), style.faint(&unchanged), table.trim_fmt())
}

/// The place of a decision and what followed.
fn place(decided: &Decided) -> String {
    let at = &decided.at;
    let number = |what: &str, value: Option<usize>| value.map(|value| format!("{what} {value}"));
    let parts = [number("line", at.line), number("message", at.message), number("delta", at.delta)];
    let place: Vec<String> = parts.into_iter().flatten().collect();
    let decision = decided.decision.as_str();
    if place.is_empty() { decision.to_owned() } else { format!("{decision}, {}", place.join(", ")) }
}

/// The totals in a sentence, and by rule.
pub fn render_totals(totals: &ChangeTotals, style: Style) -> String {
    let [gained, lost, moved] = totals.all;
    let inputs = count(totals.inputs, "input");
    if !totals.has_changes() {
        let same = match totals.unchanged {
            0 => "no rule fires before or now".to_owned(),
            number => format!("the same {}", count(number, "decision")),
        };
        return format!("{}\n", style.good(&format!("Nothing changes in {inputs}: {same}.")));
    }
    let mut out = String::new();
    if totals.inputs > 1 {
        let mut table = style.table(&["Rule", "Gained", "Lost", "Moved"]);
        for (rule, counts) in &totals.per_rule {
            let cells = counts.map(|count| if count == 0 { "·".to_owned() } else { count.to_string() });
            table.add_row(std::iter::once(escape(&rule.to_string_lossy())).chain(cells));
        }
        let _ = writeln!(out, "{}\n{}", style.heading("Changes per rule"), table.trim_fmt());
    }
    let _ = writeln!(
        out,
        "{gained} gained, {lost} lost, {moved} moved, {} unchanged; {} of {inputs} changed",
        totals.unchanged, totals.changed
    );
    out
}

/// Heads of the columns of [`csv`].
pub const CSV_HEAD: &str = "rule,gained,lost,moved\n";

/// The totals as CSV.
pub fn csv(totals: &ChangeTotals) -> String {
    let rows = totals.per_rule.iter().map(|(rule, [gained, lost, moved])| {
        format!("{},{gained},{lost},{moved}\n", super::replay_human::csv_field(&rule.to_string_lossy()))
    });
    rows.collect()
}
