//! [`Verdicts`]: verdicts that somebody has given, as rows of a file or a script (generation-v4.md W15.2).

use crate::text::JsString;
use crate::text::json::{self, Object, Value};

use super::Ask;

/// What came back from a judge.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Per question of the ask the probability of a yes; nothing where it is not known.
    Answered(Vec<Option<f64>>),
    /// The judge failed, perhaps with an HTTP status: nobody is flagged, the rules stay armed (W7.3).
    Failed {
        /// The status.
        status: Option<u16>,
    },
}

impl Verdict {
    /// That nothing is known of the answer.
    pub fn unknown(ask: &Ask) -> Self {
        Self::Answered(vec![None; ask.rules.len()])
    }

    /// How many questions have no known answer.
    pub fn undecided(&self) -> usize {
        match self {
            Self::Answered(answers) => answers.iter().filter(|answer| answer.is_none()).count(),
            Self::Failed { .. } => 0,
        }
    }
}

/// A verdict, and how long the judge takes for it.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The verdict.
    pub verdict: Verdict,
    /// Milliseconds.
    pub delay_ms: u64,
}

/// Rows of verdicts. For each question the first row counts that fits and is not used up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdicts(Vec<Row>);

#[derive(Clone, Debug, PartialEq)]
struct Row {
    rule: Option<JsString>,
    /// Texts that the question, the subject and the content must contain.
    question: Option<JsString>,
    output: Option<JsString>,
    content: Option<JsString>,
    result: Given,
    delay_ms: u64,
    /// How often the row may still be used.
    left: Option<u64>,
    /// The first member that no row has.
    unknown: Option<JsString>,
}

/// The members of a row.
const MEMBERS: [&str; 14] = [
    "rule", "question", "output", "content", "noul", "answer", "reply", "error", "odd", "status", "delayMs", "afterMs",
    "after_ms", "times",
];

/// The longest time that a script or a row may name, in milliseconds: 30 years.
const LONGEST_MS: f64 = 1e12;

#[derive(Clone, Debug, PartialEq)]
enum Given {
    Probability(f64),
    /// What a chat model wrote (W7.2).
    Reply(JsString),
    Failure(Option<u16>),
}

/// Rows that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct VerdictError {
    /// The line, counted from 1, where rows stand one a line.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
}

impl Verdicts {
    /// Reads a JSON array of rows, or rows one a line.
    ///
    /// # Errors
    /// When the text is neither, or a row is no verdict.
    pub fn parse(text: &str) -> Result<Self, VerdictError> {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        if text.trim_start().starts_with('[') {
            let value = json::parse(text).map_err(|error| VerdictError { line: None, message: error.message })?;
            return Self::read(value.as_array().unwrap_or_default());
        }
        let mut rows = Vec::new();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let fail = |message| VerdictError { line: Some(at + 1), message };
            let value = json::parse(line).map_err(|error| fail(error.message))?;
            rows.push(Row::read(&value).map_err(fail)?);
        }
        Ok(Self(rows))
    }

    /// Reads rows such as those in a script's `judge` list.
    ///
    /// # Errors
    /// When a row is no verdict; its number, counted from 1, is part of the message.
    pub fn read(rows: &[Value]) -> Result<Self, VerdictError> {
        let read = |(at, row): (usize, &Value)| {
            Row::read(row).map_err(|what| VerdictError { line: None, message: format!("row {}: {what}", at + 1) })
        };
        Ok(Self(rows.iter().enumerate().map(read).collect::<Result<_, _>>()?))
    }

    /// Adds rows behind these.
    #[cfg(feature = "internals")]
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// What rows say that has no effect, in phrases: members that no row has, and rules that are not in `rules`.
    pub fn without_effect(&self, rules: &[JsString]) -> Vec<String> {
        let mut found = Vec::new();
        for (row, number) in self.0.iter().zip(1..) {
            if let Some(member) = &row.unknown {
                found.push(format!("row {number}: a verdict has no member `{member}`"));
            }
            if let Some(rule) = row.rule.as_ref().filter(|rule| !rules.contains(rule)) {
                found.push(format!("row {number}: no rule `{rule}` was read"));
            }
        }
        found
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What these rows answer; one failing row fails the whole request, and the slowest row delays it. Questions that no
    /// row fits have no known answer.
    pub fn answer(&mut self, ask: &Ask) -> Answer {
        let mut answers = Vec::with_capacity(ask.rules.len());
        let (mut failure, mut delay_ms) = (None, 0);
        for at in 0..ask.rules.len() {
            let Some(row) = self.0.iter_mut().find(|row| row.fits(ask, at)) else {
                answers.push(None);
                continue;
            };
            row.left = row.left.map(|left| left - 1);
            delay_ms = delay_ms.max(row.delay_ms);
            match &row.result {
                Given::Probability(probability) => answers.push(Some(*probability)),
                Given::Failure(status) => failure = failure.or(Some(*status)),
                Given::Reply(reply) => match read_reply(&reply.to_string_lossy(), at, ask.rules.len()) {
                    Some(yes) => answers.push(Some(f64::from(u8::from(yes)))),
                    None => failure = failure.or(Some(None)),
                },
            }
        }
        let verdict = match failure {
            Some(status) => Verdict::Failed { status },
            None => Verdict::Answered(answers),
        };
        Answer { verdict, delay_ms }
    }
}

