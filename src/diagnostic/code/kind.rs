//! [`Code`]: a kind of finding.

use std::fmt;

/// How much a finding matters. The order is the order of gravity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Likely not what was meant.
    Warning,
    /// Certainly not what was meant.
    Error,
}

impl Severity {
    /// The word used in every output format.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A file of a sample: its name below `testdata/rules/<code-name>/`, and its bytes. Names begin with `failing` or
/// `passing`.
pub type SampleFile = (&'static str, &'static [u8]);

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
    /// A rule that gives the finding and one that does not, for codes about rules: the files that the tests run.
    pub samples: &'static [SampleFile],
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

    /// The sample files of a code about rules, failing ones first; nothing for other codes.
    pub fn samples(self) -> &'static [SampleFile] {
        self.0.samples
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

/// Declares codes as constants, and the list of them.
macro_rules! codes {
    ($($constant:ident = $number:literal $name:literal $severity:ident $explanation:literal;)*) => {
        $(
            #[doc = concat!("`", $name, "`: ", $explanation)]
            pub const $constant: $crate::diagnostic::code::kind::Code = $crate::diagnostic::code::kind::Code::new(
                &$crate::diagnostic::code::kind::CodeInfo {
                    number: $number,
                    name: $name,
                    severity: $crate::diagnostic::code::kind::Severity::$severity,
                    explanation: $explanation,
                    samples: &[],
                },
            );
        )*
        pub(super) const ALL: &[$crate::diagnostic::code::kind::Code] = &[$($constant),*];
    };
}
pub(super) use codes;
