//! What is advised is right: each remedy that is written out and each fix, applied to the rule that it is about, ends the
//! finding and brings no new one.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;

use ttsr::builtin::keys::KEYS;
use ttsr::diagnostic::{Diagnostic, Severity};
use ttsr::generation::Lifecycle;
use ttsr::rule::{Rule, RuleFile, RuleSet, lint};
use ttsr::settings::Settings;

use crate::support::project;

/// Frontmatters beside those of the samples, each with a mistake that has a remedy.
const MADE: [&str; 72] = [
    "ttsr_trigger: '(?i)foo'",
    "ttsr_trigger: 'a(?i)b'",
    "ttsr_trigger: [foo]",
    "ttsr_trigger: foo\nscope: text",
    "condition: a\npaths: ['*.ts']",
    "condition: 'a\\nb'\nscope: tool:eval",
    "condition: '^foo$'\nscope: tool:eval",
    "condition: 'say \"x\" \\\\d'\nscope: tool:mcp__x",
    "condition: '\\bfoo$bar'\nscope: tool:read",
    "condition: '^x\"y'\nscope: tool:bash, tool:eval",
    "condition: '^(?:a|b)\\tc'\nscope: tool:bash",
    "condition: '(?m)^a\\n^b'\nscope: tool:bash",
    "condition: \"[a, b\"\nscope: tool:bash(*.sh,*.bash)",
    "condition: '(?s)^foo.*bar'",
    "condition: /foo/gi",
    "condition: /^foo/\nscope: tool:bash",
    "condition: '^git push'\nscope: tool:bash",
    "condition: '(?m)^git push'\nscope: tool:bash",
    "condition: 'git commit -m \"wip\"'\nscope: tool:bash",
    "condition: 'foo\\nbar'\nscope: tool:bash",
    "condition: '\\Afoo'\nscope: tool:bash",
    "condition: 'foo\\Rbar'\nscope: tool:bash",
    "condition: '^foo$bar'\nscope: tool:bash",
    "condition: '\\Afoo'",
    "condition: 'foo\\z'",
    "condition: 'a\\h+x'",
    "condition: '[[:alpha:]]x'",
    "condition: '[[:^alpha:]]x'",
    "condition: '\\x{41}b'",
    "condition: '\\u{1F600}b'",
    "condition: '\\Qa.b\\E'",
    "condition: 'foo\\n^bar'",
    "condition: '$\\nfoo'",
    "condition: 'foo$bar'",
    "condition: \"\\bfoo\\b\"",
    "condition: \"foo\\sbar\"",
    "condition: 'foo(?i)bar'",
    "condition: '(?i)(?m)a'",
    "condition: '(?=[\\s\\S]*foo|bar)'",
    "condition: '^foo'",
    "condition: '(?i)^foo|bar'",
    "condition: 'foo\\b'",
    "condition: 'foo(?!bar)'",
    "condition: 'cafés'",
    "condition: 'https?://x'",
    "condition: 'src/**/*.ts'",
    "condition: 'tool:bash'",
    "condition: [foo, '^(?!.*bar)']",
    "condition: [foo, edit]",
    "condition: [foo, '\\.tsx?$']",
    "conditions: a",
    "condition: a\nalwaysapply: true",
    "condition: a\ninterrupt_mode: never",
    "condition: a\ninterruptMode: ' Never '",
    "condition: a\nscope: prose",
    "condition: a\nscope: tools",
    "condition: a\nscope: tool:edti",
    "condition: a\nscope: 'tool: edit'",
    "condition: a\nscope: text thinking",
    "condition: a\nscope: 'tool:edit(*.ts,*.js)'",
    "condition: a\nscope: 'tool:edit(src/*.ts, lib/*.ts)'",
    "condition: a\nglobs: '!*.ts'",
    "condition: a\nglobs: './a.ts'",
    "condition: a\nglobs: './src/*.ts'",
    "condition: a\nglobs: 'src/*.ts'",
    "condition: a\nglobs: ['src/*.ts', '!lib/*.ts']",
    "condition: a\nglobs: src/*.ts, lib/*.ts",
    "condition: a\nglobs: './a.ts,./b.ts'",
    "condition: a\nglobs: 'src\\*.ts'",
    "condition: a\nglobs: '[id.ts'",
    "condition: a\nscope: 'Bash(git *)'",
    "condition: a\nscope: tool:bash\nglobs: ['*.sh']",
];

/// Remedies that name a form to fill in, not what to write: nothing to apply.
const FORMS: [&str; 14] = [
    "such as",
    "NAME",
    "`{\"",
    "…",
    "PATTERN",
    "GLOB",
    "the character",
    "of the agent",
    "A, B",
    "(?:A|B)",
    "with commas between them",
    "a condition",
    "`key: value`",
    "[\\u4E00",
];

fn read(text: &str, lifecycle: Lifecycle) -> Vec<Diagnostic> {
    let semantics = lifecycle.semantics();
    let file = RuleFile::read("r.md", text.as_bytes().to_vec(), &semantics);
    let mut found = lint::of_file(&file);
    let rule = Rule::from_file("r.md", "/p/r.md".into(), file, &semantics);
    let set = RuleSet::register([rule], &Settings::default(), &semantics, None);
    found.extend(lint::run(&set, &semantics));
    found
}

/// How often each code is found.
fn counts(found: &[Diagnostic]) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for finding in found {
        *counts.entry(finding.code.name()).or_insert(0) += 1;
    }
    counts
}

