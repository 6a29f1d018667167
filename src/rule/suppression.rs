//! `ttsr-ignore`: the findings that the author of a rule file accepts, said in the file itself where the agent does not
//! see it.
//!
//! In the frontmatter that is a YAML comment on a line of its own, `# ttsr-ignore CODE reason`, above the key (or the
//! item of a list) that it is about, or `# ttsr-ignore-file CODE reason`; in the body an HTML comment,
//! `<!-- ttsr-ignore CODE reason -->`, which the agent deletes (engine.md E1.6) and which is about the whole file.
//! Behind a value on the same line it could become part of the value: the agent reads a frontmatter that is not YAML
//! line by line, or with values put into quotes (E1.7).

use std::ops::Range;

use super::read::{Outline, RuleFile};

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
pub(super) fn keys(file: &RuleFile) -> Vec<Option<String>> {
    let outline = file.outline();
    let key = |about: &Range<usize>| {
        let key = outline.begins_in(about)?;
        outline.top_key_at(key.start).filter(|(_, start)| *start == key.start).map(|(key, _)| key.to_owned())
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

/// A suppression above a key that has not come yet: what stands behind the word, where, and the whole.
type Pending<'t> = (&'t str, usize, Range<usize>);

impl Suppressions {
    /// Reads the suppressions of a file.
    pub fn read(file: &RuleFile) -> Self {
        let mut read = Self::default();
        if !file.text().contains(WORD) {
            return read;
        }
        let between = file.frontmatter.as_ref().map_or(0..0, |matter| matter.span.clone());
        let outline = file.outline();
        let mut pending: Vec<Pending<'_>> = Vec::new();
        for (start, line) in lines(file.text()) {
            if start >= between.end || start + line.len() <= between.start {
                read.line_elsewhere(start, line);
                continue;
            }
            if line.contains(WORD) {
                read.line_of_frontmatter(file, &outline, start, line, &mut pending);
            }
            if !line.trim().is_empty() && !line.trim_start().starts_with('#') {
                let about = below(&outline, start..start + line.len());
                for (rest, at, span) in pending.drain(..) {
                    read.add(rest, at, Some(about.clone()), span);
                }
            }
        }
        read.misplaced.extend(pending.into_iter().map(|(_, _, span)| (span, Misplaced::NothingBelow)));
        read.comments(file, &between);
        read.accepted.sort_by_key(|one| one.span.start);
        read.misplaced.sort_by_key(|(span, _)| span.start);
        read
    }

    fn line_of_frontmatter<'t>(
        &mut self,
        file: &RuleFile,
        outline: &Outline,
        start: usize,
        line: &'t str,
        pending: &mut Vec<Pending<'t>>,
    ) {
        let indent = line.len() - line.trim_start().len();
        let Some(at) = find_sharp(line) else { return };
        let span = start + at..start + line.trim_end().len();
        let text = outline.scalar_at(start + at);
        if at != indent {
            // A text in quotes may speak of suppressions.
            let is_quoted =
                |text: Range<usize>| file.text().get(text).is_some_and(|text| text.starts_with(['"', '\'', '|', '>']));
            if !text.is_some_and(is_quoted) {
                self.misplaced.push((span, Misplaced::Trailing));
            }
            return;
        }
        let (is_file, rest) = parse_word(line.get(at + 1..).unwrap_or_default());
        let rest_at = start + line.len() - rest.len();
        if text.is_some() {
            self.misplaced.push((span, Misplaced::InValue));
        } else if line.contains(": ") || line.contains(":\t") || line.trim_end().ends_with(':') {
            self.misplaced.push((span, Misplaced::Colon));
        } else if is_file {
            self.add(rest, rest_at, None, span);
        } else {
            pending.push((rest, rest_at, span));
        }
    }

    /// A line outside of the frontmatter that is written as one inside of it would be.
    fn line_elsewhere(&mut self, start: usize, line: &str) {
        if !line.contains(WORD) {
            return;
        }
        let indent = line.len() - line.trim_start().len();
        if find_sharp(line) == Some(indent) {
            self.misplaced.push((start + indent..start + line.trim_end().len(), Misplaced::LineOfBody));
        }
    }

    fn comments(&mut self, file: &RuleFile, between: &Range<usize>) {
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
            if start < between.end && start >= between.start {
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

/// What a suppression above the line is about: the key and its value, the item of a list, or the line.
fn below(outline: &Outline, line: Range<usize>) -> Range<usize> {
    let end = outline.begins_in(&line).map_or(line.end, |part| part.end.max(line.end));
    line.start..end
}