impl Row {
    fn read(value: &Value) -> Result<Self, String> {
        let Some(row) = value.as_object() else { return Err(format!("a verdict is an object, not {}", value.kind())) };
        Ok(Self {
            rule: text(row, "rule")?,
            question: text(row, "question")?,
            output: text(row, "output")?,
            content: text(row, "content")?,
            result: Given::read(row)?,
            delay_ms: ["delayMs", "afterMs", "after_ms"]
                .into_iter()
                .find_map(|key| count(row, key).transpose())
                .transpose()?
                .unwrap_or(0),
            left: count(row, "times")?,
            unknown: row.iter().map(|(key, _)| key).find(|key| MEMBERS.iter().all(|known| **key != *known)).cloned(),
        })
    }

    fn fits(&self, ask: &Ask, at: usize) -> bool {
        let holds = |text: &JsString, part: &Option<JsString>| part.as_ref().is_none_or(|part| contains(text, part));
        self.left != Some(0)
            && self.rule.as_ref().is_none_or(|name| *name == ask.names[at])
            && holds(&ask.questions[at], &self.question)
            && holds(&ask.output.subject, &self.output)
            && holds(&ask.output.content, &self.content)
    }
}

impl Given {
    fn read(row: &Object) -> Result<Self, String> {
        const FIRST_ERROR: f64 = 400.0;
        if let Some(status) = row.get("status").and_then(Value::as_f64).filter(|status| *status >= FIRST_ERROR) {
            return Ok(Self::Failure(Some(status as u16)));
        }
        if row.get("error").and_then(Value::as_bool) == Some(true) || row.get("odd").is_some() {
            return Ok(Self::Failure(None));
        }
        if row.get("noul").is_some() && row.get("answer").is_some() {
            return Err("a verdict has `noul` or `answer`, not both".to_owned());
        }
        if let Some(noul) = row.get("noul") {
            let number = noul.as_f64().filter(|number| number.is_finite());
            return number.map(Self::Probability).ok_or(format!("`noul` is a number, not {}", noul.kind()));
        }
        if let Some(answer) = row.get("answer") {
            return match answer.as_string().map(JsString::to_string_lossy).as_deref() {
                Some("yes") => Ok(Self::Probability(1.0)),
                Some("no") => Ok(Self::Probability(0.0)),
                _ => Err("`answer` is \"yes\" or \"no\"".to_owned()),
            };
        }
        match row.get("reply").and_then(Value::as_string) {
            Some(reply) => Ok(Self::Reply(reply.clone())),
            None => Err("a verdict has `noul`, `answer`, `error` or `status`".to_owned()),
        }
    }
}

/// A text that a row may have.
fn text(row: &Object, key: &str) -> Result<Option<JsString>, String> {
    match row.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(format!("`{key}` is a text, not {}", other.kind())),
    }
}

/// A number that a row may have.
fn count(row: &Object, key: &str) -> Result<Option<u64>, String> {
    match row.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_f64() {
            Some(number) if (0.0..=LONGEST_MS).contains(&number) => Ok(Some(number as u64)),
            _ => Err(format!("`{key}` is a number from 0 to {LONGEST_MS}, not {}", value.to_json())),
        },
    }
}

fn contains(text: &JsString, part: &JsString) -> bool {
    part.is_empty() || text.units().windows(part.len()).any(|window| window == part.units())
}

