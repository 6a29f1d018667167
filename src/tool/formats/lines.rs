//! [`LineDriver`]: feeds an edit input that grows to a line format, each unit once.

use super::sections::Sections;
use crate::text::JsString;

const LINE_FEED: u16 = 0x0A;
const RETURN: u16 = 0x0D;

/// What the lines of an edit input mean. The state must be cheap to copy: a copy is made at each inspection.
pub(crate) trait LineFormat: Clone {
    /// Whether a carriage return before a line feed belongs to the line end.
    const STRIPS_RETURN: bool;

    /// Whether white space at the end of the text does not count.
    const TRIMS_END: bool = false;

    /// A whole line.
    fn line(&mut self, line: &[u16], out: &mut Sections);

    /// What this beginning of a line is however the line goes on. Long lines are then read once.
    fn begins(&self, line: &[u16]) -> Begins;

    /// A row begins.
    fn begin_row(&mut self, out: &mut Sections);

    /// Adds to that row.
    fn add_to_row(&mut self, units: &[u16], out: &mut Sections);

    /// The text ends here for now; `out` is tentative.
    fn cut(&mut self, out: &mut Sections) {
        let _ = out;
    }

    /// Whether what was read counts; else there are no entries for now.
    fn shows(&self) -> bool {
        true
    }
}

/// What is known about a line that goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Begins {
    /// Nothing: the line is read again when there is more of it.
    #[default]
    Open,
    /// It is a row whose content begins at this unit.
    Row(usize),
    /// It means nothing.
    Nothing,
}

/// Reads on in a text that only grows, but for its tail.
#[derive(Debug)]
pub(crate) struct LineDriver<F> {
    format: F,
    /// The state before the open line was read tentatively.
    saved: Option<F>,
    line_start: usize,
    scanned: usize,
    /// End of the last unit that is not white space, and how far was looked for it.
    solid: usize,
    looked: usize,
    /// What the open line is; of a row, how many units were handed on.
    open: Begins,
}

impl<F: LineFormat> LineDriver<F> {
    /// At the start of a text.
    pub(crate) fn new(format: F) -> Self {
        Self { format, saved: None, line_start: 0, scanned: 0, solid: 0, looked: 0, open: Begins::Open }
    }

    /// The state after what was read last.
    pub(crate) fn format(&self) -> &F {
        &self.format
    }

    /// Number of units of the stable text that were read.
    pub(crate) fn scanned(&self) -> usize {
        self.scanned.max(self.looked)
    }

    /// Reads what is new: `stable` as far as it was not read yet, then the open line with `tail` tentatively. When the
    /// text is `complete`, its last line is final.
    pub(crate) fn read(&mut self, stable: &[u16], tail: &[u16], complete: bool, out: &mut Sections) {
        if let Some(saved) = self.saved.take() {
            self.format = saved;
        }
        if F::TRIMS_END {
            // White space at the end is held back until something follows it.
            let solid = stable[self.looked..].iter().rposition(|unit| !is_blank(*unit));
            self.solid = solid.map_or(self.solid, |last| self.looked + last + 1);
            self.looked = stable.len();
            self.read_lines(&stable[..self.solid], out);
            let held = if tail.is_empty() { Vec::new() } else { [&stable[self.solid..], tail].concat() };
            self.read_open_line(&stable[self.line_start..self.solid], &held, complete, out);
        } else {
            self.read_lines(stable, out);
            self.read_open_line(&stable[self.line_start..], tail, complete, out);
        }
    }

    fn read_lines(&mut self, stable: &[u16], out: &mut Sections) {
        while let Some(length) = stable[self.scanned..].iter().position(|&unit| unit == LINE_FEED) {
            let end = self.scanned + length;
            let mut line = &stable[self.line_start..end];
            if F::STRIPS_RETURN && line.last() == Some(&RETURN) {
                line = &line[..line.len() - 1];
            }
            match std::mem::take(&mut self.open) {
                Begins::Row(done) => self.format.add_to_row(&line[done..], out),
                Begins::Nothing => {}
                Begins::Open => self.format.line(line, out),
            }
            self.line_start = end + 1;
            self.scanned = end + 1;
        }
        self.scanned = stable.len();
    }

