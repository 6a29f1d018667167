//! The statements of generation-v4.md with an outward sign at the coordinator, each by its number. Not here: W3.4 to W3.6,
//! W7.2 (beside the rows of verdicts), W8.4's five seconds, W10, W11.2, W11.3, W13 and W15: those are signs of a host, of
//! its session file or of its stream; W10 and W15 stand in `written.rs`.

use ttsr::generation::Lifecycle;
use ttsr::judge::{Verdicts, outputs};
use ttsr::message::{Message, is_judging_entry, is_judging_event};
use ttsr::rule::{Bucket, Rule, RuleFile, RuleSet};
use ttsr::runtime::OPEN_ASK_WAIT_MS;
use ttsr::settings::{InterruptMode, Settings};
use ttsr::text::json::{self, Value};
use ttsr::tool::ReadOptions;

use crate::lifecycle::host::Host;

/// A rule file `NAME.md` with this frontmatter.
fn rule(name: &str, frontmatter: &str, lifecycle: Lifecycle) -> Rule {
    let semantics = lifecycle.semantics();
    let text = format!("---\n{frontmatter}\n---\nBody of {name}.");
    let file = RuleFile::read(format!("{name}.md"), text.into_bytes(), &semantics);
    Rule::from_file(&format!("{name}.md"), format!("/proj/.omp/rules/{name}.md").into(), file, &semantics)
}

fn register(rules: &[(&str, &str)], settings: &Settings, lifecycle: Lifecycle) -> RuleSet {
    let rules = rules.iter().map(|(name, frontmatter)| rule(name, frontmatter, lifecycle));
    RuleSet::register(rules, settings, &lifecycle.semantics(), None)
}

fn settings(assignments: &[(&str, &str)]) -> Settings {
    let mut settings = Settings::default();
    for (key, value) in assignments {
        let value = json::parse(value).expect("a value");
        settings.apply(key, &value, &Lifecycle::V4.semantics()).expect("a setting");
    }
    settings
}

/// What happens at these events.
fn trace(rules: &[(&str, &str)], assignments: &[(&str, &str)], lifecycle: Lifecycle, events: &str) -> Vec<String> {
    let settings = settings(assignments);
    let set = register(rules, &settings, lifecycle);
    let mut host = Host::new(set, settings, lifecycle.semantics(), false);
    host.play(events);
    host.trace
}

fn v4(rules: &[(&str, &str)], events: &str) -> Vec<String> {
    trace(rules, &[], Lifecycle::V4, events)
}

const BLAME: (&str, &str) = ("blame", "question: Blames?");
const TODO: (&str, &str) = ("todo", "question: Unowned?\ncondition: TODO");

#[test]
fn w2_1_a_question_is_a_text_that_is_not_blank() {
    let question = |value: &str| rule("r", &format!("question: {value}"), Lifecycle::V4).fields.question;
    for (written, read) in [("Is it?", "Is it?"), ("'  Is it? '", "Is it?"), ("yes", "yes"), (">\n  a\n  b", "a b")] {
        assert_eq!(question(written), Some(read.into()), "{written}");
    }
    for nothing in ["''", "' '", "5", "true", "null", "[a, b]", "{a: b}", ""] {
        assert_eq!(question(nothing), None, "{nothing}");
    }
    assert_eq!(rule("r", "question: Is it?", Lifecycle::V3).fields.question, None);
}

#[test]
fn w2_2_repairs_apply_and_other_spellings_are_unknown() {
    assert_eq!(rule("r", "question: *.ts is it?", Lifecycle::V4).fields.question, Some("*.ts is it?".into()));
    for key in ["Question", "questions", "ttsr-question"] {
        assert_eq!(rule("r", &format!("{key}: Is it?"), Lifecycle::V4).fields.question, None, "{key}");
    }
}

