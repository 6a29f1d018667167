//! [`Console`]: the only door to standard output and standard error, and the keeper of the exit status.

use std::collections::{BTreeMap, HashSet};
use std::io::{self, Write};

use super::args::{ColorChoice, Common, FailOn};
use super::{CliError, ExitStatus};
use crate::diagnostic::{Diagnostic, Severity};
use crate::interrupt::Patience;
use crate::output::diagnostic::{render, render_failure};
use crate::output::drives_terminal;
use crate::output::{FIXED_WIDTH, Style};
use crate::text::Place;

/// How many findings of one code are shown for one file; the rest is counted.
const SHOWN_PER_CODE: usize = 5;

/// What the process hands to the program: where to write, and what it knows of its surroundings.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The current directory.
    pub cwd: std::path::PathBuf,
    /// The user's home directory, if there is one.
    pub home: Option<std::path::PathBuf>,
    /// Environment variables.
    pub vars: BTreeMap<String, String>,
    /// Columns of the terminal behind standard output, when it is one.
    pub stdout_width: Option<u16>,
    /// Columns of the terminal behind standard error, when it is one.
    pub stderr_width: Option<u16>,
}

/// Output, diagnostics and status of one run.
pub struct Console<'a> {
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
    style: Style,
    err_style: Style,
    quiet: bool,
    out_is_terminal: bool,
    err_is_terminal: bool,
    verbose: bool,
    fail_on: Severity,
    exit_zero: bool,
    status: ExitStatus,
    write_error: Option<io::Error>,
    /// While the run can still tell what it has done when a signal comes.
    patience: Option<Patience>,
    seen: BTreeMap<(String, u16), usize>,
    /// Inputs that could not be read, of many.
    failed: usize,
    /// Whether findings are counted over all files, since there may be many.
    files_together: bool,
    /// Findings that are told once, however often they are made.
    told: HashSet<(Option<Place>, u16, String)>,
}

impl<'a> Console<'a> {
    /// A console that obeys the common options.
    pub fn new(out: &'a mut dyn Write, err: &'a mut dyn Write, common: &Common, surroundings: &Surroundings) -> Self {
        let style = |width: Option<u16>| Style {
            color: match common.color {
                ColorChoice::Always => true,
                ColorChoice::Never => false,
                ColorChoice::Auto => automatic_color(width.is_some(), &surroundings.vars),
            },
            width: width.unwrap_or(FIXED_WIDTH).max(40),
        };
        Self {
            out,
            err,
            style: style(surroundings.stdout_width),
            err_style: style(surroundings.stderr_width),
            quiet: common.quiet,
            out_is_terminal: surroundings.stdout_width.is_some(),
            err_is_terminal: surroundings.stderr_width.is_some()
                && surroundings.vars.get("TERM").is_none_or(|term| term != "dumb"),
            verbose: common.verbose,
            fail_on: severity(common.fail_on),
            exit_zero: common.exit_zero,
            status: ExitStatus::Done,
            write_error: None,
            patience: None,
            seen: BTreeMap::new(),
            failed: 0,
            files_together: false,
            told: HashSet::new(),
        }
    }

    /// From now on shows the first findings of a code over all files, and not of each file.
    pub fn take_files_together(&mut self) {
        self.files_together = true;
    }

    /// How standard output looks.
    pub fn style(&self) -> Style {
        self.style
    }

    /// How standard error looks.
    pub fn error_style(&self) -> Style {
        self.err_style
    }

    /// Whether everything is to be shown.
    pub fn is_verbose(&self) -> bool {
        self.verbose
    }

    /// The status so far.
    pub fn status(&self) -> ExitStatus {
        self.status
    }

    /// Says something that was asked for beside the data: also where the run should be quiet.
    pub fn say(&mut self, text: &str) {
        self.show(text);
    }

    /// From which severity on a finding counts for the status.
    pub fn fail_on(&self) -> Severity {
        self.fail_on
    }

