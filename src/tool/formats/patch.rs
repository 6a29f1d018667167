//! The `patch` edit format: `edits` with diffs to one file (engine.md E6.2).

use std::sync::Arc;

use super::lines::{Begins, LineDriver, LineFormat, begins_row, is_added};
use super::sections::{Section, Sections};
use crate::text::JsString;
use crate::tool::partial::Node;

/// The edits read so far. All of them go to one file, whose path does not matter here.
#[derive(Debug)]
pub(crate) struct PatchEdits {
    done: usize,
    open: Option<Part>,
    path: Arc<JsString>,
}

/// What one edit adds.
#[derive(Debug)]
struct Part {
    create: bool,
    /// Whether the diff counts as a whole, since a created file has no line with a plus.
    whole: bool,
    /// Length of the text before this part.
    start: usize,
    rows: LineDriver<Added>,
    probe: Probe,
    /// Units of the diff that were handed on as a whole.
    copied: usize,
}

/// Looks for a line that adds text, each unit once.
#[derive(Debug, Default)]
struct Probe {
    found: bool,
    line_start: usize,
    scanned: usize,
}

impl Probe {
    fn finds(&mut self, stable: &[u16], tail: &[u16]) -> bool {
        while !self.found
            && let Some(length) = stable[self.scanned..].iter().position(|&unit| unit == 0x0A)
        {
            let end = self.scanned + length;
            self.found = is_added(&stable[self.line_start..end]);
            self.line_start = end + 1;
            self.scanned = end + 1;
        }
        self.scanned = self.scanned.max(stable.len());
        self.found || {
            let line = &stable[self.line_start.min(stable.len())..];
            is_added(if line.is_empty() { tail } else { line })
        }
    }
}

/// The added lines of a diff.
#[derive(Clone, Debug)]
struct Added(Section);

impl LineFormat for Added {
    const STRIPS_RETURN: bool = false;

    fn line(&mut self, line: &[u16], out: &mut Sections) {
        if is_added(line) {
            out.row(&mut self.0);
            out.units(&mut self.0, &line[1..]);
        }
    }

    fn begins(&self, line: &[u16]) -> Begins {
        begins_row(line)
    }

    fn begin_row(&mut self, out: &mut Sections) {
        out.row(&mut self.0);
    }

    fn add_to_row(&mut self, units: &[u16], out: &mut Sections) {
        out.units(&mut self.0, units);
    }
}

impl Default for PatchEdits {
    fn default() -> Self {
        Self { done: 0, open: None, path: Arc::new(JsString::new()) }
    }
}

impl PatchEdits {
    /// Reads what is new in the list of edits.
    pub(crate) fn read(&mut self, edits: Node<'_>, out: &mut Sections) {
        let Some((complete, growing)) = edits.items() else {
            return;
        };
        while let Some(edit) = complete.get(self.done) {
            self.read_edit(Node::Value(edit), true, out);
            self.open = None;
            self.done += 1;
        }
        if let Some(edit) = growing {
            self.read_edit(edit, false, out);
        }
    }

    fn read_edit(&mut self, edit: Node<'_>, complete: bool, out: &mut Sections) {
        let Some((stable, tail)) = edit.member("diff").and_then(Node::text) else {
            return;
        };
        let create = edit.member("op").and_then(Node::to_text).is_some_and(|op| op == "create");
        let mut part = match self.open.take() {
            Some(part) if part.create == create && part.seen() <= stable.len() => part,
            Some(part) => part.anew(create, out),
            None => Part::new(Section::new(Arc::clone(&self.path)), create, out),
        };
        if create {
            let whole = !part.probe.finds(stable, tail);
            if whole != part.whole {
                part = Part { whole, ..part.anew(create, out) };
            }
        }
        part.read(stable, tail, complete, out);
        self.open = Some(part);
    }
}

impl Part {
    fn new(mut section: Section, create: bool, out: &mut Sections) -> Self {
        let start = out.open_part(&mut section);
        Self::at(section, start, create, Probe::default())
    }

    fn at(section: Section, start: usize, create: bool, probe: Probe) -> Self {
        let rows = LineDriver::new(Added(section));
        Self { create, whole: create, start, rows, probe, copied: 0 }
    }

    /// The same part, read from its beginning.
    fn anew(self, create: bool, out: &mut Sections) -> Self {
        let mut section = self.rows.format().0.clone();
        out.rewind_part(&mut section, self.start);
        Self::at(section, self.start, create, self.probe)
    }

    /// Units of the diff that were read.
    fn seen(&self) -> usize {
        self.rows.scanned().max(self.copied)
    }

    fn read(&mut self, stable: &[u16], tail: &[u16], complete: bool, out: &mut Sections) {
        if !self.whole {
            return self.rows.read(stable, tail, complete, out);
        }
        let mut section = self.rows.format().0.clone();
        out.units(&mut section, &stable[self.copied..]);
        self.copied = stable.len();
        if !complete {
            out.set_tentative();
            out.units(&mut section, tail);
        }
    }
}
