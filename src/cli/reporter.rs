//! [`Reporter`]: the events of all inputs in the chosen form, as they come where the form allows.

use super::args::{ReplayArgs, ReplayFormat, ReportTable};
use super::console::Console;
use super::expect::Expected;
use super::mode::Mode;
use super::{CliError, error::Refused};
use crate::corpus::Corpus;
use crate::output::json::v1::trace::Line;
use crate::output::{escape, generations, replay_human, report};
use crate::replay::TraceSink;
use crate::replay::trace::{At, TraceEvent, TraceKind};

/// Gathers events for the chosen form of the report.
pub(super) struct Reporter {
    format: ReplayFormat,
    mode: Mode,
    table: ReportTable,
    /// Lines of the whole output so far.
    seq: usize,
    /// Runs of the whole output so far.
    runs: usize,
    /// Whether the present run has begun in the one document.
    is_open: bool,
    /// The events of the present run, as far as the form needs them together.
    run: Vec<TraceEvent>,
    /// The triggers of each run, to show where generations differ.
    decisions: Vec<Vec<TraceEvent>>,
    /// Whether the same inputs are run in several generations.
    compares: bool,
    /// Whether only what a judge would be asked is shown.
    asks_only: bool,
    /// A stored trace to compare with.
    expected: Option<Expected>,
    /// The sums over all inputs.
    pub(super) corpus: Corpus,
}

impl Reporter {
    /// An empty report. `compares`: whether the same inputs are run in several generations.
    ///
    /// # Errors
    /// When the stored trace to compare with cannot be read.
    pub(super) fn new(args: &ReplayArgs, mode: Mode, compares: bool) -> Result<Self, CliError> {
        Ok(Self {
            // What a judge would be asked goes out line by line (generation-v4.md W15).
            format: if args.print_asks { ReplayFormat::Jsonl } else { args.format },
            mode,
            table: args.corpus.table.unwrap_or_default(),
            seq: 0,
            runs: 0,
            is_open: false,
            run: Vec::new(),
            decisions: Vec::new(),
            compares,
            asks_only: args.print_asks,
            expected: Expected::open(&args.author)?,
            corpus: Corpus::default(),
        })
    }

    /// Runs one input and shows its events.
    pub(super) fn stream<T>(
        &mut self,
        console: &mut Console<'_>,
        run: impl FnOnce(&mut dyn TraceSink) -> Result<T, CliError>,
    ) -> Result<T, CliError> {
        let result = run(&mut |event: TraceEvent| self.event(console, event));
        self.end_run(console);
        result
    }

    /// Shows the events of one input.
    pub(super) fn show(&mut self, console: &mut Console<'_>, events: Vec<TraceEvent>) {
        events.into_iter().for_each(|event| self.event(console, event));
        self.end_run(console);
    }

    /// Whether one report tells of all inputs.
    pub(super) fn is_over_all(&self) -> bool {
        matches!(self.mode, Mode::Report(_))
    }

    /// Tells of an input that could not be read.
    pub(super) fn refused(&mut self, console: &mut Console<'_>, refused: &Refused) {
        let kind = TraceKind::Refused { code: refused.code.to_string().into(), why: refused.why.as_str().into() };
        let at = At { input: refused.input.clone(), ..At::default() };
        if !self.asks_only {
            self.show(console, vec![TraceEvent { at, kind }]);
        }
    }

    fn event(&mut self, console: &mut Console<'_>, event: TraceEvent) {
        if let Some(expected) = &mut self.expected {
            expected.event(&event);
        }
        self.corpus.event(&event);
        let is_report = self.is_over_all();
        match self.format {
            ReplayFormat::Jsonl => self.line(console, &event),
            _ if is_report => {}
            ReplayFormat::Json => self.member(console, &event),
            ReplayFormat::Human if self.expected.is_some() => {}
            ReplayFormat::Human => self.run.push(event),
            ReplayFormat::Csv => match event.kind {
                TraceKind::Run { .. } | TraceKind::Summary(_) | TraceKind::Refused { .. } => self.run.push(event),
                _ => {}
            },
        }
    }

