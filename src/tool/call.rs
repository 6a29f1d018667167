//! [`CallReader`]: the arguments of one tool call, while they stream and when they are complete.

use super::digest::{Digests, Format};
use super::edit_mode::{self, EditMode, ModeGuess};
use super::formats::without_entries::WithoutEntries;
use super::inspection::{Digest, Entry, Inspection, Note, Step, ToolKind};
use super::partial::{Node, PartialJson};
use super::path_list::PathList;
use super::paths;
use crate::runtime::{REPARSE_SHARE, REPARSE_UNITS};
use crate::text::JsString;
use crate::text::json::Value;

/// How often the arguments are read anew while they stream (engine.md E6.6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ArgumentMode {
    /// At each delta.
    #[default]
    Eager,
    /// As live providers do: at the first delta, then only after growth by the larger of 256 units and 1/32 of the
    /// text. In between an inspection shows the stale object.
    Throttled,
}

/// How calls are read; the same for all calls of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// Eager or throttled.
    pub arguments: ArgumentMode,
    /// The mode of the edit tool, where it is known; else it is inferred from the arguments (engine.md E6.2).
    pub edit_mode: Option<EditMode>,
    /// The absolute working directory for path candidates.
    pub cwd: JsString,
}

/// Reads the arguments of one tool call.
#[derive(Debug)]
pub struct CallReader {
    kind: ToolKind,
    options: ReadOptions,
    mode: ModeGuess,
    raw: JsString,
    /// Units of `raw` that were handed to `reader`.
    read: usize,
    reader: PartialJson,
    /// The final arguments, where the end of the call carries them.
    last: Option<Value>,
    /// What each file receives, where that is handed over in place of arguments.
    given: Option<Vec<(JsString, JsString)>>,
    finished: bool,
    digests: Digests,
    /// The reader's restarts when `digests` was last brought up to date.
    restarts: u64,
    /// Where the input of an edit was found when `digests` was last brought up to date.
    input_key: Option<&'static str>,
    paths: PathList,
    notes: Vec<Note>,
    /// What an edit without entries shows, and under which name and at which restart of the reader it was read.
    without_entries: WithoutEntries,
    without_entries_of: (Option<&'static str>, u64, bool),
}

impl CallReader {
    /// A call to the tool of this name (the name in the call), with no arguments yet.
    pub fn new(name: &JsString, options: &ReadOptions) -> Self {
        let wire_name_mode = (*name == "apply_patch").then_some(EditMode::ApplyPatch);
        Self {
            kind: ToolKind::of(name),
            mode: ModeGuess::new(options.edit_mode.or(wire_name_mode)),
            options: options.clone(),
            raw: JsString::new(),
            read: 0,
            reader: PartialJson::new(),
            last: None,
            given: None,
            finished: false,
            digests: Digests::None,
            restarts: 0,
            input_key: None,
            paths: PathList::default(),
            notes: Vec::new(),
            without_entries: WithoutEntries::default(),
            without_entries_of: (None, 0, false),
        }
    }

    /// Which tool it is.
    #[cfg(feature = "internals")]
    pub fn kind(&self) -> ToolKind {
        self.kind
    }

    /// Adds raw argument text.
    pub fn push(&mut self, units: &[u16]) {
        let first = self.raw.is_empty();
        self.raw.push_units(units);
        let unread = self.raw.len() - self.read;
        let due = match self.options.arguments {
            ArgumentMode::Eager => true,
            ArgumentMode::Throttled => first || unread >= REPARSE_UNITS.max(self.raw.len() / REPARSE_SHARE),
        };
        if due {
            self.read_all();
        }
    }

    /// What the call puts into which file, from a record that has no arguments of the agent's own form.
    pub fn give(&mut self, entries: &[(JsString, JsString)]) {
        self.given = Some(entries.to_vec());
        self.paths.set(entries.iter().map(|(path, _)| path));
        self.paths.expand(&[], &self.options.cwd);
    }

    /// The call is complete. `arguments` are the final arguments where the event carries them; without them the text
    /// so far is read in full, also in throttled mode.
    pub fn finish(&mut self, arguments: Option<&Value>) {
        self.finished = true;
        self.read_all();
        if arguments.is_some() {
            self.last = arguments.cloned();
            self.restart();
        }
    }

    /// The edit mode that the arguments are read in; none for other tools, and while the arguments fit no mode.
    pub fn edit_mode(&self) -> Option<EditMode> {
        match (&self.digests, self.mode.is_unknown()) {
            (Digests::Replace(_), false) => Some(EditMode::Replace),
            (Digests::Patch { .. }, _) => Some(EditMode::Patch),
            (Digests::Hashline(_), _) => Some(EditMode::Hashline),
            (Digests::ApplyPatch(_), _) => Some(EditMode::ApplyPatch),
            (Digests::Sloppy(_), _) => Some(EditMode::Sloppy),
            _ => None,
        }
    }

    /// The raw argument text so far.
    pub fn raw(&self) -> &JsString {
        &self.raw
    }

    /// The arguments as they are read at present (engine.md E6.6); an unreadable text is the empty object. Costs a
    /// copy.
    pub fn arguments(&self) -> Value {
        self.last.clone().unwrap_or_else(|| self.reader.value())
    }

