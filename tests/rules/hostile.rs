//! Bad input: findings, never a crash or a hang.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use proptest::prelude::*;
use ttsr::generation::{Lifecycle, Semantics};
use ttsr::output::check::{Counts, Rows};
use ttsr::output::json::{self, v1::check::Check};
use ttsr::rule::suppression::Suppressions;
use ttsr::rule::{Loaded, Places, Rule, RuleFile, RuleSet, accept, lint, load_paths};
use ttsr::settings::Settings;

fn load(path: &Path) -> Loaded {
    load_paths(&[path], "/project", &Lifecycle::V3.semantics())
}

/// Writes one rule file and gives the codes of what loading and registering it finds.
fn codes(bytes: &[u8]) -> Vec<&'static str> {
    let root = tempfile::tempdir().expect("a folder");
    let path = root.path().join("r.md");
    fs::write(&path, bytes).expect("written");
    let loaded = load(&path);
    assert_eq!(loaded.rules.len(), 1);
    assert_eq!(loaded.rules[0].path, "/project/.omp/rules/r.md");
    let mut findings = loaded.diagnostics;
    assert!(findings.iter().all(|finding| finding.place.is_some()));
    let set = RuleSet::register(loaded.rules, &Settings::default(), &Lifecycle::V3.semantics(), None);
    findings.extend(lint::of_registration(&set));
    findings.iter().map(|finding| finding.code.name()).collect()
}

fn with_metadata(metadata: &str) -> Vec<u8> {
    format!("---\n{metadata}\n---\nbody").into_bytes()
}

#[test]
fn text_that_is_no_text() {
    assert_eq!(codes(b"---\ncondition: a\xFF\xFEb\n---\nbody \xC3"), ["malformed-text"]);
    assert_eq!(codes(b"\xEF\xBB\xBF---\ncondition: a\n---\nbody"), ["byte-order-mark"]);
    let utf16: Vec<u8> = "\u{FEFF}---\ncondition: a\n---\nbody".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(codes(&utf16), ["utf16-file"]);
    assert_eq!(codes(&utf16[..utf16.len() - 1]), ["utf16-file", "malformed-text"]);
    assert_eq!(codes(&[0; 1000]), [""; 0]);
}

#[test]
fn frontmatter_without_measure() {
    let huge = format!("condition: a\nx: {}", "y".repeat(50 << 20));
    assert_eq!(codes(&with_metadata(&huge)), ["frontmatter-beyond-limits"]);
    let long = "a: b: c\n".repeat(400_000);
    assert_eq!(codes(&with_metadata(&long)), ["invalid-frontmatter"]);
    assert_eq!(codes(&with_metadata(&"<!-- x --> \t\r\n".repeat(200_000))), [""; 0]);
    assert_eq!(codes(&with_metadata(&format!("x: [{}]", "é, ".repeat(400_000)))), [""; 0]);
}

#[test]
fn brackets_and_aliases_without_measure() {
    for bracket in ["[", "{", "- ", "? ", "- - ", "a: [", "!a ", "&a ", "\"", "'", "|", ">\n", "*a "] {
        let metadata = format!("condition: {}", bracket.repeat(10_000));
        codes(&with_metadata(&metadata));
        codes(&with_metadata(&bracket.repeat(10_000)));
    }
    let closed = format!("condition: {}{}", "[".repeat(10_000), "]".repeat(10_000));
    assert_eq!(codes(&with_metadata(&closed)), ["frontmatter-beyond-limits"]);
    let nested: String = (0..10_000).map(|depth| format!("{}a:\n", " ".repeat(depth % 2000))).collect();
    codes(&with_metadata(&nested));
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..50 {
        let list = vec![format!("*a{}", level - 1); 9].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{list}]\n"));
    }
    assert_eq!(codes(&with_metadata(&bomb)), ["frontmatter-beyond-limits"]);
    assert_eq!(codes(&with_metadata("condition: &a [foo, *a]")), ["invalid-frontmatter"]);
    assert_eq!(codes(&with_metadata("a: &a\n  <<: *a\ncondition: foo")), ["invalid-frontmatter"]);
}

