//! `ttsr.sessions/1`: what `ttsr inspect-session --format json` says of several files, and `ttsr.refused/1`, which stands
//! for a file that is no session.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;

use crate::audit::{self, CodeTotals, ProjectTotals, RuleLife, Survey, Wording};
use crate::output::json::{Owned, Text};

use super::session::{Finding, Session};

/// The report over several files. Members may be added, none are renamed.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "ttsr.sessions/1", deny_unknown_fields)]
pub struct Sessions<'a> {
    #[schemars(extend("const" = "ttsr.sessions/1"))]
    schema: &'static str,
    /// One item per file, in order.
    sessions: Vec<Item<'a>>,
    summary: Summary<'a>,
}

impl Sessions<'_> {
    /// What stands before the items; they follow one by one, separated by commas.
    pub const BEGINNING: &'static str = "{\"schema\":\"ttsr.sessions/1\",\"sessions\":[";
    /// What stands between the items and the summary.
    pub const MIDDLE: &'static str = "],\"summary\":";
    /// What stands behind the summary.
    pub const END: &'static str = "}\n";
}

/// Whatever `ttsr inspect-session --format json` or a line of `jsonl` is: the form of several files, or of one.
#[derive(Clone, Copy, Debug)]
pub struct Document;

impl JsonSchema for Document {
    fn schema_name() -> Cow<'static, str> {
        "Document".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let forms = [
            generator.subschema_for::<Session<'_>>(),
            generator.subschema_for::<Refused<'_>>(),
            generator.subschema_for::<Sessions<'_>>(),
        ];
        json_schema!({"title": "ttsr.session/1, ttsr.refused/1 or ttsr.sessions/1", "anyOf": forms})
    }
}

/// A file.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Item<'a> {
    /// A session that was read.
    Session(Box<Session<'a>>),
    /// One that was not.
    Refused(Refused<'a>),
}

/// A file that is no session, or that could not be read.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "ttsr.refused/1", deny_unknown_fields)]
pub struct Refused<'a> {
    #[schemars(extend("const" = "ttsr.refused/1"))]
    schema: &'static str,
    /// The file as it was named.
    file: &'a str,
    /// Why, the decisive finding first.
    findings: Vec<Finding<'a>>,
}

impl<'a> From<&'a audit::Refused> for Refused<'a> {
    fn from(refused: &'a audit::Refused) -> Self {
        Self {
            schema: "ttsr.refused/1",
            file: &refused.file,
            findings: refused.findings.iter().map(Finding::from).collect(),
        }
    }
}

/// What all files come to.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Summary<'a> {
    /// Files, refused ones too.
    files: usize,
    /// Those that are sessions.
    sessions: usize,
    /// Those that are not, or that could not be read.
    refused: usize,
    entries: usize,
    injections: usize,
    /// Sessions by the generation that they were read by.
    generations: Vec<Generation>,
    /// What was found, by code.
    findings: Vec<Code<'a>>,
    /// Each rule that a session names.
    rules: Vec<Rule<'a>>,
    /// Rules that switches turn off now, as far as rules and settings were given or found.
    disabled_rules: Vec<Disabled<'a>>,
    /// Working directories, in order of appearance.
    projects: Vec<Project<'a>>,
    /// The files that were refused; of very many the first.
    refused_files: Vec<RefusedFile<'a>>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Generation {
    lifecycle: &'static str,
    sessions: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Code<'a> {
    #[schemars(regex(pattern = "^TTSR[0-9]{3}$"))]
    code: String,
    name: &'static str,
    /// The worst.
    #[schemars(extend("enum" = ["note", "warning", "error"]))]
    severity: &'static str,
    count: usize,
    /// Files with such a finding.
    files: usize,
    /// The first file.
    file: &'a str,
    /// The line in it, 0 where it is about the whole file.
    line: usize,
}

/// An injection somewhere.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Seen<'a> {
    file: &'a str,
    session: Option<Text<'a>>,
    entry: Option<Text<'a>>,
    timestamp: Option<Text<'a>>,
}

