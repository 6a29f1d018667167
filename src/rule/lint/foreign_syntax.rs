//! Syntax of other kinds of regular expression that ECMAScript, without flags, reads as plain characters.

use super::shared::{Subject, in_quotes, lint};
use crate::diagnostic::{Diagnostic, Severity};
use crate::text::JsString;
use std::ops::Range;

lint! {
    number: 40,
    name: "foreign-syntax",
    severity: Error,
    explanation: "The pattern uses syntax of another kind of regular expression, which ECMAScript reads as plain letters.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for condition in subject.listed.rule.fields.condition.iter().flatten() {
        findings.extend(finding(subject, condition, &condition.to_string_lossy()));
    }
}

/// Whether there is such a finding about a condition.
pub(super) fn is_foreign(subject: &Subject<'_>, condition: &JsString) -> bool {
    finding(subject, condition, &condition.to_string_lossy()).is_some()
}

/// A letter that is a letter behind a backslash here, and something else elsewhere.
struct Letter {
    letter: char,
    /// What it means elsewhere.
    meaning: &'static str,
    /// What to write for it outside of brackets; empty where it is to be left out.
    instead: &'static str,
    /// The same where conditions see arguments as JSON.
    in_arguments: &'static str,
    /// What to write for it between brackets; none where nobody means more than the letter there.
    in_class: Option<&'static str>,
}

/// The letters that ECMAScript gives no meaning, and some other kind of regular expression does.
const LETTERS: [Letter; 17] = [
    letter('A', "the beginning of the text", "^", "", None),
    letter('z', "the end of the text", "", "\"", None),
    letter('Z', "the end of the text", "", "\"", None),
    letter('h', "horizontal space", "[ \\t]", " ", Some(" \\t")),
    letter('H', "anything but horizontal space", "[^ \\t]", "[^ ]", Some("!-\\uFFFF")),
    letter('R', "any line break", "\\r?\\n", "\\\\n", Some("\\r\\n")),
    letter('N', "anything but a line break", "[^\\n]", "[^\\n]", None),
    letter('V', "anything but vertical space", "[^\\n\\v\\f\\r]", "[^\\n\\v\\f\\r]", None),
    letter('X', "a character with its marks", "(?:[\\uD800-\\uDBFF][\\uDC00-\\uDFFF]|[^])", "[^\"]", None),
    letter('G', "the end of the last match", "", "", None),
    letter('K', "the place where what is found begins", "", "", None),
    letter('a', "the bell", "\\x07", "\\\\u0007", Some("\\x07")),
    letter('e', "the escape character", "\\x1b", "\\\\u001[bB]", Some("\\x1b")),
    letter('m', "the beginning of a word", "\\b", "\\b", None),
    letter('M', "the end of a word", "\\b", "\\b", None),
    letter('y', "the edge of a word", "\\b", "\\b", None),
    letter('Y', "a place that is no edge of a word", "\\B", "\\B", None),
];

const fn letter(
    letter: char,
    meaning: &'static str,
    instead: &'static str,
    in_arguments: &'static str,
    in_class: Option<&'static str>,
) -> Letter {
    Letter { letter, meaning, instead, in_arguments, in_class }
}

/// The classes of POSIX, and what to write for them between brackets.
const POSIX: [(&str, &str); 13] = [
    ("[:alnum:]", "A-Za-z0-9"),
    ("[:alpha:]", "A-Za-z"),
    ("[:blank:]", " \\t"),
    ("[:cntrl:]", "\\x00-\\x1f\\x7f"),
    ("[:digit:]", "\\d"),
    ("[:graph:]", "!-~"),
    ("[:lower:]", "a-z"),
    ("[:print:]", " -~"),
    ("[:punct:]", "!-\\/:-@\\[-`{-~"),
    ("[:space:]", "\\s"),
    ("[:upper:]", "A-Z"),
    ("[:word:]", "\\w"),
    ("[:xdigit:]", "0-9A-Fa-f"),
];

/// Part of a condition, what it is here, and what to do about it.
struct Foreign {
    part: Range<usize>,
    message: String,
    help: String,
    severity: Severity,
}

fn finding(subject: &Subject<'_>, condition: &JsString, text: &str) -> Option<Diagnostic> {
    let found = posix_class(text).or_else(|| first(text, subject.sees_arguments_alone()))?;
    let finding = subject.about(CODE, found.message, condition, text, found.part);
    Some(finding.with_severity(found.severity).with_help(found.help))
}

/// The first thing that is foreign, read from the left; `arguments` says whether conditions see arguments as JSON.
fn first(text: &str, arguments: bool) -> Option<Foreign> {
    let mut in_class = false;
    let mut rest = text.char_indices();
    while let Some((at, one)) = rest.next() {
        match one {
            '\\' => {
                let (_, letter) = rest.next()?;
                if let Some(found) = escape(text, at, letter, in_class, arguments) {
                    return Some(found);
                }
            }
            '[' if in_class => {
                if let Some(found) = operator(text, at) {
                    return Some(found);
                }
            }
            '[' => in_class = true,
            ']' => in_class = false,
            _ => {}
        }
    }
    None
}

