//! What must hold of all inputs together: `--max-rate`, `--require-coverage`, `--max-premature`, `--fail-on-undecided`
//! (cli.md section 2).

use super::args::CorpusArgs;
use super::console::Console;
use super::{CliError, ExitStatus};
use crate::corpus::{Corpus, Places, percentage};
use crate::output::{count, escape};
use crate::text::JsString;

/// The limits.
#[derive(Debug, Default)]
pub(super) struct Gates {
    /// Rules and their most triggers in 1,000 assistant messages, as written.
    rates: Vec<(JsString, f64)>,
    coverage: Option<f64>,
    premature: Option<f64>,
    undecided: bool,
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
        })
    }

    /// Whether there is any.
    pub(super) fn are_set(&self) -> bool {
        !self.rates.is_empty() || self.coverage.is_some() || self.premature.is_some() || self.undecided
    }

    /// Tells of each limit that does not hold.
    ///
    /// # Errors
    /// When a rate is asked for of a rule that is not registered.
    pub(super) fn check(&self, corpus: &Corpus, console: &mut Console<'_>) -> Result<(), CliError> {
        let mut breach = |message: String, help: &str| {
            let breach = CliError { status: ExitStatus::Findings, ..CliError::failed(message).with_help(help) };
            console.fail(&breach);
        };
        if corpus.inputs == 0 {
            // A gate that has seen nothing must not pass for one that holds.
            if self.are_set() {
                breach("no input was played, so no gate can hold".to_owned(), "check the choice of inputs");
            }
            return Ok(());
        }
        for (name, limit) in &self.rates {
            let rule = corpus.rules.get(name).filter(|rule| rule.registered > 0).ok_or_else(|| {
                CliError::usage(format!("--max-rate: no rule `{}` is registered", escape(&name.to_string_lossy())))
                    .with_help("check-rules --list shows the rules")
            })?;
            let rate = corpus.rate(rule);
            if rate > *limit {
                let samples = rule.samples.values().map(|sample| place(&sample.at.input, sample.at.line));
                let more = if rule.inputs > rule.samples.len() { ", …" } else { "" };
                breach(
                    format!(
                        "--max-rate {}={limit}: it triggers {rate:.1} times in 1,000 assistant messages ({} in {}): {}{more}",
                        escape(&name.to_string_lossy()),
                        rule.triggers,
                        corpus.messages,
                        samples.collect::<Vec<_>>().join(", "),
                    ),
                    "narrow the rule, or raise the limit",
                );
            }
        }
        if let Some(wanted) = self.coverage {
            let silent: Vec<String> = corpus
                .registered()
                .filter(|(_, rule)| rule.triggers == 0)
                .map(|(name, _)| format!("`{}`", escape(&name.to_string_lossy())))
                .collect();
            let registered = corpus.registered().count();
            let share = percentage(registered - silent.len(), registered);
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
            let times = corpus.premature.times;
            let share = if corpus.triggers == 0 { 0.0 } else { percentage(times, corpus.triggers) };
            if share > limit {
                breach(
                    format!(
                        "--max-premature {limit}: {share:.1} % of the triggers are premature: {}",
                        shown(&corpus.premature)
                    ),
                    "end the pattern so that text to come cannot undo the match",
                );
            }
        }
        if self.undecided && corpus.undecided.times > 0 {
            breach(
                format!(
                    "--fail-on-undecided: {} not reached: {}",
                    count(corpus.undecided.times, "decision"),
                    shown(&corpus.undecided)
                ),
                "the report says which patterns; check-rules tells what makes them slow",
            );
        }
        Ok(())
    }
}

fn shown(places: &Places) -> String {
    let first: Vec<String> = places.first.iter().map(|(input, line)| place(input, *line)).collect();
    let more = if places.times > first.len() { ", …" } else { "" };
    format!("{}{more}", first.join(", "))
}

fn place(input: &str, line: Option<usize>) -> String {
    let line = line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{}{line}", escape(input))
}

fn number(written: &str, most: f64) -> Option<f64> {
    written.trim().parse().ok().filter(|number: &f64| (0.0..=most).contains(number))
}
