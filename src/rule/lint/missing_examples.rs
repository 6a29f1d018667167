//! A rule without samples where each must have some; found where samples are run (`replay::examples`).

use super::shared::lint;

lint! {
    number: 56,
    name: "missing-examples",
    severity: Error,
    explanation: "A registered rule has no sample under `fires`, and --examples-required asks for one.",
    samples: "failing.md" "passing.md",
    check: Elsewhere
}
