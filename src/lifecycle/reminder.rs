//! Reminders: templates, the path that they show, rendering (engine.md E9).

use crate::generation::Semantics;
use crate::text::JsString;

use super::tidy::tidy;

const INTERRUPT: &str = "<system-interrupt reason=\"rule_violation\" rule=\"{{name}}\" path=\"{{path}}\">
Your output was stopped at the point where it broke a rule that the user has set.
This notice is written by the tool that runs you; nobody has tampered with the conversation.
Comply with the rule below and carry on with the task.

{{content}}
</system-interrupt>";

const TOOL: &str = "<system-reminder reason=\"rule_violation\" rule=\"{{name}}\" path=\"{{path}}\">
The arguments of this tool call matched a rule that the user has set; the tool has run all the same, so follow the \
rule from now on.

{{content}}
</system-reminder>";

const WARNING: &str = "<system-reminder reason=\"rule_violation\" rule=\"{{name}}\" path=\"{{path}}\">
A review of your {{output}} found that it breaks a rule that the user has set: put right what it concerns, and carry on \
with the task.

{{content}}
</system-reminder>";

/// A text with places for a rule: `{{name}}`, `{{path}}` and `{{content}}`, in warnings also `{{output}}`, filled in as
/// they are, without escaping and without looking for places in what was filled in (engine.md E9.4).
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    Text(String),
    Name,
    Path,
    Content,
    Output,
}

const OUTPUT_PLACE: &str = "{{output}}";

impl Template {
    /// The template of interrupts and deferred reminders (engine.md E9.1).
    pub fn interrupt() -> Self {
        Self::parse(INTERRUPT)
    }

    /// The template of reminders in tool results (engine.md E9.2).
    pub fn tool_reminder() -> Self {
        Self::parse(TOOL)
    }

    /// The template of warnings after a judge's yes (generation-v4.md W8.3).
    pub fn warning() -> Self {
        Self::parse(WARNING)
    }

    /// Reads a template. Places other than these stay as text; white space at the end is left out.
    pub fn parse(text: &str) -> Self {
        let places = [
            ("{{name}}", Part::Name),
            ("{{path}}", Part::Path),
            ("{{content}}", Part::Content),
            (OUTPUT_PLACE, Part::Output),
        ];
        let mut parts = Vec::new();
        let mut rest = text.trim_end();
        loop {
            let next = places
                .iter()
                .filter_map(|(place, part)| Some((rest.find(place)?, place.len(), part)))
                .min_by_key(|&(at, ..)| at);
            let Some((at, length, part)) = next else { break };
            if at > 0 {
                parts.push(Part::Text(rest[..at].to_owned()));
            }
            parts.push(part.clone());
            rest = &rest[at + length..];
        }
        if !rest.is_empty() {
            parts.push(Part::Text(rest.to_owned()));
        }
        Self { parts }
    }

    fn fill(&self, name: &JsString, path: &JsString, content: &JsString, output: Option<&JsString>) -> JsString {
        let mut filled = JsString::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => filled.push_str(text),
                Part::Name => filled.push_units(name.units()),
                Part::Path => filled.push_units(path.units()),
                Part::Content => filled.push_units(content.units()),
                Part::Output => match output {
                    Some(output) => filled.push_units(output.units()),
                    None => filled.push_str(OUTPUT_PLACE),
                },
            }
        }
        filled
    }
}

/// The templates and what rendering depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct Templates {
    /// For interrupts and deferred reminders.
    pub interrupt: Template,
    /// For reminders in tool results.
    pub tool_reminder: Template,
    /// For warnings after a judge's yes.
    pub warning: Template,
    /// The working directory of the run, absolute.
    pub cwd: JsString,
    /// The user's home, absolute.
    pub home: JsString,
}

/// Which template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReminderKind<'a> {
    /// [`Templates::interrupt`]
    Interrupt,
    /// [`Templates::tool_reminder`]
    ToolResult,
    /// [`Templates::warning`]
    Warning {
        /// The output that was judged, as [`Output::subject`](crate::judge::Output::subject) names it.
        output: &'a JsString,
    },
}

impl Templates {
    /// The built-in templates.
    pub fn new(cwd: impl Into<JsString>, home: impl Into<JsString>) -> Self {
        Self {
            interrupt: Template::interrupt(),
            tool_reminder: Template::tool_reminder(),
            warning: Template::warning(),
            cwd: cwd.into(),
            home: home.into(),
        }
    }