#[test]
fn w2_3_a_question_is_no_list_and_a_glob_beside_it_gates() {
    let fields = rule("r", "question: 'a, *.ts'\ncondition: '*.rs'", Lifecycle::V4).fields;
    assert_eq!(fields.question, Some("a, *.ts".into()));
    assert_eq!(fields.condition, Some(vec![".*".into()]));
    assert_eq!(fields.scope, Some(vec!["tool:edit(*.rs)".into(), "tool:write(*.rs)".into()]));
}

#[test]
fn w3_1_a_question_registers_a_rule_even_beside_broken_conditions() {
    let set = register(&[("r", "question: Is it?\ncondition: '('")], &Settings::default(), Lifecycle::V4);
    assert!(set.compiled[0].is_judged() && !set.compiled[0].has_gate());
    let set = register(&[("r", "condition: '('")], &Settings::default(), Lifecycle::V4);
    assert!(set.compiled.is_empty());
    let scope = &register(&[BLAME], &Settings::default(), Lifecycle::V4).compiled[0].scope;
    assert_eq!((scope.text, scope.any_tool, scope.thinking), (true, true, false));
}

#[test]
fn w3_2_a_refused_judged_rule_falls_on() {
    let off = settings(&[("enabled", "false")]);
    for (frontmatter, bucket) in [
        ("question: Is it?\nalwaysApply: true", Bucket::Always),
        ("question: Is it?\ndescription: d", Bucket::Rulebook),
        ("question: Is it?", Bucket::None),
    ] {
        assert_eq!(register(&[("r", frontmatter)], &off, Lifecycle::V4).inventory[0].bucket, bucket, "{frontmatter}");
        let unreachable = format!("{frontmatter}\nscope: '('");
        let set = register(&[("r", &unreachable)], &Settings::default(), Lifecycle::V4);
        assert_eq!(set.inventory[0].bucket, bucket, "{unreachable}");
    }
}

#[test]
fn w3_3_the_interrupt_mode_of_a_judged_rule_has_no_effect() {
    let events = "turn; msg; text TODO; done stop; verdict 0 1";
    let rules = [("todo", "question: Unowned?\ncondition: TODO\ninterruptMode: always")];
    let set = register(&rules, &Settings::default(), Lifecycle::V4);
    assert_eq!(set.compiled[0].interrupt_mode, Some(InterruptMode::Always));
    assert_eq!(v4(&rules, events), v4(&[TODO], events));
    assert_eq!(v4(&rules, events), ["ask 0 reply todo", "event todo", "warn next-step todo"]);
    let disabled = [("disabledRules", "[\"todo\"]")];
    assert!(trace(&rules, &disabled, Lifecycle::V4, events).is_empty());
}

#[test]
fn w4_1_judged_rules_take_no_part_in_streams() {
    let events = "turn; msg; text TODO; call 0 c1 write; args 0 {\"path\":\"a.ts\",\"content\":\"TODO\"}; close 0 \
                  {\"path\":\"a.ts\",\"content\":\"TODO\"}; done toolUse";
    let rules = [TODO, ("ast", "question: Is it?\nastCondition: TODO\nscope: tool")];
    let trace = v4(&rules, events);
    assert!(trace.iter().all(|line| line.starts_with("ask ")), "{trace:?}");
    // The same file interrupts in the generation before.
    assert!(self::trace(&rules[..1], &[], Lifecycle::V3, events).contains(&"event todo".to_owned()));
}

#[test]
fn w4_2_an_alternative_of_a_sticky_look_ahead_is_found_at_the_start_only() {
    let rules = [("r", "condition: '(?=[\\s\\S]*foo|bar)'")];
    let fires = |lifecycle, text: &str| {
        trace(&rules, &[], lifecycle, &format!("turn; msg; text {text}")).iter().any(|line| line.starts_with("abort"))
    };
    for (text, before, now) in [("x bar", true, false), ("bar", true, true), ("x foo", true, true), ("x", false, false)]
    {
        assert_eq!((fires(Lifecycle::V3, text), fires(Lifecycle::V4, text)), (before, now), "{text}");
    }
}

