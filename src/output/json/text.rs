//! [`Text`]: a text that JSON keeps as it is, lone surrogates too.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::text::JsString;
use crate::text::json::write_string;

/// A text of a session or rule; a lone surrogate is written as `\udXXX`.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a>(pub &'a JsString);

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Strings of Rust cannot hold a lone surrogate, so the text goes past them.
        let mut json = String::new();
        write_string(&mut json, self.0);
        RawValue::from_string(json).map_err(S::Error::custom)?.serialize(serializer)
    }
}

impl JsonSchema for Text<'_> {
    fn schema_name() -> Cow<'static, str> {
        String::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

/// As [`Text`], for a text that is nobody else's.
#[derive(Clone, Debug)]
pub struct Owned(pub JsString);

impl Serialize for Owned {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Text(&self.0).serialize(serializer)
    }
}

impl JsonSchema for Owned {
    fn schema_name() -> Cow<'static, str> {
        String::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}