/// The pieces of a help that are to be written: what stands in backticks behind `write` or a question.
fn written(help: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    for (at, _) in help.match_indices('`').step_by(2) {
        let before = &help[..at];
        if !before.ends_with("write ") && !before.ends_with("did you mean ") && !before.ends_with("for all of it, or ")
        {
            continue;
        }
        // A piece that itself holds a backtick is not in the rules here.
        let Some(piece) = help[at + 1..].split('`').next() else { continue };
        let around = &help[at.saturating_sub(1)..(at + piece.len() + 30).min(help.len())];
        let is_form = FORMS.iter().any(|form| piece.contains(form.trim_matches('`')) || around.contains(form));
        if !is_form {
            pieces.push(piece.to_owned());
        }
    }
    pieces
}

/// The line of a key.
fn line_of(text: &str, key: &str) -> Option<Range<usize>> {
    let start = if text.starts_with(&format!("{key}:")) { 0 } else { text.find(&format!("\n{key}:"))? + 1 };
    Some(start..text[start..].find('\n').map_or(text.len(), |end| start + end))
}

/// The texts that the remedy can mean: the place replaced, the line of a key replaced or added, the value replaced.
fn applied(text: &str, finding: &Diagnostic, piece: &str) -> Vec<String> {
    let mut ways = Vec::new();
    let with = |range: Range<usize>, new: &str| format!("{}{new}{}", &text[..range.start], &text[range.end..]);
    let key = piece.split_once(':').map(|(key, _)| key);
    if let Some(key) = key.filter(|key| KEYS.iter().any(|known| known.name == *key)) {
        match line_of(text, key) {
            Some(line) => ways.push(with(line, piece)),
            None => ways.push(text.replacen("---\n", &format!("---\n{piece}\n"), 1)),
        }
    }
    if let Some(place) = &finding.place {
        let range = place.start.offset..place.end.offset;
        ways.push(with(range.clone(), piece));
        ways.push(with(range.clone(), piece.trim_matches('\'')));
        ways.push(with(range.clone(), &format!("'{}'", piece.replace('\'', "''"))));
        // The value around the place, quotes included.
        let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at);
        if let Some((key, _)) = text[start..end].split_once(": ") {
            let value = start + key.len() + 2..end;
            ways.push(with(value.clone(), piece));
            ways.push(with(value, &format!("'{}'", piece.replace('\'', "''"))));
        }
        // One item of a list.
        let open = text[..range.start].rfind(['\'', '"']);
        let close = text[range.end..].find(['\'', '"']).map(|at| range.end + at + 1);
        if let (Some(open), Some(close)) = (open, close) {
            ways.push(with(open..close, piece));
        }
    }
    ways
}

/// What is wrong after a remedy: the finding is still there, or a new one is.
fn problem(before: &[Diagnostic], after: &[Diagnostic], code: &'static str) -> Option<String> {
    let (before, now) = (counts(before), counts(after));
    if now.get(code).copied().unwrap_or(0) >= before[code] {
        return Some(format!("{code} is still there"));
    }
    let new = after.iter().find(|finding| {
        let name = finding.code.name();
        // Where globs begin is told once they are globs.
        let is_next = code == "comma-in-glob" && name == "relative-glob" && finding.severity == Severity::Note;
        !is_next && now[name] > before.get(name).copied().unwrap_or(0)
    });
    new.map(|new| format!("new: {} ({})", new.code.name(), new.message))
}

fn texts() -> Vec<(String, String)> {
    let mut texts: Vec<(String, String)> = Vec::new();
    for entry in fs::read_dir(project("testdata/rules")).expect("the samples").flatten() {
        let path = entry.path().join("failing.md");
        let name = entry.file_name().to_string_lossy().into_owned();
        if name == "condition-beyond-limits" || name == "frontmatter-beyond-limits" {
            continue;
        }
        if let Ok(text) = fs::read_to_string(path) {
            texts.push((name, text));
        }
    }
    texts.sort();
    texts.extend(MADE.iter().map(|made| ((*made).to_owned(), format!("---\n{made}\n---\nB\n"))));
    texts
}

#[test]
fn each_remedy_ends_its_finding_and_brings_no_other() {
    let (mut tried, mut wrong) = (0, Vec::new());
    for (name, text) in texts() {
        for lifecycle in [Lifecycle::V1, Lifecycle::V2, Lifecycle::V3, Lifecycle::V4] {
            let before = read(&text, lifecycle);
            for finding in &before {
                let code = finding.code.name();
                let whose = format!("{name:?} in {}: {code}", lifecycle.as_str());
                if let Some(fix) = &finding.fix {
                    let mut mended = text.clone();
                    for (range, new) in fix.edits.iter().rev() {
                        mended.replace_range(range.clone(), new);
                    }
                    tried += 1;
                    wrong.extend(
                        problem(&before, &read(&mended, lifecycle), code)
                            .map(|why| format!("{whose}: the fix gives {mended:?}: {why}")),
                    );
                }
                for piece in finding.help.as_deref().map(written).unwrap_or_default() {
                    tried += 1;
                    let problems: Vec<Option<String>> = applied(&text, finding, &piece)
                        .iter()
                        .map(|mended| {
                            problem(&before, &read(mended, lifecycle), code).map(|why| format!("{mended:?}: {why}"))
                        })
                        .collect();
                    if !problems.iter().any(Option::is_none) {
                        let whys: Vec<&String> = problems.iter().flatten().collect();
                        wrong.push(format!("{whose}: {:?}: {piece}: {whys:#?}", finding.help));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(tried > 150, "{tried}");
}
