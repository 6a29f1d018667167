//! `ttsr.trace/1` (cli.md section 2, "Trace line"), and `ttsr.replay/1`, which holds such lines.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use crate::output::json::{Any, Decision, Source, Text};
use crate::replay::trace::{
    At as Place, By as Part, GateEvent, Matched, Summary as Sums, TRACE_SCHEMA, Totals as Counts, TraceEvent,
    TraceKind, Trigger as Match,
};
use crate::text::JsString;
use crate::text::json::Object;

/// One event of a run. Members may be added, none are renamed.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "ttsr.trace/1", extend("unevaluatedProperties" = false))]
pub struct Line<'a> {
    #[schemars(extend("const" = TRACE_SCHEMA))]
    schema: &'static str,
    /// Counts the lines of the whole output from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    seq: Option<usize>,
    #[serde(flatten)]
    event: Event<'a>,
}

impl<'a> Line<'a> {
    /// The event as a line; without `seq` where lines of different outputs are to be compared.
    pub fn new(event: &'a TraceEvent, seq: Option<usize>) -> Self {
        Self { schema: TRACE_SCHEMA, seq, event: Event::new(event) }
    }

    /// The line as JSON, without a line feed.
    pub fn to_json(&self) -> String {
        let mut json = String::new();
        crate::output::json::write(self, &mut |piece| json.push_str(piece));
        json
    }
}

/// The runs of `ttsr replay … --format json`, one after the other.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "ttsr.replay/1", deny_unknown_fields)]
pub struct Replay<'a> {
    #[schemars(extend("const" = "ttsr.replay/1"))]
    schema: &'static str,
    inputs: Vec<Input<'a>>,
}

/// One input and what happened in it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Input<'a> {
    input: &'a str,
    trace: Vec<Line<'a>>,
}

/// Where in the input an event belongs; what does not apply is left out.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct At<'a> {
    /// The input as the user named it; left out where it stands above.
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<&'a str>,
    /// Line of the input, from 1 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// Session entry.
    #[serde(skip_serializing_if = "Option::is_none")]
    entry: Option<Text<'a>>,
    /// Turn ends before.
    #[serde(skip_serializing_if = "Option::is_none")]
    turn: Option<usize>,
    /// Assistant message, from 0 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<usize>,
    /// Content block of the message, from 0 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    block: Option<usize>,
    /// Delta of the block, from 0 on.
    #[serde(skip_serializing_if = "Option::is_none")]
    delta: Option<usize>,
}

impl<'a> From<&'a Place> for At<'a> {
    fn from(at: &'a Place) -> Self {
        let Place { input, line, entry, turn, message, block, delta } = at;
        let (entry, [line, turn, message, block, delta]) = (entry.as_ref(), [*line, *turn, *message, *block, *delta]);
        Self { input: Some(input), line, entry: entry.map(Text), turn, message, block, delta }
    }
}

impl<'a> At<'a> {
    /// The place in an input that is named elsewhere.
    pub(super) fn in_input(at: &'a Place) -> Self {
        Self { input: None, ..Self::from(at) }
    }
}

