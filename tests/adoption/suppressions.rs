//! Findings that a rule file accepts, said where the agent does not see it.

use std::fs;
use std::path::Path;

use serde_json::Value;
use ttsr::generation::Lifecycle;
use ttsr::rule::{Fields, Rule, RuleFile};

use super::Team;
use crate::support::project;

fn whole(frontmatter: &str) -> String {
    format!("---\n{frontmatter}\n---\nBody.\n")
}

/// What is found in a rule, as name, line, and whether it is suppressed.
fn found(text: &str, options: &[&str]) -> Vec<(String, u64, bool)> {
    let team = Team::new(&[(".omp/rules/r.md", text)]);
    let document = team.json(options);
    let findings = document["diagnostics"].as_array().expect("findings").iter();
    findings
        .map(|one| {
            let name = one["name"].as_str().expect("a name").to_owned();
            (name, one["start"]["line"].as_u64().expect("a line"), one["suppressed"] == true)
        })
        .collect()
}

/// The findings that count, by name.
fn left(text: &str) -> Vec<String> {
    found(text, &[]).into_iter().filter(|(.., suppressed)| !suppressed).map(|(name, ..)| name).collect()
}

/// Frontmatters that accept all that is found in them.
const ACCEPTED: &[&str] = &[
    "# ttsr-ignore TTSR033\nglobs: '*.ts, *.js'\ncondition: foo",
    "condition: foo\n# ttsr-ignore comma-in-glob we know\nglobs: '*.ts, *.js'",
    "condition: foo\n#ttsr-ignore ttsr033\nglobs: '*.ts, *.js'",
    "condition: foo\n# ttsr-ignore TTSR033 one\n\n# another comment\nglobs: '*.ts, *.js'",
    "condition: foo\nglobs: '*.ts, *.js'\n# ttsr-ignore-file TTSR033",
    "# ttsr-ignore-file invalid-condition,comma-in-glob both\ncondition: [foo, '(']\nglobs: '*.ts, *.js'",
    "condition:\n  - foo\n  # ttsr-ignore invalid-condition\n  - '('",
    "condition: [foo,\n  # ttsr-ignore TTSR003\n  '(']",
    "# ttsr-ignore invalid-condition\ncondition:\n  - foo\n  - '('\n  - ')'",
    "condition: foo\n# ttsr-ignore TTSR033\n# ttsr-ignore TTSR013\nglobs: '*.ts, *.js'\n# ttsr-ignore-file TTSR013",
];

#[test]
fn what_is_accepted_does_not_count() {
    for frontmatter in ACCEPTED {
        let lines: Vec<&str> = frontmatter.lines().collect();
        let bare: Vec<&str> = lines.iter().copied().filter(|line| !line.trim().starts_with('#')).collect();
        assert!(!left(&whole(&bare.join("\n"))).is_empty(), "{frontmatter}");
        let rest = left(&whole(frontmatter));
        let unused = frontmatter.matches("TTSR013").count();
        assert_eq!(rest, vec!["unused-suppression"; unused], "{frontmatter}");
        let crlf = whole(frontmatter).replace('\n', "\r\n");
        assert_eq!(left(&crlf), rest, "{frontmatter}");
    }
    // The body speaks of the whole file.
    for body in ["<!-- ttsr-ignore TTSR033 -->\nBody.", "Body. <!--ttsr-ignore comma-in-glob since: it is so-->\n"] {
        assert_eq!(left(&format!("---\ncondition: foo\nglobs: 'a, b'\n---\n{body}")), [""; 0], "{body}");
    }
}

#[test]
fn only_what_is_meant_is_accepted() {
    // Another key, another code, and what is found above.
    let text = whole("condition: '('\n# ttsr-ignore TTSR003\nglobs: '*.ts, *.js'");
    assert_eq!(left(&text), ["invalid-condition", "unused-suppression", "comma-in-glob"]);
    let text = whole("condition:\n  # ttsr-ignore TTSR003\n  - '('\n  - ')'");
    let lines: Vec<_> = found(&text, &[]).into_iter().filter(|(name, ..)| name == "invalid-condition").collect();
    assert_eq!(lines.iter().map(|(_, line, accepted)| (*line, *accepted)).collect::<Vec<_>>(), [(4, true), (5, false)]);
}

