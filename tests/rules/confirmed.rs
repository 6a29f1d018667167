//! What is said to happen never, or everywhere, is tried: texts are generated to make such a rule fire (or stay silent),
//! and replayed. `TTSR_SEED` makes other rules and texts.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::patterns::generate::Random;
use crate::support::program::ttsr;
use crate::support::project;

/// Findings that say that the rule never fires. Where several conditions stand, one of them alone.
const NEVER: [&str; 14] = [
    "comma-in-glob",
    "empty-content",
    "invalid-condition",
    "misplaced-fence",
    "unclosed-fence",
    "pathless-tool",
    "unseen-text",
    "never-matches",
    "globs-exclude-prose",
    "ast-never-runs",
    "unreachable-scope",
    "missing-trigger",
    "control-character",
    "no-valid-condition",
];

/// Findings that say that every text of the rule's streams fires it.
const EVERYWHERE: [&str; 2] = ["matches-empty", "catch-all"];

const CONDITIONS: [&str; 26] = [
    "foo",
    "^git push",
    "foo\\nbar",
    "-m \"wip\"",
    "foo$bar",
    "(?m)^foo",
    "\\Afoo",
    "a\\\\d",
    "x*",
    "(?:)",
    "\\bfoo\\Bbar",
    "(?!f)foo",
    "(?<=a)b",
    "\"path\"\\s*:\\s*\"/tmp",
    "*.rs",
    "src/**/*.ts",
    "(",
    "[]a",
    "^\\s*rm",
    "\"command\":\"ls",
    "foo\\tbar",
    "(?<!x)y(?<=xy)",
    "^",
    "foo|^bar",
    "end$",
    "\\p{Han}",
];
const SCOPES: [&str; 13] = [
    "",
    "text",
    "thinking",
    "tool",
    "tool:bash",
    "tool:bash(*.sh)",
    "tool:edit",
    "tool:write(*.ts)",
    "tool:read",
    "text, tool:bash",
    "tool:mcp__fs",
    "tool:",
    "tool:bash, tool:eval",
];
const GLOBS: [&str; 5] = ["", "", "'*.ts'", "['*.rs', '**/src/*.ts']", "'a.ts, b.ts'"];
const WORDS: [&str; 12] =
    ["foo", "git push", "rm -rf x", "b", "xy", "say \"hi\"", "\n", "\t", "\\d", "漢", "ls", "/tmp/a.ts"];

/// A text that a pattern may match: its letters, with one of what it leaves open.
fn sample(pattern: &str, random: &mut Random) -> String {
    let mut text = String::new();
    let mut rest = pattern.chars().peekable();
    while let Some(one) = rest.next() {
        match one {
            '\\' => match rest.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('s') => text.push(' '),
                Some('d') => text.push('7'),
                Some('w') => text.push('w'),
                Some('b' | 'B' | 'A') | None => {}
                Some(other) => text.push(other),
            },
            '(' if rest.peek() == Some(&'?') => {
                rest.next();
                while rest.next_if(|one| ":=!<imsP>".contains(*one)).is_some() {}
            }
            '^' | '$' | '(' | ')' | '*' | '+' | '?' => {}
            '|' if random.below(2) == 0 => text.clear(),
            '|' => break,
            '.' => text.push('x'),
            other => text.push(other),
        }
    }
    text
}

/// Replies that show the texts in every stream, in calls with and without paths, each call whole and in pieces.
fn replies(texts: &[String]) -> Vec<Value> {
    let mut replies = Vec::new();
    let mut call = |tool: &str, arguments: &[(&str, Value)]| {
        // The order of the arguments is the model's.
        let written: Vec<String> = arguments.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
        let whole = format!("{{{}}}", written.join(","));
        let half = whole.char_indices().nth(whole.chars().count() / 2).map_or(0, |(at, _)| at);
        let first = 1 + written[0].len();
        for cut in [0, half, first] {
            let id = format!("c{}", replies.len());
            replies.push(json!([{"tool": tool, "id": id, "chunks": [whole[..cut], whole[cut..]]}]));
        }
    };
    for text in texts {
        call("bash", &[("command", json!(text))]);
        call("eval", &[("code", json!(text)), ("n", json!([1, true, null]))]);
        call("read", &[("path", json!(text))]);
        call("mcp__fs", &[("path", json!("a.ts")), ("text", json!(text))]);
        for path in ["a.ts", "src/b.rs", "x.sh", "/tmp/src/c.ts"] {
            call("write", &[("path", json!(path)), ("content", json!(text))]);
            call("edit", &[("path", json!(path)), ("old_string", json!("o")), ("new_string", json!(text))]);
        }
    }
    for text in texts {
        for stream in ["text", "thinking"] {
            // Behind a call the agent goes on.
            let call = json!({"tool": "ls", "id": format!("c{}", replies.len()), "chunks": ["{}"]});
            replies.push(json!([{stream: text}, call]));
        }
    }
    replies
}

