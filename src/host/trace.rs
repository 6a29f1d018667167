//! [`TraceEvent`]: each decision of a run with its place and reason, in the public form `ttsr.trace/1`
//! (cli.md section 2, "Trace line").

use crate::engine::{By as EngineBy, Explanation};
use crate::json_object;
use crate::lifecycle::Decision;
use crate::message::Source;
use crate::text::JsString;
use crate::text::json::{Object, Value};

pub use super::totals::{Summary, Totals};

/// The schema name in each trace line.
pub const TRACE_SCHEMA: &str = "ttsr.trace/1";

/// Where in the input an event belongs. Counters are 0-based, `line` is 1-based.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct At {
    /// The input as the user named it.
    pub input: String,
    /// Line of the input.
    pub line: Option<usize>,
    /// Session entry.
    pub entry: Option<JsString>,
    /// Turn ends before.
    pub turn: Option<usize>,
    /// Assistant message.
    pub message: Option<usize>,
    /// Content block of the message.
    pub block: Option<usize>,
    /// Delta of the block.
    pub delta: Option<usize>,
}

/// One event of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceEvent {
    /// Where.
    pub at: At,
    /// What.
    pub kind: TraceKind,
}

/// Which of a rule's triggers matched.
#[derive(Clone, Debug, PartialEq)]
pub enum Matched {
    /// A regular expression.
    Condition(JsString),
    /// A structural pattern.
    Ast(JsString),
    /// A question, answered with yes.
    Question(JsString),
}

impl From<&EngineBy> for Matched {
    fn from(by: &EngineBy) -> Self {
        match by {
            EngineBy::Condition { source, .. } => Self::Condition(source.clone()),
            EngineBy::Ast(pattern) => Self::Ast(pattern.clone()),
            EngineBy::Judged { question, .. } => Self::Question(question.clone()),
        }
    }
}

impl Matched {
    /// The condition, pattern or question as the rule has it.
    pub fn text(&self) -> &JsString {
        match self {
            Self::Condition(text) | Self::Ast(text) | Self::Question(text) => text,
        }
    }

    /// The word for it in reports.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Condition(_) => "condition",
            Self::Ast(_) => "ast",
            Self::Question(_) => "question",
        }
    }
}

/// One rule's part in a trigger.
#[derive(Clone, Debug, PartialEq)]
pub struct By {
    /// The rule.
    pub rule: JsString,
    /// Its condition or pattern that matched.
    pub matched: Matched,
    /// At most 80 code points around the match.
    pub excerpt: JsString,
    /// Where in the excerpt the match begins and ends, in code points, when its place is known.
    pub marked: Option<(usize, usize)>,
    /// Whether another cut of the same text would decide otherwise.
    pub chunk_dependent: bool,
    /// Whether the condition matches at this check point but not the whole block.
    pub premature: bool,
    /// How many conditions and patterns the rule has, any one of which is enough; only where it is to be explained
    /// (`--explain`) and there are several.
    pub any_of: Option<usize>,
}

/// A match and the decision about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Trigger {
    /// Names of the matched rules, in order.
    pub rules: Vec<JsString>,
    /// The stream that matched.
    pub source: Source,
    /// The tool's name as called.
    pub tool: Option<JsString>,
    /// The call's id.
    pub tool_call: Option<JsString>,
    /// The paths the call names.
    pub paths: Vec<JsString>,
    /// What follows.
    pub decision: Decision,
    /// What matched.
    pub by: Vec<By>,
    /// Whether an earlier decision already left the recording.
    pub after_divergence: bool,
    /// The tool's name in the transcript of another agent.
    pub foreign_tool: Option<JsString>,
}

/// The transcript of another agent, as the first line of its trace names it.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignRun {
    /// The format, such as `claude`.
    pub format: &'static str,
    /// What it is, in words that follow "read as".
    pub words: &'static str,
    /// The version that wrote it.
    pub version: Option<JsString>,
}

/// Why a rule did not fire at a message (`--explain`).
#[derive(Clone, Debug, PartialEq)]
pub struct GateEvent {
    /// The rule.
    pub rule: JsString,
    /// `not-registered`, `disabled`, `agent`, `scope`, `globs`, `condition`, `ast`, `language` or `repeat`.
    pub gate: &'static str,
    /// The reason in a sentence.
    pub why: String,
    /// What the reason rests on: `searched`, `globs`, `closest`, `would_match`, each where it applies.
    pub details: Object,
}

impl GateEvent {
    /// A reason that rests on nothing in the message.
    pub fn plain(rule: JsString, gate: &'static str, why: String) -> Self {
        Self { rule, gate, why, details: Object::new() }
    }

