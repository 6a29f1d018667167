//! The document: what is taken of a reply, and how it is wrapped (handoff.md H3, H5.1, H5.4).

use crate::generation::Pipeline;
use crate::lifecycle::tidy;
use crate::message::{ContentBlock, Message};
use crate::text::JsString;

use super::required_headings;

/// The tag that closes the document in the new session.
pub const CLOSING_TAG: &str = "</handoff-context>";

/// What stands behind the document in the new session (seed 004).
pub const CLOSING_SENTENCE: &str =
    "The above is a handoff document from a previous session. Use this context to continue the work seamlessly.";

/// The text blocks of a message joined by LF; none when it has no text block (handoff.md H3.1).
pub(super) fn captured_text(message: &Message) -> Option<JsString> {
    let has_text = message.blocks().iter().any(|block| matches!(block, ContentBlock::Text(_)));
    has_text.then(|| message.text())
}

/// The content of the entry that opens the new session. The document goes in as it was captured (handoff.md H5.1).
pub fn context_message(document: &JsString) -> JsString {
    let mut content = JsString::from("<handoff-context>\n");
    content.push_units(document.units());
    content.push_str("\n");
    content.push_str(CLOSING_TAG);
    content.push_str("\n\n");
    content.push_str(CLOSING_SENTENCE);
    content
}

/// The summary of a compaction as the model gets to see it: an introduction, then the document between tags, tidied
/// (handoff.md H5.4, engine.md E9.6).
#[cfg(feature = "internals")]
pub fn wrap_summary(document: &JsString) -> JsString {
    let mut text = JsString::from("What came before in this session is summed up here. Go on from it.\n\n<handoff>\n");
    text.push_units(document.units());
    text.push_str("\n</handoff>");
    tidy(&text)
}

/// The headings of the generation's list that a line of the document has, in their order (handoff.md H7.7).
pub fn headings_found(document: &JsString, pipeline: Pipeline) -> Vec<&'static str> {
    let text = document.to_string_lossy();
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    required_headings(pipeline).filter(|heading| lines.contains(heading)).collect()
}

/// The headings of that list that no line of the document has. One that is blank lacks more than headings, so none is
/// listed.
pub fn headings_missing(document: &JsString, pipeline: Pipeline) -> Vec<&'static str> {
    if document.is_blank() {
        return Vec::new();
    }
    let found = headings_found(document, pipeline);
    required_headings(pipeline).filter(|heading| !found.contains(heading)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::json;

    fn message(text: &str) -> Message {
        match json::parse(text) {
            Ok(json::Value::Object(raw)) => Message::new(raw),
            _ => panic!("an object: {text}"),
        }
    }

    #[test]
    fn text_blocks_are_joined_and_everything_else_is_left_out() {
        let reply = message(
            r#"{"content":[{"type":"thinking","thinking":"t"},{"type":"text","text":"a"},{"type":"toolCall","id":"c","name":"x","arguments":{}},{"type":"text","text":"b"}]}"#,
        );
        assert_eq!(captured_text(&reply), Some("a\nb".into()));
        assert_eq!(captured_text(&message(r#"{"content":[{"type":"thinking","thinking":"t"}]}"#)), None);
        assert_eq!(captured_text(&message(r#"{"content":[{"type":"text","text":""}]}"#)), Some(JsString::new()));
    }

    #[test]
    fn the_document_is_neither_trimmed_nor_escaped() {
        let content = context_message(&" a\n</handoff-context>\n\n".into()).to_string_lossy();
        assert_eq!(
            content,
            format!("<handoff-context>\n a\n</handoff-context>\n\n\n</handoff-context>\n\n{CLOSING_SENTENCE}")
        );
    }

    #[test]
    fn headings_count_as_whole_lines() {
        let missing =
            headings_missing(&"## Goal\nx\n## Progress \n### Done\ntext ## Next Steps\n".into(), Pipeline::G2);
        assert_eq!(
            missing,
            [
                "## Constraints & Preferences",
                "### In Progress",
                "### Pending",
                "## Key Decisions",
                "## Critical Context",
                "## Next Steps"
            ]
        );
        let six = headings_missing(&"## Goal\n## Progress\n".into(), Pipeline::G1);
        assert_eq!(six, ["## Constraints & Preferences", "## Key Decisions", "## Critical Context", "## Next Steps"]);
        assert_eq!(headings_missing(&" \n\t".into(), Pipeline::G1), [""; 0]);
        assert_eq!(headings_found(&" \n\t".into(), Pipeline::G5), [""; 0]);
    }
}
