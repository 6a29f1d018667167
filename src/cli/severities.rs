//! [`Severities`]: what becomes of a finding by `--deny`, `--warn` and `--allow`, and by the configuration.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use toml::Spanned;

use super::CliError;
use super::args::CheckRulesArgs;
use super::checked::find;
use super::config_file::ConfigFile;
use super::console::Surroundings;
use super::root::Root;
use crate::diagnostic::{Code, Diagnostic, Severity};

/// What becomes of findings.
pub(super) struct Severities {
    /// The first that says something of a finding decides.
    layers: Vec<Layer>,
    /// What files in the configuration are named from.
    root: Option<Root>,
}

#[derive(Default)]
struct Layer {
    /// The files that it is about; none: all.
    files: Option<GlobSet>,
    rules: Vec<(Option<Code>, Option<Severity>)>,
}

/// The lists, in the order in which one of them wins over those before.
const LISTS: [Option<Severity>; 3] = [None, Some(Severity::Warning), Some(Severity::Error)];

impl Severities {
    /// Reads the options, and the configuration behind them.
    ///
    /// # Errors
    /// When there is no code of a name, or a glob is not valid.
    pub(super) fn read(
        args: &CheckRulesArgs,
        config: &ConfigFile,
        surroundings: &Surroundings,
    ) -> Result<Self, CliError> {
        let mut flags = Layer::default();
        for (names, severity) in [&args.allow, &args.warn, &args.deny].into_iter().zip(LISTS) {
            for name in names {
                flags.add(if name == "all" { None } else { Some(find(name)?) }, severity);
            }
        }
        let mut layers = vec![flags];
        let check = &config.content.check;
        for entry in check.per_file.iter().rev() {
            let mut layer = Layer::of(config, [&entry.allow, &entry.warn, &entry.deny])?;
            layer.files = Some(globs(config, &entry.files)?);
            layers.push(layer);
        }
        layers.push(Layer::of(config, [&check.allow, &check.warn, &check.deny])?);
        let root = config.folder().map(|folder| Root::at(folder, &surroundings.cwd));
        Ok(Self { layers, root })
    }

    /// The finding as it counts here; none when it is left out.
    pub(super) fn apply(&self, diagnostic: Diagnostic) -> Option<Diagnostic> {
        let file = || Some(self.root.as_ref()?.relative(&diagnostic.place.as_ref()?.file));
        let mut name = None;
        let is_meant = |layer: &&Layer| match &layer.files {
            None => true,
            Some(globs) => name.get_or_insert_with(file).as_ref().is_some_and(|file| globs.is_match(file)),
        };
        match self.layers.iter().filter(is_meant).find_map(|layer| layer.severity(diagnostic.code)) {
            None => Some(diagnostic),
            Some(severity) => severity.map(|severity| diagnostic.with_severity(severity)),
        }
    }
}

impl Layer {
    fn of(config: &ConfigFile, lists: [&Vec<Spanned<String>>; 3]) -> Result<Self, CliError> {
        let mut layer = Self::default();
        for (names, severity) in lists.into_iter().zip(LISTS) {
            for name in names {
                let code = match name.get_ref().as_str() {
                    "all" => None,
                    text => Some(
                        find(text)
                            .map_err(|error| config.wrong(name, "is no code", &error.help.unwrap_or_default()))?,
                    ),
                };
                layer.add(code, severity);
            }
        }
        Ok(layer)
    }

    /// A single code wins over `all`, whatever the order.
    fn add(&mut self, code: Option<Code>, severity: Option<Severity>) {
        self.rules.push((code, severity));
        self.rules.sort_by_key(|(code, _)| code.is_some());
    }

    /// What becomes of a code; none when nothing is said of it.
    fn severity(&self, code: Code) -> Option<Option<Severity>> {
        let applies = |(other, _): &&(Option<Code>, Option<Severity>)| other.is_none_or(|other| other == code);
        self.rules.iter().rfind(applies).map(|(_, severity)| *severity)
    }
}

fn globs(config: &ConfigFile, files: &[Spanned<String>]) -> Result<GlobSet, CliError> {
    let mut set = GlobSetBuilder::new();
    for glob in files {
        let text = glob.get_ref();
        let text = if text.contains('/') { text.clone() } else { format!("**/{text}") };
        let built = GlobBuilder::new(&text).literal_separator(true).build();
        set.add(
            built.map_err(|error| config.wrong(glob, &format!("is no glob: {}", error.kind()), "write another one"))?,
        );
    }
    set.build().map_err(|error| CliError::failed(error.to_string()))
}
