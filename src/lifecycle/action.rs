//! [`Action`]: what the coordinator decides. The host carries the actions out in order.

use crate::engine::{Explanation, Hit, Undecided};
use crate::judge::Ask;
use crate::message::Source;
use crate::text::JsString;

/// One decision, or one thing to do. A batch is carried out in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Rules matched, and this was decided. Nothing to do but to note it.
    Trigger(Trigger),
    /// Stop the response that streams.
    Abort(Abort),
    /// Tell subscribers `ttsr_triggered`; never awaited (engine.md E7.10). Deferred matches are not announced.
    Announce {
        /// Indices of the rules among [`Manager::rules`](crate::engine::Manager::rules), in batch order.
        rules: Vec<usize>,
        /// Their names.
        names: Vec<JsString>,
    },
    /// Hand `task` to [`Coordinator::due`](super::Coordinator::due) after `delay_ms` of virtual time.
    Schedule {
        /// Milliseconds.
        delay_ms: u64,
        /// What is due then.
        task: Task,
    },
    /// The agent's memory is cut to its first `keep` messages. The session file keeps what it holds.
    Discard {
        /// Messages that stay.
        keep: usize,
        /// Roles of those that go.
        dropped: Vec<JsString>,
    },
    /// `contextMode` is `keep`: the interrupted message stays in memory.
    Keep {
        /// Its index in the memory, when it is there.
        message: Option<usize>,
    },
    /// The reminder of an interrupt joins the agent's memory.
    Inject(Injection),
    /// A `custom_message` entry goes into the session.
    PersistMessage(Injection),
    /// A `ttsr_injection` entry goes into the session; the list is never empty.
    PersistInjection {
        /// `injectedRules`.
        rules: Vec<JsString>,
    },
    /// A hidden follow-up joins the agent's queue.
    QueueFollowUp(Injection),
    /// A queued follow-up, or a warning, reaches the agent and joins its memory.
    Deliver(Injection),
    /// Put one text block in front of the tool result that was just handled, then store that result.
    Fold(Fold),
    /// Resume generation. The host answers with [`Coordinator::continued`](super::Coordinator::continued).
    Continue {
        /// Why.
        source: ContinueSource,
    },
    /// Resuming is refused at once; nothing to do, the error is swallowed (engine.md E7.4 (e)).
    ContinueRefused {
        /// Why it was to resume.
        source: ContinueSource,
        /// Why it does not.
        error: ContinueError,
    },
    /// Rules that were to be injected will not be.
    Drop {
        /// Their names.
        rules: Vec<JsString>,
        /// Why not.
        why: DropReason,
    },
    /// A condition could not be decided.
    Undecided(Undecided),
    /// Why a rule did not fire at the message that just ended; only when explanations are asked for.
    Gate(Explanation),
    /// Put an output of the message that just ended to a judge, in the background. The host answers, when it likes,
    /// with [`Coordinator::verdict`](super::Coordinator::verdict).
    Ask(Ask),
    /// A judge's yes has become a warning. What is to do depends on [`Warning::delivery`].
    Warn(Warning),
}

/// A warning after a judge's yes (generation-v4.md W8).
#[derive(Clone, Debug, PartialEq)]
pub struct Warning {
    /// The ask.
    pub ask: u64,
    /// The output that the warning names.
    pub output: JsString,
    /// The message.
    pub injection: Injection,
    /// How it reaches the agent.
    pub delivery: WarningDelivery,
}

/// How a warning reaches the agent; a response is never cut short for it (W8.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarningDelivery {
    /// A run is going on: its next step takes the warning
    /// ([`Coordinator::take_warnings`](super::Coordinator::take_warnings)), and a run that would end goes on for it.
    NextStep,
    /// The agent is idle: the host starts a run, whose first step takes the warning.
    OwnRun,
    /// The agent is idle and stays so, since the user has aborted or it only plans: the actions that follow put the
    /// warning into the memory and the session, and nothing runs.
    ContextOnly,
}

impl WarningDelivery {
    /// The word in traces.
    #[cfg(feature = "internals")]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NextStep => "next-step",
            Self::OwnRun => "own-run",
            Self::ContextOnly => "context-only",
        }
    }
}