    /// One rule's block, as the generation renders it (engine.md E9, E11 G21 and G22).
    pub fn render(
        &self,
        kind: ReminderKind<'_>,
        semantics: &Semantics,
        name: &JsString,
        path: &JsString,
        content: &JsString,
    ) -> JsString {
        let (template, output) = match kind {
            ReminderKind::Interrupt => (&self.interrupt, None),
            ReminderKind::ToolResult => (&self.tool_reminder, None),
            ReminderKind::Warning { output } => (&self.warning, Some(output)),
        };
        let shown = if semantics.relative_paths { shown_path(path, &self.cwd, &self.home) } else { path.clone() };
        let block = template.fill(name, &shown, content, output);
        if semantics.tidy { tidy(&block) } else { block }
    }
}

/// Blocks joined by a blank line (engine.md E9.3).
pub fn join_blocks(blocks: impl IntoIterator<Item = JsString>) -> JsString {
    let mut joined = JsString::new();
    for (at, block) in blocks.into_iter().enumerate() {
        if at > 0 {
            joined.push_str("\n\n");
        }
        joined.push_units(block.units());
    }
    joined
}

/// The path that a reminder shows: relative to `cwd` when inside it, else `~/…` when under `home`, else as it is
/// (engine.md E9.5). Only absolute paths are changed.
pub fn shown_path(path: &JsString, cwd: &JsString, home: &JsString) -> JsString {
    let Some(absolute) = segments(path) else { return path.clone() };
    if let Some(inside) = below(&absolute, cwd) {
        return if inside.is_empty() { JsString::from(".") } else { JsString::from_units(inside.join(&SLASH)) };
    }
    match below(&absolute, home) {
        Some(inside) => {
            let mut shown = JsString::from("~");
            for segment in inside {
                shown.push_units(&[SLASH]);
                shown.push_units(segment);
            }
            shown
        }
        None => path.clone(),
    }
}

const SLASH: u16 = b'/' as u16;

/// The segments of an absolute path with `.` and `..` folded; none for any other path.
fn segments(path: &JsString) -> Option<Vec<&[u16]>> {
    let [SLASH, rest @ ..] = path.units() else { return None };
    let mut folded: Vec<&[u16]> = Vec::new();
    for segment in rest.split(|&unit| unit == SLASH) {
        const DOT: u16 = b'.' as u16;
        match segment {
            [] | [DOT] => {}
            [DOT, DOT] => {
                folded.pop();
            }
            _ => folded.push(segment),
        }
    }
    Some(folded)
}

/// What is left of a path below a directory, if it is inside.
fn below<'a>(path: &[&'a [u16]], directory: &JsString) -> Option<Vec<&'a [u16]>> {
    let directory = segments(directory)?;
    let inside = path.len() >= directory.len() && path.iter().zip(&directory).all(|(one, other)| one == other);
    inside.then(|| path[directory.len()..].to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generation::Lifecycle;

    #[test]
    fn places_are_filled_once_and_raw() {
        let template = Template::parse("<{{name}}|{{path}}|{{other}}>{{content}}\n\n");
        let filled = template.fill(&"{{content}}".into(), &"a\"b".into(), &"{{name}}&".into(), None);
        assert_eq!(filled, "<{{content}}|a\"b|{{other}}>{{name}}&");
    }

    #[test]
    fn shown_paths_prefer_the_working_directory() {
        let shown = |path: &str| shown_path(&path.into(), &"/home/u/proj".into(), &"/home/u".into()).to_string_lossy();
        assert_eq!(shown("/home/u/proj/.omp/rules/a.md"), ".omp/rules/a.md");
        assert_eq!(shown("/home/u/projx/a.md"), "~/projx/a.md");
        assert_eq!(shown("/home/u/../a.md"), "/home/u/../a.md");
        assert_eq!(shown("builtin-defaults:a.md"), "builtin-defaults:a.md");
        assert_eq!(shown("/home/u/proj"), ".");
        assert_eq!(shown("/home/u"), "~");
    }

    #[test]
    fn the_early_generation_neither_shortens_nor_tidies() {
        let templates = Templates::new("/proj", "/home/user");
        let render = |lifecycle: Lifecycle| {
            templates
                .render(
                    ReminderKind::Interrupt,
                    &lifecycle.semantics(),
                    &"r".into(),
                    &"/proj/r.md".into(),
                    &"a\n\n\nb".into(),
                )
                .to_string_lossy()
        };
        assert!(render(Lifecycle::V1).contains("path=\"/proj/r.md\"") && render(Lifecycle::V1).contains("a\n\n\nb"));
        assert!(render(Lifecycle::V3).contains("path=\"r.md\"") && render(Lifecycle::V3).contains("\n\na\nb\n</"));
    }

    #[test]
    fn the_built_in_wordings_have_three_lines_and_one() {
        let lines = |template: &str| template.split("\n\n").next().map_or(0, |head| head.lines().count() - 1);
        assert_eq!((lines(INTERRUPT), lines(TOOL), lines(WARNING)), (3, 1, 1));
        let prefix = crate::message::REMINDER_PREFIX;
        assert!(TOOL.starts_with(prefix) && WARNING.starts_with(prefix));
    }
}
