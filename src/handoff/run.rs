//! [`run`]: one handoff from the guards to the rebuilt context (handoff.md H6, H7).

use crate::agent::Script;
use crate::clock::Clock;
use crate::diagnostic::{Diagnostic, code};
use crate::generation::Pipeline;
use crate::host::trace::{At, Summary, TraceEvent, TraceKind};
use crate::message::{ContentBlock, Message};
use crate::session::{EntryKind, Role, Session, SessionError};
use crate::text::JsString;

use super::capture::captured_text;
use super::judge::{Stop, failed_text};
use super::process::Switch;
use super::replies::{last_answer, unanswered};
use super::reply::{ScriptedModel, ask_in_session, generated};
use super::report::{DocumentOrigin, NewSession, Report, SourceInfo};
use super::unfinished::{left_behind, unfinished};
use super::{
    CLOSING_TAG, Event, Generated, GenerationError, Machine, Process, Refusal, ReplyEnd, State, Status, Step, Verdict,
    Written, check, generate, headings_missing, judge, kept_tail, request_text,
};

/// Sections that tell a handoff request from any other prompt (seed 004).
const SECTIONS: [&str; 6] =
    ["Goal", "Constraints & Preferences", "Progress", "Key Decisions", "Critical Context", "Next Steps"];

/// How to hand off.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The generation to follow.
    pub pipeline: Pipeline,
    /// Whether what the generation does with a reply that is not the model's own complete text is done too.
    pub faithful: bool,
    /// What the document should focus on.
    pub focus: Option<JsString>,
    /// Whether the new header names the old file; the generation decides when there is nothing said.
    pub lineage: Option<bool>,
    /// Absolute path of the old session, when it is a file.
    pub source_path: Option<JsString>,
}

/// Where the document comes from.
#[derive(Clone, Debug)]
pub enum Answer {
    /// The scripted agent answers the request; the script may be that of the whole session.
    Script(Script),
    /// The same, with exactly these replies from the first on.
    Next(Script),
    /// The text is given.
    Document(JsString),
    /// The branch ends with a handoff exchange already.
    Recorded,
}

/// What the host of a handoff wants to be asked and told.
pub trait Watch {
    /// Whether the user cancels. Asked before, during and after the generation, up to the switch.
    fn cancelled(&mut self) -> bool {
        false
    }

    /// Before a step of the switch.
    ///
    /// # Errors
    /// When the step cannot be done: a word for programs and a text. The handoff then fails.
    fn before(&mut self, step: Step, process: &Process) -> Result<(), (&'static str, String)> {
        let _ = (step, process);
        Ok(())
    }

    /// Whether everything that happens is to be told (`--trace full`).
    fn traces_all(&self) -> bool {
        false
    }

    /// Takes a line of the trace.
    fn trace(&mut self, event: TraceEvent) {
        let _ = event;
    }

    /// After a step of the switch.
    fn after(&mut self, step: Step, process: &Process) {
        let _ = (step, process);
    }
}

/// Nobody cancels and nothing is in the way.
impl Watch for () {}

/// The handoff exchange at the end of a branch.
struct Exchange {
    /// Position of the request on the branch.
    request: usize,
    /// What came of it.
    generated: Generated,
}

/// Hands off. The report says what came of it; the process then holds the sessions as the pipeline leaves them. Only
/// when the status is [`Status::Done`] are they to be written.
///
/// # Errors
/// When the old session cannot be read again. The controller is gone in every case.
pub fn run(
    process: &mut Process,
    options: &Options,
    answer: Answer,
    clock: &mut Clock,
    watch: &mut dyn Watch,
) -> Result<Report, SessionError> {
    let mut runner = Runner { process, options, clock, watch, warnings: Vec::new(), summary: Summary::default() };
    for kind in std::mem::take(&mut runner.process.head) {
        runner.summary.count(&kind);
        runner.tell(kind);
    }
    let result = runner.run(answer);
    let summary = std::mem::take(&mut runner.summary);
    runner.tell(TraceKind::Summary(summary));
    process.machine = None;
    result
}

