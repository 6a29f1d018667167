//! Where two traces differ, as a unified diff.

use similar::{ChangeTag, TextDiff};

use super::{Style, escape};

/// Lines around a change.
const CONTEXT: usize = 2;

/// The unified diff of a stored trace and the one of a run. `name` is shown as it stands.
pub fn render(stored: &str, found: &str, name: &str, style: Style) -> String {
    let diff = TextDiff::from_lines(stored, found);
    let mut out = String::new();
    let mut line = |text: String| {
        out.push_str(&text);
        out.push('\n');
    };
    line(style.bad(&format!("--- {name}")));
    line(style.good("+++ this run"));
    for hunk in diff.unified_diff().context_radius(CONTEXT).iter_hunks() {
        line(style.faint(&hunk.header().to_string()));
        for change in hunk.iter_changes() {
            let text = escape(change.value().trim_end_matches('\n'));
            line(match change.tag() {
                ChangeTag::Delete => style.bad(&format!("-{text}")),
                ChangeTag::Insert => style.good(&format!("+{text}")),
                ChangeTag::Equal => format!(" {text}"),
            });
        }
    }
    out
}
