//! `ttsr-ignore`: the findings that the author of a rule file accepts, said in the file itself where the agent does not
//! see it.
//!
//! In the frontmatter that is a YAML comment on a line of its own, `# ttsr-ignore CODE reason`, above the key (or the
//! item of a list) that it is about, or `# ttsr-ignore-file CODE reason`; in the body an HTML comment,
//! `<!-- ttsr-ignore CODE reason -->`, which the agent deletes (engine.md E1.6) and which is about the whole file.
//! Behind a value on the same line it could become part of the value: the agent reads a frontmatter that is not YAML
//! line by line, or with values put into quotes (E1.7).

use std::ops::Range;

use super::read::{Frontmatter, Node, RuleFile, Yaml};

/// The word that begins a suppression.
pub(super) const WORD: &str = "ttsr-ignore";

/// Ends the word where it is about the whole file.
pub(super) const FILE: &str = "-file";

/// Findings that are accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppression {
    /// The codes as they are written, and where.
    pub codes: Vec<(String, Range<usize>)>,
    /// Why.
    pub reason: Option<String>,
    /// The bytes of the file that a finding has to begin in; none where it is about the whole file.
    pub about: Option<Range<usize>>,
    /// Where it is written.
    pub span: Range<usize>,
}

impl Suppression {
    /// Whether a finding at this offset is meant.
    pub fn covers(&self, offset: usize) -> bool {
        self.about.as_ref().is_none_or(|about| (about.start..=about.end).contains(&offset))
    }
}

/// Why something that looks like a suppression is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misplaced {
    /// It stands behind something else on the line.
    Trailing,
    /// It is part of a text of several lines.
    InValue,
    /// It holds a colon and a blank.
    Colon,
    /// It is an HTML comment between the fences.
    MarkupInFrontmatter,
    /// It is an HTML comment above the first fence, which hides the frontmatter.
    AboveFence,
    /// It is a line of the body, which the model is told.
    LineOfBody,
    /// There is nothing below it that it could be about.
    NothingBelow,
    /// It names no code.
    NoCode,
}

/// The key that each suppression of a file stands above, in order; none for those that are about something else.
pub(super) fn keys(file: &RuleFile) -> Vec<Option<&str>> {
    let members = file.frontmatter.as_ref().map_or(&[][..], |matter| &matter.members);
    let key = |about: &Range<usize>| {
        members.iter().find(|member| about.contains(&member.key_span.start)).map(|member| member.key.as_str())
    };
    Suppressions::read(file).accepted.iter().map(|one| one.about.as_ref().and_then(key)).collect()
}

/// What a file says of the findings in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suppressions {
    /// What is accepted, in order.
    pub accepted: Vec<Suppression>,
    /// What does not count, in order, and why.
    pub misplaced: Vec<(Range<usize>, Misplaced)>,
}

impl Suppressions {
    /// Reads the suppressions of a file.
    pub fn read(file: &RuleFile) -> Self {
        let mut read = Self::default();
        if !file.text().contains(WORD) {
            return read;
        }
        let matter = file.frontmatter.as_ref();
        let between = matter.map_or(0..0, |matter| matter.span.clone());
        for (start, line) in lines(file.text()) {
            if line.contains(WORD) {
                let is_matter = matter.is_some() && start < between.end && start + line.len() > between.start;
                match matter.filter(|_| is_matter) {
                    Some(matter) => read.line_of_frontmatter(file, matter, start, line),
                    None => read.line_elsewhere(start, line),
                }
            }
        }
        read.comments(file, matter.is_some(), &between);
        read.misplaced.sort_by_key(|(span, _)| span.start);
        read
    }

    fn line_of_frontmatter(&mut self, file: &RuleFile, matter: &Frontmatter, start: usize, line: &str) {
        let indent = line.len() - line.trim_start().len();
        let Some(at) = find_sharp(line) else { return };
        let span = start + at..start + line.trim_end().len();
        let text = text_at(matter, start + at);
        if at != indent {
            // A text in quotes may speak of suppressions.
            if !text.is_some_and(|node| is_quoted(file, node)) {
                self.misplaced.push((span, Misplaced::Trailing));
            }
            return;
        }
        let (is_file, rest) = parse_word(line.get(at + 1..).unwrap_or_default());
        let rest_at = start + line.len() - rest.len();
        let misplaced = if text.is_some() {
            Some(Misplaced::InValue)
        } else if line.contains(": ") || line.contains(":\t") || line.trim_end().ends_with(':') {
            Some(Misplaced::Colon)
        } else {
            None
        };
        if let Some(misplaced) = misplaced {
            self.misplaced.push((span, misplaced));
            return;
        }
        let about = if is_file { None } else { below(file, matter, start + line.len()) };
        if about.is_none() && !is_file {
            self.misplaced.push((span, Misplaced::NothingBelow));
            return;
        }
        self.add(rest, rest_at, about, span);
    }

    /// A line outside of the frontmatter that is written as one inside of it would be.
    fn line_elsewhere(&mut self, start: usize, line: &str) {
        let indent = line.len() - line.trim_start().len();
        if find_sharp(line) == Some(indent) {
            self.misplaced.push((start + indent..start + line.trim_end().len(), Misplaced::LineOfBody));
        }
    }

