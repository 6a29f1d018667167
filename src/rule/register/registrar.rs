//! From rules in discovery order to registered rules and buckets (engine.md E1.11, E2).

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use super::compile::{CompiledRule, Refusal};
use super::flaw::Flaw;
use super::unregistered::Unregistered;
use crate::generation::{Lifecycle, Semantics};
use crate::glob::PathGlob;
use crate::rule::read::{CONDITION_KEYS, Fields, Provider, Reading, Rule};
use crate::settings::Settings;
use crate::text::{JsString, Place};

/// What became of the rules.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    /// The registered rules in registration order.
    pub compiled: Vec<CompiledRule>,
    /// Every rule that was read, in discovery order.
    pub inventory: Vec<Listed>,
    /// What the early generation is silent about, when it registers nothing.
    pub unheard: Option<Unheard>,
}

/// What became of one rule.
#[derive(Clone, Debug)]
pub struct Listed {
    /// The rule.
    pub rule: Arc<Rule>,
    /// The bucket it ended in.
    pub bucket: Bucket,
    /// Its position in [`RuleSet::compiled`].
    pub registered: Option<usize>,
    /// Why it is not registered.
    pub reason: Option<Unregistered>,
    /// What registration left out of it, or why it refused it.
    pub flaws: Vec<Flaw>,
    /// Another rule has claimed the name, or `enabled: false` dropped the rule before it could.
    pub is_shadowed: bool,
}

/// Where a rule ends (engine.md E2.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bucket {
    /// Registered with the engine.
    Ttsr,
    /// Part of every system prompt.
    Always,
    /// Offered to the model by its description.
    Rulebook,
    /// Nothing.
    None,
}

impl Bucket {
    /// The word in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ttsr => "ttsr",
            Self::Always => "always",
            Self::Rulebook => "rulebook",
            Self::None => "none",
        }
    }
}

impl fmt::Display for Bucket {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl RuleSet {
    /// Decides for each rule, in discovery order. `agent` is the session's agent name; without one no rule is
    /// left out for its `agents`.
    pub fn register(
        rules: impl IntoIterator<Item = Rule>,
        settings: &Settings,
        semantics: &Semantics,
        agent: Option<&JsString>,
    ) -> Self {
        let mut set = Self::default();
        let mut registrar = Registrar::new(settings, semantics, agent);
        for rule in rules {
            let (listed, compiled) = registrar.add(rule);
            set.inventory.push(listed);
            set.compiled.extend(compiled);
        }
        set.unheard = registrar.finish();
        set
    }

    /// Offers rules to the engine alone, without validation and buckets (engine.md E3.1).
    #[cfg(feature = "internals")]
    pub fn offer(rules: impl IntoIterator<Item = Rule>, settings: &Settings, semantics: &Semantics) -> Self {
        let mut set = Self::default();
        let mut names = HashSet::new();
        for rule in rules {
            let mut flaws = Vec::new();
            let added = if names.contains(&rule.name) {
                Err(Refusal::DuplicateName)
            } else {
                CompiledRule::compile(&rule, settings, semantics, &mut flaws)
            };
            let (bucket, registered, reason) = match added {
                Ok(compiled) => {
                    names.insert(rule.name.clone());
                    set.compiled.push(compiled);
                    (Bucket::Ttsr, Some(set.compiled.len() - 1), None)
                }
                Err(refusal) => (Bucket::None, None, Some(Unregistered::Refused(refusal))),
            };
            set.inventory.push(Listed { rule: Arc::new(rule), bucket, registered, reason, flaws, is_shadowed: false });
        }
        set
    }
}

/// Rules that the early generation does not register and the next one would.
#[derive(Clone, Debug, PartialEq)]
pub struct Unheard {
    /// How many there are.
    pub count: usize,
    /// Where the first of them says what it is for.
    pub first: Option<Place>,
}

/// Registers rules one after the other; of those before it keeps the names alone.
#[derive(Debug)]
pub struct Registrar<'a> {
    settings: &'a Settings,
    semantics: &'a Semantics,
    /// In lower case.
    agent: Option<JsString>,
    /// The names that are claimed, and by which file.
    names: HashMap<JsString, String>,
    registered: usize,
    /// How many rules the early generation is silent about though the next one would register them.
    unheard: usize,
    /// Where the first of them says what it is for.
    first_unheard: Option<Place>,
}

impl<'a> Registrar<'a> {
    /// One that has seen no rule. `agent` is the session's agent name; without one no rule is left out for its
    /// `agents`.
    pub fn new(settings: &'a Settings, semantics: &'a Semantics, agent: Option<&JsString>) -> Self {
        let agent = agent.map(|name| JsString::from(name.trim().to_string_lossy().to_lowercase()));
        Self { settings, semantics, agent, names: HashMap::new(), registered: 0, unheard: 0, first_unheard: None }
    }

    /// Decides for the next rule in discovery order, and gives its registered form when it has one.
    pub fn add(&mut self, rule: Rule) -> (Listed, Option<CompiledRule>) {
        let mut flaws = Vec::new();
        let is_shadowed = !rule.fields.enabled || self.names.contains_key(&rule.name);
        let (bucket, added) = match drop_reason(&rule, &mut self.names, &mut flaws) {
            Some(reason) => (Bucket::None, Err(reason)),
            None => self.decide(&rule, &mut flaws),
        };
        let (compiled, reason) = added.map_or_else(|reason| (None, Some(reason)), |compiled| (Some(compiled), None));
        let registered = compiled.is_some().then_some(self.registered);
        self.registered += usize::from(compiled.is_some());
        if self.semantics.legacy_trigger_only
            && self.registered == 0
            && let Some(place) = self.unheard(&rule)
        {
            self.unheard += 1;
            self.first_unheard.get_or_insert(place);
        }
        (Listed { rule: Arc::new(rule), bucket, registered, reason, flaws, is_shadowed }, compiled)
    }