#[test]
fn what_does_not_count_is_said() {
    for (frontmatter, code, line) in [
        ("condition: foo # ttsr-ignore TTSR020", "misplaced-suppression", 2),
        ("condition: foo # ttsr-ignore TTSR020\ndescription: a: b", "misplaced-suppression", 2),
        ("condition: foo\n# ttsr-ignore TTSR020 because: so\nscope: text", "misplaced-suppression", 3),
        ("description: |\n  a\n  # ttsr-ignore TTSR020\ncondition: foo", "misplaced-suppression", 4),
        ("condition: foo\n<!-- ttsr-ignore TTSR020 -->\nscope: text", "misplaced-suppression", 3),
        ("condition: foo\n# ttsr-ignore TTSR020", "misplaced-suppression", 3),
        ("# ttsr-ignore\ncondition: foo", "misplaced-suppression", 2),
        ("# ttsr-ignore all\ncondition: foo", "unknown-suppression", 2),
        ("# ttsr-ignore TTSR999 x\ncondition: foo", "unknown-suppression", 2),
        ("# ttsr-ignore 33\ncondition: foo", "unknown-suppression", 2),
        ("# ttsr-ignore coma-in-glob\ncondition: foo", "unknown-suppression", 2),
        ("# ttsr-ignore comma-in-glob\ncondition: foo", "unused-suppression", 2),
    ] {
        let all = found(&whole(frontmatter), &[]);
        assert!(all.contains(&(code.to_owned(), line, false)), "{frontmatter}: {all:?}");
    }
    let text = "<!-- ttsr-ignore TTSR020 -->\n---\ncondition: foo\n---\nBody.\n";
    let team = Team::new(&[(".omp/rules/r.md", text)]);
    let outcome = team.check(&[]);
    assert!(outcome.status == 1 && outcome.out.contains("frontmatter is lost"), "{}", outcome.out);
    assert!(left("---\ncondition: foo\n---\n# ttsr-ignore TTSR020\n").contains(&"misplaced-suppression".to_owned()));
    // What only speaks of suppressions is none.
    for text in [
        whole("condition: foo\ndescription: 'write # ttsr-ignore CODE above the key'"),
        whole("condition: foo\n# see ttsr-ignore and ttsr-ignored"),
        "---\ncondition: foo\n---\nWrite `# ttsr-ignore CODE` above it.\n".to_owned(),
    ] {
        assert_eq!(left(&text), [""; 0], "{text}");
    }
}

#[test]
fn a_suppression_may_wait_for_samples() {
    let text = whole("condition: foo\n# ttsr-ignore-file example-did-not-fire\nexamples: {fires: [bar]}");
    assert_eq!(left(&text), [""; 0]);
    assert!(
        found(&text, &["--examples"]).iter().any(|(name, _, accepted)| name == "example-did-not-fire" && *accepted)
    );
    // A code that is left out was found all the same.
    assert_eq!(found(&whole(ACCEPTED[0]), &["--allow", "TTSR033"]), []);
}

#[test]
fn every_form_counts_what_is_suppressed() {
    let team = Team::new(&[(".omp/rules/r.md", &whole(ACCEPTED[0]))]);
    for (format, words) in [
        ("human", "0 errors, 0 warnings, 0 notes; 1 suppressed"),
        ("json", "\"suppressed\":1,\"known\":0"),
        ("github", "1 suppressed"),
        ("sarif", "\"properties\":{\"suppressed\":1,\"known\":0}"),
        ("junit", "value=\"1 suppressed\""),
    ] {
        let outcome = team.check(&["--format", format]);
        assert_eq!(outcome.status, 0, "{format}");
        assert!(outcome.out.contains(words), "{format}: {}", outcome.out);
        let outcome = team.check(&["--format", format, "--no-ignore"]);
        assert_eq!(outcome.status, 1, "{format}");
        assert!(!outcome.out.contains(words), "{format}: {}", outcome.out);
    }
}

