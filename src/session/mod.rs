//! The JSONL session store.
