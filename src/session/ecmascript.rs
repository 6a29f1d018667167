//! What ECMAScript makes of a value of any type, where the agent does not look at the type.

use crate::text::JsString;
use crate::text::json::Value;

/// Whether a value counts as true.
pub(super) fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(_) => value.as_f64().is_some_and(|number| number != 0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

/// A value in a template literal; `undefined` without one.
pub(super) fn as_text(value: Option<&Value>) -> JsString {
    match value {
        None => "undefined".into(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Object(_)) => "[object Object]".into(),
        Some(Value::Array(items)) => {
            let mut joined = JsString::new();
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    joined.push_str(",");
                }
                if *item != Value::Null {
                    joined.push_units(as_text(Some(item)).units());
                }
            }
            joined
        }
        Some(value) => value.stringify().as_str().into(),
    }
}