    /// The reason that the engine gives.
    pub fn new(explanation: &Explanation, why: String) -> Self {
        let mut details = Object::new();
        if let Some(searched) = &explanation.searched {
            let mut object = json_object! {"what": searched.subject.as_str()};
            if let Some(tool) = &searched.tool {
                object.insert("tool", tool.clone());
            }
            if let Some(path) = &searched.path {
                object.insert("path", path.clone());
            }
            if let Some(units) = searched.units {
                object.insert("units", units);
                object.insert("excerpt", searched.excerpt.clone());
            }
            details.insert("searched", object);
        }
        if !explanation.globs.is_empty() {
            details.insert("globs", names(&explanation.globs));
        }
        if let Some(closest) = &explanation.closest {
            let object = json_object! {
                "condition": closest.condition.clone(),
                "read": closest.read.clone(),
                "at": closest.at,
                "wanted": closest.wanted.as_str(),
                "found": closest.found.clone(),
            };
            details.insert("closest", object);
        }
        if let Some(argument) = &explanation.would_match {
            details.insert("would_match", argument.clone());
        }
        Self { rule: explanation.rule.clone(), gate: explanation.gate.as_str(), why, details }
    }
}

/// The kinds of trace lines.
#[derive(Clone, Debug, PartialEq)]
pub enum TraceKind {
    /// First line of an input.
    Run {
        /// `session`, `events`, `foreign`, `script`, `text` or `file`.
        input_kind: &'static str,
        /// The generation.
        lifecycle: &'static str,
        /// The mark in the input that decided for it, in words; none when it was named.
        lifecycle_from: Option<String>,
        /// How recorded messages were cut.
        chunk: String,
        /// The settings in force.
        settings: Object,
        /// Number of registered rules.
        rules: usize,
        /// What is counted over many inputs; none where a run stands for itself.
        count: Option<Counting>,
        /// Which other agent wrote it.
        foreign: Option<ForeignRun>,
    },
    /// A rule that was read.
    Rule {
        /// Its name.
        name: JsString,
        /// Its shown path.
        path: JsString,
        /// Whether the engine registered it.
        registered: bool,
        /// Why not.
        reason: Option<String>,
        /// What makes it match; told over many inputs only, where what never matches is of interest.
        matches: Vec<Matched>,
    },
    /// A match.
    Trigger(Trigger),
    /// The stream is aborted.
    Abort {
        /// The reason text.
        reason: JsString,
    },
    /// The partial message leaves the agent's memory.
    Discard {
        /// Counter of the message; none when a later timer of the early generation drops something else.
        message: Option<usize>,
        /// The roles of what leaves, where that is not the message with what follows it.
        dropped: Option<Vec<JsString>>,
    },
    /// The partial message stays.
    Keep {
        /// Counter of the message.
        message: usize,
    },
    /// A reminder joins the conversation.
    Inject {
        /// `user` in v1, else `custom`.
        role: &'static str,
        /// `ttsr-injection`, none in v1.
        custom_type: Option<&'static str>,
        /// The rules.
        rules: Vec<JsString>,
        /// Counter of deferred deliveries.
        delivery_id: Option<u64>,
        /// The rendered blocks.
        content: JsString,
    },
    /// A reminder goes in front of a tool result.
    Fold {
        /// The call.
        tool_call: JsString,
        /// The rules.
        rules: Vec<JsString>,
        /// The rendered blocks.
        content: JsString,
    },
    /// A `ttsr_injection` entry is written.
    Persist {
        /// The rules.
        rules: Vec<JsString>,
        /// Id of the entry.
        entry: JsString,
    },
    /// Generation goes on.
    Continue {
        /// `retry` or `deferred`.
        source: &'static str,
    },
    /// Pending reminders are given up.
    Drop {
        /// The rules.
        rules: Vec<JsString>,
        /// `aborted`, `error`, `superseded` or `user-interrupt`.
        why: &'static str,
    },
    /// Why a rule did not fire.
    Gate(GateEvent),
    /// A verdict that could not be reached exactly.
    Undecided {
        /// The rule.
        rule: JsString,
        /// The condition or pattern.
        matched: Matched,
        /// Why.
        why: String,
    },
    /// A trigger that the input itself records.
    Recorded {
        /// The rules.
        rules: Vec<JsString>,
        /// Whether the engine decided the same; none where the input does not allow to tell.
        agrees: Option<bool>,
    },
    /// An output of a finished message is put to a judge (generation-v4.md W15.1).
    Ask {
        /// What the output is called.
        output: JsString,
        /// The rules that are asked about.
        rules: Vec<JsString>,
        /// Their questions.
        questions: Vec<JsString>,
        /// What is judged, uncut.
        content: JsString,
        /// Counter of the message.
        message: usize,
    },
    /// What a judge said of one rule.
    Verdict {
        /// The rule.
        rule: JsString,
        /// Probability of a yes; none where the judge failed or nobody knows.
        probability: Option<f64>,
        /// `recording`, `script`, `file` or `none`.
        from: &'static str,
    },
    /// What a kind of receiver of `ttsr_triggered` gets (full traces only, like all that follow but the last).
    Emit {
        /// `session`, `extension`, `hook` or `custom-tool`.
        surface: &'static str,
        /// What it gets.
        payload: Value,
    },
    /// What the next request to the model holds.
    Context {
        /// Role and entry of each message; an entry is known where a session is kept or read.
        entries: Vec<(JsString, Option<JsString>)>,
    },
    /// The gate on which a prompt waits opens or closes (engine.md E7.4).
    ResumeGate {
        /// Whether it is open now.
        open: bool,
    },
    /// The agent could not continue; the error goes no further.
    ContinueFailed {
        /// Why.
        why: String,
    },
    /// The handoff goes from one state to another (handoff.md H6).
    State {
        /// Before.
        from: String,
        /// Now.
        to: String,
    },
    /// A delivery holds its rules (engine.md E7.6).
    Reserve {
        /// The rules.
        rules: Vec<JsString>,
        /// Counter of deliveries.
        delivery_id: u64,
    },
    /// The rules of a delivery are free again.
    Release {
        /// The rules.
        rules: Vec<JsString>,
        /// Counter of deliveries.
        delivery_id: u64,
    },
    /// What became of an injection of the recording (many inputs only).
    Followed {
        /// The rule.
        rule: JsString,
        /// Whether the model obeyed.
        outcome: Outcome,
        /// Assistant messages from the injection to the next prompt.
        messages: usize,
        /// Whether the rule matches in any message behind it.
        again: bool,
    },
    /// Messages that match and that the recording does not inject the rule at (many inputs only).
    Uninjected {
        /// The rule.
        rule: JsString,
        /// The likely reason.
        why: Uninjected,
        /// How many.
        messages: usize,
    },
    /// What an input came to, for a report over many (many inputs only).
    Input {
        /// Assistant messages.
        assistant_messages: usize,
        /// The time in its header.
        time: Option<JsString>,
        /// The working directory in its header.
        cwd: Option<JsString>,
    },
    /// An input that could not be read.
    Refused {
        /// The kind of failure.
        code: JsString,
        /// The failure in words.
        why: JsString,
    },
    /// Last line of an input.
    Summary(Summary),
}