#[test]
fn w5_outputs_are_calls_then_the_reply_then_the_reasoning() {
    let rules = [("all", "question: Bad?\nscope: text, thinking, tool")];
    let message = "turn; msg; think a; text b; call 0 c1 bash; close 0 {\"command\":\"ls\"}; text c; think d; \
                   call 1 c2 write; close 1 {\"path\":\"./a.ts\",\"content\":\"x\"}";
    let asks = |reason: &str| v4(&rules, &format!("{message}; done {reason}"));
    let all = ["ask 0 `bash` call all", "ask 1 `write` call on `./a.ts` all", "ask 2 reply all", "ask 3 reasoning all"];
    for reason in ["stop", "toolUse", "length"] {
        assert_eq!(asks(reason), all, "{reason}");
    }
    for reason in ["aborted", "error"] {
        assert!(asks(reason).is_empty(), "{reason}");
    }
    assert!(v4(&rules, "turn; msg; text  ; think \t; done stop").is_empty());
}

#[test]
fn w5_what_is_judged_is_joined_by_blank_lines_and_has_the_final_arguments() {
    let message = json::parse(
        r#"{"role":"assistant","stopReason":"stop","content":[{"type":"text","text":"ab"},{"type":"thinking","thinking":"t"},
            {"type":"text","text":"c"},{"type":"toolCall","id":"1","name":"bash","arguments":{"z":1,"a":"é"},"partialArgs":"{}"}]}"#,
    );
    let message = Message::new(message.expect("JSON").as_object().expect("an object").clone());
    let contents: Vec<String> =
        outputs(&message, &ReadOptions::default()).iter().map(|output| output.content.to_string_lossy()).collect();
    assert_eq!(contents, ["{\"z\":1,\"a\":\"é\"}", "ab\n\nc", "t"]);
    // The stream has no blank line between blocks, so a stream rule and a gate of one pattern differ.
    let rules = [("stream", "condition: bc\ninterruptMode: never"), ("gate", "condition: bc\nquestion: Is it?")];
    assert_eq!(v4(&rules, "turn; msg; text ab; text c; done stop")[0], "defer stream");
    assert!(!v4(&rules, "turn; msg; text ab; text c; done stop").iter().any(|line| line.starts_with("ask")));
}

#[test]
fn w6_1_scope_globs_and_gate_decide_who_is_asked() {
    let rules = [
        ("text", "question: A?\nscope: text"),
        ("globs", "question: B?\nglobs: '*.ts'"),
        ("gate", "question: C?\ncondition: [foo, TODO]"),
        ("ast", "question: D?\nastCondition: foo($A)\nscope: text, tool"),
        ("both", "question: E?\ncondition: TODO\nastCondition: foo($A)"),
    ];
    assert_eq!(v4(&rules, "turn; msg; text foo(1); done stop"), ["ask 0 reply text,gate"]);
    let write = |content: &str| {
        let call = format!("{{\"path\":\"a.ts\",\"content\":\"{content}\"}}");
        v4(&rules, &format!("turn; msg; call 0 c write; close 0 {call}; done toolUse"))
    };
    assert_eq!(write("foo(1)"), ["ask 0 `write` call on `a.ts` globs,gate,ast,both"]);
    assert_eq!(write("TODO"), ["ask 0 `write` call on `a.ts` globs,gate,both"]);
    assert_eq!(write("x"), ["ask 0 `write` call on `a.ts` globs"]);
}

#[test]
fn w6_2_the_rules_of_an_output_share_one_request() {
    let settings = Settings::default();
    let set = register(&[BLAME, ("vague", "question: Vague?\ndescription: Secret words.")], &settings, Lifecycle::V4);
    let mut host = Host::new(set, settings, Lifecycle::V4.semantics(), false);
    host.play("turn; msg; text hi; done stop");
    let asks = host.coordinator.open_asks();
    assert_eq!(asks.len(), 1);
    let request = Value::Object(asks[0].request()).to_json();
    assert_eq!(
        request,
        "{\"state\":{\"output\":\"reply\",\"content\":\"hi\"},\"questions\":{\"q0\":{\"type\":\"noul\",\"instructions\":\
         \"Blames?\"},\"q1\":{\"type\":\"noul\",\"instructions\":\"Vague?\"}}}"
    );
}

