//! Trace lines back into events, for reports over the traces of several processes (cli.md section 2, `--merge`).

use crate::generation::Lifecycle;
use crate::host::trace::{
    At, By, Counting, Matched, Outcome, Summary, TRACE_SCHEMA, TraceEvent, TraceKind, Trigger, Uninjected,
};
use crate::lifecycle::Decision;
use crate::message::Source;
use crate::text::JsString;
use crate::text::json::{Object, Value};

/// Why a line is not one of a trace that can be summed up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// It does not say that it is a trace line.
    #[error("it has no `\"schema\":\"{TRACE_SCHEMA}\"`")]
    Schema,
    /// A field is missing, or has a wrong value.
    #[error("`{0}` is missing or has a value that no trace has")]
    Field(&'static str),
}

/// The kinds of input that a trace names.
const INPUT_KINDS: [&str; 6] = ["session", "events", "foreign", "script", "text", "file"];

/// The event that a line tells; none for kinds that a report does not count.
///
/// # Errors
/// When the value is no trace line, or lacks what its kind has.
pub fn event(line: &Value) -> Result<Option<TraceEvent>, LineError> {
    let line =
        line.as_object().filter(|line| line.get("schema").and_then(Value::as_string) == Some(&TRACE_SCHEMA.into()));
    let fields = Fields(line.ok_or(LineError::Schema)?);
    let at = fields.at()?;
    let kind = fields.text("kind")?.to_string_lossy();
    let kind = match kind.as_str() {
        "run" => fields.run()?,
        "rule" => TraceKind::Rule {
            name: fields.text("name")?,
            path: fields.text("path")?,
            registered: fields.flag("registered"),
            reason: fields.0.get("reason").and_then(Value::as_string).map(JsString::to_string_lossy),
            matches: fields
                .list("matches")
                .iter()
                .map(|one| Fields::of(one, "matches")?.matched())
                .collect::<Result<_, _>>()?,
        },
        "trigger" => TraceKind::Trigger(fields.trigger()?),
        "undecided" => TraceKind::Undecided {
            rule: fields.text("rule")?,
            matched: fields.matched()?,
            why: fields.text("why")?.to_string_lossy(),
        },
        "persist" => TraceKind::Persist { rules: fields.names("rules"), entry: fields.text("entry")? },
        "followed" => TraceKind::Followed {
            rule: fields.text("rule")?,
            outcome: fields.word("outcome", &Outcome::ALL, Outcome::as_str)?,
            messages: fields.number("messages")?,
            again: fields.flag("again"),
        },
        "uninjected" => TraceKind::Uninjected {
            rule: fields.text("rule")?,
            why: fields.word("why", &Uninjected::ALL, Uninjected::as_str)?,
            messages: fields.number("messages")?,
        },
        "input" => TraceKind::Input {
            assistant_messages: fields.number("assistant_messages")?,
            time: fields.0.get("time").and_then(Value::as_string).cloned(),
            cwd: fields.0.get("cwd").and_then(Value::as_string).cloned(),
        },
        "refused" => TraceKind::Refused { code: fields.text("code")?, why: fields.text("why")? },
        "summary" => TraceKind::Summary(fields.summary()?),
        _ => return Ok(None),
    };
    Ok(Some(TraceEvent { at, kind }))
}

/// The fields of a line or of an object in it.
struct Fields<'a>(&'a Object);

impl<'a> Fields<'a> {
    fn of(value: &'a Value, name: &'static str) -> Result<Self, LineError> {
        value.as_object().map(Self).ok_or(LineError::Field(name))
    }

    fn text(&self, name: &'static str) -> Result<JsString, LineError> {
        self.0.get(name).and_then(Value::as_string).cloned().ok_or(LineError::Field(name))
    }

    fn optional(&self, name: &str) -> Option<JsString> {
        self.0.get(name).and_then(Value::as_string).cloned()
    }

    fn flag(&self, name: &str) -> bool {
        self.0.get(name).and_then(Value::as_bool).unwrap_or_default()
    }

    fn number(&self, name: &'static str) -> Result<usize, LineError> {
        count(self.0.get(name)).ok_or(LineError::Field(name))
    }

