//! Where rules come from (engine.md E1.1).

use std::fmt;

/// A source of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Provider {
    /// A path that the user named; such rules count as lying in `<cwd>/.omp/rules/`.
    Given,
    /// The agent's own folders.
    Native,
    /// `rules/` of an extension package.
    OmpPlugins,
    /// `rules/` of a plugin.
    ClaudePlugins,
    /// `.agent/rules/` and `.agents/rules/`.
    Agents,
    /// `.cursor/rules/`
    Cursor,
    /// `.windsurf/rules/`
    Windsurf,
    /// `.clinerules`
    Cline,
    /// `.github/instructions/`
    Github,
    /// Rules that count as bundled with the agent (cli.md, `--bundled`).
    BuiltinDefaults,
}

impl Provider {
    /// The id in settings and reports.
    pub fn id(self) -> &'static str {
        match self {
            Self::Given => "given",
            Self::Native => "native",
            Self::OmpPlugins => "omp-plugins",
            Self::ClaudePlugins => "claude-plugins",
            Self::Agents => "agents",
            Self::Cursor => "cursor",
            Self::Windsurf => "windsurf",
            Self::Cline => "cline",
            Self::Github => "github",
            Self::BuiltinDefaults => "builtin-defaults",
        }
    }

    /// Whether the early generation knows the provider (engine.md E11 G31).
    pub fn is_early(self) -> bool {
        matches!(self, Self::Given | Self::Native | Self::Cursor | Self::Windsurf | Self::Cline)
    }

    /// Whether its folder in the user's home needs an opt-in (engine.md E1.3).
    pub fn needs_opt_in(self) -> bool {
        matches!(self, Self::ClaudePlugins | Self::Cursor | Self::Windsurf | Self::Github)
    }
}

impl fmt::Display for Provider {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.id())
    }
}
