//! Rules and settings as the options ask for them: the second stage, in which files are read.

use std::path::{Path, PathBuf};

use super::CliError;
use super::args::RuleArgs;
use super::console::{Console, Surroundings, softened};
use crate::diagnostic::Diagnostic;
use crate::generation::{Lifecycle, Semantics};
use crate::replay::{Plan, RuleLine};
use crate::rule::settings_files::{Resolved, SettingsError, SettingsLayers};
use crate::rule::{Handed, Loaded, Places, Provider, Rule, RuleSet, Searched, Sink, lint, search_bundled, search_with};
use crate::settings::Settings;
use crate::text::JsString;

/// Working directory of a run whose input names none.
const DEFAULT_CWD: &str = "/project";

/// What rules are read by: everything that the options say but the rules themselves.
pub(super) struct Setup {
    /// Whether the rules were named by path.
    pub given: bool,
    /// The settings in force, and what was found in their files.
    pub resolved: Resolved,
    /// The generation.
    pub semantics: Semantics,
    /// The session's agent name.
    pub agent: JsString,
    /// Where rules are looked for that are not named.
    places: Places,
    /// Rules that count as bundled with the agent.
    bundled: Option<PathBuf>,
    /// The rule file that stands for the path `-`.
    pub handed: Option<Handed>,
}

impl Setup {
    /// Reads the settings.
    ///
    /// # Errors
    /// When the settings file cannot be used or an assignment is wrong.
    pub(super) fn read(args: &RuleArgs, lifecycle: Lifecycle, surroundings: &Surroundings) -> Result<Self, CliError> {
        let semantics = lifecycle.semantics();
        // Absolute as the project is, so that the one is seen to lie in the other.
        let home = surroundings.home.as_ref().map(|home| surroundings.cwd.join(home)).unwrap_or_default();
        let project = surroundings.cwd.join(args.project.clone().unwrap_or_default());
        if let Some(named) = args.project.as_ref().filter(|_| !project.is_dir()) {
            let error = CliError::failed(format!("--project {}: there is no such directory", named.display()));
            return Err(error.with_help("name the folder of the project, or one below it"));
        }
        let given = !args.rules.is_empty();
        let mut resolved = settings(args, &semantics, given, &project, &home, surroundings)?;
        let places = Places {
            project,
            project_name: args.project.clone().filter(|named| named.is_relative()).unwrap_or_default(),
            home,
            instruction_dirs: surroundings.vars.get("COPILOT_CUSTOM_INSTRUCTIONS_DIRS").cloned(),
            enabled_providers: resolved.enabled_providers.clone(),
            disabled_providers: resolved.disabled_providers.clone(),
            disabled_extensions: resolved.disabled_extensions.clone(),
            ..Places::default()
        };
        for place in resolved.diagnostics.iter_mut().filter_map(|finding| finding.place.as_mut()) {
            if Path::new(&place.file).is_absolute() && !given {
                place.file = places.name_of(Path::new(&place.file));
            }
        }
        for place in resolved.origins.values_mut() {
            if let Some((file, line)) =
                place.rsplit_once(':').filter(|(file, _)| Path::new(file).is_absolute() && !given)
            {
                *place = format!("{}:{line}", places.name_of(Path::new(file)));
            }
        }
        let (agent, bundled) = (args.agent.as_str().into(), args.bundled.clone());
        Ok(Self { given, resolved, semantics, agent, places, bundled, handed: None })
    }

    /// Reads the rules from their places.
    pub(super) fn look_through(&self, args: &RuleArgs, sink: &mut dyn Sink) -> Searched {
        let mut searched = if self.given {
            search_with(&args.rules, DEFAULT_CWD, &self.semantics, self.handed.as_ref(), sink)
        } else {
            self.places.search(&self.semantics, sink)
        };
        let is_off = self.resolved.disabled_providers.iter().any(|id| id == Provider::BuiltinDefaults.id());
        if let Some(path) = self.bundled.as_ref().filter(|_| !is_off) {
            let bundled = search_bundled(path, &self.resolved.disabled_extensions, &self.semantics, sink);
            searched.failures.extend(bundled.failures);
            searched.files += bundled.files;
        }
        searched
    }

    /// Reads the rules that the options name, each to `sink` as it is read, and gives the number of files. Paths that
    /// cannot be used are shown and raise the status.
    ///
    /// # Errors
    /// When no path of rules can be used, or `--only-rule` names a rule that is not there.
    pub(super) fn search(
        &self,
        args: &RuleArgs,
        console: &mut Console<'_>,
        sink: &mut dyn Sink,
    ) -> Result<usize, CliError> {
        let mut chosen = Chosen::new(&args.only_rule, sink);
        let Searched { failures, files } = self.look_through(args, &mut chosen);
        for failure in failures {
            console.fail(&CliError::failed(failure.to_string()).with_help("check the path of the rules"));
        }
        if self.given && chosen.is_empty {
            return Err(CliError::failed("none of the paths of rules holds a rule that can be read"));
        }
        if !args.may_lack_rules {
            chosen.verify()?;
        }
        Ok(files)
    }
}

/// Whether any rule that the options name has a `question`. What is wrong with rules and settings is told when they are
/// read for a run.
pub(super) fn has_question(args: &RuleArgs, surroundings: &Surroundings) -> bool {
    struct Questions(bool);
    impl Sink for Questions {
        fn rule(&mut self, rule: Rule) {
            self.0 |= rule.fields.question.is_some();
        }

        fn finding(&mut self, _: Diagnostic) {}
    }
    let mut questions = Questions(false);
    if let Ok(setup) = Setup::read(args, Lifecycle::V4, surroundings) {
        setup.look_through(args, &mut questions);
    }
    questions.0
}

