//! Whether recorded reminders say what the rules say: tag, attributes, rule content. The wording between belongs to the
//! version of the agent and does not count (cli.md section 2, "`--verify`").

use crate::history::fold_of;
use crate::text::JsString;

use super::{Case, Comparison, ReminderKind, list, quote};

/// A rule's reminder as a run renders it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Block {
    /// The line of the opening tag.
    open: JsString,
    /// What follows the wording.
    tail: JsString,
}

const LF: u16 = b'\n' as u16;

impl Block {
    /// Splits a rendered block. `empty` is the same block without any content: it ends where the content would begin.
    pub(crate) fn of(rendered: &JsString, empty: &JsString) -> Self {
        let units = rendered.units();
        let open = units.iter().position(|unit| *unit == LF).unwrap_or(units.len());
        let close = empty.units().iter().rposition(|unit| *unit == LF).unwrap_or(empty.units().len());
        let wording = if units.starts_with(&empty.units()[..close]) { close.max(open) } else { open };
        Self { open: JsString::from_units(&units[..open]), tail: JsString::from_units(&units[wording..]) }
    }

    /// The length of this block at the beginning of `text`, if it stands there.
    fn length_in(&self, text: &[u16]) -> Option<usize> {
        let behind = text.strip_prefix(self.open.units())?;
        let tail = self.tail.units();
        // The wording holds no blank line, so the tail begins at the first one, or before.
        let blank = behind.windows(2).position(|pair| pair == [LF, LF]).unwrap_or(behind.len());
        let at = (0..=blank).find(|at| behind[*at..].starts_with(tail))?;
        Some(self.open.units().len() + at + tail.len())
    }
}

pub(super) fn compare(case: &Case<'_>, comparison: &mut Comparison) {
    let differences = &mut comparison.differences;
    // Which output a warning names is part of its wording.
    let output = JsString::new();
    for reminder in case.turn.messages() {
        let kind =
            if reminder.is_warning { ReminderKind::Warning { output: &output } } else { ReminderKind::Interrupt };
        check(case, kind, &reminder.rules, &reminder.content, "the reminder", differences);
    }
    for (_, result) in &case.turn.results {
        let Some(fold) = fold_of(result) else { continue };
        let what = format!("call {}: the reminder", quote(&fold.tool_call));
        check(case, ReminderKind::ToolResult, &fold.rules, &fold.content, &what, differences);
    }
}

/// Compares a text of blocks, joined by blank lines, with those of the rules.
fn check(
    case: &Case<'_>,
    kind: ReminderKind<'_>,
    rules: &[JsString],
    text: &JsString,
    what: &str,
    differences: &mut Vec<String>,
) {
    let blocks: Option<Vec<Block>> = rules.iter().map(|rule| case.rules.block(kind, rule)).collect();
    let Some(blocks) = blocks else {
        let unknown: Vec<JsString> =
            rules.iter().filter(|rule| case.rules.block(kind, rule).is_none()).cloned().collect();
        return differences.push(format!("{what} names {}, which is not among the registered rules", list(&unknown)));
    };
    let mut rest = text.units();
    for (at, (block, rule)) in blocks.iter().zip(rules).enumerate() {
        if at > 0 {
            rest = rest.strip_prefix(&[LF, LF]).unwrap_or(rest);
        }
        match block.length_in(rest) {
            Some(length) => rest = &rest[length..],
            None => {
                return differences.push(format!("{what} of {} is not what the rule gives", quote(rule)));
            }
        }
    }
    if !rest.is_empty() {
        differences.push(format!("{what} of {} says more than the rules give", list(rules)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(content: &str) -> Block {
        let rendered = |content: &str| JsString::from(format!("<t rule=\"r\">\nour words\nmore\n\n{content}\n</t>"));
        Block::of(&rendered(content), &JsString::from("<t rule=\"r\">\nour words\nmore\n</t>"))
    }

    #[test]
    fn wording_does_not_count_and_content_does() {
        let own = block("Do\n\nthis.");
        let length = |text: &str| own.length_in(JsString::from(text).units());
        let whole = "<t rule=\"r\">\nother\n\nDo\n\nthis.\n</t>";
        assert_eq!(length(whole), Some(whole.len()));
        for changed in [
            "<t rule=\"s\">\nother\n\nDo\n\nthis.\n</t>",
            "<t rule=\"r\">\nother\n\nDo\n\nthat.\n</t>",
            "<t rule=\"r\">\nother\n\nMore\n\nDo\n\nthis.\n</t>",
            "<t rule=\"r\">\nother\n\nDo\n\nthis.\n",
        ] {
            assert_eq!(length(changed), None, "{changed}");
        }
    }
}
