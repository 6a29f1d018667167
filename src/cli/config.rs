//! Rules and settings as the options ask for them: the second stage, in which files are read.

use super::CliError;
use super::args::{LifecycleArg, RuleArgs};
use super::console::{Console, Surroundings};
use super::replay::softened;
use crate::diagnostic::Diagnostic;
use crate::replay::{Plan, RuleLine};
use crate::rule::settings_files::{Resolved, SettingsError, SettingsLayers};
use crate::rule::{Loaded, Places, Rule, RuleSet, Searched, Sink, search_paths};
use crate::settings::{Lifecycle, Semantics, Settings};
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
}

impl Setup {
    /// Reads the settings.
    ///
    /// # Errors
    /// When the settings file cannot be used or an assignment is wrong.
    pub(super) fn read(args: &RuleArgs, surroundings: &Surroundings) -> Result<Self, CliError> {
        let semantics = lifecycle(&args.lifecycle)?.semantics();
        let home = surroundings.home.clone().unwrap_or_default();
        let project = surroundings.cwd.join(args.project.clone().unwrap_or_default());
        if let Some(named) = args.project.as_ref().filter(|_| !project.is_dir()) {
            let error = CliError::failed(format!("--project {}: there is no such directory", named.display()));
            return Err(error.with_help("name the folder of the project, or one below it"));
        }
        let given = !args.rules.is_empty();
        let resolved = settings(args, &semantics, given, &project, &home, surroundings)?;
        let places = Places {
            project,
            home,
            instruction_dirs: surroundings.vars.get("COPILOT_CUSTOM_INSTRUCTIONS_DIRS").cloned(),
            enabled_providers: resolved.enabled_providers.clone(),
            disabled_providers: resolved.disabled_providers.clone(),
            disabled_extensions: resolved.disabled_extensions.clone(),
            ..Places::default()
        };
        Ok(Self { given, resolved, semantics, agent: args.agent.as_str().into(), places })
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
        let Searched { failures, files } = if self.given {
            search_paths(&args.rules, DEFAULT_CWD, &self.semantics, &mut chosen)
        } else {
            self.places.search(&self.semantics, &mut chosen)
        };
        for failure in failures {
            console.fail(&CliError::failed(failure.to_string()).with_help("check the path of the rules"));
        }
        if self.given && chosen.is_empty {
            return Err(CliError::failed("none of the paths of rules holds a rule that can be read"));
        }
        chosen.verify()?;
        Ok(files)
    }
}

/// Rules and settings of a run.
pub(super) struct Config {
    /// What became of the rules.
    pub rules: RuleSet,
    /// Whether the rules were named by path.
    pub given: bool,
    /// The settings in force.
    pub settings: Settings,
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
        console: &mut Console<'_>,
        surroundings: &Surroundings,
    ) -> Result<Self, CliError> {
        let setup = Setup::read(args, surroundings)?;
        let mut loaded = Loaded::default();
        setup.search(args, console, &mut loaded)?;
        let Setup { given, resolved: Resolved { settings, diagnostics, .. }, semantics, agent, .. } = setup;
        let rules = RuleSet::register(loaded.rules, &settings, &semantics, Some(&agent));
        for diagnostic in diagnostics.iter().chain(&loaded.diagnostics).chain(&rules.diagnostics) {
            console.report(&softened(diagnostic));
        }
        Ok(Self { rules, given, settings, semantics })
    }

    /// The settings and the generation that the options ask for, without any rules.
    ///
    /// # Errors
    /// When the settings file cannot be used or an assignment is wrong.
    pub(super) fn settings_only(args: &RuleArgs, console: &mut Console<'_>) -> Result<(Settings, Semantics), CliError> {
        let semantics = lifecycle(&args.lifecycle)?.semantics();
        let mut layers = SettingsLayers::new();
        given_settings(&mut layers, args)?;
        let resolved = layers.resolve(&semantics);
        for diagnostic in &resolved.diagnostics {
            console.report(&softened(diagnostic));
        }
        Ok((resolved.settings, semantics))
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

/// The one generation that is asked for.
fn lifecycle(asked: &[LifecycleArg]) -> Result<Lifecycle, CliError> {
    match asked {
        [LifecycleArg::V1] => Ok(Lifecycle::V1),
        [LifecycleArg::V2] => Ok(Lifecycle::V2),
        [LifecycleArg::V3] => Ok(Lifecycle::V3),
        [LifecycleArg::V4] => Ok(Lifecycle::V4),
        _ => Err(CliError::usage("--lifecycle takes one generation here").with_help("one of v1, v2, v3, v4")),
    }
}

fn settings(
    args: &RuleArgs,
    semantics: &Semantics,
    given: bool,
    project: &std::path::Path,
    home: &std::path::Path,
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
