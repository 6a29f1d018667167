//! A sample that must fire and does not; found where samples are run (`replay::examples`).

use super::shared::lint;

lint! {
    number: 51,
    name: "example-did-not-fire",
    severity: Error,
    explanation: "A sample stands under `fires` and the rule does not fire on it.",
    samples: "failing.md" "passing.md",
    check: Elsewhere
}
