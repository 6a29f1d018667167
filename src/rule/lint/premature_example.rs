//! A sample whose beginning fires and whose whole does not; found where samples are run (`replay::examples`).

use super::shared::lint;

lint! {
    number: 53,
    name: "premature-example",
    severity: Error,
    explanation: "The rule fires on the beginning of a sample but not on all of it. The agent decides while text streams, so whether it fires depends on where a piece happens to end.",
    samples: "failing.md" "passing.md",
    check: Elsewhere
}
