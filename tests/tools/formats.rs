//! Random calls of each edit format, streamed and cut everywhere, against the slow model and against fresh readers.

use proptest::prelude::*;
use ttsr::text::JsString;
use ttsr::tool::{CallReader, EditMode};

use super::model::{self, Entries};
use super::{options, shown};

/// Lines that one format gives a meaning, and some that look so.
const LINES: [&str; 58] = [
    "",
    "  ",
    "\u{FEFF}",
    "+",
    "++",
    "+x",
    "++ y",
    "+++ b/x",
    "++++ z",
    "+++",
    "+\t+tab",
    "+ [y.ts]",
    "-old",
    " keep",
    " +sp",
    "text \"q\"",
    "é🙂\u{2028}a",
    "@@",
    "PUT 1.=2:",
    "[a.ts#A1B2]",
    "[b.ts]",
    " [ a.ts #a1b2] ",
    "[a.ts#A1B]",
    "[app/[id].tsx#A1B2]",
    "[a]b.ts]",
    "[]",
    "[*** Update File: b.ts]",
    "*** Begin Patch",
    "*** End Patch",
    "*** End of File",
    "*** Update File: a.ts",
    "*** Update File:  b.ts ",
    " *** Update File: c.ts",
    "*** Update File: ",
    "*** Add File: b.ts",
    "*** Add File: ",
    " *** Add File: d.ts",
    "*** Delete File: c.ts",
    "*** Delete File: ",
    "*** Move to: e.ts",
    "*** Update File: *** Add File: a.ts",
    "<<EOF",
    "EOF",
    "cat <<'EOF'",
    "<SM:EDIT path=\"a.ts\">",
    "<SM:EDIT file=' b.ts ' all>",
    "<SM:EDIT>",
    "<SM:EDIT all>",
    "<SM:EDIT path=\"\">",
    "<SM:EDIT path=\"a>b\">",
    "<SM:FIND>",
    "</SM:FIND>",
    "<SM:PUT>",
    "</SM:PUT>",
    "<SM:PUT></SM:PUT>",
    "<SM:AFTER>",
    "</SM:AFTER>",
    "</SM:EDIT>",
];

/// What the input of a mode begins with when it is well-formed, and the range of its own lines.
fn habits(mode: EditMode) -> (&'static str, std::ops::Range<usize>) {
    match mode {
        EditMode::ApplyPatch => ("*** Begin Patch\n", 27..44),
        EditMode::Sloppy => ("<SM:EDIT path=\"a.ts\">\n", 44..58),
        _ => ("[a.ts#A1B2]\n", 19..27),
    }
}

fn input(mode: EditMode) -> impl Strategy<Value = String> {
    let (start, own) = habits(mode);
    let line = prop_oneof![
        3 => prop::sample::select(LINES[..19].to_vec()),
        3 => prop::sample::select(LINES[own].to_vec()),
        1 => prop::sample::select(LINES.to_vec()),
    ];
    let end = prop::sample::select(vec!["\n", "\n", "\n", "\n", "\r\n", "\n\n"]);
    let start = prop::sample::select(vec![start, start, start, "", "\n"]);
    (start, prop::collection::vec((line, end), 0..14)).prop_map(|(start, lines)| {
        format!("{start}{}", lines.iter().flat_map(|&(line, end)| [line, end]).collect::<String>())
    })
}

/// A character in a JSON string, sometimes as an escape.
fn quoted(character: char, escaped: bool) -> String {
    if escaped {
        let mut units = [0; 2];
        return character.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect();
    }
    let json = ttsr::text::json::Value::from(character.to_string().as_str()).to_json();
    json[1..json.len() - 1].to_owned()
}

/// The argument text of a call, and where in it how much of the decoded text has arrived.
struct Call {
    raw: String,
    arrived: Vec<(usize, usize)>,
}

impl Call {
    fn new(start: &str) -> Self {
        Self { raw: start.to_owned(), arrived: Vec::new() }
    }

    /// Adds text inside of a string; `escapes` says which characters are escaped.
    fn quote(&mut self, text: &str, before: usize, escapes: u64) {
        for (at, character) in text.char_indices() {
            self.raw.push_str(&quoted(character, escapes >> (at % 64) & 1 == 1));
            self.arrived.push((self.raw.encode_utf16().count(), before + at + character.len_utf8()));
        }
    }
}

