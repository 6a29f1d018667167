//! What the README and the hooks tell a team to run.

use std::fs;
use std::process::Command;

use regex::Regex;

use super::Team;
use crate::support::project;

/// A line of a shell, run in a folder where `ttsr` is on the path; its status and what it says.
fn shell(team: &Team, line: &str) -> (i32, String) {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_ttsr")).parent().expect("a folder");
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(team.path("repo")).env("PATH", path).env("HOME", team.path("home"));
    let output = command.output().expect("a shell");
    let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("UTF-8")).concat();
    (output.status.code().expect("a status"), text)
}

/// The blocks of the README in a language.
fn blocks(language: &str) -> Vec<String> {
    let text = fs::read_to_string(project("README.md")).expect("the README");
    let pattern = Regex::new(&format!(r"(?ms)^```{language}\n(.*?)^```$")).expect("a pattern");
    pattern.captures_iter(&text).map(|block| block[1].to_owned()).collect()
}

/// The repository of the recipes: the configuration of the README, the rules of the team, and what they know.
fn team() -> Team {
    let config = blocks("toml").into_iter().find(|block| block.contains("[check]")).expect("a configuration");
    let team = Team::new(&[("ttsr.toml", &config), ("draft.md", "---\ncondition: foo\n---\nB\n")]);
    for entry in fs::read_dir(project("testdata/team")).expect("a folder").flatten() {
        let text = fs::read_to_string(entry.path()).expect("a rule");
        team.write(&format!(".omp/rules/{}", entry.file_name().to_string_lossy()), &text);
    }
    assert_eq!(team.check(&["--write-baseline", "known.json"]).status, 0);
    team
}

const NEW: &str = "---\ncondition: '('\nglobs: '*.ts, *.js'\n---\nB\n";

#[test]
fn five_commands_lead_to_a_check_that_fails_on_what_is_new_only() {
    let block = blocks("console").into_iter().find(|block| block.contains("--write-baseline")).expect("the commands");
    let commands: Vec<&str> = block.lines().filter_map(|line| line.strip_prefix("$ ")).collect();
    assert_eq!(commands.len(), 5);
    let team = Team::new(&[]);
    for entry in fs::read_dir(project("testdata/team")).expect("a folder").flatten() {
        let text = fs::read_to_string(entry.path()).expect("a rule");
        team.write(&format!("testdata/team/{}", entry.file_name().to_string_lossy()), &text);
    }
    let found = || {
        let document = team.json(&["testdata/team"]);
        document["diagnostics"].as_array().expect("findings").iter().filter(|one| one["suppressed"] == false).count()
    };
    let before = found();
    assert!(before >= 40, "{before}");
    // The status of a pipeline is that of its end.
    let commands: Vec<&str> = commands.iter().filter_map(|line| line.split(" | ").next()).collect();
    let statuses: Vec<i32> = commands.iter().map(|command| shell(&team, command).0).collect();
    assert_eq!(statuses, [1, 1, 0, 0, 0]);
    assert!(found() < before / 2);
    // An edit above what is known changes nothing.
    let rule = team.read("testdata/team/no-unwrap.md");
    team.write("testdata/team/no-unwrap.md", &rule.replacen("---\n", "---\n# one more line\n\n", 1));
    assert_eq!(shell(&team, commands[4]).0, 0);
    team.write("testdata/team/new.md", NEW);
    let (status, text) = shell(&team, commands[4]);
    assert_eq!(status, 1);
    assert!(text.contains("2 errors, 0 warnings, 0 notes"), "{text}");
}

/// The commands in blocks: those of lists, and plain lines.
fn recipes() -> Vec<String> {
    let lines: Vec<String> = ["yaml", "sh"].iter().flat_map(|language| blocks(language)).collect();
    let pattern = Regex::new(r"^\s*(?:- (?:run: )?)?(ttsr .*)$").expect("a pattern");
    lines
        .iter()
        .flat_map(|block| block.lines())
        .filter_map(|line| Some(pattern.captures(line)?[1].to_owned()))
        .collect()
}

