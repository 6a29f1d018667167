//! Conditions that are written for another text than the one that the tools of the scope show.

use super::foreign_syntax::is_foreign;
use super::never_matches;
use super::shared::{Subject, in_quotes, lint, split_flags};
use crate::builtin::tools::{self, Shows, Tool};
use crate::diagnostic::Diagnostic;
use crate::pattern::{Pattern, Texts};
use crate::rule::register::ToolScope;
use crate::text::JsString;

lint! {
    number: 61,
    name: "unseen-text",
    severity: Error,
    explanation: "Conditions see the content of `write`, the lines that `edit` adds, and of every other call the arguments as JSON. This condition asks for a text that its tools do not show so.",
    samples: "failing.md" "passing.md",
    check: Rule(check)
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Diagnostic>) {
    for (source, pattern) in subject.conditions() {
        let Some((message, help)) = mistake(subject, source, pattern) else { continue };
        findings.push(subject.finding(CODE, message, subject.condition_range(source, None)).with_help(help));
    }
}

/// What is wrong with a condition, and what to do about it.
fn mistake(subject: &Subject<'_>, source: &JsString, pattern: &Pattern) -> Option<(String, String)> {
    let text = source.to_string_lossy();
    if subject.sees_arguments_alone() {
        // One that matches nothing at all, or is written for another kind of engine, has a finding of its own.
        let never = pattern.can_match(Texts::Arguments) == Some(false)
            && !never_matches::is_empty(pattern)
            && !is_foreign(subject, source);
        return never.then(|| unseen(subject, &text));
    }
    let tools = tools(subject)?;
    if tools.iter().all(|tool| tool.shows == Shows::Content) { argument(&tools, &text) } else { None }
}

/// The only tools that can reach the rule, if they are the agent's own and nothing else can.
fn tools(subject: &Subject<'_>) -> Option<Vec<&'static Tool>> {
    let rule = subject.compiled.filter(|rule| !rule.is_judged())?;
    if rule.scope.text || rule.scope.thinking || rule.scope.any_tool {
        return None;
    }
    let tool = |name: Option<&JsString>| tools::tool(&name?.to_string_lossy());
    rule.scope.tools.iter().map(|scope| tool(scope.name.as_ref())).collect()
}

/// A condition that no JSON holds: why, and how to ask for the same in JSON.
fn unseen(subject: &Subject<'_>, condition: &str) -> (String, String) {
    let name = subject.compiled.and_then(|rule| tool_name(rule.scope.tools.first()?)).unwrap_or_default();
    let argument = argument_of(&name);
    let Some((changes, written)) = in_json(subject, condition, argument) else {
        let message =
            format!("no call of `{name}` holds what `{condition}` asks for: conditions see its arguments as JSON");
        let shown =
            argument.map_or_else(|| "\"NAME\":\"VALUE\"".to_owned(), |argument| format!("\"{argument}\":\"…\""));
        return (
            message,
            format!(
                "write the pattern for that JSON, `{{{shown}}}`, in which quotes, backslashes and line breaks in values are escaped"
            ),
        );
    };
    let message = if changes.start {
        let begins = argument.map_or_else(|| "`{`".to_owned(), |argument| format!("`{{\"{argument}\":\"…\"}}`"));
        let behind = split_flags(condition).1.trim_start_matches(['^', '(', ':', '?']).trim_start_matches("\\s*");
        let word: String = behind.chars().take_while(|one| one.is_alphanumeric()).collect();
        let what = if word.is_empty() { "what is behind it".to_owned() } else { format!("`{word}`") };
        format!(
            "`^` never meets {what} in a call of `{name}`: conditions see its arguments as JSON, which begin with {begins}"
        )
    } else if changes.quotes {
        format!("`\"` is `\\\"` in a call of `{name}`: conditions see its arguments as JSON, quotes in values escaped")
    } else if changes.breaks {
        format!(
            "a line break or a tab is `\\n` or `\\t` in a call of `{name}`: conditions see its arguments as JSON, which \
             escapes them"
        )
    } else if changes.backslashes {
        format!(
            "`\\` is `\\\\` in a call of `{name}`: conditions see its arguments as JSON, backslashes in values escaped"
        )
    } else {
        format!("`$` never meets the end of a value in a call of `{name}`: conditions see its arguments as JSON")
    };
    (message, format!("write `{}`", in_quotes(&written)))
}

/// The name of a tool of the scope.
fn tool_name(tool: &ToolScope) -> Option<String> {
    tool.name.as_ref().map(JsString::to_string_lossy)
}

/// The argument that a tool must have, if it is one alone.
fn argument_of(tool: &str) -> Option<&'static str> {
    let mut required = tools::tool(tool)?.required();
    required.next().filter(|_| required.next().is_none())
}

