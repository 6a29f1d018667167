//! [`Call`]: one tool call of the message that streams, and the checks on it (engine.md E5.1, E5.5).

use crate::engine::{Check, Context, Manager};
use crate::message::Source;
use crate::text::JsString;
use crate::text::json::Value;
use crate::tool::{CallReader, Inspection, ReadOptions, paths};

use super::coordinator::BatchContext;

/// A tool call of the message that streams.
#[derive(Debug)]
pub(super) struct Call {
    /// Empty when the provider gave none.
    pub(super) id: JsString,
    /// The tool's name as called.
    pub(super) name: JsString,
    pub(super) reader: CallReader,
    /// The last text of [`Call::digest_without_entries`].
    shown: Vec<u16>,
}

impl Call {
    /// A call without arguments yet.
    pub(super) fn new(id: JsString, name: JsString, reading: &ReadOptions) -> Self {
        let reader = CallReader::new(&name, reading);
        Self { id, name, reader, shown: Vec::new() }
    }

    /// Matches what the call shows now: its entries, else its digest, else at its end the arguments, else the raw
    /// delta (engine.md E5.5). Also says what the batch belongs to.
    pub(super) fn check_text(
        &mut self,
        index: usize,
        manager: &mut Manager,
        reading: &ReadOptions,
        delta: &[u16],
        at_end: bool,
    ) -> (Check, BatchContext) {
        let digests = manager.semantics().digests;
        let key = self.key(index);
        let step = self.reader.step();
        let context = context(&self.name, key, step.paths);
        let mut batch = BatchContext {
            source: Source::Tool,
            tool: context.tool.clone(),
            tool_call: (!self.id.is_empty()).then(|| self.id.clone()),
            paths: context.paths.clone(),
        };
        let inspection = if digests { step.inspection } else { Inspection::default() };
        let mut check = Check::default();
        if let Some(entries) = &inspection.entries {
            for entry in entries {
                let context = entry_context(&context, entry.path, reading);
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
    pub(super) fn check_ast(&mut self, index: usize, manager: &mut Manager, reading: &ReadOptions) -> Check {
        let key = self.key(index);
        let step = self.reader.step();
        let (context, inspection) = (context(&self.name, key, step.paths), step.inspection);
        let mut check = Check::default();
        if let Some(entries) = &inspection.entries {
            for entry in entries {
                check.merge(manager.check_ast(&entry_context(&context, entry.path, reading), entry.digest.text));
            }
        } else if let Some(digest) = inspection.digest {
            check = manager.check_ast(&context, digest.text);
        } else if let Some(digest) = self.digest_without_entries(manager) {
            check = manager.check_ast(&context, digest.units());
        }
        check
    }

    /// The key of the call's buffer (engine.md E5.2).
    fn key(&self, index: usize) -> JsString {
        let mut key = JsString::from(if self.id.is_empty() { "tool:" } else { "toolcall:" });
        if self.id.is_empty() {
            key.push_units(self.name.units());
            key.push_str(&format!(":{index}"));
        } else {
            key.push_units(self.id.units());
        }
        key
    }
}

fn context(tool: &JsString, key: JsString, paths: Option<&[JsString]>) -> Context {
    let paths = paths.map(<[JsString]>::to_vec).unwrap_or_default();
    Context { source: Source::Tool, tool: Some(tool.clone()), paths, stream_key: Some(key) }
}

/// The context of one file of a call: its own paths, its own buffer.
fn entry_context(call: &Context, path: &JsString, reading: &ReadOptions) -> Context {
    let mut key = call.stream_key.clone().unwrap_or_default();
    key.push_str("#");
    key.push_units(path.units());
    let paths = paths::candidates(path, &reading.cwd);
    Context { source: call.source, tool: call.tool.clone(), paths, stream_key: Some(key) }
}
