//! Man pages and completions equal what the definition of the command line gives. `TTSR_UPDATE=1` writes them anew.

use std::fs;
use std::path::Path;

use clap_complete::{Generator, Shell};
use ttsr::cli::definition;

use crate::support::project;

/// Compares a generated file with the committed one, or writes it.
fn check(path: &str, expected: &[u8]) {
    let file = project(path);
    if std::env::var_os("TTSR_UPDATE").is_some() {
        fs::create_dir_all(file.parent().unwrap_or(Path::new("."))).expect("a folder");
        fs::write(&file, expected).expect("a writable file");
    }
    let found = fs::read(&file).unwrap_or_default();
    assert!(found == expected, "{path} is not what the command line gives: run `TTSR_UPDATE=1 cargo test generated`");
}

#[test]
fn generated_man_pages_are_current() {
    let mut command = definition();
    // The options of all commands belong to each page.
    command.build();
    let page = |command: clap::Command, name: &str| {
        let mut bytes = Vec::new();
        clap_mangen::Man::new(command).title(name).date("").source("").render(&mut bytes).expect("a page");
        check(&format!("man/{name}.1"), &bytes);
    };
    page(command.clone(), "ttsr");
    for subcommand in command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help") {
        let name: &'static str = Box::leak(format!("ttsr-{}", subcommand.get_name()).into_boxed_str());
        page(subcommand.clone().name(name).bin_name(name), name);
    }
}

#[test]
fn generated_completions_are_current() {
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish, Shell::PowerShell, Shell::Elvish] {
        let mut command = definition();
        let mut bytes = Vec::new();
        clap_complete::generate(shell, &mut command, "ttsr", &mut bytes);
        check(&format!("completions/{}", shell.file_name("ttsr")), &bytes);
    }
}
