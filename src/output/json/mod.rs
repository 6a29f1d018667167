//! The JSON forms as types, one file a form, from which the schemas that `--schema` prints are made too.

mod any;
mod text;
pub mod v1;
mod words;

pub use any::Any;
pub use text::{Owned, Text};
pub use words::{Bucket, Decision, Expected, InterruptMode, Lifecycle, Outcome, Severity, Source};

use std::io::{self, Write};

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;

/// The JSON Schema of a form as it is written, for people too.
pub fn schema<T: JsonSchema>() -> String {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let schema = generator.into_root_schema_for::<T>();
    let text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    format!("{text}\n")
}

/// Writes a form on one line, handed to `out` piece by piece: all of it at once takes several times the room of what
/// it is about.
pub fn write<T: Serialize>(form: &T, out: &mut dyn FnMut(&str)) {
    let mut pieces = Pieces { text: String::new(), out };
    // Nothing that is written here can fail to be: keys are texts, and numbers are whole.
    let _ = serde_json::to_writer(&mut pieces, form);
    let _ = pieces.flush();
}

/// A form as one line of JSON Lines.
pub fn line<T: Serialize>(form: &T) -> String {
    let mut json = String::new();
    write(form, &mut |piece| json.push_str(piece));
    json.push('\n');
    json
}

/// Bytes from which on a piece is handed on.
const PIECE: usize = 32 << 10;

struct Pieces<'a> {
    text: String,
    out: &'a mut dyn FnMut(&str),
}

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.push_str(std::str::from_utf8(bytes).map_err(io::Error::other)?);
        if self.text.len() >= PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        (self.out)(&self.text);
        self.text.clear();
        Ok(())
    }
}
