//! `reminder.jsonl`: how a rule is rendered.

use ttsr::generation::Lifecycle;
use ttsr::lifecycle::{ReminderKind, Templates};
use ttsr::text::JsString;
use ttsr::text::json::Value;

use crate::support::{js_string, run_vectors};

#[test]
fn reminder_vectors() {
    run_vectors("reminder", |case| {
        let text = |value: &Value, name: &str| js_string(value, name).unwrap_or_default();
        let templates = Templates::new(text(case, "cwd"), text(case, "home"));
        let interrupt = text(case, "kind") == "interrupt";
        let kind = if interrupt { ReminderKind::Interrupt } else { ReminderKind::ToolResult };
        let rule = case.get("rule").ok_or("no rule")?;
        let rendered = templates.render(
            kind,
            &Lifecycle::V3.semantics(),
            &text(rule, "name"),
            &text(rule, "path"),
            &text(rule, "content"),
        );
        let expected = case.get("rendered").ok_or("no result")?;
        let parsed =
            Block::parse(&rendered, if interrupt { 3 } else { 1 }).ok_or_else(|| format!("shape: {rendered}"))?;
        let wanted = Block {
            tag: text(expected, "tag"),
            rule: text(expected, "rule"),
            path: text(expected, "path"),
            body: text(expected, "body"),
        };
        if parsed == wanted { Ok(()) } else { Err(format!("{parsed:?} instead of {wanted:?}")) }
    });
}

/// A rendered block taken apart.
#[derive(Debug, PartialEq)]
pub(crate) struct Block {
    /// The tag's name.
    pub(crate) tag: JsString,
    /// The `rule` attribute.
    pub(crate) rule: JsString,
    /// The `path` attribute.
    pub(crate) path: JsString,
    /// What follows the wording.
    pub(crate) body: JsString,
}

impl Block {
    /// Takes a block apart whose wording has that many lines.
    pub(crate) fn parse(block: &JsString, wording: usize) -> Option<Self> {
        let text = block.to_string_lossy();
        let rest = text.strip_prefix('<')?;
        let (tag, rest) = rest.split_once(" reason=\"rule_violation\" rule=\"")?;
        let (name, rest) = rest.split_once("\" path=\"")?;
        let (path, rest) = rest.split_once("\">\n")?;
        let body = rest.strip_suffix(&format!("</{tag}>"))?;
        let body = body.strip_suffix('\n').unwrap_or(body);
        let lines: Vec<&str> = body.split('\n').skip(wording).collect();
        let body = lines.join("\n");
        let body = body.strip_prefix('\n').unwrap_or(&body);
        Some(Self { tag: tag.into(), rule: name.into(), path: path.into(), body: body.into() })
    }
}
