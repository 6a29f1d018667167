//! The JSON Schema of the frontmatter of a rule file, for editors: from the table of keys.

use serde_json::{Map, Value, json};

use crate::builtin::keys::{KEYS, OLDEST_TRIGGER, Reader, RuleKey, Takes};
use crate::generation::Lifecycle;
use crate::settings::InterruptMode;

/// The schema (draft 2020-12). Keys that nobody reads are allowed: they are the author's. It is about types alone; what a
/// pattern or a glob does is for the linter.
pub fn frontmatter_schema() -> String {
    let mut properties = Map::new();
    for key in &KEYS {
        let (name, hyphened) = (key.name.to_owned(), with_hyphens(key.name));
        // The agent takes hyphens out of keys.
        if hyphened != name {
            properties.insert(hyphened, property(key));
        }
        properties.insert(name, property(key));
    }
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Frontmatter of a stream rule",
        "description": "What stands between the two lines `---` of a rule file.",
        "type": "object",
        "properties": properties,
    });
    format!("{schema:#}\n")
}

fn property(key: &RuleKey) -> Value {
    let mut property = shape(key);
    if let Value::Object(members) = &mut property {
        let since = match (key.reader, key.since) {
            (Reader::Linter | Reader::Instructions, _) | (_, Lifecycle::V1) => String::new(),
            (Reader::Agent, since) => format!(" Since {}.", since.as_str()),
        };
        members.insert("description".to_owned(), format!("{}{since}", key.meaning).into());
        if matches!(key.name, OLDEST_TRIGGER | "ttsrTrigger") {
            members.insert("deprecated".to_owned(), true.into());
        }
    }
    property
}

/// What a value may be. One that is left empty is as good as none, but for a question.
fn shape(key: &RuleKey) -> Value {
    match key.takes {
        Takes::Texts => json!({"type": ["string", "array", "null"], "items": {"type": "string"}}),
        Takes::Text if key.name == "question" => json!({"type": "string", "pattern": "\\S"}),
        Takes::Text => json!({"type": ["string", "null"]}),
        Takes::Flag => json!({"type": ["boolean", "null"]}),
        Takes::Mode => {
            let modes =
                [InterruptMode::Never, InterruptMode::ProseOnly, InterruptMode::ToolOnly, InterruptMode::Always];
            let names: Vec<Value> = modes.iter().map(|mode| mode.as_str().into()).chain([Value::Null]).collect();
            json!({"enum": names})
        }
        Takes::Samples => samples(),
    }
}

/// `examples:` with lists of texts, and of texts with where they stand.
fn samples() -> Value {
    let text = json!({"type": "string"});
    let described = json!({
        "type": "object",
        "properties": {
            "text": text,
            "source": {"enum": ["text", "thinking", "tool"]},
            "tool": text,
            "path": text,
            "verdict": {"enum": ["yes", "no", true, false]},
        },
        "required": ["text"],
        "additionalProperties": false,
    });
    let sample = json!({"anyOf": [text, described]});
    let list = json!({"anyOf": [sample, {"type": "array", "items": sample}, {"type": "null"}]});
    json!({
        "type": ["object", "null"],
        "properties": {"fires": list, "silent": list},
        "additionalProperties": false,
    })
}

/// A key as it is written with hyphens.
fn with_hyphens(name: &str) -> String {
    name.chars().fold(String::new(), |mut written, one| {
        if one.is_ascii_uppercase() {
            written.push('-');
        }
        written.push(one.to_ascii_lowercase());
        written
    })
}
