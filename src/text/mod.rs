//! Text as the agent sees it: UTF-16 code units that may be cut inside a surrogate pair, JSON that keeps
//! lone surrogates and exact numbers, and places in files.
//!
//! This module decodes, encodes and locates; it never decides what a text means.

mod js_string;
pub mod json;
mod line;
mod place;

pub use js_string::{JsString, is_js_white_space, utf8_len, widen};
pub use line::{LineReader, RawLine};
pub use place::{LineIndex, Place, Position};