/// Streams the call in deltas of so many units. After each, a fresh reader must show the same, what is said to be
/// unchanged must be so, and where whole characters have arrived, the model must show the same.
fn check(
    mode: EditMode,
    call: &Call,
    size: usize,
    expected: impl Fn(usize) -> (Entries, Vec<String>),
) -> Result<(), TestCaseError> {
    let raw: Vec<u16> = call.raw.encode_utf16().collect();
    let mut reader = CallReader::new(&"edit".into(), &options(Some(mode)));
    let mut before: Vec<(JsString, Vec<u16>)> = Vec::new();
    let mut at = 0;
    while at < raw.len() {
        let end = (at + size).min(raw.len());
        reader.push(&raw[at..end]);
        at = end;
        let mut fresh = CallReader::new(&"edit".into(), &options(Some(mode)));
        fresh.push(&raw[..at]);
        let inspection = reader.inspect();
        prop_assert_eq!(shown(&inspection).to_json(), shown(&fresh.inspect()).to_json());
        let entries = inspection.entries.as_deref().unwrap_or_default();
        for entry in entries {
            let known = before.iter().find(|(path, _)| path == entry.path).map_or(&[][..], |(_, text)| text);
            let unchanged = entry.digest.unchanged;
            prop_assert!(unchanged <= known.len() && known[..unchanged] == entry.digest.text[..unchanged]);
        }
        before = entries.iter().map(|entry| (entry.path.clone(), entry.digest.text.to_vec())).collect();
        if let Some((_, arrived)) = call.arrived.iter().find(|(offset, _)| *offset == at) {
            let (expected, headers) = expected(*arrived);
            let found: Entries =
                before.iter().map(|(path, text)| (path.to_string_lossy(), String::from_utf16_lossy(text))).collect();
            let paths = inspection.paths.unwrap_or_default().iter().map(JsString::to_string_lossy).collect::<Vec<_>>();
            let named = expected.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>();
            prop_assert_eq!(&found, &expected);
            prop_assert_eq!(paths, if named.is_empty() { headers } else { named });
        }
    }
    Ok(())
}

fn check_input(
    mode: EditMode,
    input: &str,
    escapes: u64,
    size: usize,
    model: fn(&str) -> (Entries, Vec<String>),
) -> Result<(), TestCaseError> {
    let mut call = Call::new("{\"input\": \"");
    call.quote(input, 0, escapes);
    call.raw.push_str("\"}");
    check(mode, &call, size, |arrived| model(&input[..arrived]))
}

/// Which characters are escaped: mostly none.
fn escapes() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), any::<u64>()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hashline(input in input(EditMode::Hashline), escapes in escapes(), size in 1_usize..40) {
        check_input(EditMode::Hashline, &input, escapes, size, model::hashline)?;
    }

    #[test]
    fn apply_patch(input in input(EditMode::ApplyPatch), escapes in escapes(), size in 1_usize..40) {
        check_input(EditMode::ApplyPatch, &input, escapes, size, model::apply_patch)?;
    }

    #[test]
    fn sloppy(input in input(EditMode::Sloppy), escapes in escapes(), size in 1_usize..40) {
        check_input(EditMode::Sloppy, &input, escapes, size, |input| (model::sloppy(input), Vec::new()))?;
    }

    #[test]
    fn patch(
        edits in prop::collection::vec((any::<bool>(), input(EditMode::Patch)), 1..4),
        escapes in escapes(),
        size in 1_usize..40,
    ) {
        let mut call = Call::new("{\"path\":\"a.ts\",\"edits\":[");
        let mut length = 0;
        for (create, diff) in &edits {
            let op = if *create { "create" } else { "update" };
            call.raw.push_str(&format!("{{\"op\":\"{op}\",\"diff\":\""));
            call.quote(diff, length, escapes);
            call.raw.push_str("\"},");
            length += diff.len();
        }
        check(EditMode::Patch, &call, size, |mut arrived| {
            let mut seen = Vec::new();
            for (create, diff) in &edits {
                seen.push((*create, diff[..arrived.min(diff.len())].to_owned()));
                if arrived <= diff.len() {
                    break;
                }
                arrived -= diff.len();
            }
            let entries = model::patch(&seen).map(|text| ("a.ts".to_owned(), text));
            (entries.into_iter().collect(), vec!["a.ts".to_owned()])
        })?;
    }
}
