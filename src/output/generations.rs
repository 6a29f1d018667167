//! Where generations of the runtime decide differently on the same input.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Style, escape};
use crate::replay::trace::{TraceEvent, TraceKind};

/// A place in an input: the input, message, block and delta.
type PlaceKey = (String, Option<usize>, Option<usize>, Option<usize>);

/// A table of the decisions that are not the same in all generations; nothing when there is only one generation.
///
/// Each run is its `run` event and its triggers.
pub fn render(runs: &[Vec<TraceEvent>], style: Style) -> String {
    let mut generations: Vec<&str> = Vec::new();
    let mut decisions: BTreeMap<PlaceKey, BTreeMap<&str, String>> = BTreeMap::new();
    for events in runs {
        let Some(TraceKind::Run { lifecycle, .. }) = events.first().map(|event| &event.kind) else { continue };
        if !generations.contains(lifecycle) {
            generations.push(lifecycle);
        }
        for event in events {
            let TraceKind::Trigger(trigger) = &event.kind else { continue };
            let key = (event.at.input.clone(), event.at.message, event.at.block, event.at.delta);
            let names = trigger.rules.iter().map(|rule| escape(&rule.to_string_lossy())).collect::<Vec<_>>().join(", ");
            let text = format!("{}: {names}", trigger.decision.as_str());
            decisions.entry(key).or_default().insert(lifecycle, text);
        }
    }
    if generations.len() < 2 {
        return String::new();
    }
    let mut table = style.table(&[&["Input", "Where"], generations.as_slice()].concat());
    for ((input, message, _, delta), by_generation) in &decisions {
        let first = by_generation.values().next();
        if by_generation.len() == generations.len() && by_generation.values().all(|text| Some(text) == first) {
            continue;
        }
        let number = |what: &str, value: Option<usize>| value.map(|value| format!("{what} {value}"));
        let place: Vec<String> = [number("message", *message), number("delta", *delta)].into_iter().flatten().collect();
        let cells = generations.iter().map(|name| by_generation.get(name).cloned().unwrap_or_else(|| "·".to_owned()));
        table.add_row([escape(input), place.join(", ")].into_iter().chain(cells));
    }
    let mut out = String::new();
    let heading = style.heading("Where the generations differ");
    if table.row_count() == 0 {
        let _ = writeln!(out, "\nAll generations decide the same.");
    } else {
        let _ = writeln!(out, "\n{heading}\n{}", table.trim_fmt());
    }
    out
}