    /// The present run is over: shows what the form has kept of it.
    fn end_run(&mut self, console: &mut Console<'_>) {
        let mut events = std::mem::take(&mut self.run);
        let is_first = self.runs == 0;
        match self.format {
            ReplayFormat::Jsonl => {}
            _ if self.is_over_all() => {}
            ReplayFormat::Json if std::mem::take(&mut self.is_open) => console.print("]}"),
            ReplayFormat::Json => return,
            ReplayFormat::Csv => {
                let head = if is_first { replay_human::CSV_HEAD } else { "" };
                console.print(&format!("{head}{}", replay_human::csv(&events)));
            }
            // What could not be read is told on standard error.
            ReplayFormat::Human
                if matches!(events.as_slice(), [TraceEvent { kind: TraceKind::Refused { .. }, .. }] | []) =>
            {
                return;
            }
            ReplayFormat::Human => {
                let separator = if is_first { "" } else { "\n" };
                let text = replay_human::render(&events, console.style());
                console.print(&format!("{separator}{text}"));
                if self.compares {
                    events.retain(|event| matches!(event.kind, TraceKind::Run { .. } | TraceKind::Trigger(_)));
                    self.decisions.push(events);
                }
            }
        }
        self.runs += 1;
    }

    /// Shows an event as a line.
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
        console.print_json(&format!("{}\n", Line::new(event, Some(self.seq)).to_json()));
        self.seq += 1;
    }

    /// Shows an event as a member of the one document, which is never held as a whole.
    fn member(&mut self, console: &mut Console<'_>, event: &TraceEvent) {
        let starts_run = matches!(event.kind, TraceKind::Run { .. } | TraceKind::Refused { .. });
        let before = match (starts_run, self.runs) {
            (true, 0) => replay_human::DOCUMENT_HEAD.to_owned() + &replay_human::run_head(&event.at.input),
            (true, _) => format!(",{}", replay_human::run_head(&event.at.input)),
            (false, _) => ",".to_owned(),
        };
        self.is_open |= starts_run;
        console.print_json(&format!("{before}{}", Line::new(event, Some(self.seq)).to_json()));
        self.seq += 1;
    }

    /// Ends the report.
    pub(super) fn finish(&mut self, console: &mut Console<'_>) {
        let corpus = std::mem::take(&mut self.corpus);
        match (self.mode, self.format) {
            (_, ReplayFormat::Jsonl) => {}
            (Mode::Report(_), ReplayFormat::Human) => console.print(&report::render(&corpus, console.style())),
            (Mode::Report(_), ReplayFormat::Json) => {
                crate::output::json::write(&crate::output::json::v1::report::Report::new(&corpus), &mut |piece| {
                    console.print_json(piece);
                });
                console.print("\n");
            }
            (Mode::Report(_), ReplayFormat::Csv) => console.print(&match self.table {
                ReportTable::Rules => report::csv_rules(&corpus),
                ReportTable::Samples => report::csv_samples(&corpus),
                ReportTable::Refused => report::csv_refused(&corpus),
            }),
            (_, ReplayFormat::Json) => {
                let head = if self.runs == 0 { replay_human::DOCUMENT_HEAD } else { "" };
                console.print(&format!("{head}]}}\n"));
            }
            (_, ReplayFormat::Csv) => {
                console.print(if self.runs == 0 { replay_human::CSV_HEAD } else { "" });
            }
            (_, ReplayFormat::Human) if self.expected.is_some() => {}
            (_, ReplayFormat::Human) => console.print(&generations::render(&self.decisions, console.style())),
        }
        if let Some(expected) = self.expected.take() {
            expected.finish(self.format == ReplayFormat::Human, console);
        }
        self.corpus = corpus;
    }
}
