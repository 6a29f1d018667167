//! Random interleavings of deltas, aborts, interrupts and prompts through all generations: no panic, no lost pending
//! rule, and what is persisted agrees with what is remembered as the generation says.

use std::collections::BTreeSet;

use proptest::prelude::*;
use ttsr::generation::Lifecycle;
use ttsr::rule::{Fields, Rule, RuleSet};
use ttsr::settings::{ContextMode, InterruptMode, RepeatMode, Settings};
use ttsr::text::JsString;

use super::host::Host;

fn event() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        8 => prop::sample::select(vec!["text foo", "text ba", "text r", "think foo", "text x", "think quux"]),
        6 => prop::sample::select(vec![
            "call 0 c1 bash", "call 1 c2 write", "call 2 - bash", "call 3 c3 edit", "args 0 foo", "args 2 bar", "args 9 foo",
            "args 1 {\"path\":\"a.ts\",\"content\":\"foo", "args 1 bar(1)\"}", "args 3 {\"path\":\"b.ts\",\"new_string\":\"ba",
            "args 3 r\"}", "close 0", "close 1", "close 2 {\"a\":\"foo\"}", "close 3",
        ]),
        4 => prop::sample::select(vec!["result c1", "result c2", "result c3", "result nobody"]),
        6 => prop::sample::select(vec!["turn", "msg 1", "msg 2", "msg 3", "restart", "end", "idle", "user"]),
        6 => prop::sample::select(vec!["done stop", "done toolUse", "done aborted", "done error"]),
        6 => prop::sample::select(vec!["tick 1", "tick 25", "tick 50", "tick 60"]),
        2 => prop::sample::select(vec!["take", "drop-queue", "new-prompt", "user-abort", "pop"]),
    ]
}

fn settings() -> impl Strategy<Value = Settings> {
    let modes = [InterruptMode::Never, InterruptMode::ProseOnly, InterruptMode::ToolOnly, InterruptMode::Always];
    (
        prop::sample::select(modes.to_vec()),
        prop::sample::select(vec![ContextMode::Discard, ContextMode::Keep]),
        prop::sample::select(vec![RepeatMode::Once, RepeatMode::AfterGap]),
        0_u8..4,
    )
        .prop_map(|(interrupt_mode, context_mode, repeat_mode, gap)| Settings {
            interrupt_mode,
            context_mode,
            repeat_mode,
            repeat_gap: f64::from(gap),
            ..Settings::default()
        })
}

fn rules() -> Vec<Rule> {
    let rule = |name: &str, condition: &str, scope: &[&str], mode: Option<InterruptMode>| {
        let fields = Fields {
            condition: Some(vec![condition.into()]),
            scope: (!scope.is_empty()).then(|| scope.iter().map(|token| JsString::from(*token)).collect()),
            interrupt_mode: mode,
            enabled: true,
            ..Fields::default()
        };
        Rule::from_fields(name.into(), format!("/proj/{name}.md").into(), "BODY".into(), fields)
    };
    vec![
        rule("a", "foo", &[], None),
        rule("b", "ba", &[], Some(InterruptMode::Never)),
        rule("c", "bar", &["tool", "text"], Some(InterruptMode::ToolOnly)),
        rule("d", "foo|quux", &["thinking", "tool:write(*.ts)"], None),
    ]
}

/// What became of each rule, read off the trace.
#[derive(Default)]
struct Account {
    waiting: BTreeSet<String>,
    injected: BTreeSet<String>,
    persisted: BTreeSet<String>,
}