/// The kinds of events.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schemars(deny_unknown_fields)]
enum Event<'a> {
    /// First line of an input.
    Run {
        at: At<'a>,
        input: &'a str,
        #[schemars(extend("enum" = ["session", "events", "foreign", "script", "text", "file"]))]
        input_kind: &'static str,
        #[schemars(extend("enum" = ["v1", "v2", "v3", "v4"]))]
        lifecycle: &'static str,
        /// The mark in the input that decided for the generation; absent when it was named.
        #[serde(skip_serializing_if = "Option::is_none")]
        lifecycle_from: Option<&'a str>,
        /// How recorded messages were cut.
        chunk: &'a str,
        settings: Members<'a>,
        /// How many rules are registered.
        rules: usize,
        /// What is counted over many inputs; absent where a run stands for itself.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(extend("enum" = ["every", "agent"]))]
        count: Option<&'static str>,
        /// The format of another agent, such as `claude`.
        #[serde(skip_serializing_if = "Option::is_none")]
        foreign: Option<&'static str>,
        /// The version of that agent.
        #[serde(skip_serializing_if = "Option::is_none")]
        foreign_version: Option<Text<'a>>,
    },
    /// A rule that was read.
    Rule {
        at: At<'a>,
        name: Text<'a>,
        path: Text<'a>,
        registered: bool,
        /// Why not.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'a str>,
        /// What makes it match; over many inputs only.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        matches: Vec<What<'a>>,
    },
    /// A match and the decision about it.
    Trigger(Box<Trigger<'a>>),
    /// The stream is aborted.
    Abort { at: At<'a>, reason: Text<'a> },
    /// The partial message leaves the agent's memory.
    Discard {
        at: At<'a>,
        message: Option<usize>,
        /// The roles of what leaves, where that is not the message with what follows it.
        #[serde(skip_serializing_if = "Option::is_none")]
        dropped: Option<Vec<Text<'a>>>,
    },
    /// The partial message stays.
    Keep { at: At<'a>, message: usize },
    /// A reminder joins the conversation.
    Inject {
        at: At<'a>,
        role: &'static str,
        custom_type: Option<&'static str>,
        rules: Vec<Text<'a>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        delivery_id: Option<u64>,
        content: Text<'a>,
    },
    /// A reminder goes in front of a tool result.
    Fold { at: At<'a>, tool_call: Text<'a>, rules: Vec<Text<'a>>, content: Text<'a> },
    /// A `ttsr_injection` entry is written.
    Persist { at: At<'a>, rules: Vec<Text<'a>>, entry: Text<'a> },
    /// Generation goes on.
    Continue {
        at: At<'a>,
        #[schemars(extend("enum" = ["retry", "deferred"]))]
        source: &'static str,
    },
    /// Pending reminders are given up.
    Drop {
        at: At<'a>,
        rules: Vec<Text<'a>>,
        #[schemars(extend("enum" = ["aborted", "error", "superseded", "user-interrupt"]))]
        why: &'static str,
    },
    /// Why a rule did not fire.
    Gate {
        at: At<'a>,
        rule: Text<'a>,
        gate: &'static str,
        why: &'a str,
        #[serde(flatten)]
        #[schemars(with = "Reasons<'a>")]
        reasons: Members<'a>,
    },
    /// A verdict that could not be reached exactly.
    Undecided {
        at: At<'a>,
        rule: Text<'a>,
        #[serde(flatten)]
        what: What<'a>,
        why: &'a str,
    },
    /// A trigger that the input itself records.
    Recorded {
        at: At<'a>,
        rules: Vec<Text<'a>>,
        /// Whether the engine decided the same; null where the input does not allow to tell.
        agrees: Option<bool>,
    },
    /// An output of a finished message is put to a judge.
    Ask { at: At<'a>, output: Text<'a>, rules: Vec<Text<'a>>, questions: Vec<Text<'a>>, message: usize },
    /// What a judge said of one rule.
    Verdict {
        at: At<'a>,
        rule: Text<'a>,
        /// Null where the judge failed or nobody knows.
        probability: Option<f64>,
        #[schemars(extend("enum" = ["recording", "script", "file", "none"]))]
        from: &'static str,
    },
    /// What a kind of receiver of `ttsr_triggered` gets (full traces).
    Emit {
        at: At<'a>,
        #[schemars(extend("enum" = ["session", "extension", "hook", "custom-tool"]))]
        surface: &'static str,
        payload: Any<'a>,
    },
    /// What the next request to the model holds (full traces).
    Context { at: At<'a>, entries: Vec<Entry<'a>> },
    /// The gate on which a prompt waits opens or closes (full traces).
    ResumeGate { at: At<'a>, open: bool },
    /// The agent could not continue (full traces).
    ContinueFailed { at: At<'a>, why: &'a str },
    /// The handoff goes from one state to another (full traces).
    State { at: At<'a>, from: &'a str, to: &'a str },
    /// A delivery holds its rules (full traces).
    Reserve { at: At<'a>, rules: Vec<Text<'a>>, delivery_id: u64 },
    /// The rules of a delivery are free again (full traces).
    Release { at: At<'a>, rules: Vec<Text<'a>>, delivery_id: u64 },
    /// What became of an injection of the recording (reports over many inputs).
    Followed {
        at: At<'a>,
        rule: Text<'a>,
        #[schemars(extend("enum" = ["obeyed", "repeated", "unknown"]))]
        outcome: &'static str,
        /// Assistant messages from the injection to the next prompt.
        messages: usize,
        /// Whether the rule matches in any message behind it.
        again: bool,
    },
    /// Messages that match and that the recording does not inject the rule at (reports over many inputs).
    Uninjected {
        at: At<'a>,
        rule: Text<'a>,
        #[schemars(extend("enum" = ["spent", "not-there-yet", "cut", "never-named"]))]
        why: &'static str,
        messages: usize,
    },
    /// What one of many inputs came to.
    Input {
        at: At<'a>,
        input: &'a str,
        assistant_messages: usize,
        /// The time in its header.
        time: Option<Text<'a>>,
        /// The working directory in its header.
        cwd: Option<Text<'a>>,
    },
    /// An input that could not be read.
    Refused { at: At<'a>, input: &'a str, code: Text<'a>, why: Text<'a> },
    /// Last line of an input.
    Summary(Box<Summary<'a>>),
}

/// A match and the decision about it.
#[derive(Debug, Serialize, JsonSchema)]
struct Trigger<'a> {
    at: At<'a>,
    /// Names of the matched rules, in order.
    rules: Vec<Text<'a>>,
    source: Source,
    tool: Option<Text<'a>>,
    tool_call: Option<Text<'a>>,
    paths: Vec<Text<'a>>,
    decision: Decision,
    by: Vec<By<'a>>,
    /// Whether an earlier decision already left the recording.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    after_divergence: bool,
    /// The tool's name in the transcript of another agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    foreign_tool: Option<Text<'a>>,
}

/// One rule's part in a trigger.
#[derive(Debug, Serialize, JsonSchema)]
struct By<'a> {
    rule: Text<'a>,
    #[serde(flatten)]
    what: What<'a>,
    /// At most 80 code points around the match.
    excerpt: Text<'a>,
    /// Where in it the match begins and ends, in code points.
    #[serde(skip_serializing_if = "Option::is_none")]
    marked: Option<(usize, usize)>,
    /// Whether another cut of the same text would decide otherwise.
    chunk_dependent: bool,
    /// Whether the condition matches at this point but not the whole block.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    premature: bool,
    /// How many conditions and patterns the rule has, any one of which is enough.
    #[serde(skip_serializing_if = "Option::is_none")]
    any_of: Option<usize>,
}

impl<'a> From<&'a Part> for By<'a> {
    fn from(by: &'a Part) -> Self {
        Self {
            rule: Text(&by.rule),
            what: What::from(&by.matched),
            excerpt: Text(&by.excerpt),
            marked: by.marked,
            chunk_dependent: by.chunk_dependent,
            premature: by.premature,
            any_of: by.any_of,
        }
    }
}

/// What makes a rule match.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum What<'a> {
    Condition(Text<'a>),
    Ast(Text<'a>),
    Question(Text<'a>),
}

impl<'a> From<&'a Matched> for What<'a> {
    fn from(matched: &'a Matched) -> Self {
        match matched {
            Matched::Condition(text) => Self::Condition(Text(text)),
            Matched::Ast(text) => Self::Ast(Text(text)),
            Matched::Question(text) => Self::Question(Text(text)),
        }
    }
}

/// A message of a request.
#[derive(Debug, Serialize, JsonSchema)]
struct Entry<'a> {
    role: Text<'a>,
    entry: Option<Text<'a>>,
}

/// What a reason rests on; each where it applies.
#[derive(Serialize, JsonSchema)]
struct Reasons<'a> {
    /// What the condition was matched against.
    #[serde(skip_serializing_if = "Option::is_none")]
    searched: Option<Searched<'a>>,
    /// The globs that no path met.
    #[serde(skip_serializing_if = "Option::is_none")]
    globs: Option<Vec<Text<'a>>>,
    /// Where a condition came closest.
    #[serde(skip_serializing_if = "Option::is_none")]
    closest: Option<Closest<'a>>,
    /// The argument whose value would match, though the agent matches the JSON text.
    #[serde(skip_serializing_if = "Option::is_none")]
    would_match: Option<Text<'a>>,
}

/// The text that was searched.
#[derive(Serialize, JsonSchema)]
struct Searched<'a> {
    what: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    units: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    excerpt: Option<Text<'a>>,
}

