//! [`Call`]: one tool call of the message that streams, and the checks on it (engine.md E5.1, E5.5).

use crate::engine::{Check, Context, Manager, Subject};
use crate::message::Source;
use crate::text::JsString;
use crate::text::json::Value;
use crate::tool::{CallReader, Digest, Inspection, ReadOptions};

/// What a batch of matches was found in.
#[derive(Clone, Debug)]
pub(crate) struct BatchContext {
    pub(crate) source: Source,
    pub(crate) tool: Option<JsString>,
    /// The call's id, when it has one.
    pub(crate) tool_call: Option<JsString>,
    /// The key of the call's stream.
    pub(crate) key: Option<JsString>,
    pub(crate) paths: Vec<JsString>,
    /// The content index of the call, for a structural check at its end.
    pub(crate) ended_call: Option<usize>,
}

impl BatchContext {
    /// Prose, or a call of which nothing is known.
    pub(crate) fn prose(source: Source) -> Self {
        Self { source, tool: None, tool_call: None, key: None, paths: Vec::new(), ended_call: None }
    }
}

/// A tool call of the message that streams.
#[derive(Debug)]
pub(crate) struct Call {
    /// The content index.
    index: usize,
    /// Empty when the provider gave none.
    id: JsString,
    /// The tool's name as called.
    name: JsString,
    pub(crate) reader: CallReader,
    /// Reads the arguments that the agent had parsed at this delta, where the stream shows them (session.md S8.6).
    so_far: Option<CallReader>,
    contexts: Contexts,
}

/// The contexts of a call and of the files that it shows, made anew when they change.
#[derive(Debug, Default)]
struct Contexts {
    call: Option<Context>,
    /// By place of the entry, with its path as written.
    entries: Vec<(JsString, Context)>,
    /// How many entries the call showed when its text was checked last.
    shown: usize,
}

impl Contexts {
    /// The context of the entry at that place.
    fn entry(&mut self, call: &Context, at: usize, path: &JsString, cwd: &JsString) -> &Context {
        match self.entries.get(at) {
            Some((known, _)) if known == path => {}
            Some(_) => self.entries[at] = (path.clone(), call.entry(path, cwd)),
            None => self.entries.push((path.clone(), call.entry(path, cwd))),
        }
        &self.entries[at.min(self.entries.len() - 1)].1
    }
}

impl Call {
    /// A call without arguments yet.
    pub(crate) fn new(index: usize, id: JsString, name: JsString, reading: &ReadOptions) -> Self {
        let reader = CallReader::new(&name, reading);
        Self { index, id, name, reader, so_far: None, contexts: Contexts::default() }
    }

    /// The stream shows what the agent has parsed of the arguments: that counts until they are complete.
    pub(crate) fn show(&mut self, arguments: &Value, reading: &ReadOptions) {
        let mut reader = CallReader::new(&self.name, reading);
        reader.finish(Some(arguments));
        self.so_far = Some(reader);
    }

    /// The call is complete; now its id is known.
    pub(crate) fn finish(&mut self, id: &JsString, arguments: Option<&Value>) {
        if self.id != *id {
            self.id.clone_from(id);
            self.contexts = Contexts::default();
        }
        self.so_far = None;
        self.reader.finish(arguments);
    }

