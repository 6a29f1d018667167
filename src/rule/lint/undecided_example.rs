//! A sample that this program cannot decide; found where samples are run (`replay::examples`).

use super::shared::lint;

lint! {
    number: 54,
    name: "undecided-example",
    severity: Error,
    explanation: "This program cannot tell whether the rule fires on a sample, so the sample says nothing about the rule.",
    samples: "failing.md" "passing.md",
    check: Elsewhere
}
