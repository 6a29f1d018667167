//! Rules that count as bundled with the agent: `--bundled` (cli.md section 1, engine.md E1.1, E2.3).

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::program::{surroundings, ttsr, ttsr_with};

struct Folders {
    root: tempfile::TempDir,
}

impl Folders {
    /// `given/` with the rule `own`, `bundled/` with `house` and, of the same name, another `own`.
    fn new() -> Self {
        let root = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("created");
            fs::write(path, text).expect("written");
        };
        write("given/own.md", "---\ncondition: ownword\n---\nMine.\n");
        write("bundled/house.mdc", "---\ncondition: houseword\n---\nOf the house.\n");
        write("bundled/own.md", "---\ncondition: ownword|houseword\n---\nOf the house too.\n");
        Self { root }
    }

    fn path(&self, name: &str) -> String {
        self.root.path().join(name).to_str().expect("UTF-8").to_owned()
    }
}

/// Name, provider, path as a reminder would show it and whether registered, of each rule in order.
fn listed(options: &[&str]) -> Vec<(String, String, String, bool)> {
    let check = |format| ttsr(["check-rules", "--format", format].iter().chain(options).copied());
    let outcome = check("json");
    let document: Value = serde_json::from_str(&outcome.out).unwrap_or_else(|error| panic!("{error}: {}", outcome.err));
    let text = |rule: &Value, key: &str| rule[key].as_str().unwrap_or_default().to_owned();
    let row = |rule: &Value| {
        (text(rule, "name"), text(rule, "provider"), text(rule, "path"), rule["registered"] == Value::Bool(true))
    };
    document["rules"].as_array().expect("a list").iter().map(row).collect()
}

fn row(name: &str, provider: &str, path: &str, registered: bool) -> (String, String, String, bool) {
    (name.to_owned(), provider.to_owned(), path.to_owned(), registered)
}

#[test]
fn bundled_rules_come_last_and_have_a_path_of_their_own() {
    let folders = Folders::new();
    let (given, bundled) = (folders.path("given"), folders.path("bundled"));
    let options = [given.as_str(), "--bundled", &bundled];
    let expected = |is_on: bool| {
        [
            row("own", "given", &format!("{given}/own.md"), true),
            row("house", "builtin-defaults", "builtin-defaults:house.md", is_on),
            row("own", "builtin-defaults", "builtin-defaults:own.md", false),
        ]
    };
    assert_eq!(listed(&options), expected(true));
    assert_eq!(listed(&[&options[..], &["--set", "ttsr.builtinRules=false"]].concat()), expected(false));
    // Only the literal `false` counts (E2.3).
    assert_eq!(listed(&[&options[..], &["--set", "ttsr.builtinRules='false'"]].concat()), expected(true));
    // The early generation has none (E11 G30).
    assert_eq!(listed(&[&options[..], &["--lifecycle", "v1"]].concat()).len(), 1);
    let disabled = listed(&[&options[..], &["--set", "ttsr.disabledRules=[own]"]].concat());
    assert_eq!(disabled.iter().filter(|rule| rule.3).map(|rule| rule.0.as_str()).collect::<Vec<_>>(), ["house"]);
    let provider = folders.root.path().join("off.yml");
    fs::write(&provider, "disabledProviders: [builtin-defaults]\n").expect("written");
    assert_eq!(listed(&[&options[..], &["--settings", provider.to_str().expect("UTF-8")]].concat()).len(), 1);
}

#[test]
fn bundled_rules_go_with_discovered_ones() {
    let folders = Folders::new();
    let project = folders.root.path().join("project/.omp/rules");
    fs::create_dir_all(&project).expect("created");
    fs::copy(folders.root.path().join("given/own.md"), project.join("own.md")).expect("copied");
    let (project, bundled) = (folders.path("project"), folders.path("bundled"));
    let found = listed(&["--project", &project, "--bundled", &bundled]);
    assert_eq!(
        found,
        [
            row("own", "native", ".omp/rules/own.md", true),
            row("house", "builtin-defaults", "builtin-defaults:house.md", true),
            row("own", "builtin-defaults", "builtin-defaults:own.md", false),
        ]
    );
}

