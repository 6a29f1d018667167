//! Transcripts of other coding agents as inputs of a replay: invented files of each format and of what resembles them.

use std::fs;

use ttsr::text::json::{self, Value};

use crate::support::program::{Outcome, surroundings, ttsr_with};
use crate::support::project;

const ANY: &str = "---\ndescription: any\ncondition: \"\\\\bany\\\\b\"\nscope: [\"text\", \"thinking\", \"tool:edit(*.ts)\", \"tool:write(*.ts)\", \"tool:bash\"]\n---\nNo any.\n";
const NEW: &str = "---\ndescription: new\ncondition: new_file\nscope: [\"tool:write(*.ts)\"]\n---\nNo new file.\n";
const LOG: &str = "---\ndescription: log\nastCondition: console.log($A)\nscope: [\"tool:edit(*.ts)\", \"tool:write(*.ts)\"]\n---\nNo log.\n";

fn run(arguments: &[&str], input: &str) -> Outcome {
    ttsr_with(arguments.iter().map(|&argument| argument.to_owned()), input.as_bytes(), &surroundings())
}

fn replay(input: &str, more: &[&str]) -> Outcome {
    let rules = tempfile::tempdir().expect("a folder");
    fs::write(rules.path().join("any.md"), ANY).expect("written");
    fs::write(rules.path().join("log.md"), LOG).expect("written");
    fs::write(rules.path().join("new.md"), NEW).expect("written");
    let rules = rules.path().to_string_lossy().into_owned();
    let options = ["replay", "-", "--rules", &rules, "--count", "every", "--format", "jsonl"];
    run(&options.iter().chain(more).copied().collect::<Vec<_>>(), input)
}

/// What matches in each message: the rule and where.
fn decisions(input: &str) -> Vec<String> {
    decisions_with(input, &[])
}

fn decisions_with(input: &str, more: &[&str]) -> Vec<String> {
    let outcome = replay(input, more);
    let lines = outcome.out.lines().filter_map(|line| json::parse(line).ok());
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_string).map(ToString::to_string);
    lines
        .filter(|line| text(line, "kind").as_deref() == Some("trigger"))
        .map(|line| {
            let rules = line.get("rules").and_then(Value::as_array).unwrap_or_default();
            let rules: Vec<String> = rules.iter().filter_map(|rule| Some(rule.as_string()?.to_string())).collect();
            let place = text(&line, "tool").or_else(|| text(&line, "source")).unwrap_or_default();
            format!("{} {place}", rules.join(","))
        })
        .collect()
}

fn sample(name: &str) -> String {
    fs::read_to_string(project("testdata/foreign").join(name)).expect("a sample")
}

#[test]
fn foreign_samples_give_the_decisions_on_what_they_introduce() {
    for (name, expected) in [
        ("claude.jsonl", &["log edit", "any write"][..]),
        ("claude-stream.jsonl", &["any write"]),
        ("codex.jsonl", &["any bash", "log edit", "any write", "any text"]),
        ("gemini.jsonl", &["log edit"]),
        ("opencode.json", &["log edit"]),
    ] {
        assert_eq!(decisions(&sample(name)), expected, "{name}");
    }
}

/// A Claude Code record.
fn claude(kind: &str, id: &str, parent: &str, more: &str, content: &str) -> String {
    let parent = if parent.is_empty() { "null".to_owned() } else { format!("\"{parent}\"") };
    let message = if kind == "assistant" {
        format!("\"id\":\"m{}\",", id.split('.').next().unwrap_or(id))
    } else {
        String::new()
    };
    format!(
        "{{\"type\":\"{kind}\",\"uuid\":\"{id}\",\"parentUuid\":{parent},\"sessionId\":\"S1\",\"cwd\":\"/srv\",\"version\":\"2.1.0\"{more},\
         \"message\":{{{message}\"role\":\"{kind}\",\"content\":{content}}}}}\n"
    )
}

fn said(text: &str) -> String {
    format!("[{{\"type\":\"text\",\"text\":\"{text}\"}}]")
}

