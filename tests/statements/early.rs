//! The statements A… of documents 000 and 001, by `--lifecycle v1`.

use super::{Bench, Run, at, texts};

/// Rules of v1, by name and trigger.
fn v1(rules: &[(&str, &str)]) -> Bench {
    let fronts: Vec<(&str, String)> =
        rules.iter().map(|(name, trigger)| (*name, format!("ttsr_trigger: {trigger}"))).collect();
    let fronts: Vec<(&str, &str)> = fronts.iter().map(|(name, front)| (*name, front.as_str())).collect();
    Bench::new("v1", &fronts)
}

/// The one rule `r` that matches `foo`.
fn foo() -> Bench {
    v1(&[("r", "foo")])
}

/// `foo` fires, the retry is good.
const FOO: &str = r#"[[{"text":"a foo b","chunks":["a ","foo"," b"]}],[{"text":"fine"}]]"#;

fn registered(run: &Run) -> Vec<String> {
    run.of("rule").into_iter().filter(|rule| at(rule, "registered") == "true").map(|rule| at(rule, "name")).collect()
}

fn reasons(run: &Run) -> Vec<String> {
    run.each("rule", "reason").into_iter().filter(|reason| reason != "(none)").collect()
}

#[test]
fn a1_1_all_discovered_rules_and_the_settings_make_one_manager() {
    let bench = Bench::new("v1", &[]).discovering();
    bench.rule("project/.omp/rules/mine.md", "ttsr_trigger: foo");
    bench.rule("home/.omp/agent/rules/user.md", "ttsr_trigger: foo");
    bench.write("project/.omp/config.yml", "ttsr:\n  contextMode: keep\n");
    let run = bench.play(FOO);
    assert_eq!(run.each("run", "rules"), ["2"]);
    assert_eq!(run.each("run", "settings.contextMode"), ["keep"]);
    assert_eq!(run.triggers(), ["mine,user interrupt"], "one manager knows both");
}

#[test]
fn a1_2_only_rules_with_the_one_trigger_key_are_registered() {
    let bench =
        Bench::new("v1", &[("c", "condition: foo"), ("a", "astCondition: foo($A)"), ("t", "ttsr_trigger: foo")]);
    assert_eq!(registered(&bench.play(FOO)), ["t"]);
    assert_eq!(registered(&bench.of("v2").play(FOO)), ["a", "c", "t"]);
}