    /// Matches what the call shows now: its entries, else its digest, else at its end the arguments, else the raw
    /// delta (engine.md E5.5).
    pub(crate) fn check_text(
        &mut self,
        manager: &mut Manager,
        reading: &ReadOptions,
        delta: &[u16],
        at_end: bool,
    ) -> Check {
        let digests = manager.semantics().digests;
        let finished = (at_end && manager.is_explained()).then(|| self.reader.arguments());
        let step = self.so_far.as_mut().unwrap_or(&mut self.reader).step();
        let paths = step.paths.unwrap_or_default();
        let context = match self.contexts.call.take().filter(|context| context.paths == paths) {
            Some(context) => context,
            None => Context::call(&self.id, &self.name, self.index, paths.to_vec()),
        };
        let inspection = if digests { step.inspection } else { Inspection::default() };
        let mut check = Check::default();
        self.contexts.shown = inspection.entries.as_ref().map_or(0, Vec::len);
        if let Some(entries) = &inspection.entries {
            manager.tell_files(&context);
            for (at, entry) in entries.iter().enumerate() {
                let context = self.contexts.entry(&context, at, entry.path, &reading.cwd);
                manager.tell_subject(context, Subject::Added, finished.as_ref());
                check.merge(manager.check_snapshot(context, entry.digest.text, entry.digest.unchanged));
            }
        } else if let Some(digest) = inspection.digest {
            manager.tell_subject(&context, Subject::Content, finished.as_ref());
            check = manager.check_snapshot(&context, digest.text, digest.unchanged);
        } else if at_end {
            manager.tell_subject(&context, Subject::Arguments, finished.as_ref());
            check = match self.reader.arguments() {
                Value::Null => manager.check_delta(&context, delta),
                Value::String(text) => manager.check_snapshot(&context, text.units(), 0),
                arguments => manager.check_snapshot(&context, JsString::from(arguments.stringify()).units(), 0),
            };
        } else if let Some(digest) = digest_without_entries(&mut self.reader, manager) {
            manager.tell_subject(&context, Subject::Added, None);
            check = manager.check_snapshot(&context, digest.text, digest.unchanged);
        } else {
            manager.tell_subject(&context, Subject::Arguments, None);
            check = manager.check_delta(&context, delta);
        }
        self.contexts.call = Some(context);
        check
    }

    /// What a batch of matches belongs to that [`Call::check_text`] found last, or [`Call::check_ast`] behind it.
    pub(crate) fn batch(&self) -> BatchContext {
        let call = self.contexts.call.as_ref();
        let mut paths = call.map(|context| context.paths.clone()).unwrap_or_default();
        for (_, context) in self.contexts.entries.iter().take(self.contexts.shown) {
            for path in &context.paths {
                if !paths.contains(path) {
                    paths.push(path.clone());
                }
            }
        }
        BatchContext {
            source: Source::Tool,
            tool: call.and_then(|context| context.tool.clone()),
            tool_call: (!self.id.is_empty()).then(|| self.id.clone()),
            key: call.and_then(|context| context.stream_key.clone()),
            paths,
            ended_call: None,
        }
    }

    /// Runs structural patterns on the entries or the digest that [`Call::check_text`] saw; a call without either has no
    /// AST run (engine.md E5.9).
    pub(crate) fn check_ast(&mut self, manager: &mut Manager, reading: &ReadOptions) -> Check {
        let Some(context) = self.contexts.call.take() else { return Check::default() };
        let inspection = self.so_far.as_ref().unwrap_or(&self.reader).present().inspection;
        let mut check = Check::default();
        if let Some(entries) = &inspection.entries {
            for (at, entry) in entries.iter().enumerate() {
                let context = self.contexts.entry(&context, at, entry.path, &reading.cwd);
                check.merge(manager.check_ast(context, entry.digest.text));
            }
        } else if let Some(digest) = inspection.digest {
            check = manager.check_ast(&context, digest.text);
        } else if let Some(digest) = digest_without_entries(&mut self.reader, manager) {
            check = manager.check_ast(&context, digest.text);
        }
        self.contexts.call = Some(context);
        check
    }
}

/// What a call that adds no line yet shows in the generation that takes it for an empty text and not for raw text:
/// nothing or, for a patch that only adds files, all its added lines (engine.md E11 G11, G12).
fn digest_without_entries<'a>(reader: &'a mut CallReader, manager: &Manager) -> Option<Digest<'a>> {
    let semantics = manager.semantics();
    let shows = semantics.digests && !semantics.raw_without_entries;
    shows.then(|| reader.digest_without_entries()).flatten()
}
