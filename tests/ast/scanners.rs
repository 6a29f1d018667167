//! No text ends the process, whatever it opens without end: scanners of grammars write their state to a buffer of 1024
//! bytes after each token. Each grammar gets its texts in a process of its own, since an abort is no panic.

use std::fmt::Write as _;
use std::process::{Command, Output};

use ast_grep_language::{LanguageExt, SupportLang};
use ttsr::ast::{AstSet, Outcome, Snapshot, grammar_aliases};
use ttsr::text::JsString;

/// Tells the child which grammar it is for.
const ALIAS: &str = "TTSR_TEST_SCANNER_ALIAS";

/// Tells the child that its texts are long.
const IS_LONG: &str = "TTSR_TEST_SCANNER_IS_LONG";

/// Bytes of the texts that open something without end, and of the long ones.
const SIZE: usize = 2_000;
const LONG: usize = 200_000;

/// Of so many texts a grammar with a safe scanner takes one.
const SAFE_STEP: usize = 7;

/// Grammars whose scanner writes more than its buffer holds.
const UNSAFE: [&str; 5] = ["gemspec", "kotlin", "pcal", "py", "yaml"];

/// What the library says of a text.
fn outcome(alias: &str, text: &str) -> Outcome {
    // Without a literal, so that texts are parsed for them; each language takes one.
    let patterns = ["$A1", "$A($B, $B, $C, $D, $B)", "[$A, $A, $B, $A, $A, $C]", "$A"].map(JsString::from);
    let mut set = AstSet::new(vec![patterns.to_vec()]);
    let units: Vec<u16> = text.encode_utf16().collect();
    set.run(&mut Snapshot::new(), &JsString::from(alias), &units, 0, &[0]).remove(0)
}

fn is_too_much(alias: &str, text: &str) -> bool {
    matches!(outcome(alias, text), Outcome::Undecided(why) if why.contains("scanner"))
}

fn pieces(size: usize, mut piece: impl FnMut(usize) -> String) -> String {
    let (mut text, mut number) = (String::new(), 0);
    while text.len() < size {
        text.push_str(&piece(number));
        number += 1;
    }
    text
}

/// Lines that each stand one column further to the right, up to a length of the whole, and a last one.
fn stairs(size: usize, line: &str, last: &str) -> String {
    let mut text = pieces(size, |number| format!("{}{line}\n", " ".repeat(number)));
    let depth = text.lines().count();
    write!(text, "{}{last}", " ".repeat(depth)).expect("a string takes all");
    text
}

/// What scanners keep: indentation, here-documents, delimiters, tags, interpolations, comments, fences, lists.
fn texts(size: usize) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for (line, last) in [
        ("if a:", "x = 'b'"),
        ("if a:", "x = f\"{b}\""),
        ("a:", "- b"),
        ("- a:", "b: |"),
        ("- ", "a"),
        ("? a", ": b"),
        ("a: b: c", "d"),
        ("/\\ a", "b"),
        ("\\/ a", "b"),
        ("f = do", "g"),
        ("def f =", "g"),
        ("- > a", "b"),
        ("1. a", "b"),
        ("let a = case b of", "c"),
    ] {
        texts.push(stairs(size, line, last));
        texts.push(format!("---- MODULE m ----\na ==\n{}", stairs(size, line, last)));
    }
    for unit in [
        "- ",
        "? ",
        ": ",
        "- ? ",
        "- a: ",
        "{a: ",
        "> ",
        "> - ",
        "1. ",
        "\"#{",
        "\"${",
        "`${",
        "f\"{",
        "f'{f\"{",
        "$\"{",
        "$\"\"\"{",
        "\"\\(",
        "\"$(",
        "'#{",
        "<<A\n",
        "<<A <<B\n",
        "x = <<A\n#{",
        "<<<A\n",
        "<<<A\n{$",
        "<<''",
        "<<\"\"",
        "<a>",
        "<abcdefghij>",
        "<a b={",
        "<script>",
        "<style>",
        "<script>{",
        "{#if a}",
        "{{",
        "/*",
        "(*",
        "{-",
        "#|",
        "--[[",
        "(* --algorithm a ",
        "--algorithm a\n",
        "THEOREM a\n<1> ",
        "<*> a\n",
        "<+> PROOF ",
        "<> a\n",
        "<1>a <2>b ",
        "%w(#{",
        "do 10 i = 1, 2\n",
        "[=[",
        "r#\"",
        "{a|",
        "$a$",
        "R\"a(",
        "r\"-(",
        "[",
        "(",
        "{",
        "${",
        "$((",
        "$(cat <<A\n",
        "@[",
        "\u{100}",
        "<<\u{100}\n",
        "---\n- a\n",
        "if a: \"#{<<A}\n",
    ] {
        texts.push(unit.repeat(size / unit.len()));
        texts.push(format!("x = {}", unit.repeat(size / unit.len())));
        texts.push(pieces(size, |number| format!("{}{unit}\n", " ".repeat(number % 120))));
    }
    for length in [127, 128, 255, 256, 1010, 1011, 1015, 1016, 1017, 1018, 1019, 1020, 1023, 1024] {
        let word = "A".repeat(length);
        for (open, close) in [
            ("x = <<", "\n"),
            ("x = <<-", "\nb\n"),
            ("x = <<'", "'\nb\n"),
            ("x = <<~\"", "\"\nb\n"),
            ("RUN <<", "\nb\n"),
            ("<?php $x = <<<", "\nb\n"),
            ("<?php $x = <<<'", "'\nb\n"),
            ("<", ">b"),
            ("let x = {", "|b|"),
            ("select $", "$ b"),
            ("x = R\"", "(b)"),
            ("cat <<", "\nb\n"),
            ("a: &", " b"),
            ("a: !", " b"),
        ] {
            texts.push(format!("{open}{word}{close}{word}\n"));
            texts.push(format!("{open}{word}{close}").repeat(3));
        }
        for fence in ['#', '=', '-', '`', '~', '"', '\'', '[', '<', '>', '$', '1'] {
            let fence = fence.to_string().repeat(length);
            texts.push(format!("x = r{fence}\"b\"{fence}\n[{fence}[b]{fence}]\n{fence}\nb\n"));
        }
    }
    // Several here-documents at once, in every number of bytes about what the buffer holds.
    for last in 1..30 {
        let words = "<<ABCDE, ".repeat(112);
        texts.push(format!("f({words}<<{})\n", "B".repeat(last)));
        texts.push(format!("x = {}<<A <<{}\n", "\"#{".repeat(198), "B".repeat(last)));
        texts.push(format!("cat {}<<{}\n", "<<ABCDE ".repeat(60), "B".repeat(last)));
    }
    texts
}