    /// What the call shows now, and the paths of its context. `unchanged` counts from the previous call of this method
    /// or of [`Self::inspect`].
    pub fn step(&mut self) -> Step<'_> {
        if self.given.is_none() {
            self.update();
            self.expand_paths();
        }
        self.present()
    }

    /// What [`Self::step`] gave last.
    pub fn present(&self) -> Step<'_> {
        Step { paths: self.paths.candidates(), inspection: self.inspection() }
    }

    /// What the call shows now, without the paths of its context.
    pub fn inspect(&mut self) -> Inspection<'_> {
        if self.given.is_none() {
            self.update();
        }
        self.inspection()
    }

    /// What an edit call without an entry shows in the generation that takes it for an empty text and not for raw text
    /// (engine.md E11 G11, G12); none where it shows raw text there too. `unchanged` counts from the previous call of
    /// this method that gave something.
    pub fn digest_without_entries(&mut self) -> Option<Digest<'_>> {
        if self.kind != ToolKind::Edit {
            return None;
        }
        let root = root(&self.last, &self.reader)?;
        // A number that still grows is no text, and hides the other name.
        let atom = self.reader.top_atom().filter(|_| self.last.is_none());
        let key = match root.member("input") {
            _ if atom.is_some_and(|key| *key == "input") => return None,
            Some(_) => "input",
            None if atom.is_some_and(|key| *key == "_input") => return None,
            None => "_input",
        };
        let (stable, tail) = root.member(key)?.text()?;
        let of = (Some(key), self.reader.restarts(), self.last.is_some());
        if of != self.without_entries_of {
            self.without_entries_of = of;
            self.without_entries.restart();
        }
        self.without_entries.read(stable, tail, self.mode.fixed())
    }

    fn inspection(&self) -> Inspection<'_> {
        if let Some(given) = &self.given {
            let entries =
                given.iter().map(|(path, text)| Entry { path, digest: Digest { text: text.units(), unchanged: 0 } });
            let entries = Some(entries.collect());
            return Inspection { paths: self.paths.get(), entries, digest: None, notes: &[] };
        }
        let (entries, digest) = (self.digests.entries(), self.digests.whole());
        Inspection { paths: self.paths.get(), entries, digest, notes: &self.notes }
    }

    fn read_all(&mut self) {
        self.reader.push(&self.raw.units()[self.read..]);
        self.read = self.raw.len();
    }

    /// The digests are read anew; buffers are told what stays the same.
    fn restart(&mut self) {
        self.mode.restart();
        self.digests.restart();
    }

    fn update(&mut self) {
        if self.restarts != self.reader.restarts() {
            self.restarts = self.reader.restarts();
            self.restart();
        }
        let is_edit = self.kind == ToolKind::Edit;
        let input_key = is_edit.then(|| edit_mode::input_key(root(&self.last, &self.reader))).flatten();
        if input_key != self.input_key {
            self.input_key = input_key;
            self.restart();
        }
        let root = root(&self.last, &self.reader);
        match self.kind {
            ToolKind::Other => {}
            ToolKind::Write => self.digests.read(Format::Write, root),
            ToolKind::Edit => {
                self.digests.read(Format::Edit(self.mode.of(root)), root);
                match self.digests.entries() {
                    Some(entries) => self.paths.set(entries.iter().map(|entry| entry.path)),
                    None => self.paths.set(self.digests.headers().iter().chain(self.digests.named_path())),
                }
            }
        }
        self.take_notes();
    }

    fn take_notes(&mut self) {
        self.notes.clear();
        if self.last.is_none()
            && let Some(failure) = self.reader.failure()
        {
            let message = if failure.too_deep {
                format!("the arguments nest too deeply at unit {}; what follows there is left out", failure.at)
            } else {
                format!("the arguments cannot be read from unit {} on; what follows there is left out", failure.at)
            };
            self.notes.push(Note { message });
        }
        if self.digests.has_unknown_tag() {
            let message = "this `sloppy` edit has a tag of unknown form; what the agent makes of it is not known";
            self.notes.push(Note { message: message.to_owned() });
        }
        if self.finished && self.kind == ToolKind::Edit && self.mode.is_unknown() {
            let message = "the arguments fit no known edit mode; rules see them raw";
            self.notes.push(Note { message: message.to_owned() });
        }
    }

    /// Makes the candidates of the paths that are known, else of the path-like arguments as they stand.
    fn expand_paths(&mut self) {
        let changed = self.reader.take_changed();
        match root(&self.last, &self.reader) {
            Some(Node::Value(value)) => {
                let members = value.as_object().map(|object| object.iter()).into_iter().flatten();
                let arguments: Vec<JsString> =
                    members.flat_map(|(key, value)| paths::of_argument(key, value)).collect();
                self.paths.expand(&arguments, &self.options.cwd);
            }
            _ => self.paths.expand_growing(&self.reader, &changed, &self.options.cwd),
        }
    }
}

fn root<'a>(last: &'a Option<Value>, reader: &'a PartialJson) -> Option<Node<'a>> {
    last.as_ref().map(Node::Value).or_else(|| reader.root())
}
