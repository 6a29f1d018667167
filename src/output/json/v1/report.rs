//! `ttsr.report/1` (cli.md section 2): what rules do over many inputs, from `ttsr replay … --format json`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::corpus::{Corpus, RuleTotals, Sample as Place, percentage};
use crate::output::catalogue;
use crate::output::json::{Decision, Source, Text};
use crate::output::report::{counted, hundredths, ranked, silent_conditions};
use crate::replay::trace::{Outcome as Followed, Uninjected as Missed};
use crate::text::JsString;

use super::trace::What;

/// How many pairs of rules are listed.
pub const MOST_PAIRS: usize = 50;

/// What rules do over many inputs. Members may be added, none are renamed.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "ttsr.report/1", deny_unknown_fields)]
pub struct Report<'a> {
    #[schemars(extend("const" = "ttsr.report/1"))]
    schema: &'static str,
    /// `every`: what matches in each message, the repeat policy left aside; `agent`: what the agent would have done;
    /// `mixed`: traces of both kinds were merged; none where nothing was played.
    #[schemars(extend("enum" = ["every", "agent", "mixed", null]))]
    count: Option<&'static str>,
    inputs: Inputs<'a>,
    messages: Messages,
    /// UTF-8 bytes of delta text.
    bytes: usize,
    /// Deltas fed.
    deltas: usize,
    /// Triggers; one that names several rules counts once.
    triggers: usize,
    /// Triggers whose condition does not match the whole block.
    premature: usize,
    /// Decisions that could not be reached.
    undecided: usize,
    /// The noisiest first, then by name.
    rules: Vec<Rule<'a>>,
    /// Registered rules that never trigger.
    silent_rules: Vec<Text<'a>>,
    /// Conditions of rules that trigger which are never what matched first.
    silent_conditions: Vec<Trigger<'a>>,
    /// Pairs of rules that match in the same messages, the most frequent first, 50 at most.
    together: Vec<Pair<'a>>,
    /// How many more pairs there are.
    together_more: usize,
    /// Inputs that could not be read.
    refused: Vec<Refused<'a>>,
}

/// The inputs.
#[derive(Debug, Serialize, JsonSchema)]
struct Inputs<'a> {
    /// How many were played.
    played: usize,
    /// How many could not be read.
    refused: usize,
    /// How many of each kind.
    by_kind: &'a BTreeMap<&'static str, usize>,
    /// How many of each generation.
    by_lifecycle: &'a BTreeMap<&'static str, usize>,
    /// How recorded messages were cut, by how many sessions.
    by_chunk: &'a BTreeMap<String, usize>,
    /// The earliest time in a header.
    first_time: Option<Text<'a>>,
    /// The latest.
    last_time: Option<Text<'a>>,
}

/// Assistant messages by their end.
#[derive(Debug, Serialize, JsonSchema)]
struct Messages {
    assistant: usize,
    /// By rules.
    interrupted: usize,
    /// By the user.
    aborted: usize,
    /// In an error.
    failed: usize,
}

/// The counts of one rule.
#[derive(Debug, Serialize, JsonSchema)]
struct Rule<'a> {
    name: Text<'a>,
    /// Whether it was given; else only the recordings name it.
    given: bool,
    /// Whether the engine works with it for any input.
    registered: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
    /// Inputs in which it matches.
    inputs: usize,
    /// Messages in which it matches.
    messages: usize,
    triggers: usize,
    interrupts: usize,
    deferred: usize,
    folded: usize,
    warned: usize,
    persisted: usize,
    premature: usize,
    /// Percentage of its triggers that are premature; none where there is no trigger.
    premature_share: Option<f64>,
    undecided: usize,
    /// Triggers in 1,000 assistant messages.
    per_1000_messages: f64,
    /// What makes it match, with how often that matched first.
    matches: Vec<Match<'a>>,
    /// What came of its injections in the recordings.
    injections: Injections,
    /// Messages in which it matches and at which the recordings do not inject it, by the likely reason.
    uninjected: Uninjected,
    /// The first match in each of the first inputs, by name.
    samples: Vec<Sample<'a>>,
}

/// A condition, structural pattern or question.
#[derive(Debug, Serialize, JsonSchema)]
struct Match<'a> {
    #[serde(flatten)]
    what: What<'a>,
    triggers: usize,
}

/// A condition, structural pattern or question of a rule.
#[derive(Debug, Serialize, JsonSchema)]
struct Trigger<'a> {
    rule: Text<'a>,
    #[serde(flatten)]
    what: What<'a>,
}

/// A condition, structural pattern or question by the word for its kind.
fn what<'a>((kind, text): (&str, &'a JsString)) -> What<'a> {
    match kind {
        "ast" => What::Ast(Text(text)),
        "question" => What::Question(Text(text)),
        _ => What::Condition(Text(text)),
    }
}

/// What came of the injections of a rule.
#[derive(Debug, Serialize, JsonSchema)]
struct Injections {
    recorded: usize,
    /// The rule matches in no assistant message from there to the next prompt.
    obeyed: usize,
    /// It does.
    repeated: usize,
    /// No message follows, the rule is not known here, or its decision is open.
    unknown: usize,
    /// Percentage of obeyed ones among those that are known; none where nothing is known.
    obeyed_share: Option<f64>,
    /// Injections behind which the rule matched ever again.
    again: usize,
}

/// Messages without injection.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
struct Uninjected {
    /// The rule was injected before.
    spent: usize,
    /// The recording injects it only later.
    not_there_yet: usize,
    /// It matches only with this cut of the text.
    cut: usize,
    /// The recording never names it: it was not there, disabled, or had another text.
    never_named: usize,
}

