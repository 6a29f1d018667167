//! [`Rule`]: what a rule file says, before anything decides what becomes of it.

use std::sync::Arc;

use super::fields::Fields;
use super::file::RuleFile;
use super::provider::Provider;
use crate::generation::Semantics;
use crate::text::JsString;

/// A rule as it was read, before anything decides what becomes of it.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The name: the key of everything that happens to the rule.
    pub name: JsString,
    /// The path that the agent stores, and shows in reminders. Never one of this machine: rules of the project are
    /// stored relative to it, those of the home as `~/…`; a run puts them into its own directories.
    pub path: JsString,
    /// The body.
    pub content: JsString,
    /// What the frontmatter says.
    pub fields: Fields,
    /// Where the rule comes from.
    pub provider: Provider,
    /// The file, when there is one.
    pub file: Option<Arc<RuleFile>>,
}

impl Rule {
    /// A rule of fields that are normalised already, without a file.
    #[cfg(feature = "internals")]
    pub fn from_fields(name: JsString, path: JsString, content: JsString, fields: Fields) -> Self {
        Self { name, path, content, fields, provider: Provider::Given, file: None }
    }

    /// The rule in a file. `file_name` is the base name, `path` the path that the agent stores.
    pub fn from_file(file_name: &str, path: JsString, mut file: RuleFile, semantics: &Semantics) -> Self {
        let fields = match &file.frontmatter {
            Some(frontmatter) => Fields::read(frontmatter, semantics),
            None => Fields { enabled: true, ..Fields::default() },
        };
        Self {
            name: rule_name(file_name).into(),
            path,
            content: std::mem::take(&mut file.body),
            fields,
            provider: Provider::Given,
            file: Some(Arc::new(file)),
        }
    }

    /// The file's name for people: as the user named it, else the stored path.
    pub fn shown_file(&self) -> String {
        self.file.as_ref().map_or_else(|| self.path.to_string_lossy(), |file| file.name.clone())
    }

    /// Moves a rule that the user named by path to another working directory: such rules count as lying in
    /// `<cwd>/.omp/rules/` (cli.md section 1). Other rules stay where they are.
    #[cfg(feature = "internals")]
    pub fn move_to(&mut self, cwd: &str) {
        if self.provider == Provider::Given
            && let Some(file) = &self.file
        {
            self.path = given_path(cwd, base_name(&file.name)).into();
        }
    }
}

/// The base name without one `.md` or `.mdc` (engine.md E1.4).
pub fn rule_name(file_name: &str) -> &str {
    file_name.strip_suffix(".md").or_else(|| file_name.strip_suffix(".mdc")).unwrap_or(file_name)
}

/// The path that a rule file named by the user counts as having.
pub(in super::super) fn given_path(cwd: &str, base_name: &str) -> String {
    format!("{}/.omp/rules/{base_name}", cwd.trim_end_matches('/'))
}

/// The last segment of a path.
pub(in super::super) fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
