//! [`Root`]: what the paths of findings start from, so that they are the same wherever in a project `ttsr` is run.

use std::path::{Component, Path, PathBuf};

/// The folder that reports for other programs name files from: that of the repository, else that of the configuration,
/// else the current one.
#[derive(Clone, Debug)]
pub(super) struct Root {
    root: PathBuf,
    cwd: PathBuf,
}

impl Root {
    /// The root seen from `cwd`; `fallback` is taken where no repository is around it.
    pub(super) fn of(cwd: &Path, fallback: Option<&Path>) -> Self {
        let root = repository(cwd).or(fallback).unwrap_or(cwd);
        Self { root: root.to_owned(), cwd: cwd.to_owned() }
    }

    /// This root, seen from `cwd`.
    pub(super) fn at(root: &Path, cwd: &Path) -> Self {
        Self { root: root.to_owned(), cwd: cwd.to_owned() }
    }

    /// The folder.
    pub(super) fn folder(&self) -> &Path {
        &self.root
    }

    /// A file, named as reports for people do, from the root on with `/` between the names; what lies outside keeps its
    /// name, if that does not depend on the current folder.
    pub(super) fn relative(&self, shown: &str) -> String {
        if shown.is_empty() || shown == "-" || shown.starts_with("~/") {
            return shown.to_owned();
        }
        let whole = plain(&self.cwd.join(shown));
        if let Some(inside) = self.inside(&whole) {
            return inside;
        }
        // The root may have been reached by another way.
        let real = whole.canonicalize().ok();
        real.and_then(|real| self.inside(&real)).unwrap_or_else(|| whole.to_string_lossy().into_owned())
    }

    fn inside(&self, path: &Path) -> Option<String> {
        let inside = path.strip_prefix(&self.root).ok()?;
        let names: Vec<_> = inside.components().map(|name| name.as_os_str().to_string_lossy()).collect();
        (!names.is_empty()).then(|| names.join("/"))
    }
}

/// The folder at or above `from` that holds a repository.
pub(super) fn repository(from: &Path) -> Option<&Path> {
    from.ancestors().find(|folder| folder.join(".git").exists())
}

/// The path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_one_name_wherever_it_is_looked_at_from() {
        let folder = tempfile::tempdir().expect("a folder");
        let top = folder.path().canonicalize().expect("a path");
        std::fs::create_dir_all(top.join("a/.git")).expect("a folder");
        std::fs::create_dir_all(top.join("a/b/c")).expect("a folder");
        let absolute = top.join("a/b/r.md").to_string_lossy().into_owned();
        for (from, shown) in
            [("a", "b/r.md"), ("a", "./b/../b/r.md"), ("a/b", "r.md"), ("a/b/c", "../r.md"), ("a/b/c", &absolute)]
        {
            assert_eq!(Root::of(&top.join(from), None).relative(shown), "b/r.md", "{from} {shown}");
        }
        let root = Root::of(&top.join("a"), None);
        assert_eq!(root.relative("~/.omp/agent/rules/r.md"), "~/.omp/agent/rules/r.md");
        assert_eq!(root.relative("../x.md"), top.join("x.md").to_string_lossy());
        assert_eq!(root.relative("-"), "-");
        // Without a repository.
        assert_eq!(Root::of(&top.join("x/y"), Some(&top.join("x"))).relative("r.md"), "y/r.md");
        assert_eq!(Root::of(&top.join("x/y"), None).relative("r.md"), "r.md");
    }
}
