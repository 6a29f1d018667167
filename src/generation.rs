//! What is reproduced: the generations of the runtime ([`Lifecycle`]) and of the handoff ([`Pipeline`]), and one table
//! of how they differ (engine.md E11, generation-v4.md, handoff.md H5). Nothing else asks which generation it is.

/// A generation of the runtime (engine.md E11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lifecycle {
    /// The early documents 000 and 001.
    V1,
    /// The document 002.
    V2,
    /// Release 18.2.
    V3,
    /// Release 18.3.
    V4,
}

impl Lifecycle {
    /// What an input without marks is taken for (session.md S9.4f (e)).
    pub const NEWEST: Self = Self::V4;

    /// The name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V2 => "v2",
            Self::V3 => "v3",
            Self::V4 => "v4",
        }
    }

    /// What differs in this generation.
    pub fn semantics(self) -> Semantics {
        Semantics::of(self)
    }
}

/// The differences between generations, one field each, read in one place each. Rows G… are engine.md E11, sections W…
/// are generation-v4.md.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Semantics {
    /// The generation.
    pub lifecycle: Lifecycle,
    /// E1.2: the rules of a directory come in byte order. The early generation took them as the file system gave
    /// them, so that the order of rules which match together is not known.
    pub sorted_rules: bool,
    /// G1: only a `ttsr_trigger` string makes a rule.
    pub legacy_trigger_only: bool,
    /// G3, G4: scope, globs and glob-like conditions count.
    pub scoped: bool,
    /// G5: a leading `(?i)` group gives flags.
    pub leading_flags: bool,
    /// G6: `enabled: false` gates registration and matching.
    pub enabled_gates: bool,
    /// G8: thinking is monitored.
    pub thinking: bool,
    /// G8: the tool-call end event is looked at.
    pub tool_call_end: bool,
    /// G9: one buffer for everything.
    pub single_buffer: bool,
    /// G10: digests and entries of edit and write calls are matched.
    pub digests: bool,
    /// G12: a digest tool without entries is matched as raw text (else as the empty text).
    pub raw_without_entries: bool,
    /// G13: message start and provider start clear the buffers.
    pub message_start_resets: bool,
    /// G14: AST conditions exist.
    pub ast: bool,
    /// G14: AST conditions run at each delta, not only at the end of the call.
    pub ast_on_delta: bool,
    /// G15: interrupt modes exist.
    pub interrupt_modes: bool,
    /// G17: matches are marked at once, before the abort.
    pub mark_at_match: bool,
    /// G18: pending rules are deduplicated by name.
    pub dedupe_pending: bool,
    /// G18: deferred deliveries reserve their names and carry a `deliveryId`.
    pub reservations: bool,
    /// G19: the reminder is a user message in memory only; nothing is persisted (G24, G35).
    pub persists: bool,
    /// G25: the names that a session holds are restored on resume.
    pub restores: bool,
    /// G29: a prompt waits at a resume gate.
    pub resume_gate: bool,
    /// G34: a user's abort cancels what is planned.
    pub user_abort_cancels: bool,
    /// G21: the path attribute is shown relative to cwd or home.
    pub relative_paths: bool,
    /// G22: rendered blocks are tidied.
    pub tidy: bool,
    /// G23: discard removes the last message only.
    pub discard_last_only: bool,
    /// G26: retries are guarded by token, generation and target.
    pub retry_guards: bool,
    /// G27: the abort carries the rule names.
    pub abort_reason: bool,
    /// Release 5.7 left the interrupted call in the aborted message, with a placeholder result.
    pub keeps_cut_calls: bool,
    /// G30, G2: `disabledRules` and `builtinRules` count.
    pub rule_switches: bool,
    /// G32: `agents` scoping.
    pub agents: bool,
    /// G2: the rule key `enabled` counts.
    pub rule_enabled_key: bool,
    /// G33: a fold whose message ends aborted leaves the rule marked.
    pub lost_fold_stays_marked: bool,
    /// G33: a fold that an interrupt of the same message clears leaves the rule marked; recorded runs of the middle
    /// generation show it, the document speaks of aborts and errors only.
    pub interrupted_fold_stays_marked: bool,
    /// S9.4f: an answer carries `completedAt`.
    pub stamps_completion: bool,
    /// W11.2: the end of a run says that the agent `yielded`.
    pub tells_yield: bool,
    /// W13: a `write` without content reaches the tool, so that a fold on it is delivered.
    pub writes_empty: bool,
    /// W2 to W10: a rule with a `question` is judged. Its conditions gate the question, and do not match streams.
    pub judged_rules: bool,
    /// W4.2: a condition of nothing but look-aheads that begin with `[\s\S]*` is tried at the buffer's start only.
    pub sticky_look_aheads: bool,
    /// W11.1: what was announced for a call is not announced again before the turn ends.
    pub announces_once: bool,
    /// W12: a setting of the wrong type counts as absent.
    pub typed_settings: bool,
}

impl Semantics {
    /// The generation as its recorded releases act. The document of the middle generation lets a rule fire again whose
    /// fold was lost to an abort; release 17.2.15, which made the recordings, leaves it marked (engine.md G33).
    #[must_use]
    pub fn recorded(mut self) -> Self {
        self.lost_fold_stays_marked |= self.interrupted_fold_stays_marked;
        self
    }

    fn of(lifecycle: Lifecycle) -> Self {
        let (v1, v3) = (lifecycle == Lifecycle::V1, lifecycle >= Lifecycle::V3);
        let v4 = lifecycle >= Lifecycle::V4;
        Self {
            lifecycle,
            sorted_rules: !v1,
            legacy_trigger_only: v1,
            scoped: !v1,
            leading_flags: !v1,
            enabled_gates: !v1,
            thinking: !v1,
            tool_call_end: v3,
            single_buffer: v1,
            digests: !v1,
            raw_without_entries: v3,
            message_start_resets: v3,
            ast: !v1,
            ast_on_delta: lifecycle == Lifecycle::V2,
            interrupt_modes: !v1,
            mark_at_match: v1,
            dedupe_pending: !v1,
            reservations: v3,
            persists: !v1,
            restores: !v1,
            resume_gate: !v1,
            user_abort_cancels: !v1,
            relative_paths: !v1,
            tidy: !v1,
            discard_last_only: v1,
            retry_guards: !v1,
            abort_reason: !v1,
            keeps_cut_calls: v1,
            rule_switches: !v1,
            agents: v3,
            rule_enabled_key: v3,
            lost_fold_stays_marked: v3,
            interrupted_fold_stays_marked: !v1,
            stamps_completion: v3,
            tells_yield: v4,
            writes_empty: v4,
            judged_rules: v4,
            sticky_look_aheads: v4,
            announces_once: v4,
            typed_settings: v4,
        }
    }
}

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
