//! [`Digests`]: the texts that a call shows, whichever format it has.

use std::sync::Arc;

use super::edit_mode::{EditMode, input};
use super::formats::apply_patch::ApplyPatch;
use super::formats::growing::Growing;
use super::formats::hashline::Hashline;
use super::formats::lines::{LineDriver, LineFormat};
use super::formats::patch::PatchEdits;
use super::formats::sections::Sections;
use super::formats::sloppy::Sloppy;
use super::inspection::{Digest, Entry};
use super::partial::Node;
use crate::text::JsString;

/// Which arguments make the digest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Format {
    Write,
    Edit(EditMode),
}

/// The texts of a call and how far its arguments were read for them.
#[derive(Debug)]
pub(super) enum Digests {
    /// Nothing to show.
    None,
    Write(Shown),
    Replace(Shown),
    Patch {
        edits: PatchEdits,
        out: Sections,
        path: KnownPath,
    },
    Hashline(Input<Hashline>),
    ApplyPatch(Input<ApplyPatch>),
    Sloppy(Input<Sloppy>),
}

/// One argument that is shown as it is.
#[derive(Debug, Default)]
pub(super) struct Shown {
    text: Growing,
    present: bool,
    path: KnownPath,
}

/// The path of a call that goes to one file.
#[derive(Debug, Default)]
pub(super) struct KnownPath(Option<JsString>);

impl KnownPath {
    /// Whether the path is another one than before.
    fn update(&mut self, root: Option<Node<'_>>) -> bool {
        let path = root.and_then(|root| root.member("path")).and_then(Node::text);
        let path = path.filter(|(stable, tail)| !stable.is_empty() || !tail.is_empty());
        let is_known = match (&self.0, path) {
            (None, None) => true,
            (Some(known), Some((stable, tail))) => known.units().strip_prefix(stable).is_some_and(|rest| rest == tail),
            _ => false,
        };
        if !is_known {
            self.0 = path.map(|(stable, tail)| JsString::from_units([stable, tail].concat()));
        }
        !is_known
    }
}

/// An `input` of lines.
#[derive(Debug)]
pub(super) struct Input<F> {
    driver: LineDriver<F>,
    out: Sections,
    shows: bool,
}

impl<F: LineFormat + Default> Input<F> {
    fn new() -> Self {
        Self { driver: LineDriver::new(F::default()), out: Sections::default(), shows: false }
    }

    fn restart(&mut self) {
        self.out.restart();
        self.driver = LineDriver::new(F::default());
    }

    fn read(&mut self, root: Option<Node<'_>>) {
        let (stable, tail) = input(root).unwrap_or_default();
        if stable.len() < self.driver.scanned() {
            self.restart();
        }
        self.out.begin();
        self.driver.read(stable, tail, false, &mut self.out);
        self.out.end();
        let shows = self.driver.format().shows();
        if shows && !self.shows {
            self.out.forget();
        }
        self.shows = shows;
    }

    fn entries(&self) -> Vec<Entry<'_>> {
        let files = self.out.files().filter(|_| self.shows);
        files.map(|file| Entry { path: Arc::as_ref(&file.path), digest: digest(&file.text) }).collect()
    }
}

impl Digests {
    fn new(format: Format) -> Self {
        match format {
            Format::Write => Self::Write(Shown::default()),
            Format::Edit(EditMode::Replace) => Self::Replace(Shown::default()),
            Format::Edit(EditMode::Patch) => {
                Self::Patch { edits: PatchEdits::default(), out: Sections::default(), path: KnownPath::default() }
            }
            Format::Edit(EditMode::Hashline) => Self::Hashline(Input::new()),
            Format::Edit(EditMode::ApplyPatch) => Self::ApplyPatch(Input::new()),
            Format::Edit(EditMode::Sloppy) => Self::Sloppy(Input::new()),
        }
    }

    fn is(&self, format: Format) -> bool {
        matches!(
            (self, format),
            (Self::Write(_), Format::Write)
                | (Self::Replace(_), Format::Edit(EditMode::Replace))
                | (Self::Patch { .. }, Format::Edit(EditMode::Patch))
                | (Self::Hashline(_), Format::Edit(EditMode::Hashline))
                | (Self::ApplyPatch(_), Format::Edit(EditMode::ApplyPatch))
                | (Self::Sloppy(_), Format::Edit(EditMode::Sloppy))
        )
    }

