//! Codes about what a team agrees on beside its rule files.

use super::kind::codes;

codes! {
    STALE_BASELINE_ENTRY = 521 "stale-baseline-entry" Note
        "The baseline lists a finding that is no longer there. Taken out, it cannot hide the same finding when it comes again.";
    UNUSED_SUPPRESSION = 522 "unused-suppression" Note
        "A `ttsr-ignore` accepts a finding that is not there. Taken out, it cannot hide the finding when it comes.";
    UNKNOWN_SUPPRESSION = 523 "unknown-suppression" Warning
        "A `ttsr-ignore` names no code that there is; `all` is none, since it would hide what nobody has looked at.";
    MISPLACED_SUPPRESSION = 524 "misplaced-suppression" Warning
        "A `ttsr-ignore` stands where it does not count, and where the agent may take it for a part of the rule. In the frontmatter it is a comment on a line of its own without a colon and blank, in the body an HTML comment.";
}
