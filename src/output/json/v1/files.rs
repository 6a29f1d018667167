//! `ttsr.files/1` (cli.md section 2, `--as-write`): what rules say of files.

use schemars::JsonSchema;
use serde::Serialize;

use super::trace::What;
use crate::engine::By;
use crate::output::files::{FileTotals, SCHEMA};
use crate::output::json::Text;
use crate::replay::files::FileFindings;
use crate::text::JsString;

/// The findings and the totals. Members may be added, none are renamed.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(title = "ttsr.files/1", deny_unknown_fields)]
pub struct Document<'a> {
    #[schemars(extend("const" = SCHEMA))]
    schema: &'static str,
    findings: Vec<Finding<'a>>,
    summary: Totals<'a>,
}

impl<'a> Document<'a> {
    /// The document of these files.
    pub fn new(files: &'a [(String, FileFindings)], totals: &'a FileTotals) -> Self {
        let findings = files.iter().flat_map(|(file, findings)| Finding::all(file, findings)).collect();
        Self { schema: SCHEMA, findings, summary: Totals::from(totals) }
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
    Finding(Finding<'a>),
    Summary(Totals<'a>),
}

impl<'a> Line<'a> {
    /// The findings of one file.
    pub fn findings(file: &'a str, findings: &'a FileFindings) -> impl Iterator<Item = Self> {
        Finding::all(file, findings).map(|finding| Self { schema: SCHEMA, kind: Kind::Finding(finding) })
    }

    /// The last line.
    pub fn summary(totals: &'a FileTotals) -> Self {
        Self { schema: SCHEMA, kind: Kind::Summary(Totals::from(totals)) }
    }
}

/// What a rule says of a file, or that it cannot be told.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
enum Finding<'a> {
    /// The rule matches.
    Hit {
        file: &'a str,
        /// The line at which the match begins, from 1 on; null where its place is not known.
        line: Option<usize>,
        rule: Text<'a>,
        #[serde(flatten)]
        what: What<'a>,
        /// At most 80 code points around the match.
        excerpt: Text<'a>,
    },
    /// The decision could not be reached.
    Undecided {
        file: &'a str,
        rule: Text<'a>,
        /// The condition or pattern.
        undecided: Text<'a>,
        why: &'a str,
    },
}

impl<'a> Finding<'a> {
    fn all(file: &'a str, findings: &'a FileFindings) -> impl Iterator<Item = Self> {
        let hits = findings.hits.iter().map(move |hit| Self::Hit {
            file,
            line: hit.line,
            rule: Text(&hit.rule),
            what: match &hit.by {
                By::Ast(pattern) => What::Ast(Text(pattern)),
                by => What::Condition(Text(by.source())),
            },
            excerpt: Text(&hit.excerpt),
        });
        let undecided = findings.undecided.iter().map(move |(rule, pattern, why): &(JsString, JsString, String)| {
            Self::Undecided { file, rule: Text(rule), undecided: Text(pattern), why }
        });
        hits.chain(undecided)
    }
}

/// The totals over all files.
#[derive(Debug, Serialize, JsonSchema)]
struct Totals<'a> {
    #[schemars(extend("enum" = ["v1", "v2", "v3", "v4"]))]
    lifecycle: &'static str,
    /// The mark that decided for it; absent when it was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    lifecycle_from: Option<&'a str>,
    /// Files that the rules saw.
    files: usize,
    skipped: Skipped,
    undecided: usize,
    /// Registered rules that ask a judge, which nobody does here.
    judged_rules: usize,
    per_rule: Vec<Counts<'a>>,
}

/// Files that the rules did not see.
#[derive(Debug, Serialize, JsonSchema)]
struct Skipped {
    binary: usize,
    too_large: usize,
    unreadable: usize,
}

/// The files of one rule.
#[derive(Debug, Serialize, JsonSchema)]
struct Counts<'a> {
    rule: Text<'a>,
    files: usize,
}

impl<'a> From<&'a FileTotals> for Totals<'a> {
    fn from(totals: &'a FileTotals) -> Self {
        let FileTotals { binary, too_large, unreadable, .. } = *totals;
        Self {
            lifecycle: totals.lifecycle.0,
            lifecycle_from: totals.lifecycle.1.as_deref(),
            files: totals.files,
            skipped: Skipped { binary, too_large, unreadable },
            undecided: totals.undecided,
            judged_rules: totals.judged,
            per_rule: totals.per_rule.iter().map(|(rule, files)| Counts { rule: Text(rule), files: *files }).collect(),
        }
    }
}