#[test]
fn what_is_accepted_is_not_mended() {
    let text = whole("condition: foo\n# ttsr-ignore TTSR033 on purpose\nglobs: '*.ts, *.js'\nInterruptMode: never");
    let team = Team::new(&[(".omp/rules/r.md", &text)]);
    assert_eq!(team.check(&["--fix", "--fail-on", "note"]).status, 0);
    assert_eq!(team.read(".omp/rules/r.md"), text.replace("InterruptMode", "interruptMode"));
}

/// A repair leaves each suppression above the key that it is about, or does nothing.
#[test]
fn a_repair_keeps_suppressions_in_their_place() {
    for (before, after) in [
        ("condition: foo\n# ttsr-ignore TTSR020\nttsr_trigger: bar\nscope: text", None),
        ("# ttsr-ignore TTSR020\nttsr_trigger: foo", Some("# ttsr-ignore TTSR020\ncondition: foo")),
        (
            "condition: foo\nttsr_trigger: bar\n# ttsr-ignore TTSR020\nscope: text",
            Some("condition: foo\n# ttsr-ignore TTSR020\nscope: text"),
        ),
    ] {
        let team = Team::new(&[(".omp/rules/r.md", &whole(before))]);
        team.check(&["--fix", "--unsafe-fixes"]);
        assert_eq!(team.read(".omp/rules/r.md"), whole(after.unwrap_or(before)));
    }
}

/// The values and the body as each generation reads them.
fn read(text: &str) -> Vec<(Fields, String)> {
    [Lifecycle::V1, Lifecycle::V2, Lifecycle::V3, Lifecycle::V4]
        .into_iter()
        .map(|lifecycle| {
            let semantics = lifecycle.semantics();
            let file = RuleFile::read("r.md", text.as_bytes().to_vec(), &semantics);
            let rule = Rule::from_file("r.md", "/r.md".into(), file, &semantics);
            (rule.fields, format!("{:?}", rule.content))
        })
        .collect()
}

/// Frontmatters that the agent reads as YAML, with values put into quotes, and line by line.
const STAGES: &[&str] = &[
    "condition: foo\nscope: text",
    "description: see: this\ncondition: foo\nscope: text",
    "condition: \"\\s+\"\nscope: text\nglobs: [a, b]",
    "ttsr_trigger: 'foo'\ndescription: \"\\s\"",
    "description: |\n  several\n  lines\ncondition: foo",
];

#[test]
fn a_suppression_on_its_own_line_is_nothing_to_the_agent() {
    for stage in STAGES {
        let wanted = read(&whole(stage));
        for comment in ["# ttsr-ignore TTSR020 because it is so", "# ttsr-ignore-file a,b,c", "#ttsr-ignore x 'y \" {"]
        {
            for line in 0..stage.lines().count() {
                let mut lines: Vec<&str> = stage.lines().collect();
                // Within the text of several lines it is said to be misplaced.
                if lines[line].starts_with(' ') {
                    continue;
                }
                lines.insert(line, comment);
                assert_eq!(read(&whole(&lines.join("\n"))), wanted, "{lines:?}");
            }
        }
        let text = whole(stage);
        let with = text.replace("Body.\n", "Body.<!-- ttsr-ignore TTSR020 since: so -->\n");
        assert_eq!(read(&with), wanted);
    }
    // And here is why it has to be on its own line.
    let text = whole("description: see: this\ncondition: foo # ttsr-ignore TTSR020 so: it is");
    assert_ne!(read(&text), read(&text.replace(" # ttsr-ignore TTSR020 so: it is", "")));
}

/// The rules that the agent makes of a folder, without their places.
fn rules(team: &Team) -> Vec<Value> {
    team.json(&["rules"])["rules"].as_array().expect("rules").clone()
}

