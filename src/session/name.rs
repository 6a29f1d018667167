//! Names of session files and of their directories (session.md S6.1, S6.3).

/// The file name of a session that began at `timestamp` (ISO 8601).
pub fn file_name(timestamp: &str, id: &str) -> String {
    let stamp: String = timestamp.chars().map(|c| if matches!(c, ':' | '.') { '-' } else { c }).collect();
    format!("{stamp}_{id}.jsonl")
}

/// The directory below the sessions root for sessions of `cwd`: short inside `home` or `temp`, else the whole path
/// between double hyphens. Not reversible.
pub fn directory_name(cwd: &str, home: &str, temp: &str) -> String {
    let flat = |path: &str| path.replace(['/', '\\', ':'], "-");
    if let Some(rest) = inside(cwd, home) {
        return if rest.is_empty() { "-".to_owned() } else { format!("-{}", flat(rest)) };
    }
    if let Some(rest) = inside(cwd, temp) {
        return if rest.is_empty() { "-tmp".to_owned() } else { format!("-tmp-{}", flat(rest)) };
    }
    let rest = cwd.strip_prefix(['/', '\\']).unwrap_or(cwd);
    format!("--{}--", flat(rest))
}

/// What of `path` lies below `root`.
fn inside<'a>(path: &'a str, root: &str) -> Option<&'a str> {
    let root = root.trim_end_matches('/');
    if root.is_empty() {
        return None;
    }
    let rest = path.strip_prefix(root)?;
    if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }
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
        let name = |cwd| directory_name(cwd, "/home/user", "/tmp");
        assert_eq!(name("/srv/app"), "--srv-app--");
        assert_eq!(name("/"), "----");
        assert_eq!(name("/home/user"), "-");
        assert_eq!(name("/home/user/src/a b.c"), "-src-a b.c");
        assert_eq!(name("/home/username"), "--home-username--");
        assert_eq!(name("/tmp/x"), "-tmp-x");
    }
}