#[test]
fn lints_of_conditions_without_measure() {
    let semantics = Lifecycle::V3.semantics();
    for piece in [
        "é",
        "e\u{301}",
        "한",
        "(?!a)",
        "[[:space:]]",
        "[:alpha:]",
        "/",
        "\\\\",
        "^",
        "x|",
        "(?:a+)+",
        "(a|b)*",
        ".*",
        "[^a]{3,}",
        "(?i)",
        "''",
        "\\b",
        "a{9}",
        "(?=[\\s\\S]*x)",
        "😀",
        "*/",
        "{a,b}/?",
        "\\d+?",
    ] {
        for count in [1, 40, 20_000] {
            for quote in ["'", "\"", ""] {
                let text = format!(
                    "---\ncondition: [{quote}{}{quote}, edit]\nscope: {0}\nglobs: {0}\n---\nB",
                    piece.repeat(count)
                );
                let length = text.len();
                let file = RuleFile::read("r.md", text.into_bytes(), &semantics);
                let rule = Rule::from_file("r.md", "/p/r.md".into(), file, &semantics);
                let set = RuleSet::register([rule], &Settings::default(), &semantics, None);
                for finding in lint::run(&set, &semantics) {
                    let place = finding.place.expect("a place in the rule");
                    assert!(place.start <= place.end && place.end.offset <= length, "{piece} {count}: {place:?}");
                }
            }
        }
    }
}

#[test]
fn files_that_are_none() {
    let root = tempfile::tempdir().expect("a folder");
    let rules = root.path().join(".omp/rules");
    fs::create_dir_all(rules.join("x.md")).expect("created");
    fs::write(rules.join("good.md"), "---\ncondition: foo\n---\nB").expect("written");
    fs::write(rules.join("UP.MD"), "---\ncondition: foo\n---\nB").expect("written");
    symlink(&rules, rules.join("loop")).expect("linked");
    symlink(rules.join("me.md"), rules.join("me.md")).expect("linked");
    symlink(root.path().join("nowhere"), rules.join("gone.md")).expect("linked");
    let places = Places { project: root.path().into(), home: root.path().join("home"), ..Places::default() };
    for (loaded, skipped) in [(load(&rules), 2), (places.discover(&Lifecycle::V3.semantics()), 2)] {
        let names: Vec<_> = loaded.rules.iter().map(|rule| rule.name.to_string_lossy()).collect();
        assert_eq!(names, ["good"]);
        let count = |name| loaded.diagnostics.iter().filter(|finding| finding.code.name() == name).count();
        assert_eq!(count("skipped-file"), skipped, "{:?}", loaded.diagnostics);
        assert!(count("unreadable-rule-file") >= 2, "{:?}", loaded.diagnostics);
        assert!(loaded.diagnostics.iter().all(|finding| finding.place.is_some()));
    }
}

#[test]
fn a_loop_below_the_instructions_ends() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = root.path().join(".github/instructions");
    fs::create_dir_all(&folder).expect("created");
    fs::write(folder.join("a.instructions.md"), "---\napplyTo: '*.ts'\n---\nB").expect("written");
    symlink(&folder, folder.join("loop")).expect("linked");
    let places = Places { project: root.path().into(), home: root.path().join("home"), ..Places::default() };
    let loaded = places.discover(&Lifecycle::V3.semantics());
    assert_eq!(loaded.rules.len(), 1);
}

#[test]
fn paths_that_cannot_be_used_are_failures() {
    let root = tempfile::tempdir().expect("a folder");
    let missing = load(&root.path().join("missing.md"));
    assert_eq!(missing.failures[0].message, "no such file or directory");
    let empty = load(root.path());
    assert_eq!(empty.failures.len(), 1);
    let locked = root.path().join("locked.md");
    fs::write(&locked, "---\ncondition: foo\n---\nB").expect("written");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).expect("locked");
    // The superuser may read it all the same.
    let readable = fs::read(&locked).is_ok();
    let loaded = load(&locked);
    assert_eq!((loaded.rules.len(), loaded.failures.len()), if readable { (1, 0) } else { (0, 1) });
    let loaded = load(root.path());
    assert_eq!((loaded.rules.len(), loaded.diagnostics.len()), if readable { (1, 0) } else { (0, 1) });
}

/// Scraps of YAML, fences, comments and line ends.
fn scrap() -> impl Strategy<Value = String> {
    let scraps = [
        "---",
        "\n",
        "\n---\n",
        "\r\n",
        "\r",
        "\t",
        "  ",
        " ",
        ": ",
        ":",
        "- ",
        "-",
        "? ",
        "[",
        "]",
        "{",
        "}",
        ", ",
        ",",
        "&a ",
        "*a",
        "<<: ",
        "!x ",
        "!!str ",
        "!!int",
        "!<tag:x>",
        "%YAML 1.2",
        "|",
        ">-",
        "|2",
        "\"",
        "'",
        "\\",
        "\\u00e9",
        "\\ud83d",
        "#",
        " # c",
        "condition",
        "scope",
        "globs",
        "ast-condition",
        "a",
        "é",
        "😀",
        "\u{FEFF}",
        "\u{85}",
        "\u{2028}",
        "\0",
        "<!--",
        "-->",
        "...",
        "null",
        "1e3",
        "*.ts",
        "tool:edit(",
        ")",
        "(?i)",
        "`",
        "@",
        "~",
        "# ttsr-ignore TTSR003",
        "\n# ttsr-ignore a,b why\n",
        "# ttsr-ignore-file ",
        "<!-- ttsr-ignore x -->",
        "- ",
        "|",
    ];
    prop_oneof![9 => prop::sample::select(scraps.to_vec()).prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)]
}

