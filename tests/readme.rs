//! The README's examples are run, and its tables come from the program. `TTSR_UPDATE=1` writes them anew.
//!
//! In a block marked `console`, each line that begins with `$ ttsr` is run in a fresh folder that holds `testdata`,
//! `$ cat FILE` shows a file there, `| tail -n N` leaves the last lines, and the lines below are what is printed on standard output.

use std::fs;
use std::path::Path;
use std::process::Command;

use ttsr::output::catalogue;

use crate::support::project;

/// What a shell would print for `line`.
fn output(line: &str, folder: &Path) -> String {
    if let Some((line, number)) = line.split_once(" | tail -n ") {
        let text = output(line, folder);
        let lines: Vec<&str> = text.lines().collect();
        return lines[lines.len().saturating_sub(number.parse().expect("a number"))..].join("\n") + "\n";
    }
    let words = split(line);
    match words.first().map(String::as_str) {
        Some("ttsr") => {
            let run = Command::new(env!("CARGO_BIN_EXE_ttsr")).args(&words[1..]).current_dir(folder).output();
            let run = run.expect("the program runs");
            assert!(
                run.status.code().is_some_and(|code| code <= 1),
                "`{line}`: {}",
                String::from_utf8_lossy(&run.stderr)
            );
            String::from_utf8(run.stdout).expect("the output is UTF-8")
        }
        Some("cat") => fs::read_to_string(folder.join(&words[1])).expect("the file is there"),
        _ => panic!("`{line}` is no command of the examples"),
    }
}

/// Splits a line at blanks outside single quotes.
fn split(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for character in line.chars() {
        match character {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            other => words.last_mut().expect("a word").push(other),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The README with every example's output and every table as the program gives it.
fn current(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut rest = text.lines().peekable();
    while let Some(line) = rest.next() {
        lines.push(line.to_owned());
        if line == "```console" {
            let folder = tempfile::tempdir().expect("a folder");
            for data in ["testdata/demo", "testdata/mistakes", "testdata/team", "testdata/audit"] {
                copy(&project(data), &folder.path().join(data));
            }
            while let Some(line) = rest.next().filter(|line| *line != "```") {
                if let Some(command) = line.strip_prefix("$ ") {
                    if lines.last().is_some_and(|last| last != "```console") {
                        lines.push(String::new());
                    }
                    lines.push(line.to_owned());
                    lines.extend(output(command, folder.path()).lines().map(str::to_owned));
                }
            }
            while lines.last().is_some_and(String::is_empty) {
                lines.pop();
            }
            lines.push("```".to_owned());
        } else if line == "<!-- codes -->" {
            lines.extend(codes());
            while rest.peek().is_some_and(|line| *line != "<!-- end of codes -->") {
                rest.next();
            }
        }
    }
    lines.join("\n") + "\n"
}

fn codes() -> Vec<String> {
    let head = ["| code | name | severity | meaning |", "|---|---|---|---|"].map(str::to_owned);
    let rows = catalogue::all().into_iter().map(|code| {
        let meaning = code.explanation().replace('|', "\\|");
        format!("| {code} | `{}` | {} | {meaning} |", code.name(), code.severity())
    });
    head.into_iter().chain(rows).collect()
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

#[test]
fn readme_generated_parts_are_current() {
    let path = project("README.md");
    let text = fs::read_to_string(&path).expect("the README");
    let expected = current(&text);
    if std::env::var_os("TTSR_UPDATE").is_some() {
        fs::write(&path, &expected).expect("a writable README");
    } else {
        assert!(text == expected, "the README differs from the program: run `TTSR_UPDATE=1 cargo test generated`");
    }
    for command in
        ["cargo run --release -- replay testdata/demo/session.jsonl --rules testdata/demo/rules", "cargo test"]
    {
        assert!(text.lines().any(|line| line.trim() == command), "the README lacks `{command}`");
    }
}
