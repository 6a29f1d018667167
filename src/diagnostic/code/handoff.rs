//! Codes about handoffs.

use super::codes;

codes! {
    TOO_FEW_MESSAGES = 401 "too-few-messages" Error
        "The branch holds fewer than two messages, so there is nothing to hand off.";
}