#[test]
fn one_grammar_takes_every_text() {
    let Ok(alias) = std::env::var(ALIAS) else {
        return;
    };
    let mut all = texts(SIZE);
    if std::env::var_os(IS_LONG).is_some() {
        all = texts(LONG);
    } else if !UNSAFE.contains(&alias.as_str()) {
        // Grammars whose scanner was read and found safe take a part: all of it for each takes minutes.
        all = all.into_iter().step_by(SAFE_STEP).collect();
    }
    for text in all {
        eprintln!("next: {} bytes, {:?}", text.len(), text.chars().take(300).collect::<String>());
        outcome(&alias, &text);
    }
    println!("all texts taken");
}

fn child(test: &str, alias: &str, is_long: bool) -> Output {
    let program = std::env::current_exe().expect("this program has a path");
    let mut command = Command::new(program);
    command.args(["--exact", &format!("ast::scanners::{test}"), "--nocapture", "--test-threads=1"]).env(ALIAS, alias);
    if is_long {
        command.env(IS_LONG, "1");
    }
    command.output().expect("this program starts")
}

#[test]
fn no_text_ends_the_process_in_any_grammar() {
    take_all(false);
}

#[test]
#[ignore = "takes minutes"]
fn no_long_text_ends_the_process_in_any_grammar() {
    take_all(true);
}

fn take_all(is_long: bool) {
    let mut broken = Vec::new();
    for alias in grammar_aliases() {
        let output = child("one_grammar_takes_every_text", alias, is_long);
        if !String::from_utf8_lossy(&output.stdout).contains("all texts taken") {
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            let last: Vec<&str> = errors.lines().rev().take(2).collect();
            broken.push(format!("{alias}: {:?} {last:?}", output.status));
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// For each scanner that can write too much: what it takes, what it must not see.
fn bounds() -> Vec<(&'static str, String, String)> {
    let py = |depth: usize| {
        let mut text: String = (0..depth).map(|width| format!("{}if a:\n", " ".repeat(width))).collect();
        writeln!(text, "{}x = 'b'", " ".repeat(depth)).expect("a string takes all");
        text
    };
    let yaml = |depth: usize| (0..depth).map(|width| format!("{}a:\n", " ".repeat(width))).collect::<String>();
    let ruby = |length: usize| format!("x = <<{0}\nb\n{0}\n", "A".repeat(length));
    let tla = |depth: usize| {
        let lists: String = (0..depth).map(|width| format!("{}/\\\n", " ".repeat(width + 1))).collect();
        format!("---- MODULE m ----\na ==\n{lists}{}b\n====\n", " ".repeat(depth + 4))
    };
    vec![
        ("py", py(370), py(600)),
        ("kotlin", "val a = ".to_owned() + &"\"${".repeat(500), "val a = ".to_owned() + &"\"${".repeat(600)),
        ("gemspec", ruby(255), ruby(256)),
        ("yaml", yaml(120), yaml(300)),
        ("pcal", tla(300), tla(400)),
    ]
}

#[test]
fn what_a_scanner_cannot_keep_is_undecided_and_what_it_can_is_parsed() {
    // None of these patterns is one of TLA+, so nothing is parsed for it here.
    for (alias, below, above) in bounds().into_iter().filter(|(alias, ..)| *alias != "pcal") {
        assert!(!is_too_much(alias, &below), "{alias}");
        assert!(is_too_much(alias, &above), "{alias}");
    }
}

#[test]
fn a_bare_parser_takes_what_the_scanner_must_not_see() {
    let Ok(alias) = std::env::var(ALIAS) else {
        return;
    };
    let language = match alias.as_str() {
        "py" => SupportLang::Python.get_ts_language(),
        "gemspec" => SupportLang::Ruby.get_ts_language(),
        "kotlin" => SupportLang::Kotlin.get_ts_language(),
        "yaml" => SupportLang::Yaml.get_ts_language(),
        _ => tree_sitter_tlaplus::LANGUAGE.into(),
    };
    let text = bounds().into_iter().find(|(of, ..)| *of == alias).expect("a bound").2;
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&language).expect("the language fits");
    parser.parse(text, None);
    println!("the text was taken");
}

/// When this fails, a grammar has become better: take its bound away.
#[test]
fn without_the_bounds_each_of_these_scanners_ends_the_process() {
    for alias in UNSAFE {
        let output = child("a_bare_parser_takes_what_the_scanner_must_not_see", alias, false);
        let is_taken = String::from_utf8_lossy(&output.stdout).contains("the text was taken");
        assert!(!is_taken && !output.status.success(), "{alias}");
    }
}