#[test]
fn foreign_claude_sessions_are_read_along_their_branch() {
    let ask = claude("user", "u1", "", "", "\"Any?\"");
    let rows: Vec<(&str, String, &[&str])> = vec![
        ("prose", ask.clone() + &claude("assistant", "1", "u1", "", &said("any")), &["any text"]),
        ("content as a string", ask.clone() + &claude("assistant", "1", "u1", "", "\"any\""), &["any text"]),
        (
            "one message on two lines with a result between",
            ask.clone()
                + &claude("assistant", "1.a", "u1", "", &said("an"))
                + &claude(
                    "user",
                    "u2",
                    "1.a",
                    "",
                    "[{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":\"any\"}]",
                )
                + &claude("assistant", "1.b", "u2", "", &said("y")),
            &["any text"],
        ),
        (
            "a rewound branch",
            ask.clone()
                + &claude("assistant", "1", "u1", "", &said("any"))
                + &claude("assistant", "2", "u1", "", &said("x")),
            &[],
        ),
        ("a side chain", ask.clone() + &claude("assistant", "1", "", ",\"isSidechain\":true", &said("any")), &[]),
        (
            "an error of the service",
            ask.clone() + &claude("assistant", "1", "u1", ",\"isApiErrorMessage\":true", &said("any")),
            &[],
        ),
        (
            "a summary of a compaction",
            ask.clone()
                + "{\"type\":\"system\",\"subtype\":\"compact_boundary\",\"uuid\":\"b\",\"parentUuid\":null,\"logicalParentUuid\":\"u1\",\"content\":\"any\"}\n"
                + &claude("user", "u2", "b", ",\"isCompactSummary\":true", "\"any\"")
                + &claude("assistant", "1", "u2", "", &said("x")),
            &[],
        ),
        (
            "what stands before a compaction",
            ask.clone()
                + &claude("assistant", "1", "u1", "", &said("any"))
                + "{\"type\":\"system\",\"subtype\":\"compact_boundary\",\"uuid\":\"b\",\"parentUuid\":null,\"logicalParentUuid\":\"1\"}\n"
                + &claude("assistant", "2", "b", "", &said("x")),
            &["any text"],
        ),
        (
            "an interruption",
            ask.clone() + &claude("user", "u2", "u1", "", &said("[Request interrupted by user] any")),
            &[],
        ),
        (
            "the same record twice",
            ask.clone() + &claude("assistant", "1", "u1", "", &said("any")).repeat(2),
            &["any text"],
        ),
        (
            "a torn last line",
            ask.clone() + &claude("assistant", "1", "u1", "", &said("any")) + "{\"type\":\"assistant\",\"uu",
            &["any text"],
        ),
        (
            "an unknown record and block",
            ask.clone()
                + "{\"type\":\"new-kind\",\"sessionId\":\"S1\",\"text\":\"any\"}\n"
                + &claude(
                    "assistant",
                    "1",
                    "u1",
                    "",
                    "[{\"type\":\"new\",\"text\":\"any\"},{\"type\":\"text\",\"text\":\"any\"}]",
                ),
            &["any text"],
        ),
        (
            "removed text",
            ask.clone()
                + &claude(
                    "assistant",
                    "1",
                    "u1",
                    "",
                    "[{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"Edit\",\"input\":{\"new_string\":\"x\",\"old_string\":\"any\",\"file_path\":\"/srv/a.ts\"}}]",
                ),
            &[],
        ),
        (
            "several edits, lines that begin with plus signs among them",
            ask.clone()
                + &claude(
                    "assistant",
                    "1",
                    "u1",
                    "",
                    "[{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"MultiEdit\",\"input\":{\"file_path\":\"a.ts\",\"edits\":[{\"old_string\":\"any\",\"new_string\":\"x\"},{\"old_string\":\"x\",\"new_string\":\"++ any\"}]}}]",
                ),
            &["any edit"],
        ),
    ];
    for (what, input, expected) in rows {
        assert_eq!(decisions(&input), expected, "{what}");
    }
    let side = ask + &claude("assistant", "1", "", ",\"isSidechain\":true", &said("any"));
    assert_eq!(decisions_with(&side, &["--subagents"]), ["any text"]);
}

