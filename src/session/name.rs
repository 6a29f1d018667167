//! Names of session files (session.md S6.1).

/// The file name of a session that began at `timestamp` (ISO 8601).
pub fn file_name(timestamp: &str, id: &str) -> String {
    let stamp: String = timestamp.chars().map(|c| if matches!(c, ':' | '.') { '-' } else { c }).collect();
    format!("{stamp}_{id}.jsonl")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_agents_form() {
        assert_eq!(
            file_name("2026-03-14T09:10:00.000Z", "01a228b0-1111-7000-8000-000000000005"),
            "2026-03-14T09-10-00-000Z_01a228b0-1111-7000-8000-000000000005.jsonl"
        );
    }
}
