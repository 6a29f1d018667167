//! What the newest generation makes otherwise of rules and settings than an older one (generation-v4.md W4.1, W4.2, W12).

use super::args::RuleArgs;
use super::config::Setup;
use super::console::Surroundings;
use crate::diagnostic::{Diagnostic, code};
use crate::generation::Lifecycle;
use crate::output::escape;
use crate::rule::{CompiledRule, Rule, RuleSet, Sink};
use crate::text::json::Value;
use crate::text::{JsString, Place};

/// The rules and settings that are read otherwise.
#[derive(Debug, Default)]
pub(super) struct Upgrade {
    /// Settings whose values differ: the key, the older value, the newer one.
    settings: Vec<(String, String, String)>,
    /// Rules whose conditions trigger in the older generation and only gate a question in the newer one.
    judged: Vec<JsString>,
    /// Rules of which a condition loses matches.
    look_aheads: Vec<JsString>,
}

/// The rules as they are read, without what is found on the way: that is told when they are read for a run.
struct Rules(Vec<Rule>);

impl Sink for Rules {
    fn rule(&mut self, rule: Rule) {
        self.0.push(rule);
    }

    fn finding(&mut self, _: Diagnostic) {}
}

/// That an input does not tell its generation, and `what` the newer one reads otherwise (session.md S9.4f).
pub(super) fn ambiguous(input: &str, what: &str) -> Diagnostic {
    let message = format!("18.2 or 18.3 may have recorded this, and {what} is read otherwise by v4");
    let note = Diagnostic::new(code::GENERATION_AMBIGUOUS, message).at(Place::line(input, 1, 0));
    note.with_help("name the generation with --lifecycle v3 or v4")
}

impl Upgrade {
    /// Reads rules and settings by both generations. What cannot be read is told when it is read for a run.
    pub(super) fn read(args: &RuleArgs, older: Lifecycle, surroundings: &Surroundings) -> Self {
        let read = |lifecycle| {
            let setup = Setup::read(args, lifecycle, surroundings).ok()?;
            let mut rules = Rules(Vec::new());
            setup.look_through(args, &mut rules);
            let set = RuleSet::register(rules.0, &setup.resolved.settings, &setup.semantics, Some(&setup.agent));
            Some((setup.resolved.settings.to_object(), set.compiled))
        };
        let (Some((old_settings, old_rules)), Some((new_settings, new_rules))) = (read(older), read(Lifecycle::NEWEST))
        else {
            return Self::default();
        };
        let words =
            |value: Option<&Value>| value.map_or_else(String::new, |value| escape(&value.to_json().to_string()));
        let settings = new_settings.iter().filter_map(|(key, value)| {
            let key = key.to_string_lossy();
            let old = old_settings.get(&key);
            (old != Some(value)).then(|| (key, words(old), words(Some(value))))
        });
        let names = |holds: &dyn Fn(&CompiledRule) -> bool| {
            new_rules.iter().filter(|rule| holds(rule)).map(|rule| rule.name.clone()).collect::<Vec<_>>()
        };
        let triggers = |rule: &CompiledRule| old_rules.iter().any(|old| old.name == rule.name && !old.is_judged());
        Self {
            settings: settings.collect(),
            judged: names(&|rule| rule.is_judged() && triggers(rule)),
            look_aheads: names(&|rule| rule.conditions.iter().any(|(_, pattern)| pattern.has_sticky_alternatives())),
        }
    }

    /// The first thing that an input without judged rules may be decided otherwise for, in words.
    pub(super) fn otherwise(&self) -> Option<String> {
        let setting = self.settings.first().map(|(key, ..)| format!("the setting `{key}`"));
        setting.or_else(|| Some(format!("a condition of the rule `{}`", shown(self.look_aheads.first()?))))
    }

    /// What changes, each in a line.
    pub(super) fn lines(&self, older: Lifecycle) -> Vec<String> {
        let (old, new) = (older.as_str(), Lifecycle::NEWEST.as_str());
        let settings = self
            .settings
            .iter()
            .map(|(key, before, now)| format!("from {old} to {new}: the setting `{key}` is {now}, no longer {before}"));
        let judged = self.judged.iter().map(|rule| {
            let rule = shown(rule);
            format!(
                "from {old} to {new}: the rule `{rule}` asks a judge and warns; its conditions trigger nothing more"
            )
        });
        let look_aheads = self.look_aheads.iter().map(|rule| {
            let rule = shown(rule);
            format!("from {old} to {new}: a look-ahead of the rule `{rule}` is tried at the start of the buffer only")
        });
        settings.chain(judged).chain(look_aheads).collect()
    }
}

fn shown(rule: &JsString) -> String {
    escape(&rule.to_string_lossy())
}
