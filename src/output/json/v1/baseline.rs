//! `ttsr.baseline/1`: the findings that are known, as `check-rules --write-baseline` writes them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The name of the form.
pub const SCHEMA: &str = "ttsr.baseline/1";

/// Findings that are known. One is as good as another of the same fingerprint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(title = "ttsr.baseline/1")]
pub struct Baseline {
    /// The name of this form.
    #[schemars(extend("const" = SCHEMA))]
    pub schema: String,
    /// The findings by file and code.
    pub findings: Vec<Entry>,
}

/// A finding that is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The file, from the root of the repository on.
    pub file: String,
    /// The code.
    #[schemars(regex(pattern = "^TTSR[0-9]{3}$"))]
    pub code: String,
    /// What tells it from others.
    #[schemars(regex(pattern = "^[0-9a-f]{32}$"))]
    pub fingerprint: String,
    /// How many findings are alike.
    #[schemars(range(min = 1))]
    pub count: usize,
}

impl Baseline {
    /// The entries in order, those that are alike counted together.
    pub fn new(entries: impl IntoIterator<Item = Entry>) -> Self {
        let mut counts: BTreeMap<(String, String, String), usize> = BTreeMap::new();
        for Entry { file, code, fingerprint, count } in entries {
            *counts.entry((file, code, fingerprint)).or_default() += count;
        }
        let entry = |((file, code, fingerprint), count)| Entry { file, code, fingerprint, count };
        Self { schema: SCHEMA.to_owned(), findings: counts.into_iter().map(entry).collect() }
    }

    /// How many findings they are.
    pub fn count(&self) -> usize {
        self.findings.iter().map(|entry| entry.count).sum()
    }

    /// The file: one finding a line, so that changes of it can be read and merged.
    pub fn text(&self) -> String {
        let mut out = format!("{{\"schema\":\"{SCHEMA}\",\"findings\":[");
        for (at, entry) in self.findings.iter().enumerate() {
            let line = serde_json::to_string(entry).unwrap_or_default();
            let _ = write!(out, "{}\n{line}", if at > 0 { "," } else { "" });
        }
        out.push_str("\n]}\n");
        out
    }
}