/// The longest beginning of a match.
#[derive(Serialize, JsonSchema)]
struct Closest<'a> {
    condition: Text<'a>,
    read: Text<'a>,
    at: usize,
    wanted: &'a str,
    found: Text<'a>,
}

/// An object with members of any kind.
#[derive(Clone, Copy, Debug)]
struct Members<'a>(&'a Object);

impl Serialize for Members<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key.to_string_lossy(), Any::from(value))))
    }
}

impl JsonSchema for Members<'_> {
    fn schema_name() -> Cow<'static, str> {
        "Members".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({"type": "object"})
    }
}

/// The totals of a run.
#[derive(Debug, Serialize, JsonSchema)]
struct Summary<'a> {
    at: At<'a>,
    triggers: usize,
    interrupts: usize,
    deferred: usize,
    folded: usize,
    persisted: usize,
    undecided: usize,
    /// Recorded matches that the input does not allow to reproduce.
    not_reproducible: usize,
    /// Recorded matches that are a race in the agent itself.
    races: usize,
    warned: usize,
    per_rule: PerRule<'a>,
    /// UTF-8 bytes of delta text.
    bytes: usize,
    /// Deltas fed.
    deltas: usize,
    messages: Messages,
}

/// Assistant messages by their end.
#[derive(Debug, Serialize, JsonSchema)]
struct Messages {
    ended: usize,
    interrupted: usize,
    aborted: usize,
    failed: usize,
}

