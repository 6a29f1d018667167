//! The statements B… of document 002, by `--lifecycle v2`: monitoring, decisions, injection, persistence.

mod registration;

use std::fs;

use super::{Bench, Run, at, texts};
use crate::support::program::ttsr;

/// Rules of v2, by name and frontmatter.
fn v2(rules: &[(&str, &str)]) -> Bench {
    Bench::new("v2", rules)
}

/// The one rule `r` that matches `foo`.
fn foo() -> Bench {
    v2(&[("r", "condition: foo")])
}

/// The rules `r` of `foo` and `s` of `bar`.
fn foo_and_bar() -> Bench {
    v2(&[("r", "condition: foo"), ("s", "condition: bar")])
}

/// `foo` fires, the retry is good.
const FOO: &str = r#"[[{"text":"a foo b","chunks":["a ","foo"," b"]}],[{"text":"fine"}]]"#;

/// What an interrupt decides and does.
const INTERRUPT: [&str; 6] =
    ["trigger r interrupt", "abort", "discard", "inject custom r", "persist r", "continue retry"];

/// One `write` of this content (JSON escapes as they stand) to `a.ts`, and two good replies.
fn write(content: &str) -> String {
    format!(
        r#"[[{{"tool":"write","args":{{"path":"a.ts","content":"{content}"}}}}],[{{"text":"fine"}}],[{{"text":"fine"}}]]"#
    )
}

/// Two calls of `bash` with these commands.
fn two_calls(first: &str, second: &str) -> String {
    format!(
        r#"[[{{"tool":"bash","id":"c1","args":{{"command":"{first}"}}}},{{"tool":"bash","id":"c2","args":{{"command":"{second}"}}}}],[{{"text":"fine"}}]]"#
    )
}

/// Within the 50 ms a second prompt is answered with `second`.
fn in_the_window(second: &str) -> String {
    format!(
        r#"[{{"parts":[{{"text":"foo"}}],"newPromptAfterMs":20}},[{{"text":"{second}"}}],[{{"text":"fine"}}],[{{"text":"fine"}}]]"#
    )
}

/// The second reply is aborted by the user.
const USER_ABORT: &str = r#"[[{"text":"foo"}],{"parts":[{"text":"long text","chunks":["long"," text"]}],"delayMs":5,"userInterruptAfterMs":7}]"#;

#[test]
fn b2_1_the_turn_start_clears_the_buffers_and_nothing_else_does() {
    let bench = v2(&[("r", "condition: foobar")]);
    let events = bench.path("events.jsonl").to_string_lossy().into_owned();
    let script = r#"[[{"text":"foo"},{"tool":"read","args":{"path":"a"}}],[{"text":"bar"}]]"#;
    assert!(bench.play_with(script, &["--emit-events", &events]).triggers().is_empty());
    // The same without the border of turns in between: messages start, but no turn does.
    let lines = fs::read_to_string(&events).expect("the stream");
    let is = |line: &str, kind: &str| line.starts_with(&format!("{{\"type\":\"{kind}\""));
    let (mut starts, mut joined) = (0, String::new());
    for line in lines.lines() {
        starts += usize::from(is(line, "turn_start"));
        if !(is(line, "turn_start") && starts == 2 || is(line, "turn_end") && starts == 1) {
            joined.push_str(line);
            joined.push('\n');
        }
    }
    assert_eq!(starts, 2);
    let stream = bench.write("joined.jsonl", &joined);
    assert_eq!(bench.replay(&[&stream]).triggers(), ["r interrupt"]);
    assert!(bench.of("v3").replay(&[&stream]).triggers().is_empty(), "a later generation clears there too");
}

