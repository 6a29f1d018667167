//! `ttsr.toml`: what a team agrees on.

use super::Team;

const RULE: &str = "---\ncondition: ['\\bfoo\\b', '(']\nglobs: '*.ts, *.js'\n---\nBody.\n";

fn team(config: &str) -> Team {
    Team::new(&[("ttsr.toml", config), ("rules/a.md", RULE), ("rules/old/b.md", RULE), ("docs/x.txt", "")])
}

/// File, name and severity of what is found.
fn found(team: &Team, folder: &str, arguments: &[&str]) -> Vec<String> {
    let outcome = team.check_in(folder, &[arguments, &["--format", "json"]].concat(), "");
    let document: serde_json::Value = serde_json::from_str(&outcome.out).unwrap_or_else(|_| panic!("{}", outcome.err));
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    let findings = document["diagnostics"].as_array().expect("findings").iter();
    findings.map(|one| format!("{} {} {}", text(&one["file"]), text(&one["name"]), text(&one["severity"]))).collect()
}

#[test]
fn paths_and_severities_are_the_teams() {
    let team = team(
        "[check]\npaths = ['rules']\ndeny = ['TTSR020']\nwarn = ['invalid-condition']\nallow = ['comma-in-glob']\n\
         [[check.per-file]]\nfiles = ['rules/old/**']\nallow = ['all']\ndeny = ['invalid-condition']\n",
    );
    let wanted = |prefix: &str| {
        [
            format!("{prefix}rules/a.md chunk-dependent-pattern error"),
            format!("{prefix}rules/a.md invalid-condition warning"),
            format!("{prefix}rules/old/b.md invalid-condition error"),
        ]
    };
    assert_eq!(found(&team, "repo", &[]), wanted(""));
    assert_eq!(found(&team, "repo/docs", &[]), wanted("../"));
    assert_eq!(found(&team, "repo/rules/old", &[]), wanted("../../"));
    // Named files are looked at as the team agreed, too.
    assert_eq!(found(&team, "repo", &["rules/old"]), wanted("")[2..]);
    // Flags win, over what is said of single files too.
    assert_eq!(found(&team, "repo", &["--allow", "all"]), [""; 0]);
    let flagged = found(&team, "repo", &["--warn", "comma-in-glob", "--allow", "TTSR020", "--allow", "TTSR003"]);
    assert_eq!(flagged, ["rules/a.md comma-in-glob warning", "rules/old/b.md comma-in-glob warning"]);
    assert_eq!(found(&team, "repo", &["--no-config", "rules"]).len(), 6);
}

#[test]
fn a_name_without_a_slash_is_meant_anywhere_and_the_last_entry_counts() {
    let team = team(
        "[check]\npaths = ['rules']\nallow = ['all']\n[[check.per-file]]\nfiles = ['b.*', 'c.md']\nwarn = ['comma-in-glob']\n\
         [[check.per-file]]\nfiles = ['rules/*']\ndeny = ['comma-in-glob']\n",
    );
    assert_eq!(found(&team, "repo", &[]), ["rules/a.md comma-in-glob error", "rules/old/b.md comma-in-glob warning"]);
}

#[test]
fn the_rest_is_the_teams_as_well_and_flags_win() {
    let rule = "---\nttsr_trigger: foo\nexamples: {fires: [bar]}\n---\nB\n";
    let text = "lifecycle = 'v2'\nsettings = 'conf/s.yml'\n[check]\npaths = ['r.md']\nfail-on = 'note'\nexamples = 'required'\n\
                findings-baseline = 'known.json'\n";
    let team = Team::new(&[("r.md", rule), ("conf/s.yml", "ttsr: {enabled: false}\n"), ("ttsr.toml", text)]);
    let missing = team.check(&[]);
    assert!(missing.status == 3 && missing.err.contains("known.json: there is no such file"), "{}", missing.err);
    assert_eq!(team.check(&["--write-baseline", "known.json"]).status, 0);
    let outcome = team.check(&[]);
    assert_eq!(outcome.status, 0);
    assert!(outcome.out.contains("lifecycle v2\n") && outcome.out.contains(" known"), "{}", outcome.out);
    assert!(outcome.out.contains("0 registered") && outcome.out.contains("1 sample of 1 rule"), "{}", outcome.out);
    let outcome = team.check(&["--lifecycle", "auto", "--set", "ttsr.enabled=true"]);
    assert!(outcome.out.contains("lifecycle v4") && outcome.out.contains("1 registered"), "{}", outcome.out);
    team.write("known.json", "{\"schema\":\"ttsr.baseline/1\",\"findings\":[]}");
    team.write("conf/s.yml", "{}");
    assert_eq!(team.check(&[]).status, 1);
    team.write("r.md", "---\nttsr_trigger: foo\nexamples: {fires: [foo]}\n---\nB\n");
    // The old name of a key is a note, in generations that have a new one.
    assert_eq!(team.check(&["--lifecycle", "v3"]).status, 1);
    assert_eq!(team.check(&["--lifecycle", "v3", "--fail-on", "error"]).status, 0);
}