#[test]
fn reminders_of_bundled_rules_show_their_path() {
    let folders = Folders::new();
    let (given, bundled) = (folders.path("given"), folders.path("bundled"));
    let text = ["replay", "--text", "a houseword", "--rules", &given, "--bundled", &bundled, "--format", "jsonl"];
    let outcome = ttsr(text);
    assert!(outcome.out.contains(r#"rule=\"house\" path=\"builtin-defaults:house.md\""#), "{}", outcome.out);
    let off = ttsr(text.into_iter().chain(["--set", "ttsr.builtinRules=false"]));
    assert!(!off.out.contains("\"kind\":\"trigger\""), "{}", off.out);
}

#[test]
fn a_path_without_rules_is_a_failure() {
    let folders = Folders::new();
    let given = folders.path("given");
    fs::create_dir(folders.root.path().join("empty")).expect("created");
    for name in ["missing", "empty"] {
        let path = folders.path(name);
        let outcome = ttsr(["check-rules", &given, "--bundled", &path]);
        assert_eq!(outcome.status, 3, "{}", outcome.err);
        assert!(outcome.err.contains(name), "{}", outcome.err);
    }
}

/// cli.md: where a recording names triggers of rules that are not given and bundled rules are on, it is said.
#[test]
fn recorded_rules_that_nobody_gave_are_named_once() {
    let folders = Folders::new();
    let given = folders.path("given");
    let case = Path::new("testdata/recordings/g01-interrupt-text");
    for kind in ["events.1.jsonl", "session.1.jsonl"] {
        let input = case.join(kind);
        let replay = ["replay", input.to_str().expect("UTF-8"), "--rules", &given];
        let note = |options: &[&str]| {
            let outcome = ttsr(replay.iter().chain(options).copied());
            outcome.err.matches("--bundled DIR").count()
        };
        assert_eq!(note(&[]), 1, "{kind}");
        assert_eq!(note(&["--set", "ttsr.builtinRules=false"]), 0, "{kind}");
        assert_eq!(note(&["--lifecycle", "v1"]), 0, "{kind}");
        assert_eq!(note(&["--quiet"]), 0, "{kind}");
        assert_eq!(note(&["--bundled", &folders.path("bundled")]), 0, "{kind}");
        let own = case.join("rules");
        let known = ttsr(["replay", input.to_str().expect("UTF-8"), "--rules", own.to_str().expect("UTF-8")]);
        assert!(!known.err.contains("--bundled"), "{}", known.err);
    }
}

/// The rule files of a real project and home: recordings/f70-discovery.
mod discovered {
    use super::*;

    const CASE: &str = "testdata/recordings/f70-discovery";

    /// Runs in the home that was recorded, its project named; `tree` is where the home lies.
    fn run(command: &[&str], tree: &Path) -> crate::support::program::Outcome {
        let around = ttsr::cli::Surroundings { home: Some(tree.to_owned()), ..surroundings() };
        let project = tree.join("app");
        let named = ["--lifecycle", "v3", "--project", project.to_str().expect("UTF-8")];
        ttsr_with(command.iter().copied().chain(named), b"", &around)
    }

    fn tree() -> std::path::PathBuf {
        crate::support::project(CASE).join("tree")
    }

    /// The tags of reminders in a text: rule and shown path.
    fn tags(text: &str) -> Vec<String> {
        let tags = text.split("reason=\\\"rule_violation\\\" ").skip(1);
        tags.filter_map(|tag| Some(tag.split_once('>')?.0.replace("\\\"", "\""))).collect()
    }

    #[test]
    fn reminders_show_the_paths_that_were_recorded() {
        let session = fs::read_to_string(Path::new(CASE).join("session.1.jsonl")).expect("a session");
        let recorded = tags(&session);
        assert_eq!(recorded.len(), 11);
        for kind in ["session.1.jsonl", "events.1.jsonl"] {
            let input = format!("{CASE}/{kind}");
            let outcome = run(&["replay", &input, "--format", "jsonl"], &tree());
            assert_eq!(outcome.status, 0, "{}", outcome.err);
            let reminders: Vec<&str> = outcome
                .out
                .lines()
                .filter(|line| line.contains("\"kind\":\"inject\"") || line.contains("\"kind\":\"fold\""))
                .collect();
            assert_eq!(tags(&reminders.join("\n")), recorded, "{kind}");
        }
    }

    #[test]
    fn no_path_of_this_machine_is_shown_or_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let (session, events) = (folder.path().join("s.jsonl"), folder.path().join("e.jsonl"));
        let (session, events) = (session.to_str().expect("UTF-8"), events.to_str().expect("UTF-8"));
        let input = format!("{CASE}/events.1.jsonl");
        let outcome =
            run(&["replay", &input, "--format", "jsonl", "--write-session", session, "--emit-events", events], &tree());
        assert_eq!(outcome.status, 0, "{}", outcome.err);
        let machine = tree().to_string_lossy().into_owned();
        for text in
            [outcome.out, fs::read_to_string(session).expect("written"), fs::read_to_string(events).expect("written")]
        {
            assert!(text.contains(".omp/rules/dup.md") && !text.contains(&machine), "{text}");
        }
        let checked = run(&["check-rules", "--format", "json"], &tree());
        let document: Value = serde_json::from_str(&checked.out).expect("a document");
        let paths = document["rules"].as_array().expect("a list").iter().map(|rule| rule["path"].as_str());
        assert!(paths.flatten().all(|path| !path.contains(&machine)), "{}", checked.out);
    }

    /// Rules and settings of the project are known to the audit, without a replay.
    #[test]
    fn an_inspection_knows_rules_and_settings() {
        let input = format!("{CASE}/session.1.jsonl");
        let inspect = ["inspect-session", input.as_str(), "--format", "json"];
        let outcome = run(&inspect, &tree());
        assert_eq!((outcome.status, outcome.out.contains("\"findings\":[]")), (0, true), "{}", outcome.out);
        // Another body, another policy: both are seen.
        let copy = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| {
            let path = copy.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("created");
            fs::write(path, text).expect("written");
        };
        write("app/.omp/rules/dup.md", "---\ncondition: dupword\n---\nAnother body.\n");
        write("app/.omp/config.yml", "ttsr: {disabledRules: [ag]}\n");
        let outcome = run(&inspect, copy.path());
        for code in ["changed-rule", "unknown-rule", "disabled-rule-injected", "repeat-violation"] {
            assert!(outcome.out.contains(code), "{code}: {}", outcome.out);
        }
    }

    /// engine.md E9.5: the early generation shows the path as it is, in the directories of the run.
    #[test]
    fn the_early_generation_shows_paths_of_the_run() {
        let home = tempfile::tempdir().expect("a folder");
        let rules = home.path().join("repo/work/.omp/rules");
        fs::create_dir_all(&rules).expect("created");
        fs::write(rules.join("a.md"), "---\nttsr_trigger: word\n---\nB\n").expect("written");
        let around = ttsr::cli::Surroundings { home: Some(home.path().to_owned()), ..surroundings() };
        let project = home.path().join("repo/work");
        let arguments = ["replay", "--text", "word", "--lifecycle", "v1", "--cwd", "/srv/x", "--format", "jsonl"];
        let named = ["--project", project.to_str().expect("UTF-8")];
        let outcome = ttsr_with(arguments.into_iter().chain(named), b"", &around);
        assert!(outcome.out.contains(r#"path=\"/srv/x/.omp/rules/a.md\""#), "{}", outcome.out);
    }

    /// What lies above the project is shown by the home, else from the project upwards.
    #[test]
    fn rules_above_the_project_are_shown_without_its_place() {
        let root = tempfile::tempdir().expect("a folder");
        let project = root.path().join("repo/work");
        fs::create_dir_all(root.path().join("repo/.git")).expect("created");
        fs::create_dir_all(root.path().join("repo/.omp")).expect("created");
        fs::create_dir_all(root.path().join("else/.github/instructions/deep")).expect("created");
        fs::create_dir_all(&project).expect("created");
        let rule = "---\ncondition: word\n---\nB\n";
        fs::write(root.path().join("repo/.omp/RULES.md"), rule).expect("written");
        fs::write(root.path().join("else/.github/instructions/deep/x.instructions.md"), rule).expect("written");
        let shown = |home: &Path| -> Vec<String> {
            let places = ttsr::rule::Places {
                project: project.clone(),
                home: home.to_owned(),
                instruction_dirs: Some(root.path().join("else").to_string_lossy().into_owned()),
                ..ttsr::rule::Places::default()
            };
            let loaded = places.discover(&ttsr::generation::Lifecycle::V3.semantics());
            loaded.rules.iter().map(|rule| rule.path.to_string_lossy()).collect()
        };
        let instructions = "else/.github/instructions/deep/x.instructions.md";
        assert_eq!(shown(root.path()), ["~/repo/.omp/RULES.md", &format!("~/{instructions}")]);
        assert_eq!(shown(Path::new("/nowhere")), ["../.omp/RULES.md", instructions]);
        assert_eq!(shown(Path::new("")), ["../.omp/RULES.md", instructions]);
    }
}
