//! Rules and settings as the options ask for them: the second stage, in which files are read.

use super::CliError;
use super::args::{LifecycleArg, RuleArgs};
use super::console::{Console, Surroundings};
use super::replay::softened;
use crate::diagnostic::Diagnostic;
use crate::replay::{Plan, RuleLine};
use crate::rule::settings_files::{Resolved, SettingsError, SettingsLayers};
use crate::rule::{Loaded, Places, RuleSet, load_paths};
use crate::settings::{Lifecycle, Semantics, Settings};
use crate::text::JsString;

/// Working directory of a run whose input names none.
const DEFAULT_CWD: &str = "/project";

/// Rules and settings of a run.
pub(super) struct Config {
    /// What became of the rules.
    pub rules: RuleSet,
    /// Whether the rules were named by path.
    pub given: bool,
    /// How many rule files were read.
    pub files: usize,
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
        let (config, diagnostics) = Self::read(args, console, surroundings)?;
        for diagnostic in &diagnostics {
            console.report(&softened(diagnostic));
        }
        Ok(config)
    }

    /// As [`Config::load`], with the findings given back instead of shown.
    ///
    /// # Errors
    /// As [`Config::load`].
    pub(super) fn read(
        args: &RuleArgs,
        console: &mut Console<'_>,
        surroundings: &Surroundings,
    ) -> Result<(Self, Vec<Diagnostic>), CliError> {
        let semantics = lifecycle(&args.lifecycle)?.semantics();
        let home = surroundings.home.clone().unwrap_or_default();
        let project = surroundings.cwd.join(args.project.clone().unwrap_or_default());
        let given = !args.rules.is_empty();
        let resolved = settings(args, &semantics, given, &project, &home, surroundings)?;
        let mut diagnostics = resolved.diagnostics.clone();
        let mut loaded = if given {
            load_paths(&args.rules, DEFAULT_CWD, &semantics)
        } else {
            discover(&project, &home, &resolved, surroundings, &semantics)
        };
        for failure in &loaded.failures {
            console.fail(&CliError::failed(failure.to_string()).with_help("check the path of the rules"));
        }
        if given && loaded.rules.is_empty() {
            return Err(CliError::failed("none of the paths of rules holds a rule that can be read"));
        }
        diagnostics.append(&mut loaded.diagnostics);
        if !args.only_rule.is_empty() {
            only(&mut loaded, &args.only_rule)?;
        }
        let agent = JsString::from(args.agent.as_str());
        let rules = RuleSet::register(loaded.rules, &resolved.settings, &semantics, Some(&agent));
        diagnostics.extend(rules.diagnostics.iter().cloned());
        Ok((Self { rules, given, files: loaded.files, settings: resolved.settings, semantics }, diagnostics))
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
        _ => Err(CliError::usage("--lifecycle takes one generation here").with_help("one of v1, v2, v3")),
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

fn discover(
    project: &std::path::Path,
    home: &std::path::Path,
    resolved: &Resolved,
    surroundings: &Surroundings,
    semantics: &Semantics,
) -> Loaded {
    let places = Places {
        project: project.to_path_buf(),
        home: home.to_path_buf(),
        instruction_dirs: surroundings.vars.get("COPILOT_CUSTOM_INSTRUCTIONS_DIRS").cloned(),
        enabled_providers: resolved.enabled_providers.clone(),
        disabled_providers: resolved.disabled_providers.clone(),
        disabled_extensions: resolved.disabled_extensions.clone(),
        ..Places::default()
    };
    places.discover(semantics)
}

/// Leaves only the rules of these names.
fn only(loaded: &mut Loaded, names: &[String]) -> Result<(), CliError> {
    for name in names {
        if !loaded.rules.iter().any(|rule| rule.name == name.as_str()) {
            let mut known: Vec<String> = loaded.rules.iter().map(|rule| format!("`{}`", rule.name)).collect();
            known.dedup();
            known.truncate(20);
            let help =
                if known.is_empty() { "no rule was found".to_owned() } else { format!("found: {}", known.join(", ")) };
            let error = CliError::usage(format!("--only-rule: there is no rule `{name}`")).with_help(help);
            return Err(error);
        }
    }
    loaded.rules.retain(|rule| names.iter().any(|name| rule.name == name.as_str()));
    Ok(())
}