/// What of a condition is put as JSON has it.
#[derive(Clone, Copy)]
struct Changes {
    start: bool,
    quotes: bool,
    breaks: bool,
    backslashes: bool,
    end: bool,
}

/// The condition for the same text in JSON. One that is written for JSON already gets as few changes as let it match,
/// any other all of them: of its alternatives each is to match.
fn in_json(subject: &Subject<'_>, condition: &str, argument: Option<&str>) -> Option<(Changes, String)> {
    const ALL: u8 = 1 << 5;
    let mut choices: Vec<u8> = (1..ALL).collect();
    // A single backslash in front of a quote is one that JSON puts there.
    let mut quotes = condition.match_indices("\\\\\"");
    let is_json = ["\":", "\" :", "\"\\s*:"].iter().any(|part| condition.contains(part))
        || quotes.any(|(at, _)| !condition[..at].ends_with('\\'));
    choices.sort_by_key(|bits| if is_json { bits.count_ones() } else { bits.count_zeros() });
    choices.into_iter().find_map(|bits| {
        let is_set = |bit: u8| bits >> bit & 1 == 1;
        let changes =
            Changes { start: is_set(0), quotes: is_set(1), breaks: is_set(2), backslashes: is_set(3), end: is_set(4) };
        let written = rewritten(condition, argument, changes)?;
        subject.is_live(&written).then_some((changes, written))
    })
}

/// The condition with these changes; none where one of them finds nothing to change.
fn rewritten(condition: &str, argument: Option<&str>, changes: Changes) -> Option<String> {
    let (flags, rest) = split_flags(condition);
    let by_line = flags.contains('m');
    let start = match (argument, by_line) {
        (Some(argument), false) => format!("\"{argument}\"\\s*:\\s*\""),
        (Some(argument), true) => format!("(?:\"{argument}\"\\s*:\\s*\"|\\\\n)"),
        (None, false) => "\"".to_owned(),
        (None, true) => "(?:\"|\\\\n)".to_owned(),
    };
    let end = if by_line { "(?:\"|\\\\n)" } else { "\"" };
    // Whether each of the changes has been made: start, quotes, breaks, backslashes, end.
    let mut made = [false; 5];
    let mut written = String::new();
    let mut in_class = false;
    let mut rest = rest.chars().peekable();
    while let Some(one) = rest.next() {
        let escaped = if one == '\\' { rest.next() } else { None };
        match (one, escaped) {
            ('\\', Some('n' | 'r' | 't')) if changes.breaks && !in_class => {
                made[2] = true;
                written.push_str("\\\\");
                written.extend(escaped);
            }
            ('\\', Some('\\')) if changes.backslashes && !in_class => {
                made[3] = true;
                written.push_str("\\\\\\\\");
            }
            ('"', None) | ('\\', Some('"')) if changes.quotes && !in_class => {
                made[1] = true;
                written.push_str("\\\\\"");
            }
            ('^', None) if changes.start && !in_class => {
                made[0] = true;
                written.push_str(&start);
            }
            ('$', None) if changes.end && !in_class => {
                made[4] = true;
                written.push_str(end);
            }
            ('\n' | '\t', None) if changes.breaks && !in_class => {
                made[2] = true;
                written.push_str(if one == '\n' { "\\\\n" } else { "\\\\t" });
            }
            _ => {
                match (one, escaped) {
                    ('[', None) => in_class = true,
                    (']', None) => in_class = false,
                    _ => {}
                }
                written.push(one);
                written.extend(escaped);
            }
        }
    }
    let wanted = [changes.start, changes.quotes, changes.breaks, changes.backslashes, changes.end];
    let flags: String = flags.chars().filter(|&flag| flag != 'm' || !(changes.start || changes.end)).collect();
    let flags = if flags.is_empty() { String::new() } else { format!("(?{flags})") };
    (made == wanted).then(|| format!("{flags}{written}"))
}

/// `"path": …`: the JSON around the content is not matched.
fn argument(tools: &[&Tool], condition: &str) -> Option<(String, String)> {
    let rest = split_flags(condition).1.trim_start_matches("\\s*").trim_start_matches("\\{").trim_start_matches('{');
    let (argument, behind) = rest.strip_prefix('"')?.split_once('"')?;
    let behind = behind.trim_start_matches("\\s*").trim_start_matches(' ');
    if !behind.starts_with(':') || !tools.iter().all(|tool| tool.required().any(|name| name == argument)) {
        return None;
    }
    let name = tools[0].name;
    let message = format!(
        "`\"{argument}\":` is not in what a call of `{name}` shows: once its content begins, conditions see that alone"
    );
    let help = match argument {
        "path" => "to ask for files write `globs`, and what their content must hold as `condition`",
        _ => "write what the content must hold, without the JSON around it",
    };
    Some((message, help.to_owned()))
}