/// A rule's life over the sessions.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Rule<'a> {
    rule: Text<'a>,
    /// Entries that name it.
    injections: usize,
    /// Sessions with such an entry.
    sessions: usize,
    projects: Vec<Text<'a>>,
    #[schemars(with = "Vec<String>")]
    kinds: Vec<&'static str>,
    first: Option<Seen<'a>>,
    last: Option<Seen<'a>>,
    /// Sessions of its projects that began after its last injection.
    sessions_since: usize,
    /// The wordings of its reminders, the earliest first; more than one where the rule was changed.
    wordings: Vec<Worded<'a>>,
    /// The switches that turn it off now.
    disabled_by: Vec<&'a str>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Worded<'a> {
    reminders: usize,
    first: Seen<'a>,
    last: Seen<'a>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Disabled<'a> {
    rule: Text<'a>,
    /// The switch, in words.
    by: &'a str,
    /// Where it stands.
    place: &'a str,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Project<'a> {
    cwd: Text<'a>,
    sessions: usize,
    injections: usize,
    /// When the first of them began.
    first: Option<Owned>,
    last: Option<Owned>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct RefusedFile<'a> {
    file: &'a str,
    #[schemars(regex(pattern = "^TTSR[0-9]{3}$"))]
    code: Option<String>,
    message: &'a str,
}

impl<'a> From<&'a Survey> for Summary<'a> {
    fn from(survey: &'a Survey) -> Self {
        let generations = survey.generations.iter();
        let disabled = survey.disabled.iter();
        Self {
            files: survey.files,
            sessions: survey.sessions,
            refused: survey.refused_count,
            entries: survey.entries,
            injections: survey.injections,
            generations: generations
                .map(|(lifecycle, sessions)| Generation { lifecycle, sessions: *sessions })
                .collect(),
            findings: survey.codes().map(Code::from).collect(),
            rules: survey.rules().map(|(name, life)| Rule::new(survey, name, life)).collect(),
            disabled_rules: disabled
                .map(|one| Disabled { rule: Text(&one.rule), by: &one.by, place: &one.place })
                .collect(),
            projects: survey.projects.iter().map(Project::from).collect(),
            refused_files: survey.refused.iter().map(RefusedFile::from).collect(),
        }
    }
}

impl<'a> From<&'a CodeTotals> for Code<'a> {
    fn from(totals: &'a CodeTotals) -> Self {
        Self {
            code: totals.code.to_string(),
            name: totals.code.name(),
            severity: totals.severity.as_str(),
            count: totals.count,
            files: totals.files,
            file: &totals.first.0,
            line: totals.first.1,
        }
    }
}

impl<'a> From<&'a audit::Seen> for Seen<'a> {
    fn from(seen: &'a audit::Seen) -> Self {
        Self {
            file: &seen.file,
            session: seen.session.as_ref().map(Text),
            entry: seen.entry.as_ref().map(Text),
            timestamp: seen.timestamp.as_ref().map(Text),
        }
    }
}

impl<'a> Rule<'a> {
    fn new(survey: &'a Survey, name: &'a crate::text::JsString, life: &'a RuleLife) -> Self {
        let projects = life.projects.iter().filter_map(|number| survey.projects.get(*number as usize));
        Self {
            rule: Text(name),
            injections: life.injections,
            sessions: life.sessions,
            projects: projects.map(|project| Text(&project.cwd)).collect(),
            kinds: life.kinds.iter().map(|kind| kind.as_str()).collect(),
            first: life.first.as_ref().map(Seen::from),
            last: life.last.as_ref().map(Seen::from),
            sessions_since: survey.sessions_since(life),
            wordings: life.wordings().into_iter().map(Worded::from).collect(),
            disabled_by: survey.disabled_by(name).map(|disabled| disabled.by.as_str()).collect(),
        }
    }
}

impl<'a> From<&'a Wording> for Worded<'a> {
    fn from(wording: &'a Wording) -> Self {
        Self { reminders: wording.reminders, first: (&wording.first).into(), last: (&wording.last).into() }
    }
}

impl<'a> From<&'a ProjectTotals> for Project<'a> {
    fn from(totals: &'a ProjectTotals) -> Self {
        let time = |began: &Option<(i64, crate::text::JsString)>| began.as_ref().map(|began| Owned(began.1.clone()));
        Self {
            cwd: Text(&totals.cwd),
            sessions: totals.sessions,
            injections: totals.injections,
            first: time(&totals.first),
            last: time(&totals.last),
        }
    }
}

impl<'a> From<&'a audit::Refused> for RefusedFile<'a> {
    fn from(refused: &'a audit::Refused) -> Self {
        let first = refused.findings.first();
        Self {
            file: &refused.file,
            code: first.map(|finding| finding.code.to_string()),
            message: first.map_or("", |finding| &finding.message),
        }
    }
}
