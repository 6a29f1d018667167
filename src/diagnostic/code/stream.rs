//! Codes about event streams, scripts and settings.

use super::kind::codes;

codes! {
    MALFORMED_EVENT = 301 "malformed-event" Warning
        "A line of the event stream is no JSON object or lacks a required field; it was skipped.";
    UNKNOWN_EVENT = 302 "unknown-event" Note
        "The stream holds an event kind that this tool does not know; it has no influence on decisions.";
    ORPHAN_DELTA = 303 "orphan-delta" Warning
        "A delta stands outside any assistant message, as when the beginning of a stream is missing; it was taken as the beginning of a message, so what a rule would have matched before it is unknown.";
    SCRIPT_EXHAUSTED = 304 "script-exhausted" Warning
        "The agent asked the model for a reply and the script had none left, so the run ended there.";
    MALFORMED_SCRIPT = 305 "malformed-script" Error
        "The script of replies is no JSON, or holds something that is no reply and no part of one; nothing was run.";
    SCRIPT_LEFT_OVER = 306 "script-left-over" Warning
        "The run ended before every reply of the script was asked for, so the script tells another story than the one that ran.";
    UNKNOWN_TOOL = 307 "unknown-tool" Warning
        "The stream never names the tool of a call, as when an incomplete call was aborted; only rules without a tool filter can be decided for it.";
    TORN_STREAM = 308 "torn-stream" Warning
        "The last line of the stream is cut, as when the program that wrote it was killed; everything before it was read.";
    MESSAGE_WITHOUT_DELTAS = 309 "message-without-deltas" Warning
        "An assistant message has content of which no delta is in the stream; each block was decided as one delta, so a match that only a part of the block gives is not seen.";
    INCOMPLETE_FRAME = 313 "incomplete-frame" Warning
        "The parts of a split RPC frame do not make a whole event, so that event is missing.";
    UNREADABLE_STREAM = 314 "unreadable-stream" Error
        "The input could not be read to its end; what was read before was decided.";
    UNKNOWN_SCRIPT_KEY = 315 "unknown-script-key" Warning
        "The script holds a key that this tool does not know; it was left aside.";
}