struct Runner<'a> {
    process: &'a mut Process,
    options: &'a Options,
    clock: &'a mut Clock,
    watch: &'a mut dyn Watch,
    warnings: Vec<Diagnostic>,
    /// The totals of the run.
    summary: Summary,
}

impl Runner<'_> {
    fn run(&mut self, answer: Answer) -> Result<Report, SessionError> {
        let pipeline = self.options.pipeline;
        // Where the request is out already, the machine stands there and takes no step twice.
        self.process.machine.get_or_insert_with(|| Machine::new(pipeline, false));
        let exchange = match (&answer, self.process.source()) {
            (Answer::Recorded, Some(session)) => exchange(session, &self.process.branch)?,
            _ => None,
        };
        // What follows asks as if the exchange had not been: it is the generation itself.
        let before = exchange.as_ref().map_or(self.process.branch.len(), |exchange| exchange.request);
        let count = match self.process.source() {
            Some(session) => check(session, &self.process.branch[..before], pipeline)?,
            None => Err(Refusal::TooFewInFile),
        };
        let messages = match count {
            Ok(count) => count.branch,
            Err(refusal) => return Ok(self.refused(refusal, &answer, before)),
        };
        self.apply(Event::Begin);
        self.apply(Event::Passed);
        if let Some(session) = self.process.source() {
            self.warnings = unfinished(session, &self.process.branch[..before])?;
            self.warnings.extend(unfinished(session, &self.process.branch[before..])?);
        }
        let origin = match answer {
            Answer::Script(_) | Answer::Next(_) => DocumentOrigin::Script,
            Answer::Document(_) => DocumentOrigin::Given,
            Answer::Recorded => DocumentOrigin::Session,
        };
        let generated = if self.watch.cancelled() {
            Generated { document: None, end: ReplyEnd::Cancelled, older: None }
        } else {
            match (answer, exchange) {
                (Answer::Script(script), _) => {
                    let answered = self.answers_on_branch(script.replies.len())?;
                    let script = unanswered(script, answered);
                    self.generate(if pipeline.prompts_in_session() { script } else { last_answer(script) })
                }
                (Answer::Next(script), _) => self.generate(script),
                (Answer::Document(document), _) => self.given(document),
                (Answer::Recorded, Some(exchange)) => exchange.generated,
                (Answer::Recorded, None) => return Ok(self.no_document(messages)),
            }
        };
        self.finish(generated, origin, messages)
    }

    fn apply(&mut self, event: Event) -> State {
        let Some(machine) = &mut self.process.machine else { return State::Idle };
        let from = machine.state();
        // A wrong transition leaves the state, and the report tells what it is.
        let to = machine.apply(event).unwrap_or(from);
        if to != from && self.watch.traces_all() {
            self.tell(TraceKind::State { from: from.as_str().to_owned(), to: to.as_str().to_owned() });
        }
        to
    }

    fn tell(&mut self, kind: TraceKind) {
        let input = self.process.source().map(|session| session.file().to_owned()).unwrap_or_default();
        self.watch.trace(TraceEvent { at: At { input, ..At::default() }, kind });
    }

    fn generate(&mut self, script: Script) -> Generated {
        let pipeline = self.options.pipeline;
        let request = request_text(pipeline, self.options.focus.as_ref());
        if pipeline.prompts_in_session() {
            let prompt = Process::prompt(pipeline, &request, self.clock);
            let summary = &mut self.summary;
            return ask_in_session(self.process, prompt, script, self.clock, self.watch, summary);
        }
        let mut model = ScriptedModel::new(script, self.clock, self.watch);
        let answer = generate(&mut model, &request, false);
        let (failure, reply) = (model.failure.take(), model.reply.take());
        self.process.replies_taken = model.taken();
        match answer {
            Ok(Some((_, reply))) => generated(Some(&reply), None, &[]),
            Ok(None) | Err(GenerationError::NoContent) => {
                // An abort that came before any text is an abort, not a reply that says nothing.
                let is_aborted = reply.is_some_and(|reply| reply.ending().is_aborted());
                let end = if is_aborted { ReplyEnd::Aborted } else { ReplyEnd::Complete };
                Generated { document: None, end, older: None }
            }
            Err(GenerationError::Cancelled { reason: Some(reason) }) => {
                let document = reply.as_ref().and_then(captured_text);
                Generated { document, end: ReplyEnd::Stopped { reason }, older: None }
            }
            Err(GenerationError::Cancelled { reason: None }) => {
                Generated { document: None, end: ReplyEnd::Cancelled, older: None }
            }
            Err(error) => {
                let name = failure.and_then(|failure| failure.name);
                Generated { document: None, end: ReplyEnd::Failed { name, message: error.message() }, older: None }
            }
        }
    }

    /// The assistant messages of the branch; none when a script has one reply, which is the answer in any case.
    fn answers_on_branch(&self, replies: usize) -> Result<Vec<Message>, SessionError> {
        let mut answers = Vec::new();
        let Some(session) = self.process.source().filter(|_| replies > 1) else { return Ok(answers) };
        for at in &self.process.branch {
            if session.entry(*at).is_some_and(|entry| entry.role() == Role::Assistant) {
                answers.extend(session.message(*at)?);
            }
        }
        Ok(answers)
    }

    /// A given text stands for a complete reply. Where the generation keeps the exchange, so do we.
    fn given(&mut self, document: JsString) -> Generated {
        let pipeline = self.options.pipeline;
        if pipeline.prompts_in_session() {
            let request = request_text(pipeline, self.options.focus.as_ref());
            let prompt = Process::prompt(pipeline, &request, self.clock);
            let last = self.process.memory.iter().rev().find(|message| message.is_assistant());
            let model = last.map_or_else(crate::message::Model::scripted, crate::message::Model::of);
            let content = vec![crate::message::text_block(document.clone())];
            let reply = Message::assistant(&model, content, "stop", self.clock.now_ms().into());
            for message in [prompt, reply] {
                self.process.old.append_message(message.raw.clone(), self.clock);
                self.process.memory.push(message);
            }
        }
        Generated { document: Some(document), end: ReplyEnd::Complete, older: None }
    }

    fn finish(
        &mut self,
        mut generated: Generated,
        origin: DocumentOrigin,
        messages: usize,
    ) -> Result<Report, SessionError> {
        if self.watch.cancelled() {
            generated.end = ReplyEnd::Cancelled;
        }
        let judgement = judge(self.options.pipeline, self.options.faithful, &generated);
        let mut report = self.report(messages, origin);
        report.reference = judgement.reference;
        match judgement.verdict {
            Verdict::Stop(stop) => {
                self.apply(stop.event());
                report.document = generated.document;
                report.stop(stop);
            }
            Verdict::Write(document, written) => {
                self.note_document(&document, written, &mut report);
                report.document = Some(document.clone());
                match self.switch(&document)? {
                    Ok(()) => {
                        report.status = Status::Done;
                        report.message = self.options.pipeline.success().into();
                        self.name_session(&mut report);
                    }
                    Err((reason, text)) => {
                        report.stop(Stop { status: Status::Failed, reason, message: failed_text(&text.into()) })
                    }
                }
            }
        }
        report.warnings = std::mem::take(&mut self.warnings);
        Ok(report)
    }

    /// Goes through the steps of the switch; a step that cannot be done ends it.
    fn switch(&mut self, document: &JsString) -> Result<Result<(), (&'static str, String)>, SessionError> {
        let pipeline = self.options.pipeline;
        let parent = self.options.lineage.unwrap_or(pipeline.writes_parent()) && pipeline.opens_session();
        let parent = if parent { self.options.source_path.clone() } else { None };
        let tail = match self.process.source() {
            Some(session) if !pipeline.opens_session() => kept_tail(session, &self.process.branch)?,
            _ => None,
        };
        let switch = Switch { pipeline, document, parent: parent.as_ref(), tail };
        let mut state = self.apply(Event::Text);
        while let State::At(step) = state {
            if let Err(failure) = self.watch.before(step, self.process) {
                self.apply(Event::Error);
                return Ok(Err(failure));
            }
            if let Err(error) = self.process.perform(step, &switch, self.clock) {
                self.apply(Event::Error);
                return Err(error);
            }
            self.watch.after(step, self.process);
            state = self.apply(Event::StepDone);
        }
        Ok(Ok(()))
    }

    fn note_document(&mut self, document: &JsString, written: Written, report: &mut Report) {
        let pipeline = self.options.pipeline;
        let mut warn = |code, message: String| self.warnings.push(Diagnostic::new(code, message));
        let what = match written {
            Written::Own => None,
            Written::Blank => Some(("blank-document", "blanks only")),
            Written::Aborted => Some(("aborted-reply", "what had streamed of an aborted reply")),
            Written::Failed => Some(("provider-error", "what had streamed of a failed reply")),
            Written::Older => Some(("older-answer", "the text of an older answer, since the reply has none")),
        };
        if let Some((reason, what)) = what {
            report.reason = Some(reason);
            warn(code::NOT_THE_OWN_REPLY, format!("the document is {what}, as {} does", pipeline.as_str()));
        }
        report.headings_missing = headings_missing(document, pipeline);
        if !report.headings_missing.is_empty() {
            let missing = report.headings_missing.join(", ");
            warn(code::HEADINGS_MISSING, format!("the document lacks headings: {missing}"));
        }
        if document.contains(CLOSING_TAG) && pipeline.opens_session() {
            warn(code::CLOSING_TAG_IN_DOCUMENT, format!("the document holds `{CLOSING_TAG}` itself"));
        }
        let unreadable = if pipeline.opens_session() { left_behind(document) } else { Vec::new() };
        if !unreadable.is_empty() {
            let message = format!("the new session cannot read what the document names: {}", unreadable.join(", "));
            let why = match pipeline {
                Pipeline::G4 => "the agent copies such files of the old session; here the session alone is written",
                _ => "they belong to the old session: put what matters of them into the document",
            };
            self.warnings.push(Diagnostic::new(code::LEFT_BEHIND, message).with_help(why));
        }
        let mut warn = |code, message: String| self.warnings.push(Diagnostic::new(code, message));
        if pipeline.defers_file() {
            let message = format!("{} would write the new file with the first answer in it only", pipeline.as_str());
            warn(code::FILE_DEFERRED, message);
        }
        if !pipeline.opens_session() {
            let message = "recent messages are kept by message, not by tokens, and token counts are estimates";
            warn(code::KEPT_TAIL_BY_MESSAGE, message.to_owned());
        }
        let wants_parent = self.options.lineage.unwrap_or(pipeline.writes_parent()) && pipeline.opens_session();
        if wants_parent && self.options.source_path.is_none() {
            warn(code::LINEAGE_UNKNOWN, "the old session has no file that could be named".to_owned());
        }
    }

    fn name_session(&self, report: &mut Report) {
        report.session = Some(NewSession::of(self.process.new.as_ref().unwrap_or(&self.process.old)));
        report.entry.clone_from(&self.process.entry);
        if self.options.pipeline.opens_session() {
            report.rules_rearmed.clone_from(&self.process.injected);
        }
    }

    fn report(&self, messages: usize, origin: DocumentOrigin) -> Report {
        let nothing = || SourceInfo { file: String::new(), id: None, leaf: None, messages };
        Report {
            status: Status::Refused,
            reason: None,
            message: JsString::new(),
            pipeline: self.options.pipeline,
            reference: JsString::new(),
            source: self.process.source().map_or_else(nothing, |session| SourceInfo::of(session, messages)),
            session: None,
            document: None,
            origin,
            entry: None,
            headings_missing: Vec::new(),
            rules_rearmed: Vec::new(),
            warnings: Vec::new(),
        }
    }

    fn refused(&mut self, refusal: Refusal, answer: &Answer, before: usize) -> Report {
        if refusal == Refusal::TooFewInFile {
            self.apply(Event::TooFewInFile);
        } else {
            self.apply(Event::Begin);
            self.apply(Event::Refused);
        }
        let origin = match answer {
            Answer::Script(_) | Answer::Next(_) => DocumentOrigin::Script,
            Answer::Document(_) => DocumentOrigin::Given,
            Answer::Recorded => DocumentOrigin::Session,
        };
        let messages =
            self.process.source().map_or(0, |session| super::Count::of(session, &self.process.branch[..before]).branch);
        let mut report = self.report(messages, origin);
        report.reference = refusal.reference().into();
        let reason =
            if refusal == Refusal::AlreadyCompacted { "already-compacted" } else { code::TOO_FEW_MESSAGES.name() };
        report.stop(Stop { status: Status::Refused, reason, message: refusal.message().into() });
        report
    }

    /// Neither a script nor a text is given, and the branch ends with no handoff exchange.
    fn no_document(&mut self, messages: usize) -> Report {
        self.apply(Event::Error);
        let mut report = self.report(messages, DocumentOrigin::Session);
        report.stop(Stop {
            status: Status::Refused,
            reason: "no-document",
            message: "The session does not end with a handoff request and its answer".into(),
        });
        report.warnings = std::mem::take(&mut self.warnings);
        report
    }
}

