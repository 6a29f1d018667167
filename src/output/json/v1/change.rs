//! `ttsr.change/1` (cli.md section 2, `--baseline`): what another set of rules or settings decides otherwise.

use schemars::JsonSchema;
use serde::Serialize;

use super::trace::At;
use crate::output::change::{ChangeTotals, SCHEMA};
use crate::output::json::{Decision, Source, Text};
use crate::replay::change::{Change as Difference, Changes, Decided};

/// The inputs in which something changes, and the totals. Members may be added, none are renamed.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "ttsr.change/1", deny_unknown_fields)]
pub struct Document<'a> {
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    inputs: Vec<Input<'a>>,
    summary: Totals<'a>,
}

impl<'a> Document<'a> {
    /// The document of these inputs.
    pub fn new(inputs: &'a [Changes], totals: &'a ChangeTotals) -> Self {
        let changed = inputs.iter().filter(|input| !input.changes.is_empty()).map(|input| Input {
            input: &input.input,
            unchanged: input.unchanged,
            changes: input.changes.iter().map(Change::from).collect(),
        });
        Self { schema: SCHEMA, inputs: changed.collect(), summary: Totals::from(totals) }
    }
}

/// One line of `--format jsonl`.
#[derive(Debug, Serialize)]
pub struct Line<'a> {
    schema: &'static str,
    #[serde(flatten)]
    kind: Kind<'a>,
}

/// The kinds of lines.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Kind<'a> {
    Change {
        input: &'a str,
        #[serde(flatten)]
        change: Box<Change<'a>>,
    },
    Refused {
        input: &'a str,
        code: &'a str,
        why: &'a str,
    },
    Summary(Totals<'a>),
}

impl<'a> Line<'a> {
    /// One change.
    pub fn change(input: &'a str, change: &'a Difference) -> Self {
        Self { schema: SCHEMA, kind: Kind::Change { input, change: Box::new(Change::from(change)) } }
    }

    /// An input that could not be read.
    pub fn refused(input: &'a str, code: &'a str, why: &'a str) -> Self {
        Self { schema: SCHEMA, kind: Kind::Refused { input, code, why } }
    }

    /// The last line.
    pub fn summary(totals: &'a ChangeTotals) -> Self {
        Self { schema: SCHEMA, kind: Kind::Summary(Totals::from(totals)) }
    }
}

/// One input in which something changes.
#[derive(Debug, Serialize, JsonSchema)]
struct Input<'a> {
    input: &'a str,
    /// Number of decisions that are the same.
    unchanged: usize,
    changes: Vec<Change<'a>>,
}

/// One decision that is not the same.
#[derive(Debug, Serialize, JsonSchema)]
struct Change<'a> {
    #[schemars(extend("enum" = ["gained", "lost", "moved"]))]
    change: &'static str,
    rule: Text<'a>,
    /// The decision of the run that is compared with.
    before: Option<Side<'a>>,
    /// The decision of the run that is looked at.
    after: Option<Side<'a>>,
}

impl<'a> From<&'a Difference> for Change<'a> {
    fn from(change: &'a Difference) -> Self {
        Self {
            change: change.as_str(),
            rule: Text(&change.decided().rule),
            before: change.before().map(Side::from),
            after: change.after().map(Side::from),
        }
    }
}

/// A decision at its place.
#[derive(Debug, Serialize, JsonSchema)]
struct Side<'a> {
    at: At<'a>,
    source: Source,
    tool: Option<Text<'a>>,
    decision: Decision,
    /// The condition, pattern or question that matched.
    condition: Text<'a>,
    /// At most 80 code points around the match.
    excerpt: Text<'a>,
}

impl<'a> From<&'a Decided> for Side<'a> {
    fn from(decided: &'a Decided) -> Self {
        Self {
            at: At::in_input(&decided.at),
            source: Source(decided.source),
            tool: decided.tool.as_ref().map(Text),
            decision: Decision(decided.decision),
            condition: Text(decided.matched.text()),
            excerpt: Text(&decided.excerpt),
        }
    }
}

/// The totals over all inputs.
#[derive(Debug, Serialize, JsonSchema)]
struct Totals<'a> {
    inputs: usize,
    inputs_changed: usize,
    /// Inputs that could not be read, in either run.
    inputs_refused: usize,
    gained: usize,
    lost: usize,
    moved: usize,
    unchanged: usize,
    per_rule: Vec<Counts<'a>>,
}

/// The counts of one rule.
#[derive(Debug, Serialize, JsonSchema)]
struct Counts<'a> {
    rule: Text<'a>,
    gained: usize,
    lost: usize,
    moved: usize,
}

impl<'a> From<&'a ChangeTotals> for Totals<'a> {
    fn from(totals: &'a ChangeTotals) -> Self {
        let [gained, lost, moved] = totals.all;
        let per_rule = totals.per_rule.iter().map(|(rule, [gained, lost, moved])| Counts {
            rule: Text(rule),
            gained: *gained,
            lost: *lost,
            moved: *moved,
        });
        Self {
            inputs: totals.inputs,
            inputs_changed: totals.changed,
            inputs_refused: totals.refused,
            gained,
            lost,
            moved,
            unchanged: totals.unchanged,
            per_rule: per_rule.collect(),
        }
    }
}
