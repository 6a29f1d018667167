//! The title slot: the padded first line that newer agents rewrite in place (session.md S1.3).

use crate::text::JsString;
use crate::text::json::{self, Object, Value};

/// Bytes of a slot line, LF included.
const SLOT_BYTES: usize = 256;

/// What a title slot says.
#[derive(Clone, Debug, PartialEq)]
pub struct TitleSlot {
    /// The title, empty to clear the header's.
    pub title: JsString,
    /// `auto` or `user`.
    pub source: Option<JsString>,
    /// When it was set, ISO 8601.
    pub updated_at: JsString,
}

impl TitleSlot {
    /// Reads a slot; nothing when the record fails one of the tests that the agent makes.
    pub(super) fn read(record: &Value) -> Option<Self> {
        let text = |key: &str| record.get(key).and_then(Value::as_string).cloned();
        if text("type")? != "title" || record.get("v")?.as_f64() != Some(1.0) {
            return None;
        }
        let source = match record.get("source") {
            None => None,
            Some(value) => Some(value.as_string().filter(|name| **name == "auto" || **name == "user").cloned()?),
        };
        text("pad")?;
        Some(Self { title: text("title")?, source, updated_at: text("updatedAt")? })
    }

    /// Overlays title and source on a header.
    pub(super) fn overlay(&self, header: &mut Object) {
        if self.title.is_empty() {
            header.remove("title");
        } else {
            header.insert("title", self.title.clone());
        }
        match &self.source {
            Some(source) => header.insert("titleSource", source.clone()),
            None => {
                header.remove("titleSource");
            }
        }
    }

    /// The slot as its line of exactly 256 bytes, LF included. Too long a title is cut by whole code points.
    pub fn to_line(&self) -> String {
        let line = |title: JsString, pad: usize| {
            let mut slot = Object::new();
            slot.insert("type", "title");
            slot.insert("v", 1_u32);
            slot.insert("title", title);
            if let Some(source) = &self.source {
                slot.insert("source", source.clone());
            }
            slot.insert("updatedAt", self.updated_at.clone());
            slot.insert("pad", " ".repeat(pad));
            Value::Object(slot).to_json() + "\n"
        };
        let overhead = line(JsString::new(), 0).len();
        let room = SLOT_BYTES.saturating_sub(overhead);
        let (mut title, mut used) = (JsString::new(), 0);
        for character in char::decode_utf16(self.title.units().iter().copied()) {
            let mut one = JsString::new();
            match character {
                Ok(character) => one.push_str(character.encode_utf8(&mut [0; 4])),
                Err(lone) => one.push_units(&[lone.unpaired_surrogate()]),
            }
            let mut escaped = String::new();
            json::write_string(&mut escaped, &one);
            used += escaped.len() - 2;
            if used > room {
                used -= escaped.len() - 2;
                break;
            }
            title.push_units(one.units());
        }
        line(title, room - used)
    }
}

/// What stands where the header should, in words.
pub(super) fn instead_of_header(record: &Value, line: usize) -> String {
    let text = |key: &str| record.get(key).and_then(Value::as_string);
    let is_title = text("type").is_some_and(|kind| *kind == "title");
    if !is_title {
        return match text("type") {
            Some(kind) if *kind == "session" => format!("the header on line {line} has no `id` that is a string"),
            Some(kind) => {
                format!(
                    "line {line} is an entry `{}`, not `session`",
                    kind.to_string_lossy().chars().take(40).collect::<String>()
                )
            }
            None => format!("line {line} is no entry `session` with a string `id`"),
        };
    }
    let is_source = |name: &JsString| *name == "auto" || *name == "user";
    let wrong = [
        (text("title").is_none(), "without `title`"),
        (record.get("v").and_then(Value::as_f64) != Some(1.0), "whose `v` is not 1"),
        (text("updatedAt").is_none(), "without `updatedAt`"),
        (text("pad").is_none(), "without `pad`"),
        (record.get("source").is_some() && !text("source").is_some_and(is_source), "whose `source` is unknown"),
    ];
    let mut wrong: Vec<&str> = wrong.into_iter().filter(|(is_wrong, _)| *is_wrong).map(|(_, what)| what).collect();
    if wrong.is_empty() {
        wrong.push("that is not the very first line");
    }
    format!("line {line} is a title line {}, which the agent takes for an entry", wrong.join(" and "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_line_has_256_bytes_whatever_the_title() {
        for title in ["", "Fix \"it\"", &"é".repeat(300), &"\u{1}".repeat(50)] {
            let slot = TitleSlot {
                title: title.into(),
                source: Some("user".into()),
                updated_at: "2026-03-14T09:03:20.000Z".into(),
            };
            let line = slot.to_line();
            assert_eq!(line.len(), 256, "{line}");
            let read = TitleSlot::read(&json::parse(&line).expect("JSON")).expect("a slot");
            assert!(slot.title.to_string_lossy().starts_with(&read.title.to_string_lossy()));
        }
    }
}
