//! [`Pipeline`]: what the five generations do differently (handoff.md, table of H5).

/// A generation of the handoff (handoff.md, "Generations").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pipeline {
    /// The user's document (seed 004).
    #[default]
    G1,
    /// 13.19.0
    G2,
    /// 14.9.9
    G3,
    /// 17.2.15
    G4,
    /// 18.2.3
    G5,
}

impl Pipeline {
    /// All of them, oldest first.
    pub const ALL: [Self; 5] = [Self::G1, Self::G2, Self::G3, Self::G4, Self::G5];

    /// The generation of that word.
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|pipeline| pipeline.as_str() == word)
    }

    /// The word in options and reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::G1 => "g1",
            Self::G2 => "g2",
            Self::G3 => "g3",
            Self::G4 => "g4",
            Self::G5 => "g5",
        }
    }

    /// Whether the request is a prompt of the old session, which then holds prompt and reply; a side request otherwise.
    pub fn prompts_in_session(self) -> bool {
        self <= Self::G3
    }

    /// Role and attribution of that prompt.
    pub fn prompt_role(self) -> (&'static str, &'static str) {
        if self == Self::G1 { ("user", "user") } else { ("developer", "agent") }
    }

    /// Whether a new session is opened; the last generation goes on in the same file.
    pub fn opens_session(self) -> bool {
        self != Self::G5
    }

    /// Whether the new header names the old file.
    pub fn writes_parent(self) -> bool {
        matches!(self, Self::G3 | Self::G4)
    }

    /// Whether the new file begins with a title slot.
    pub fn has_title_slot(self) -> bool {
        self == Self::G4
    }

    /// Whether session ids are 16 hex digits instead of a UUID.
    pub fn has_short_ids(self) -> bool {
        self == Self::G2
    }

    /// Whether the new file appears with the first assistant message only.
    pub fn defers_file(self) -> bool {
        matches!(self, Self::G1 | Self::G2)
    }

    /// Whether queued messages are dropped at the switch.
    pub fn clears_queues(self) -> bool {
        self <= Self::G3
    }

    /// Whether the capture goes on backwards to an older answer when the last reply has no text block (H3.1).
    pub fn walks_back(self) -> bool {
        matches!(self, Self::G2 | Self::G3)
    }

    /// What the agent shows when it is done.
    pub fn success(self) -> &'static str {
        if self.opens_session() { "New session started with handoff context" } else { "Handoff context compacted" }
    }
}