impl Account {
    fn read(trace: &[String]) -> Self {
        let mut account = Self::default();
        for (at, line) in trace.iter().enumerate() {
            let words: Vec<&str> = line.split(' ').collect();
            let rules = |word: usize| words[word].split(',').map(str::to_owned);
            match words[0] {
                "defer" => account.waiting.extend(rules(1)),
                // The event of an interrupt follows its abort; alone it is a fold's.
                "event" => account.waiting.extend(rules(1)),
                "inject" => account.settle(rules(2)),
                "fold" => account.settle(rules(2)),
                "deliver" => account.settle(rules(1)),
                "drop" => rules(1).for_each(|rule| {
                    account.waiting.remove(&rule);
                }),
                "write" if words[1] == "injection" => {
                    let message = trace[at.saturating_sub(1)].starts_with("write message");
                    let fold = trace.get(at + 1).is_some_and(|next| next.starts_with("fold"));
                    assert!(message || fold, "a list of names stands alone: {trace:?}");
                    account.persisted.extend(rules(2));
                }
                _ => {}
            }
        }
        account
    }

    fn settle(&mut self, rules: impl Iterator<Item = String>) {
        for rule in rules {
            self.waiting.remove(&rule);
            self.injected.insert(rule);
        }
    }
}

fn run(generation: Lifecycle, settings: &Settings, events: &[&str]) -> Host {
    let semantics = generation.semantics();
    let set = RuleSet::offer(rules(), settings, &semantics);
    let mut host = Host::new(set, settings.clone(), semantics, true);
    host.play(&events.join("; "));
    host
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn interleavings_lose_no_rule(settings in settings(), events in prop::collection::vec(event(), 1..60)) {
        for generation in [Lifecycle::V1, Lifecycle::V2, Lifecycle::V3, Lifecycle::V4] {
            let mut host = run(generation, &settings, &events);
            // Let everything that is planned happen, so that what still waits then waits for good.
            host.play("idle; tick 100; take; finish");
            let account = Account::read(&host.trace);
            let coordinator = &host.coordinator;
            let still: BTreeSet<String> = coordinator.pending().iter().map(JsString::to_string_lossy).collect();
            for rule in &account.waiting {
                // Neither injected nor dropped: it is queued still, sits in the bucket of a call that has no result yet,
                // or it may trigger again.
                let name = JsString::from(rule.as_str());
                let marked = coordinator.manager().ledger().record(&name).is_some();
                prop_assert!(
                    still.contains(rule) || coordinator.awaits_result(&name) || !marked || account.injected.contains(rule),
                    "{generation:?}: {rule} is lost\n{:?}\n{:?}", events, host.trace
                );
            }
            prop_assert_eq!(coordinator.memory().queued(), 0);
        }
    }

    #[test]
    fn interleavings_persist_what_is_remembered(settings in settings(), events in prop::collection::vec(event(), 1..60)) {
        for generation in [Lifecycle::V1, Lifecycle::V2, Lifecycle::V3, Lifecycle::V4] {
            let host = run(generation, &settings, &events);
            let account = Account::read(&host.trace);
            let ledger = host.coordinator.manager().ledger();
            let marked: BTreeSet<String> = ledger.injected().iter().map(JsString::to_string_lossy).collect();
            match generation {
                Lifecycle::V1 => {
                    prop_assert!(account.persisted.is_empty());
                    prop_assert!(account.injected.is_subset(&marked), "{:?}", host.trace);
                }
                Lifecycle::V2 | Lifecycle::V3 | Lifecycle::V4 => {
                    prop_assert!(account.persisted.is_subset(&marked), "{:?}", host.trace);
                    prop_assert_eq!(&account.persisted, &account.injected, "{:?}", host.trace);
                    // What is marked and not persisted was folded: its call has no result yet, or lost it, in v2 to an
                    // interrupt only.
                    let interrupted = host.trace.iter().any(|line| line.starts_with("abort"));
                    for rule in marked.difference(&account.persisted) {
                        let name = JsString::from(rule.as_str());
                        let may_be_lost = generation >= Lifecycle::V3 || interrupted;
                        prop_assert!(may_be_lost || host.coordinator.awaits_result(&name));
                    }
                }
            }
        }
    }

    #[test]
    fn interleavings_are_deterministic(settings in settings(), events in prop::collection::vec(event(), 1..40)) {
        for generation in [Lifecycle::V1, Lifecycle::V2, Lifecycle::V3, Lifecycle::V4] {
            prop_assert_eq!(run(generation, &settings, &events).trace, run(generation, &settings, &events).trace);
        }
    }
}
