//! What the files of a generation share: settings, rules, and who turns rules off.

use super::super::CliError;
use super::super::args::InspectSessionArgs;
use super::super::config::Config;
use super::super::console::{Console, Surroundings};
use crate::audit::{DisabledRule, KnownRule};
use crate::generation::{Lifecycle, Semantics};
use crate::replay::Plan;
use crate::rule::Listed;
use crate::settings::Settings;

/// What the files of a generation share.
pub(super) struct Shared {
    pub(super) settings: Settings,
    pub(super) semantics: Semantics,
    /// The rules that names are resolved with: those that the user named, by path or by project.
    pub(super) rules: Option<Vec<KnownRule>>,
    pub(super) plan: Option<Plan>,
    /// The rules that switches turn off.
    pub(super) disabled: Vec<DisabledRule>,
}

impl Shared {
    /// Reads settings, and rules where they are named or needed.
    ///
    /// # Errors
    /// When they cannot be used.
    pub(super) fn read(
        args: &InspectSessionArgs,
        lifecycle: Lifecycle,
        console: &mut Console<'_>,
        surroundings: &Surroundings,
    ) -> Result<Self, CliError> {
        let named = &args.rules;
        let resolves = !named.rules.is_empty() || named.project.is_some() || named.bundled.is_some();
        if !args.replay && !resolves {
            let resolved = Config::settings_only(named, lifecycle, console, surroundings)?;
            let origin = |key: &str| resolved.origins.get(key).cloned().unwrap_or_default();
            let disabled = disabled(&resolved.settings, &[], origin);
            let semantics = lifecycle.semantics();
            return Ok(Self { settings: resolved.settings, semantics, rules: None, plan: None, disabled });
        }
        let config = Config::load(named, lifecycle, console, surroundings)?;
        let inventory = &config.rules.inventory;
        let known = inventory
            .iter()
            .map(|listed| KnownRule { name: listed.rule.name.clone(), content: listed.rule.content.clone() });
        let origin = |key: &str| config.origins.get(key).cloned().unwrap_or_default();
        Ok(Self {
            rules: resolves.then(|| known.collect()),
            disabled: disabled(&config.settings, inventory, origin),
            plan: args.replay.then(|| Plan { verify: true, ..config.plan() }),
            settings: config.settings,
            semantics: config.semantics,
        })
    }
}

/// The rules that switches turn off: the setting that names them, their own `enabled`, and the switches of all.
fn disabled(settings: &Settings, inventory: &[Listed], origin: impl Fn(&str) -> String) -> Vec<DisabledRule> {
    let mut disabled = Vec::new();
    if !settings.enabled {
        let (by, place) = ("`ttsr.enabled: false`, which turns every rule off".to_owned(), origin("enabled"));
        disabled.push(DisabledRule { rule: "*".into(), by, place });
    }
    for rule in &settings.disabled_rules {
        let by = "named in `ttsr.disabledRules`".to_owned();
        disabled.push(DisabledRule { rule: rule.clone(), by, place: origin("disabledRules") });
    }
    for listed in inventory {
        let (rule, file) = (listed.rule.name.clone(), listed.rule.shown_file());
        if !listed.rule.fields.enabled {
            disabled.push(DisabledRule { rule, by: "`enabled: false` in its file".to_owned(), place: file });
        } else if !settings.builtin_rules && listed.rule.provider.id() == "builtin-defaults" {
            let by = "bundled, and `ttsr.builtinRules` is false".to_owned();
            disabled.push(DisabledRule { rule, by, place: origin("builtinRules") });
        }
    }
    disabled
}