/// What a chat model's reply says to question `at` of several (W7.2): a keyword, on a line `qN: …` where there are several
/// questions. Nothing when it cannot be read.
fn read_reply(reply: &str, at: usize, questions: usize) -> Option<bool> {
    let lower = reply.to_lowercase();
    let text = if questions > 1 {
        let label = format!("q{at}:");
        lower.lines().find_map(|line| line.trim().strip_prefix(&label).map(str::to_owned))?
    } else {
        lower
    };
    text.split(|one: char| !one.is_alphanumeric()).find_map(|word| match word {
        "yes" => Some(true),
        "no" => Some(false),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Context;
    use crate::judge::Output;
    use crate::message::Source;

    fn ask(questions: &[(&str, &str)], content: &str) -> Ask {
        Ask {
            id: 0,
            output: Output {
                subject: "reply".into(),
                content: content.into(),
                context: Context::prose(Source::Text),
                tool_call: None,
            },
            rules: (0..questions.len()).collect(),
            names: questions.iter().map(|(name, _)| (*name).into()).collect(),
            questions: questions.iter().map(|(_, question)| (*question).into()).collect(),
            steps: questions.len(),
            parsed: false,
        }
    }

    fn answers(rows: &str, ask: &Ask) -> Verdict {
        Verdicts::parse(rows).expect("rows").answer(ask).verdict
    }

    #[test]
    fn the_first_row_that_fits_answers_each_question() {
        let both = ask(&[("blame", "Blames?"), ("vague", "Vague?")], "your fault");
        let rows = r#"[{"question":"Vague","content":"other","noul":1},{"rule":"vague","noul":0.5},{"noul":0.9}]"#;
        assert_eq!(answers(rows, &both), Verdict::Answered(vec![Some(0.9), Some(0.5)]));
        assert_eq!(
            answers("{\"output\":\"rep\",\"answer\":\"yes\"}\n\n", &both),
            Verdict::Answered(vec![Some(1.0); 2])
        );
        assert_eq!(answers("{\"rule\":\"bla\",\"answer\":\"no\"}", &both), Verdict::unknown(&both));
        assert_eq!(answers("", &both).undecided(), 2);
    }

    #[test]
    fn a_row_is_used_up_after_its_times() {
        let one = ask(&[("a", "A?")], "x");
        let mut rows = Verdicts::parse(r#"[{"noul":1,"times":2},{"noul":0}]"#).expect("rows");
        let mut next = || rows.answer(&one).verdict;
        assert_eq!([next(), next(), next()].map(|verdict| one.flagged(&verdict).len()), [1, 1, 0]);
    }

    #[test]
    fn failures_and_delays_hold_for_the_whole_request() {
        let both = ask(&[("a", "A?"), ("b", "B?")], "x");
        let mut rows =
            Verdicts::parse("{\"rule\":\"a\",\"noul\":1,\"delayMs\":20}\n{\"status\":401,\"noul\":1,\"afterMs\":5}")
                .expect("rows");
        let answer = rows.answer(&both);
        assert_eq!((answer.verdict, answer.delay_ms), (Verdict::Failed { status: Some(401) }, 20));
        for failing in [r#"{"odd":{"type":"score"}}"#, r#"{"error":true}"#, r#"{"reply":"perhaps"}"#] {
            assert_eq!(answers(failing, &both), Verdict::Failed { status: None }, "{failing}");
        }
    }

    #[test]
    fn a_chat_reply_is_read_by_keyword_line_by_line() {
        let one = ask(&[("a", "A?")], "x");
        let both = ask(&[("a", "A?"), ("b", "B?")], "x");
        assert_eq!(answers(r#"{"reply":"Yes, it does."}"#, &one), Verdict::Answered(vec![Some(1.0)]));
        assert_eq!(answers(r#"{"reply":"q0: no\nq1: YES"}"#, &both), Verdict::Answered(vec![Some(0.0), Some(1.0)]));
    }

    #[test]
    fn rows_that_say_nothing_are_errors_with_their_place() {
        let error = |text: &str| Verdicts::parse(text).expect_err(text).to_string();
        assert!(error("{\"noul\":1}\n{\"question\":\"a\"}").starts_with("line 2: "));
        assert!(error("[{\"noul\":1},{\"noul\":\"1\"}]").starts_with("row 2: "));
        assert!(error("nonsense").starts_with("line 1: "));
        assert!(error("[{\"noul\":1}").len() > 5);
        assert!(error("{\"noul\":1,\"times\":-1}").contains("times"));
    }
}