#[test]
fn w6_4_from_seven_tenths_on_a_rule_is_flagged() {
    let warned = |probability: &str| {
        let events = format!("turn; msg; text hi; done stop; verdict 0 {probability}");
        v4(&[BLAME], &events).contains(&"warn next-step blame".to_owned())
    };
    for (probability, expected) in
        [("0.7", true), ("0.6999999999999999", false), ("1", true), ("0", false), ("-", false)]
    {
        assert_eq!(warned(probability), expected, "{probability}");
    }
}

#[test]
fn w6_5_nobody_waits_for_a_verdict() {
    let events = "turn; msg; text hi; call 0 c bash; close 0 {}; done toolUse; result c; end; ?memory; verdict 1 1; \
                  verdict 0 0.9; ?injected";
    assert_eq!(
        v4(&[BLAME], events),
        [
            "ask 0 `bash` call blame",
            "ask 1 reply blame",
            "memory assistant+toolResult",
            "event blame",
            "warn next-step blame",
            "injected blame@1"
        ]
    );
}

#[test]
fn w7_1_the_setting_says_whether_anybody_is_asked() {
    let asked = |value: &str| {
        let events = "turn; msg; text hi; done stop; ?injected";
        trace(&[BLAME], &[("judge", value)], Lifecycle::V4, events).len() > 1
    };
    assert_eq!(["\"auto\"", "\"on\"", "\"off\"", "null"].map(asked), [true, true, false, true]);
    for (value, expected) in [("\"auto\"", false), ("\"on\"", true), ("\"off\"", false)] {
        let settings = settings(&[("judge", value)]);
        let set = register(&[BLAME], &settings, Lifecycle::V4);
        let manager = ttsr::engine::Manager::new(set.compiled, settings, Lifecycle::V4.semantics());
        let mut options = ttsr::lifecycle::Options::new("/proj", "/home/user");
        options.native_judge = false;
        let mut coordinator = ttsr::lifecycle::Coordinator::new(manager, options);
        let message = r#"{"role":"assistant","stopReason":"stop","content":"hi"}"#;
        let message = Message::new(json::parse(message).expect("JSON").as_object().expect("an object").clone());
        coordinator.handle(&ttsr::message::AgentEvent::MessageEnd(message));
        assert_eq!(!coordinator.open_asks().is_empty(), expected, "{value}");
    }
}

#[test]
fn w7_2_a_chat_judge_answers_by_keyword() {
    let settings = Settings::default();
    let set = register(&[BLAME], &settings, Lifecycle::V4);
    let mut host = Host::new(set, settings, Lifecycle::V4.semantics(), false);
    host.play("turn; msg; text hi; done stop");
    let ask = &host.coordinator.open_asks()[0];
    let flagged = |reply: &str| {
        let mut rows = Verdicts::parse(&format!("{{\"reply\":\"{reply}\"}}")).expect("a row");
        ask.flagged(&rows.answer(ask).verdict).len()
    };
    assert_eq!(["yes", "Yes.", "no", "NO, it does not", "hm"].map(flagged), [1, 1, 0, 0, 0]);
}

#[test]
fn w7_3_a_failure_leaves_the_rule_armed_and_a_refusal_pauses_the_judge() {
    let again = "; turn; msg; text hi; done stop";
    let after = |failure: &str, then: &str| {
        let trace = v4(&[BLAME], &format!("turn; msg; text hi; done stop; {failure}; ?injected{then}{again}"));
        (trace.contains(&"injected -".to_owned()), trace.last().is_some_and(|line| line.starts_with("ask 1")))
    };
    for failure in ["fail 0", "fail 0 400", "fail 0 500"] {
        assert_eq!(after(failure, ""), (true, true), "{failure}");
    }
    for failure in ["fail 0 401", "fail 0 402", "fail 0 403"] {
        assert_eq!(after(failure, ""), (true, false), "{failure}");
        assert_eq!(after(failure, "; user-abort; tick 299999"), (true, false), "{failure}");
        assert_eq!(after(failure, "; user-abort; tick 300000"), (true, true), "{failure}");
    }
}

