//! Every option that the command line knows does something: none answers that it is not there yet.

use clap::{Arg, ArgAction, Command};
use std::fs;

use crate::support::program::{surroundings, ttsr_with};

/// A value that the option may take, by its name in the help.
fn value(argument: &Arg, folder: &str) -> String {
    if let Some(possible) = argument.get_possible_values().first() {
        return possible.get_name().to_owned();
    }
    let names = argument.get_value_names().unwrap_or_default();
    let name = names.first().map(ToString::to_string).unwrap_or_default();
    match name.as_str() {
        "DIR" => folder.to_owned(),
        "PATH" => format!("{folder}/rules"),
        "FILE" | "FILE|-" | "P" => match argument.get_id().as_str() {
            "write_session" | "emit_events" | "output" | "write_source" | "write_baseline" => {
                format!("{folder}/new-{}", argument.get_id())
            }
            "settings" | "config" => format!("{folder}/settings.yml"),
            "script" | "verdicts" => format!("{folder}/list.json"),
            "files_from" => format!("{folder}/list.txt"),
            _ => format!("{folder}/text.txt"),
        },
        "SESSION" => format!("{folder}/in/a.jsonl"),
        "N" => "1".to_owned(),
        "K/N" => "1/1".to_owned(),
        "PERCENT" => "100".to_owned(),
        "RULE=N" => "foo=1000".to_owned(),
        "KEY=VALUE" => "ttsr.enabled=true".to_owned(),
        "NAME=VALUE" => "rule-file=64M".to_owned(),
        "URI" => "https://example.org/{code}".to_owned(),
        "TIME" => "2026-01-01T00:00:00.000Z".to_owned(),
        "MODE" => "all".to_owned(),
        "GLOB" => "*.jsonl".to_owned(),
        "NAME" | "RULE" => "foo".to_owned(),
        "ID" | "ENTRY" => "aaaaaaa1".to_owned(),
        "CODE" => "TTSR001".to_owned(),
        "TEXT" => "a foo".to_owned(),
        "GENERATION" => "v3".to_owned(),
        other => panic!("no sample for {other:?} of --{}: add one", argument.get_id()),
    }
}

fn options(command: &Command) -> impl Iterator<Item = &Arg> {
    command
        .get_arguments()
        .filter(|argument| argument.get_long().is_some_and(|long| long != "help" && long != "version"))
}

#[test]
fn every_option_of_every_command_does_something() {
    let folder = super::corpus();
    let at = |name: &str| folder.path().join(name);
    let base = folder.path().to_string_lossy().into_owned();
    fs::write(at("settings.yml"), "ttsr:\n  enabled: true\n").expect("written");
    fs::write(at("list.json"), "[]").expect("written");
    fs::write(at("list.txt"), format!("{base}/in/a.jsonl\n")).expect("written");
    fs::write(at("text.txt"), "a foo").expect("written");
    let mut tried = 0;
    for command in ttsr::cli::definition().get_subcommands() {
        let subject = match command.get_name() {
            "check-rules" => format!("{base}/rules"),
            "replay" | "inspect-session" | "handoff" => format!("{base}/in/a.jsonl"),
            _ => continue,
        };
        for argument in options(command) {
            let long = format!("--{}", argument.get_long().expect("a long name"));
            let takes = argument.get_action().takes_values();
            let option = match (takes, argument.get_num_args().is_some_and(|range| range.min_values() == 0)) {
                (true, true) => vec![format!("{long}={}", value(argument, &base))],
                (true, false) => vec![long.clone(), value(argument, &base)],
                (false, _) => vec![long.clone()],
            };
            assert!(takes || matches!(argument.get_action(), ArgAction::SetTrue | ArgAction::Count), "{long}");
            let mut arguments = vec![command.get_name().to_owned()];
            arguments.extend(option);
            arguments.push(subject.clone());
            let outcome = ttsr_with(arguments.clone(), b"", &surroundings());
            let all = format!("{}{}", outcome.out, outcome.err).to_lowercase();
            for excuse in ["not finished", "not implemented", "not supported", "in this version", "panicked"] {
                assert!(!all.contains(excuse), "{arguments:?}: {all}");
            }
            assert!(outcome.status <= 3, "{arguments:?}");
            tried += 1;
        }
    }
    assert!(tried > 100, "{tried} options");
}
