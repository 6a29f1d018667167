//! `ttsr.check/1` (cli.md section 3): the report of `ttsr check-rules --format json`.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::diagnostic::{Diagnostic, Fix};
use crate::generation::Lifecycle as Generation;
use crate::output::check::{Counts, Rows};
use crate::output::json::{Bucket, Expected, InterruptMode, Lifecycle, Outcome, Severity, Source, Text};
use crate::replay::{Example, Examples, Verdict};
use crate::rule::RuleRow;
use crate::text::{JsString, Position as Point};

/// The report of `ttsr check-rules --format json`. Members may be added, none are renamed.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "ttsr.check/1", deny_unknown_fields)]
pub struct Check<'a> {
    #[schemars(extend("const" = "ttsr.check/1"))]
    schema: &'static str,
    /// The generation by which the rules were read.
    lifecycle: Lifecycle,
    /// Why it is this one; absent when it was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    lifecycle_from: Option<&'a str>,
    /// The rules in discovery order.
    #[serde(serialize_with = "each::<_, Rule, _>")]
    #[schemars(with = "Vec<Rule>")]
    rules: &'a [RuleRow],
    /// The findings, by file, place and code.
    #[serde(serialize_with = "each::<_, Finding, _>")]
    #[schemars(with = "Vec<Finding>")]
    diagnostics: &'a [Diagnostic],
    summary: Summary,
    /// What came of the samples under `examples:`; only with --examples.
    #[serde(skip_serializing_if = "Option::is_none")]
    examples: Option<Samples<'a>>,
}

impl<'a> Check<'a> {
    /// The report; `generation`: which, and the mark that decided for it.
    pub fn new(
        rows: &'a Rows,
        findings: &'a [Diagnostic],
        examples: Option<&'a Examples>,
        generation: (Generation, Option<&'a str>),
        counts: Counts,
    ) -> Self {
        Self {
            schema: "ttsr.check/1",
            lifecycle: Lifecycle(generation.0),
            lifecycle_from: generation.1,
            rules: &rows.kept,
            diagnostics: findings,
            summary: Summary::from(counts),
            examples: examples.map(Samples::from),
        }
    }
}

/// Writes one after the other, so that no more than one is made at a time.
fn each<'a, T, U, S>(items: &&'a [T], serializer: S) -> Result<S::Ok, S::Error>
where
    U: From<&'a T> + Serialize,
    S: Serializer,
{
    serializer.collect_seq(items.iter().map(U::from))
}

/// What the agent makes of a rule. The lists of a registered rule are what the engine uses after normalisation.
#[derive(Debug, Serialize, JsonSchema)]
struct Rule<'a> {
    name: Text<'a>,
    path: &'a str,
    provider: &'static str,
    bucket: Bucket,
    registered: bool,
    /// Why the rule is not registered.
    reason: Option<String>,
    description: Option<Text<'a>>,
    condition: Vec<Text<'a>>,
    ast_condition: Vec<Text<'a>>,
    scope: Vec<Text<'a>>,
    globs: Vec<Text<'a>>,
    agents: Vec<Text<'a>>,
    interrupt_mode: Option<InterruptMode>,
    always_apply: bool,
    /// What a judge is asked about finished outputs; only on judged rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<Text<'a>>,
}

impl<'a> From<&'a RuleRow> for Rule<'a> {
    fn from(row: &'a RuleRow) -> Self {
        let texts = |list: &'a [JsString]| list.iter().map(Text).collect();
        Self {
            name: Text(&row.name),
            path: &row.path,
            provider: row.provider.id(),
            bucket: Bucket(row.bucket),
            registered: row.registered,
            reason: row.reason.as_ref().map(ToString::to_string),
            description: row.description.as_ref().map(Text),
            condition: texts(&row.conditions),
            ast_condition: texts(&row.ast_conditions),
            scope: texts(&row.scope),
            globs: texts(&row.globs),
            agents: texts(&row.agents),
            interrupt_mode: row.interrupt_mode.map(InterruptMode),
            always_apply: row.always_apply,
            question: row.question.as_ref().map(Text),
        }
    }
}

/// A finding.
#[derive(Debug, Serialize, JsonSchema)]
struct Finding<'a> {
    #[schemars(regex(pattern = "^TTSR[0-9]{3}$"))]
    code: String,
    name: &'static str,
    severity: Severity,
    message: &'a str,
    help: Option<&'a str>,
    file: Option<&'a str>,
    start: Option<Position>,
    end: Option<Position>,
    /// How --fix mends it; null when it takes a person's judgement, or --unsafe-fixes which is not given.
    fix: Option<Repair<'a>>,
    /// What tells it from other findings over time: it depends on the file, the code, the key and what is written
    /// there, not on the line.
    fingerprint: Option<&'a str>,
    /// The file accepts it by `ttsr-ignore`, so that it does not count.
    suppressed: bool,
}

