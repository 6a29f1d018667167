//! A rule file: read, registered, linted, repaired.

use ttsr::generation::Lifecycle;
use ttsr::rule::repair::{Level, plan};
use ttsr::rule::{Rule, RuleFile, RuleSet, lint};
use ttsr::settings::Settings;

/// Findings lie within the file, and repairing what is repaired changes nothing.
pub fn run(bytes: &[u8]) {
    for lifecycle in [Lifecycle::V1, Lifecycle::V2, Lifecycle::V3, Lifecycle::V4] {
        let semantics = lifecycle.semantics();
        let registered = |file: RuleFile| {
            let rule = Rule::from_file("r.md", "/r.md".into(), file, &semantics);
            RuleSet::register([rule], &Settings::default(), &semantics, None)
        };
        let file = RuleFile::read("r.md", bytes.to_vec(), &semantics);
        let length = file.text().len();
        for member in file.frontmatter.iter().flat_map(|matter| &matter.members) {
            assert!(file.text().get(member.value.span.clone()).is_some(), "a value outside of the file");
            assert!(file.text().get(member.key_span.clone()).is_some(), "a key outside of the file");
        }
        let set = registered(file);
        let mut findings = lint::of_registration(&set);
        for place in findings.iter().filter_map(|finding| finding.place.as_ref()) {
            assert!(place.start.offset <= place.end.offset && place.end.offset <= length, "{place:?} of {length}");
        }
        for level in [Level::Safe, Level::Risky] {
            let mut relint = |file: RuleFile| lint::of_registration(&registered(file));
            let planned = plan(set.inventory.first(), &mut findings.clone(), level, &mut relint);
            let Some(repair) = planned.repair else { continue };
            assert_ne!(repair.before, repair.after, "a repair that changes nothing");
            let again = registered(RuleFile::read("r.md", repair.after.clone().into_bytes(), &semantics));
            let mut left = lint::of_registration(&again);
            let further = plan(again.inventory.first(), &mut left, level, &mut relint).repair;
            assert!(further.is_none(), "{level:?} repaired to {:?}, then to {further:?}", repair.after);
        }
        findings.clear();
    }
}