fn copy_samples(team: &Team) -> usize {
    let mut count = 0;
    let mut folders = vec![project("testdata/rules"), project("testdata/mistakes")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            let is_rule = path.extension().is_some_and(|extension| extension == "md" || extension == "mdc");
            if path.is_symlink() || fs::metadata(&path).is_ok_and(|metadata| metadata.len() > 100_000) {
                continue;
            } else if path.is_dir() {
                folders.push(path);
            } else if is_rule {
                let name = path.strip_prefix(project("testdata")).unwrap_or(Path::new("x")).to_string_lossy();
                let target = team.path("repo/rules").join(format!("n{count}-{}", name.replace('/', "-")));
                fs::create_dir_all(team.path("repo/rules")).expect("a folder");
                fs::copy(&path, target).expect("a copy");
                count += 1;
            }
        }
    }
    count
}

/// Every finding of every code can be accepted, and no rule is another one afterwards.
#[test]
fn all_that_is_found_can_be_accepted_in_the_files() {
    let team = Team::new(&[]);
    assert!(copy_samples(&team) > 80);
    let before = rules(&team);
    let first = team.json(&["rules", "--fail-on", "note"]);
    let all = first["diagnostics"].as_array().expect("findings").len();
    let outcome = team.check(&["rules", "--add-ignores", "--fail-on", "note"]);
    let again = team.json(&["rules", "--fail-on", "note"]);
    let findings = again["diagnostics"].as_array().expect("findings");
    let (accepted, open): (Vec<_>, Vec<_>) = findings.iter().partition(|one| one["suppressed"] == true);
    for one in &open {
        // Where nothing can be written, or no file is meant.
        let may_stay = ["utf16-file", "malformed-text", "skipped-file", "unclosed-fence"];
        let is_odd = |file: &str| may_stay.iter().any(|name| file.contains(name));
        let file = one["file"].as_str().unwrap_or_default();
        assert!(is_odd(file) || may_stay.contains(&one["name"].as_str().expect("a name")), "{one:#}\n{}", outcome.err);
    }
    assert_eq!(accepted.len() + open.len(), all, "no suppression is unused");
    assert!(accepted.len() > 60 && open.len() < 4, "{open:#?}");
    assert_eq!(rules(&team), before);
    let third = team.check(&["rules", "--add-ignores", "--fail-on", "note"]);
    assert!(third.err.contains("suppressed 0 findings in 0 files"), "{}", third.err);
}

#[test]
fn only_what_fails_the_run_and_is_new_is_accepted_by_itself() {
    let text = whole("condition: ['\\bfoo\\b', '(']\nglobs: '*.ts, *.js'");
    let team = Team::new(&[(".omp/rules/r.md", &text)]);
    let outcome = team.check(&["--add-ignores", "--allow", "comma-in-glob"]);
    assert_eq!(outcome.status, 0);
    assert!(outcome.err.contains("suppressed 1 finding in 1 file"), "{}", outcome.err);
    assert_eq!(team.read(".omp/rules/r.md"), text.replace("condition", "# ttsr-ignore TTSR003\ncondition"));
    assert_eq!(team.check(&["--write-baseline", "known.json"]).status, 0);
    let outcome = team.check(&["--add-ignores", "--findings-baseline", "known.json"]);
    assert!(outcome.err.contains("suppressed 0 findings in 0 files"), "{}", outcome.err);
}

/// Files of many keys, suppressions and findings are read in a time that grows as they do.
#[test]
fn many_suppressions_and_findings_take_no_time() {
    let number = 20_000;
    let lines = |line: &dyn Fn(usize) -> String| (0..number).map(line).collect::<String>();
    for (frontmatter, is_accepted) in [
        (lines(&|_| "# ttsr-ignore TTSR033\n".to_owned()) + "condition: foo\n", false),
        (lines(&|_| "# ttsr-ignore-file repeated-key\n".to_owned()) + "condition: foo\ncondition: bar\n", true),
        (lines(&|at| format!("# ttsr-ignore repeated-key\ncondition: foo{at}\n")), true),
    ] {
        let text = format!("---\n{frontmatter}---\nB\n");
        let team = Team::new(&[(".omp/rules/r.md", &text)]);
        let start = std::time::Instant::now();
        let document = team.json(&["--lifecycle", "v3"]);
        assert!(start.elapsed().as_secs() < 40, "{:?}", start.elapsed());
        assert_eq!(document["summary"]["suppressed"].as_u64() > Some(0), is_accepted, "{}", document["summary"]);
    }
}
