//! Codes about event streams, scripts and settings.

use super::codes;

codes! {
    MALFORMED_EVENT = 301 "malformed-event" Warning
        "A line of the event stream is no JSON object or lacks a required field; it was skipped.";
    UNKNOWN_EVENT = 302 "unknown-event" Note
        "The stream holds an event kind that this tool does not know; it has no influence on decisions.";
}
