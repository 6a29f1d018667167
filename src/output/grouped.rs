//! Findings for people: the same finding many times is shown once, with a count and its lines.

use super::{Style, diagnostic};
use crate::diagnostic::{Diagnostic, Severity};

/// How many lines of a repeated finding are named.
const LINES: usize = 8;

/// The findings, those alike as one. With `verbose` each stands for itself.
pub fn render(findings: &[Diagnostic], verbose: bool, style: Style) -> String {
    let mut groups: Vec<(Key, Vec<&Diagnostic>)> = Vec::new();
    for finding in findings {
        let key = Key::of(finding);
        match groups.iter_mut().find(|(known, _)| !verbose && *known == key) {
            Some((_, group)) => group.push(finding),
            None => groups.push((key, vec![finding])),
        }
    }
    groups.iter().map(|(_, group)| shown(group, style)).collect()
}

fn shown(group: &[&Diagnostic], style: Style) -> String {
    let Some((first, rest)) = group.split_first() else { return String::new() };
    if rest.is_empty() {
        return diagnostic::render(first, style);
    }
    let lines =
        group.iter().filter_map(|one| one.place.as_ref()).map(|place| place.start.line).filter(|line| *line > 0);
    let lines: Vec<String> = lines.map(|line| line.to_string()).collect();
    let more = if lines.len() > LINES { ", …" } else { "" };
    let named: Vec<String> = lines.into_iter().take(LINES).collect();
    let named = if named.is_empty() { String::new() } else { format!(": lines {}{more}", named.join(", ")) };
    let one = Diagnostic { message: format!("{} ({} times{named})", first.message, group.len()), ..(*first).clone() };
    diagnostic::render(&one, style)
}

/// What makes findings alike: code, gravity, and the words of the message, its numbers and names aside.
#[derive(PartialEq, Eq)]
struct Key {
    code: u16,
    severity: Severity,
    words: Vec<String>,
}

impl Key {
    fn of(finding: &Diagnostic) -> Self {
        let mut words = Vec::new();
        let mut quoted = false;
        for part in finding.message.split('`') {
            if !quoted {
                let plain = part.split_whitespace().filter(|word| !word.contains(|c: char| c.is_ascii_digit()));
                words.extend(plain.map(str::to_owned));
            }
            quoted = !quoted;
        }
        Self { code: finding.code.number(), severity: finding.severity, words }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::code;
    use crate::text::Place;

    #[test]
    fn findings_alike_are_one_line_with_a_count() {
        let one = |line: usize, message: String| {
            Diagnostic::new(code::MISSING_ID, message).at(Place::line("s.jsonl", line, 0))
        };
        let mut findings: Vec<Diagnostic> = (2..17).map(|line| one(line, "the entry has no id".to_owned())).collect();
        findings.extend([3, 4].map(|line| one(line, format!("it answers `c{line}` of entry a{line}"))));
        findings.push(one(9, "something else".to_owned()));
        let text = render(&findings, false, Style::PLAIN);
        assert_eq!(text.matches("TTSR109").count(), 3, "{text}");
        assert!(text.contains("(15 times: lines 2, 3, 4, 5, 6, 7, 8, 9, …)"), "{text}");
        assert!(text.contains("(2 times: lines 3, 4)"), "{text}");
        assert_eq!(render(&findings, true, Style::PLAIN).matches("TTSR109").count(), 18);
    }
}
