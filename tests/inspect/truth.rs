//! Two hundred sessions with known truth: what is planted is found by the report, and nothing that was not planted.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::made::Made;
use crate::support::program::ttsr;

const RULES: [&str; 6] = ["no-foo", "no-bar", "be-kind", "no-any", "tests-first", "no-todo"];
const PROJECTS: [&str; 4] = ["/srv/shop", "/srv/shop/api", "/home/dev/notes", "/work"];

/// A small generator of numbers: the same for a seed everywhere.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }
}

/// What was planted.
#[derive(Debug, Default)]
struct Truth {
    findings: BTreeMap<&'static str, usize>,
    /// Injections and sessions by rule.
    rules: BTreeMap<String, (usize, BTreeSet<usize>)>,
    /// Wordings by rule.
    wordings: BTreeMap<String, BTreeSet<usize>>,
    projects: BTreeMap<&'static str, usize>,
    refused: usize,
    sessions: usize,
    injections: usize,
}

impl Truth {
    fn find(&mut self, code: &'static str) {
        *self.findings.entry(code).or_default() += 1;
    }

    fn inject(&mut self, session: usize, rule: &str) {
        let counts = self.rules.entry(rule.to_owned()).or_default();
        counts.0 += 1;
        counts.1.insert(session);
        self.injections += 1;
    }
}

/// The kinds of damage; each leaves exactly the findings that it names.
const DAMAGES: usize = 18;