impl Report {
    /// What was done is not: the sessions could not be written, or it was cancelled before they were.
    pub fn undo(&mut self, reason: &'static str, message: &str) {
        let status = if reason == "user" { Status::Cancelled } else { Status::Failed };
        self.stop(Stop { status, reason, message: message.into() });
        (self.session, self.entry) = (None, None);
        self.rules_rearmed.clear();
    }

    fn stop(&mut self, stop: Stop) {
        (self.status, self.reason, self.message) = (stop.status, Some(stop.reason), stop.message);
    }
}

/// The exchange at the end of the branch: the last answer, and before it the nearest prompt when that one asks for a
/// handoff. A prompt in the developer role is one (G2, G3), and so is a user's that names all sections (G1).
fn exchange(session: &Session, branch: &[usize]) -> Result<Option<Exchange>, SessionError> {
    let kind = |at: usize| session.entry(at).and_then(|entry| entry.kind());
    let role = |at: usize| session.entry(at).map_or(Role::None, |entry| entry.role());
    let is_end =
        |at: &usize| matches!(kind(*at), Some(EntryKind::Message | EntryKind::Compaction | EntryKind::ResetBoundary));
    let Some(last) = branch.iter().rposition(is_end) else { return Ok(None) };
    if role(branch[last]) != Role::Assistant {
        return Ok(None);
    }
    let is_prompt = |at: &usize| {
        matches!(kind(*at), Some(EntryKind::Compaction | EntryKind::ResetBoundary))
            || (kind(*at) == Some(EntryKind::Message) && !matches!(role(*at), Role::Assistant | Role::ToolResult))
    };
    let Some(request) = branch[..last].iter().rposition(is_prompt) else { return Ok(None) };
    let Some(prompt) = session.message(branch[request])? else { return Ok(None) };
    let is_request = match prompt.role().to_utf8().as_deref() {
        Some("developer") => true,
        Some("user") => {
            let asks = |block: &ContentBlock| match block {
                ContentBlock::Text(text) => SECTIONS.iter().all(|section| text.contains(section)),
                _ => false,
            };
            prompt.blocks().iter().any(asks)
        }
        _ => false,
    };
    let (true, Some(answer)) = (is_request, session.message(branch[last])?) else { return Ok(None) };
    let mut before = Vec::new();
    for at in &branch[..last] {
        if role(*at) == Role::Assistant {
            before.extend(session.message(*at)?);
        }
    }
    Ok(Some(Exchange { request, generated: generated(Some(&answer), None, &before) }))
}