    /// Sets from which severity on a finding counts for the status.
    pub(super) fn set_fail_on(&mut self, fail_on: FailOn) {
        self.fail_on = severity(fail_on);
    }

    /// Writes data. A closed pipe ends the output quietly.
    pub fn print(&mut self, text: &str) {
        if self.write_error.is_none() {
            self.write_error = self.out.write_all(text.as_bytes()).err();
        }
    }

    /// Writes the text of a file, as it is.
    pub(super) fn print_bytes(&mut self, bytes: &[u8]) {
        if self.write_error.is_none() {
            self.write_error = self.out.write_all(bytes).err();
        }
    }

    /// Writes JSON. Characters that JSON lets stand as they are and that a terminal may obey are escaped, which a JSON
    /// reader undoes.
    pub fn print_json(&mut self, text: &str) {
        // The line feeds between documents and members are no text of anybody's.
        let is_hidden =
            |character: char| !character.is_ascii_control() && drives_terminal(character) || character == '\u{7f}';
        if !text.contains(is_hidden) {
            return self.print(text);
        }
        let mut safe = String::with_capacity(text.len());
        for character in text.chars() {
            if is_hidden(character) {
                let units =
                    character.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
                safe.push_str(&units);
            } else {
                safe.push(character);
            }
        }
        self.print(&safe);
    }

    /// Whether nobody reads the output any more, so that the run may end.
    pub fn is_closed(&self) -> bool {
        self.write_error.is_some()
    }

    /// From now on a signal does not end the program before [`Console::finish`]; a second one does.
    pub fn await_report(&mut self) {
        self.patience.get_or_insert_with(Patience::begin);
    }

    /// Whether a signal waits for the report. Says how far the run has come.
    pub fn is_interrupted(&mut self, done: usize, inputs: usize) -> bool {
        let is_interrupted = done < inputs && self.patience.as_ref().is_some_and(Patience::is_interrupted);
        if is_interrupted {
            self.say(&format!("interrupted: {done} of {inputs} inputs were done; the report is about those\n"));
        }
        is_interrupted
    }

    /// Says something about the run, unless it should be quiet.
    pub fn note(&mut self, text: &str) {
        if !self.quiet {
            self.show(&format!("{text}\n"));
        }
    }

    /// Counts a finding for the status, without showing it.
    pub fn count(&mut self, diagnostic: &Diagnostic) {
        if diagnostic.severity >= self.fail_on && diagnostic.accepted.is_none() {
            self.raise(ExitStatus::Findings);
        }
    }

    /// Shows a finding and counts it for the status.
    pub fn report(&mut self, diagnostic: &Diagnostic) {
        self.count(diagnostic);
        let hidden = match diagnostic.severity {
            Severity::Note => !self.verbose,
            Severity::Warning | Severity::Error => self.quiet && diagnostic.severity < self.fail_on,
        };
        if hidden {
            return;
        }
        let file = diagnostic.place.as_ref().filter(|_| !self.files_together);
        let file = file.map(|place| place.file.clone()).unwrap_or_default();
        let seen = self.seen.entry((file, diagnostic.code.number())).or_default();
        *seen += 1;
        if *seen <= SHOWN_PER_CODE || self.verbose {
            let text = render(diagnostic, self.err_style);
            self.show(&text);
        }
    }

    /// As [`Console::report`], but for a finding that was shown already: the same files are read for each generation.
    pub fn report_once(&mut self, diagnostic: &Diagnostic) {
        let what = (diagnostic.place.clone(), diagnostic.code.number(), diagnostic.message.clone());
        if self.told.insert(what) {
            self.report(diagnostic);
        }
    }

    /// Shows a failure and takes over its status.
    pub fn fail(&mut self, error: &CliError) {
        self.raise(error.status);
        let text = render_failure(&error.message, error.help.as_deref(), self.err_style);
        self.show(&text);
    }