/// A place at which a rule matches.
#[derive(Debug, Serialize, JsonSchema)]
struct Sample<'a> {
    input: &'a str,
    line: Option<usize>,
    entry: Option<Text<'a>>,
    message: Option<usize>,
    delta: Option<usize>,
    source: Source,
    tool: Option<Text<'a>>,
    path: Option<Text<'a>>,
    decision: Decision,
    #[serde(flatten)]
    what: What<'a>,
    /// At most 80 code points around the match.
    excerpt: Text<'a>,
    /// Where in it the match begins and ends, in code points.
    marked: Option<(usize, usize)>,
    premature: bool,
}

/// Two rules that match in the same messages.
#[derive(Debug, Serialize, JsonSchema)]
struct Pair<'a> {
    rules: [Text<'a>; 2],
    messages: usize,
}

/// An input that could not be read.
#[derive(Debug, Serialize, JsonSchema)]
struct Refused<'a> {
    input: &'a str,
    code: Text<'a>,
    /// The name of the code.
    name: Option<&'static str>,
    why: Text<'a>,
}

impl<'a> Report<'a> {
    /// The report of these sums.
    pub fn new(corpus: &'a Corpus) -> Self {
        let [interrupted, aborted, failed] = corpus.cut_short;
        let mut pairs: Vec<_> = corpus.together.iter().collect();
        pairs.sort_by_key(|(rules, messages)| (std::cmp::Reverse(**messages), *rules));
        let pair = |((one, other), messages): (&'a (JsString, JsString), &usize)| Pair {
            rules: [Text(one), Text(other)],
            messages: *messages,
        };
        Self {
            schema: "ttsr.report/1",
            count: counted(corpus),
            inputs: Inputs {
                played: corpus.inputs,
                refused: corpus.refused.len(),
                by_kind: &corpus.kinds,
                by_lifecycle: &corpus.lifecycles,
                by_chunk: &corpus.chunks,
                first_time: corpus.times.as_ref().map(|(first, _)| Text(first)),
                last_time: corpus.times.as_ref().map(|(_, last)| Text(last)),
            },
            messages: Messages { assistant: corpus.messages, interrupted, aborted, failed },
            bytes: corpus.bytes,
            deltas: corpus.deltas,
            triggers: corpus.triggers,
            premature: corpus.premature.times,
            undecided: corpus.undecided.times,
            rules: ranked(corpus).into_iter().map(|(name, rule)| Rule::new(corpus, name, rule)).collect(),
            silent_rules: corpus
                .registered()
                .filter(|(_, rule)| rule.triggers == 0)
                .map(|(name, _)| Text(name))
                .collect(),
            silent_conditions: silent_conditions(corpus)
                .map(|(rule, condition)| Trigger { rule: Text(rule), what: what(condition) })
                .collect(),
            together_more: pairs.len().saturating_sub(MOST_PAIRS),
            together: pairs.into_iter().take(MOST_PAIRS).map(pair).collect(),
            refused: corpus
                .refused
                .iter()
                .map(|refused| Refused {
                    input: &refused.input,
                    code: Text(&refused.code),
                    name: catalogue::find(&refused.code.to_string_lossy()).map(|code| code.name()),
                    why: Text(&refused.why),
                })
                .collect(),
        }
    }
}

impl<'a> Rule<'a> {
    fn new(corpus: &Corpus, name: &'a JsString, rule: &'a RuleTotals) -> Self {
        let decided = |word: &str| rule.decisions.get(word).copied().unwrap_or_default();
        let followed = |outcome: Followed| rule.outcomes.get(outcome.as_str()).copied().unwrap_or_default();
        let missed = |why: Missed| rule.uninjected.get(why.as_str()).copied().unwrap_or_default();
        let (obeyed, repeated) = (followed(Followed::Obeyed), followed(Followed::Repeated));
        let known = obeyed + repeated;
        Self {
            name: Text(name),
            given: rule.is_given,
            registered: rule.registered > 0,
            reason: rule.reason.as_deref().filter(|_| rule.registered == 0),
            inputs: rule.inputs,
            messages: rule.messages,
            triggers: rule.triggers,
            interrupts: decided("interrupt"),
            deferred: decided("defer"),
            folded: decided("fold"),
            warned: decided("warn"),
            persisted: rule.persisted,
            premature: rule.premature,
            premature_share: (rule.triggers > 0).then(|| hundredths(percentage(rule.premature, rule.triggers))),
            undecided: rule.undecided,
            per_1000_messages: hundredths(corpus.rate(rule)),
            matches: rule
                .matches
                .iter()
                .map(|((kind, text), triggers)| Match { what: what((kind, text)), triggers: *triggers })
                .collect(),
            injections: Injections {
                recorded: rule.outcomes.values().sum(),
                obeyed,
                repeated,
                unknown: followed(Followed::Unknown),
                obeyed_share: (known > 0).then(|| hundredths(percentage(obeyed, known))),
                again: rule.again,
            },
            uninjected: Uninjected {
                spent: missed(Missed::Spent),
                not_there_yet: missed(Missed::NotThereYet),
                cut: missed(Missed::Cut),
                never_named: missed(Missed::NeverNamed),
            },
            samples: rule.samples.values().map(Sample::new).collect(),
        }
    }
}

impl<'a> Sample<'a> {
    fn new(place: &'a Place) -> Self {
        Self {
            input: &place.at.input,
            line: place.at.line,
            entry: place.at.entry.as_ref().map(Text),
            message: place.at.message,
            delta: place.at.delta,
            source: Source(place.source),
            tool: place.tool.as_ref().map(Text),
            path: place.path.as_ref().map(Text),
            decision: Decision(place.decision),
            what: What::from(&place.matched),
            excerpt: Text(&place.excerpt),
            marked: place.marked,
            premature: place.premature,
        }
    }
}