#[test]
fn a1_3_of_equal_names_the_higher_provider_is_the_only_one() {
    let bench = Bench::new("v1", &[]).discovering();
    bench.rule("project/.cursor/rules/r.md", "ttsr_trigger: low");
    bench.rule("project/.omp/rules/r.md", "ttsr_trigger: high");
    let run = bench.play(r#"[[{"text":"low"}]]"#);
    assert!(run.triggers().is_empty(), "the shadowed trigger is gone");
    assert_eq!((run.each("run", "rules").concat().as_str(), registered(&run).len()), ("1", 1));
    assert_eq!(bench.play(r#"[[{"text":"high"}],[{"text":"ok"}]]"#).triggers(), ["r interrupt"]);
}

#[test]
fn a1_4_without_a_trigger_a_rule_is_not_registered() {
    let run = Bench::new("v1", &[("n", "description: foo"), ("t", "ttsr_trigger: foo")]).play(FOO);
    assert_eq!((registered(&run), reasons(&run)), (vec!["t".to_owned()], vec!["no `ttsr_trigger`".to_owned()]));
}

#[test]
fn a1_5_a_name_that_is_taken_is_not_registered_again() {
    let bench = v1(&[("r", "one")]).and_rules("more");
    bench.rule("more/r.md", "ttsr_trigger: two");
    let run = bench.play(r#"[[{"text":"two"}],[{"text":"ok"}]]"#);
    assert_eq!((registered(&run).len(), run.triggers().len()), (1, 0));
    assert_eq!(bench.play(r#"[[{"text":"one"}],[{"text":"ok"}]]"#).triggers(), ["r interrupt"]);
}

#[test]
fn a1_6_a_regex_that_does_not_compile_is_not_registered() {
    let run = v1(&[("flag", "'(?i)foo'"), ("open", "'('"), ("t", "foo")]).play(FOO);
    assert_eq!(registered(&run), ["t"]);
    assert_eq!(reasons(&run), ["its condition does not compile"; 2]);
}

#[test]
fn a1_7_a_bad_regex_is_a_warning_and_the_start_goes_on() {
    let run = v1(&[("bad", "'('"), ("t", "foo")]).play(FOO);
    assert!(run.outcome.err.contains("bad.md") && run.outcome.err.contains("does not compile"), "{}", run.outcome.err);
    assert_eq!((run.outcome.status, run.triggers()), (0, vec!["t interrupt".to_owned()]));
}

#[test]
fn a1_8_enabled_is_loaded_but_not_asked() {
    let run = foo().set("enabled=false").play(FOO);
    assert_eq!(run.each("run", "settings.enabled"), ["false"]);
    assert_eq!(run.triggers(), ["r interrupt"]);
}

#[test]
fn a2_1_the_turn_start_alone_clears_the_buffer() {
    let bench = v1(&[("r", "foo[^]*bar")]);
    let two_turns = r#"[[{"text":"foo"},{"tool":"read","args":{"path":"a"}}],[{"text":"bar"}]]"#;
    assert!(bench.play(two_turns).triggers().is_empty());
    // Neither another block nor a call between them does.
    let one_turn =
        r#"[[{"text":"foo"},{"thinking":"t"},{"tool":"read","args":{"path":"a"}},{"text":"bar"}],[{"text":"ok"}]]"#;
    assert_eq!(bench.play(one_turn).triggers(), ["r interrupt"]);
}

#[test]
fn a2_2_text_and_tool_arguments_are_monitored_thinking_is_not() {
    assert_eq!(foo().play(r#"[[{"text":"foo"}],[{"text":"ok"}]]"#).each("trigger", "source"), ["text"]);
    let call = r#"[[{"tool":"read","args":{"path":"foo"}}],[{"text":"ok"}]]"#;
    assert_eq!(foo().play(call).each("trigger", "source"), ["tool"]);
    // Not even where later generations would.
    let scoped = || Bench::new("v1", &[("r", "ttsr_trigger: foo\nscope: thinking")]);
    let thinking = r#"[[{"thinking":"foo"},{"text":"ok"}],[{"text":"ok"}]]"#;
    assert!(scoped().play(thinking).triggers().is_empty());
    assert_eq!(scoped().of("v2").play(thinking).triggers(), ["r interrupt"]);
    assert!(Bench::new("v1", &[("n", "description: foo")]).play(FOO).triggers().is_empty());
}

#[test]
fn a2_3_each_delta_goes_raw_into_one_buffer_and_is_checked() {
    let run = foo().play(r#"[[{"text":"foo more","chunks":["fo","o"," more"]}],[{"text":"ok"}]]"#);
    assert_eq!(run.each("trigger", "at.delta"), ["1"], "the delta that completes it");
    // The arguments as they came, escapes and all, and behind the text before them.
    let raw = v1(&[("r", r#"'^say\{"content": ?"a\\n'"#)]);
    let script = r#"[[{"text":"say"},{"tool":"write","chunks":["{\"content\": \"a\\nb\",","\"path\":\"x\"}"]}],[{"text":"ok"}]]"#;
    assert_eq!(raw.play(script).triggers(), ["r interrupt"]);
}

#[test]
fn a2_4_every_match_that_the_repeat_policy_lets_through() {
    let bench = Bench::new(
        "v1",
        &[
            ("a", "ttsr_trigger: foo"),
            ("b", "ttsr_trigger: foo\nscope: thinking\nglobs: '*.rs'"),
            ("c", "ttsr_trigger: bar"),
        ],
    );
    let run = bench.play(r#"[[{"text":"a foo"}],[{"text":"foo bar"}],[{"text":"ok"}]]"#);
    assert_eq!(
        run.triggers(),
        ["a,b interrupt", "c interrupt"],
        "no scope, no globs; the marked ones are let through no more"
    );
}

/// Within the 50 ms a second prompt is answered; what it says decides.
fn in_the_window(second: &str) -> String {
    format!(
        r#"[{{"parts":[{{"text":"foo"}}],"newPromptAfterMs":20}},[{{"text":"{second}"}}],[{{"text":"fine"}}],[{{"text":"fine"}}]]"#
    )
}

#[test]
fn a3_1_names_are_marked_before_the_retry() {
    let run = foo().play_with(&in_the_window("foo"), &["--prompt", "q"]);
    assert_eq!(run.triggers(), ["r interrupt"]);
    // A generation that marks at the retry fires again.
    let later = foo().of("v2").play_with(&in_the_window("foo"), &["--prompt", "q"]);
    assert_eq!(later.triggers(), ["r interrupt", "r interrupt"]);
}

#[test]
fn a3_2_matches_are_pushed_not_deduplicated() {
    let bench = foo().set("repeatMode=after-gap").set("repeatGap=0");
    let run = bench.play_with(&in_the_window("foo"), &["--prompt", "q"]);
    assert_eq!(run.each("inject", "content")[0].matches("<system-interrupt ").count(), 2);
}

#[test]
fn a3_3_the_abort_comes_at_once_and_is_pending() {
    let run = foo().play(FOO);
    assert_eq!(run.decisions()[..2], ["trigger r interrupt", "abort"]);
    assert_eq!(at(run.of("trigger")[0], "at"), at(run.of("abort")[0], "at"));
    assert_eq!(texts(run.records("assistant")[0]), ["a foo"], "nothing of the message follows");
    assert_eq!(run.endings(), ["2", "1", "0", "0"], "pending: the abort is the rule's");
}

#[test]
fn a3_4_the_event_follows_the_abort() {
    let steps = foo().play(FOO).steps();
    assert_eq!(steps[..3], ["trigger r interrupt", "abort", "emit session"]);
    assert!(steps.iter().rposition(|step| step.starts_with("emit")) < steps.iter().position(|step| step == "discard"));
}

#[test]
fn a3_5_the_retry_is_a_plain_timer_of_50_ms() {
    assert_eq!(foo().play(FOO).times("assistant"), [0, 50]);
    // Plain: a second trigger has a timer of its own, and both run to their end.
    let run = v1(&[("r", "foo"), ("s", "bar")]).play_with(&in_the_window("bar"), &["--prompt", "q"]);
    assert_eq!(run.each("continue", "source"), ["retry", "retry"]);
    let later = v1(&[("r", "foo"), ("s", "bar")]).of("v2").play_with(&in_the_window("bar"), &["--prompt", "q"]);
    assert_eq!(later.each("continue", "source"), ["retry"]);
}

#[test]
fn a4_1_after_50_ms_the_flag_is_cleared_and_the_mode_read() {
    let script = r#"[[{"text":"foo"}],{"parts":[{"text":"long text","chunks":["long"," text"]}],"delayMs":5,"userInterruptAfterMs":7}]"#;
    let run = foo().play(script);
    assert_eq!(run.endings(), ["2", "1", "1", "0"], "the flag is gone: the second abort is the user's");
    // The mode is read behind the aborted turn's end.
    assert_eq!(
        (run.each("trigger", "at.turn"), run.each("discard", "at.turn")),
        (vec!["0".to_owned()], vec!["1".to_owned()])
    );
    let kept = foo().set("contextMode=keep").play(script);
    assert_eq!((kept.of("discard").len(), kept.each("keep", "at.turn")), (0, vec!["1".to_owned()]));
}

#[test]
fn a4_2_discard_pops_the_last_message() {
    let run = foo().play(FOO);
    assert_eq!(run.decisions()[2], "discard");
    assert!(run.steps().contains(&"context user,user".to_owned()));
    // The last one, whichever it is: with an answer in the window that goes, and the partial stays.
    let run = foo().play_with(&in_the_window("ok"), &["--prompt", "q"]);
    assert_eq!(run.each("discard", "message"), ["1"]);
    assert!(run.steps().contains(&"context user,assistant,user,user".to_owned()), "{:?}", run.steps());
}

#[test]
fn a4_3_one_synthetic_user_message_with_a_block_for_each_rule() {
    let run = v1(&[("r", "foo"), ("s", "oo")]).play(FOO);
    assert_eq!(run.each("inject", "role"), ["user"]);
    let content = run.each("inject", "content").concat();
    assert_eq!(content.matches("<system-interrupt ").count(), 2);
    assert!(content.find("rule=\"r\"") < content.find("rule=\"s\""));
}

#[test]
fn a4_4_the_template_names_reason_rule_path_and_content() {
    let content = foo().play(FOO).each("inject", "content").concat();
    let start = "<system-interrupt reason=\"rule_violation\" rule=\"r\" path=\"/project/.omp/rules/r.md\">\n";
    assert!(content.starts_with(start), "{content}");
    assert!(content.ends_with("\nBODY of r\n</system-interrupt>"), "{content}");
}

#[test]
fn a4_5_continue_generates_again() {
    let run = foo().play(FOO);
    assert_eq!(run.decisions().last().map(String::as_str), Some("continue retry"));
    assert_eq!(run.entries(), ["user", "assistant aborted", "assistant stop"]);
    assert_eq!(texts(run.records("assistant")[1]), ["fine"]);
}

#[test]
fn a4_6_nothing_is_pending_once_the_content_is_made() {
    let run = v1(&[("r", "foo"), ("s", "bar")]).play(r#"[[{"text":"foo"}],[{"text":"bar"}],[{"text":"ok"}]]"#);
    assert_eq!(
        run.decisions().iter().filter(|step| step.starts_with("inject")).collect::<Vec<_>>(),
        ["inject user r", "inject user s"]
    );
    assert!(!run.each("inject", "content")[1].contains("rule=\"r\""));
}

#[test]
fn a4_7_keep_leaves_the_partial_in_front_of_the_reminder() {
    let run = foo().set("contextMode=keep").play(FOO);
    assert!(run.steps().contains(&"context user,assistant,user".to_owned()), "{:?}", run.steps());
    assert_eq!((run.of("keep").len(), run.of("discard").len()), (1, 0));
}

#[test]
fn a5_1_a_counter_of_turns_and_the_last_injection_of_each_rule() {
    let bench = v1(&[("r", "foo"), ("s", "bar")]).set("repeatMode=after-gap").set("repeatGap=2");
    let run =
        bench.play(r#"[[{"text":"foo"}],[{"text":"bar"}],[{"text":"foo bar"}],[{"text":"foo bar"}],[{"text":"ok"}]]"#);
    assert_eq!(run.triggers(), ["r interrupt", "s interrupt", "r interrupt", "s interrupt"]);
    assert_eq!(run.turns(), ["0", "1", "2", "3"]);
}

#[test]
fn a5_2_once_means_that_a_record_blocks() {
    let run = foo().play_with(r#"[[{"text":"foo"}],[{"text":"foo"}],[{"text":"foo"}]]"#, &["--prompt", "q"]);
    assert_eq!((run.triggers().len(), run.entries().len()), (1, 5));
    let again = foo().set("repeatMode=after-gap").set("repeatGap=1");
    assert_eq!(again.play(r#"[[{"text":"foo"}],[{"text":"foo"}],[{"text":"ok"}]]"#).triggers().len(), 2);
}

#[test]
fn a5_3_after_gap_waits_for_the_gap() {
    let bench = foo().set("repeatMode=after-gap").set("repeatGap=3");
    let script = r#"[[{"text":"foo"}],[{"text":"foo"}],[{"text":"foo"}],[{"text":"foo"}],[{"text":"ok"}]]"#;
    assert_eq!(bench.play_with(script, &["--prompt", "q", "--prompt", "s"]).turns(), ["0", "3"]);
}

#[test]
fn a5_4_the_counter_grows_at_turn_ends_and_the_aborted_turn_counts() {
    let gap = |lifecycle| foo().of(lifecycle).set("repeatMode=after-gap").set("repeatGap=1");
    // Deltas do not move it; the end of the aborted turn does, and the name was marked before.
    let script = r#"[[{"text":"foo foo","chunks":["foo"," foo"]}],[{"text":"foo"}],[{"text":"ok"}]]"#;
    assert_eq!(gap("v1").play(script).turns(), ["0", "1"]);
    // A generation that marks behind it waits one turn longer.
    let script = r#"[[{"text":"foo"}],[{"text":"foo"}],[{"text":"foo"}],[{"text":"ok"}]]"#;
    assert_eq!(gap("v2").play_with(script, &["--prompt", "q"]).turns(), ["0", "2"]);
}

/// What the receivers of a surface get.
fn payloads<'run>(run: &'run Run, surface: &str) -> Vec<&'run ttsr::text::json::Value> {
    run.of("emit")
        .into_iter()
        .filter(|emit| at(emit, "surface") == surface)
        .filter_map(|emit| emit.get("payload"))
        .collect()
}

#[test]
fn a6_1_the_session_event_has_type_and_whole_rules() {
    let run = v1(&[("r", "foo"), ("s", "foo")]).play(FOO);
    let [event] = payloads(&run, "session")[..] else { panic!("one event") };
    assert_eq!(at(event, "type"), "ttsr_triggered");
    assert_eq!([at(event, "rules.0.name"), at(event, "rules.1.name")], ["r", "s"]);
    assert_eq!([at(event, "rules.0.content"), at(event, "rules.0.ttsrTrigger")], ["BODY of r", "foo"]);
}

#[test]
fn a6_2_extension_listeners_and_session_subscribers_hear_it() {
    let run = foo().play(FOO);
    let (session, extension) = (payloads(&run, "session"), payloads(&run, "extension"));
    assert_eq!((session.len(), extension.len()), (1, 1));
    assert_eq!(session, extension);
}

#[test]
fn a6_3_hooks_get_the_type_and_custom_tools_the_reason() {
    let run = foo().play(FOO);
    for (surface, key, other) in
        [("extension", "type", "reason"), ("hook", "type", "reason"), ("custom-tool", "reason", "type")]
    {
        let [event] = payloads(&run, surface)[..] else { panic!("{surface}: one event") };
        assert_eq!((at(event, key).as_str(), at(event, other).as_str()), ("ttsr_triggered", "(none)"), "{surface}");
        assert_eq!(at(event, "rules.0.name"), "r");
    }
}

#[test]
fn a6_4_an_interruption_is_shown_as_notice_not_as_failure() {
    let bench = foo();
    assert_eq!(bench.play(FOO).endings(), ["2", "1", "0", "0"]);
    let shown = bench.table(FOO);
    assert!(shown.lines().any(|line| line.contains("a foo") && line.contains("interrupted")), "{shown}");
    assert!(!shown.contains("abort") && !shown.contains("fail"), "{shown}");
    let failed = foo().play(r#"[{"parts":[{"text":"half"}],"error":"lost"}]"#);
    assert_eq!(failed.endings(), ["1", "0", "0", "1"]);
    let aborted = foo()
        .play(r#"[{"parts":[{"text":"long text","chunks":["long"," text"]}],"delayMs":5,"userInterruptAfterMs":7}]"#);
    assert_eq!(aborted.endings(), ["1", "0", "1", "0"]);
}

#[test]
fn a7_1_the_entry_type_can_be_read_and_asked() {
    let bench = foo();
    bench.write("written.jsonl", WITH_ENTRY);
    let report = bench.inspect();
    assert_eq!(at(&report, "entries.by_type.ttsr_injection"), "1");
    assert_eq!(at(&report, "injections.0.rules"), r#"["r"]"#);
    assert_eq!(at(&report, "recorded_rules"), r#"["r"]"#);
}

/// A session that holds an entry of injected rules.
const WITH_ENTRY: &str = r#"{"type":"session","version":3,"id":"01a228ac-1684-7329-9338-0a0d7a39540a","timestamp":"2026-03-14T09:00:00.000Z","cwd":"/project"}
{"type":"message","id":"a0000001","parentId":null,"timestamp":"2026-03-14T09:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"p"}],"timestamp":1}}
{"type":"ttsr_injection","id":"a0000002","parentId":"a0000001","timestamp":"2026-03-14T09:00:02.000Z","injectedRules":["r"]}
"#;

#[test]
fn a7_3_nothing_is_appended_when_a_rule_fires() {
    let run = foo().play(FOO);
    assert_eq!(run.triggers(), ["r interrupt"]);
    assert_eq!(run.entries(), ["user", "assistant aborted", "assistant stop"]);
    assert_eq!(run.each("summary", "persisted"), ["0"]);
}

#[test]
fn a7_4_nothing_is_restored_at_the_start() {
    let bench = foo();
    let session = bench.write("old.jsonl", WITH_ENTRY);
    assert_eq!(bench.play_with(FOO, &["--resume", &session]).triggers(), ["r interrupt"]);
    assert!(bench.of("v2").play_with(FOO, &["--resume", &session]).triggers().is_empty());
}

#[test]
fn a7_5_suppression_lives_in_memory_only() {
    let bench = foo();
    let script = r#"[[{"text":"foo"}],[{"text":"ok"}],[{"text":"foo"}]]"#;
    assert_eq!(bench.play_with(script, &["--prompt", "q"]).triggers(), ["r interrupt"], "the same process");
    let session = bench.keep("old.jsonl");
    assert_eq!(bench.play_with(FOO, &["--resume", &session]).triggers(), ["r interrupt"], "the next one");
}

#[test]
fn a8_1_the_abort_is_synchronous_the_retry_deferred_listeners_are_not_awaited() {
    let run = foo().play(FOO);
    let steps = run.steps();
    assert_eq!(steps[1], "abort");
    assert_eq!(steps[2..7], ["emit session", "emit extension", "emit hook", "emit custom-tool", "discard"]);
    assert_eq!(at(run.of("abort")[0], "at.delta"), "1");
    assert_eq!(run.times("assistant"), [0, 50]);
}

#[test]
fn a8_2_several_matches_are_one_batch_in_the_next_retry() {
    let run = v1(&[("r", "foo"), ("s", "o+"), ("t", "bar")]).play(FOO);
    assert_eq!(run.decisions(), ["trigger r,s interrupt", "abort", "discard", "inject user r,s", "continue retry"]);
}

#[test]
fn a8_3_whatever_happens_in_the_window_the_timer_runs() {
    let abort = r#"[{"parts":[{"text":"foo"}],"userInterruptAfterMs":20},[{"text":"ok"}],[{"text":"ok"}]]"#;
    let expected = ["trigger r interrupt", "abort", "discard", "inject user r", "continue retry"];
    assert_eq!(foo().play_with(abort, &["--prompt", "q"]).decisions(), expected);
    assert_eq!(foo().play_with(&in_the_window("ok"), &["--prompt", "q"]).decisions(), expected);
    assert!(foo().of("v2").play_with(abort, &["--prompt", "q"]).of("continue").is_empty());
}

#[test]
fn a8_4_an_error_of_continue_is_swallowed() {
    let run = foo().play_with(r#"[[{"text":"foo"}],{"continueFails":"boom"},[{"text":"ok"}]]"#, &["--prompt", "q"]);
    assert_eq!(run.each("continue-failed", "why"), ["boom"]);
    assert_eq!(run.outcome.status, 0);
    assert_eq!(run.entries(), ["user", "assistant aborted", "user", "assistant stop"], "the next prompt is answered");
}

#[test]
fn a9_1_the_edge_cases() {
    let bench = Bench::new("v1", &[("bad", "ttsr_trigger: '['"), ("r", "ttsr_trigger: foo")]).and_rules("more");
    bench.rule("more/r.md", "ttsr_trigger: bar");
    let bench = bench.set("contextMode=keep").set("repeatMode=after-gap").set("repeatGap=2");
    let run = bench.play(r#"[[{"text":"foo foo","chunks":["foo"," foo"]}],[{"text":"foo bar"}],[{"text":"ok"}]]"#);
    assert_eq!(registered(&run), ["r"], "a bad trigger and a second registration are left out");
    assert!(run.outcome.err.contains("bad.md"), "{}", run.outcome.err);
    assert_eq!(run.decisions(), ["trigger r interrupt", "abort", "keep", "inject user r", "continue retry"]);
    assert_eq!(run.turns(), ["0"], "deltas do not move the gap");
}