    fn list(&self, name: &str) -> &'a [Value] {
        self.0.get(name).and_then(Value::as_array).unwrap_or_default()
    }

    fn names(&self, name: &str) -> Vec<JsString> {
        self.list(name).iter().filter_map(|name| name.as_string().cloned()).collect()
    }

    /// One of some values, by its word.
    fn word<T: Copy>(&self, name: &'static str, all: &[T], word: impl Fn(T) -> &'static str) -> Result<T, LineError> {
        let text = self.text(name)?.to_string_lossy();
        all.iter().copied().find(|one| word(*one) == text).ok_or(LineError::Field(name))
    }

    fn at(&self) -> Result<At, LineError> {
        let fields = Self::of(self.0.get("at").ok_or(LineError::Field("at"))?, "at")?;
        let number = |name: &str| count(fields.0.get(name));
        Ok(At {
            input: fields.text("input")?.to_string_lossy(),
            line: number("line"),
            entry: fields.optional("entry"),
            turn: number("turn"),
            message: number("message"),
            block: number("block"),
            delta: number("delta"),
        })
    }

    fn run(&self) -> Result<TraceKind, LineError> {
        let lifecycles = [Lifecycle::V1, Lifecycle::V2, Lifecycle::V3, Lifecycle::V4];
        let count = match self.0.get("count") {
            None => None,
            Some(_) => Some(self.word("count", &[Counting::Every, Counting::Agent], Counting::as_str)?),
        };
        Ok(TraceKind::Run {
            input_kind: self.word("input_kind", &INPUT_KINDS, |kind| kind)?,
            lifecycle: self.word("lifecycle", &lifecycles, Lifecycle::as_str)?.as_str(),
            lifecycle_from: self.optional("lifecycle_from").map(|text| text.to_string_lossy()),
            chunk: self.text("chunk")?.to_string_lossy(),
            settings: Object::new(),
            rules: self.number("rules")?,
            count,
            // A report counts kinds of inputs.
            foreign: None,
        })
    }

    fn matched(&self) -> Result<Matched, LineError> {
        let named = |name: &str| self.optional(name);
        let condition = named("condition").map(Matched::Condition);
        let structural = || named("ast").map(Matched::Ast);
        let question = || named("question").map(Matched::Question);
        condition.or_else(structural).or_else(question).ok_or(LineError::Field("condition"))
    }

    fn trigger(&self) -> Result<Trigger, LineError> {
        let by = self.list("by").iter().map(|by| {
            let fields = Self::of(by, "by")?;
            let marked = fields.list("marked").iter().map(|at| count(Some(at))).collect::<Option<Vec<_>>>();
            Ok(By {
                rule: fields.text("rule")?,
                matched: fields.matched()?,
                excerpt: fields.text("excerpt")?,
                marked: marked.and_then(|marked| match marked[..] {
                    [start, end] => Some((start, end)),
                    _ => None,
                }),
                chunk_dependent: fields.flag("chunk_dependent"),
                premature: fields.flag("premature"),
                any_of: None,
            })
        });
        let decisions = [Decision::Interrupt, Decision::Defer, Decision::Fold, Decision::Warn];
        Ok(Trigger {
            rules: self.names("rules"),
            source: self.word("source", &[Source::Text, Source::Thinking, Source::Tool], Source::as_str)?,
            tool: self.optional("tool"),
            tool_call: self.optional("tool_call"),
            paths: self.names("paths"),
            decision: self.word("decision", &decisions, Decision::as_str)?,
            by: by.collect::<Result<_, _>>()?,
            after_divergence: self.flag("after_divergence"),
            foreign_tool: self.optional("foreign_tool"),
        })
    }

    fn summary(&self) -> Result<Summary, LineError> {
        let messages = Self::of(self.0.get("messages").ok_or(LineError::Field("messages"))?, "messages")?;
        let mut summary = Summary::default();
        (summary.bytes, summary.deltas) = (self.number("bytes")?, self.number("deltas")?);
        summary.messages = messages.number("ended")?;
        summary.interrupted_messages = messages.number("interrupted")?;
        summary.aborted_messages = messages.number("aborted")?;
        summary.failed_messages = messages.number("failed")?;
        Ok(summary)
    }
}

/// A count, as JSON has it.
fn count(value: Option<&Value>) -> Option<usize> {
    let number = value?.as_f64()?;
    // Greater ones are no counts of anything that was read.
    (number >= 0.0 && number.fract() == 0.0 && number < 9e15).then_some(number as usize)
}
