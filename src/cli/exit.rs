//! [`ExitStatus`]: the documented numbers, whatever the format (cli.md section 1).

/// How a run ended. The order is the order in which a worse outcome wins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ExitStatus {
    /// 0: done.
    #[default]
    Done,
    /// 1: findings at or above the failing level, or a difference.
    Findings,
    /// 2: wrong usage.
    Usage,
    /// 3: something asked for could not be done.
    Failed,
}

impl ExitStatus {
    /// The number for the shell.
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The worse of two outcomes.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.max(other)
    }
}