/// The escape at `at`.
fn escape(text: &str, at: usize, letter: char, in_class: bool, arguments: bool) -> Option<Foreign> {
    let behind = text.get(at + 1 + letter.len_utf8()..)?;
    if let Some(found) = with_operand(text, at, letter, behind) {
        return Some(found);
    }
    if letter == '<' {
        return words(text, at, behind);
    }
    if letter == 'Q' && !in_class {
        let (quoted, _) = behind.split_once("\\E").unwrap_or((behind, ""));
        let part = at..(at + 2 + quoted.len() + 2).min(text.len());
        let message = "`\\Q` is the letter `Q` in ECMAScript, not quoting".to_owned();
        return Some(Foreign {
            part,
            message,
            help: format!("write `{}`", escaped(quoted)),
            severity: CODE.severity(),
        });
    }
    let known = LETTERS.iter().find(|known| known.letter == letter)?;
    let instead = match in_class {
        true => known.in_class?,
        false if arguments => known.in_arguments,
        false => known.instead,
    };
    let message = format!("`\\{letter}` is the letter `{letter}` in ECMAScript, not {}", known.meaning);
    let help = match instead {
        "" if matches!(letter, 'z' | 'Z') => "leave it out: where a stream ends nobody knows before it does".to_owned(),
        "" if letter == 'A' => "leave it out: conditions see the arguments as JSON".to_owned(),
        "" => "leave it out: only whether there is a match counts".to_owned(),
        instead => format!("write `{instead}`"),
    };
    Some(Foreign { part: at..at + 2, message, help, severity: CODE.severity() })
}

/// Escapes with a name or a number: `\p{Han}`, `\pL`, `\x{41}`, `\u{1F600}`, `\U0001F600`, `\o{101}`, `\g{1}`, `\N{…}`, and
/// `\x4`, which lacks a digit.
fn with_operand(text: &str, at: usize, letter: char, behind: &str) -> Option<Foreign> {
    let braced = behind.strip_prefix('{').and_then(|rest| rest.split_once('}')).map(|(inside, _)| inside);
    let braced_end = |inside: &str| at + 2 + inside.len() + 2;
    let digits = |most: usize| {
        let count = behind.chars().take_while(char::is_ascii_hexdigit).take(most).count();
        behind.get(..count).unwrap_or_default()
    };
    let of_code = |number: &str, radix: u32| {
        let one = u32::from_str_radix(number, radix).ok().and_then(char::from_u32)?;
        let units = one.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04X}")).collect::<String>();
        Some(format!("write `{units}`"))
    };
    let named = || "name the characters, such as `[\\u4E00-\\u9FFF]` or `[A-Za-zÀ-ɏ]`".to_owned();
    let is_name = |one: char| one.is_ascii_alphanumeric() || matches!(one, '_' | '=' | '^' | ' ' | '-' | '.');
    let (end, help) = match (letter, braced) {
        ('p' | 'P', Some(name)) if !name.is_empty() && name.chars().all(is_name) => (braced_end(name), named()),
        ('p' | 'P', None) if behind.starts_with(['L', 'M', 'N', 'P', 'S', 'Z', 'C']) => (at + 3, named()),
        ('x' | 'u', Some(number)) => (braced_end(number), of_code(number, 16)?),
        ('o', Some(number)) => (braced_end(number), of_code(number, 8)?),
        ('U', None) if digits(8).len() == 8 => (at + 10, of_code(digits(8), 16)?),
        ('N', Some(name)) => match name.strip_prefix("U+") {
            Some(number) => (braced_end(name), of_code(number, 16)?),
            None => (braced_end(name), "write the character itself".to_owned()),
        },
        ('g', Some(number)) if number.parse::<u8>().is_ok() => (braced_end(number), format!("write `\\{number}`")),
        ('g', None) if behind.starts_with(|one: char| one.is_ascii_digit()) => {
            (at + 3, format!("write `\\{}`", &behind[..1]))
        }
        ('k', _) if behind.starts_with(['{', '<', '\'']) && !text.contains("(?<") => {
            (at + 2, "name a group `(?<NAME>…)` and write `\\k<NAME>`".to_owned())
        }
        ('x', None) if (1..2).contains(&digits(2).len()) => (at + 2 + digits(2).len(), of_code(digits(2), 16)?),
        ('u', None) if (1..4).contains(&digits(4).len()) => (at + 2 + digits(4).len(), of_code(digits(4), 16)?),
        _ => return None,
    };
    let part = at..end;
    let shown = text.get(part.clone())?;
    let message = match braced {
        Some(_) => format!("`{shown}` is the letter `{letter}` and a brace to the agent, which sets no flag `u`"),
        None => format!("`{shown}` begins with the letter `{letter}` to the agent, which sets no flag `u`"),
    };
    Some(Foreign { part, message, help, severity: CODE.severity() })
}

