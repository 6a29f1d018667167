//! The tags of reminders. Only tag and attributes are format; the sentences inside differ per version.

use crate::text::JsString;

/// One reminder in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Tag {
    /// Whether the element is `system-interrupt`, not `system-reminder`.
    pub interrupt: bool,
    /// The attribute `rule`.
    pub rule: JsString,
    /// The attribute `path`.
    pub path: Option<JsString>,
    /// What stands between the tags.
    pub body: JsString,
}

const ELEMENTS: [(&str, bool); 2] = [("system-interrupt", true), ("system-reminder", false)];
const REASON: &str = " reason=\"rule_violation\" rule=\"";

/// The reminders in `text`, in order.
pub fn tags(text: &JsString) -> Vec<Tag> {
    let units = text.units();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = find(units, at, "<") {
        at = open + 1;
        for (element, interrupt) in ELEMENTS {
            let start = format!("<{element}{REASON}");
            if !starts_with(&units[open..], &start) {
                continue;
            }
            let rule_start = open + start.len();
            // Attributes are not escaped, so the name ends where the next attribute or the tag's end follows.
            let line_end = find(units, rule_start, "\n").unwrap_or(units.len());
            let head = &units[..line_end];
            let path_start = find(head, rule_start, "\" path=\"");
            let Some(rule_end) = path_start.or_else(|| find(head, rule_start, "\"")) else { continue };
            let path = path_start.and_then(|at| {
                let start = at + "\" path=\"".len();
                let end = find(head, start, "\">").or_else(|| find(head, start, "\""))?;
                Some(JsString::from_units(&head[start..end]))
            });
            let body_start = (line_end + 1).min(units.len());
            let close = closing(units, body_start, &format!("</{element}>"));
            found.push(Tag {
                interrupt,
                rule: JsString::from_units(&units[rule_start..rule_end]),
                path,
                body: JsString::from_units(&units[body_start..close]),
            });
            at = close;
        }
    }
    found
}

/// Where the body ends: at the closing tag behind which the text ends or another reminder begins. The content of a rule
/// is not escaped, so it may hold such a tag itself.
fn closing(units: &[u16], from: usize, tag: &str) -> usize {
    let mut first = None;
    let mut at = from;
    while let Some(close) = find(units, at, tag) {
        first.get_or_insert(close);
        let behind = &units[close + tag.len()..];
        let ends = behind.iter().all(|unit| char::from_u32(u32::from(*unit)).is_some_and(char::is_whitespace));
        let next = |element: &str| starts_with(behind, &format!("\n\n<{element}{REASON}"));
        if ends || ELEMENTS.iter().any(|(element, _)| next(element)) {
            return close;
        }
        at = close + 1;
    }
    first.unwrap_or(units.len())
}

fn starts_with(units: &[u16], text: &str) -> bool {
    let mut own = units.iter().copied();
    text.encode_utf16().all(|unit| own.next() == Some(unit))
}

fn find(units: &[u16], from: usize, text: &str) -> Option<usize> {
    let needle: Vec<u16> = text.encode_utf16().collect();
    let place = units.get(from..)?.windows(needle.len()).position(|window| window == needle)?;
    Some(from + place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_read_in_order_with_their_bodies() {
        let text = "<system-reminder reason=\"rule_violation\" rule=\"a\" path=\"x.md\">\none\n</system-reminder>\n\n\
                    <system-interrupt reason=\"rule_violation\" rule=\"say \"b\"\" path=\"y.md\">\n<two>\n</system-interrupt>";
        let found = tags(&text.into());
        let shown: Vec<(String, bool, String)> =
            found.iter().map(|tag| (tag.rule.to_string(), tag.interrupt, tag.body.to_string())).collect();
        assert_eq!(shown, [("a".into(), false, "one\n".into()), ("say \"b\"".into(), true, "<two>\n".into())]);
        assert_eq!(found[1].path, Some("y.md".into()));
        assert!(tags(&"<system-reminder rule=\"a\">".into()).is_empty());
        let nested = "<system-interrupt reason=\"rule_violation\" rule=\"a\" path=\"x.md\">\none\n</system-interrupt>\ntwo\n\
                      </system-interrupt>\n\n<system-interrupt reason=\"rule_violation\" rule=\"b\" path=\"y.md\">\nx\n</system-interrupt>";
        let bodies: Vec<String> = tags(&nested.into()).iter().map(|tag| tag.body.to_string()).collect();
        assert_eq!(bodies, ["one\n</system-interrupt>\ntwo\n", "x\n"]);
    }
}
