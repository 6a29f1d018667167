//! [`Reporter`]: the events of all inputs in the chosen form.

use super::CliError;
use super::args::ReplayFormat;
use super::console::Console;
use super::expect::Expected;
use crate::output::{escape, generations, replay_human};
use crate::replay::TraceSink;
use crate::replay::trace::{TraceEvent, TraceKind};

/// Gathers events for the chosen form of the report.
pub(super) struct Reporter {
    format: ReplayFormat,
    seq: usize,
    runs: Vec<Vec<TraceEvent>>,
    /// The triggers of each run, to show where generations differ.
    decisions: Vec<Vec<TraceEvent>>,
    /// Whether the same inputs are run in several generations.
    compares: bool,
    /// Whether only what a judge would be asked is shown.
    asks_only: bool,
    /// A stored trace to compare with.
    expected: Option<Expected>,
}

impl Reporter {
    /// An empty report. `compares`: whether the same inputs are run in several generations.
    pub(super) fn new(format: ReplayFormat, compares: bool) -> Self {
        Self { format, seq: 0, runs: Vec::new(), decisions: Vec::new(), compares, asks_only: false, expected: None }
    }

    /// Shows only what a judge would be asked, one JSON line an output (generation-v4.md W15).
    #[must_use]
    pub(super) fn asks_only(mut self, only: bool) -> Self {
        self.asks_only = only;
        if only {
            self.format = ReplayFormat::Jsonl;
        }
        self
    }

    /// Compares the trace with a stored one; the form `human` then shows that and nothing else.
    #[must_use]
    pub(super) fn expecting(mut self, expected: Option<Expected>) -> Self {
        self.expected = expected;
        self
    }

    /// Runs one input and shows its events: at once as lines, at its end as tables, at the end of all as a document.
    pub(super) fn stream<T>(
        &mut self,
        console: &mut Console<'_>,
        run: impl FnOnce(&mut dyn TraceSink) -> Result<T, CliError>,
    ) -> Result<T, CliError> {
        if self.format == ReplayFormat::Jsonl {
            return run(&mut |event: TraceEvent| {
                self.expect(&event);
                self.line(console, &event);
            });
        }
        let mut events: Vec<TraceEvent> = Vec::new();
        let report = run(&mut events)?;
        self.show(console, events);
        Ok(report)
    }

    /// Shows the events of one input.
    pub(super) fn show(&mut self, console: &mut Console<'_>, mut events: Vec<TraceEvent>) {
        events.iter().for_each(|event| self.expect(event));
        match self.format {
            ReplayFormat::Human if self.expected.is_some() => {}
            ReplayFormat::Jsonl => events.iter().for_each(|event| self.line(console, event)),
            ReplayFormat::Human => {
                let separator = if self.seq > 0 { "\n" } else { "" };
                let text = replay_human::render(&events, console.style());
                console.print(&format!("{separator}{text}"));
                self.seq += 1;
                if self.compares {
                    events.retain(|event| matches!(event.kind, TraceKind::Run { .. } | TraceKind::Trigger(_)));
                    self.decisions.push(events);
                }
            }
            ReplayFormat::Csv => {
                events.retain(|event| matches!(event.kind, TraceKind::Run { .. } | TraceKind::Summary(_)));
                self.runs.push(events);
            }
            ReplayFormat::Json => self.runs.push(events),
        }
    }

    fn expect(&mut self, event: &TraceEvent) {
        if let Some(expected) = &mut self.expected {
            expected.event(event);
        }
    }

    fn line(&mut self, console: &mut Console<'_>, event: &TraceEvent) {
        if self.asks_only {
            if let Some(line) = event.asked() {
                console.print_json(&format!("{}\n", line.to_json()));
            }
            // Whether a question is asked behind an open gate cannot be told: silence would say that it is not.
            if let Some(line) = replay_human::open_gate(event) {
                console.note(&format!("{}: {line}", escape(&event.at.input)));
            }
            return;
        }
        console.print_json(&format!("{}\n", event.to_value(self.seq).to_json()));
        self.seq += 1;
    }

    /// Ends the report.
    pub(super) fn finish(self, console: &mut Console<'_>) {
        match self.format {
            ReplayFormat::Json => {
                console.print_json(&format!("{}\n", replay_human::document(&self.runs).to_json()));
            }
            ReplayFormat::Csv => {
                let rows: Vec<String> = self.runs.iter().map(|events| replay_human::csv(events)).collect();
                console.print(&format!("{}{}", replay_human::CSV_HEAD, rows.concat()));
            }
            ReplayFormat::Human if self.expected.is_some() => {}
            ReplayFormat::Human => console.print(&generations::render(&self.decisions, console.style())),
            ReplayFormat::Jsonl => {}
        }
        if let Some(expected) = self.expected {
            expected.finish(self.format == ReplayFormat::Human, console);
        }
    }
}