/// `\<word\>`: the edges of a word elsewhere, or a tag whose brackets need no backslash. Nobody knows but the author.
fn words(text: &str, at: usize, behind: &str) -> Option<Foreign> {
    let (word, _) = behind.split_once("\\>")?;
    let is_word = !word.is_empty() && word.chars().all(|one| one.is_ascii_alphanumeric() || one == '_');
    let part = at..at + 2 + word.len() + 2;
    let shown = text.get(part.clone()).filter(|_| is_word)?;
    let message = format!("`{shown}` is `<{word}>` in ECMAScript, not a word");
    let help = format!("for the word write `\\b{word}\\b`, for the tag `<{word}>`");
    Some(Foreign { part, message, help, severity: Severity::Note })
}

/// `[a-z&&[^aeiou]]`, with the inner bracket at `at`: there are no operations on sets.
fn operator(text: &str, at: usize) -> Option<Foreign> {
    let before = text.get(..at)?;
    let operator = ["&&", "--", "~~"].into_iter().find(|operator| before.ends_with(operator))?;
    let message = format!("`{operator}` between brackets is no operation to the agent: the first `]` ends the set");
    let help = "ask for one of the sets in a look-ahead: `(?![aeiou])[a-z]`".to_owned();
    Some(Foreign { part: at - operator.len()..at + 1, message, help, severity: CODE.severity() })
}

/// The text as a pattern for itself.
fn escaped(text: &str) -> String {
    let special = |one: char| "\\^$.|?*+()[]{}/".contains(one);
    text.chars().flat_map(|one| special(one).then_some('\\').into_iter().chain([one])).collect()
}

/// `[[:alpha:]]`, `[[:^alpha:]]`, `[[:<:]]`, `[[.a.]]`.
fn posix_class(text: &str) -> Option<Foreign> {
    if let Some(found) = posix_other(text) {
        return Some(found);
    }
    let found = |(name, _): &(&'static str, _)| {
        let at = text.find(name).filter(|&at| !text[..at].ends_with('\\'));
        at.map(|at| at..at + name.len())
    };
    let class = POSIX.iter().find_map(found)?;
    let mut written = text.to_owned();
    for (name, inside) in POSIX {
        // Without brackets around it, it has to bring its own.
        written = written.replace(&format!("[{name}"), &format!("[{inside}"));
        written = written.replace(&format!("[^{name}"), &format!("[^{inside}"));
        if let Some(at) = written.find(name) {
            let open = written[..at].rfind('[').is_some_and(|open| !written[open..at].contains(']'));
            written = written.replace(name, &if open { inside.to_owned() } else { format!("[{inside}]") });
        }
    }
    let name = &text[class.clone()];
    let message = format!(
        "`{name}` is no class to the agent: between brackets it stands for its own characters, one of `{}`",
        name.trim_matches(['[', ']'])
    );
    let help = format!("write `{}`", in_quotes(&written));
    Some(Foreign { part: class, message, help, severity: CODE.severity() })
}

/// The forms of POSIX that name no class: edges of words, refused classes, single characters.
fn posix_other(text: &str) -> Option<Foreign> {
    let make = |at: usize, part: &str, help: String| {
        let message =
            format!("`{part}` has no meaning of its own to the agent: between brackets it stands for its characters");
        Foreign { part: at..at + part.len(), message, help, severity: CODE.severity() }
    };
    let edge = ["[[:<:]]", "[[:>:]]"].into_iter().find_map(|part| text.find(part).map(|at| (at, part)));
    if let Some((at, part)) = edge {
        return Some(make(at, part, "write `\\b`".to_owned()));
    }
    for (name, inside) in POSIX {
        let refused = format!("[:^{}", &name[2..]);
        let Some(at) = text.find(&refused) else { continue };
        let whole = text[..at].ends_with('[') && text[at + refused.len()..].starts_with(']');
        let (at, part) = if whole { (at - 1, format!("[{refused}]")) } else { (at, refused) };
        return Some(make(at, &part, format!("write `[^{inside}]`")));
    }
    for (open, close) in [("[.", ".]"), ("[=", "=]")] {
        let Some(at) = text.find(&format!("[{open}")).map(|at| at + 1) else { continue };
        let Some((inside, _)) = text.get(at + 2..)?.split_once(close) else { continue };
        if inside.chars().count() == 1 {
            let part = text.get(at..at + 4 + inside.len())?;
            return Some(make(at, part, format!("write `{}`", escaped(inside))));
        }
    }
    None
}
