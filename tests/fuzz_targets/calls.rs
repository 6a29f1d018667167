//! Arguments of tool calls that stream in, as JSON and in each edit format.

use ttsr::text::JsString;
use ttsr::text::json;
use ttsr::tool::{ArgumentMode, CallReader, EditMode, Inspection, ReadOptions};

const MODES: [Option<EditMode>; 6] = [
    None,
    Some(EditMode::Replace),
    Some(EditMode::Patch),
    Some(EditMode::Hashline),
    Some(EditMode::ApplyPatch),
    Some(EditMode::Sloppy),
];

fn options(edit_mode: Option<EditMode>) -> ReadOptions {
    ReadOptions { arguments: ArgumentMode::Eager, edit_mode, cwd: "/project".into() }
}

/// The first byte is the length of a delta. Read on and read anew are the same; what is JSON is read as such.
pub fn partial_json(bytes: &[u8]) {
    let Some((delta, rest)) = bytes.split_first() else { return };
    let text = String::from_utf8_lossy(rest);
    let units: Vec<u16> = text.encode_utf16().take(600).collect();
    let mut reader = CallReader::new(&"bash".into(), &options(None));
    let mut read = 0;
    for part in units.chunks(usize::from(*delta) + 1) {
        reader.push(part);
        read += part.len();
        let mut anew = CallReader::new(&"bash".into(), &options(None));
        anew.push(&units[..read]);
        assert_eq!(reader.arguments(), anew.arguments(), "after {read} units of {text:?}");
    }
    let whole = String::from_utf16_lossy(&units);
    if let Ok(value @ json::Value::Object(_)) = json::parse(&whole) {
        assert_eq!(reader.arguments().to_json(), value.to_json(), "{whole:?}");
    }
}

/// A text, entries by name, and names.
type Shown = (Option<JsString>, Vec<(JsString, Vec<u16>)>, Option<Vec<JsString>>);

/// Files and digests that an inspection shows.
fn shown(inspection: &Inspection<'_>) -> Shown {
    let entries = inspection.entries.iter().flatten().map(|entry| (entry.path.clone(), entry.digest.text.to_vec()));
    (inspection.whole_digest(), entries.collect(), inspection.paths.map(<[JsString]>::to_vec))
}

/// The first two bytes choose the format and the length of a delta. Read on and read anew are the same, and what is
/// said to be unchanged is.
pub fn edit(bytes: &[u8]) {
    let [mode, delta, rest @ ..] = bytes else { return };
    let mode = MODES[usize::from(*mode) % MODES.len()];
    let units: Vec<u16> = String::from_utf8_lossy(rest).encode_utf16().take(600).collect();
    for tool in ["edit", "write"] {
        let mut reader = CallReader::new(&tool.into(), &options(mode));
        let (mut read, mut before): (usize, Vec<(JsString, Vec<u16>)>) = (0, Vec::new());
        for part in units.chunks(usize::from(*delta % 64) + 1) {
            reader.push(part);
            read += part.len();
            let mut anew = CallReader::new(&tool.into(), &options(mode));
            anew.push(&units[..read]);
            let inspection = reader.inspect();
            assert_eq!(shown(&inspection), shown(&anew.inspect()), "{mode:?} after {read} units");
            for entry in inspection.entries.iter().flatten() {
                let known = before.iter().find(|(path, _)| path == entry.path).map_or(&[][..], |(_, text)| text);
                let unchanged = entry.digest.unchanged;
                assert!(unchanged <= known.len() && known[..unchanged] == entry.digest.text[..unchanged]);
            }
            before = shown(&inspection).1;
        }
        reader.finish(None);
        reader.inspect();
    }
}
