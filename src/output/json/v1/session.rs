//! `ttsr.session/1` (cli.md section 4): what `ttsr inspect-session --format json` says of one file.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::audit::{AuditReport, Evidence, Injection as Recorded, Named, RuleSummary};
use crate::diagnostic::Diagnostic;
use crate::output::inspect::Replayed;
use crate::output::json::{Any, Owned, Text};
use crate::session::Session as File;
use crate::text::json::{Object, Value};

use super::course::{Comparison, Follow, Moment, State};

/// What a session file holds, and what does not add up in it. Entries are named by id. Members may be added, none are
/// renamed.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "ttsr.session/1", deny_unknown_fields)]
pub struct Session<'a> {
    #[schemars(extend("const" = "ttsr.session/1"))]
    schema: &'static str,
    /// The file as it was named.
    file: &'a str,
    /// The generation by which it was read.
    lifecycle: &'static str,
    /// The mark that decided for it; absent when the generation was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    lifecycle_from: Option<&'a str>,
    /// The header after migration.
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    header: Any<'a>,
    /// The version that the file names, 1 when it names none.
    version: Any<'a>,
    /// Whether the file was migrated in memory.
    migrated: bool,
    title: Option<Text<'a>>,
    entries: Entries<'a>,
    leaf: Option<Text<'a>>,
    /// From the root to the leaf.
    #[serde(serialize_with = "ids")]
    #[schemars(with = "Vec<Option<String>>")]
    branch: Branch<'a>,
    /// Labels by the entry that they name.
    #[schemars(with = "BTreeMap<String, String>")]
    labels: Any<'a>,
    messages: Messages<'a>,
    judge: Judge,
    /// Rules that a resume at the leaf restores.
    injected_rules: Vec<Text<'a>>,
    /// Rules that the branch records, also in a generation that restores none.
    recorded_rules: Vec<Text<'a>>,
    /// Every `ttsr_injection` of the file, in file order.
    injections: Vec<Injection<'a>>,
    /// One item per rule, in order of first appearance.
    rules: Vec<Rule<'a>>,
    /// Reminders that say something else than the given rule of that name does now.
    changed_rules: Vec<Changed<'a>>,
    /// The messages that the agent would send at the leaf; only with --context.
    context: Vec<Sent<'a>>,
    /// What the entries name outside of the file.
    named: Outside<'a>,
    findings: Vec<Finding<'a>>,
    /// What happened on the branch, in order; only with --timeline.
    #[serde(skip_serializing_if = "Option::is_none")]
    timeline: Option<Vec<Moment<'a>>>,
    /// How the rules stand at an entry; only with --state-at.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<State<'a>>,
    /// What came of an injection; only with --follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    follow: Option<Follow<'a>>,
    /// What the agent reads of the file, beside what is there; only with --compare.
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<Comparison<'a>>,
    /// What a replay of the branch decides; only with --replay.
    #[serde(skip_serializing_if = "Option::is_none")]
    replay: Option<Replay<'a>>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Entries<'a> {
    total: usize,
    /// Number of entries per type; those without a type under the empty name.
    #[schemars(with = "BTreeMap<String, u64>")]
    by_type: Any<'a>,
}

/// What a session names outside of its file; of very many the first.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Outside<'a> {
    /// Digests of blobs.
    blobs: Vec<&'a str>,
    /// What `artifact://` leads to.
    artifacts: Vec<&'a str>,
    /// What `local://` leads to.
    local_files: Vec<&'a str>,
}

impl<'a> From<&'a Named> for Outside<'a> {
    fn from(named: &'a Named) -> Self {
        Self {
            blobs: named.blobs.iter().map(|(digest, _)| digest.as_str()).collect(),
            artifacts: named.artifacts.iter().map(String::as_str).collect(),
            local_files: named.local_files.iter().map(String::as_str).collect(),
        }
    }
}

/// The assistant messages of the branch by how they ended.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Messages<'a> {
    /// Completed turns.
    turns: usize,
    assistant: usize,
    /// Those that a rule interrupted.
    interrupted: Vec<Interrupted<'a>>,
    /// Those that ended `aborted` otherwise.
    aborted: Vec<Option<Owned>>,
    /// Those that ended `error`.
    errors: Vec<Option<Owned>>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Interrupted<'a> {
    entry: Option<Owned>,
    /// The rules as the error message names them.
    rules: Text<'a>,
}

