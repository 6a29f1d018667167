//! [`Followed`]: whether the injections of a recording helped, and why matches of it were not injected
//! (cli.md section 2, the report over many inputs).

use std::collections::HashMap;

use crate::host::trace::{Outcome, TraceKind, Uninjected};
use crate::stream::Origin;
use crate::text::JsString;

/// One recorded message, as the rules see it with the repeat policy left aside.
pub(super) struct Seen<'a> {
    /// Where it begins.
    pub(super) origin: &'a Origin,
    /// How many prompts the user has given so far.
    pub(super) prompts: usize,
    /// The rules that match in it.
    pub(super) matched: &'a [JsString],
    /// Those of them that another cut of the text would not let match there.
    pub(super) by_cut: &'a [JsString],
    /// The rules whose decision is open.
    pub(super) undecided: &'a [JsString],
    /// The rules that the recording shows as injected at it.
    pub(super) injected: &'a [JsString],
}

/// An injection of the recording.
struct Injection {
    rule: JsString,
    origin: Origin,
    /// Counter of its message.
    at: usize,
    prompts: usize,
    /// Assistant messages from it to the next prompt.
    messages: usize,
    repeated: bool,
    uncertain: bool,
}

/// Matches of one rule that the recording does not inject, for one reason.
struct Missed {
    rule: JsString,
    why: Uninjected,
    origin: Origin,
    messages: usize,
}

/// What was seen of one recording so far.
#[derive(Default)]
pub(super) struct Followed {
    messages: usize,
    injections: Vec<Injection>,
    /// Those whose prompt still runs, by index.
    open: Vec<usize>,
    missed: Vec<Missed>,
    /// Counter of the last message in which each rule matches.
    last_match: HashMap<JsString, usize>,
}

impl Followed {
    /// Takes the next message.
    pub(super) fn message(&mut self, seen: &Seen<'_>) {
        self.messages += 1;
        let injections = &mut self.injections;
        self.open.retain(|&at| injections[at].prompts == seen.prompts);
        for &at in &self.open {
            let one = &mut injections[at];
            one.messages += 1;
            one.repeated |= seen.matched.contains(&one.rule);
            one.uncertain |= seen.undecided.contains(&one.rule);
        }
        for rule in seen.matched {
            self.last_match.insert(rule.clone(), self.messages);
            if !seen.injected.contains(rule) {
                let why = if self.injections.iter().any(|one| one.rule == *rule) {
                    Uninjected::Spent
                } else if seen.by_cut.contains(rule) {
                    Uninjected::Cut
                } else {
                    Uninjected::NeverNamed
                };
                self.miss(rule, why, seen.origin);
            }
        }
        for rule in seen.injected {
            if self.injections.iter().all(|one| one.rule != *rule) {
                // What matched before was before the rule was there.
                for missed in self.missed.iter_mut().filter(|missed| missed.rule == *rule) {
                    missed.why = match missed.why {
                        Uninjected::NeverNamed => Uninjected::NotThereYet,
                        other => other,
                    };
                }
            }
            self.open.push(self.injections.len());
            self.injections.push(Injection {
                rule: rule.clone(),
                origin: seen.origin.clone(),
                at: self.messages,
                prompts: seen.prompts,
                messages: 0,
                repeated: false,
                uncertain: false,
            });
        }
    }

    fn miss(&mut self, rule: &JsString, why: Uninjected, origin: &Origin) {
        match self.missed.iter_mut().find(|missed| missed.rule == *rule && missed.why == why) {
            Some(missed) => missed.messages += 1,
            None => self.missed.push(Missed { rule: rule.clone(), why, origin: origin.clone(), messages: 1 }),
        }
    }

    /// What came of it all, as trace lines with their places. `is_registered`: whether the run knows a rule.
    pub(super) fn finish(self, is_registered: impl Fn(&JsString) -> bool) -> Vec<(Origin, TraceKind)> {
        let Self { injections, missed, last_match, .. } = self;
        let followed = injections.into_iter().map(|one| {
            let outcome = match one {
                Injection { repeated: true, .. } => Outcome::Repeated,
                Injection { messages: 0, .. } | Injection { uncertain: true, .. } => Outcome::Unknown,
                Injection { ref rule, .. } if !is_registered(rule) => Outcome::Unknown,
                _ => Outcome::Obeyed,
            };
            let again = last_match.get(&one.rule).is_some_and(|last| *last > one.at);
            (one.origin, TraceKind::Followed { rule: one.rule, outcome, messages: one.messages, again })
        });
        let missed = missed
            .into_iter()
            .map(|one| (one.origin, TraceKind::Uninjected { rule: one.rule, why: one.why, messages: one.messages }));
        followed.chain(missed).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages as `(prompt, matched, injected)`, one letter a rule.
    fn outcomes(messages: &[(usize, &str, &str)]) -> Vec<String> {
        let names = |text: &str| text.chars().map(|one| JsString::from(one.to_string())).collect::<Vec<_>>();
        let mut followed = Followed::default();
        for (prompts, matched, injected) in messages {
            let (matched, injected) = (names(matched), names(injected));
            followed.message(&Seen {
                origin: &Origin::default(),
                prompts: *prompts,
                matched: &matched,
                by_cut: &[],
                undecided: &[],
                injected: &injected,
            });
        }
        let lines = followed.finish(|rule| rule.to_string_lossy() != "z");
        let words = lines.into_iter().map(|(_, kind)| match kind {
            TraceKind::Followed { rule, outcome, messages, again } => {
                format!(
                    "{} {} {messages}{}",
                    rule.to_string_lossy(),
                    outcome.as_str(),
                    if again { " again" } else { "" }
                )
            }
            TraceKind::Uninjected { rule, why, messages } => {
                format!("{} {} {messages}", rule.to_string_lossy(), why.as_str())
            }
            other => format!("{other:?}"),
        });
        words.collect()
    }

    #[test]
    fn an_injection_is_obeyed_until_the_next_prompt_or_repeated_or_open() {
        assert_eq!(outcomes(&[(1, "a", "a"), (1, "", ""), (1, "", "")]), ["a obeyed 2"]);
        assert_eq!(outcomes(&[(1, "a", "a"), (1, "", ""), (1, "a", "")]), ["a repeated 2 again", "a spent 1"]);
        assert_eq!(outcomes(&[(1, "a", "a")]), ["a unknown 0"]);
        assert_eq!(outcomes(&[(1, "a", "a"), (2, "a", "")]), ["a unknown 0 again", "a spent 1"]);
        assert_eq!(outcomes(&[(1, "a", "a"), (1, "", ""), (2, "a", "")]), ["a obeyed 1 again", "a spent 1"]);
        assert_eq!(outcomes(&[(1, "", "z"), (1, "", "")]), ["z unknown 1"]);
        assert_eq!(outcomes(&[(1, "a", "a"), (1, "a", "a"), (1, "", "")]), ["a repeated 2 again", "a obeyed 1"]);
    }

    #[test]
    fn a_match_without_injection_has_a_reason() {
        assert_eq!(outcomes(&[(1, "a", ""), (2, "a", "")]), ["a never-named 2"]);
        assert_eq!(
            outcomes(&[(1, "a", ""), (2, "a", "a"), (2, "a", "")]),
            ["a repeated 1 again", "a not-there-yet 1", "a spent 1"]
        );
    }
}