fn damage(kind: usize, made: &mut Made, truth: &mut Truth, session: usize, injected: usize) {
    match kind {
        0 => {
            made.line("this is no record");
            made.answer("went on");
            truth.find("TTSR101");
        }
        1 => {
            let twin = made.entry(r#""type":"custom","customType":"x","data":1"#);
            made.twin(&twin, r#""type":"custom","customType":"x","data":2"#);
            truth.find("TTSR104");
        }
        2 => {
            made.line(r#"{"type":"custom","customType":"x","timestamp":"2026-01-01T00:00:00.000Z"}"#);
            made.answer("went on");
            truth.find("TTSR109");
        }
        3 => {
            made.call("c-open");
            made.user("never mind");
            made.answer("fine");
            truth.find("TTSR118");
        }
        4 => {
            made.result("c-nowhere", "ok");
            made.answer("hm");
            truth.find("TTSR119");
        }
        5 => {
            made.record("ghost");
            made.answer("x");
            truth.inject(session, "ghost");
            truth.find("TTSR202");
        }
        6 => {
            made.interrupted("ghost", "no");
            made.reminder("ghost", "Boo.");
            made.answer("better");
            truth.find("TTSR203");
            truth.rules.entry("ghost".to_owned()).or_default();
            truth.wordings.entry("ghost".to_owned()).or_default().insert(0);
        }
        7 => {
            made.interrupted("ghost", "no");
            made.user("stop");
            made.answer("stopped");
            truth.find("TTSR212");
        }
        8 => {
            made.entry(r#""type":"label","targetId":"ffffffff","label":"here""#);
            made.answer("x");
            truth.find("TTSR123");
        }
        9 => {
            made.line(
                r#"{"type":"session","version":3,"id":"other","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/x"}"#,
            );
            made.answer("x");
            truth.find("TTSR112");
        }
        10 => {
            made.answer(r"half \ud83d of it");
            truth.find("TTSR126");
        }
        11 => {
            made.entry(r#""type":"message","message":{"role":"assistant","content":[{"type":"text","text":"x"}],"usage":{"input":1},"stopReason":"stop"}"#);
            truth.find("TTSR115");
        }
        12 => {
            for _ in 0..2 {
                made.user("go");
                made.interrupt("twice", "Do not.");
                truth.inject(session, "twice");
            }
            truth.wordings.entry("twice".to_owned()).or_default().insert(0);
            truth.find("TTSR204");
        }
        13 => {
            made.entry(r#""type":"ttsr_injection","injectedRules":[]"#);
            truth.injections += 1;
            truth.find("TTSR205");
        }
        14 => {
            made.entry(r#""type":"compaction","summary":"so far","firstKeptEntryId":"ffffffff","tokensBefore":1"#);
            made.answer("x");
            truth.find("TTSR123");
            // It keeps nothing, so that no reminder before it is in the context any more.
            (0..injected).for_each(|_| truth.find("TTSR213"));
        }
        15 => {
            made.entry(r#""type":"brand_new","data":1"#);
            truth.find("TTSR107");
        }
        16 => {
            made.entry(r#""type":"custom","customType":"x","data":"blob:sha256:short""#);
            truth.find("TTSR125");
        }
        _ => {
            made.call("c-twice");
            made.call("c-twice");
            made.result("c-twice", "ok");
            made.answer("x");
            truth.find("TTSR124");
        }
    }
}

/// Writes the sessions of a seed into a folder.
fn write(seed: u64, folder: &Path, number: usize) -> Truth {
    let (mut numbers, mut truth) = (Numbers(seed), Truth::default());
    // Sessions whose file does not say which they are.
    let mut lost = BTreeSet::new();
    for session in 0..number {
        let mut parent = None;
        let project = PROJECTS[numbers.below(PROJECTS.len())];
        let mut made = Made::new(&format!("id-{seed}-{session}"), project, session as u32);
        if session > 0 && numbers.below(8) == 0 {
            let from = numbers.below(session);
            made.header(&format!(r#""parentSession":"id-{seed}-{from}""#));
            parent = Some(from);
        }
        let name = format!("{}.jsonl", numbers.below(1 << 30) * 1000 + session);
        let path = folder.join(&name);
        // Some files are no sessions.
        match numbers.below(25) {
            0 => {
                fs::write(&path, "").expect("a file");
                (truth.refused, _) = (truth.refused + 1, truth.find("TTSR114"));
                lost.insert(session);
                continue;
            }
            1 => {
                made.user("go");
                let text = made.text();
                fs::write(&path, &text[text.find('\n').expect("a line") + 1..]).expect("a file");
                (truth.refused, _) = (truth.refused + 1, truth.find("TTSR102"));
                lost.insert(session);
                continue;
            }
            2 => {
                fs::write(&path, format!("{}{{\"type\":\"agent_start\"}}\n", made.text())).expect("a file");
                (truth.refused, _) = (truth.refused + 1, truth.find("TTSR121"));
                continue;
            }
            _ => {}
        }
        if parent.is_some_and(|parent| lost.contains(&parent)) {
            truth.find("TTSR122");
        }
        truth.sessions += 1;
        *truth.projects.entry(project).or_default() += 1;
        let is_orphan = numbers.below(20) == 0;
        if is_orphan {
            made.entry_under(Some("ffffffff"), r#""type":"message","message":{"role":"user","content":"go"}"#);
            truth.find("TTSR105");
        } else {
            made.user("go");
        }
        let mut rules: Vec<&str> = RULES.to_vec();
        let broken = numbers.below(3) == 0;
        let turns = 1 + numbers.below(5);
        let broken_turn = numbers.below(turns);
        for turn in 0..turns {
            made.answer("working on it");
            if !rules.is_empty() && numbers.below(2) == 0 {
                let rule = rules.remove(numbers.below(rules.len()));
                // Halfway through the sessions one rule was written anew.
                let wording = usize::from(rule == "no-any" && session >= number / 2);
                let body = ["Do not do that.", "Say what it is instead."][wording];
                match numbers.below(3) {
                    0 => drop(made.interrupt(rule, body)),
                    1 => drop(made.deferred(rule, body, turn)),
                    _ => drop(made.folded(rule, body)),
                }
                truth.inject(session, rule);
                truth.wordings.entry(rule.to_owned()).or_default().insert(wording);
            }
            if broken && turn == broken_turn {
                let kind = numbers.below(DAMAGES);
                damage(kind, &mut made, &mut truth, session, RULES.len() - rules.len());
            }
            made.user("go on");
        }
        made.answer("done");
        if numbers.below(4) > 0 {
            made.exit();
        }
        let mut text = made.text();
        if numbers.below(25) == 0 {
            text.push_str("{\"type\":\"message\",\"id\":\"eeee");
            truth.find("TTSR108");
        }
        fs::write(&path, text).expect("a session");
    }
    truth
}

fn counts(list: &Value, key: &str, count: &str) -> BTreeMap<String, usize> {
    let items = list.as_array().expect("a list").iter();
    items
        .map(|item| (item[key].as_str().expect("a name").to_owned(), item[count].as_u64().expect("a count") as usize))
        .collect()
}

#[test]
fn what_is_planted_is_found_and_nothing_else() {
    let mut kinds = BTreeSet::new();
    for seed in 1..=4 {
        let folder = tempfile::tempdir().expect("a folder");
        let sessions = folder.path().join("sessions");
        let rules = folder.path().join("rules");
        for folder in [&sessions, &rules] {
            fs::create_dir(folder).expect("a folder");
        }
        for (at, rule) in RULES.iter().enumerate() {
            let switch = if at == 2 { "enabled: false\n" } else { "" };
            fs::write(
                rules.join(format!("{rule}.md")),
                format!("---\n{switch}condition: x{at}y\n---\nDo not do that.\n"),
            )
            .expect("a rule");
        }
        let truth = write(seed, &sessions, 200);
        kinds.extend(truth.findings.keys().copied());
        let named = sessions.to_string_lossy().into_owned();
        let outcome = ttsr(["inspect-session", &named, "--format", "json", "--set", "ttsr.disabledRules=[no-todo]"]);
        let document: Value = serde_json::from_str(&outcome.out).expect("JSON");
        let summary = &document["summary"];
        let expected =
            truth.findings.iter().map(|(code, count)| ((*code).to_owned(), *count)).collect::<BTreeMap<_, _>>();
        // The setting that disables a rule makes a note of each injection of it.
        let mut found = counts(&summary["findings"], "code", "count");
        let disabled = found.remove("TTSR208").unwrap_or_default();
        assert_eq!(disabled, truth.rules.get("no-todo").map_or(0, |rule| rule.0), "seed {seed}");
        assert_eq!(found, expected, "seed {seed}");
        assert_eq!(outcome.status, 3);
        let of = |key: &str| summary[key].as_u64().expect("a number") as usize;
        assert_eq!((of("files"), of("sessions"), of("refused")), (200, truth.sessions, truth.refused));
        assert_eq!(of("injections"), truth.injections);
        let injections: BTreeMap<String, usize> =
            truth.rules.iter().map(|(rule, (count, _))| (rule.clone(), *count)).collect();
        assert_eq!(counts(&summary["rules"], "rule", "injections"), injections);
        let sessions_of: BTreeMap<String, usize> =
            truth.rules.iter().map(|(rule, (_, sessions))| (rule.clone(), sessions.len())).collect();
        assert_eq!(counts(&summary["rules"], "rule", "sessions"), sessions_of);
        for rule in summary["rules"].as_array().expect("rules") {
            let name = rule["rule"].as_str().expect("a name");
            let wordings = truth.wordings.get(name).map_or(0, BTreeSet::len);
            assert_eq!(rule["wordings"].as_array().map(Vec::len), Some(wordings), "{name}");
        }
        let projects: BTreeMap<String, usize> =
            truth.projects.iter().map(|(project, count)| ((*project).to_owned(), *count)).collect();
        assert_eq!(counts(&summary["projects"], "cwd", "sessions"), projects);

        // Who turned which rule off, and what the rule files say now.
        let outcome = ttsr([
            "inspect-session",
            &named,
            "--format",
            "json",
            "--rules",
            &rules.to_string_lossy(),
            "--set",
            "ttsr.disabledRules=[no-todo]",
        ]);
        let document: Value = serde_json::from_str(&outcome.out).expect("JSON");
        let off: Vec<(&str, &str)> = document["summary"]["disabled_rules"]
            .as_array()
            .expect("rules")
            .iter()
            .map(|one| (one["rule"].as_str().expect("a name"), one["by"].as_str().expect("a switch")))
            .collect();
        assert_eq!(off, [("no-todo", "named in `ttsr.disabledRules`"), ("be-kind", "`enabled: false` in its file")]);

        // Every form finds the same.
        let total: usize = truth.findings.values().sum::<usize>() + disabled;
        let common = ["inspect-session", &named, "--set", "ttsr.disabledRules=[no-todo]", "--format"];
        let table = ttsr(common.into_iter().chain(["csv", "--table", "findings"]));
        assert_eq!(table.out.lines().count(), total + 1);
        let sarif: Value = serde_json::from_str(&ttsr(common.into_iter().chain(["sarif"])).out).expect("JSON");
        assert_eq!(sarif["runs"][0]["results"].as_array().map(Vec::len), Some(total));
        let human = ttsr(common.into_iter().chain(["human"])).out;
        for (code, count) in &truth.findings {
            let row = human
                .lines()
                .find(|line| line.trim_start().starts_with(code))
                .unwrap_or_else(|| panic!("{code} missing in {human}"));
            assert!(row.split_whitespace().any(|word| word == count.to_string()), "{row}");
        }
        let rows = ttsr(common.into_iter().chain(["csv"]));
        assert!(rows.out.lines().count() > truth.injections);
    }
    assert!(kinds.len() >= 15, "the maker plants {kinds:?} only");
}