#[test]
fn w8_1_a_claim_marks_at_once_what_the_ledger_still_lets_through() {
    let two = "turn; msg; text a; think b; done stop";
    let rules = [("all", "question: Bad?\nscope: text, thinking")];
    assert_eq!(
        v4(&rules, &format!("{two}; verdict 1 1; ?injected; verdict 0 1")),
        ["ask 0 reply all", "ask 1 reasoning all", "event all", "warn next-step all", "injected all@0"]
    );
    let left = format!("{two}; new-session; verdict 0 1; verdict 1 1; ?injected");
    assert_eq!(v4(&rules, &left), ["ask 0 reply all", "ask 1 reasoning all", "injected -"]);
}

#[test]
fn w8_2_and_w8_3_the_event_comes_with_the_claim_and_the_warning_names_the_output() {
    let rules = [BLAME, ("vague", "question: Vague?")];
    let events = "turn; msg; call 0 c write; close 0 {\"path\":\"a.ts\",\"content\":\"x\"}; done toolUse; result c; end; \
                  turn; msg; text hi; verdict 0 1,1";
    let settings = Settings::default();
    let mut host = Host::new(register(&rules, &settings, Lifecycle::V4), settings, Lifecycle::V4.semantics(), false);
    host.play(events);
    assert_eq!(host.trace[1..], ["event blame,vague", "warn next-step blame,vague"]);
    host.play("?blocks; ?tag");
    assert_eq!(host.trace[3], "blocks 2");
    assert_eq!(
        host.trace[4],
        "tag <system-reminder reason=\"rule_violation\" rule=\"blame\" path=\".omp/rules/blame.md\">"
    );
    let text = host.reminder().to_string_lossy();
    let blocks: Vec<&str> = text.split("\n</system-reminder>").collect();
    for (block, name) in blocks.iter().zip(["blame", "vague"]) {
        let lines: Vec<&str> = block.trim_start().lines().collect();
        assert!(lines[1].contains("`write` call on `a.ts`"), "{block}");
        assert_eq!(lines[2..], ["", &format!("Body of {name}.")]);
    }
    assert!(text.contains("</system-reminder>\n\n<system-reminder"));
}

#[test]
fn w8_4_a_run_takes_warnings_at_its_next_step() {
    let events = "turn; msg; text a; done stop; verdict 0 1; end; take-warnings; ?memory";
    assert_eq!(
        v4(&[BLAME], events)[1..],
        [
            "event blame",
            "warn next-step blame",
            "deliver blame",
            "write message blame",
            "write injection blame",
            "memory assistant+custom"
        ]
    );
    assert_eq!(OPEN_ASK_WAIT_MS, 5_000);
}

#[test]
fn w8_4_an_idle_session_starts_a_run_and_an_aborted_or_planning_one_does_not() {
    let message = "turn; msg; text a; done stop; end; idle";
    let idle = v4(&[BLAME], &format!("{message}; verdict 0 1; ?memory; turn; take-warnings; ?memory"));
    assert_eq!(
        idle[1..],
        [
            "event blame",
            "warn own-run blame",
            "memory assistant",
            "deliver blame",
            "write message blame",
            "write injection blame",
            "memory assistant+custom"
        ]
    );
    for quiet in ["turn; msg; user-abort; done aborted; end; idle", "plan"] {
        let trace = v4(&[BLAME], &format!("{message}; {quiet}; verdict 0 1; take-warnings"));
        assert_eq!(
            trace[1..],
            ["event blame", "warn context-only blame", "deliver blame", "write message blame", "write injection blame"]
        );
    }
    // The next run is as any other.
    let next = format!("{message}; user-abort; turn; verdict 0 1");
    assert_eq!(v4(&[BLAME], &next)[2], "warn next-step blame");
}