/// The counts of each rule, by name.
#[derive(Debug)]
struct PerRule<'a>(&'a [(JsString, Counts)]);

impl Serialize for PerRule<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // A name may hold what no key of a map of Rust can.
        let object: Object = self.0.iter().map(|(name, counts)| (name.clone(), counts.to_value())).collect();
        Any::from(crate::text::json::Value::Object(object)).serialize(serializer)
    }
}

impl JsonSchema for PerRule<'_> {
    fn schema_name() -> Cow<'static, str> {
        "PerRule".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let counts = ["triggers", "interrupts", "deferred", "folded", "warned", "persisted", "premature", "undecided"];
        let properties: serde_json::Map<String, serde_json::Value> = counts
            .iter()
            .map(|name| ((*name).to_owned(), serde_json::json!({"type": "integer", "minimum": 0})))
            .collect();
        schemars::json_schema!({
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "properties": properties,
                "required": counts,
                "additionalProperties": false,
            },
        })
    }
}

fn texts(names: &[JsString]) -> Vec<Text<'_>> {
    names.iter().map(Text).collect()
}

impl<'a> Event<'a> {
    fn new(event: &'a TraceEvent) -> Self {
        let (at, input) = (At::from(&event.at), event.at.input.as_str());
        match &event.kind {
            TraceKind::Run { input_kind, lifecycle, lifecycle_from, chunk, settings, rules, count, foreign } => {
                Self::Run {
                    at,
                    input,
                    input_kind,
                    lifecycle,
                    lifecycle_from: lifecycle_from.as_deref(),
                    chunk,
                    settings: Members(settings),
                    rules: *rules,
                    count: count.map(|count| count.as_str()),
                    foreign: foreign.as_ref().map(|foreign| foreign.format),
                    foreign_version: foreign.as_ref().and_then(|foreign| foreign.version.as_ref()).map(Text),
                }
            }
            TraceKind::Rule { name, path, registered, reason, matches } => Self::Rule {
                at,
                name: Text(name),
                path: Text(path),
                registered: *registered,
                reason: reason.as_deref(),
                matches: matches.iter().map(What::from).collect(),
            },
            TraceKind::Trigger(trigger) => Self::Trigger(Box::new(Trigger::new(at, trigger))),
            TraceKind::Abort { reason } => Self::Abort { at, reason: Text(reason) },
            TraceKind::Discard { message, dropped } => {
                Self::Discard { at, message: *message, dropped: dropped.as_deref().map(texts) }
            }
            TraceKind::Keep { message } => Self::Keep { at, message: *message },
            TraceKind::Inject { role, custom_type, rules, delivery_id, content } => Self::Inject {
                at,
                role,
                custom_type: *custom_type,
                rules: texts(rules),
                delivery_id: *delivery_id,
                content: Text(content),
            },
            TraceKind::Fold { tool_call, rules, content } => {
                Self::Fold { at, tool_call: Text(tool_call), rules: texts(rules), content: Text(content) }
            }
            TraceKind::Persist { rules, entry } => Self::Persist { at, rules: texts(rules), entry: Text(entry) },
            TraceKind::Continue { source } => Self::Continue { at, source },
            TraceKind::Drop { rules, why } => Self::Drop { at, rules: texts(rules), why },
            TraceKind::Gate(gate) => Self::gate(at, gate),
            TraceKind::Undecided { rule, matched, why } => {
                Self::Undecided { at, rule: Text(rule), what: What::from(matched), why }
            }
            TraceKind::Recorded { rules, agrees } => Self::Recorded { at, rules: texts(rules), agrees: *agrees },
            TraceKind::Ask { output, rules, questions, message, .. } => Self::Ask {
                at,
                output: Text(output),
                rules: texts(rules),
                questions: texts(questions),
                message: *message,
            },
            TraceKind::Verdict { rule, probability, from } => {
                Self::Verdict { at, rule: Text(rule), probability: *probability, from }
            }
            TraceKind::Emit { surface, payload } => Self::Emit { at, surface, payload: Any::from(payload) },
            TraceKind::Context { entries } => {
                let entry = |(role, entry): &'a (JsString, Option<JsString>)| Entry {
                    role: Text(role),
                    entry: entry.as_ref().map(Text),
                };
                Self::Context { at, entries: entries.iter().map(entry).collect() }
            }
            TraceKind::ResumeGate { open } => Self::ResumeGate { at, open: *open },
            TraceKind::ContinueFailed { why } => Self::ContinueFailed { at, why },
            TraceKind::State { from, to } => Self::State { at, from, to },
            TraceKind::Reserve { rules, delivery_id } => {
                Self::Reserve { at, rules: texts(rules), delivery_id: *delivery_id }
            }
            TraceKind::Release { rules, delivery_id } => {
                Self::Release { at, rules: texts(rules), delivery_id: *delivery_id }
            }
            TraceKind::Followed { rule, outcome, messages, again } => {
                let (outcome, messages, again) = (outcome.as_str(), *messages, *again);
                Self::Followed { at, rule: Text(rule), outcome, messages, again }
            }
            TraceKind::Uninjected { rule, why, messages } => {
                Self::Uninjected { at, rule: Text(rule), why: why.as_str(), messages: *messages }
            }
            TraceKind::Input { assistant_messages, time, cwd } => Self::Input {
                at,
                input,
                assistant_messages: *assistant_messages,
                time: time.as_ref().map(Text),
                cwd: cwd.as_ref().map(Text),
            },
            TraceKind::Refused { code, why } => Self::Refused { at, input, code: Text(code), why: Text(why) },
            TraceKind::Summary(summary) => Self::Summary(Box::new(Summary::new(at, summary))),
        }
    }

    fn gate(at: At<'a>, gate: &'a GateEvent) -> Self {
        Self::Gate { at, rule: Text(&gate.rule), gate: gate.gate, why: &gate.why, reasons: Members(&gate.details) }
    }
}