    fn comments(&mut self, file: &RuleFile, has_matter: bool, between: &Range<usize>) {
        let text = file.text();
        let mut at = 0;
        while let Some(start) = text[at..].find("<!--").map(|found| at + found) {
            let Some(end) = text[start + 4..].find("-->").map(|found| start + 4 + found) else { break };
            at = end + 3;
            let inner = text[start + 4..end].trim_start();
            if !begins_with_word(inner) {
                continue;
            }
            let span = start..at;
            let is_above = text.get(at..).is_some_and(|rest| rest.trim_start().starts_with("---"))
                && text.get(..start).is_some_and(|before| before.trim_start_matches('\u{FEFF}').trim().is_empty());
            if has_matter && start < between.end && start >= between.start {
                self.misplaced.push((span, Misplaced::MarkupInFrontmatter));
            } else if is_above {
                self.misplaced.push((span, Misplaced::AboveFence));
            } else {
                let (_, rest) = parse_word(inner);
                self.add(rest.trim_end(), end - rest.len(), None, span);
            }
        }
    }

    /// Adds what stands behind the word, which is `rest` at `rest_at`.
    fn add(&mut self, rest: &str, rest_at: usize, about: Option<Range<usize>>, span: Range<usize>) {
        let list = rest.split(char::is_whitespace).next().unwrap_or_default();
        let reason = rest.get(list.len()..).map(str::trim).filter(|reason| !reason.is_empty());
        let mut codes = Vec::new();
        let mut at = rest_at;
        for code in list.split(',') {
            if !code.is_empty() {
                codes.push((code.to_owned(), at..at + code.len()));
            }
            at += code.len() + 1;
        }
        if codes.is_empty() {
            self.misplaced.push((span, Misplaced::NoCode));
            return;
        }
        self.accepted.push(Suppression { codes, reason: reason.map(str::to_owned), about, span });
    }
}

/// The lines of a text, each with its byte offset.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split_inclusive(['\n', '\r']).scan(0, |at, line| {
        let start = *at;
        *at += line.len();
        Some((start, line.trim_end_matches(['\n', '\r'])))
    })
}

/// Where in the line a `#` stands with the word behind it.
fn find_sharp(line: &str) -> Option<usize> {
    line.match_indices('#').map(|(at, _)| at).find(|at| {
        let before = line.get(..*at).unwrap_or_default();
        let starts = before.is_empty() || before.ends_with([' ', '\t']);
        starts && begins_with_word(line.get(at + 1..).unwrap_or_default().trim_start())
    })
}

fn begins_with_word(text: &str) -> bool {
    text.strip_prefix(WORD).is_some_and(|rest| {
        let rest = rest.strip_prefix(FILE).unwrap_or(rest);
        rest.is_empty() || rest.starts_with(char::is_whitespace)
    })
}

/// Takes the word off: whether it is about the whole file, and what follows.
fn parse_word(text: &str) -> (bool, &str) {
    let rest = text.trim_start().strip_prefix(WORD).unwrap_or_default();
    match rest.strip_prefix(FILE) {
        Some(rest) => (true, rest.trim_start()),
        None => (false, rest.trim_start()),
    }
}

/// The text value that spans byte `at`.
fn text_at(matter: &Frontmatter, at: usize) -> Option<&Node> {
    fn inside(node: &Node, at: usize) -> Option<&Node> {
        if !node.span.contains(&at) {
            return None;
        }
        match &node.value {
            Yaml::List(items) => items.iter().find_map(|item| inside(item, at)),
            Yaml::Map(members) => members.iter().find_map(|(_, value)| inside(value, at)),
            _ => Some(node),
        }
    }
    matter.members.iter().find_map(|member| inside(&member.value, at))
}

fn is_quoted(file: &RuleFile, node: &Node) -> bool {
    file.text().get(node.span.clone()).is_some_and(|text| text.starts_with(['"', '\'', '|', '>']))
}

/// What stands below: the key and its value, the item of a list, or the line, from the first line at or behind `from`
/// that is neither blank nor a comment.
fn below(file: &RuleFile, matter: &Frontmatter, from: usize) -> Option<Range<usize>> {
    let rest = file.text().get(from..matter.span.end)?;
    let (start, line) = lines(rest).find(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'))?;
    let line = from + start..from + start + line.len();
    let begins = |span: &Range<usize>| line.contains(&span.start);
    for member in &matter.members {
        if begins(&member.key_span) {
            return Some(line.start..member.value.span.end.max(line.end));
        }
    }
    let item = matter
        .members
        .iter()
        .filter(|member| !member.key_span.is_empty())
        .find_map(|member| item_in(&member.value, &line));
    Some(item.map_or(line.clone(), |span| line.start..span.end.max(line.end)))
}

/// The largest part of a value that begins in the line.
fn item_in(node: &Node, line: &Range<usize>) -> Option<Range<usize>> {
    let of = |node: &Node| if line.contains(&node.span.start) { Some(node.span.clone()) } else { item_in(node, line) };
    match &node.value {
        Yaml::List(items) => items.iter().find_map(of),
        Yaml::Map(members) => members.iter().find_map(|(key, value)| {
            if line.contains(&key.span.start) { Some(key.span.start..value.span.end) } else { of(value) }
        }),
        _ => None,
    }
}
