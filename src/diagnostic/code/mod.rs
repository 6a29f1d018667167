//! The catalogue of findings: number, name, default severity, explanation.
//!
//! Numbers are never reused: 0xx rule files, 1xx session structure, 2xx persisted injections, 3xx streams and
//! scripts, 4xx handoff, 5xx settings and circumstances.

use std::fmt;

use super::Severity;

mod handoff;
mod replay;
mod rule;
mod sample;
mod session;
mod settings;
mod stream;

pub use handoff::*;
pub use replay::*;
pub use rule::*;
pub use sample::SampleFile;
pub use session::*;
pub use settings::*;
pub use stream::*;

mod catalogue {
    use super::{Code, handoff, replay, rule, session, settings, stream};

    pub(super) fn all() -> Vec<Code> {
        let mut all: Vec<Code> =
            [rule::ALL, session::ALL, stream::ALL, replay::ALL, handoff::ALL, settings::ALL].concat();
        all.sort_by_key(|code| code.number());
        all
    }
}

/// What the catalogue knows of a kind of finding.
#[derive(Debug)]
pub struct CodeInfo {
    /// The number, shown as `TTSR` and three digits.
    pub number: u16,
    /// Kebab-case name that says what is wrong.
    pub name: &'static str,
    /// Gravity unless overridden.
    pub severity: Severity,
    /// What it means and why it matters, in a few sentences.
    pub explanation: &'static str,
}

/// A kind of finding; equal when the numbers are.
#[derive(Clone, Copy)]
pub struct Code(&'static CodeInfo);

impl Code {
    /// Makes a code of a catalogue entry.
    pub const fn new(info: &'static CodeInfo) -> Self {
        Self(info)
    }

    /// The number.
    pub fn number(self) -> u16 {
        self.0.number
    }

    /// The kebab-case name.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// The default severity.
    pub fn severity(self) -> Severity {
        self.0.severity
    }

    /// The explanation.
    pub fn explanation(self) -> &'static str {
        self.0.explanation
    }

    /// Every code, by number.
    pub fn all() -> Vec<Self> {
        catalogue::all()
    }

    /// The code of this number (`TTSR014`, `14`) or name (`matches-empty`).
    pub fn find(text: &str) -> Option<Self> {
        Self::all().into_iter().find(|code| {
            code.name() == text
                || code.to_string().eq_ignore_ascii_case(text)
                || text.parse().is_ok_and(|number: u16| number == code.number())
        })
    }
}

impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.number() == other.number()
    }
}
impl Eq for Code {}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "TTSR{:03}", self.number())
    }
}
impl fmt::Debug for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self} {}", self.name())
    }
}

/// Declares catalogue entries as constants, and the list of them.
macro_rules! codes {
    ($($constant:ident = $number:literal $name:literal $severity:ident $explanation:literal;)*) => {
        $(
            #[doc = concat!("`", $name, "`: ", $explanation)]
            pub const $constant: $crate::diagnostic::Code = $crate::diagnostic::Code::new(
                &$crate::diagnostic::code::CodeInfo {
                    number: $number,
                    name: $name,
                    severity: $crate::diagnostic::Severity::$severity,
                    explanation: $explanation,
                },
            );
        )*
        pub(super) const ALL: &[$crate::diagnostic::Code] = &[$($constant),*];
    };
}
use codes;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_unique() {
        let all = Code::all();
        for pair in all.windows(2) {
            assert!(pair[0].number() < pair[1].number(), "{:?} and {:?}", pair[0], pair[1]);
        }
        for code in &all {
            assert_eq!(all.iter().filter(|other| other.name() == code.name()).count(), 1, "{code:?}");
            assert!(!code.explanation().is_empty());
        }
    }
}
