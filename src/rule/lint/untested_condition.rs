//! A condition that no sample makes match; found where samples are run (`replay::examples`).

use super::shared::lint;

lint! {
    number: 55,
    name: "untested-condition",
    severity: Note,
    explanation: "The rule has samples, and none under `fires` makes this condition match. It may be wrong or never needed. A warning with --examples-required.",
    samples: "failing.md" "passing.md",
    check: Elsewhere
}