/// Requests to a judge on the branch.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Judge {
    asked: usize,
    failed: usize,
}

/// How a reminder reached the model.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Shown {
    #[schemars(extend("enum" = ["interrupt", "deferred", "tool-reminder", "judged", "none"]))]
    kind: &'static str,
    /// The entry that holds the reminder.
    entry: Option<Owned>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ShownOf<'a> {
    rule: Text<'a>,
    #[schemars(extend("enum" = ["interrupt", "deferred", "tool-reminder", "judged", "none"]))]
    kind: &'static str,
    entry: Option<Owned>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Injection<'a> {
    entry: Option<Text<'a>>,
    /// 1-based line.
    #[schemars(range(min = 1))]
    line: usize,
    /// `injectedRules` as it stands.
    rules: Vec<Any<'a>>,
    timestamp: Option<Text<'a>>,
    /// Whether it is on the branch of the leaf.
    on_branch: bool,
    /// That of its first rule with evidence.
    evidence: Shown,
    evidence_by_rule: Vec<ShownOf<'a>>,
    /// Turns completed before it, on the branch.
    turn: Option<usize>,
    /// Turns completed since the last injection of one of its rules on the branch.
    turns_since_previous: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Rule<'a> {
    name: Text<'a>,
    /// Entries that name it.
    count: usize,
    first: Option<Owned>,
    last: Option<Owned>,
    #[schemars(with = "Vec<String>")]
    kinds: Vec<&'static str>,
    /// Whether a resume at the leaf restores it.
    in_force: bool,
    /// Whether a reminder of it is in the context of the leaf.
    in_context: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Changed<'a> {
    rule: Text<'a>,
    entry: Option<Owned>,
    /// What the reminder says, without the sentences of its template.
    reminder: Text<'a>,
    /// What the rule says now.
    content: Text<'a>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Sent<'a> {
    entry: Option<Owned>,
    #[schemars(with = "BTreeMap<String, serde_json::Value>")]
    message: Any<'a>,
}

/// A finding about a file.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(super) struct Finding<'a> {
    #[schemars(regex(pattern = "^TTSR[0-9]{3}$"))]
    code: String,
    name: &'static str,
    #[schemars(extend("enum" = ["note", "warning", "error"]))]
    severity: &'static str,
    message: &'a str,
    /// 1-based line; null where it is about the whole file.
    line: Option<usize>,
    entry: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
}

impl<'a> From<&'a Diagnostic> for Finding<'a> {
    fn from(finding: &'a Diagnostic) -> Self {
        Self {
            code: finding.code.to_string(),
            name: finding.code.name(),
            severity: finding.severity.as_str(),
            message: &finding.message,
            line: finding.place.as_ref().map(|place| place.start.line).filter(|line| *line > 0),
            entry: finding.entry.as_deref(),
            help: finding.help.as_deref(),
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Replay<'a> {
    recorded: Vec<Decided<'a>>,
    /// Where the engine decides otherwise; each is a finding too.
    differences: Vec<Difference<'a>>,
    /// Recorded matches that the file does not allow to reproduce.
    not_reproducible: usize,
    /// Recorded matches that are a race in the agent itself.
    races: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Decided<'a> {
    entry: Option<Text<'a>>,
    rules: Vec<Text<'a>>,
    /// Whether the engine decides the same; null where the file does not allow to tell.
    agrees: Option<bool>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Difference<'a> {
    entry: Option<&'a str>,
    message: &'a str,
}

impl<'a> From<&'a Replayed> for Replay<'a> {
    fn from(replayed: &'a Replayed) -> Self {
        let recorded = replayed.recorded.iter().map(|(entry, rules, agrees)| Decided {
            entry: entry.as_ref().map(Text),
            rules: rules.iter().map(Text).collect(),
            agrees: *agrees,
        });
        let differences = replayed
            .differences
            .iter()
            .map(|difference| Difference { entry: difference.entry.as_deref(), message: &difference.message });
        Self {
            recorded: recorded.collect(),
            differences: differences.collect(),
            not_reproducible: replayed.not_reproducible,
            races: replayed.races,
        }
    }
}

/// The entries of a branch, whose ids are made while they are written: a branch can be long.
#[derive(Clone, Copy, Debug)]
struct Branch<'a> {
    session: &'a File,
    entries: &'a [u32],
}

fn ids<S: Serializer>(branch: &Branch<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(branch.entries.iter().map(|at| id(branch.session, *at as usize)))
}