#[test]
fn w8_5_warnings_come_in_order_of_their_verdicts_and_leave_follow_ups_behind() {
    let rules =
        [BLAME, ("think", "question: Sure?\nscope: thinking"), ("stream", "condition: a\ninterruptMode: never")];
    let events = "turn; msg; text a; think b; done stop; verdict 1 1; verdict 0 1; end; take-warnings; take";
    let delivered: Vec<String> = v4(&rules, events).into_iter().filter(|line| line.starts_with("deliver")).collect();
    assert_eq!(delivered, ["deliver think", "deliver blame", "deliver stream #1"]);
}

#[test]
fn w8_6_and_w9_the_gap_counts_from_the_delivery() {
    let gap = [("repeatMode", "\"after-gap\""), ("repeatGap", "2")];
    let turn = "; turn; msg; text a; done stop; end";
    let mut events = "turn; msg; text a; done stop; end; turn; msg; text a; done stop".to_owned();
    // Claimed in turn 2, delivered after turn 3.
    events.push_str("; verdict 0 1; ?injected; end; turn; msg; text b; done stop; end; take-warnings; ?injected");
    for _ in 0..4 {
        events.push_str(turn);
    }
    let trace = trace(&[BLAME], &gap, Lifecycle::V4, &events);
    let asks: Vec<&String> = trace.iter().filter(|line| line.starts_with("ask")).collect();
    assert!(
        trace.contains(&"injected blame@1".to_owned()) && trace.contains(&"injected blame@3".to_owned()),
        "{trace:?}"
    );
    // Messages 1 and 2 are asked about; after the delivery at turn 3 the next is that of turn 6.
    assert_eq!(asks, ["ask 0 reply blame", "ask 1 reply blame", "ask 2 reply blame", "ask 3 reply blame"]);
    let last = trace.iter().rposition(|line| line.starts_with("injected")).expect("an answer");
    assert_eq!(trace[last + 1..], ["ask 2 reply blame", "ask 3 reply blame"]);
}

#[test]
fn w8_7_an_answer_to_a_warning_is_judged_as_any_other() {
    let events =
        "turn; msg; text a; done stop; verdict 0 1,0; end; take-warnings; turn; msg; text b; done stop; verdict 1 1";
    assert_eq!(
        v4(&[BLAME, ("vague", "question: Vague?")], events)[4..],
        ["write message blame", "write injection blame", "ask 1 reply vague", "event vague", "warn next-step vague"]
    );
}

#[test]
fn w9_once_is_not_asked_again_nor_after_a_resume_and_gap_0_delivers_both() {
    let again = "turn; msg; text a; done stop; verdict 0 1; end; take-warnings; turn; msg; text a; done stop";
    assert_eq!(v4(&[BLAME], again).iter().filter(|line| line.starts_with("ask")).count(), 1);
    assert!(v4(&[BLAME], "restore blame; turn; msg; text a; done stop").is_empty());
    let gap = [("repeatMode", "\"after-gap\""), ("repeatGap", "0")];
    let rules = [("all", "question: Bad?\nscope: text, thinking")];
    let both = "turn; msg; text a; think b; done stop; verdict 0 1; verdict 1 1; take-warnings";
    let delivered = trace(&rules, &gap, Lifecycle::V4, both).into_iter().filter(|line| line == "deliver all").count();
    assert_eq!(delivered, 2);
    // One ledger: what a stream rule's name has marked is not asked about.
    assert_eq!(v4(&[TODO, BLAME], "restore todo; turn; msg; text TODO; done stop"), ["ask 0 reply blame"]);
}

