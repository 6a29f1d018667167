//! `ttsr help TOPIC` for what is no command: limits, the exit status, the codes of findings.

use std::ffi::OsString;

use super::args::EXIT_STATUS;
use crate::limits::{self, written};
use crate::output::catalogue;

/// What is printed for these arguments when they ask for a topic.
pub(super) fn asked_for(arguments: &[OsString]) -> Option<String> {
    let [_, help, topic] = arguments else { return None };
    if help != "help" {
        return None;
    }
    match topic.to_str()? {
        "limits" => Some(limits_text()),
        "exit-status" => Some(format!("{}\n", EXIT_STATUS.split("\n\n").next().unwrap_or(EXIT_STATUS))),
        "codes" => Some(codes_text()),
        _ => None,
    }
}

fn limits_text() -> String {
    let mut text =
        "Limits that keep a hostile input from taking all memory or time. K, M and G are powers of 1024.\n".to_owned();
    for (is_free, title) in
        [(true, "Set by --limit NAME=VALUE:"), (false, "Fixed, since the stack is at stake, or the verdict:")]
    {
        text.push_str(&format!("\n{title}\n"));
        for limit in limits::all().filter(|limit| limit.is_free == is_free) {
            let value = format!("{} {}", written(limit.usual), limit.unit);
            text.push_str(&format!("  {:<20} {value:<20} beyond it {}\n", limit.name, limit.beyond));
        }
    }
    text.push_str("\nA line, a message and the number of entries of a session are limited by memory only.\n");
    text
}

fn codes_text() -> String {
    let mut text = "Codes of findings; `ttsr check-rules --explain CODE` says more about one.\n\n".to_owned();
    for code in catalogue::all() {
        text.push_str(&format!("  {code} {}\n", code.name()));
    }
    text
}
