//! Repairs as a unified diff.

use similar::{ChangeTag, TextDiff};

use super::{Style, escape};
use crate::rule::repair::Repair;

/// Lines around a change.
const CONTEXT: usize = 2;

/// What the repair does to its file. The lines are escaped, so that a byte order mark and the like can be seen.
pub fn diff(repair: &Repair, style: Style) -> String {
    let name = escape(&repair.file);
    let mut out = format!("{}\n{}\n", style.heading(&format!("--- {name}")), style.heading(&format!("+++ {name}")));
    let diff = TextDiff::from_lines(repair.before.as_str(), repair.after.as_str());
    for hunk in diff.unified_diff().context_radius(CONTEXT).iter_hunks() {
        out.push_str(&style.faint(&hunk.header().to_string()));
        out.push('\n');
        for change in hunk.iter_changes() {
            let value = change.value();
            let line = value.strip_suffix('\n').unwrap_or(value);
            let line = escape(line.strip_suffix('\r').unwrap_or(line));
            out.push_str(&match change.tag() {
                ChangeTag::Delete => style.bad(&format!("-{line}")),
                ChangeTag::Insert => style.good(&format!("+{line}")),
                ChangeTag::Equal => format!(" {line}"),
            });
            out.push('\n');
        }
    }
    out
}
