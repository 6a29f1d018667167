//! A project and a home with every provider: order, shadowing, buckets.

use std::fs;
use std::path::Path;

use ttsr::generation::Lifecycle;
use ttsr::rule::{Bucket, Loaded, Places, Provider, RuleSet, Unregistered, lint};
use ttsr::settings::Settings;

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("created");
    fs::write(path, text).expect("written");
}

/// A rule file with this condition and body.
fn rule(root: &Path, path: &str) {
    write(root, path, &format!("---\ncondition: foo\n---\n{path}\n"));
}

/// Everything that any provider reads, and decoys that none reads.
fn build(root: &Path) -> Places {
    let (repository, home) = (root.join("home/repo"), root.join("home"));
    fs::create_dir_all(repository.join(".git")).expect("created");
    let inside = |path: &str| format!("repo/work/{path}");
    for path in ["_x.md", "b.mdc", "a.md", "B.md", "10.md", "9.md", "é.md", "UP.MD", ".hidden.md", "sub/deep.md"] {
        rule(&home, &inside(&format!(".omp/rules/{path}")));
    }
    rule(&home, &inside(".omp/rules/ignored.md"));
    write(&home, "repo/.gitignore", "ignored.md\n");
    rule(&home, ".omp/agent/rules/a.md");
    rule(&home, ".omp/agent/rules/user.md");
    write(&home, ".omp/agent/RULES.md", "Always, from home.\n");
    write(&home, "repo/.omp/RULES.md", "---\ncondition: foo\n---\nA condition comes first.\n");
    rule(&home, "package/rules/packaged.md");
    rule(&home, "plugin/rules/plugged.md");
    for (at, name) in [("repo/work", "near"), ("repo", "root"), ("", "mine")] {
        let at = if at.is_empty() { String::new() } else { format!("{at}/") };
        rule(&home, &format!("{at}.agent/rules/agent-{name}.md"));
        rule(&home, &format!("{at}.agents/rules/agents-{name}.mdc"));
    }
    rule(&home, ".cursor/rules/cursor.mdc");
    rule(&home, ".cursor/rules/cursor-user.mdc");
    rule(&home, &inside(".cursor/rules/cursor.mdc"));
    rule(&home, ".codeium/windsurf/memories/global_rules.md");
    rule(&home, &inside(".windsurf/rules/wind.md"));
    rule(&home, &inside(".windsurf/rules/not.mdc"));
    rule(&home, ".clinerules/cline.md");
    rule(&home, &inside(".github/instructions/deep/er/gh.instructions.md"));
    write(&home, &inside(".github/instructions/all.instructions.md"), "---\napplyTo: 'x.ts, **'\n---\nEverywhere.\n");
    write(
        &home,
        &inside(".github/instructions/ts.instructions.md"),
        "---\napplyTo: ['*.ts, *.tsx', '*.js']\n---\nTS.\n",
    );
    rule(&home, &inside(".github/instructions/plain.md"));
    rule(&home, "elsewhere/.github/instructions/else.instructions.md");
    for decoy in [".claude/rules", ".codex/rules", ".gemini/rules", ".opencode", ".vscode", ".pi/rules"] {
        rule(&home, &inside(&format!("{decoy}/decoy.md")));
    }
    rule(&home, ".omp/rules/decoy.md");
    rule(&home, &inside(".cursorrules"));
    rule(&home, &inside(".windsurfrules"));
    Places {
        project: repository.join("work"),
        extension_packages: vec![home.join("package")],
        plugin_roots: vec![home.join("plugin")],
        instruction_dirs: Some(format!(" {} , ", home.join("elsewhere").display())),
        home,
        ..Places::default()
    }
}

fn names(loaded: &Loaded) -> Vec<(Provider, String)> {
    loaded.rules.iter().map(|rule| (rule.provider, rule.name.to_string_lossy())).collect()
}

fn expected(opted_in: bool) -> Vec<(Provider, &'static str)> {
    use Provider::{Agents, ClaudePlugins, Cline, Cursor, Github, Native, OmpPlugins, Windsurf};
    let native = ["10", "9", "B", "_x", "a", "b", "é", "a", "user", "RULES", "RULES@project"];
    let agents = ["agent-near", "agents-near", "agent-root", "agents-root", "agent-mine", "agents-mine"];
    let mut all: Vec<_> = native.map(|name| (Native, name)).to_vec();
    all.push((OmpPlugins, "packaged"));
    all.extend(opted_in.then_some((ClaudePlugins, "plugged")));
    all.extend(agents.map(|name| (Agents, name)));
    if opted_in {
        all.extend([(Cursor, "cursor-user"), (Cursor, "cursor")]);
    }
    all.push((Cursor, "cursor"));
    all.extend(opted_in.then_some((Windsurf, "global_rules")));
    all.extend([(Windsurf, "wind"), (Cline, "cline")]);
    all.extend(["all", "gh", "ts", "else"].map(|name| (Github, name)));
    all
}

