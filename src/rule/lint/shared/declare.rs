//! [`Lint`]: a code and what finds it, as the file of a lint declares the two.

use super::subject::Subject;
use crate::diagnostic::{Code, Diagnostic};
use crate::rule::read::{Rule, RuleFile};
use crate::rule::register::Flaw;

/// A kind of finding about rules, and what makes such findings.
pub(in super::super) struct Lint {
    /// Number, name, severity, explanation, samples.
    pub code: Code,
    /// Who looks for it.
    pub check: Check,
}

/// What a lint looks at.
pub(in super::super) enum Check {
    /// A file as it was read, whatever becomes of the rule in it.
    File(fn(&RuleFile) -> Option<Diagnostic>),
    /// One thing that registration left out, or why it refused the rule.
    Flaw(fn(&Rule, &Flaw) -> Option<Diagnostic>),
    /// A rule that came into its own, in generations that read more than one key.
    Rule(fn(&Subject<'_>, &mut Vec<Diagnostic>)),
    /// A rule that came into its own, in any generation.
    Always(fn(&Subject<'_>, &mut Vec<Diagnostic>)),
    /// Something else: who finds it makes the finding.
    Elsewhere,
}

/// Declares the code and the lint of a file.
macro_rules! lint {
    (
        number: $number:literal,
        name: $name:literal,
        severity: $severity:ident,
        explanation: $explanation:literal,
        samples: $($sample:literal)+,
        check: $($check:tt)+
    ) => {
        #[doc = concat!("`", $name, "`: ", $explanation)]
        pub const CODE: $crate::diagnostic::Code = $crate::diagnostic::Code::new(&$crate::diagnostic::CodeInfo {
            number: $number,
            name: $name,
            severity: $crate::diagnostic::Severity::$severity,
            explanation: $explanation,
            samples: &[$((
                $sample,
                include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/rules/", $name, "/", $sample)),
            )),+],
        });

        /// The code and what finds it.
        pub(super) const LINT: $crate::rule::lint::shared::declare::Lint = $crate::rule::lint::shared::declare::Lint {
            code: CODE,
            check: $crate::rule::lint::shared::declare::Check::$($check)+,
        };
    };
}
pub(in super::super) use lint;