impl<'a> From<&'a Diagnostic> for Finding<'a> {
    fn from(finding: &'a Diagnostic) -> Self {
        let place = finding.place.as_ref();
        Self {
            code: finding.code.to_string(),
            name: finding.code.name(),
            severity: Severity(finding.severity),
            message: &finding.message,
            help: finding.help.as_deref(),
            file: place.map(|place| place.file.as_str()),
            start: place.map(|place| place.start.into()),
            end: place.map(|place| place.end.into()),
            fix: finding.fix.as_ref().map(Repair::from),
            fingerprint: finding.fingerprint.as_deref(),
            suppressed: finding.accepted.is_some(),
        }
    }
}

/// A place in a file.
#[derive(Debug, Serialize, JsonSchema)]
struct Position {
    /// From 1 on; 0 when the finding is about the file as a whole.
    line: usize,
    /// From 1 on, in Unicode scalar values.
    #[schemars(range(min = 1))]
    column: usize,
    /// In bytes.
    offset: usize,
}

impl From<Point> for Position {
    fn from(Point { line, column, offset }: Point) -> Self {
        Self { line, column, offset }
    }
}

/// A repair of the file that a finding is about.
#[derive(Debug, Serialize, JsonSchema)]
struct Repair<'a> {
    title: &'static str,
    edits: Vec<Edit<'a>>,
    /// It does not change what a valid rule matches.
    safe: bool,
}

/// A range of bytes and what to write there instead.
#[derive(Debug, Serialize, JsonSchema)]
struct Edit<'a> {
    /// First byte that is replaced.
    start: usize,
    /// First byte behind it.
    end: usize,
    text: &'a str,
}

impl<'a> From<&'a Fix> for Repair<'a> {
    fn from(fix: &'a Fix) -> Self {
        let edit =
            |(range, text): &'a (std::ops::Range<usize>, String)| Edit { start: range.start, end: range.end, text };
        Self { title: fix.title, edits: fix.edits.iter().map(edit).collect(), safe: fix.is_safe }
    }
}

/// What was read and found.
#[derive(Debug, Serialize, JsonSchema)]
struct Summary {
    files: usize,
    rules: usize,
    errors: usize,
    warnings: usize,
    notes: usize,
    /// Findings that their files accept, which are not counted among the others.
    suppressed: usize,
    /// Findings that the baseline knows, which are not among the others.
    known: usize,
}

impl From<Counts> for Summary {
    fn from(Counts { files, rules, errors, warnings, notes, accepted, known, .. }: Counts) -> Self {
        Self { files, rules, errors, warnings, notes, suppressed: accepted, known }
    }
}

/// What came of the samples.
#[derive(Debug, Serialize, JsonSchema)]
struct Samples<'a> {
    samples: usize,
    passed: usize,
    failed: usize,
    /// Samples of rules that are not registered.
    not_run: usize,
    #[serde(serialize_with = "each::<_, Sample, _>")]
    #[schemars(with = "Vec<Sample>")]
    results: &'a [Example],
}

impl<'a> From<&'a Examples> for Samples<'a> {
    fn from(examples: &'a Examples) -> Self {
        let passed = examples.count(Example::passed);
        let not_run = examples.count(|result| result.verdict == Verdict::NotRun);
        let results = &examples.results;
        Self { samples: results.len(), passed, failed: results.len() - passed - not_run, not_run, results }
    }
}

/// What came of a sample.
#[derive(Debug, Serialize, JsonSchema)]
struct Sample<'a> {
    rule: Text<'a>,
    file: &'a str,
    line: usize,
    expected: Expected,
    source: Source,
    tool: Option<Text<'a>>,
    path: Option<Text<'a>>,
    text: Text<'a>,
    outcome: Outcome,
    /// UTF-16 code units that have streamed when the rule first fires: of the text, for a call of its arguments as
    /// JSON.
    at: Option<usize>,
    /// It fires only when the call has ended.
    at_end: bool,
    /// The last code units before that place.
    after: Option<Text<'a>>,
    /// It fires on a beginning of the text and not on all of it.
    premature: bool,
    /// The conditions and structural patterns that match.
    conditions: Vec<Text<'a>>,
    /// Why the rule does not fire, cannot be decided or was not run.
    why: Option<&'a str>,
    passed: bool,
}

impl<'a> From<&'a Example> for Sample<'a> {
    fn from(result: &'a Example) -> Self {
        let (sample, at) = (&result.sample, result.at.as_ref());
        Self {
            rule: Text(&result.rule),
            file: &result.file,
            line: result.line,
            expected: Expected(sample.expected),
            source: Source(sample.source),
            tool: sample.tool.as_ref().map(Text),
            path: sample.path.as_ref().map(Text),
            text: Text(&sample.text),
            outcome: Outcome(result.verdict),
            at: at.map(|at| at.units),
            at_end: at.is_some_and(|at| at.at_end),
            after: at.map(|at| Text(&at.after)),
            premature: result.premature,
            conditions: result.conditions.iter().map(|one| Text(one.text())).collect(),
            why: result.why.as_deref(),
            passed: result.passed(),
        }
    }
}
