//! The request for a handoff document (handoff.md H2). Its wording is our own.

use crate::generation::Pipeline;
use crate::lifecycle::tidy;
use crate::text::JsString;

/// The headings that a document is asked to have, in order (handoff.md H2.1).
pub const HEADINGS: [&str; 9] = [
    "## Goal",
    "## Constraints & Preferences",
    "## Progress",
    "### Done",
    "### In Progress",
    "### Pending",
    "## Key Decisions",
    "## Critical Context",
    "## Next Steps",
];

/// The headings by which a document of that generation is judged: the user's document names the six sections, later
/// prompts also the parts of one of them.
pub fn required_headings(pipeline: Pipeline) -> impl Iterator<Item = &'static str> {
    HEADINGS.into_iter().filter(move |heading| pipeline != Pipeline::G1 || heading.starts_with("## "))
}

/// What stands in front of the user's focus.
pub const FOCUS_LABEL: &str = "Additional focus:";

/// What each section is to hold, in the order of [`HEADINGS`]; `Progress` holds its three parts only.
const CONTENTS: [&str; 9] = [
    "What is to be achieved, in the user's sense.",
    "- What the user demands, forbids or prefers.",
    "",
    "- [x] What is finished, with the files concerned.",
    "- [ ] What is under way, and how far it has come.",
    "- [ ] What has not been started.",
    "- **Decision**: the reason for it.",
    "- Paths, names, commands, values and error messages without which the work cannot go on.",
    "1. What is to be done first, and what after it.",
];

/// The text that asks the agent for a handoff document (handoff.md H2.1, H2.2).
///
/// A focus that is not empty becomes a block of its own at the end. It goes out as it is: nothing in it is expanded or
/// escaped, only the tidying of engine.md E9.6 applies to the whole.
pub fn request_text(pipeline: Pipeline, focus: Option<&JsString>) -> JsString {
    let mut text = JsString::from(
        "Write a handoff document about this session: everything that is needed to continue the work elsewhere without \
         this transcript. Do not call tools. Answer with the document alone: no greeting, no remark before or behind it, \
         no fence around it.\n\nUse exactly these headings, in this order:\n",
    );
    for (heading, content) in HEADINGS.iter().zip(CONTENTS) {
        text.push_str("\n");
        text.push_str(heading);
        text.push_str("\n");
        text.push_str(content);
        text.push_str("\n");
    }
    text.push_str("\nWrite \"none\" where a section has nothing to say. Be exact and brief.");
    if pipeline == Pipeline::G5 {
        text.push_str(
            "\nSpeak to whoever continues in the imperative, and do not mention that the work changes hands.",
        );
    }
    if let Some(focus) = focus.filter(|focus| !focus.is_empty()) {
        text.push_str("\n\n");
        text.push_str(FOCUS_LABEL);
        text.push_str(" ");
        text.push_units(focus.units());
    }
    tidy(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headings_come_in_order_and_the_focus_last() {
        for pipeline in Pipeline::ALL {
            let focus = JsString::from("/new {{name}} $1 @file");
            let text = request_text(pipeline, Some(&focus)).to_string_lossy();
            let headings: Vec<&str> = text.lines().filter(|line| line.starts_with('#')).collect();
            assert_eq!(headings, HEADINGS);
            assert!(text.ends_with("\n\nAdditional focus: /new {{name}} $1 @file"), "{text}");
        }
    }

    #[test]
    fn an_empty_focus_adds_nothing_and_a_blank_one_the_bare_label() {
        let plain = request_text(Pipeline::G1, None);
        assert_eq!(request_text(Pipeline::G1, Some(&JsString::new())), plain);
        let blank = request_text(Pipeline::G1, Some(&" \n ".into())).to_string_lossy();
        assert!(blank.ends_with("\n\nAdditional focus:"), "{blank}");
    }
}