/// The replies at which rules fire, of those that the script has.
fn fired(rules: &Path, replies: &[Value]) -> Vec<u64> {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("script.json");
    fs::write(&script, Value::from(replies.to_vec()).to_string()).expect("written");
    let arguments = [
        "replay",
        "--rules",
        rules.to_str().expect("UTF-8"),
        "--script",
        script.to_str().expect("UTF-8"),
        "--format",
        "jsonl",
        "--on-trigger",
        "observe",
        "--set",
        "ttsr.repeatMode=after-gap",
        "--set",
        "ttsr.repeatGap=0",
        "--arguments",
        "eager",
        "--prompt",
        "go",
    ];
    let outcome = ttsr(arguments);
    let lines = outcome.out.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    lines.filter(|line| line["kind"] == "trigger").filter_map(|line| line["at"]["message"].as_u64()).collect()
}

/// What is said of a rule, as far as it says never or everywhere.
fn claims(rules: &Path) -> (Vec<String>, usize) {
    let outcome = ttsr(["check-rules", rules.to_str().expect("UTF-8"), "--format", "json"]);
    let Ok(checked) = serde_json::from_str::<Value>(&outcome.out) else { return (Vec::new(), 0) };
    let found = checked["diagnostics"].as_array().cloned().unwrap_or_default();
    let conditions = checked["rules"][0]["condition"].as_array().map_or(0, Vec::len);
    let is_claim = |found: &&Value| {
        let name = found["name"].as_str().unwrap_or_default();
        // A warning of these says that a part of the rule is idle; and what stands in front of the content of a call
        // shows as long as that has not begun, which is what is said.
        let until = found["message"].as_str().is_some_and(|message| message.contains("once its content begins"));
        !until && (NEVER.contains(&name) && found["severity"] == "error" || EVERYWHERE.contains(&name))
    };
    let names = found.iter().filter(is_claim).filter_map(|found| found["name"].as_str().map(str::to_owned)).collect();
    (names, conditions)
}

#[test]
fn what_is_said_to_happen_never_or_everywhere_does() {
    let seed = std::env::var("TTSR_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(11);
    let mut random = Random::new(seed);
    let pick = |list: &[&'static str], random: &mut Random| list[random.below(list.len())];
    let mut rules: Vec<(String, String)> = Vec::new();
    for entry in fs::read_dir(project("testdata/rules")).expect("the samples").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Ok(text) = fs::read_to_string(entry.path().join("failing.md"))
            && !name.contains("beyond-limits")
        {
            rules.push((name, text));
        }
    }
    rules.sort();
    for number in 0..200 {
        let condition = pick(&CONDITIONS, &mut random);
        let (scope, globs) = (pick(&SCOPES, &mut random), pick(&GLOBS, &mut random));
        let mut text = format!("---\ncondition: '{condition}'\n");
        if !scope.is_empty() {
            text.push_str(&format!("scope: '{scope}'\n"));
        }
        if !globs.is_empty() {
            text.push_str(&format!("globs: {globs}\n"));
        }
        rules.push((format!("made {number}"), format!("{text}---\nB\n")));
    }
    let (mut claimed, mut wrong) = (0, Vec::new());
    let mut never_made = 0;
    for (name, text) in &rules {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("r.md"), text).expect("written");
        let (claims, conditions) = claims(folder.path());
        if claims.is_empty() || conditions > 1 {
            continue;
        }
        let pattern = text.lines().find_map(|line| line.strip_prefix("condition: ")).unwrap_or("foo");
        let pattern = pattern.trim_matches(['\'', '"']);
        let mut texts: Vec<String> = (0..3).map(|_| sample(pattern, &mut random)).collect();
        texts.extend((0..3).map(|_| {
            let count = 1 + random.below(3);
            (0..count).map(|_| pick(&WORDS, &mut random)).collect::<String>()
        }));
        texts.sort();
        texts.dedup();
        texts.retain(|text| !text.is_empty());
        let replies = replies(&texts);
        let fired = fired(folder.path(), &replies);
        for claim in claims {
            claimed += 1;
            never_made += usize::from(name.starts_with("made") && NEVER.contains(&claim.as_str()));
            let holds = match EVERYWHERE.contains(&claim.as_str()) {
                false => fired.is_empty(),
                // In one of its streams each text fires.
                true => fired.len() >= texts.len() || text.contains("globs: "),
            };
            if !holds {
                wrong.push(format!("{name}: {claim}: {} of {} fired: {text}", fired.len(), replies.len()));
            }
        }
    }
    println!("seed {seed}: {} of {claimed} claims confirmed", claimed - wrong.len());
    assert!(wrong.is_empty(), "seed {seed}: {} of {claimed}\n{}", wrong.len(), wrong.join("\n"));
    assert!(claimed > 60 && never_made > 30, "{claimed}, {never_made}");
}

#[test]
fn the_search_finds_what_fires() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("r.md"), "---\ncondition: foo\nscope: text, thinking, tool\n---\nB\n")
        .expect("written");
    let replies = replies(&["a foo".to_owned()]);
    let fired = fired(folder.path(), &replies);
    let distinct: std::collections::BTreeSet<u64> = fired.iter().copied().collect();
    assert_eq!(distinct.len(), replies.len(), "{fired:?}");
}
