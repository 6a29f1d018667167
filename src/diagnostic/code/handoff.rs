//! Codes about handoffs.

use super::kind::codes;

codes! {
    TOO_FEW_MESSAGES = 401 "too-few-messages" Error
        "The branch holds fewer than two messages, so there is nothing to hand off.";
    HEADINGS_MISSING = 402 "headings-missing" Warning
        "The document lacks headings that were asked for. No generation of the agent checks them, so it is written all the same.";
    CLOSING_TAG_IN_DOCUMENT = 403 "closing-tag-in-document" Warning
        "The document holds the tag that closes it in the new session. The agent does not escape it, so a model may take what follows for something else.";
    NOT_THE_OWN_REPLY = 404 "not-the-own-reply" Warning
        "What is written is not the complete text of the reply to the request: blanks, what had streamed of an aborted or failed reply, or an older answer. The generation's agent does so, and --faithful asked for it.";
    FILE_DEFERRED = 405 "file-deferred" Note
        "The generation's agent writes the new file together with the first answer in it; here it is written at once, since it was asked for.";
    KEPT_TAIL_BY_MESSAGE = 406 "kept-tail-by-message" Note
        "The agent keeps recent messages by counting tokens with its own tokenizer. Here they are kept from the last user message on, or from the last answer, and token counts are estimates.";
    LINEAGE_UNKNOWN = 407 "lineage-unknown" Warning
        "The new session was to name the old file, and the old session was not read from a file.";
    UNFINISHED_BRANCH = 408 "unfinished-branch" Warning
        "The branch that is handed off ends in an answer that is open, aborted or failed, or holds a tool call without result. The agent hands it off all the same; whether the document says what was under way is for its reader to see.";
    HANDOFF_NOT_DONE = 409 "handoff-not-done" Warning
        "A handoff that a script asks for was refused, was cancelled or failed, so the run goes on in the same session.";
    LEFT_BEHIND = 410 "left-behind" Warning
        "The document names files that belong to the old session, under `local://` or `artifact://`. A new session has files of its own, so whoever continues cannot read them.";
}
