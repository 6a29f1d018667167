//! The forms of the report: each takes one file after the other and keeps no more of it than sums.

use std::io::{Read as _, Seek as _, SeekFrom, Write as _};

use tempfile::SpooledTempFile;

use super::super::CliError;
use super::super::args::{InspectFormat, InspectSessionArgs, InspectTable};
use super::super::console::Console;
use crate::audit::{AuditReport, DisabledRule, Refused, Survey};
use crate::output::inspect::{self, Parts, Replayed};
use crate::output::inspect_csv as csv;
use crate::output::json;
use crate::output::json::v1::session::Session as SessionForm;
use crate::output::json::v1::sessions::{Item, Sessions, Summary};
use crate::output::sarif::Pieces;
use crate::output::survey as report;
use crate::session::Session;

/// Bytes of what is told of single files that are held in memory until the report stands.
const HELD: usize = 8 << 20;
/// How many sessions the report lists.
const LISTED: usize = 40;
/// Rows of a table that are laid out together.
const ROWS: usize = 500;

/// A session that was inspected.
pub(super) struct Inspection<'a> {
    pub(super) session: &'a Session,
    pub(super) report: &'a AuditReport,
    pub(super) replayed: Option<&'a Replayed>,
}

/// The report as it grows.
pub(super) struct Form {
    format: InspectFormat,
    table: InspectTable,
    /// Whether it is about several files.
    is_many: bool,
    /// Whether each of several files is told of.
    each: bool,
    parts: Parts,
    survey: Survey,
    /// Whether anything was written.
    has_begun: bool,
    /// What is told of single files, to stand behind the report.
    details: SpooledTempFile,
    rows: Vec<report::SessionRow>,
    unlisted: usize,
    injections: Vec<report::InjectionRow>,
    /// The project at hand, where each has a report of its own.
    project: Option<Project>,
    sarif: Pieces,
}

/// The sessions of one working directory.
#[derive(Default)]
struct Project {
    survey: Survey,
    rows: Vec<report::SessionRow>,
    unlisted: usize,
}

impl Form {
    pub(super) fn new(args: &InspectSessionArgs, is_many: bool, console: &Console<'_>) -> Self {
        let parts = Parts {
            tree: args.tree,
            injections: args.injections,
            context: args.context,
            course: args.timeline || args.compare || args.state_at.is_some() || args.follow.is_some(),
            verbose: console.is_verbose(),
        };
        Self {
            format: args.format,
            table: args.table.unwrap_or_default(),
            is_many,
            each: args.each || parts.asks_for_one(),
            parts,
            survey: Survey::default(),
            has_begun: false,
            details: SpooledTempFile::new(HELD),
            rows: Vec::new(),
            unlisted: 0,
            injections: Vec::new(),
            project: args.by_project.then(Project::default),
            sarif: Pieces::default(),
        }
    }

    /// Takes a session.
    ///
    /// # Errors
    /// When it cannot be read again, or what is told of it cannot be held back.
    pub(super) fn session(&mut self, inspection: &Inspection<'_>, console: &mut Console<'_>) -> Result<(), CliError> {
        let Inspection { session, report, replayed } = *inspection;
        self.survey.add(session, report);
        if let Some(replayed) = replayed {
            self.survey.replayed(replayed.recorded.iter().map(|(_, _, agrees)| *agrees));
        }
        match self.format {
            InspectFormat::Human => {
                if self.is_many && self.parts.injections && !self.each {
                    self.injections.extend(report::injection_rows(report));
                    if self.injections.len() >= ROWS {
                        self.flush_injections(console);
                    }
                    return Ok(());
                }
                self.list(session, report, console);
                if self.is_many && !self.each {
                    return Ok(());
                }
                let text = inspect::render(session, report, replayed, self.parts, console.style())
                    .map_err(|error| CliError::failed(format!("{}: {error}", session.file())))?;
                self.tell(&text, console)?;
            }
            InspectFormat::Json | InspectFormat::Jsonl => {
                self.separate(console);
                let item = Item::Session(Box::new(SessionForm::new(session, report, replayed)));
                json::write(&item, &mut |piece| console.print_json(piece));
                self.end_document(console);
            }
            InspectFormat::Csv => {
                let rows = match self.table {
                    InspectTable::Injections => csv::injections(session, report),
                    InspectTable::Sessions => csv::session(report),
                    InspectTable::Findings => csv::findings(&report.findings, report.lifecycle),
                    InspectTable::Rules | InspectTable::Disabled => String::new(),
                };
                self.begin_table(console);
                console.print(&rows);
            }
            InspectFormat::Sarif => self.sarif.add(&report.findings, &mut |piece| console.print_json(piece)),
        }
        Ok(())
    }

    /// Takes a file that is no session.
    ///
    /// # Errors
    /// When what is told of it cannot be held back.
    pub(super) fn refused(&mut self, refused: Refused, console: &mut Console<'_>) -> Result<(), CliError> {
        match self.format {
            InspectFormat::Human if !self.is_many => {
                let text = inspect::refused(&refused, self.parts, console.style());
                console.print(&text);
            }
            InspectFormat::Human if self.each => {
                let text = inspect::refused(&refused, self.parts, console.style());
                self.tell(&text, console)?;
            }
            InspectFormat::Human => {}
            InspectFormat::Json | InspectFormat::Jsonl => {
                self.separate(console);
                let item = Item::Refused((&refused).into());
                json::write(&item, &mut |piece| console.print_json(piece));
                self.end_document(console);
            }
            InspectFormat::Csv => {
                let rows = match self.table {
                    InspectTable::Sessions => csv::refused(&refused),
                    InspectTable::Findings => csv::findings(&refused.findings, ""),
                    InspectTable::Injections | InspectTable::Rules | InspectTable::Disabled => String::new(),
                };
                self.begin_table(console);
                console.print(&rows);
            }
            InspectFormat::Sarif => self.sarif.add(&refused.findings, &mut |piece| console.print_json(piece)),
        }
        self.survey.refuse(refused);
        Ok(())
    }