/// Rules and settings of a run.
pub(super) struct Config {
    /// What became of the rules.
    pub rules: RuleSet,
    /// Whether the rules were named by path.
    pub given: bool,
    /// The settings in force.
    pub settings: Settings,
    /// Where each of them is written that is not the default.
    pub origins: std::collections::BTreeMap<String, String>,
    /// The generation.
    pub semantics: Semantics,
}

impl Config {
    /// Reads settings and rules. Paths that cannot be used are shown and raise the status.
    ///
    /// # Errors
    /// When nothing can be run: no usable rules path, an unusable settings file, a wrong assignment, an unknown
    /// rule in `--only-rule`.
    pub(super) fn load(
        args: &RuleArgs,
        lifecycle: Lifecycle,
        console: &mut Console<'_>,
        surroundings: &Surroundings,
    ) -> Result<Self, CliError> {
        let setup = Setup::read(args, lifecycle, surroundings)?;
        let mut loaded = Loaded::default();
        setup.search(args, console, &mut loaded)?;
        let Setup { given, resolved: Resolved { settings, diagnostics, origins, .. }, semantics, agent, .. } = setup;
        let rules = RuleSet::register(loaded.rules, &settings, &semantics, Some(&agent));
        for diagnostic in diagnostics.iter().chain(&loaded.diagnostics).chain(&lint::of_registration(&rules)) {
            console.report_once(&softened(diagnostic));
        }
        Ok(Self { rules, given, settings, origins, semantics })
    }

    /// The settings that the options ask for, without any rules.
    ///
    /// # Errors
    /// When a settings file cannot be used or an assignment is wrong.
    pub(super) fn settings_only(
        args: &RuleArgs,
        lifecycle: Lifecycle,
        console: &mut Console<'_>,
        surroundings: &Surroundings,
    ) -> Result<Resolved, CliError> {
        let resolved = Setup::read(args, lifecycle, surroundings)?.resolved;
        for diagnostic in &resolved.diagnostics {
            console.report_once(&softened(diagnostic));
        }
        Ok(resolved)
    }

    /// A replay with these rules, everything else by default.
    pub(super) fn plan(&self) -> Plan {
        let mut plan = Plan::new(self.rules.compiled.clone(), self.settings.clone(), self.semantics.clone());
        plan.rules_in_project = self.given;
        plan.listed = self
            .rules
            .inventory
            .iter()
            .map(|listed| RuleLine {
                name: listed.rule.name.clone(),
                path: listed.rule.path.clone(),
                registered: listed.registered.is_some(),
                reason: listed.reason.clone(),
            })
            .collect();
        plan
    }
}

fn settings(
    args: &RuleArgs,
    semantics: &Semantics,
    given: bool,
    project: &Path,
    home: &Path,
    surroundings: &Surroundings,
) -> Result<Resolved, CliError> {
    let mut layers = SettingsLayers::new();
    if !given {
        let overlays = surroundings.vars.get("PI_CONFIG_FILES").map(std::ffi::OsStr::new);
        layers.add_agent_files(project, home, overlays).map_err(unusable)?;
    }
    given_settings(&mut layers, args)?;
    Ok(layers.resolve(semantics))
}

/// Adds the settings that the options name.
fn given_settings(layers: &mut SettingsLayers, args: &RuleArgs) -> Result<(), CliError> {
    if let Some(path) = &args.settings {
        layers.add_file(path).map_err(unusable)?;
    }
    for assignment in &args.set {
        layers.add_assignment(assignment).map_err(|error| CliError::usage(format!("--set: {error}")))?;
    }
    Ok(())
}

fn unusable(error: SettingsError) -> CliError {
    let place = error.place.as_ref().map(|place| format!(":{}:{}", place.start.line, place.start.column));
    CliError::failed(format!("{}{}: {}", error.path, place.unwrap_or_default(), error.message))
        .with_help("the file holds a `ttsr:` group in YAML or JSON, such as `ttsr: {repeatMode: after-gap}`")
}

/// Lets only the rules of some names through, or all when there are no names.
struct Chosen<'a> {
    names: &'a [String],
    /// Which of the names were found.
    found: Vec<bool>,
    /// The names that come first, as an error shows them.
    known: Vec<String>,
    /// Whether no rule came.
    is_empty: bool,
    sink: &'a mut dyn Sink,
}

/// How many names an error shows.
const SHOWN_NAMES: usize = 20;

impl<'a> Chosen<'a> {
    fn new(names: &'a [String], sink: &'a mut dyn Sink) -> Self {
        Self { names, found: vec![false; names.len()], known: Vec::new(), is_empty: true, sink }
    }

    /// An error when a name was not found.
    fn verify(self) -> Result<(), CliError> {
        let Some((name, _)) = self.names.iter().zip(self.found).find(|(_, found)| !found) else { return Ok(()) };
        let help = match self.is_empty {
            true => "no rule was found".to_owned(),
            false => format!("found: {}", self.known.join(", ")),
        };
        Err(CliError::usage(format!("--only-rule: there is no rule `{name}`")).with_help(help))
    }
}

impl Sink for Chosen<'_> {
    fn rule(&mut self, rule: Rule) {
        self.is_empty = false;
        if self.names.is_empty() {
            return self.sink.rule(rule);
        }
        let shown = format!("`{}`", rule.name);
        if self.known.len() < SHOWN_NAMES && self.known.last() != Some(&shown) {
            self.known.push(shown);
        }
        let mut is_chosen = false;
        for (name, found) in self.names.iter().zip(&mut self.found) {
            let is_meant = rule.name == name.as_str();
            is_chosen |= is_meant;
            *found |= is_meant;
        }
        if is_chosen {
            self.sink.rule(rule);
        }
    }

    fn finding(&mut self, finding: Diagnostic) {
        self.sink.finding(finding);
    }
}
