//! Every JSON that the tests see against the schema of its form.

use std::collections::HashMap;
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value;
use ttsr::output::json::{schema, v1};
use ttsr::text::json::Value as Json;

/// More of one output is more of the same.
const CHECKED_LINES: usize = 400;

/// By the name in `schema` and a member that tells the document from its lines.
static FORMS: LazyLock<HashMap<(&str, &str), Validator>> = LazyLock::new(|| {
    let compiled = |text: String| {
        let schema: Value = serde_json::from_str(&text).expect("a schema is JSON");
        jsonschema::validator_for(&schema).expect("a schema that compiles")
    };
    HashMap::from([
        (("ttsr.trace/1", "kind"), compiled(schema::<v1::trace::Line<'_>>())),
        (("ttsr.replay/1", "inputs"), compiled(schema::<v1::trace::Replay<'_>>())),
        (("ttsr.report/1", "inputs"), compiled(schema::<v1::report::Report<'_>>())),
        (("ttsr.change/1", "summary"), compiled(schema::<v1::change::Document<'_>>())),
        (("ttsr.files/1", "summary"), compiled(schema::<v1::files::Document<'_>>())),
        (("ttsr.check/1", "diagnostics"), compiled(schema::<v1::check::Check<'_>>())),
    ])
});

/// A value as other programs hold it: half a surrogate pair, which the forms keep, becomes U+FFFD.
fn lossy(value: &Json) -> Value {
    match value {
        Json::String(text) => Value::String(text.to_string_lossy()),
        Json::Array(items) => Value::Array(items.iter().map(lossy).collect()),
        Json::Object(members) => {
            Value::Object(members.iter().map(|(key, value)| (key.to_string_lossy(), lossy(value))).collect())
        }
        other => serde_json::from_str(&other.to_json()).expect("JSON"),
    }
}

/// Checks each line of an output that is a document, or a line, of a form.
pub fn check(out: &str) {
    for line in out.lines().filter(|line| line.starts_with(r#"{"schema":"ttsr."#)).take(CHECKED_LINES) {
        let read = ttsr::text::json::parse(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        let value = lossy(&read);
        let name = value["schema"].as_str().expect("a name");
        let form = FORMS.iter().find(|((form, member), _)| *form == name && value.get(*member).is_some());
        if let Some((_, validator)) = form {
            let wrong: Vec<String> =
                validator.iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path())).collect();
            assert!(wrong.is_empty(), "{name}: {wrong:#?}\n{line}");
        }
    }
}

#[test]
fn a_line_that_is_not_of_its_form_is_noticed() {
    let good = r#"{"schema":"ttsr.trace/1","seq":0,"kind":"keep","at":{"input":"x"},"message":1}"#;
    check(good);
    for bad in [
        good.replace("\"message\":1", "\"message\":-1"),
        good.replace("keep", "kept"),
        good.replace("input", "in"),
        good.replace("\"seq\":0,", "\"seq\":0,\"more\":1,"),
    ] {
        assert!(std::panic::catch_unwind(|| check(&bad)).is_err(), "{bad}");
    }
}