proptest! {
    /// Reading ends, findings lie within the text, and what is said to be written somewhere is written there.
    #[test]
    fn any_text_is_read(scraps in prop::collection::vec(scrap(), 0..40), fenced in any::<bool>()) {
        let text = scraps.concat();
        let text = if fenced { format!("---\n{text}\n---\nbody") } else { text };
        for lifecycle in [Lifecycle::V1, Lifecycle::V3] {
            let semantics = lifecycle.semantics();
            let file = RuleFile::read("r.md", text.clone().into_bytes(), &semantics);
            for member in file.frontmatter.iter().flat_map(|matter| &matter.members) {
                let written = &file.text()[member.value.span.clone()];
                if let ttsr::rule::Yaml::String(value) = &member.value.value
                    && member.value.style == ttsr::rule::Style::Plain
                    && value.chars().all(|one| one.is_ascii_alphanumeric())
                    && !written.contains("<!--")
                    && !written.starts_with(['*', '!', '&', '"'])
                {
                    prop_assert_eq!(written, value);
                }
                prop_assert!(file.text().get(member.key_span.clone()).is_some());
            }
            // Suppressions lie in the file, and one more changes nothing of what any generation reads.
            let Suppressions { accepted, misplaced } = Suppressions::read(&file);
            let spans = accepted.iter().map(|one| &one.span).chain(misplaced.iter().map(|(span, _)| span));
            for span in spans.chain(accepted.iter().flat_map(|one| one.codes.iter().map(|(_, span)| span))) {
                prop_assert!(file.text().get(span.clone()).is_some_and(|text| !text.is_empty()));
            }
            let places = [0, text.len() / 3, text.len() / 2].map(|at| (at, "TTSR003".to_owned()));
            for more in [&places[..1], &places] {
                let Some(change) = accept::add(&file, more) else { continue };
                let read = |text: &str, semantics: &Semantics| {
                    let file = RuleFile::read("r.md", text.as_bytes().to_vec(), semantics);
                    let rule = Rule::from_file("r.md", "/r.md".into(), file, semantics);
                    (rule.fields, format!("{:?}", rule.content))
                };
                for other in [Lifecycle::V1, Lifecycle::V2, Lifecycle::V3, Lifecycle::V4].map(Lifecycle::semantics) {
                    prop_assert_eq!(read(&change.before, &other), read(&change.after, &other), "{}", change.after);
                }
                let after = RuleFile::read("r.md", change.after.clone().into_bytes(), &semantics);
                let read = Suppressions::read(&after);
                prop_assert!(read.accepted.len() > accepted.len(), "{:?} {:?}", change.after, read);
            }
            let rule = Rule::from_file("r.md", "/r.md".into(), file, &semantics);
            let set = RuleSet::register([rule], &Settings::default(), &semantics, None);
            for finding in lint::of_registration(&set) {
                let place = finding.place;
                prop_assert!(place.is_none_or(|place| place.start <= place.end && place.end.offset <= text.len()));
            }
            let mut rows = Rows::new(true);
            rows.add(&set.inventory[0], None);
            let mut text = String::new();
            let generation = (semantics.lifecycle, None);
            let form = Check::new(&rows, &[], None, generation, Counts::default());
            json::write(&form, &mut |piece| text.push_str(piece));
            prop_assert!(serde_json::from_str::<Box<serde_json::value::RawValue>>(&text).is_ok(), "{}", text);
        }
    }

    /// No glob and no path makes the matcher fail.
    #[test]
    fn any_glob_is_matched(glob in prop::collection::vec(scrap(), 0..12), path in "[a-c./\\\\é😀]{0,12}") {
        let glob = ttsr::glob::PathGlob::new(&glob.concat().into());
        let path = ttsr::text::JsString::from(path.replace('\\', "/"));
        let (takes, matches) = (glob.takes(&path), glob.matches(&path));
        // What matches whole is taken, and a path of one segment has no second try.
        prop_assert!(takes || !matches);
        prop_assert!(takes == matches || path.to_string_lossy().contains('/'));
    }
}
