//! [`Samples`]: texts in the frontmatter of a rule that must fire it, and texts that must not. The agent knows no key
//! `examples` and ignores it.

use std::ops::Range;

use super::read::{Frontmatter, Key, Node, Reading, Rule, Yaml};
use crate::message::Source;
use crate::text::JsString;

pub use crate::builtin::keys::SAMPLES_KEY;

/// What a sample must do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The rule fires on all of the text.
    Fires,
    /// The rule fires neither on the text nor on any beginning of it.
    Silent,
}

impl Expected {
    /// The list that the sample stands in.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fires => "fires",
            Self::Silent => "silent",
        }
    }
}

/// One sample: a message, or a call that introduces the text, as `replay --text` has them.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// What it must do.
    pub expected: Expected,
    /// What the text is.
    pub source: Source,
    /// The tool, for a call.
    pub tool: Option<JsString>,
    /// The file that the call names.
    pub path: Option<JsString>,
    /// The text.
    pub text: JsString,
    /// What a judge answers about it, for a rule with a `question`: whether it is a yes.
    pub answer: Option<bool>,
    /// Where it is written (bytes in the text of the file).
    pub span: Range<usize>,
}

/// Something under `examples` that is no sample.
#[derive(Clone, Debug, PartialEq)]
pub struct SampleProblem {
    /// What is wrong, in a sentence without a full stop.
    pub message: String,
    /// What to write.
    pub help: &'static str,
    /// Where (bytes in the text of the file).
    pub span: Range<usize>,
}

/// What stands under `examples`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// The samples in the order in which they are written.
    pub samples: Vec<Sample>,
    /// What is no sample.
    pub problems: Vec<SampleProblem>,
    /// Where the key is written, when it is.
    pub key: Option<Range<usize>>,
}

const SHAPE: &str = "write `examples:` with a list `fires:` and a list `silent:`";
const SAMPLE_SHAPE: &str = "a sample is a text, or a mapping of `text` with `source`, `tool`, `path` and `verdict`";
const QUOTE: &str = "put the value into single quotes";
const ANSWERS: &str = "write `verdict: yes` or `verdict: no`";
const SOURCES: &str = "write `text`, `thinking` or `tool`";

impl Samples {
    /// Reads the samples, as far as the agent's reading of the frontmatter has left them.
    pub fn read(frontmatter: &Frontmatter) -> Self {
        let mut read = Self::default();
        let Some(member) = frontmatter.member(SAMPLES_KEY) else { return read };
        read.key = Some(member.key_span.clone());
        read.overridden(SAMPLES_KEY, &member.overridden);
        match &member.value.value {
            Yaml::Null => {}
            Yaml::Map(lists) => {
                for (key, list) in lists {
                    read.overridden(&key.text, &key.overridden);
                    match key.text.as_str() {
                        "fires" => read.list(Expected::Fires, list),
                        "silent" => read.list(Expected::Silent, list),
                        other => read.problem(format!("`examples` has no member `{other}`"), SHAPE, key.span.clone()),
                    }
                }
            }
            Yaml::String(_) if matches!(frontmatter.reading, Reading::LineByLine { .. }) => {
                let message = "the samples are lost, since the frontmatter is not valid YAML and is read line by line";
                read.problem(message, "mend the frontmatter first", member.key_span.clone());
            }
            _ => {
                let message = format!("`examples` should be a mapping, not {}", member.value.kind());
                read.problem(message, SHAPE, member.value.span.clone());
            }
        }
        if frontmatter.member("question").is_none() {
            let answered: Vec<_> = read.samples.extract_if(.., |one| one.answer.is_some()).collect();
            for sample in answered {
                let help = "leave `verdict` out: the conditions decide";
                read.problem("only a rule with a `question` has verdicts", help, sample.span);
            }
        }
        read
    }

    fn problem(&mut self, message: impl Into<String>, help: &'static str, span: Range<usize>) {
        self.problems.push(SampleProblem { message: message.into(), help, span });
    }

    fn overridden(&mut self, key: &str, spans: &[Range<usize>]) {
        for span in spans {
            let message = format!("`{key}` is written again below, so what stands here is lost");
            self.problem(message, "join the two", span.clone());
        }
    }

