//! Rules of which the early generation registers none.

use super::shared::lint;
use crate::diagnostic::Diagnostic;
use crate::rule::register::Unheard;

lint! {
    number: 29,
    name: "nothing-registered-in-v1",
    severity: Warning,
    explanation: "The lifecycle v1 knows only a `ttsr_trigger` string, so none of these rules is registered, though a later lifecycle would register some.",
    samples: "failing.md" "passing.md",
    check: Elsewhere
}

/// The finding about all rules together.
pub fn finding(unheard: &Unheard) -> Diagnostic {
    let message = format!("the lifecycle v1 registers no rule here; v2 would register {}", unheard.count);
    let help = "v1 knows only a `ttsr_trigger` string; try `--lifecycle v2`";
    Diagnostic { place: unheard.first.clone(), ..Diagnostic::new(CODE, message).with_help(help) }
}
