//! The names of things in a session: entry types, message roles.

/// The type of an entry (session.md S2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EntryKind {
    /// `message`: a message of the conversation.
    Message,
    /// `custom_message`: a message an extension or the rule engine put into the context.
    CustomMessage,
    /// `compaction`: a summary that stands for what lies before its kept range.
    Compaction,
    /// `branch_summary`: what an abandoned branch was about.
    BranchSummary,
    /// `ttsr_injection`: rules that were injected.
    TtsrInjection,
    /// `model_change`
    ModelChange,
    /// `thinking_level_change`
    ThinkingLevelChange,
    /// `service_tier_change`
    ServiceTierChange,
    /// `mode_change`
    ModeChange,
    /// `reset_boundary`: the context begins anew behind it.
    ResetBoundary,
    /// `label`: names another entry.
    Label,
    /// `title_change`
    TitleChange,
    /// `custom`: data of an extension, outside the context.
    Custom,
    /// `session_init`
    SessionInit,
    /// `model_usage`
    ModelUsage,
    /// `credential_pin`
    CredentialPin,
    /// `mcp_tool_selection` (13.x)
    McpToolSelection,
    /// `session_info` (pi)
    SessionInfo,
    /// `session`: a second header, kept as an entry.
    Session,
    /// `title`: a title slot that does not stand on the first line.
    Title,
    /// A type this tool does not know; kept in the tree and written back unchanged.
    Unknown,
}

impl EntryKind {
    /// Every kind but [`EntryKind::Unknown`], in order.
    pub(super) const KNOWN: [(Self, &'static str); 20] = [
        (Self::Message, "message"),
        (Self::CustomMessage, "custom_message"),
        (Self::Compaction, "compaction"),
        (Self::BranchSummary, "branch_summary"),
        (Self::TtsrInjection, "ttsr_injection"),
        (Self::ModelChange, "model_change"),
        (Self::ThinkingLevelChange, "thinking_level_change"),
        (Self::ServiceTierChange, "service_tier_change"),
        (Self::ModeChange, "mode_change"),
        (Self::ResetBoundary, "reset_boundary"),
        (Self::Label, "label"),
        (Self::TitleChange, "title_change"),
        (Self::Custom, "custom"),
        (Self::SessionInit, "session_init"),
        (Self::ModelUsage, "model_usage"),
        (Self::CredentialPin, "credential_pin"),
        (Self::McpToolSelection, "mcp_tool_selection"),
        (Self::SessionInfo, "session_info"),
        (Self::Session, "session"),
        (Self::Title, "title"),
    ];
}

/// The role of the message in a `message` entry (session.md S2.3), as far as the index keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The entry is no `message` entry, or its message has no role.
    None,
    /// `user`
    User,
    /// `assistant`
    Assistant,
    /// `toolResult`
    ToolResult,
    /// Any other role.
    Other,
}
