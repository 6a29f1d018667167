//! What a tool call shows to rules at one moment.

use crate::text::JsString;

/// The tools that show rules something else than their raw arguments (engine.md E6.1, E6.2, E6.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolKind {
    /// `write`
    Write,
    /// `edit`, also under its wire name `apply_patch`
    Edit,
    /// Any other tool: rules see its raw arguments.
    Other,
}

impl ToolKind {
    /// The tool behind the name in a call (engine.md E6.7).
    pub fn of(name: &JsString) -> Self {
        if *name == "write" {
            Self::Write
        } else if *name == "edit" || *name == "apply_patch" {
            Self::Edit
        } else {
            Self::Other
        }
    }
}

/// A text that rules see, with what is known about its predecessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest<'a> {
    /// The code units.
    pub text: &'a [u16],
    /// Number of leading units that equal those of the same digest at the previous inspection; 0 when it had none.
    pub unchanged: usize,
}

/// What one file receives from an edit call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The path as written in the call.
    pub path: &'a JsString,
    /// The text that the call introduces there.
    pub digest: Digest<'a>,
}

/// Something about a call that could not be reproduced as the agent does it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// One sentence without a full stop.
    pub message: String,
}

/// What a call shows at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inspection<'a> {
    /// The paths that an edit names, as written, repeats kept; none for other tools and while none is known.
    pub paths: Option<&'a [JsString]>,
    /// One entry a touched file, in order of first appearance; none when the call offers none. When there is one,
    /// each is checked on its own, with key `<call key>#<path>` (engine.md E5.5).
    pub entries: Option<Vec<Entry<'a>>>,
    /// The text of a `write` call. An edit offers entries only; see [`Inspection::whole_digest`].
    pub digest: Option<Digest<'a>>,
    /// What could not be reproduced.
    pub notes: &'a [Note],
}

/// What a call shows after one delta, and where it belongs.
#[derive(Clone, Debug, PartialEq)]
pub struct Step<'a> {
    /// The file paths of the call's context, none when it has no path (engine.md E6.4): candidates of the entry paths,
    /// else of the paths that an edit names, else of the path-like arguments.
    pub paths: Option<&'a [JsString]>,
    /// What it shows; digests say what changed.
    pub inspection: Inspection<'a>,
}

impl Inspection<'_> {
    /// The digest of the call as a whole: `digest`, else the entries' digests that are not empty, joined by LF
    /// (engine.md E6.2). Costs a copy.
    #[cfg(feature = "internals")]
    pub fn whole_digest(&self) -> Option<JsString> {
        if let Some(digest) = self.digest {
            return Some(JsString::from_units(digest.text));
        }
        let mut joined: Option<JsString> = None;
        for entry in self.entries.iter().flatten().filter(|entry| !entry.digest.text.is_empty()) {
            match &mut joined {
                Some(joined) => {
                    joined.push_str("\n");
                    joined.push_units(entry.digest.text);
                }
                None => joined = Some(JsString::from_units(entry.digest.text)),
            }
        }
        joined
    }
}
