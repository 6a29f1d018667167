//! `ttsr.toml`: what a team agrees on for `ttsr check-rules`, so that everybody and CI say the same. Flags win.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use toml::Spanned;

use super::CliError;
use super::args::{CheckRulesArgs, FailOn, LifecycleArg};
use super::console::Surroundings;
use super::root::repository;
use crate::files::read_regular;
use crate::text::LineIndex;

/// The names of the file; the first that is there counts.
const NAMES: [&str; 2] = ["ttsr.toml", ".ttsr.toml"];

/// The variable that names a file.
const VARIABLE: &str = "TTSR_CONFIG";

/// What a configuration file says.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Content {
    #[serde(skip_serializing_if = "Option::is_none")]
    lifecycle: Option<Spanned<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    settings: Option<PathBuf>,
    /// The table `check`.
    pub check: Check,
}

/// The table `check`.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct Check {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    paths: Vec<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fail_on: Option<Spanned<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    examples: Option<Spanned<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    findings_baseline: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help_uri: Option<String>,
    /// Codes that are errors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<Spanned<String>>,
    /// Codes that are warnings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warn: Vec<Spanned<String>>,
    /// Codes that are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<Spanned<String>>,
    /// What holds for some files only; the last one counts first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub per_file: Vec<PerFile>,
}

/// What holds for some files.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct PerFile {
    /// Globs of files, from the folder of the configuration on; without `/` the name of a file anywhere.
    pub files: Vec<Spanned<String>>,
    /// Codes that are errors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deny: Vec<Spanned<String>>,
    /// Codes that are warnings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warn: Vec<Spanned<String>>,
    /// Codes that are left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<Spanned<String>>,
}

/// Options whose default does not say whether they were given.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Given {
    /// `--lifecycle`
    pub lifecycle: bool,
    /// `--fail-on`
    pub fail_on: bool,
}

/// A configuration file that was read, or what holds without one.
#[derive(Clone, Debug, Default)]
pub(super) struct ConfigFile {
    /// The file, as reports name it.
    name: Option<String>,
    text: String,
    /// Where it lies.
    folder: Option<PathBuf>,
    /// What paths in it start with, for whoever is in the current folder.
    prefix: PathBuf,
    /// What it says.
    pub content: Content,
}