impl<'a> Trigger<'a> {
    fn new(at: At<'a>, trigger: &'a Match) -> Self {
        Self {
            at,
            rules: texts(&trigger.rules),
            source: Source(trigger.source),
            tool: trigger.tool.as_ref().map(Text),
            tool_call: trigger.tool_call.as_ref().map(Text),
            paths: texts(&trigger.paths),
            decision: Decision(trigger.decision),
            by: trigger.by.iter().map(By::from).collect(),
            after_divergence: trigger.after_divergence,
            foreign_tool: trigger.foreign_tool.as_ref().map(Text),
        }
    }
}

impl<'a> Summary<'a> {
    fn new(at: At<'a>, sums: &'a Sums) -> Self {
        let Counts { triggers, interrupts, deferred, folded, warned, persisted, undecided, .. } = sums.all;
        Self {
            at,
            triggers,
            interrupts,
            deferred,
            folded,
            persisted,
            undecided,
            not_reproducible: sums.not_reproducible,
            races: sums.races,
            warned,
            per_rule: PerRule(&sums.per_rule),
            bytes: sums.bytes,
            deltas: sums.deltas,
            messages: Messages {
                ended: sums.messages,
                interrupted: sums.interrupted_messages,
                aborted: sums.aborted_messages,
                failed: sums.failed_messages,
            },
        }
    }
}