#[test]
fn the_file_is_found_up_to_the_root_of_the_repository() {
    let team = Team::new(&[("rules/a.md", RULE), ("sub/rules/a.md", RULE), ("sub/deep/x", "")]);
    let quiet = "[check]\nallow = ['all']\n";
    std::fs::write(team.path("ttsr.toml"), quiet).expect("written");
    // Above the root it belongs to somebody else.
    assert_eq!(found(&team, "repo", &["rules"]).len(), 3);
    // Without a repository it is looked for here only.
    std::fs::create_dir_all(team.path("home/below")).expect("a folder");
    std::fs::write(team.path("home/ttsr.toml"), quiet).expect("written");
    let rule = team.path("repo/rules/a.md");
    let rule = rule.to_str().expect("a path");
    assert_eq!(found(&team, "home/below", &[rule]).len(), 3);
    assert_eq!(found(&team, "home", &[rule]).len(), 0);
    team.write(".ttsr.toml", quiet);
    assert_eq!(found(&team, "repo/sub/deep", &["../rules"]).len(), 0);
    // The nearest counts, and of one folder the one that is not hidden.
    team.write("sub/.ttsr.toml", "[check]\nallow = ['invalid-condition']\n");
    assert_eq!(found(&team, "repo/sub/deep", &["../rules"]).len(), 2);
    team.write("sub/ttsr.toml", "[check]\npaths = ['rules']\nallow = ['all']\nwarn = ['invalid-condition']\n");
    assert_eq!(found(&team, "repo/sub/deep", &[]), ["../rules/a.md invalid-condition warning"]);
    // From where the project begins.
    assert_eq!(found(&team, "repo", &["--project", "sub"]).len(), 0);
    // Named.
    assert_eq!(found(&team, "repo", &["--config", "sub/ttsr.toml"]), ["sub/rules/a.md invalid-condition warning"]);
    assert_eq!(team.check(&["--config", "none.toml"]).status, 3);
    assert_eq!(team.check(&["--config", "ttsr.toml", "--no-config"]).status, 2);
}

#[test]
fn what_is_not_known_is_an_error_with_its_place() {
    for (config, place, help) in [
        ("[check]\nfail_on = 'note'\n", "ttsr.toml:2:1: unknown field `fail_on`", "write `fail-on`"),
        ("[check]\n\n  pahts = ['x']\n", "ttsr.toml:3:3: unknown field `pahts`", "write `paths`"),
        ("[chek]\n", "ttsr.toml:1:2: unknown field `chek`", "write `check`"),
        ("x = 1\n", "ttsr.toml:1:1: unknown field `x`", "--show-config"),
        ("[check]\npaths = 'rules'\n", "ttsr.toml:2:9: invalid type", "--show-config"),
        ("[check\n", "ttsr.toml:1:7: ", "--show-config"),
        (
            "[check]\nfail-on = 'fatal'\n",
            "ttsr.toml:2:11: `fatal` is no value of `fail-on`",
            "write error, warning, note",
        ),
        ("lifecycle = 'v9'\n", "ttsr.toml:1:13: `v9` is no value of `lifecycle`", "auto, v1"),
        ("[check]\nexamples = 'yes'\n", "ttsr.toml:2:12: `yes` is no value of `examples`", "off, run or required"),
        ("[check]\ndeny = ['TTSR003', 'nothing']\n", "ttsr.toml:2:20: `nothing` is no code", "--explain all"),
        ("[[check.per-file]]\nfiles = ['a[']\nallow = ['all']\n", "ttsr.toml:2:10: `a[` is no glob", ""),
        ("[[check.per-file]]\nfile = ['a']\n", "ttsr.toml:2:1: unknown field `file`", "write `files`"),
    ] {
        let outcome = team(config).check(&["rules", "--fix"]);
        let words = outcome.err.replace("\n  │ ", " ").replace("\n        ", " ");
        assert_eq!((outcome.status, outcome.out.as_str()), (3, ""), "{config}");
        assert!(words.contains(place) && words.contains(help), "{config}: {}", outcome.err);
        assert_eq!(team(config).check(&["rules", "--no-config"]).status, 1);
    }
    let team = team("");
    team.remove("ttsr.toml");
    std::fs::create_dir(team.path("repo/ttsr.toml")).expect("a folder");
    assert_eq!(team.check(&["rules"]).status, 3);
}

#[test]
fn what_holds_can_be_seen_and_used_again() {
    let config = "lifecycle = 'v3'\n[check]\npaths = ['rules']\nallow = ['comma-in-glob', 'TTSR003']\n\
                  [[check.per-file]]\nfiles = ['rules/old/**']\nallow = ['all']\n";
    let team = team(config);
    let outcome = team.check(&["--show-config", "--deny", "TTSR003", "--fail-on", "note"]);
    assert_eq!(outcome.status, 0);
    assert!(outcome.out.starts_with("# from ttsr.toml and the options\nlifecycle = \"v3\"\n"), "{}", outcome.out);
    let flagged = found(&team, "repo", &["--deny", "TTSR003", "--fail-on", "note"]);
    assert_eq!(flagged.len(), 3);
    team.write("ttsr.toml", &outcome.out);
    assert_eq!(found(&team, "repo", &[]), flagged, "{}", outcome.out);
    assert_eq!(team.check(&["--show-config"]).out, outcome.out);
    assert!(team.check(&["--show-config", "--no-config"]).out.contains("# from no file"));
    team.write("ttsr.toml", "[check]\npaths = ['a\\u001b[31m\\u202E']\n".replace("'", "\"").as_str());
    let shown = team.check(&["--show-config"]).out;
    assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown}");
}