impl ConfigFile {
    /// Reads the file that the options or the variable name, or else the one that is found from `start` upward to the
    /// root of the repository.
    ///
    /// # Errors
    /// When the file cannot be read, is not TOML, or holds something that is not known.
    pub(super) fn read(args: &CheckRulesArgs, start: &Path, surroundings: &Surroundings) -> Result<Self, CliError> {
        if args.no_config {
            return Ok(Self::default());
        }
        let variable = surroundings.vars.get(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
        let named = args.config.clone().or(variable);
        let Some(path) = named.or_else(|| find(start, &surroundings.cwd)) else { return Ok(Self::default()) };
        let bytes = read_regular(&path, crate::limits::CONFIG_FILE.get())
            .map_err(|error| CliError::unreadable(&path, &error))?;
        let prefix = path.parent().map(Path::to_owned).unwrap_or_default();
        let folder = surroundings.cwd.join(&prefix);
        let folder = folder.canonicalize().unwrap_or(folder);
        let mut file = Self {
            name: Some(path.to_string_lossy().into_owned()),
            text: String::from_utf8_lossy(&bytes).into_owned(),
            folder: Some(folder),
            prefix,
            content: Content::default(),
        };
        file.content = toml::from_str(file.text.strip_prefix('\u{FEFF}').unwrap_or(&file.text))
            .map_err(|error| file.unusable(&error))?;
        Ok(file)
    }

    /// The folder that the file lies in.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// Fills in what the options leave open.
    ///
    /// # Errors
    /// When a value is none that there is.
    pub(super) fn apply(&self, args: &mut CheckRulesArgs, given: Given) -> Result<Option<FailOn>, CliError> {
        let Content { lifecycle, settings, check } = &self.content;
        let path = |path: &PathBuf| self.prefix.join(path);
        let lifecycle = lifecycle.as_ref().map(|name| self.word::<LifecycleArg>(name, "lifecycle")).transpose()?;
        let fail_on = check.fail_on.as_ref().map(|name| self.word::<FailOn>(name, "fail-on")).transpose()?;
        if let Some(lifecycle) = lifecycle.filter(|_| !given.lifecycle) {
            args.rules.lifecycle = vec![lifecycle];
        }
        if args.rules.settings.is_none() {
            args.rules.settings = settings.as_ref().map(path);
        }
        if args.paths.is_empty() && args.rules.rules.is_empty() && args.rules.project.is_none() {
            args.paths = check.paths.iter().map(path).collect();
        }
        if args.findings_baseline.is_none() && args.write_baseline.is_none() {
            args.findings_baseline = check.findings_baseline.as_ref().map(path);
        }
        if args.help_uri.is_none() {
            args.help_uri.clone_from(&check.help_uri);
        }
        match check.examples.as_ref().map(|word| (word, word.get_ref().as_str())) {
            None | Some((_, "off")) => {}
            Some((_, "run")) => args.examples = true,
            Some((_, "required")) => args.examples_required = true,
            Some((word, _)) => return Err(self.wrong(word, "is no value of `examples`", "write off, run or required")),
        }
        Ok(fail_on.filter(|_| !given.fail_on))
    }

    fn word<T: ValueEnum>(&self, name: &Spanned<String>, key: &str) -> Result<T, CliError> {
        T::from_str(name.get_ref(), false).map_err(|_| {
            let known: Vec<String> = T::value_variants()
                .iter()
                .filter_map(|value| value.to_possible_value().map(|value| value.get_name().to_owned()))
                .collect();
            self.wrong(name, &format!("is no value of `{key}`"), &format!("write {}", known.join(", ")))
        })
    }

    /// An error about a value.
    pub(super) fn wrong(&self, value: &Spanned<String>, what: &str, help: &str) -> CliError {
        let message = format!("{}: `{}` {what}", self.place(value.span().start), value.get_ref());
        CliError::failed(message).with_help(help)
    }

    fn unusable(&self, error: &toml::de::Error) -> CliError {
        let place = self.place(error.span().map_or(0, |span| span.start));
        let failed = CliError::failed(format!("{place}: {}", error.message()));
        // What is not known is named first, then what is.
        let mut quoted = error.message().split('`').skip(1).step_by(2);
        let unknown = quoted.next().unwrap_or_default();
        let close =
            quoted.map(|known| (strsim::normalized_damerau_levenshtein(known, &unknown.replace('_', "-")), known));
        match close.max_by(|one, other| one.0.total_cmp(&other.0)).filter(|(likeness, _)| *likeness > 0.6) {
            Some((_, known)) => failed.with_help(format!("write `{known}`")),
            None => {
                failed.with_help("`ttsr check-rules --show-config` shows what holds; --no-config leaves the file aside")
            }
        }
    }

    fn place(&self, offset: usize) -> String {
        let mark = if self.text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
        let position = LineIndex::new(&self.text).position(&self.text, offset + mark);
        format!("{}:{}:{}", self.name.as_deref().unwrap_or_default(), position.line, position.column)
    }

    /// What holds after all, as such a file, with the names of codes by what becomes of them.
    pub(super) fn in_force(&self, args: &CheckRulesArgs, fail_on: FailOn) -> String {
        let word = |text: String| Some(Spanned::new(0..0, text));
        let name = |value: Option<clap::builder::PossibleValue>| value.map(|value| value.get_name().to_owned());
        let words = |names: &[String]| names.iter().map(|name| Spanned::new(0..0, name.clone())).collect::<Vec<_>>();
        // A flag takes the place of what the file says of the same code.
        let flags = [&args.deny, &args.warn, &args.allow];
        let is_flagged = |name: &str| flags.iter().any(|list| list.iter().any(|flag| flag == "all" || flag == name));
        let merged = |flags: &[String], list: &[Spanned<String>]| -> Vec<Spanned<String>> {
            let kept = list.iter().filter(|name| !is_flagged(name.get_ref())).cloned();
            kept.chain(words(flags)).collect()
        };
        let own = &self.content.check;
        let mut per_file = own.per_file.clone();
        let (deny, warn, allow) = if per_file.is_empty() {
            (merged(&args.deny, &own.deny), merged(&args.warn, &own.warn), merged(&args.allow, &own.allow))
        } else {
            // What is said of single files wins over what is said of all, and flags win over both.
            let [deny, warn, allow] = flags.map(|list| words(list));
            if flags.iter().any(|list| !list.is_empty()) {
                per_file.push(PerFile { files: words(&["**".to_owned()]), deny, warn, allow });
            }
            (own.deny.clone(), own.warn.clone(), own.allow.clone())
        };
        let check = Check {
            paths: args.paths.iter().chain(&args.rules.rules).cloned().collect(),
            fail_on: name(fail_on.to_possible_value()).and_then(word),
            examples: word(
                match (args.examples_required, args.examples) {
                    (true, _) => "required",
                    (_, true) => "run",
                    _ => "off",
                }
                .to_owned(),
            ),
            findings_baseline: args.findings_baseline.clone(),
            help_uri: args.help_uri.clone(),
            deny,
            warn,
            allow,
            per_file,
        };
        let lifecycle = args.rules.lifecycle.first().and_then(|one| name(one.to_possible_value())).and_then(word);
        let content = Content { lifecycle, settings: args.rules.settings.clone(), check };
        let from = self.name.as_deref().unwrap_or("no file");
        format!("# from {from} and the options\n{}", toml::to_string(&content).unwrap_or_default())
    }
}

/// The file at or above `start`, named from `cwd`, up to the root of the repository; without a repository only in
/// `start`.
fn find(start: &Path, cwd: &Path) -> Option<PathBuf> {
    let top = repository(start).unwrap_or(start);
    let mut folders = start.ancestors().take_while(|folder| folder.starts_with(top));
    let found =
        folders.find_map(|folder| NAMES.map(|name| folder.join(name)).into_iter().find(|path| path.exists()))?;
    let folder = found.parent()?;
    // From the current folder, as people write it.
    let named = match (cwd.strip_prefix(folder), found.strip_prefix(cwd)) {
        (_, Ok(inside)) => inside.to_owned(),
        (Ok(steps), _) => steps.components().map(|_| "..").collect::<PathBuf>().join(found.file_name()?),
        _ => found,
    };
    Some(named)
}