fn id(session: &File, at: usize) -> Option<Owned> {
    session.entry(at)?.id().map(Owned)
}

impl<'a> Session<'a> {
    /// The form of an audit.
    pub fn new(session: &'a File, report: &'a AuditReport, replayed: Option<&'a Replayed>) -> Self {
        let by_type: Object = report.by_type.iter().map(|(name, count)| (name.clone(), *count)).collect();
        let labels: Object = report.labels.iter().map(|(target, label)| (target.clone(), label.clone())).collect();
        let id = |at: usize| id(session, at);
        let totals = &report.messages;
        let interrupted =
            totals.interrupted.iter().map(|(at, rules)| Interrupted { entry: id(*at), rules: Text(rules) });
        let context = report
            .context
            .iter()
            .flat_map(|context| &context.messages)
            .map(|sent| Sent { entry: id(sent.entry), message: Value::Object(sent.message.raw.clone()).into() });
        Self {
            schema: "ttsr.session/1",
            file: &report.file,
            lifecycle: report.lifecycle,
            lifecycle_from: report.lifecycle_from.as_deref(),
            header: Value::Object(report.header.clone()).into(),
            version: (&report.version).into(),
            migrated: report.migrated,
            title: report.title.as_ref().map(Text),
            entries: Entries { total: report.entries, by_type: Value::Object(by_type).into() },
            leaf: report.leaf.as_ref().map(Text),
            branch: Branch { session, entries: &report.branch },
            labels: Value::Object(labels).into(),
            messages: Messages {
                turns: totals.turns,
                assistant: totals.assistant,
                interrupted: interrupted.collect(),
                aborted: totals.aborted.iter().map(|at| id(*at)).collect(),
                errors: totals.errors.iter().map(|at| id(*at)).collect(),
            },
            judge: Judge { asked: report.judge.asked, failed: report.judge.failed },
            injected_rules: report.injected_rules.iter().map(Text).collect(),
            recorded_rules: report.recorded_rules.iter().map(Text).collect(),
            injections: report.injections.iter().map(|recorded| Injection::new(recorded, &id)).collect(),
            rules: report.rules.iter().map(|rule| Rule::new(rule, &id)).collect(),
            changed_rules: report
                .changed_rules
                .iter()
                .map(|changed| Changed {
                    rule: Text(&changed.rule),
                    entry: id(changed.entry),
                    reminder: Text(&changed.reminder),
                    content: Text(&changed.content),
                })
                .collect(),
            context: context.collect(),
            named: Outside::from(&report.named),
            findings: report.findings.iter().map(Finding::from).collect(),
            timeline: report.timeline.as_ref().map(|all| all.iter().map(|one| Moment::new(one, &id)).collect()),
            state: report.state.as_ref().map(|state| State::new(state, &id)),
            follow: report.follow.as_ref().map(|follow| Follow::new(follow, &id)),
            comparison: report.comparison.as_ref().map(Comparison::from),
            replay: replayed.map(Replay::from),
        }
    }
}

impl<'a> Injection<'a> {
    fn new(recorded: &'a Recorded, id: &impl Fn(usize) -> Option<Owned>) -> Self {
        let entry = |evidence: Evidence| evidence.entry.and_then(id);
        let main = recorded.main_evidence();
        let by_rule = recorded.evidence.iter().map(|(rule, found)| ShownOf {
            rule: Text(rule),
            kind: found.kind.as_str(),
            entry: entry(*found),
        });
        Self {
            entry: recorded.entry.as_ref().map(Text),
            line: recorded.line,
            rules: recorded.rules.iter().map(Any::from).collect(),
            timestamp: recorded.timestamp.as_ref().map(Text),
            on_branch: recorded.on_branch,
            evidence: Shown { kind: main.kind.as_str(), entry: entry(main) },
            evidence_by_rule: by_rule.collect(),
            turn: recorded.turn,
            turns_since_previous: recorded.turns_since_previous,
        }
    }
}

impl<'a> Rule<'a> {
    fn new(rule: &'a RuleSummary, id: &impl Fn(usize) -> Option<Owned>) -> Self {
        Self {
            name: Text(&rule.name),
            count: rule.count,
            first: id(rule.first),
            last: id(rule.last),
            kinds: rule.kinds.iter().map(|kind| kind.as_str()).collect(),
            in_force: rule.in_force,
            in_context: rule.in_context,
        }
    }
}
