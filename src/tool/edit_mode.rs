//! [`EditMode`], and [`ModeGuess`]: the mode, which sessions do not record, from the arguments (engine.md E6.2).

use super::formats::lines::{after, trimmed};
use super::partial::Node;

/// The format of an `edit` call (engine.md E6.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EditMode {
    /// `path`, `old_string`, `new_string`
    Replace,
    /// `path`, `edits: [{op, diff, rename}]`
    Patch,
    /// `input` of `[PATH#TAG]` sections
    Hashline,
    /// `input` beginning with `*** Begin Patch`
    ApplyPatch,
    /// `input` of `<SM:EDIT>` blocks
    Sloppy,
}

impl EditMode {
    /// The mode of this name, as vectors and options write it.
    #[cfg(feature = "internals")]
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "replace" => Self::Replace,
            "patch" => Self::Patch,
            "hashline" => Self::Hashline,
            "apply_patch" => Self::ApplyPatch,
            "sloppy" => Self::Sloppy,
            _ => return None,
        })
    }

    /// The name.
    #[cfg(feature = "internals")]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Replace => "replace",
            Self::Patch => "patch",
            Self::Hashline => "hashline",
            Self::ApplyPatch => "apply_patch",
            Self::Sloppy => "sloppy",
        }
    }
}

/// The edit mode as far as the arguments tell.
#[derive(Debug)]
pub(super) struct ModeGuess {
    fixed: Option<EditMode>,
    input: InputGuess,
    unknown: bool,
}

/// What the lines of an `input` say; the first line that says anything counts.
#[derive(Debug, Default)]
struct InputGuess {
    mode: Option<EditMode>,
    line_start: usize,
}

impl ModeGuess {
    /// No arguments yet. A `fixed` mode is never put in doubt.
    pub(super) fn new(fixed: Option<EditMode>) -> Self {
        Self { fixed, input: InputGuess::default(), unknown: true }
    }

    /// The mode, where it does not have to be guessed.
    pub(super) fn fixed(&self) -> Option<EditMode> {
        self.fixed
    }

    /// The arguments are read anew.
    pub(super) fn restart(&mut self) {
        self.input = InputGuess::default();
    }

    /// Whether the arguments seen last fit no mode.
    pub(super) fn is_unknown(&self) -> bool {
        self.fixed.is_none() && self.unknown
    }

    /// The mode of these arguments. While nothing but a path is known, it is the one that shows just that path.
    pub(super) fn of(&mut self, root: Option<Node<'_>>) -> EditMode {
        if let Some(mode) = self.fixed {
            return mode;
        }
        let has = |key: &str| root.and_then(|root| root.member(key)).is_some();
        self.unknown = false;
        if has("new_string") || has("old_string") {
            EditMode::Replace
        } else if has("edits") {
            EditMode::Patch
        } else if let Some((stable, _)) = input(root) {
            self.input.read(stable)
        } else {
            self.unknown = true;
            EditMode::Replace
        }
    }
}

/// The `input` argument or its other name.
pub(super) fn input(root: Option<Node<'_>>) -> Option<(&[u16], &[u16])> {
    root?.member(input_key(root)?)?.text()
}

/// Under which name the input is found.
pub(super) fn input_key(root: Option<Node<'_>>) -> Option<&'static str> {
    let root = root?;
    ["input", "_input"].into_iter().find(|key| root.member(key).is_some_and(|node| node.text().is_some()))
}

impl InputGuess {
    fn read(&mut self, stable: &[u16]) -> EditMode {
        while self.mode.is_none() && self.line_start < stable.len() {
            let rest = &stable[self.line_start..];
            let line = rest.split(|&unit| unit == 0x0A).next().unwrap_or_default();
            self.mode = Self::of_line(trimmed(line));
            if line.len() == rest.len() {
                break;
            }
            self.line_start += line.len() + 1;
        }
        self.mode.unwrap_or(EditMode::Hashline)
    }

    fn of_line(line: &[u16]) -> Option<EditMode> {
        if after(line, "*** Begin Patch").is_some() {
            Some(EditMode::ApplyPatch)
        } else if after(line, "<SM:").is_some() {
            Some(EditMode::Sloppy)
        } else if after(line, "[").is_some() || after(line, "+").is_some() {
            Some(EditMode::Hashline)
        } else {
            None
        }
    }
}
