//! The text that `--text` or `--text-file` gives, and what is assumed about it.

use std::io::Read;

use super::CliError;
use super::args::{ReplayArgs, SourceArg};
use super::console::Console;
use super::inputs;
use crate::message::Source;
use crate::output::escape;
use crate::replay::TextInput;
use crate::text::JsString;

/// The text given by `--text` or `--text-file`. What is assumed about a call is said.
///
/// # Errors
/// When the options do not fit each other, or the file cannot be read.
pub(super) fn texts(
    args: &ReplayArgs,
    stdin: &mut dyn Read,
    console: &mut Console<'_>,
) -> Result<Vec<(String, TextInput)>, CliError> {
    let (name, text) = match (&args.text, &args.text_file) {
        (Some(text), _) => ("--text".to_owned(), text.clone()),
        (None, Some(path)) => (path.to_string_lossy().into_owned(), inputs::read_text(path, stdin)?),
        (None, None) => {
            let stray =
                [(args.source.is_some(), "--source"), (args.tool.is_some(), "--tool"), (args.path.is_some(), "--path")];
            return match stray.into_iter().find(|(given, _)| *given) {
                Some((_, option)) => Err(CliError::usage(format!("{option} goes with --text or --text-file"))
                    .with_help("give the text to check, such as --text 'let x = 1'")),
                None => Ok(Vec::new()),
            };
        }
    };
    let is_call = args.path.is_some() || args.tool.is_some();
    let source = match args.source {
        Some(SourceArg::Tool) => Source::Tool,
        None if is_call => Source::Tool,
        Some(SourceArg::Thinking) => Source::Thinking,
        Some(SourceArg::Text) | None => Source::Text,
    };
    if source != Source::Tool && is_call {
        return Err(CliError::usage("--tool and --path need --source tool"));
    }
    let input = TextInput {
        source,
        tool: args.tool.as_deref().unwrap_or("write").into(),
        path: args.path.as_deref().map(JsString::from),
        text: text.into(),
    };
    if source == Source::Tool {
        console.note(&said(&name, &input, args));
    }
    Ok(vec![(name, input)])
}

/// Which call the text is taken for, and why.
fn said(name: &str, input: &TextInput, args: &ReplayArgs) -> String {
    let assumed = input.assume();
    let shown = |text: &JsString| escape(&text.to_string_lossy());
    let tool = match (&args.tool, &args.path) {
        (Some(_), _) => format!("`{}` call", shown(&input.tool)),
        (None, Some(_)) => "`write` call (a path and no --tool)".to_owned(),
        (None, None) => "`write` call (no --tool)".to_owned(),
    };
    let path = match &assumed.path {
        Some(path) => format!(" to `{}`", shown(path)),
        None => ", which names no file (no --path)".to_owned(),
    };
    let mode = assumed.mode.map(|mode| format!(", edit mode {}", mode.as_str())).unwrap_or_default();
    let name = escape(name);
    format!("{name}: taken as {} of a finished {tool}{path}{mode}", escape(&assumed.taken_for))
}