    /// Ends the report.
    ///
    /// # Errors
    /// When what was held back cannot be read again.
    pub(super) fn finish(mut self, disabled: Vec<DisabledRule>, console: &mut Console<'_>) -> Result<(), CliError> {
        self.survey.disabled = disabled;
        match self.format {
            InspectFormat::Human if self.is_many => {
                if self.parts.injections && !self.each {
                    self.flush_injections(console);
                    console.print(&report::injection_totals(&self.survey, console.style()));
                    return Ok(());
                }
                self.print_project(console);
                console.print(&report::render(&self.survey, &self.rows, self.unlisted, console.style()));
                self.print_details(console)
            }
            InspectFormat::Human => Ok(()),
            InspectFormat::Json if self.is_many => {
                if !self.has_begun {
                    console.print_json(Sessions::BEGINNING);
                }
                console.print_json(Sessions::MIDDLE);
                json::write(&Summary::from(&self.survey), &mut |piece| console.print_json(piece));
                console.print_json(Sessions::END);
                Ok(())
            }
            InspectFormat::Json | InspectFormat::Jsonl => Ok(()),
            InspectFormat::Csv => {
                self.begin_table(console);
                match self.table {
                    InspectTable::Rules => console.print(&csv::rules(&self.survey)),
                    InspectTable::Disabled => console.print(&csv::disabled(&self.survey)),
                    InspectTable::Injections | InspectTable::Sessions | InspectTable::Findings => {}
                }
                Ok(())
            }
            InspectFormat::Sarif => {
                let lifecycles: Vec<&str> = self.survey.generations.keys().copied().collect();
                self.sarif.finish(&lifecycles, &mut |piece| console.print_json(piece));
                Ok(())
            }
        }
    }

    /// Puts a session among those that the report lists, or those that the report of its project does.
    fn list(&mut self, session: &Session, report: &AuditReport, console: &mut Console<'_>) {
        if !self.is_many {
            return;
        }
        let cwd = session.cwd().cloned().unwrap_or_default();
        let is_other = |project: &Project| project.survey.projects.first().is_some_and(|known| known.cwd != cwd);
        if self.project.as_ref().is_some_and(is_other) {
            self.print_project(console);
        }
        let (rows, unlisted) = match &mut self.project {
            Some(project) => {
                project.survey.add(session, report);
                (&mut project.rows, &mut project.unlisted)
            }
            None => (&mut self.rows, &mut self.unlisted),
        };
        match rows.len() < LISTED {
            true => rows.push(report::SessionRow::of(report)),
            false => *unlisted += 1,
        }
    }

    fn print_project(&mut self, console: &mut Console<'_>) {
        if let Some(Project { survey, rows, unlisted }) = self.project.replace(Project::default())
            && survey.sessions > 0
        {
            console.print(&report::project(&survey, &rows, unlisted, console.style()));
        }
    }

    /// Prints what is told of a single file, or holds it back until the report of several stands.
    fn tell(&mut self, text: &str, console: &mut Console<'_>) -> Result<(), CliError> {
        if !self.is_many {
            console.print(text);
            return Ok(());
        }
        writeln!(self.details, "\n{}", text.trim_end_matches('\n')).map_err(|error| unheld(&error))
    }

    fn print_details(&mut self, console: &mut Console<'_>) -> Result<(), CliError> {
        let unheld = |error: std::io::Error| unheld(&error);
        self.details.seek(SeekFrom::Start(0)).map_err(unheld)?;
        let (mut bytes, mut buffer) = (Vec::new(), [0; 1 << 16]);
        loop {
            let read = self.details.read(&mut buffer).map_err(unheld)?;
            bytes.extend(buffer.iter().take(read));
            // Whole lines are whole characters.
            let end = if read == 0 { bytes.len() } else { memchr::memrchr(b'\n', &bytes).map_or(0, |at| at + 1) };
            let rest = bytes.split_off(end);
            console.print(&String::from_utf8_lossy(&bytes));
            bytes = rest;
            if read == 0 || console.is_closed() {
                return Ok(());
            }
        }
    }

    fn flush_injections(&mut self, console: &mut Console<'_>) {
        let rows = std::mem::take(&mut self.injections);
        console.print(&report::injections(&rows, console.style()));
    }

    fn separate(&mut self, console: &mut Console<'_>) {
        if self.format == InspectFormat::Json && self.is_many {
            console.print_json(if self.has_begun { "," } else { Sessions::BEGINNING });
        }
        self.has_begun = true;
    }

    fn end_document(&self, console: &mut Console<'_>) {
        if self.format == InspectFormat::Jsonl || !self.is_many {
            console.print("\n");
        }
    }

    fn begin_table(&mut self, console: &mut Console<'_>) {
        if !std::mem::replace(&mut self.has_begun, true) {
            console.print(match self.table {
                InspectTable::Injections => csv::INJECTIONS,
                InspectTable::Rules => csv::RULES,
                InspectTable::Sessions => csv::SESSIONS,
                InspectTable::Findings => csv::FINDINGS,
                InspectTable::Disabled => csv::DISABLED,
            });
        }
    }
}

fn unheld(error: &std::io::Error) -> CliError {
    CliError::failed(format!("what is told of each file cannot be held back: {error}"))
        .with_help("leave --each out, or inspect fewer files at once")
}
