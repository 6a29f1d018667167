//! A sample that must not fire and does; found where samples are run (`replay::examples`).

use super::shared::lint;

lint! {
    number: 52,
    name: "example-fired",
    severity: Error,
    explanation: "A sample stands under `silent` and the rule fires on it.",
    samples: "failing.md" "passing.md",
    check: Elsewhere
}