    /// What was read of the arguments is void; they will be read anew.
    pub(super) fn restart(&mut self) {
        match self {
            Self::None => {}
            Self::Write(shown) | Self::Replace(shown) => shown.text.restart(),
            Self::Patch { edits, out, .. } => {
                *edits = PatchEdits::default();
                out.restart();
            }
            Self::Hashline(input) => input.restart(),
            Self::ApplyPatch(input) => input.restart(),
            Self::Sloppy(input) => input.restart(),
        }
    }

    /// Reads what is new in the arguments.
    pub(super) fn read(&mut self, format: Format, root: Option<Node<'_>>) {
        if !self.is(format) {
            *self = Self::new(format);
        }
        match self {
            Self::None => {}
            Self::Write(shown) => shown.read(root, "content"),
            Self::Replace(shown) => {
                shown.read(root, "new_string");
                if shown.path.update(root) {
                    shown.text.forget();
                }
            }
            Self::Patch { edits, out, path } => {
                out.begin();
                if let Some(list) = root.and_then(|root| root.member("edits")) {
                    edits.read(list, out);
                }
                out.end();
                if path.update(root) {
                    out.forget();
                }
            }
            Self::Hashline(input) => input.read(root),
            Self::ApplyPatch(input) => input.read(root),
            Self::Sloppy(input) => input.read(root),
        }
    }

    /// The digest of a call without entries.
    pub(super) fn whole(&self) -> Option<Digest<'_>> {
        match self {
            Self::Write(shown) if shown.present => Some(digest(&shown.text)),
            _ => None,
        }
    }

    /// One entry a file; none when there is no file.
    pub(super) fn entries(&self) -> Option<Vec<Entry<'_>>> {
        let entries = match self {
            Self::None | Self::Write(_) => return None,
            Self::Replace(shown) => {
                let path = shown.path.0.as_ref().filter(|_| shown.present)?;
                vec![Entry { path, digest: digest(&shown.text) }]
            }
            Self::Patch { out, path, .. } => {
                let path = path.0.as_ref()?;
                out.files().map(|file| Entry { path, digest: digest(&file.text) }).collect()
            }
            Self::Hashline(input) => input.entries(),
            Self::ApplyPatch(input) => input.entries(),
            Self::Sloppy(input) => input.entries(),
        };
        Some(entries).filter(|entries: &Vec<_>| !entries.is_empty())
    }

    /// The paths of all file headers.
    pub(super) fn headers(&self) -> &[JsString] {
        self.sections().map_or(&[], Sections::headers)
    }

    fn sections(&self) -> Option<&Sections> {
        match self {
            Self::None | Self::Write(_) | Self::Replace(_) => None,
            Self::Patch { out, .. } => Some(out),
            Self::Hashline(input) => Some(&input.out),
            Self::ApplyPatch(input) => Some(&input.out),
            Self::Sloppy(input) => Some(&input.out),
        }
    }

    /// The path of a call that names its file in the argument `path`.
    pub(super) fn named_path(&self) -> Option<&JsString> {
        match self {
            Self::Replace(shown) => shown.path.0.as_ref(),
            Self::Patch { path, .. } => path.0.as_ref(),
            _ => None,
        }
    }

    /// Whether a sloppy edit has a tag of unknown form.
    pub(super) fn has_unknown_tag(&self) -> bool {
        matches!(self, Self::Sloppy(input) if input.driver.format().unknown_tag())
    }
}

impl Shown {
    fn read(&mut self, root: Option<Node<'_>>, key: &str) {
        let text = root.and_then(|root| root.member(key)).and_then(Node::text);
        self.present = text.is_some();
        let (stable, tail) = text.unwrap_or_default();
        self.text.follow(stable, tail);
    }
}

fn digest(text: &Growing) -> Digest<'_> {
    Digest { text: text.text(), unchanged: text.unchanged() }
}
