//! Diagnostics and failures as text for people, through miette's renderer.

use std::fmt;

use miette::{
    GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan,
    SpanContents,
};

use super::escape::{escape, escape_lines};
use super::style::Style;
use crate::diagnostic::{Diagnostic, Severity};

/// Longest piece of a source line that is shown.
const SNIPPET_LIMIT: usize = 240;

/// Renders `diagnostic` with its place, the source line if it is known, and the remedy.
pub fn render(diagnostic: &Diagnostic, style: Style) -> String {
    let place = diagnostic.place.as_ref().map(|place| {
        let position =
            if place.start.line == 0 { String::new() } else { format!(":{}:{}", place.start.line, place.start.column) };
        let entry = diagnostic.entry.as_ref().map(|id| format!(" (entry {})", escape(id))).unwrap_or_default();
        format!("{}{position}{entry}: ", escape(&place.file))
    });
    let report = Report {
        message: format!("{}{}", place.unwrap_or_default(), escape(&diagnostic.message)),
        code: Some(format!("{} {}", diagnostic.code, diagnostic.code.name())),
        help: diagnostic.help.as_deref().map(escape_lines),
        severity: diagnostic.severity,
        snippet: snippet(diagnostic),
    };
    report.render(style)
}

/// Renders a failure: what, and what to do.
pub fn render_failure(message: &str, help: Option<&str>, style: Style) -> String {
    let report = Report {
        message: escape(message),
        code: None,
        help: help.map(escape_lines),
        severity: Severity::Error,
        snippet: None,
    };
    report.render(style)
}

struct Report {
    message: String,
    code: Option<String>,
    help: Option<String>,
    severity: Severity,
    snippet: Option<Snippet>,
}

impl Report {
    fn render(&self, style: Style) -> String {
        let theme = if style.color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        let handler = GraphicalReportHandler::new_themed(theme)
            .with_width(usize::from(style.width))
            .with_links(false)
            .with_context_lines(0);
        let mut out = String::new();
        if handler.render_report(&mut out, self).is_err() {
            out = format!("{}: {}\n", self.severity, self.message);
        }
        out
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Report {}

impl miette::Diagnostic for Report {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.code.as_ref().map(|code| Box::new(code) as Box<dyn fmt::Display>)
    }

    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Note => miette::Severity::Advice,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.snippet.as_ref().map(|snippet| snippet as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = self.snippet.as_ref()?.span;
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(None, span))))
    }
}

/// One line of a source file with the part that is meant.
struct Snippet {
    name: String,
    line: usize,
    text: String,
    span: SourceSpan,
}

/// The first line of the snippet around the place, cut to a bearable length and escaped, with its span.
fn snippet(diagnostic: &Diagnostic) -> Option<Snippet> {
    let place = diagnostic.place.as_ref()?;
    let (text, base) = diagnostic.snippet.as_ref()?;
    let mut at = place.start.offset.checked_sub(*base)?.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let line_start = text[..at].rfind('\n').map_or(0, |lf| lf + 1);
    let line_end = text[at..].find('\n').map_or(text.len(), |lf| at + lf);
    let mut end = place.end.offset.saturating_sub(*base).clamp(at, line_end);
    while !text.is_char_boundary(end) {
        end += 1;
    }
    let line = &text[line_start..line_end];
    let (before, marked, after) = (&line[..at - line_start], &text[at..end], &text[end..line_end]);
    let before = tail(before, SNIPPET_LIMIT / 3);
    let marked = escape(&head(marked, SNIPPET_LIMIT / 3));
    let start = before.len();
    let length = marked.len();
    Some(Snippet {
        name: escape(&place.file),
        line: place.start.line,
        text: format!("{before}{marked}{}", escape(&head(after, SNIPPET_LIMIT / 3))),
        span: (start, length).into(),
    })
}

fn head(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

fn tail(text: &str, limit: usize) -> String {
    match text.char_indices().rev().nth(limit) {
        Some((at, character)) => format!("…{}", escape(&text[at + character.len_utf8()..])),
        None => escape(text),
    }
}

impl SourceCode for Snippet {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        _before: usize,
        _after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        if span.offset() + span.len() > self.text.len() {
            return Err(MietteError::OutOfBounds);
        }
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            self.text.as_bytes(),
            (0, self.text.len()).into(),
            self.line.saturating_sub(1),
            span.offset(),
            1,
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::lint::invalid_condition;
    use crate::text::{Place, Position};

    #[test]
    fn a_finding_says_where_what_and_what_to_do() {
        let start = Position { line: 3, column: 13, offset: 112 };
        let end = Position { line: 3, column: 14, offset: 113 };
        let diagnostic = Diagnostic::new(invalid_condition::CODE, "the group is never closed")
            .at(Place { file: "r.md".into(), start, end })
            .with_snippet("condition: '(foo'", 100)
            .with_help("close it: `(foo)`");
        let text = render(&diagnostic, Style::PLAIN);
        for part in ["r.md:3:13", "the group is never closed", "condition: '(foo'", "close it", "TTSR003"] {
            assert!(text.contains(part), "{part} missing in\n{text}");
        }
    }
}