    /// Reads one list; as everywhere in a frontmatter, a single item may stand for a list of one.
    fn list(&mut self, expected: Expected, list: &Node) {
        let items = match &list.value {
            Yaml::Null => &[],
            Yaml::List(items) => items.as_slice(),
            _ => std::slice::from_ref(list),
        };
        for item in items {
            match &item.value {
                Yaml::String(text) => self.samples.push(Sample {
                    expected,
                    source: Source::Text,
                    tool: None,
                    path: None,
                    text: text.as_str().into(),
                    answer: None,
                    span: item.span.clone(),
                }),
                Yaml::Map(members) => self.mapping(expected, members, item.span.clone()),
                Yaml::Bool(_) | Yaml::Number(..) => {
                    self.problem(format!("a sample is {}, not a text", item.kind()), QUOTE, item.span.clone());
                }
                Yaml::Null | Yaml::List(_) => {
                    self.problem(format!("a sample is {}, not a text", item.kind()), SAMPLE_SHAPE, item.span.clone());
                }
            }
        }
    }

    /// Reads a sample with members, by the defaults of `replay --text`: a path or a tool makes it a call, and a call
    /// without a tool is one of `write`.
    fn mapping(&mut self, expected: Expected, members: &[(Key, Node)], span: Range<usize>) {
        let before = self.problems.len();
        let [mut source, mut tool, mut path, mut text] = [None, None, None, None];
        let mut answer = None;
        for (key, value) in members {
            self.overridden(&key.text, &key.overridden);
            let target = match key.text.as_str() {
                "source" => &mut source,
                "tool" => &mut tool,
                "path" => &mut path,
                "text" => &mut text,
                "verdict" => {
                    answer = is_yes(&value.value);
                    if answer.is_none() {
                        self.problem("`verdict` of a sample is what a judge answers", ANSWERS, value.span.clone());
                    }
                    continue;
                }
                other => {
                    self.problem(format!("a sample has no member `{other}`"), SAMPLE_SHAPE, key.span.clone());
                    continue;
                }
            };
            match &value.value {
                Yaml::String(string) => *target = Some((string, key, value)),
                _ => {
                    let message = format!("`{}` of a sample should be a string, not {}", key.text, value.kind());
                    self.problem(message, QUOTE, value.span.clone());
                }
            }
        }
        let call = tool.or(path);
        let source = match source {
            None => Some(if call.is_some() { Source::Tool } else { Source::Text }),
            Some((word, _, value)) => {
                let known = [Source::Text, Source::Thinking, Source::Tool];
                let found = known.into_iter().find(|source| source.as_str() == word);
                if found.is_none() {
                    self.problem(format!("a sample has no source `{word}`"), SOURCES, value.span.clone());
                }
                found
            }
        };
        if let Some((_, key, _)) = call.filter(|_| source.is_some_and(|source| source != Source::Tool)) {
            let message = format!("prose has no `{}`: it belongs to a call", key.text);
            self.problem(message, "leave it out, or write `source: tool`", key.span.clone());
        }
        if text.is_none() && self.problems.len() == before {
            self.problem("the sample has no `text`", SAMPLE_SHAPE, span.clone());
        }
        let (Some(source), Some((text, ..)), true) = (source, text, self.problems.len() == before) else { return };
        let string =
            |member: Option<(&String, &Key, &Node)>| member.map(|(string, ..)| JsString::from(string.as_str()));
        let tool = (source == Source::Tool).then(|| string(tool).unwrap_or_else(|| "write".into()));
        let text = text.as_str().into();
        self.samples.push(Sample { expected, source, tool, path: string(path), text, answer, span });
    }
}

impl Rule {
    /// The verdict samples of its file.
    pub fn samples(&self) -> Samples {
        let frontmatter = self.file.as_ref().and_then(|file| file.frontmatter.as_ref());
        frontmatter.map(Samples::read).unwrap_or_default()
    }
}

