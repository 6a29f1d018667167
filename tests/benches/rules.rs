//! Rule files from bytes on disk to findings, on one thread: through the library, and through the whole command.

#![expect(clippy::print_stdout, reason = "files per second are what the bench is for")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use ttsr::cli::{Surroundings, run};
use ttsr::generation::Lifecycle;
use ttsr::rule::{RuleSet, lint, load_paths};
use ttsr::settings::Settings;

/// Words that rules are about.
const WORDS: [&str; 16] = [
    "unwrap",
    "console",
    "debugger",
    "TODO",
    "fixme",
    "eval",
    "password",
    "force",
    "lodash",
    "moment",
    "jquery",
    "print",
    "panic",
    "sleep",
    "innerHTML",
    "any",
];

/// Frontmatters as people write them; `W` is a word, `V` another.
const RULES: [&str; 16] = [
    "condition: 'W'",
    "description: No W\ncondition: '\\.W\\(\\)'\nscope: text, tool:edit(*.rs), tool:write(*.rs)",
    "condition: '(?i)\\bW\\b'\nscope: [text, thinking]",
    "condition:\n  - 'W\\.(?:log|V)\\s*\\('\n  - 'V\\.W'\nglobs: ['**/*.ts', '**/*.tsx']\nscope: tool",
    "condition: '(?m)^\\s*import .* from .W'\nscope: 'tool:edit(*.{ts,tsx}), tool:write(*.{ts,tsx})'",
    "condition: 'W(?!\\s*V)'\ninterruptMode: never",
    "condition: '(?<!V )\\bW\\w*'\nagents: [main, task]",
    "condition: '*.rs'\nscope: tool:edit",
    "description: >\n  Prefer V\n  over W\nalwaysApply: true",
    "ttsr_trigger: 'W.*V'",
    "condition: \"\\\\bW\\\\s+V\\\\b\"\nscope: tool:bash",
    "condition: 'W[\\s\\S]{0,40}?V'\nglobs: 'src/*.ts'",
    "condition: 'git (?:push|W) (?:-f|--force)'\nscope: tool:bash, text",
    "condition: \"W\\sV\"\nscope: \"text\",\"thinking\"",
    "condition: '([\"'']).*W.*\\1'\nscope: tool:edti",
    "condition: ['W: ', 'V', 'https?:\\/\\/W\\.example']\nrepeatMode: once",
];

/// Writes `count` rule files below a folder.
fn write_rules(folder: &Path, count: usize) {
    for index in 0..count {
        let word = WORDS[index * 7 % WORDS.len()];
        let other = WORDS[(index * 5 + index / 16 + 3) % WORDS.len()];
        // `\W` does not occur in the shapes, so that every letter replaced was meant.
        let matter = RULES[index % RULES.len()].replace('W', word).replace('V', other);
        let body =
            format!("Do not use {word} here.\n\nUse {other} instead:\n\n```ts\n{other}({index});\n```\n").repeat(3);
        fs::write(folder.join(format!("rule-{index:05}.md")), format!("---\n{matter}\n---\n{body}")).expect("written");
    }
}

/// The quickest of several runs.
fn quickest(mut once: impl FnMut()) -> Duration {
    let timed = |_| {
        let begun = Instant::now();
        once();
        begun.elapsed()
    };
    (0..5).map(timed).min().unwrap_or_default()
}

fn library(folder: &Path) {
    let semantics = Lifecycle::V3.semantics();
    let loaded = load_paths(&[folder], "/project", &semantics);
    let mut findings = loaded.diagnostics;
    let set = RuleSet::register(loaded.rules, &Settings::default(), &semantics, None);
    findings.extend(lint::run(&set, &semantics));
    assert!(!set.compiled.is_empty() && !findings.is_empty());
    black_box((set, findings));
}

fn command(folder: &Path) {
    let surroundings = Surroundings {
        cwd: folder.to_path_buf(),
        home: None,
        vars: BTreeMap::new(),
        stdout_width: None,
        stderr_width: None,
    };
    let arguments = ["ttsr", "check-rules", "--lifecycle", "v3", "--format", "json"].map(OsString::from);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    run(arguments.into_iter().chain([folder.into()]), &mut &b""[..], &mut out, &mut err, &surroundings);
    assert!(out.starts_with(b"{"), "{}", String::from_utf8_lossy(&err));
    black_box(out);
}

fn main() {
    for count in [1_000, 10_000] {
        let folder = tempfile::tempdir().expect("a folder");
        write_rules(folder.path(), count);
        for (what, time) in [
            ("load, register, lint", quickest(|| library(folder.path()))),
            ("check-rules --format json", quickest(|| command(folder.path()))),
        ] {
            let rate = count as f64 / time.as_secs_f64();
            println!("{what}: {count} rule files in {:.0} ms, {rate:.0} files per second", time.as_secs_f64() * 1e3);
        }
    }
}
