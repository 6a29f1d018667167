//! What tool calls show to rules, and arguments that are read while they stream.

mod formats;
mod model;

use proptest::prelude::*;
use ttsr::text::JsString;
use ttsr::text::json::Value;
use ttsr::tool::{ArgumentMode, CallReader, EditMode, Inspection, ReadOptions};

use super::support::{js_string, run_vectors};

fn options(edit_mode: Option<EditMode>) -> ReadOptions {
    ReadOptions { arguments: ArgumentMode::Eager, edit_mode, cwd: "/proj".into() }
}

/// Equal as the vectors compare: numbers as doubles, keys without order.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(_), Value::Number(_)) => left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(key, value)| right.iter().any(|(other, expected)| key == other && same(value, expected)))
        }
        _ => left == right,
    }
}

#[test]
fn partial_json_vectors() {
    run_vectors("partial-json", |case| {
        let text = js_string(case, "text").ok_or("no text")?;
        let expected = case.get("value").ok_or("no value")?;
        let mut reader = CallReader::new(&"bash".into(), &options(None));
        reader.push(text.units());
        let value = reader.arguments();
        if same(&value, expected) { Ok(()) } else { Err(format!("{} not {}", value.to_json(), expected.to_json())) }
    });
}

/// An inspection in the form of the vectors.
fn shown(inspection: &Inspection<'_>) -> Value {
    let text = |units: &[u16]| Value::String(JsString::from_units(units));
    let entries = inspection.entries.as_ref().map(|entries| {
        let entry = |entry: &ttsr::tool::Entry<'_>| {
            Value::from(ttsr::json_object! { "path": entry.path.clone(), "digest": text(entry.digest.text) })
        };
        Value::Array(entries.iter().map(entry).collect())
    });
    let paths = inspection.paths.map(|paths| Value::Array(paths.iter().cloned().map(Value::String).collect()));
    Value::from(ttsr::json_object! {
        "digest": inspection.whole_digest().map_or(Value::Null, Value::String),
        "entries": entries.unwrap_or(Value::Null),
        "paths": paths.unwrap_or(Value::Null),
    })
}

fn compare(actual: &Value, expected: &Value) -> Result<(), String> {
    for key in ["digest", "entries", "paths"] {
        let (actual, expected) = (actual.get(key).unwrap_or(&Value::Null), expected.get(key).unwrap_or(&Value::Null));
        if !same(actual, expected) {
            return Err(format!("{key}: {} not {}", actual.to_json(), expected.to_json()));
        }
    }
    Ok(())
}

#[test]
fn digest_vectors() {
    run_vectors("digest", |case| {
        let tool = js_string(case, "tool").ok_or("no tool")?;
        let mode = js_string(case, "edit_mode").map(|mode| EditMode::parse(&mode.to_string_lossy()).ok_or("odd mode"));
        // A recorded call does not tell its mode; where the arguments show it, guessing must come to the same.
        let mode = mode.transpose()?;
        if let Some(arguments) = case.get("args") {
            let mut reader = CallReader::new(&tool, &options(mode));
            reader.finish(Some(arguments));
            compare(&shown(&reader.inspect()), case)?;
            let mut streamed = CallReader::new(&tool, &options(mode));
            streamed.push(JsString::from(arguments.to_json()).units());
            return compare(&shown(&streamed.inspect()), case).map_err(|why| format!("streamed: {why}"));
        }
        let mut reader = CallReader::new(&tool, &options(mode));
        let deltas = case.get("deltas").and_then(Value::as_array).ok_or("no deltas")?;
        let steps = case.get("steps").and_then(Value::as_array).ok_or("no steps")?;
        for (at, (delta, step)) in deltas.iter().zip(steps).enumerate() {
            reader.push(delta.as_string().ok_or("odd delta")?.units());
            compare(&shown(&reader.inspect()), step).map_err(|why| format!("step {at}: {why}"))?;
        }
        Ok(())
    });
}

