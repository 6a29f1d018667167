//! The words of explanations: what was searched, what a rule listens to, where a condition came closest.

use crate::engine::Context;
use crate::engine::check::Subject;
use crate::engine::excerpt::excerpt;
use crate::message::Source;
use crate::pattern::{Nearness, Wanted};
use crate::rule::{CompiledRule, Scope};
use crate::text::JsString;

/// How many characters of a text are quoted in a sentence.
const QUOTED: usize = 48;

/// What the rules saw of a message or call.
#[derive(Clone, Debug, PartialEq)]
pub struct Searched {
    /// What it is.
    pub subject: Subject,
    /// The tool, for a call.
    pub tool: Option<JsString>,
    /// The first path that the call names, as written.
    pub path: Option<JsString>,
    /// Length in UTF-16 code units; none where the text was not kept, since no rule listens to it.
    pub units: Option<usize>,
    /// Its beginning, at most 80 code points.
    pub excerpt: JsString,
}

/// The place where a condition came closest to a match.
#[derive(Clone, Debug, PartialEq)]
pub struct Closest {
    /// The condition.
    pub condition: JsString,
    /// The beginning of a match that is there, shortened from its front.
    pub read: JsString,
    /// Where it begins, in UTF-16 code units.
    pub at: usize,
    /// What the condition demands next, in words.
    pub wanted: String,
    /// What is there in its place, a few characters; empty at the end of the text.
    pub found: JsString,
}

impl Searched {
    pub(super) fn new(context: &Context, subject: Subject, text: Option<&[u16]>) -> Self {
        Self {
            subject,
            tool: context.tool.clone(),
            path: context.paths.first().cloned(),
            units: text.map(<[u16]>::len),
            excerpt: excerpt(text.unwrap_or_default(), &(0..0)).text,
        }
    }

    /// What was searched, as part of a sentence.
    pub(super) fn words(&self) -> String {
        let tool = self.tool.as_ref().map(|tool| format!("`{tool}`")).unwrap_or_else(|| "unnamed".to_owned());
        match self.subject {
            Subject::Text => "the prose".to_owned(),
            Subject::Thinking => "the thinking".to_owned(),
            Subject::Content => format!("the content of the {tool} call"),
            Subject::Added => match &self.path {
                Some(path) => format!("what the {tool} call brings into `{path}`"),
                None => format!("what the {tool} call brings in"),
            },
            Subject::Arguments => {
                let text = self.excerpt.to_string_lossy();
                format!("the JSON arguments of the {tool} call, {text}")
            }
        }
    }
}

impl Closest {
    /// How close a text came to a condition, where anything in it begins a match.
    pub(super) fn new(condition: &JsString, text: &[u16], near: &Nearness) -> Option<Self> {
        if near.units == 0 {
            return None;
        }
        let read = &text[near.range.clone()];
        let mut shown = JsString::new();
        if read.len() > QUOTED {
            shown.push_str("…");
        }
        shown.push_units(&read[read.len().saturating_sub(QUOTED)..]);
        let rest = &text[near.range.end..];
        let found = JsString::from_units(&rest[..rest.len().min(QUOTED / 4)]);
        Some(Self {
            condition: condition.clone(),
            read: shown,
            at: near.range.start,
            wanted: wanted(near.wanted),
            found,
        })
    }

    /// The place as part of a sentence.
    pub(super) fn words(&self) -> String {
        let found = match self.found.is_empty() {
            true => "the text ends".to_owned(),
            false => format!("{} follows", code(&self.found)),
        };
        format!("it came closest with {}, where {found} and {} is wanted", code(&self.read), self.wanted)
    }
}

fn wanted(wanted: Wanted) -> String {
    match wanted {
        Wanted::Character(character) => format!("`{character}`"),
        Wanted::OneOf => "another character".to_owned(),
        Wanted::Test(test) => format!("a place for `{test}`"),
    }
}

fn code(text: &JsString) -> String {
    format!("`{}`", text.quotable())
}

/// What was streamed, for people.
pub(super) fn streamed(context: &Context) -> String {
    let path = context.paths.first().map(|path| format!(" with `{path}`")).unwrap_or_default();
    match (context.source, &context.tool) {
        (Source::Text, _) => "prose".to_owned(),
        (Source::Thinking, _) => "thinking".to_owned(),
        (Source::Tool, Some(tool)) => format!("a call of `{tool}`{path}"),
        (Source::Tool, None) => format!("a call{path}"),
    }
}

/// Why a scope excludes a context.
pub(super) fn out_of_scope(scope: &Scope, context: &Context) -> String {
    let listens = format!("its scope excludes {}; it takes {}", streamed(context), taken(scope));
    let named = context.tool.as_ref().map(|name| name.trim().to_ascii_lowercase());
    let of_the_tool = scope.tools.iter().filter(|tool| tool.name.is_none() || tool.name == named);
    let globs: Vec<String> =
        of_the_tool.filter_map(|tool| tool.path.as_ref()).map(|glob| format!("`{}`", glob.source())).collect();
    if context.source != Source::Tool || globs.is_empty() {
        return listens;
    }
    match context.paths.is_empty() {
        true => format!("{listens}, and this call names no file for {}", globs.join(" or ")),
        false => format!("{listens}, and {} does not meet the path", globs.join(" or ")),
    }
}

/// What a scope takes, as its tokens.
fn taken(scope: &Scope) -> String {
    let words = [(scope.text, "text"), (scope.thinking, "thinking"), (scope.any_tool, "tool")];
    let mut tokens: Vec<String> =
        words.into_iter().filter(|(on, _)| *on).map(|(_, word)| format!("`{word}`")).collect();
    for tool in &scope.tools {
        let name = tool.name.as_ref().map_or_else(|| "tool".to_owned(), |name| format!("tool:{name}"));
        let path = tool.path.as_ref().map(|glob| format!("({})", glob.source())).unwrap_or_default();
        tokens.push(format!("`{name}{path}`"));
    }
    tokens.join(", ")
}

/// Why globs exclude a context.
pub(super) fn out_of_globs(rule: &CompiledRule, context: &Context) -> String {
    let globs: Vec<String> = rule.globs.globs().iter().map(|glob| format!("`{}`", glob.source())).collect();
    let globs = globs.join(", ");
    match (context.paths.first(), context.source) {
        (Some(path), _) => format!("its globs exclude `{path}`: none of {globs} meets it"),
        (None, Source::Tool) => format!("the call names no file, and the rule has globs: {globs}"),
        (None, _) => format!("{} has no file, and the rule has globs: {globs}", prose(context.source)),
    }
}

fn prose(source: Source) -> &'static str {
    if source == Source::Thinking { "thinking" } else { "prose" }
}
