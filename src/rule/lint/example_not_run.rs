//! Samples of a rule that is not registered; found where samples are run (`replay::examples`).

use super::shared::lint;

lint! {
    number: 57,
    name: "example-not-run",
    severity: Warning,
    explanation: "The rule is not registered under these settings, for this agent or in this lifecycle, so its samples cannot be run.",
    samples: "failing.md" "passing.md",
    check: Elsewhere
}