    fn read_open_line(&mut self, line: &[u16], tail: &[u16], complete: bool, out: &mut Sections) {
        if self.open == Begins::Open {
            self.open = self.format.begins(line);
            if let Begins::Row(_) = self.open {
                self.format.begin_row(out);
            }
        }
        if let Begins::Row(done) = &mut self.open {
            // A return may belong to the line end, and half a character may have its other half.
            let held = |&unit: &u16| (F::STRIPS_RETURN && unit == RETURN) || (0xD800..0xDC00).contains(&unit);
            let held = !complete && line.last().is_some_and(held);
            let end = (*done).max(line.len() - usize::from(held));
            self.format.add_to_row(&line[*done..end], out);
            *done = end;
        }
        if !complete {
            self.saved = Some(self.format.clone());
            out.set_tentative();
        }
        let mut pieces = tail.split(|&unit| unit == LINE_FEED);
        let first = pieces.next().unwrap_or_default();
        match self.open {
            Begins::Row(done) => {
                self.format.add_to_row(&line[done..], out);
                self.format.add_to_row(first, out);
            }
            Begins::Nothing => {}
            Begins::Open if tail.is_empty() && line.is_empty() => {}
            Begins::Open if tail.is_empty() => self.format.line(line, out),
            Begins::Open => self.format.line(&[line, first].concat(), out),
        }
        for piece in pieces {
            self.format.line(piece, out);
        }
        self.format.cut(out);
    }
}

/// Whether the line adds text: it begins with a plus and not with three of them and a blank (engine.md E6.2).
pub(crate) fn is_added(line: &[u16]) -> bool {
    line.first() == Some(&PLUS) && !line.starts_with(FILE_MARK)
}

/// Whether a line that begins like this adds text, where all others mean nothing.
pub(crate) fn begins_row(line: &[u16]) -> Begins {
    if FILE_MARK.starts_with(line) {
        Begins::Open
    } else if is_added(line) {
        Begins::Row(1)
    } else {
        Begins::Nothing
    }
}

const PLUS: u16 = b'+' as u16;
const FILE_MARK: &[u16] = &[PLUS, PLUS, PLUS, b' ' as u16];

/// Whether the unit is white space to the edit formats. It differs from ECMAScript's: U+0085 is and U+FEFF is not
/// (vectors-wide: a line of U+FEFF is a line to find).
pub(crate) fn is_blank(unit: u16) -> bool {
    char::from_u32(unit.into()).is_some_and(char::is_whitespace)
}

/// The first unit that is not white space.
pub(crate) fn first_solid(line: &[u16]) -> Option<u16> {
    line.iter().copied().find(|&unit| !is_blank(unit))
}

/// The line without white space around it.
pub(crate) fn trimmed(line: &[u16]) -> &[u16] {
    let Some(start) = line.iter().position(|&unit| !is_blank(unit)) else {
        return &[];
    };
    let end = line.iter().rposition(|&unit| !is_blank(unit)).map_or(start, |last| last + 1);
    &line[start..end]
}

/// Whether the units are this text.
pub(crate) fn is(units: &[u16], text: &str) -> bool {
    units.iter().copied().eq(text.encode_utf16())
}

/// The units after this beginning, if they have it.
pub(crate) fn after<'a>(units: &'a [u16], prefix: &str) -> Option<&'a [u16]> {
    let length = prefix.encode_utf16().count();
    (units.len() >= length && is(&units[..length], prefix)).then(|| &units[length..])
}

/// Whether one is the beginning of the other.
pub(crate) fn agrees(units: &[u16], text: &str) -> bool {
    text.encode_utf16().zip(units).all(|(expected, &unit)| expected == unit)
}

/// The units as a string.
pub(crate) fn to_string(units: &[u16]) -> JsString {
    JsString::from_units(units)
}
