//! Path globs with the agent's meaning (engine.md E3.4).
