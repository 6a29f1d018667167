//! How a team takes `ttsr check-rules` up: findings that are known, findings that are accepted, what is agreed on, and
//! the programs that read the reports.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::support::program::Outcome;

mod baseline;
mod configuration;
mod fingerprints;
mod recipes;
mod reports;
mod suppressions;

/// A repository of a team, with a home beside it.
struct Team {
    folder: tempfile::TempDir,
}

impl Team {
    /// A repository with these files.
    fn new(files: &[(&str, &str)]) -> Self {
        let team = Self { folder: tempfile::tempdir().expect("a folder") };
        fs::create_dir_all(team.path("repo/.git")).expect("a folder");
        fs::create_dir_all(team.path("home")).expect("a folder");
        for (name, text) in files {
            team.write(name, text);
        }
        team
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path("repo").join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("written");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path("repo").join(name)).expect("the file")
    }

    fn remove(&self, name: &str) {
        fs::remove_file(self.path("repo").join(name)).expect("removed");
    }

    /// Runs `ttsr check-rules` in the repository.
    fn check(&self, arguments: &[&str]) -> Outcome {
        self.check_in("repo", arguments, "")
    }

    /// As [`Team::check`], in a folder, with standard input.
    fn check_in(&self, folder: &str, arguments: &[&str], input: &str) -> Outcome {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ttsr"));
        command.arg("check-rules").args(arguments).current_dir(self.path(folder));
        command.env("HOME", self.path("home")).env("NO_COLOR", "1").env_remove("TTSR_CONFIG");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program runs");
        child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("the input is taken");
        let output = child.wait_with_output().expect("the program ends");
        Outcome {
            status: output.status.code().and_then(|code| u8::try_from(code).ok()).expect("a status"),
            out: String::from_utf8(output.stdout).expect("UTF-8"),
            err: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    /// The report as data.
    fn json(&self, arguments: &[&str]) -> serde_json::Value {
        let outcome = self.check(&[arguments, &["--format", "json"]].concat());
        serde_json::from_str(&outcome.out).unwrap_or_else(|_| panic!("{}{}", outcome.out, outcome.err))
    }

    /// Code and fingerprint of each finding.
    fn fingerprints(&self, folder: &str, arguments: &[&str]) -> Vec<(String, String)> {
        let outcome = self.check_in(folder, &[arguments, &["--format", "json"]].concat(), "");
        let document: serde_json::Value = serde_json::from_str(&outcome.out).expect("JSON");
        let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
        let findings = document["diagnostics"].as_array().expect("findings").iter();
        findings.map(|finding| (text(&finding["code"]), text(&finding["fingerprint"]))).collect()
    }
}
