//! Words from closed lists: written as the types name them, with a schema that lists all of them.

use crate::diagnostic::Severity as SeverityKind;
use crate::generation::Lifecycle as Generation;
use crate::lifecycle::Decision as Decided;
use crate::message::Source as SourceKind;
use crate::replay::Verdict;
use crate::rule::{Bucket as BucketKind, Expected as Expectation};
use crate::settings::InterruptMode as Mode;

/// A word of a type with `as_str`. A variant that is missing in the list does not compile.
macro_rules! words {
    ($($(#[$doc:meta])* $name:ident of $type:ty: $($variant:ident)*;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name(pub $type);

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self.0 {
                    $(<$type>::$variant => serializer.serialize_str(self.0.as_str()),)*
                }
            }
        }

        impl schemars::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn inline_schema() -> bool {
                true
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({"type": "string", "enum": [$(<$type>::$variant.as_str()),*]})
            }
        }
    )*};
}

words! {
    /// A generation of the runtime.
    Lifecycle of Generation: V1 V2 V3 V4;
    /// The bucket that a rule ends in.
    Bucket of BucketKind: Ttsr Always Rulebook None;
    /// The gravity of a finding.
    Severity of SeverityKind: Note Warning Error;
    /// Which matches interrupt.
    InterruptMode of Mode: Never ProseOnly ToolOnly Always;
    /// What a sample must do.
    Expected of Expectation: Fires Silent;
    /// What a sample is.
    Source of SourceKind: Text Thinking Tool;
    /// What follows a match.
    Decision of Decided: Interrupt Defer Fold Warn;
    /// What a rule does on a sample.
    Outcome of Verdict: Fired Silent Undecided NotRun;
}
