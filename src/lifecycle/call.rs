//! [`Call`]: one tool call of the message that streams, and the checks on it (engine.md E5.1, E5.5).

use crate::engine::{Check, Context, Manager};
use crate::message::Source;
use crate::text::JsString;
use crate::text::json::Value;
use crate::tool::{CallReader, Inspection, ReadOptions};

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
    /// Empty when the provider gave none.
    pub(crate) id: JsString,
    /// The tool's name as called.
    pub(crate) name: JsString,
    pub(crate) reader: CallReader,
    /// Reads the arguments that the agent had parsed at this delta, where the stream shows them (session.md S8.6).
    so_far: Option<CallReader>,
    /// The last text of [`Call::digest_without_entries`].
    shown: Vec<u16>,
}

impl Call {
    /// A call without arguments yet.
    pub(crate) fn new(id: JsString, name: JsString, reading: &ReadOptions) -> Self {
        let reader = CallReader::new(&name, reading);
        Self { id, name, reader, so_far: None, shown: Vec::new() }
    }

    /// The stream shows what the agent has parsed of the arguments: that counts until they are complete.
    pub(crate) fn show(&mut self, arguments: &Value, reading: &ReadOptions) {
        let mut reader = CallReader::new(&self.name, reading);
        reader.finish(Some(arguments));
        self.so_far = Some(reader);
    }

    /// The call is complete.
    pub(crate) fn finish(&mut self, arguments: Option<&Value>) {
        self.so_far = None;
        self.reader.finish(arguments);
    }

    /// Matches what the call shows now: its entries, else its digest, else at its end the arguments, else the raw
    /// delta (engine.md E5.5). Also says what the batch belongs to.
    pub(crate) fn check_text(
        &mut self,
        index: usize,
        manager: &mut Manager,
        reading: &ReadOptions,
        delta: &[u16],
        at_end: bool,
    ) -> (Check, BatchContext) {
        let digests = manager.semantics().digests;
        let step = self.so_far.as_mut().unwrap_or(&mut self.reader).step();
        let context =
            Context::call(&self.id, &self.name, index, step.paths.map(<[JsString]>::to_vec).unwrap_or_default());
        let mut batch = BatchContext {
            source: Source::Tool,
            tool: context.tool.clone(),
            tool_call: (!self.id.is_empty()).then(|| self.id.clone()),
            key: context.stream_key.clone(),
            paths: context.paths.clone(),
            ended_call: None,
        };
        let inspection = if digests { step.inspection } else { Inspection::default() };
        let mut check = Check::default();
        if let Some(entries) = &inspection.entries {
            for entry in entries {
                let context = context.entry(entry.path, &reading.cwd);
                check.merge(manager.check_snapshot(&context, entry.digest.text, entry.digest.unchanged));
                for path in context.paths {
                    if !batch.paths.contains(&path) {
                        batch.paths.push(path);
                    }
                }
            }
        } else if let Some(digest) = inspection.digest {
            check = manager.check_snapshot(&context, digest.text, digest.unchanged);
        } else if at_end {
            check = match self.reader.arguments() {
                Value::Null => manager.check_delta(&context, delta),
                Value::String(text) => manager.check_snapshot(&context, text.units(), 0),
                arguments => manager.check_snapshot(&context, JsString::from(arguments.stringify()).units(), 0),
            };
        } else if let Some(digest) = self.digest_without_entries(manager) {
            let unchanged = self.shown.iter().zip(digest.units()).take_while(|(one, other)| one == other).count();
            check = manager.check_snapshot(&context, digest.units(), unchanged);
            self.shown = digest.into_units();
        } else {
            check = manager.check_delta(&context, delta);
        }
        (check, batch)
    }

    /// What a call that adds no line yet shows in the generation that takes it for an empty text and not for raw
    /// text: nothing or, for a patch that only adds files, all its added lines (engine.md E11 G11, G12).
    fn digest_without_entries(&self, manager: &Manager) -> Option<JsString> {
        let semantics = manager.semantics();
        let shows = semantics.digests && !semantics.raw_without_entries;
        shows.then(|| self.reader.digest_without_entries()).flatten()
    }

    /// Runs structural patterns on the entries or the digest; a call without either has no AST run (engine.md E5.9).
    pub(crate) fn check_ast(&mut self, index: usize, manager: &mut Manager, reading: &ReadOptions) -> Check {
        let step = self.so_far.as_mut().unwrap_or(&mut self.reader).step();
        let paths = step.paths.map(<[JsString]>::to_vec).unwrap_or_default();
        let (context, inspection) = (Context::call(&self.id, &self.name, index, paths), step.inspection);
        let mut check = Check::default();
        if let Some(entries) = &inspection.entries {
            for entry in entries {
                check.merge(manager.check_ast(&context.entry(entry.path, &reading.cwd), entry.digest.text));
            }
        } else if let Some(digest) = inspection.digest {
            check = manager.check_ast(&context, digest.text);
        } else if let Some(digest) = self.digest_without_entries(manager) {
            check = manager.check_ast(&context, digest.units());
        }
        check
    }
}