/// Rules that matched together, and the decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Trigger {
    /// Indices among the manager's rules, in batch order, with repeats (engine.md E5.6).
    pub rules: Vec<usize>,
    /// Their names.
    pub names: Vec<JsString>,
    /// The stream.
    pub source: Source,
    /// The tool's name as called.
    pub tool: Option<JsString>,
    /// The id of the call; none for prose and for calls without one.
    pub tool_call: Option<JsString>,
    /// Candidate paths of all files of the call that were checked.
    pub paths: Vec<JsString>,
    /// What follows.
    pub decision: Decision,
    /// The content index of the call at whose end a structural pattern matched; the result comes late.
    pub ended_call: Option<usize>,
    /// One entry per entry of `rules`.
    pub by: Vec<Hit>,
}

/// What follows from a match (engine.md E7.1 to E7.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Abort and retry.
    Interrupt,
    /// A hidden follow-up after the message.
    Defer,
    /// A reminder in front of the call's result.
    Fold,
    /// A warning after a judge's yes (generation-v4.md W8).
    Warn,
}

impl Decision {
    /// The word in traces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Interrupt => "interrupt",
            Self::Defer => "defer",
            Self::Fold => "fold",
            Self::Warn => "warn",
        }
    }
}

/// How to stop (engine.md E7.4 step 3).
#[derive(Clone, Debug, PartialEq)]
pub struct Abort {
    /// `TTSR matched rule: NAME`; none in the generation without reasons.
    pub reason: Option<JsString>,
    /// For a match in a call with an id: the id of the call that gets the reason.
    pub tool_call: Option<JsString>,
}

/// The reason that the other calls of an interrupted message get.
pub const OTHER_TOOL_CALL_REASON: &str = "TTSR interrupt on another tool call";

/// A reminder as a message of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Injection {
    /// Whether it is a hidden `custom` message of type [`INJECTION_TYPE`](super::INJECTION_TYPE), attributed to `agent`; a plain `user`
    /// message otherwise.
    pub custom: bool,
    /// `details.rules`: names in the order of the blocks.
    pub rules: Vec<JsString>,
    /// `details.deliveryId`, on deferred ones of the generation that has them.
    pub delivery_id: Option<u64>,
    /// The rendered blocks, joined.
    pub content: JsString,
}

impl Injection {
    /// The role in memory and traces.
    pub fn role(&self) -> &'static str {
        if self.custom { "custom" } else { "user" }
    }
}

/// A reminder in a tool result (engine.md E7.2 step 4).
#[derive(Clone, Debug, PartialEq)]
pub struct Fold {
    /// The id of the call.
    pub tool_call: JsString,
    /// Names in the order of the blocks.
    pub rules: Vec<JsString>,
    /// The text of the block that goes in front.
    pub content: JsString,
}

/// Who asks to resume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContinueSource {
    /// The retry after an interrupt.
    Retry,
    /// A deferred follow-up.
    Deferred,
}

impl ContinueSource {
    /// The word in traces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Deferred => "deferred",
        }
    }
}

/// Why the agent does not resume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContinueError {
    /// It still streams.
    Busy,
    /// There is no message to answer, and nothing is queued.
    NothingToAnswer,
}

/// Why rules are not injected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// The message ended aborted.
    Aborted,
    /// The message ended in an error.
    Error,
    /// A newer prompt, a missing target message or a cleared queue came first.
    Superseded,
    /// The user aborted and nothing followed.
    UserInterrupt,
}

impl DropReason {
    /// The word in traces.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Aborted => "aborted",
            Self::Error => "error",
            Self::Superseded => "superseded",
            Self::UserInterrupt => "user-interrupt",
        }
    }
}

/// Something that the coordinator planned.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    pub(crate) id: u64,
    pub(crate) kind: TaskKind,
}

/// What a task does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TaskKind {
    /// The retry after an interrupt.
    Retry {
        /// The retry's token; only the latest acts.
        token: u64,
        /// The prompt generation at the interrupt.
        generation: u64,
        /// Time stamp of the interrupted message.
        target: Option<f64>,
    },
    /// A judge that refused the caller is asked again.
    AskAgain,
    /// The continuation that delivers a follow-up.
    FollowUp {
        /// The delivery that it is for.
        delivery: u64,
        /// The prompt generation at its queueing.
        generation: u64,
    },
}
