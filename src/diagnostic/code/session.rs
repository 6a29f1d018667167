//! Codes about session files and the injections persisted in them.

use super::codes;

codes! {
    MALFORMED_LINE = 101 "malformed-line" Warning
        "A line of the session file is no JSON object and was skipped; every other line is read.";
}