/// The same story: prose that matches, an edit of text that does not and that removes what does, a new file.
fn story(format: &str) -> String {
    let edit = |path: &str, old: &str, new: &str| {
        format!("{{\"{path}\":\"a.ts\",\"{old}\":\"any\",\"{new}\":\"console.log(1)\"}}")
    };
    let write = |path: &str| format!("{{\"{path}\":\"b.ts\",\"content\":\"new_file\"}}");
    match format {
        "claude" | "claude-stream" => {
            let content = format!(
                "[{{\"type\":\"text\",\"text\":\"any\"}},{{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"Edit\",\"input\":{}}},{{\"type\":\"tool_use\",\"id\":\"t2\",\"name\":\"Write\",\"input\":{}}}]",
                edit("file_path", "old_string", "new_string"),
                write("file_path")
            );
            if format == "claude" {
                return claude("assistant", "1", "", "", &content);
            }
            let init = "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"S\",\"cwd\":\"/srv\",\"tools\":[]}\n";
            format!("{init}{{\"type\":\"assistant\",\"session_id\":\"S\",\"message\":{{\"id\":\"m\",\"content\":{content}}}}}\n")
        }
        "codex" => [
            r#"{"type":"session_meta","payload":{"id":"U","cwd":"/srv","cli_version":"0.1"}}"#,
            r#"{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"any"}]}}"#,
            r#"{"type":"response_item","payload":{"type":"function_call","name":"shell","call_id":"c","arguments":"{\"command\":[\"bash\",\"-lc\",\"apply_patch <<'EOF'\\n*** Begin Patch\\n*** Update File: a.ts\\n@@\\n-any\\n+console.log(1)\\n*** Add File: b.ts\\n+new_file\\n*** End Patch\\nEOF\"]}"}}"#,
        ]
        .join("\n"),
        "opencode" => format!(
            "{{\"info\":{{\"id\":\"s\"}},\"messages\":[{{\"info\":{{\"role\":\"assistant\"}},\"parts\":[{{\"type\":\"text\",\"text\":\"any\"}},{{\"type\":\"tool\",\"tool\":\"edit\",\"callID\":\"1\",\"state\":{{\"input\":{}}}}},{{\"type\":\"tool\",\"tool\":\"write\",\"callID\":\"2\",\"state\":{{\"input\":{}}}}}]}}]}}",
            edit("filePath", "oldString", "newString"),
            write("filePath")
        ),
        _ => {
            let head = "\"sessionId\":\"s\",\"projectHash\":\"h\",\"startTime\":\"2026-01-01T00:00:00Z\"";
            let message = format!(
                "{{\"id\":\"m\",\"type\":\"gemini\",\"content\":\"any\",\"toolCalls\":[{{\"id\":\"1\",\"name\":\"replace\",\"args\":{}}},{{\"id\":\"2\",\"name\":\"write_file\",\"args\":{}}}]}}",
                edit("file_path", "old_string", "new_string"),
                write("file_path")
            );
            if format == "gemini" { format!("{{{head}}}\n{message}\n") } else { format!("{{{head},\n\"messages\":[{message}]}}") }
        }
    }
}

#[test]
fn foreign_formats_of_one_story_decide_alike() {
    for format in ["claude", "claude-stream", "codex", "opencode", "gemini", "gemini-document"] {
        assert_eq!(decisions(&story(format)), ["any text", "log edit", "new write"], "{format}");
    }
}

#[test]
fn foreign_look_alikes_are_not_taken_for_transcripts() {
    for input in [
        "{\"a\":1}\n",
        "[1,2,3]",
        "[]",
        "{}",
        "plain text\n",
        "# aider is a tool\n",
        "# A heading\n\n# aider chat started at noon\n",
        "{\"level\":\"info\",\"msg\":\"any\",\"time\":1}\n",
        "{\"type\":\"user\",\"text\":\"any\"}\n",
        "{\"type\":\"assistant\",\"message\":\"any\"}\n",
        "{\"type\":\"user\",\"sessionId\":\"s\",\"parentUuid\":null,\"message\":{\"role\":\"user\",\"parts\":[{\"text\":\"any\"}]}}\n",
        "{\"type\":\"assistant\",\"sessionId\":\"s\",\"parentUuid\":null,\"message\":{\"role\":\"model\",\"parts\":[]}}\n",
        "{\"type\":\"user\",\"sessionId\":\"session-1\",\"parentUuid\":null,\"message\":{\"role\":\"user\",\"content\":\"any\"}}\n",
        "{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s\",\"tools\":[],\"_audit_timestamp\":\"t\"}\n",
        "{\"type\":\"system\",\"subtype\":\"init\"}\n",
        "{\"type\":\"response_item\"}\n",
        "{\"type\":\"session_meta\",\"payload\":\"x\"}\n",
        "{\"type\":\"thread.started\"}\n",
        "{\"type\":\"item.completed\",\"item\":{}}\n",
        "{\"projectHash\":\"h\"}\n",
        "{\"info\":{\"id\":\"x\"},\"messages\":[{\"text\":\"any\"}]}",
        "{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"x\"},\"paths\":{}}",
        "{\"messages\":[{\"role\":\"user\",\"content\":\"any\"}]}\n",
        "[{\"role\":\"user\",\"name\":\"x\"}]",
        "[{\"role\":\"system\",\"content\":[]}]",
        "{\"type\":\"mode\",\"mode\":\"dark\"}\n",
        "{\"type\":\"summary\",\"summary\":\"any\"}\n",
    ] {
        assert_eq!(ttsr::foreign::detect(input.as_bytes()), None, "{input}");
    }
    let own = "{\"type\":\"session\",\"id\":\"a\",\"cwd\":\"/x\"}\n".to_owned() + &story("claude");
    assert_eq!(ttsr::foreign::detect(own.as_bytes()), None);
}