/// What a report over many inputs counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Counting {
    /// What matches in each message, the repeat policy left aside.
    Every,
    /// What the agent would have done.
    Agent,
}

impl Counting {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Every => "every",
            Self::Agent => "agent",
        }
    }
}

/// Whether a model obeyed an injection: its rule, the repeat policy left aside, matches in no assistant message from it
/// to the next prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It does not match there.
    Obeyed,
    /// It does.
    Repeated,
    /// No message follows, the rule is not known here, or its decision is open.
    Unknown,
}

impl Outcome {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Obeyed, Self::Repeated, Self::Unknown];

    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Obeyed => "obeyed",
            Self::Repeated => "repeated",
            Self::Unknown => "unknown",
        }
    }
}

/// Why a recording does not inject a rule at a message in which it matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Uninjected {
    /// The rule was injected before.
    Spent,
    /// The recording injects it only later.
    NotThereYet,
    /// It matches only with this cut of the text.
    Cut,
    /// The recording never names it: it was not there, disabled, or had another text.
    NeverNamed,
}

impl Uninjected {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Spent, Self::NotThereYet, Self::Cut, Self::NeverNamed];

    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Spent => "spent",
            Self::NotThereYet => "not-there-yet",
            Self::Cut => "cut",
            Self::NeverNamed => "never-named",
        }
    }
}

fn names(rules: &[JsString]) -> Value {
    Value::Array(rules.iter().cloned().map(Value::String).collect())
}

impl TraceEvent {
    /// What a judge would be asked, if the event says so: the form of `--print-asks`, from which answers can be made.
    pub fn asked(&self) -> Option<Value> {
        let TraceKind::Ask { output, rules, questions, content, message } = &self.kind else { return None };
        let questions = rules
            .iter()
            .zip(questions)
            .map(|(rule, question)| Value::Object(json_object! {"rule": rule.clone(), "question": question.clone()}));
        Some(Value::Object(json_object! {
            "output": output.clone(),
            "content": content.clone(),
            "message": *message,
            "questions": questions.collect::<Vec<_>>(),
        }))
    }
}