fn check(loaded: &Loaded, expected: &[(Provider, &str)]) {
    let expected: Vec<_> = expected.iter().map(|(provider, name)| (*provider, (*name).to_owned())).collect();
    assert_eq!(names(loaded), expected);
}

#[test]
fn every_provider_is_read_in_order() {
    let root = tempfile::tempdir().expect("a folder");
    let mut places = build(root.path());
    let semantics = Lifecycle::V3.semantics();
    check(&places.discover(&semantics), &expected(false));
    for everything in ["*", "all"] {
        places.enabled_providers = vec![everything.to_owned()];
        check(&places.discover(&semantics), &expected(true));
    }
    places.enabled_providers = ["cursor", "windsurf", "claude"].map(str::to_owned).to_vec();
    check(&places.discover(&semantics), &expected(true));

    places.disabled_providers = vec!["agents".to_owned(), "github".to_owned()];
    places.disabled_extensions = vec!["rule:a".to_owned()];
    let kept = expected(true).into_iter();
    let kept: Vec<_> = kept
        .filter(|(provider, name)| !matches!(provider, Provider::Agents | Provider::Github) && *name != "a")
        .collect();
    check(&places.discover(&semantics), &kept);
}

#[test]
fn the_early_lifecycle_reads_four_providers() {
    let root = tempfile::tempdir().expect("a folder");
    let places = build(root.path());
    let loaded = places.discover(&Lifecycle::V1.semantics());
    let kept = expected(false).into_iter();
    let kept: Vec<_> = kept
        .filter(|(provider, _)| {
            matches!(provider, Provider::Native | Provider::Cursor | Provider::Windsurf | Provider::Cline)
        })
        .collect();
    check(&loaded, &kept);
}

#[test]
fn the_first_name_wins_and_each_rule_ends_in_its_bucket() {
    let root = tempfile::tempdir().expect("a folder");
    let mut places = build(root.path());
    places.enabled_providers = vec!["*".to_owned()];
    let semantics = Lifecycle::V3.semantics();
    let loaded = places.discover(&semantics);
    let missing: Vec<_> =
        loaded.diagnostics.iter().filter(|finding| finding.code.name() == "missing-apply-to").collect();
    assert_eq!(missing.len(), 2, "gh and else");
    let set = RuleSet::register(loaded.rules, &Settings::default(), &semantics, None);

    let of = |name: &str| set.inventory.iter().filter(|listed| listed.rule.name == *name).collect::<Vec<_>>();
    let [first, second] = of("a")[..] else { panic!("two rules of the name `a`") };
    assert_eq!((first.bucket, second.bucket), (Bucket::Ttsr, Bucket::None));
    assert_eq!(second.reason, Some(Unregistered::Shadowed(first.rule.shown_file())));
    let registration = lint::of_registration(&set);
    let shadowed: Vec<_> = registration.iter().filter(|finding| finding.code.name() == "shadowed-rule").collect();
    assert_eq!(shadowed.len(), 2, "a and cursor");
    assert_eq!(shadowed[0].place.as_ref().map(|place| place.file.clone()), Some(second.rule.shown_file()));
    assert_eq!(of("cursor")[0].rule.shown_file(), "~/.cursor/rules/cursor.mdc");

    assert_eq!(of("RULES")[0].bucket, Bucket::Always);
    assert_eq!(of("RULES@project")[0].bucket, Bucket::Ttsr);
    assert!(of("RULES@project")[0].rule.fields.always_apply);
    assert_eq!(of("all")[0].bucket, Bucket::Always);
    assert_eq!(of("ts")[0].bucket, Bucket::Rulebook);
    assert_eq!(of("ts")[0].rule.fields.globs, Some(["*.ts", "*.tsx", "*.js"].map(Into::into).to_vec()));
    assert_eq!(of("gh")[0].bucket, Bucket::Ttsr);
    let registered: Vec<_> = set.inventory.iter().filter_map(|listed| listed.registered).collect();
    assert_eq!(registered, (0..set.compiled.len()).collect::<Vec<_>>());
}

#[test]
fn a_single_clinerules_file_is_a_rule() {
    let root = tempfile::tempdir().expect("a folder");
    rule(root.path(), "a/.clinerules");
    rule(root.path(), ".clinerules/far.md");
    fs::create_dir_all(root.path().join("a/b")).expect("created");
    let places = Places { project: root.path().join("a/b"), home: root.path().join("home"), ..Places::default() };
    let loaded = places.discover(&Lifecycle::V3.semantics());
    check(&loaded, &[(Provider::Cline, "clinerules")]);
}