/// Argument texts of all formats, with repeated keys, members in any order, and sometimes pieces where they do not fit.
fn call_text() -> impl Strategy<Value = (String, Option<EditMode>)> {
    let line = prop::sample::select(vec![
        "[a.ts#A1B2]",
        "[b.ts]",
        "+x",
        "+",
        "++ y",
        "+++ b/x",
        "+z\r",
        "  ",
        "",
        "*** Begin Patch",
        "*** Update File: a.ts",
        "*** Add File: b.ts",
        "*** Delete File: c.ts",
        "*** End Patch",
        "@@",
        "-old",
        " keep",
        "PUT 1.=2:",
        "<SM:EDIT path=\"a.ts\">",
        "<SM:EDIT file='b.ts' all>",
        "<SM:EDIT>",
        "<SM:FIND>",
        "</SM:FIND>",
        "<SM:PUT>",
        "</SM:PUT>",
        "<SM:PUT></SM:PUT>",
        "<SM:AFTER>",
        "</SM:AFTER>",
        "</SM:EDIT>",
        "text \"q\"",
        "é🙂",
    ]);
    let body = prop::collection::vec(line, 0..12).prop_map(|lines| lines.join("\n"));
    let member = (
        prop::sample::select(vec![
            "path",
            "input",
            "_input",
            "new_string",
            "old_string",
            "content",
            "edits",
            "file_paths",
        ]),
        prop::collection::vec((body, any::<bool>()), 1..3),
    )
        .prop_map(|(key, bodies)| {
            let quoted = |text: &str| Value::from(text).to_json();
            let value = match key {
                "edits" => {
                    let edits = bodies.iter().map(|(diff, create)| {
                        let op = if *create { "create" } else { "update" };
                        format!(
                            "{{\"op\":\"{op}\",\"diff\":{}}},{{\"diff\":{},\"op\":\"{op}\"}}",
                            quoted(diff),
                            quoted(diff)
                        )
                    });
                    format!("[{}]", edits.collect::<Vec<_>>().join(","))
                }
                "file_paths" => {
                    format!("[{}]", bodies.iter().map(|(text, _)| quoted(text)).collect::<Vec<_>>().join(","))
                }
                _ => quoted(&bodies[0].0),
            };
            format!("\"{key}\":{value}")
        });
    let modes = prop::sample::select(vec![
        None,
        Some(EditMode::Replace),
        Some(EditMode::Patch),
        Some(EditMode::Hashline),
        Some(EditMode::ApplyPatch),
        Some(EditMode::Sloppy),
    ]);
    let damage = prop::sample::select(vec![
        "\"", "'", "\\", "/", "//", "/*", ",", ":", "{", "}", "[", "]", " ", "\n", "1_", "\\u00",
    ]);
    let damage = prop_oneof![Just(Vec::new()), prop::collection::vec((any::<prop::sample::Index>(), damage), 1..4)];
    (prop::collection::vec(member, 0..5), modes, damage).prop_map(|(members, mode, damage)| {
        let mut text: Vec<char> = format!("{{{}}}", members.join(",")).chars().collect();
        for (at, piece) in damage {
            let at = at.index(text.len());
            text.splice(at..at, piece.chars());
        }
        (text.into_iter().collect(), mode)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// At every cut, reading on shows what reading from the beginning shows, and what is said to be unchanged is.
    #[test]
    fn reading_on_equals_reading_anew(
        (text, mode) in call_text(),
        tool in prop::sample::select(vec!["edit", "write", "bash"]),
        cuts in prop::collection::vec(1_usize..12, 1..200),
    ) {
        let text = JsString::from(text);
        let mut resumed = CallReader::new(&tool.into(), &options(mode));
        let (mut at, mut before): (usize, Vec<(JsString, JsString)>) = (0, Vec::new());
        for size in cuts {
            let end = (at + size).min(text.len());
            resumed.push(&text.units()[at..end]);
            at = end;
            let mut anew = CallReader::new(&tool.into(), &options(mode));
            anew.push(&text.units()[..at]);
            prop_assert_eq!(resumed.step().paths.map(<[_]>::to_vec), anew.step().paths.map(<[_]>::to_vec));
            let inspection = resumed.inspect();
            prop_assert_eq!(shown(&inspection).to_json(), shown(&anew.inspect()).to_json());
            // `step` inspected once already, so the digests of this second look are all unchanged.
            let entries = inspection.entries.unwrap_or_default();
            for entry in &entries {
                prop_assert_eq!(entry.digest.unchanged, entry.digest.text.len());
            }
            if at == text.len() { break }
        }
        at = 0;
        let mut resumed = CallReader::new(&tool.into(), &options(mode));
        while at < text.len() {
            let end = (at + 3).min(text.len());
            resumed.push(&text.units()[at..end]);
            at = end;
            let entries = resumed.inspect().entries.unwrap_or_default();
            for entry in &entries {
                let known = before.iter().find(|(path, _)| path == entry.path).map_or(&[][..], |(_, text)| text.units());
                let unchanged = entry.digest.unchanged;
                prop_assert!(known.len() >= unchanged && known[..unchanged] == entry.digest.text[..unchanged]);
            }
            before = entries.iter().map(|entry| (entry.path.clone(), JsString::from_units(entry.digest.text))).collect();
        }
    }
}

#[test]
fn a_member_that_comes_twice_is_read_like_one_that_comes_late() {
    for text in [
        "{\"input\":\"\\n*** Add File: b.ts\\n<SM:EDIT>\",\"input\":\"[a.ts#A1B2]\"}",
        "{\"_input\":\"[a.ts#A1B2]\",\"input\":\"  \\n<SM:EDIT path=\\\"a.ts\\\">\"}",
    ] {
        let text = JsString::from(text);
        for size in 1..20 {
            let mut resumed = CallReader::new(&"edit".into(), &options(None));
            let mut at = 0;
            while at < text.len() {
                let end = (at + size).min(text.len());
                resumed.push(&text.units()[at..end]);
                at = end;
                let mut anew = CallReader::new(&"edit".into(), &options(None));
                anew.push(&text.units()[..at]);
                let [resumed, anew] = [&mut resumed, &mut anew].map(|call| call.step().paths.map(<[_]>::to_vec));
                assert_eq!(resumed, anew, "steps of {size}, at {at}");
            }
        }
    }
}
