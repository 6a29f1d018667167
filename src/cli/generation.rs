//! Which generation of the runtime each input is read by (cli.md section 1, `--lifecycle`).

use super::CliError;
use super::args::LifecycleArg;
use crate::generation::Lifecycle;
use crate::history::marks::Marks;

/// The generation of one input, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Generation {
    /// The generation.
    pub lifecycle: Lifecycle,
    /// The mark that decided, in words; none when the option named the generation.
    pub from: Option<String>,
    /// Whether 18.3 may have written the input just as well.
    pub may_be_newer: bool,
}

/// What `--lifecycle` says of one run over the inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// Each input has its own, by its marks.
    Auto {
        /// Whether a rule of the set has a `question`, which tells 18.3 from 18.2 where an input does not.
        has_question: bool,
    },
    /// This one.
    Named(Lifecycle),
}

impl Asked {
    /// One for each run over the inputs: a single one, but where several generations are named.
    ///
    /// # Errors
    /// When `auto` stands beside others.
    pub(super) fn each(asked: &[LifecycleArg], has_question: impl Fn() -> bool) -> Result<Vec<Self>, CliError> {
        if asked.len() > 1 && asked.contains(&LifecycleArg::Auto) {
            return Err(CliError::usage("--lifecycle auto stands alone")
                .with_help("name the generations to compare, such as --lifecycle v1,v2,v3"));
        }
        let one = |arg: &LifecycleArg| match arg.lifecycle() {
            Some(lifecycle) => Self::Named(lifecycle),
            None => Self::Auto { has_question: has_question() },
        };
        Ok(asked.iter().map(one).collect())
    }

    /// The only one.
    ///
    /// # Errors
    /// When several generations are named.
    pub(super) fn single(asked: &[LifecycleArg], has_question: impl Fn() -> bool) -> Result<Self, CliError> {
        match Self::each(asked, has_question)?[..] {
            [one] => Ok(one),
            _ => Err(CliError::usage("--lifecycle takes one generation here").with_help("one of auto, v1, v2, v3, v4")),
        }
    }

    /// The generation of an input; `marks` are read only where they decide.
    ///
    /// # Errors
    /// Those of `marks`.
    pub(super) fn generation(self, marks: impl FnOnce() -> Result<Marks, CliError>) -> Result<Generation, CliError> {
        match self {
            Self::Named(lifecycle) => Ok(Generation { lifecycle, from: None, may_be_newer: false }),
            Self::Auto { has_question } => {
                let marks = marks()?;
                let (lifecycle, from) = (marks.lifecycle(has_question), Some(marks.words(has_question)));
                Ok(Generation { lifecycle, from, may_be_newer: marks.is_ambiguous() && !has_question })
            }
        }
    }

    /// The generation of what carries no marks: texts, scripts, rule files.
    pub(super) fn unmarked(self) -> Generation {
        match self {
            Self::Named(lifecycle) => Generation { lifecycle, from: None, may_be_newer: false },
            Self::Auto { has_question } => {
                let marks = Marks::default();
                let (lifecycle, from) = (marks.lifecycle(has_question), Some(marks.words(has_question)));
                Generation { lifecycle, from, may_be_newer: false }
            }
        }
    }
}