    /// Shows that an input could not be read, as a warning where that is to be no failure.
    pub fn refuse(&mut self, error: &CliError, is_allowed: bool) {
        match error.refused.as_ref().filter(|_| is_allowed) {
            Some(refused) => {
                let finding = Diagnostic::new(refused.code, refused.why.as_str()).with_severity(Severity::Warning);
                self.report(&finding.at(Place::line(&refused.input, 0, 0)));
            }
            None if self.files_together => self.fail_listed(error),
            None => self.fail(error),
        }
    }

    /// As [`Console::fail`], of one of many inputs, which the report lists all: the first ones are shown.
    pub fn fail_listed(&mut self, error: &CliError) {
        self.failed += 1;
        if self.failed <= SHOWN_PER_CODE || self.verbose {
            self.fail(error);
        } else {
            self.raise(error.status);
        }
    }

    /// Whether a long run may show on standard error how far it is. `writes`: whether it writes to standard output
    /// meanwhile, which is the same terminal if it is one.
    pub fn shows_progress(&self, writes: bool) -> bool {
        !self.quiet && self.err_is_terminal && !(writes && self.out_is_terminal)
    }

    /// Makes the status at least this bad.
    pub fn raise(&mut self, status: ExitStatus) {
        self.status = self.status.and(status);
    }

    fn show(&mut self, text: &str) {
        // Nothing can be said about standard error being gone.
        let _ = self.err.write_all(text.as_bytes());
    }

    /// Tells of findings left out and of output that could not be written, and gives the status.
    pub fn finish(mut self) -> ExitStatus {
        if !self.verbose {
            if self.failed > SHOWN_PER_CODE {
                let more = crate::output::count(self.failed - SHOWN_PER_CODE, "more input");
                self.note(&format!("{more} could not be read: the report lists them (--verbose shows all)"));
            }
            let seen = std::mem::take(&mut self.seen);
            for ((file, number), count) in seen {
                if count > SHOWN_PER_CODE {
                    let file =
                        if file.is_empty() { String::new() } else { format!("{}: ", crate::output::escape(&file)) };
                    let more = count - SHOWN_PER_CODE;
                    self.note(&format!("{file}{more} more of TTSR{number:03} (--verbose shows all)"));
                }
            }
        }
        if self.write_error.is_none() {
            self.write_error = self.out.flush().err();
        }
        match self.write_error.take() {
            Some(error) if error.kind() == io::ErrorKind::BrokenPipe => return ExitStatus::Done,
            Some(error) => {
                let error = CliError::failed(format!("the output cannot be written: {error}"));
                self.fail(&error);
            }
            None => {}
        }
        match self.status {
            ExitStatus::Findings if self.exit_zero => ExitStatus::Done,
            status => status,
        }
    }
}

fn severity(fail_on: FailOn) -> Severity {
    match fail_on {
        FailOn::Error => Severity::Error,
        FailOn::Warning => Severity::Warning,
        FailOn::Note => Severity::Note,
    }
}

/// Colours by the conventions NO_COLOR, CLICOLOR_FORCE and TERM.
fn automatic_color(is_terminal: bool, vars: &BTreeMap<String, String>) -> bool {
    let set = |name: &str| vars.get(name).is_some_and(|value| !value.is_empty());
    if set("NO_COLOR") {
        return false;
    }
    if set("CLICOLOR_FORCE") && vars["CLICOLOR_FORCE"] != "0" {
        return true;
    }
    is_terminal && vars.get("TERM").is_none_or(|term| term != "dumb")
}

/// A finding about an input as a replay counts it: the run goes on as the agent's would, so nothing is worse than a
/// warning (cli.md, "Exit status").
pub(super) fn softened(diagnostic: &Diagnostic) -> Diagnostic {
    diagnostic.clone().with_severity(diagnostic.severity.min(Severity::Warning))
}
