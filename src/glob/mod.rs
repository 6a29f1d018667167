//! Path globs with the meaning that the agent gives them (engine.md E3.4), and the gate that tries them on the
//! paths of an event.
//!
//! No crate reads globs this way, so the reading (`parse`) and the matching (`matcher`) are our own. Finding
//! files on disk is no business of this module.

mod greedy;
mod matcher;
mod parse;

use crate::text::JsString;

/// A path glob. Every text is one: what cannot be read as a pattern stands for itself.
#[derive(Clone, Debug)]
pub struct PathGlob {
    source: JsString,
    negated: bool,
    pattern: parse::Pattern,
    /// What to try instead of the pattern, where the agent misses what the pattern takes.
    alternatives: Option<Vec<parse::Pattern>>,
}

impl PathGlob {
    /// Reads a glob as it stands, untrimmed.
    pub fn new(source: &JsString) -> Self {
        let text: Vec<char> = source.to_string_lossy().chars().collect();
        let (negated, pattern) = parse::parse(&text);
        let alternatives = greedy::alternatives(&pattern, text.len());
        Self { source: source.clone(), negated, pattern, alternatives }
    }

    /// The text of the glob.
    pub fn source(&self) -> &JsString {
        &self.source
    }

    /// Whether a leading `!` turns the glob around.
    pub fn is_negated(&self) -> bool {
        self.negated
    }

    /// The first bracket that has no partner, so that it stands for itself: its place in characters, and which it is.
    pub fn unpaired_bracket(&self) -> Option<(usize, char)> {
        let text: Vec<char> = self.source.to_string_lossy().chars().collect();
        parse::unpaired(&text).map(|at| (at, text[at]))
    }

    /// Whether the glob takes `path` as it stands: no normalisation, no second try by base name.
    ///
    /// Takes time polynomial in both lengths, whatever the glob.
    #[cfg(feature = "internals")]
    pub fn matches(&self, path: &JsString) -> bool {
        let path: Vec<char> = path.to_string_lossy().chars().collect();
        self.matches_chars(&path)
    }

    /// Whether the glob takes a path of an event: with each `\` turned into `/`, whole or by its last segment.
    pub fn takes(&self, path: &JsString) -> bool {
        let slashed = |one: char| if one == '\\' { '/' } else { one };
        let path: Vec<char> = path.to_string_lossy().chars().map(slashed).collect();
        if self.matches_chars(&path) {
            return true;
        }
        path.iter().rposition(|&one| one == '/').is_some_and(|slash| self.matches_chars(&path[slash + 1..]))
    }

    fn matches_chars(&self, path: &[char]) -> bool {
        let greedy = |alternatives: &Vec<parse::Pattern>| {
            let verdicts: Option<Vec<bool>> =
                alternatives.iter().map(|pattern| greedy::matches(pattern, path)).collect();
            verdicts.map(|verdicts| verdicts.contains(&true))
        };
        let verdict = self.alternatives.as_ref().and_then(greedy);
        verdict.unwrap_or_else(|| matcher::matches(&self.pattern, path)) != self.negated
    }
}

/// A list of globs of which one must take one of the paths (engine.md E3.3).
#[derive(Clone, Debug, Default)]
pub struct GlobGate(Vec<PathGlob>);

impl GlobGate {
    /// Reads a list: each glob is trimmed, blank ones are dropped.
    pub fn new<'a>(globs: impl IntoIterator<Item = &'a JsString>) -> Self {
        Self(globs.into_iter().map(JsString::trim).filter(|glob| !glob.is_empty()).map(|g| PathGlob::new(&g)).collect())
    }

    /// Whether there is no glob, so that everything passes.
    pub fn is_open(&self) -> bool {
        self.0.is_empty()
    }

    /// The globs.
    pub fn globs(&self) -> &[PathGlob] {
        &self.0
    }

    /// Whether an event with these paths passes. With a glob and without paths nothing does.
    pub fn allows(&self, paths: &[JsString]) -> bool {
        self.is_open() || self.0.iter().any(|glob| paths.iter().any(|path| glob.takes(path)))
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn matches(glob: &str, path: &str) -> bool {
        PathGlob::new(&glob.into()).matches(&path.into())
    }

    #[test]
    fn whole_segment_stars_depend_on_what_surrounds_the_braces() {
        assert!(matches("{**/,}*.ts", "x/y/a.ts"));
        assert!(matches("{src/**,lib}/x", "src/a/b/x"));
        assert!(!matches("a{**}", "a/b"));
    }

    #[test]
    fn a_path_is_tried_with_slashes_and_by_its_base_name() {
        let glob = PathGlob::new(&"*.ts".into());
        assert!(glob.takes(&"src\\a.ts".into()));
        assert!(!glob.matches(&"src/a.ts".into()));
        assert!(PathGlob::new(&"!*.ts".into()).takes(&"/p/a.ts".into()));
        assert!(!PathGlob::new(&"!**/*.ts".into()).takes(&"/p/a.ts".into()));
    }

    #[test]
    fn no_glob_is_slow() {
        let path = "a".repeat(300);
        let nested = format!("{}a{}", "+(".repeat(60), "a)".repeat(60));
        let braces = format!("{}a{}", "{a,".repeat(10_000), "}".repeat(10_000));
        let open = "{".repeat(20_000) + &"[".repeat(20_000);
        let stars = "*a".repeat(200) + "b";
        let not = format!("{}a{}", "!(".repeat(60), ")".repeat(60));
        let started = Instant::now();
        for glob in [nested.as_str(), &braces, &open, &stars, &not, &"{a,b}".repeat(500), &"**/".repeat(500)] {
            matches(glob, &path);
            matches(glob, &format!("{path}/{path}"));
        }
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    }
}