#[test]
fn w11_1_what_was_announced_for_a_call_is_not_announced_again_in_the_turn() {
    let rules = [("a", "condition: aa\ninterruptMode: never"), ("b", "condition: bb\ninterruptMode: never")];
    let gap = [("repeatMode", "\"after-gap\""), ("repeatGap", "0")];
    let call =
        "turn; msg; call 0 c1 bash; args 0 aa; args 0 .; args 0 bb; args 0 .; close 0; done toolUse; result c1; end";
    let events = |lifecycle, events: &str| -> Vec<String> {
        trace(&rules, &gap, lifecycle, events).into_iter().filter(|line| line.starts_with("event")).collect()
    };
    assert_eq!(events(Lifecycle::V3, call).len(), 4);
    assert_eq!(events(Lifecycle::V4, call), ["event a", "event a,b"]);
    // The same id in a later turn announces again.
    assert_eq!(events(Lifecycle::V4, &format!("{call}; {call}")).len(), 4);
    // Prose has no key.
    let prose = [("a", "condition: aa")];
    let told = trace(&prose, &gap, Lifecycle::V4, "turn; msg; text aa; text b; text c");
    assert_eq!(told.iter().filter(|line| *line == "event a").count(), 3);
}

#[test]
fn w11_1_a_judged_event_is_never_suppressed() {
    let gap = [("repeatMode", "\"after-gap\""), ("repeatGap", "0")];
    let events = "turn; msg; call 0 c1 bash; close 0 {}; done toolUse; verdict 0 1; msg; call 0 c1 bash; close 0 {}; \
                  done toolUse; verdict 1 1";
    let told = trace(&[BLAME], &gap, Lifecycle::V4, events);
    assert_eq!(told.iter().filter(|line| *line == "event blame").count(), 2);
}

#[test]
fn w12_a_setting_of_the_wrong_type_counts_as_absent() {
    let read = |key: &str, value: &str, lifecycle: Lifecycle| {
        let mut settings = Settings::default();
        let value = json::parse(value).expect("a value");
        let told = settings.apply(key, &value, &lifecycle.semantics()).expect("a setting");
        (Value::Object(settings.to_object()).get(key).cloned().unwrap_or(Value::Null).to_json(), told.is_some())
    };
    for (key, value, before, now) in [
        ("interruptMode", "\"sometimes\"", "\"never\"", "\"always\""),
        ("contextMode", "\"Discard\"", "\"keep\"", "\"discard\""),
        ("repeatMode", "\"x\"", "\"after-gap\"", "\"once\""),
        ("enabled", "null", "false", "true"),
        ("repeatGap", "\"1\"", "1", "10"),
        ("disabledRules", "\"a\"", "[\"a\"]", "[]"),
    ] {
        assert_eq!(read(key, value, Lifecycle::V3), (before.to_owned(), true), "{key}");
        assert_eq!(read(key, value, Lifecycle::V4), (now.to_owned(), true), "{key}");
    }
    for (key, value) in
        [("repeatGap", "-1.5"), ("enabled", "false"), ("interruptMode", "\"tool-only\""), ("judge", "\"off\"")]
    {
        assert_eq!(read(key, value, Lifecycle::V4), (value.to_owned(), false), "{key}");
    }
}

#[test]
fn w14_no_recording_of_earlier_generations_has_a_mark() {
    let mut lines = 0;
    for folder in ["recordings", "recordings-17", "recordings-early"] {
        for case in std::fs::read_dir(crate::support::project("testdata").join(folder)).expect("recordings").flatten() {
            let Ok(files) = std::fs::read_dir(case.path()) else { continue };
            for file in files.flatten().filter(|file| file.path().extension().is_some_and(|end| end == "jsonl")) {
                let name = file.file_name().to_string_lossy().into_owned();
                let text = std::fs::read_to_string(file.path()).expect("a recording");
                let objects = text.lines().filter_map(|line| Some(json::parse(line).ok()?.as_object()?.clone()));
                for object in objects {
                    lines += 1;
                    let marked =
                        if name.starts_with("events") { is_judging_event(&object) } else { is_judging_entry(&object) };
                    assert!(!marked, "{}/{name}", case.path().display());
                }
            }
        }
    }
    assert!(lines > 1_000, "{lines}");
}
