//! What must hold of all inputs together: `--max-rate`, `--require-coverage`, `--max-premature`, `--fail-on-undecided`
//! (cli.md section 2).

use std::collections::BTreeMap;

use super::args::CorpusArgs;
use super::console::Console;
use super::{CliError, ExitStatus};
use crate::output::{count, escape};
use crate::replay::Report;
use crate::replay::trace::{TraceEvent, TraceKind};
use crate::text::JsString;

/// Places that a breach names.
const SAMPLES: usize = 3;

/// Assistant messages that a rate refers to.
const RATE_MESSAGES: f64 = 1_000.0;

/// The limits, and what was counted so far.
#[derive(Debug, Default)]
pub(super) struct Gates {
    /// Rules and their most triggers in 1,000 assistant messages, as written.
    rates: Vec<(JsString, f64)>,
    coverage: Option<f64>,
    premature: Option<f64>,
    undecided: bool,
    counted: Counted,
}

/// What the inputs came to.
#[derive(Debug, Default)]
struct Counted {
    messages: usize,
    triggers: usize,
    premature: Seen,
    undecided: Seen,
    /// The registered rules.
    rules: BTreeMap<JsString, Seen>,
}

/// How often something was seen, and where first.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    times: usize,
    places: Vec<String>,
}

impl Seen {
    fn at(&mut self, event: &TraceEvent) {
        self.times += 1;
        if self.places.len() < SAMPLES {
            let line = event.at.line.map(|line| format!(":{line}")).unwrap_or_default();
            self.places.push(format!("{}{line}", event.at.input));
        }
    }

    fn add(&mut self, other: Self) {
        self.times += other.times;
        let room = SAMPLES - self.places.len().min(SAMPLES);
        self.places.extend(other.places.into_iter().take(room));
    }

    fn shown(&self) -> String {
        let more = if self.times > self.places.len() { ", …" } else { "" };
        format!("{}{more}", escape(&self.places.join(", ")))
    }
}

/// What one run shows of the gates.
#[derive(Debug, Default)]
pub(super) struct Watched {
    premature: Seen,
    undecided: Seen,
    rules: BTreeMap<JsString, Seen>,
}

impl Watched {
    /// Takes an event of the run.
    pub(super) fn event(&mut self, event: &TraceEvent) {
        match &event.kind {
            TraceKind::Rule { name, registered: true, .. } => {
                self.rules.entry(name.clone()).or_default();
            }
            TraceKind::Trigger(trigger) => {
                for by in &trigger.by {
                    self.rules.entry(by.rule.clone()).or_default().at(event);
                }
                if trigger.by.iter().any(|by| by.premature) {
                    self.premature.at(event);
                }
            }
            TraceKind::Undecided { .. } => self.undecided.at(event),
            _ => {}
        }
    }
}

impl Gates {
    /// The limits that the options name.
    ///
    /// # Errors
    /// When one is no number in its range.
    pub(super) fn read(args: &CorpusArgs) -> Result<Self, CliError> {
        let rate = |written: &String| {
            let parts = written.rsplit_once('=').and_then(|(rule, limit)| Some((rule, number(limit, f64::MAX)?)));
            match parts {
                Some((rule, limit)) if !rule.is_empty() => Ok((rule.into(), limit)),
                _ => Err(CliError::usage(format!("--max-rate: `{written}` names no rule and number"))
                    .with_help("write it as RULE=N, such as no-unwrap=25")),
            }
        };
        let percent = |option: &str, written: &Option<String>| match written {
            None => Ok(None),
            Some(written) => number(written, 100.0).map(Some).ok_or_else(|| {
                CliError::usage(format!("{option}: `{written}` is no percentage"))
                    .with_help("write a number from 0 to 100")
            }),
        };
        Ok(Self {
            rates: args.max_rate.iter().map(rate).collect::<Result<_, _>>()?,
            coverage: percent("--require-coverage", &args.require_coverage)?,
            premature: percent("--max-premature", &args.max_premature)?,
            undecided: args.fail_on_undecided,
            counted: Counted::default(),
        })
    }

    /// Counts a run.
    pub(super) fn count(&mut self, report: &Report, watched: Watched) {
        let counted = &mut self.counted;
        counted.messages += report.summary.messages;
        counted.triggers += report.summary.all.triggers;
        counted.premature.add(watched.premature);
        counted.undecided.add(watched.undecided);
        for (rule, seen) in watched.rules {
            counted.rules.entry(rule).or_default().add(seen);
        }
    }

    /// Tells of each limit that does not hold.
    ///
    /// # Errors
    /// When a rate is asked for of a rule that is not registered.
    pub(super) fn check(&self, console: &mut Console<'_>) -> Result<(), CliError> {
        let counted = &self.counted;
        let mut breach = |message: String, help: &str| {
            console.fail(&CliError { status: ExitStatus::Findings, message, help: Some(help.to_owned()) });
        };
        for (rule, limit) in &self.rates {
            let Some(seen) = counted.rules.get(rule) else {
                return Err(CliError::usage(format!(
                    "--max-rate: no rule `{}` is registered",
                    escape(&rule.to_string_lossy())
                ))
                .with_help("check-rules --list shows the rules"));
            };
            let rate = seen.times as f64 * RATE_MESSAGES / counted.messages.max(1) as f64;
            if rate > *limit {
                breach(
                    format!(
                        "--max-rate {}={limit}: it triggers {rate:.1} times in 1,000 assistant messages ({} in {}): {}",
                        escape(&rule.to_string_lossy()),
                        seen.times,
                        counted.messages,
                        seen.shown()
                    ),
                    "narrow the rule, or raise the limit",
                );
            }
        }
        if let Some(wanted) = self.coverage {
            let silent: Vec<String> = counted
                .rules
                .iter()
                .filter(|(_, seen)| seen.times == 0)
                .map(|(rule, _)| format!("`{}`", escape(&rule.to_string_lossy())))
                .collect();
            let share = percentage(counted.rules.len() - silent.len(), counted.rules.len());
            if share < wanted {
                breach(
                    format!(
                        "--require-coverage {wanted}: {share:.1} % of the rules trigger; silent: {}",
                        silent.join(", ")
                    ),
                    "add inputs that show them, or take rules away that nothing needs",
                );
            }
        }
        if let Some(limit) = self.premature {
            let share = if counted.triggers == 0 { 0.0 } else { percentage(counted.premature.times, counted.triggers) };
            if share > limit {
                breach(
                    format!(
                        "--max-premature {limit}: {share:.1} % of the triggers are premature: {}",
                        counted.premature.shown()
                    ),
                    "end the pattern so that text to come cannot undo the match",
                );
            }
        }
        if self.undecided && counted.undecided.times > 0 {
            breach(
                format!(
                    "--fail-on-undecided: {} not reached: {}",
                    count(counted.undecided.times, "decision"),
                    counted.undecided.shown()
                ),
                "the report says which patterns; check-rules tells what makes them slow",
            );
        }
        Ok(())
    }
}

fn number(written: &str, most: f64) -> Option<f64> {
    written.trim().parse().ok().filter(|number: &f64| (0.0..=most).contains(number))
}

/// All of nothing is all.
fn percentage(part: usize, whole: usize) -> f64 {
    if whole == 0 { 100.0 } else { part as f64 * 100.0 / whole as f64 }
}
