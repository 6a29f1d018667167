//! [`Any`]: JSON of a session as it stands there.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::ser::Error as _;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::text::json::Value;

/// A value of a session: numbers and the order of keys as they were read, lone surrogates as `\udXXX`.
#[derive(Clone, Debug)]
pub struct Any<'a>(pub Cow<'a, Value>);

impl<'a> From<&'a Value> for Any<'a> {
    fn from(value: &'a Value) -> Self {
        Self(Cow::Borrowed(value))
    }
}

impl From<Value> for Any<'_> {
    fn from(value: Value) -> Self {
        Self(Cow::Owned(value))
    }
}

impl Serialize for Any<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.0.to_json()).map_err(S::Error::custom)?.serialize(serializer)
    }
}

impl JsonSchema for Any<'_> {
    fn schema_name() -> Cow<'static, str> {
        "Any".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        Schema::default()
    }
}
