//! Receivers of `ttsr_triggered` (engine.md E7.10; statements A3.6, A6.1 to A6.3, B6.1): none can hold up, fail or
//! change a decision, and each surface gets its own payload.

use std::sync::{Arc, Mutex};

use ttsr::generation::Lifecycle;
use ttsr::lifecycle::{Listener, Reaction, Surface};
use ttsr::rule::{Fields, Rule, RuleSet};
use ttsr::settings::Settings;
use ttsr::text::json::Value;

use super::host::Host;

const EVENTS: &str = "user; turn; msg; text foo; text bar; done aborted; end; idle; tick 50; turn; msg 2; text foo; \
                      done stop; end; idle";

const GENERATIONS: [Lifecycle; 3] = [Lifecycle::V1, Lifecycle::V2, Lifecycle::V3];

fn host(generation: Lifecycle) -> Host {
    let rule = |name: &str, condition: &str| {
        let fields = Fields { condition: Some(vec![condition.into()]), enabled: true, ..Fields::default() };
        Rule::from_fields(name.into(), format!("/proj/.omp/rules/{name}.md").into(), "BODY".into(), fields)
    };
    let (settings, semantics) = (Settings::default(), generation.semantics());
    let set = RuleSet::offer([rule("r", "foo"), rule("s", "fo|bar")], &settings, &semantics);
    Host::new(set, settings, semantics, false)
}

/// A receiver that notes what it hears and then does `then`.
fn recorder(then: impl Fn() -> Reaction + Send + 'static) -> (Listener, Arc<Mutex<Vec<Value>>>) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&heard);
    let listener = move |event: &Value| {
        notes.lock().expect("notes").push(event.clone());
        then()
    };
    (Box::new(listener), heard)
}

fn heard(notes: &Arc<Mutex<Vec<Value>>>) -> Vec<Value> {
    notes.lock().expect("notes").clone()
}

/// Plays the events with these receivers and gives what each has heard; the trace must be that of a run without any.
fn play(generation: Lifecycle, receivers: Vec<(Surface, Listener)>) -> Host {
    let mut silent = host(generation);
    silent.play(EVENTS);
    let mut host = host(generation);
    for (surface, listener) in receivers {
        host.coordinator.listeners().subscribe(surface, listener);
    }
    for (now, event) in EVENTS.split("; ").enumerate() {
        host.play(event);
        host.coordinator.listeners().deliver(now as u64);
    }
    assert_eq!(host.trace, silent.trace, "{generation:?}: receivers changed the run");
    assert!(host.trace.iter().any(|line| line.starts_with("event")), "no event was announced");
    host
}

fn names(event: &Value) -> Vec<String> {
    let rules = event.get("rules").and_then(Value::as_array).expect("rules");
    rules.iter().map(|rule| rule.get("name").and_then(Value::as_string).expect("a name").to_string_lossy()).collect()
}

#[test]
fn every_surface_hears_whole_rules_in_batch_order() {
    for generation in GENERATIONS {
        let surfaces = [Surface::Session, Surface::Extension, Surface::Hook, Surface::CustomTool];
        let (receivers, notes): (Vec<_>, Vec<_>) = surfaces
            .into_iter()
            .map(|surface| {
                let (listener, notes) = recorder(|| Reaction::Done);
                ((surface, listener), (surface, notes))
            })
            .unzip();
        play(generation, receivers);
        for (surface, notes) in notes {
            let events = heard(&notes);
            assert_eq!(names(&events[0]), ["r", "s"], "{surface:?}");
            let rule = &events[0].get("rules").and_then(Value::as_array).expect("rules")[0];
            assert_eq!(rule.get("content"), Some(&"BODY".into()));
            assert_eq!(rule.get("path"), Some(&"/proj/.omp/rules/r.md".into()));
            let (key, other) = if surface == Surface::CustomTool { ("reason", "type") } else { ("type", "reason") };
            assert_eq!(events[0].get(key), Some(&"ttsr_triggered".into()), "{surface:?}");
            assert_eq!(events[0].get(other), None, "{surface:?}");
        }
    }
}

#[test]
fn a_receiver_that_panics_changes_nothing_for_the_others() {
    for generation in GENERATIONS {
        let (before, first) = recorder(|| Reaction::Done);
        let (failing, failed) = recorder(|| panic!("a receiver fails on purpose"));
        let (after, last) = recorder(|| Reaction::Done);
        let receivers = vec![(Surface::Extension, before), (Surface::Hook, failing), (Surface::CustomTool, after)];
        let mut host = play(generation, receivers);
        let count = heard(&first).len();
        assert!(count >= 1);
        assert_eq!((heard(&failed).len(), heard(&last).len()), (count, count));
        assert_eq!(host.coordinator.listeners().failures(), count);
    }
}

#[test]
fn a_receiver_that_never_returns_holds_up_nothing() {
    for generation in GENERATIONS {
        let (stuck, notes) = recorder(|| Reaction::Never);
        let (slow, late) = recorder(|| Reaction::Busy(3));
        let (other, all) = recorder(|| Reaction::Done);
        let receivers = vec![(Surface::Extension, stuck), (Surface::Hook, slow), (Surface::Session, other)];
        let mut host = play(generation, receivers);
        let count = heard(&all).len();
        assert_eq!(heard(&notes).len(), 1, "its first call never ends");
        assert_eq!(heard(&late).len(), count, "a slow one hears everything in the end");
        assert_eq!(host.coordinator.listeners().undelivered(), count - 1);
    }
}