#[test]
fn foreign_transcripts_of_agents_that_are_not_read_are_named() {
    for (name, named) in [("aider.chat.history.md", "Aider"), ("cline.json", "Cline")] {
        let outcome = replay(&sample(name), &[]);
        assert!(outcome.err.contains(named) && outcome.err.contains("which is not read"), "{}", outcome.err);
    }
}

#[test]
fn foreign_inputs_refuse_what_needs_a_recording_of_this_agent() {
    let path = project("testdata/foreign/claude.jsonl").to_string_lossy().into_owned();
    for more in [&["--verify"][..], &["--write-session", "never-written.jsonl"]] {
        let rules = tempfile::tempdir().expect("a folder");
        fs::write(rules.path().join("any.md"), ANY).expect("written");
        let rules = rules.path().to_string_lossy().into_owned();
        let options = ["replay", &path, "--rules", &rules];
        let outcome = run(&options.iter().chain(more).copied().collect::<Vec<_>>(), "");
        assert!(outcome.err.contains("a Claude Code session"), "{more:?}: {}", outcome.err);
        assert!(outcome.err.contains(more[0]), "{more:?}: {}", outcome.err);
    }
}

#[test]
fn foreign_traces_name_the_agent_its_version_and_tools() {
    let outcome = replay(&sample("claude.jsonl"), &[]);
    for part in [
        "\"input_kind\":\"foreign\"",
        "\"foreign\":\"claude\"",
        "\"foreign_version\":\"2.1.209\"",
        "\"foreign_tool\":\"Edit\"",
        "\"chunk\":\"block\"",
    ] {
        assert!(outcome.out.contains(part), "{part} is missing in {}", outcome.out);
    }
    assert!(outcome.err.contains("thinking block(s) without text"), "{}", outcome.err);
}

#[test]
fn foreign_edits_of_pi_show_the_new_text() {
    let head =
        "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-01-01T00:00:00Z\",\"cwd\":\"/srv\"}\n";
    for arguments in [
        "{\"path\":\"a.ts\",\"oldText\":\"any\",\"newText\":\"console.log(1)\"}",
        "{\"path\":\"a.ts\",\"edits\":[{\"oldText\":\"any\",\"newText\":\"x\"},{\"oldText\":\"b\",\"newText\":\"console.log(1)\"}]}",
        "{\"path\":\"a.ts\",\"edits\":\"[{\\\"oldText\\\":\\\"any\\\",\\\"newText\\\":\\\"console.log(1)\\\"}]\"}",
    ] {
        let call = format!("{{\"type\":\"toolCall\",\"id\":\"t\",\"name\":\"edit\",\"arguments\":{arguments}}}");
        let entry = format!(
            "{{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"timestamp\":\"2026-01-01T00:00:00Z\",\"message\":{{\"role\":\"assistant\",\"content\":[{call}],\"stopReason\":\"toolUse\",\"timestamp\":1}}}}\n"
        );
        assert_eq!(decisions(&format!("{head}{entry}")), ["log edit"], "{arguments}");
    }
}

#[test]
fn foreign_folders_of_several_kinds_are_one_report() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["claude.jsonl", "codex.jsonl", "gemini.jsonl", "opencode.json", "cline.json"] {
        fs::write(folder.path().join(name), sample(name)).expect("written");
    }
    fs::write(folder.path().join("package.json"), "{\"name\":\"x\"}").expect("written");
    fs::create_dir(folder.path().join("rules")).expect("made");
    fs::write(folder.path().join("rules/any.md"), ANY).expect("written");
    let (path, rules) =
        (folder.path().to_string_lossy().into_owned(), folder.path().join("rules").to_string_lossy().into_owned());
    let outcome = run(&["replay", &path, "--rules", &rules], "");
    assert!(outcome.out.starts_with("4 inputs (4 transcripts of other agents)"), "{}", outcome.out);
}

#[test]
fn foreign_sessions_are_not_inspected_as_the_agents_own() {
    for (name, words) in [("claude.jsonl", "Claude Code"), ("codex.jsonl", "Codex"), ("opencode.json", "opencode")] {
        let path = project("testdata/foreign").join(name).to_string_lossy().into_owned();
        let outcome = run(&["inspect-session", &path], "");
        let said = format!("{}{}", outcome.out, outcome.err);
        assert!(said.contains(words) && said.contains("ttsr replay"), "{name}: {said}");
    }
}
