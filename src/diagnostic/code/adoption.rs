//! Codes about what a team agrees on beside its rule files.

use super::kind::codes;

codes! {
    STALE_BASELINE_ENTRY = 521 "stale-baseline-entry" Note
        "The baseline lists a finding that is no longer there. Taken out, it cannot hide the same finding when it comes again.";
}