#[test]
fn recipes_pass_where_nothing_is_new_and_fail_where_something_is() {
    let recipes = recipes();
    assert_eq!(recipes.len(), 6, "{recipes:#?}");
    let team = team();
    for recipe in &recipes {
        let (status, text) = shell(&team, recipe);
        assert_eq!(status, 0, "{recipe}: {text}");
    }
    team.write(".omp/rules/new.md", NEW);
    for recipe in &recipes {
        let (status, text) = shell(&team, recipe);
        let is_told_elsewhere = recipe.contains("--exit-zero") || recipe.contains("--stdin-filename");
        assert_eq!(status, i32::from(!is_told_elsewhere), "{recipe}: {text}");
    }
    assert!(team.read("rules.sarif").contains("\"uri\":\".omp/rules/new.md\""));
    assert!(team.read("gl-code-quality-report.json").contains("\"path\":\".omp/rules/new.md\""));
    assert!(team.read("rules.xml").contains("failures=\"1\""));
}

/// The hooks of the file, as `key: value` each.
fn hooks() -> Vec<Vec<(String, String)>> {
    let text = fs::read_to_string(project(".pre-commit-hooks.yaml")).expect("the hooks");
    let mut hooks: Vec<Vec<(String, String)>> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if line.starts_with("- ") {
            hooks.push(Vec::new());
        }
        let (key, value) = line.trim_start_matches(['-', ' ']).split_once(": ").expect("a key and a value");
        hooks.last_mut().expect("a hook").push((key.to_owned(), value.trim_matches('\'').to_owned()));
    }
    hooks
}

#[test]
fn hooks_check_all_rules_at_once_when_one_of_them_changes() {
    let hooks = hooks();
    let of = |hook: &[(String, String)], wanted: &str| {
        hook.iter().find(|(key, _)| key == wanted).unwrap_or_else(|| panic!("{wanted}")).1.clone()
    };
    assert_eq!(
        hooks.iter().map(|hook| of(hook, "id")).collect::<Vec<_>>(),
        ["ttsr-check-rules", "ttsr-check-rules-fix"]
    );
    assert!(blocks("yaml").iter().any(|block| block.contains("{id: ttsr-check-rules}")));
    for hook in &hooks {
        assert_eq!((of(hook, "language").as_str(), of(hook, "pass_filenames").as_str()), ("system", "false"));
        let files = Regex::new(&of(hook, "files")).expect("a pattern");
        for name in [
            ".omp/rules/a.md",
            "sub/.omp/rules/b.mdc",
            ".github/instructions/c.instructions.md",
            "ttsr.toml",
            "x/.ttsr.toml",
        ] {
            assert!(files.is_match(name), "{name}");
        }
        for name in ["README.md", ".omp/rules/sub/a.md", ".omp/config.yml", "xttsr.toml"] {
            assert!(!files.is_match(name), "{name}");
        }
    }
    let team = team();
    let [check, fix] = [0, 1].map(|at| of(&hooks[at], "entry"));
    assert_eq!(shell(&team, &check).0, 0);
    team.write(".omp/rules/new.md", NEW);
    let (status, text) = shell(&team, &check);
    assert!(status == 1 && text.contains("comma-in-glob"), "{text}");
    assert_eq!(shell(&team, &fix).0, 1, "what is left fails");
    assert!(team.read(".omp/rules/new.md").contains("['*.ts', '*.js']"));
    team.write(".omp/rules/new.md", &NEW.replace("'('", "foo"));
    let (status, text) = shell(&team, &fix);
    assert_eq!((status, text.contains("comma-in-glob")), (0, false), "{text}");
    assert!(team.read(".omp/rules/new.md").contains("['*.ts', '*.js']"));
}
