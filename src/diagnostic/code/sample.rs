//! The samples of the codes about rule files: what a rule looks like that gives the finding, and one that does not.
//! They are the files that the tests run, so they cannot lie.

use super::Code;

/// A file of a sample: its name below the code's folder, and its bytes.
pub type SampleFile = (&'static str, &'static [u8]);

/// Codes with the files of their samples in `testdata/rules/<code-name>/`; names begin with `failing` or `passing`.
macro_rules! samples {
    ($($name:literal: $($file:literal)+;)*) => {
        const SAMPLES: &[(&str, &[SampleFile])] = &[$(
            ($name, &[$(
                ($file, include_bytes!(concat!("../../../testdata/rules/", $name, "/", $file)))
            ),+])
        ),*];
    };
}

samples! {
    "any-condition": "failing.md" "passing.md";
    "ast-never-runs": "failing.md" "passing.md";
    "byte-order-mark": "failing.md" "passing.md";
    "catch-all": "failing.md" "passing.md";
    "chunk-dependent-pattern": "failing.md" "passing.md";
    "comma-in-glob": "failing.md" "passing.md";
    "condition-beyond-limits": "failing.md" "passing.md";
    "control-character": "failing.md" "passing.md";
    "empty-content": "failing.md" "passing.md";
    "example-did-not-fire": "failing.md" "passing.md";
    "example-fired": "failing.md" "passing.md";
    "example-not-run": "failing.md" "passing.md";
    "foreign-syntax": "failing.md" "passing.md";
    "frontmatter-beyond-limits": "failing.md" "passing.md";
    "glob-as-condition": "failing.md" "passing.md";
    "globs-exclude-prose": "failing.md" "passing.md";
    "ineffective-interrupt-mode": "failing.md" "passing.md";
    "invalid-ast-condition": "failing.md" "passing.md";
    "invalid-condition": "failing.md" "passing.md";
    "invalid-example": "failing.md" "passing.md";
    "invalid-frontmatter": "failing.md" "passing.md";
    "invalid-glob": "failing.md" "passing.md";
    "invalid-interrupt-mode": "failing.md" "passing.md";
    "invalid-question": "failing.md" "passing.md";
    "invalid-scope-token": "failing.md" "passing.md";
    "legacy-key": "failing.md" "passing.md";
    "literal-dot-glob": "failing.md" "passing.md";
    "lost-gate": "failing.md" "passing.md";
    "malformed-text": "failing.md" "passing.md";
    "masked-legacy-key": "failing.md" "passing.md";
    "matches-empty": "failing.md" "passing.md";
    "misplaced-fence": "failing.md" "passing.md";
    "missing-apply-to": "failing/.github/instructions/a.instructions.md" "passing/.github/instructions/a.instructions.md";
    "missing-examples": "failing.md" "passing.md";
    "missing-trigger": "failing.md" "passing.md";
    "negated-glob": "failing.md" "passing.md";
    "no-valid-condition": "failing.md" "passing.md";
    "normalisation-form": "failing.md" "passing.md";
    "nothing-registered-in-v1": "failing.md" "passing.md";
    "premature-example": "failing.md" "passing.md";
    "question-before-v4": "failing.md" "passing.md";
    "quoted-condition": "failing.md" "passing.md";
    "regex-literal": "failing.md" "passing.md";
    "relative-glob": "failing.md" "passing.md";
    "setting-as-key": "failing.md" "passing.md";
    "several-documents": "failing.md" "passing.md";
    "shadowed-rule": "failing/r.md" "failing/a/r.md" "passing/r.md" "passing/a/s.md";
    "skipped-file": "failing/r.MD" "failing/s.md" "passing/r.md" "passing/s.md";
    "start-anchor": "failing.md" "passing.md";
    "sticky-look-ahead": "failing.md" "passing.md";
    "superlinear-pattern": "failing.md" "passing.md";
    "unclosed-fence": "failing.md" "passing.md";
    "undecided-example": "failing.md" "passing.md";
    "unknown-key": "failing.md" "passing.md";
    "unknown-scope-tool": "failing.md" "passing.md";
    "unreachable-scope": "failing.md" "passing.md";
    "unreadable-rule-file": "failing/r.md" "passing/r.md";
    "untested-condition": "failing.md" "passing.md";
    "untranslated-inline-flag": "failing.md" "passing.md";
    "utf16-file": "failing.md" "passing.md";
    "wrong-type": "failing.md" "passing.md";
}

impl Code {
    /// The sample files of a code about rule files, failing ones first; nothing for other codes.
    pub fn sample(self) -> &'static [SampleFile] {
        SAMPLES.iter().find(|(name, _)| *name == self.name()).map_or(&[], |(_, files)| files)
    }
}
