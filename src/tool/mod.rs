//! What a tool call means to a rule.