    /// What the early generation is silent about, when it registers nothing though the next one would.
    pub fn finish(&self) -> Option<Unheard> {
        let unheard = Unheard { count: self.unheard, first: self.first_unheard.clone() };
        (self.registered == 0 && self.unheard > 0).then_some(unheard)
    }

    /// The bucket of a rule that nothing drops, and its registered form or why there is none.
    fn decide(&self, rule: &Rule, flaws: &mut Vec<Flaw>) -> (Bucket, Result<CompiledRule, Unregistered>) {
        let (fields, semantics) = (&rule.fields, self.semantics);
        if semantics.rule_switches && self.settings.disabled_rules.contains(&rule.name) {
            return (Bucket::None, Err(Unregistered::Disabled));
        }
        // E2.3; in the order of E2.5.
        let is_bundled = rule.provider == Provider::BuiltinDefaults;
        if semantics.rule_switches && is_bundled && !self.settings.builtin_rules {
            return (Bucket::None, Err(Unregistered::BundledOff));
        }
        let agent = self.agent.as_ref();
        if let Some(agent) = agent.filter(|agent| semantics.agents && !allows_agent(fields, agent)) {
            return (Bucket::None, Err(Unregistered::OtherAgent(agent.clone())));
        }
        let reason = if has_trigger(fields) {
            match CompiledRule::compile(rule, self.settings, semantics, flaws) {
                Ok(compiled) => return (Bucket::Ttsr, Ok(compiled)),
                Err(refusal) => Unregistered::Refused(refusal),
            }
        } else {
            no_trigger(rule, semantics)
        };
        let bucket = if fields.always_apply {
            Bucket::Always
        } else if fields.description.as_ref().is_some_and(|text| !text.is_empty()) {
            Bucket::Rulebook
        } else {
            Bucket::None
        };
        (bucket, Err(reason))
    }

    /// The frontmatter's place, if the generation behind the early one would register the rule.
    fn unheard(&self, rule: &Rule) -> Option<Place> {
        let next = Lifecycle::V2.semantics();
        let file = rule.file.as_ref()?.reread(&next);
        let frontmatter = file.frontmatter.as_ref()?;
        let rule = Rule { fields: Fields::read(frontmatter, &next), ..rule.clone() };
        let place = file.place(frontmatter.span.start..frontmatter.span.start);
        CompiledRule::compile(&rule, self.settings, &next, &mut Vec::new()).is_ok().then_some(place)
    }
}

/// What drops a rule before the buckets: switched off, shadowed, invalid, unreadable.
fn drop_reason(rule: &Rule, names: &mut HashMap<JsString, String>, flaws: &mut Vec<Flaw>) -> Option<Unregistered> {
    if !rule.fields.enabled {
        return Some(Unregistered::SwitchedOff);
    }
    let shown = rule.shown_file();
    if let Some(by) = names.get(&rule.name) {
        flaws.push(Flaw::Shadowed { by: by.clone() });
        return Some(Unregistered::Shadowed(by.clone()));
    }
    names.insert(rule.name.clone(), shown);
    if let Some(Reading::Beyond(problem)) =
        rule.file.as_ref().and_then(|file| Some(&file.frontmatter.as_ref()?.reading))
    {
        return Some(Unregistered::Unreadable(problem.message.to_string()));
    }
    let missing = [(&rule.name, "name"), (&rule.path, "path"), (&rule.content, "body")];
    let (_, what) = missing.into_iter().find(|(text, _)| text.is_empty())?;
    flaws.push(Flaw::Lacks { what });
    Some(Unregistered::Lacks(what))
}

/// Whether the engine is offered the rule (engine.md E2.5, generation-v4.md W3.1).
fn has_trigger(fields: &Fields) -> bool {
    let lists = [&fields.condition, &fields.ast_condition];
    fields.question.is_some() || lists.into_iter().flatten().any(|list| !list.is_empty())
}

fn no_trigger(rule: &Rule, semantics: &Semantics) -> Unregistered {
    let declares = |key: &str| {
        rule.file.as_ref().and_then(|file| file.frontmatter.as_ref()).is_some_and(|matter| matter.get(key).is_some())
    };
    if semantics.legacy_trigger_only {
        let newer = ["condition", "astCondition", "ast-condition", "ttsrTrigger", "ttsr-trigger"];
        return match newer.into_iter().find(|key| declares(key)) {
            Some(key) => Unregistered::OtherKey(key),
            None => Unregistered::NoTrigger,
        };
    }
    if CONDITION_KEYS.into_iter().chain(["astCondition"]).any(declares) {
        Unregistered::EmptyCondition
    } else if semantics.judged_rules && declares("question") {
        Unregistered::EmptyQuestion
    } else {
        Unregistered::NoCondition
    }
}

/// Whether a rule is for the agent of this name, lower-cased (engine.md E2.4).
fn allows_agent(fields: &Fields, agent: &JsString) -> bool {
    let Some(patterns) = &fields.agents else { return true };
    patterns.iter().any(|pattern| pattern == agent || PathGlob::new(pattern).takes(agent))
}