#[test]
fn b2_2_text_thinking_and_tool_deltas_are_monitored_the_end_of_a_call_is_not() {
    let bench = v2(&[("r", "condition: foo\nscope: text, thinking, tool")]);
    for (source, part) in [
        ("text", r#"{"text":"foo"}"#),
        ("thinking", r#"{"thinking":"foo"}"#),
        ("tool", r#"{"tool":"bash","args":{"command":"foo"}}"#),
    ] {
        let run = bench.play(&format!(r#"[[{part}],[{{"text":"ok"}}]]"#));
        assert_eq!(run.each("trigger", "source"), [source]);
    }
    // Only the finished arguments look like this.
    let script = r#"[[{"tool":"bash","chunks":["{ \"command\": \"x\" }"]}],[{"text":"ok"}]]"#;
    let end = || v2(&[("r", r"condition: '^\{.command.:.x.\}$'")]);
    assert!(end().play(script).triggers().is_empty());
    assert_eq!(end().of("v3").play(script).triggers(), ["r interrupt"]);
}

#[test]
fn b2_3_digest_tools_replace_the_buffer_by_their_snapshot() {
    let chunks = r#"[[{"tool":"write","chunks":["{\"path\":\"a.ts\",\"content\":\"ab","c","d\"}"]}],[{"text":"ok"}],[{"text":"ok"}]]"#;
    let fires = |condition: &str| {
        v2(&[("r", condition)]).play_with(chunks, &["--arguments", "eager"]).each("trigger", "at.delta").concat()
    };
    assert_eq!(fires("condition: '^ab$'"), "0");
    assert_eq!(fires("condition: '^abc$'"), "1");
    assert_eq!(fires("condition: 'ab.*ab'"), "", "nothing is appended");
    assert_eq!(fires("condition: path"), "", "nothing of the wire text");
}

#[test]
fn b2_4_other_deltas_are_appended_to_a_buffer_of_source_or_tool() {
    let call = r#"[[{"tool":"bash","chunks":["{\"command\":\"fo","o\"}"]}],[{"text":"ok"}]]"#;
    assert_eq!(foo().play(call).each("trigger", "at.delta"), ["1"]);
    let bench = v2(&[("r", "condition: 'foo[^]*bar'")]);
    assert_eq!(bench.play(r#"[[{"text":"foo"},{"text":"bar"}],[{"text":"ok"}]]"#).triggers(), ["r interrupt"]);
    let apart = r#"[[{"text":"foo"},{"tool":"bash","args":{"command":"bar"}}],[{"text":"ok"}]]"#;
    assert!(bench.play(apart).triggers().is_empty(), "text and tool do not join");
    assert!(bench.play(&two_calls("foo", "bar")).triggers().is_empty(), "nor do two calls");
}

#[test]
fn b2_5_ast_follows_the_regex_at_each_delta() {
    let bench = || v2(&[("a", "astCondition: eval($A)"), ("r", "condition: eval")]);
    let script = r#"[[{"tool":"write","chunks":["{\"path\":\"a.ts\",\"content\":\"eval(x)","\\nmore"," and more\"}"]}],[{"text":"ok"}],[{"text":"ok"}]]"#;
    let run = bench().set("interruptMode=never").play_with(script, &["--arguments", "eager"]);
    assert_eq!(run.triggers(), ["r fold", "a fold"], "the regex is first, though its rule is second");
    assert_eq!(run.each("trigger", "at.delta"), ["0", "0"], "long before the end of the call");
    let stopped = bench().play_with(script, &["--arguments", "eager"]);
    assert_eq!(stopped.triggers(), ["r interrupt"], "an interrupt leaves nothing to be asked");
    let end = bench().of("v3").set("interruptMode=never").play_with(script, &["--arguments", "eager"]);
    assert_eq!(end.each("trigger", "at.delta"), ["0", "(none)"], "a later generation asks at the end");
}

#[test]
fn b2_6_scope_globs_regex_and_repeat_gate_and_all_matches_are_returned() {
    let bench = v2(&[
        ("glob", "condition: foo\nglobs: '*.ts'"),
        ("many", "condition: foo"),
        ("other", "condition: bar"),
        ("regex", "condition: [zzz, fo+]"),
        ("scope", "condition: foo\nscope: thinking, tool"),
    ]);
    let run = bench.play(r#"[[{"text":"foo"}],[{"text":"foo bar"}],[{"text":"ok"}]]"#);
    assert_eq!(run.triggers(), ["many,regex interrupt", "other interrupt"]);
}

#[test]
fn b2_7_the_ast_check_has_the_same_gates() {
    let bench = v2(&[
        ("glob", "astCondition: eval($A)\nglobs: '*.js'"),
        ("scope", "astCondition: eval($A)\nscope: tool:edit"),
        ("yes", "astCondition: [zzz($A), eval($A)]"),
    ]);
    let twice = r#"[[{"tool":"write","args":{"path":"a.ts","content":"eval(x)"}}],[{"tool":"write","args":{"path":"a.ts","content":"eval(x)"}}],[{"text":"ok"}],[{"text":"ok"}]]"#;
    let run = bench.play_with(twice, &["--arguments", "eager"]);
    assert_eq!(run.triggers(), ["yes interrupt"], "the second time the repeat policy blocks it");
}

#[test]
fn b2_8_an_identical_snapshot_is_skipped() {
    let bench = v2(&[("a", "astCondition: eval($A)"), ("r", "condition: eval")]);
    let bench = bench.set("interruptMode=never").set("repeatMode=after-gap").set("repeatGap=0");
    // Only what is no source grows behind the first delta; then the source does.
    let script = r#"[[{"tool":"write","chunks":["{\"path\":\"a.ts\",\"note\":\"","n","n\",\"content\":\"eval(x)\"",",\"more\":\"","n\"}"]}],[{"text":"ok"}]]"#;
    let triggers = bench.play_with(script, &["--arguments", "eager"]).triggers();
    assert_eq!(triggers.iter().filter(|trigger| *trigger == "a fold").count(), 1);
    assert_eq!(triggers.iter().filter(|trigger| *trigger == "r fold").count(), 3, "the regex is run each time");
}

#[test]
fn b2_9_both_paths_end_in_one_decision() {
    let regex = v2(&[("r", "condition: eval")]).play_with(&write("eval(x)"), &["--arguments", "eager"]);
    let tree = v2(&[("r", "astCondition: eval($A)")]).play_with(&write("eval(x)"), &["--arguments", "eager"]);
    assert_eq!(regex.decisions(), INTERRUPT);
    assert_eq!(tree.decisions(), INTERRUPT);
    assert_ne!(at(regex.of("trigger")[0], "by"), at(tree.of("trigger")[0], "by"));
}

#[test]
fn b3_1_one_rule_that_interrupts_takes_the_whole_batch_along() {
    let bench = v2(&[("n", "condition: foo\ninterruptMode: never"), ("y", "condition: foo")]);
    let run = bench.play(FOO);
    assert_eq!(run.triggers(), ["n,y interrupt"]);
    assert_eq!(list_of(&run, "inject"), ["n,y"]);
    assert_eq!(list_of(&run, "persist"), ["n,y"]);
    let never = v2(&[("n", "condition: foo\ninterruptMode: never")]).play(FOO);
    assert_eq!(never.triggers(), ["n defer"]);
}

/// The rules of each line of a kind.
fn list_of(run: &Run, kind: &str) -> Vec<String> {
    run.of(kind).into_iter().map(|line| super::list(line, "rules")).collect()
}

#[test]
fn b3_2_pending_rules_are_deduplicated_by_name() {
    let bench = v2(&[("n", "condition: foo\ninterruptMode: never"), ("y", "condition: bar")]);
    let run = bench.play(r#"[[{"text":"foo more bar","chunks":["foo"," more"," bar"]}],[{"text":"ok"}]]"#);
    assert_eq!(run.triggers(), ["n defer", "n,y interrupt"], "it matched twice");
    assert_eq!(list_of(&run, "inject"), ["n,y"]);
    assert_eq!(run.each("inject", "content").concat().matches("<system-interrupt ").count(), 2);
}

#[test]
fn b3_3_the_abort_is_pending_and_the_gate_opened() {
    let run = foo().play(FOO);
    let steps = run.steps();
    let place = |step: &str| steps.iter().position(|other| other == step);
    assert!(place("abort") < place("gate open") && place("gate open") < place("discard"), "{steps:?}");
    assert!(place("continue retry") < place("gate closed"), "{steps:?}");
    assert_eq!(run.endings(), ["2", "1", "0", "0"]);
}

#[test]
fn b3_4_the_abort_is_at_once_and_the_event_not_awaited() {
    let run = foo().play(FOO);
    assert_eq!(run.steps()[..3], ["trigger r interrupt", "abort", "emit session"]);
    assert_eq!(at(run.of("trigger")[0], "at"), at(run.of("abort")[0], "at"));
    assert_eq!(texts(run.records("assistant")[0]), ["a foo"]);
}

#[test]
fn b3_5_the_retry_is_a_task_50_ms_later() {
    let run = foo().play(FOO);
    assert_eq!((run.times("assistant"), run.times("custom_message")), (vec![0, 50], vec![50]));
    // A task of the scheduler, not a plain timer: a later trigger's task takes its place.
    let run = foo_and_bar().play_with(&in_the_window("bar"), &["--prompt", "q"]);
    assert_eq!(run.each("continue", "source"), ["retry"]);
    assert_eq!(run.times("custom_message"), [70]);
}

#[test]
fn b4_1_the_flag_is_cleared_and_the_mode_read_at_the_retry() {
    let run = foo().play(USER_ABORT);
    assert_eq!(run.endings(), ["2", "1", "1", "0"], "the second abort is the user's");
    let (triggers, discards) = (run.each("trigger", "at.turn"), run.each("discard", "at.turn"));
    assert_eq!((triggers.concat(), discards.concat()), ("0".to_owned(), "1".to_owned()));
    let kept = foo().set("contextMode=keep").play(USER_ABORT);
    assert_eq!((kept.of("discard").len(), kept.each("keep", "at.turn").concat()), (0, "1".to_owned()));
}

#[test]
fn b4_2_discard_cuts_at_the_target_message() {
    // A call stands before the match: its placeholder result goes as well.
    let script = r#"[[{"tool":"bash","id":"c1","args":{"command":"ls"}},{"text":"foo"}],[{"text":"fine"}]]"#;
    let run = foo().play(script);
    assert!(run.steps().contains(&"context user,custom".to_owned()), "{:?}", run.steps());
    assert_eq!(run.entries()[..3], ["user", "assistant aborted", "toolResult"], "the file keeps what was cut");
    assert_eq!(run.each("discard", "message"), ["0"]);
}

#[test]
fn b4_3_keep_leaves_the_partial_in_front_of_the_reminder() {
    let run = foo().set("contextMode=keep").play(FOO);
    assert!(run.steps().contains(&"context user,assistant,custom".to_owned()), "{:?}", run.steps());
    assert_eq!((run.of("keep").len(), run.of("discard").len()), (1, 0));
}

#[test]
fn b4_4_the_interrupt_template() {
    let content = foo().play(FOO).each("inject", "content").concat();
    let start = "<system-interrupt reason=\"rule_violation\" rule=\"r\" path=\".omp/rules/r.md\">\n";
    assert!(content.starts_with(start) && content.ends_with("\n\nBODY of r\n</system-interrupt>"), "{content}");
}

#[test]
fn b4_5_a_hidden_custom_message_in_memory_and_file() {
    let run = v2(&[("r", "condition: foo"), ("s", "condition: oo")]).play(FOO);
    let [record] = run.records("custom_message")[..] else { panic!("one message: {:?}", run.entries()) };
    let fields = ["customType", "display", "details.rules", "content"].map(|key| at(record, key));
    assert_eq!(fields[..3], ["ttsr-injection", "false", r#"["r","s"]"#]);
    assert_eq!(fields[3], run.each("inject", "content").concat());
    let context = run.of("context")[0];
    assert_eq!(
        (at(context, "entries.1.role"), at(context, "entries.1.entry")),
        ("custom".to_owned(), at(record, "id"))
    );
}

#[test]
fn b4_6_mark_then_entry_then_continue() {
    let run = foo().play_with(r#"[[{"text":"foo"}],[{"text":"foo"}],[{"text":"foo"}]]"#, &["--prompt", "q"]);
    assert_eq!(run.decisions(), INTERRUPT, "marked: it fires no more");
    assert_eq!(
        run.entries()[..5],
        ["user", "assistant aborted", "custom_message", "ttsr_injection r", "assistant stop"]
    );
    // Not marked before: a second match in the window fires.
    let window = foo().play_with(&in_the_window("foo"), &["--prompt", "q"]);
    assert_eq!(window.triggers(), ["r interrupt", "r interrupt"]);
}

#[test]
fn b4_7_nothing_is_pending_once_the_content_is_made() {
    let run = foo_and_bar().play(r#"[[{"text":"foo"}],[{"text":"bar"}],[{"text":"ok"}]]"#);
    assert_eq!(list_of(&run, "inject"), ["r", "s"]);
    assert!(!run.each("inject", "content")[1].contains("rule=\"r\""));
}

#[test]
fn b4_8_a_tool_match_that_does_not_interrupt_waits_at_its_call() {
    let run = foo_and_bar().set("interruptMode=never").play(&two_calls("bar", "foo"));
    assert_eq!(run.triggers(), ["s fold", "r fold"]);
    assert_eq!((run.of("abort").len(), run.of("inject").len(), run.of("continue").len()), (0, 0, 0));
    assert_eq!(run.each("fold", "tool_call"), ["c1", "c2"]);
    assert_eq!(list_of(&run, "fold"), ["s", "r"]);
    assert_eq!(run.records("custom_message").len(), 0);
}

#[test]
fn b4_9_the_result_gets_one_block_in_front_and_there_is_one_entry() {
    let run =
        v2(&[("r", "condition: foo"), ("s", "condition: oo")]).set("interruptMode=never").play(&two_calls("foo", "x"));
    let results = run.records("toolResult");
    assert_eq!(texts(results[0]).len(), 2);
    assert!(texts(results[0])[0].starts_with("<system-reminder ") && texts(results[0])[1] == "ok");
    assert_eq!(texts(results[1]), ["ok"]);
    assert_eq!(run.entries()[1..4], ["assistant toolUse", "ttsr_injection r,s", "toolResult"]);
    assert_eq!(run.records("ttsr_injection").len(), 1);
}

#[test]
fn b4_10_the_tool_reminder_template() {
    let content = foo().set("interruptMode=never").play(&two_calls("foo", "x")).each("fold", "content").concat();
    let start = "<system-reminder reason=\"rule_violation\" rule=\"r\" path=\".omp/rules/r.md\">\n";
    assert!(content.starts_with(start) && content.ends_with("\n\nBODY of r\n</system-reminder>"), "{content}");
}

#[test]
fn b4_11_a_prose_match_that_does_not_interrupt_follows_a_good_message() {
    let bench = || foo().set("interruptMode=never");
    let run = bench().play(r#"[[{"text":"a foo b"}],[{"text":"fine"}]]"#);
    assert_eq!(run.decisions(), ["trigger r defer", "inject custom r", "persist r"]);
    assert_eq!(texts(run.records("assistant")[0]), ["a foo b"], "to its end");
    assert_eq!(run.entries(), ["user", "assistant stop", "custom_message", "ttsr_injection r", "assistant stop"]);
    // A continuation is scheduled: the prompt is over only when the follow-up is answered.
    assert_eq!(run.steps()[1..], ["gate open", "inject custom r", "persist r", "gate closed"]);
    let closed = |run: &Run| at(run.of("resume-gate")[1], "at.message");
    assert_eq!(closed(&run), "1", "by the second message");
    for (ending, why) in [(r#""error":"lost""#, "error"), (r#""delayMs":5,"userInterruptAfterMs":12"#, "aborted")] {
        let script = format!(r#"[{{"parts":[{{"text":"a foo b c","chunks":["a foo"," b"," c"]}}],{ending}}}]"#);
        assert_eq!(bench().play(&script).decisions(), ["trigger r defer".to_owned(), format!("drop r {why}")]);
    }
}

#[test]
fn b4_12_one_rule_goes_to_one_sibling_and_several_rules_may_share_it() {
    let run = foo_and_bar().set("interruptMode=never").play(&two_calls("foo bar", "foo bar"));
    let folds = run.of("fold");
    assert_eq!((folds.len(), at(folds[0], "tool_call")), (1, "c1".to_owned()));
    assert_eq!(list_of(&run, "fold"), ["r,s"]);
    // Even where the repeat policy would let it through again.
    let again = foo().set("interruptMode=never").set("repeatMode=after-gap").set("repeatGap=0");
    let run = again.play(&two_calls("foo", "foo"));
    assert!(run.each("trigger", "tool_call").contains(&"c2".to_owned()), "it matches there too");
    assert_eq!(run.each("fold", "tool_call"), ["c1"]);
}

#[test]
fn b4_13_the_tools_own_content_is_kept_verbatim() {
    let own = "  first\\n\\n\\n<system-reminder>no</system-reminder> \\t";
    let script = format!(
        r#"[{{"parts":[{{"tool":"bash","args":{{"command":"foo"}}}}],"toolResults":[{{"index":0,"text":"{own}","isError":true}}]}},[{{"text":"ok"}}]]"#
    );
    let run = foo().set("interruptMode=never").play(&script);
    let result = run.records("toolResult")[0];
    assert_eq!(texts(result)[1..], ["  first\n\n\n<system-reminder>no</system-reminder> \t"]);
    assert_eq!(at(result, "message.isError"), "true");
}

#[test]
fn b4_14_readers_look_past_the_reminder_for_the_payload() {
    let bench = foo().set("interruptMode=never");
    let script = r#"[{"parts":[{"tool":"bash","args":{"command":"foo"}}],"toolResults":[{"index":0,"text":"payload"}]},[{"text":"ok"}]]"#;
    bench.play(script);
    let session = bench.keep("recorded.jsonl");
    // The tree shows the payload.
    let shown = ttsr(["inspect-session", "--tree", &session, "--lifecycle", "v2"]).out;
    let line = shown.lines().find(|line| line.contains("toolResult \"")).expect("the result's line");
    assert!(line.contains("toolResult \"payload\""), "{line}");
    // A recorded result that is taken again is the payload: it gets one reminder, not a second.
    let again = bench.replay(&[&session]);
    let blocks = texts(again.records("toolResult")[0]);
    assert_eq!((blocks.len(), blocks[1].as_str()), (2, "payload"));
    // And without the rule it has none.
    let without = v2(&[("s", "condition: zzz")]).replay(&[&session]);
    assert_eq!(texts(without.records("toolResult")[0]), ["payload"]);
}

#[test]
fn b4_15_auditors_look_into_results_and_entries() {
    let bench = foo().set("interruptMode=never");
    let run = bench.play(&two_calls("x", "foo"));
    assert!(run.records("custom_message").is_empty());
    let report = bench.inspect();
    assert_eq!(at(&report, "injections.0.rules"), r#"["r"]"#);
    let evidence = (at(&report, "injections.0.evidence.kind"), at(&report, "injections.0.evidence.entry"));
    assert_eq!(evidence, ("tool-reminder".to_owned(), at(run.records("toolResult")[1], "id")));
}

#[test]
fn b4_16_reminders_of_one_result_are_a_blank_line_apart() {
    let run = foo_and_bar().set("interruptMode=never").play(&two_calls("foo bar", "x"));
    let block = texts(run.records("toolResult")[0]).remove(0);
    assert_eq!(block.matches("</system-reminder>\n\n<system-reminder ").count(), 1, "{block}");
    assert_eq!(block.matches("<system-reminder ").count(), 2);
}

#[test]
fn b4_17_a_message_that_fails_clears_the_buckets_and_the_rules_are_free() {
    let call = r#"{"tool":"bash","args":{"command":"foo"}}"#;
    let lost = [
        format!(r#"[{{"parts":[{call}],"error":"lost"}},[{call}],[{{"text":"ok"}}]]"#),
        format!(
            r#"[{{"parts":[{call},{{"text":"long text","chunks":["long"," text"]}}],"delayMs":5,"userInterruptAfterMs":22}},[{call}],[{{"text":"ok"}}]]"#
        ),
    ];
    for script in lost {
        let bench = || foo().set("interruptMode=never");
        let run = bench().play_with(&script, &["--prompt", "q"]);
        assert_eq!((run.triggers().len(), run.turns()), (2, vec!["0".to_owned(), "1".to_owned()]), "{:?}", run.steps());
        assert_eq!((run.of("fold").len(), run.records("ttsr_injection").len()), (1, 1), "the second time only");
        let later = bench().of("v3").play_with(&script, &["--prompt", "q"]);
        assert_eq!(later.turns(), ["0"], "a later generation leaves it marked");
    }
    // An interrupt of the same message clears the bucket as well, but the rule stays marked: so a recording has it.
    let bench = v2(&[("r", "condition: foo\ninterruptMode: never"), ("s", "condition: bar")]);
    let script = format!(r#"[[{call},{{"text":"bar"}}],[{call}],[{{"text":"ok"}}]]"#);
    let run = bench.play(&script);
    assert_eq!(run.triggers(), ["r fold", "s interrupt"]);
    assert_eq!((run.of("fold").len(), list_of(&run, "persist")), (0, vec!["s".to_owned()]));
}

#[test]
fn b5_1_once_means_that_a_record_blocks() {
    let script = r#"[[{"text":"foo"}],[{"text":"foo"}],[{"text":"foo"}]]"#;
    let run = foo().play_with(script, &["--prompt", "q"]);
    assert_eq!((run.triggers().len(), run.records("assistant").len()), (1, 3));
}

#[test]
fn b5_2_after_gap_counts_completed_turns() {
    let bench = foo().set("repeatMode=after-gap").set("repeatGap=2");
    let script = r#"[[{"text":"foo"}],[{"text":"foo foo foo","chunks":["foo"," foo"," foo"]}],[{"text":"foo"}],[{"text":"foo"}],[{"text":"ok"}]]"#;
    let run = bench.play_with(script, &["--prompt", "q", "--prompt", "s"]);
    assert_eq!(run.turns(), ["0", "3"], "marked at 1, behind the aborted turn");
}

#[test]
fn b6_1_the_event_reaches_every_surface_in_its_form() {
    let run = v2(&[("r", "condition: foo"), ("s", "condition: foo")]).play(FOO);
    let surfaces = run.each("emit", "surface");
    assert_eq!(surfaces, ["session", "extension", "hook", "custom-tool"]);
    for emit in run.of("emit") {
        let (key, other) = if at(emit, "surface") == "custom-tool" { ("reason", "type") } else { ("type", "reason") };
        assert_eq!(at(emit, &format!("payload.{key}")), "ttsr_triggered");
        assert_eq!(at(emit, &format!("payload.{other}")), "(none)");
        assert_eq!([at(emit, "payload.rules.0.name"), at(emit, "payload.rules.1.content")], ["r", "BODY of s"]);
    }
}

#[test]
fn b6_2_an_interruption_is_shown_as_notice_not_as_failure() {
    let bench = foo();
    assert_eq!(bench.play(FOO).endings(), ["2", "1", "0", "0"]);
    let report = bench.inspect();
    assert_eq!(at(&report, "messages.interrupted.0.rules"), "r");
    assert_eq!((at(&report, "messages.aborted"), at(&report, "messages.errors")), ("[]".to_owned(), "[]".to_owned()));
    assert_eq!(bench.play(r#"[{"parts":[{"text":"half"}],"error":"lost"}]"#).endings(), ["1", "0", "0", "1"]);
}

#[test]
fn b7_1_entries_are_appended_asked_read_and_restored() {
    let bench = foo();
    let run = bench.play(FOO);
    assert_eq!(at(run.records("ttsr_injection")[0], "injectedRules"), r#"["r"]"#);
    let report = bench.inspect();
    assert_eq!(
        (at(&report, "injected_rules"), at(&report, "recorded_rules")),
        (r#"["r"]"#.to_owned(), r#"["r"]"#.to_owned())
    );
    assert_eq!(at(&report, "context.1.message.customType"), "ttsr-injection");
    let session = bench.keep("old.jsonl");
    assert!(bench.play_with(FOO, &["--resume", &session]).triggers().is_empty());
}

#[test]
fn b7_2_deferred_prose_is_marked_when_its_message_ends() {
    let never = || v2(&[("r", "condition: foo\ninterruptMode: never"), ("s", "condition: bar")]);
    let run = never().play(r#"[[{"text":"foo"}],[{"text":"foo bar"}],[{"text":"ok"}]]"#);
    assert_eq!(run.entries()[2..4], ["custom_message", "ttsr_injection r"]);
    assert_eq!(run.triggers(), ["r defer", "s interrupt"], "marked behind its message");
    let run = never().play(r#"[[{"text":"foo bar","chunks":["foo"," bar"]}],[{"text":"ok"}]]"#);
    assert_eq!(run.triggers(), ["r defer", "r,s interrupt"], "not marked while it waits");
    let lost = r#"[{"parts":[{"text":"foo"}],"error":"lost"},[{"text":"foo"}],[{"text":"ok"}]]"#;
    let run = never().play_with(lost, &["--prompt", "q"]);
    assert_eq!((run.triggers(), run.records("ttsr_injection").len()), (vec!["r defer".to_owned(); 2], 1));
}

#[test]
fn b7_3_a_fold_is_marked_at_the_match_and_persisted_with_the_result() {
    let script = r#"[[{"tool":"bash","id":"c1","chunks":["{\"command\":\"foo","foo"," foo\"}"]}],[{"text":"foo"}]]"#;
    let run = foo().set("interruptMode=never").play(script);
    assert_eq!((run.triggers(), run.each("trigger", "at.delta")), (vec!["r fold".to_owned()], vec!["0".to_owned()]));
    assert_eq!(run.entries()[1..4], ["assistant toolUse", "ttsr_injection r", "toolResult"]);
}

#[test]
fn b7_4_a_start_restores_the_names_of_the_current_branch() {
    let session = r#"{"type":"session","version":3,"id":"01a228ac-1684-7329-9338-0a0d7a39540a","timestamp":"2026-03-14T09:00:00.000Z","cwd":"/project"}
{"type":"message","id":"a0000001","parentId":null,"timestamp":"2026-03-14T09:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"p"}],"timestamp":1}}
{"type":"ttsr_injection","id":"a0000002","parentId":"a0000001","timestamp":"2026-03-14T09:00:02.000Z","injectedRules":["r"]}
{"type":"ttsr_injection","id":"a0000003","parentId":"a0000001","timestamp":"2026-03-14T09:00:03.000Z","injectedRules":["s"]}
"#;
    let bench = foo_and_bar();
    let session = bench.write("old.jsonl", session);
    let script = r#"[[{"text":"foo bar"}],[{"text":"ok"}]]"#;
    assert_eq!(bench.play_with(script, &["--resume", &session]).triggers(), ["r interrupt"], "the leaf is the last");
    assert_eq!(bench.play_with(script, &["--resume", &session, "--leaf", "a0000002"]).triggers(), ["s interrupt"]);
    assert_eq!(bench.play_with(script, &["--resume", &session, "--leaf", "a0000001"]).triggers(), ["r,s interrupt"]);
}

#[test]
fn b8_1_all_matches_of_a_buffer_come_in_one_go() {
    let run = foo_and_bar().play(r#"[[{"text":"foo bar","chunks":["fo","o bar"]}],[{"text":"ok"}]]"#);
    assert_eq!(
        (run.triggers(), run.each("trigger", "at.delta")),
        (vec!["r,s interrupt".to_owned()], vec!["1".to_owned()])
    );
    assert_eq!(list_of(&run, "inject"), ["r,s"]);
}

#[test]
fn b8_2_user_new_prompt_or_another_match_may_come_in_the_window() {
    let abort = r#"[{"parts":[{"text":"foo"}],"userInterruptAfterMs":20},[{"text":"ok"}]]"#;
    let run = foo().play_with(abort, &["--prompt", "q"]);
    assert_eq!(run.decisions(), ["trigger r interrupt", "abort", "drop r user-interrupt"], "the task is cancelled");
    let run = foo().play_with(&in_the_window("ok"), &["--prompt", "q"]);
    assert_eq!(run.decisions(), ["trigger r interrupt", "abort", "drop r superseded"]);
    let run = foo_and_bar().play_with(&in_the_window("bar"), &["--prompt", "q"]);
    assert_eq!(run.triggers(), ["r interrupt", "s interrupt"]);
    assert_eq!(list_of(&run, "inject"), ["r,s"], "one message for both");
}

#[test]
fn b8_3_continue_that_fails_is_swallowed_and_the_gate_resolved() {
    let run = foo().play_with(r#"[[{"text":"foo"}],{"continueFails":"boom"},[{"text":"ok"}]]"#, &["--prompt", "q"]);
    let steps = run.steps();
    let failed = steps.iter().position(|step| step == "continue-failed").expect("a failure");
    assert_eq!(steps[failed + 1], "gate closed", "{steps:?}");
    assert_eq!(at(run.of("resume-gate")[1], "at"), at(run.of("continue-failed")[0], "at"), "not by the next answer");
    assert_eq!((run.outcome.status, run.entries().last().map(String::as_str)), (0, Some("assistant stop")));
    assert_eq!(run.records("user").len(), 2, "the next prompt is answered");
}

#[test]
fn b9_1_never_has_both_forms() {
    let own: fn() -> Bench = || v2(&[("r", "condition: foo\ninterruptMode: never")]);
    for bench in [own, || foo().set("interruptMode=never")] {
        let prose = bench().play(r#"[[{"text":"foo"}],[{"text":"ok"}]]"#);
        assert_eq!(prose.decisions(), ["trigger r defer", "inject custom r", "persist r"]);
        assert_eq!(prose.entries()[1], "assistant stop", "no abort");
        let tool = bench().play(&two_calls("foo", "x"));
        assert_eq!(tool.decisions(), ["trigger r fold", "persist r", "fold r"]);
        assert_eq!(tool.records("assistant").len(), 2, "no further turn");
    }
}
