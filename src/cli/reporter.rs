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
    /// How much of a JSON document or of CSV was printed.
    document: Document,
    /// The triggers of each run, to show where generations differ.
    decisions: Vec<Vec<TraceEvent>>,
    /// Whether the same inputs are run in several generations.
    compares: bool,
    /// Whether only what a judge would be asked is shown.
    asks_only: bool,
    /// A stored trace to compare with.
    expected: Option<Expected>,
}

/// How far a form that is one whole was printed. It is printed as it comes, so that memory does not grow with the inputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Document {
    #[default]
    Empty,
    /// Its head is there, and so many inputs.
    Begun,
    /// The trace of an input is open.
    InTrace,
}

impl Reporter {
    /// An empty report. `compares`: whether the same inputs are run in several generations.
    pub(super) fn new(format: ReplayFormat, compares: bool) -> Self {
        let (decisions, document) = (Vec::new(), Document::default());
        Self { format, seq: 0, document, decisions, compares, asks_only: false, expected: None }
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
        if self.format == ReplayFormat::Json {
            let report = run(&mut |event: TraceEvent| {
                self.expect(&event);
                self.item(console, &event);
            });
            self.end_trace(console);
            return report;
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
                self.begin_csv(console);
                console.print(&replay_human::csv(&events));
            }
            ReplayFormat::Json => {
                events.iter().for_each(|event| self.item(console, event));
                self.end_trace(console);
            }
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

    /// The next event of the trace of an input, in a JSON document.
    fn item(&mut self, console: &mut Console<'_>, event: &TraceEvent) {
        let before = match self.document {
            Document::InTrace => ",".to_owned(),
            Document::Begun => replay_human::begin_input(&event.at.input, false),
            Document::Empty => {
                format!("{}{}", replay_human::DOCUMENT_HEAD, replay_human::begin_input(&event.at.input, true))
            }
        };
        self.document = Document::InTrace;
        console.print_json(&format!("{before}{}", event.to_value(self.seq).to_json()));
        self.seq += 1;
    }

    fn end_trace(&mut self, console: &mut Console<'_>) {
        if self.document == Document::InTrace {
            self.document = Document::Begun;
            console.print_json(replay_human::INPUT_END);
        }
    }

    fn begin_csv(&mut self, console: &mut Console<'_>) {
        if std::mem::replace(&mut self.document, Document::Begun) == Document::Empty {
            console.print(replay_human::CSV_HEAD);
        }
    }

    /// Ends what was begun, where a run cannot go on: what was printed stays whole.
    pub(super) fn close(&mut self, console: &mut Console<'_>) {
        if self.format == ReplayFormat::Json && self.document != Document::Empty {
            self.end_trace(console);
            console.print_json(replay_human::DOCUMENT_END);
        }
    }

    /// Ends the report.
    pub(super) fn finish(mut self, console: &mut Console<'_>) {
        match self.format {
            ReplayFormat::Json => {
                if self.document == Document::Empty {
                    console.print_json(replay_human::DOCUMENT_HEAD);
                }
                self.end_trace(console);
                console.print_json(replay_human::DOCUMENT_END);
            }
            ReplayFormat::Csv => self.begin_csv(console),
            ReplayFormat::Human if self.expected.is_some() => {}
            ReplayFormat::Human => console.print(&generations::render(&self.decisions, console.style())),
            ReplayFormat::Jsonl => {}
        }
        if let Some(expected) = self.expected {
            expected.finish(self.format == ReplayFormat::Human, console);
        }
    }
}