/// Whether an answer is a yes; none when it is no answer.
fn is_yes(value: &Yaml) -> Option<bool> {
    match value {
        Yaml::Bool(answer) => Some(*answer),
        Yaml::String(answer) if answer == "yes" => Some(true),
        Yaml::String(answer) if answer == "no" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generation::Lifecycle;
    use crate::rule::read::RuleFile;

    /// Each sample in a line, and each problem with the text that it points at.
    fn read(frontmatter: &str) -> (Vec<String>, Vec<String>) {
        let text = format!("---\n{frontmatter}\n---\nB");
        let file = RuleFile::read("r.md", text.into_bytes(), &Lifecycle::V3.semantics());
        let samples = file.frontmatter.as_ref().map(Samples::read).unwrap_or_default();
        let part = |text: Option<&JsString>| text.map_or("-".to_owned(), JsString::to_string_lossy);
        let lines = samples.samples.iter().map(|one| {
            let (tool, path) = (part(one.tool.as_ref()), part(one.path.as_ref()));
            format!("{} {} {tool} {path} {:?}", one.expected.as_str(), one.source.as_str(), one.text.to_string_lossy())
        });
        let problems =
            samples.problems.iter().map(|one| format!("{} @ {}", one.message, &file.text()[one.span.clone()]));
        (lines.collect(), problems.collect())
    }

    #[test]
    fn samples_have_the_defaults_of_a_replayed_text() {
        let (samples, problems) = read(
            "examples:\n  fires:\n    - plain 😀\n    - {text: a}\n    - {text: b, source: thinking}\n    - {text: c, path: x.ts}\n  silent:\n    - {text: d, tool: bash}\n    - {text: e, tool: edit, path: y.rs, source: tool}\n    - {text: '', source: tool}",
        );
        assert_eq!(problems, [""; 0]);
        assert_eq!(
            samples,
            [
                "fires text - - \"plain 😀\"",
                "fires text - - \"a\"",
                "fires thinking - - \"b\"",
                "fires tool write x.ts \"c\"",
                "silent tool bash - \"d\"",
                "silent tool edit y.rs \"e\"",
                "silent tool write - \"\"",
            ]
        );
    }

    #[test]
    fn what_is_no_sample_is_located() {
        for (frontmatter, wanted) in [
            ("examples: 5", "`examples` should be a mapping, not a number @ 5"),
            ("examples: [a]", "`examples` should be a mapping, not a list @ [a]"),
            ("examples: {fire: [a]}", "`examples` has no member `fire` @ fire"),
            ("examples: {fires: true}", "a sample is a boolean, not a text @ true"),
            ("examples: {fires: [42]}", "a sample is a number, not a text @ 42"),
            ("examples: {silent: [[a]]}", "a sample is a list, not a text @ [a]"),
            ("examples: {fires: [{text: 1}]}", "`text` of a sample should be a string, not a number @ 1"),
            ("examples: {fires: [{txt: a}]}", "a sample has no member `txt` @ txt"),
            ("examples: {fires: [{source: tool}]}", "the sample has no `text` @ {source: tool}"),
            ("examples: {fires: [{text: a, source: prose}]}", "a sample has no source `prose` @ prose"),
            (
                "examples: {fires: [{text: a, source: text, path: x}]}",
                "prose has no `path`: it belongs to a call @ path",
            ),
            (
                "examples: {fires: [a]}\nexamples: {}",
                "`examples` is written again below, so what stands here is lost @ examples",
            ),
        ] {
            let (samples, problems) = read(frontmatter);
            assert_eq!(problems, [wanted], "{frontmatter}");
            assert_eq!(samples, [""; 0], "{frontmatter}");
        }
    }

    #[test]
    fn no_samples_are_no_problem_and_lost_ones_are() {
        for empty in ["condition: a", "examples:", "examples: {fires: [], silent:}"] {
            assert_eq!(read(empty), (Vec::new(), Vec::new()), "{empty}");
        }
        let (samples, problems) = read("condition: \"\\s\"\nexamples:\n  fires: [a]");
        assert!(samples.is_empty() && problems[0].starts_with("the samples are lost"), "{problems:?}");
        let (samples, _) = read("description: a: b\nexamples:\n  fires: [c]");
        assert_eq!(samples, ["fires text - - \"c\""]);
    }
}
