//! [`PartialJson`]: tool arguments as they are read while they stream (engine.md E6.6).
//!
//! A state machine that takes each code unit once. Every complete or cut JSON text is read as what it says so far:
//! open strings and containers count, an unfinished atom is dropped together with its key. Beyond JSON, as inferred
//! from the vectors:
//!
//! ```text
//! text    = value rest                     what follows the outermost value is ignored
//! object  = "{" { "," | key ":" value } "}"
//! list    = "[" { "," | value } "]"        stray commas count for nothing, a key without value neither
//! key     = string | bare                  bare: anything up to white space or a colon, quotes and brackets included
//! value   = object | list | string | number | true | True | false | False | null | None
//! string  = in double or single quotes; see `OpenString` for its end
//! number  = letters, digits, "+", "-", "." from a digit, sign or dot on, read as ECMAScript's Number() does
//! between tokens: white space, // comment, /* comment */
//! ```
//!
//! Raw control characters and bad escapes are text. At anything else the reader stops and keeps what it has;
//! [`PartialJson::failure`] says where.

use std::collections::HashMap;

use super::atom::{begins_number, continues_number, read_atom};
use super::open_string::OpenString;
use crate::text::JsString;
use crate::text::is_js_white_space;
use crate::text::json::{MAX_DEPTH, Object, Value};

const QUOTE: u16 = b'"' as u16;
const APOSTROPHE: u16 = b'\'' as u16;
const SLASH: u16 = b'/' as u16;
const STAR: u16 = b'*' as u16;
const COMMA: u16 = b',' as u16;
const COLON: u16 = b':' as u16;
const OPEN_BRACE: u16 = b'{' as u16;
const CLOSE_BRACE: u16 = b'}' as u16;
const OPEN_BRACKET: u16 = b'[' as u16;
const CLOSE_BRACKET: u16 = b']' as u16;

/// Where and why reading stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// Offset of the code unit at which it stopped.
    pub at: usize,
    /// Whether the nesting is the reason, else the unit fits nowhere.
    pub too_deep: bool,
}

/// The reader.
#[derive(Debug, Default)]
pub(super) struct PartialJson {
    frames: Vec<Frame>,
    state: State,
    comment: Comment,
    string: OpenString,
    atom: Vec<u16>,
    root: Option<Value>,
    consumed: usize,
    failure: Option<Failure>,
    restarts: u64,
    changed: Vec<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum State {
    /// A value comes, in a list also its end.
    #[default]
    Value,
    /// Inside a string, which is a key or a value.
    String {
        key: bool,
    },
    /// Inside a number or keyword.
    Atom,
    /// A key comes, or the end of the object.
    Key,
    BareKey,
    Colon,
    /// A comma comes, or the end of the container.
    After,
    /// The outermost value is complete; the rest is ignored.
    Done,
    Failed,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Comment {
    #[default]
    None,
    /// After a slash that may begin one.
    Begin,
    Line,
    Block,
    /// After a star that may end a block.
    BlockStar,
}

#[derive(Debug)]
enum Frame {
    Object { members: Members, key: Option<JsString> },
    Array(Vec<Value>),
}

/// Members of an object that is not complete, found by key in constant time.
#[derive(Debug, Default)]
struct Members {
    list: Vec<(JsString, Value)>,
    index: HashMap<JsString, usize>,
}

impl Members {
    fn get(&self, key: &str) -> Option<&Value> {
        /// So few are looked through.
        const FEW: usize = 8;
        let at = if self.list.len() <= FEW {
            self.list.iter().position(|(name, _)| *name == key)?
        } else {
            *self.index.get(&JsString::from(key))?
        };
        self.list.get(at).map(|(_, value)| value)
    }

    /// Adds the member, or gives another value to its key; its index.
    fn insert(&mut self, key: JsString, value: Value) -> usize {
        if let Some(&at) = self.index.get(&key) {
            self.list[at].1 = value;
            return at;
        }
        self.index.insert(key.clone(), self.list.len());
        self.list.push((key, value));
        self.list.len() - 1
    }
}

/// A place in the arguments, complete or not.
#[derive(Clone, Copy)]
pub(super) enum Node<'a> {
    /// A complete value.
    Value(&'a Value),
    /// A string that still grows: what stays, and the units of an escape that is not complete.
    String(&'a [u16], &'a [u16]),
    /// A container that still grows: the frame of this depth.
    Open(&'a PartialJson, usize),
}

impl<'a> Node<'a> {
    /// The member `key`.
    pub(super) fn member(self, key: &str) -> Option<Node<'a>> {
        match self {
            Self::Value(value) => value.get(key).map(Node::Value),
            Self::String(..) => None,
            Self::Open(reader, depth) => match &reader.frames[depth] {
                Frame::Array(_) => None,
                Frame::Object { members, key: open } => {
                    let growing = open.as_ref().filter(|open| **open == key).and_then(|_| reader.growing(depth));
                    growing.or_else(|| members.get(key).map(Node::Value))
                }
            },
        }
    }

    /// The string: what stays, and a tail that may still change.
    pub(super) fn text(self) -> Option<(&'a [u16], &'a [u16])> {
        match self {
            Self::Value(value) => value.as_string().map(|text| (text.units(), [].as_slice())),
            Self::String(stable, tail) => Some((stable, tail)),
            Self::Open(..) => None,
        }
    }

    /// The string, copied.
    pub(super) fn to_text(self) -> Option<JsString> {
        self.text().map(|(stable, tail)| JsString::from_units([stable, tail].concat()))
    }

    /// The complete items of a list, and the one that still grows.
    pub(super) fn items(self) -> Option<(&'a [Value], Option<Node<'a>>)> {
        match self {
            Self::Value(value) => value.as_array().map(|items| (items, None)),
            Self::String(..) => None,
            Self::Open(reader, depth) => match &reader.frames[depth] {
                Frame::Array(items) => Some((items, reader.growing(depth))),
                Frame::Object { .. } => None,
            },
        }
    }
}

impl PartialJson {
    /// Nothing read yet.
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Where reading stopped, if it did.
    pub(super) fn failure(&self) -> Option<Failure> {
        self.failure
    }

    /// How often a key came again in an object: what was read of its first value is then void.
    pub(super) fn restarts(&self) -> u64 {
        self.restarts
    }

    /// The outermost value, where it is a container or complete.
    pub(super) fn root(&self) -> Option<Node<'_>> {
        match &self.root {
            Some(root) => Some(Node::Value(root)),
            None => (!self.frames.is_empty()).then_some(Node::Open(self, 0)),
        }
    }

    /// Indices of outermost members that were completed since the last call.
    pub(super) fn take_changed(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.changed)
    }

    /// The outermost member of this index, while the outermost object is open.
    pub(super) fn top_member(&self, at: usize) -> Option<(&JsString, &Value)> {
        match self.frames.first()? {
            Frame::Object { members, .. } => members.list.get(at).map(|(key, value)| (key, value)),
            Frame::Array(_) => None,
        }
    }

    /// The outermost member that still grows.
    pub(super) fn top_growing(&self) -> Option<(&JsString, Node<'_>)> {
        match self.frames.first()? {
            Frame::Object { key: Some(key), .. } => Some((key, self.growing(0)?)),
            _ => None,
        }
    }

    /// The key of the outermost member that is a number or keyword as far as it was read.
    pub(super) fn top_atom(&self) -> Option<&JsString> {
        match self.frames.as_slice() {
            [Frame::Object { key, .. }] if self.state == State::Atom => {
                key.as_ref().filter(|_| read_atom(&self.atom).is_some())
            }
            _ => None,
        }
    }

    /// What grows inside the container of this depth, numbers and keywords left out.
    fn growing(&self, depth: usize) -> Option<Node<'_>> {
        if depth + 1 < self.frames.len() {
            Some(Node::Open(self, depth + 1))
        } else if self.state == (State::String { key: false }) {
            let (stable, tail) = self.string.shown();
            Some(Node::String(stable, tail))
        } else {
            None
        }
    }

    /// The value of the text so far, copied; an unreadable or empty text is the empty object.
    pub(super) fn value(&self) -> Value {
        if let Some(root) = &self.root {
            return root.clone();
        }
        let mut inner = match self.state {
            State::String { key: false } => {
                let (stable, tail) = self.string.shown();
                let units = [stable, tail].concat();
                Some(Value::String(JsString::from_units(units)))
            }
            State::Atom => read_atom(&self.atom),
            _ => None,
        };
        for frame in self.frames.iter().rev() {
            inner = Some(match frame {
                Frame::Array(items) => Value::Array(items.iter().cloned().chain(inner).collect()),
                Frame::Object { members, key } => {
                    let last = key.clone().zip(inner);
                    Value::Object(members.list.iter().cloned().chain(last).collect())
                }
            });
        }
        inner.unwrap_or(Value::Object(Object::new()))
    }

    /// Reads on.
    pub(super) fn push(&mut self, units: &[u16]) {
        let mut at = 0;
        while at < units.len() {
            match self.state {
                State::Done | State::Failed => {
                    self.consumed += units.len() - at;
                    return;
                }
                State::String { .. } => {
                    let plain = self.string.take_plain(&units[at..]);
                    self.consumed += plain;
                    at += plain;
                    if at == units.len() {
                        return;
                    }
                }
                _ => {}
            }
            self.step(units[at]);
            self.consumed += 1;
            at += 1;
        }
    }

    fn step(&mut self, unit: u16) {
        match self.state {
            State::String { key } => {
                if let Some(text) = self.string.step(unit) {
                    if key {
                        self.open_key(text);
                    } else {
                        self.complete(Value::String(text));
                    }
                    self.step(unit);
                }
            }
            State::Atom => {
                let is_number = self.atom.first().is_some_and(|&first| begins_number(first));
                if if is_number { continues_number(unit) } else { !is_delimiter(unit) } {
                    self.atom.push(unit);
                    return;
                }
                match read_atom(&self.atom) {
                    Some(value) => {
                        self.replace_value();
                        self.complete(value);
                        self.step(unit);
                    }
                    None => self.fail(false),
                }
            }
            State::BareKey => {
                if unit == COLON || is_js_white_space(unit) {
                    let key = JsString::from_units(std::mem::take(&mut self.atom));
                    self.open_key(key);
                    self.step(unit);
                } else {
                    self.atom.push(unit);
                }
            }
            _ => {
                if !self.step_comment(unit) {
                    self.step_structure(unit);
                }
            }
        }
    }

    /// Whether the unit belongs to a comment or is white space between tokens.
    fn step_comment(&mut self, unit: u16) -> bool {
        self.comment = match (self.comment, unit) {
            (Comment::None, SLASH) => Comment::Begin,
            (Comment::None, _) => return is_js_white_space(unit),
            (Comment::Begin, SLASH) => Comment::Line,
            (Comment::Begin | Comment::BlockStar, STAR) if self.comment == Comment::Begin => Comment::Block,
            (Comment::Begin, _) => {
                self.comment = Comment::None;
                if self.state == State::Key {
                    self.open_atom(SLASH, State::BareKey);
                    self.step(unit);
                } else {
                    self.fail(false);
                }
                return true;
            }
            (Comment::Line, 0x0A | 0x0D | 0x2028 | 0x2029) => Comment::None,
            (Comment::Line, _) => Comment::Line,
            (Comment::BlockStar, SLASH) => Comment::None,
            (Comment::Block | Comment::BlockStar, STAR) => Comment::BlockStar,
            (Comment::Block | Comment::BlockStar, _) => Comment::Block,
        };
        true
    }

    fn step_structure(&mut self, unit: u16) {
        if self.state == State::Value
            && (!is_delimiter(unit) || matches!(unit, QUOTE | APOSTROPHE | OPEN_BRACE | OPEN_BRACKET))
        {
            self.replace_value();
        }
        match (self.state, unit) {
            (State::Value, QUOTE | APOSTROPHE) => self.open_string(unit, false),
            (State::Value, OPEN_BRACE) => {
                self.open(Frame::Object { members: Members::default(), key: None }, State::Key);
            }
            (State::Value, OPEN_BRACKET) => self.open(Frame::Array(Vec::new()), State::Value),
            (State::Key, QUOTE | APOSTROPHE) => self.open_string(unit, true),
            (State::Key, COMMA) => {}
            (State::Value | State::After, COMMA) if !self.frames.is_empty() => self.next(),
            (State::Value | State::After, CLOSE_BRACE | CLOSE_BRACKET) | (State::Key, CLOSE_BRACE) => self.close(unit),
            (State::Colon, COLON) => self.state = State::Value,
            (State::Value, _) if !is_delimiter(unit) => self.open_atom(unit, State::Atom),
            (State::Key, _) if unit != COLON => self.open_atom(unit, State::BareKey),
            _ => self.fail(false),
        }
    }

    fn open(&mut self, frame: Frame, state: State) {
        if self.frames.len() >= MAX_DEPTH {
            return self.fail(true);
        }
        self.frames.push(frame);
        self.state = state;
    }

    fn open_string(&mut self, quote: u16, key: bool) {
        self.string = OpenString::new(quote);
        self.state = State::String { key };
    }

    fn open_atom(&mut self, unit: u16, state: State) {
        self.atom.clear();
        self.atom.push(unit);
        self.state = state;
    }

    fn open_key(&mut self, text: JsString) {
        self.state = State::Colon;
        if let Some(Frame::Object { key, .. }) = self.frames.last_mut() {
            *key = Some(text);
        }
    }

    /// From here on another value is shown for a key that comes again.
    fn replace_value(&mut self) {
        if let Some(Frame::Object { members, key: Some(key) }) = self.frames.last()
            && members.index.contains_key(key)
        {
            self.restarts += 1;
        }
    }

    fn next(&mut self) {
        self.state = match self.frames.last_mut() {
            Some(Frame::Object { key, .. }) => {
                // A key whose value is missing is dropped.
                *key = None;
                State::Key
            }
            _ => State::Value,
        };
    }

    fn close(&mut self, unit: u16) {
        let fits = match self.frames.last() {
            Some(Frame::Object { .. }) => unit == CLOSE_BRACE,
            Some(Frame::Array(_)) => unit == CLOSE_BRACKET,
            None => false,
        };
        match self.frames.pop_if(|_| fits) {
            Some(Frame::Object { members, .. }) => {
                self.complete(Value::Object(members.list.into_iter().collect()));
            }
            Some(Frame::Array(items)) => self.complete(Value::Array(items)),
            None => self.fail(false),
        }
    }

    fn complete(&mut self, value: Value) {
        self.state = State::After;
        let outermost = self.frames.len() == 1;
        match self.frames.last_mut() {
            Some(Frame::Array(items)) => items.push(value),
            Some(Frame::Object { members, key }) => {
                if let Some(key) = key.take() {
                    let at = members.insert(key, value);
                    if outermost {
                        self.changed.push(at);
                    }
                }
            }
            None => {
                self.root = Some(value);
                self.state = State::Done;
            }
        }
    }

    fn fail(&mut self, too_deep: bool) {
        self.failure = Some(Failure { at: self.consumed, too_deep });
        self.state = State::Failed;
    }
}

fn is_delimiter(unit: u16) -> bool {
    matches!(unit, QUOTE | APOSTROPHE | COMMA | COLON | SLASH | OPEN_BRACE | CLOSE_BRACE | OPEN_BRACKET | CLOSE_BRACKET)
        || is_js_white_space(unit)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::json;

    fn units(text: &str) -> Vec<u16> {
        text.encode_utf16().collect()
    }

    fn read(text: &[u16]) -> PartialJson {
        let mut reader = PartialJson::new();
        reader.push(text);
        reader
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(read(&units(text)).value().stringify(), expected, "{text}");
    }

    #[test]
    fn cut_texts_show_what_they_say_so_far() {
        check(r#"{"path":"a.t"#, r#"{"path":"a.t"}"#);
        check(r#"{"e":[{"diff":"+a"#, r#"{"e":[{"diff":"+a"}]}"#);
        check(r#"{"a":1,"b":tr"#, r#"{"a":1}"#);
        check(r#"{"a":-12.5"#, r#"{"a":-12.5}"#);
        check(r#"{"a":-12.5e"#, "{}");
        check(r#"{"a":"x\u00"#, r#"{"a":"x\\u00"}"#);
        check(r#"{"a":"x\"#, r#"{"a":"x\\"}"#);
        check(r#"{"a":1,"a""#, r#"{"a":1}"#);
        check("nope", "{}");
    }

    #[test]
    fn odd_texts_are_tolerated() {
        check(
            r#"{'a':'it\'s', b: True, /* c */ "c": None,, "d": [1,,2,], // e"#,
            r#"{"a":"it's","b":true,"c":null,"d":[1,2]}"#,
        );
        check(r#"{"a":"\d\x41\u00zz"}}}"#, r#"{"a":"\\d\\x41\\u00zz"}"#);
        check("\u{FEFF}{\"a\":\"1\n2\"", r#"{"a":"1\n2"}"#);
        check(r#"{"a": 0x10, "b": 01, "c": +5, "d": 12., "e": .5}"#, r#"{"a":16,"b":1,"c":5,"d":12,"e":0.5}"#);
        check(r#"{"a":/**/1/*/ **/}"#, r#"{"a":1}"#);
    }

    #[test]
    fn a_quote_ends_a_string_where_json_goes_on() {
        check(r#"{"a":"say "hi" to","b":"x" , 'c':'it's'}"#, r#"{"a":"say \"hi\" to","b":"x","c":"it's"}"#);
        check(r#"{"a":"b" "#, r#"{"a":"b"}"#);
        check(r#"{"a":"b" x"#, r#"{"a":"b\" x"}"#);
        check(r#"{"a":"b""}"#, r#"{"a":"b\""}"#);
        check(r#"{"a"b":1}"#, r#"{"a\"b":1}"#);
        check(r#""s" t"#, r#""s\" t""#);
    }

    #[test]
    fn a_bare_key_goes_to_the_colon() {
        check(r#"{a":1,/b:2, ]c:3,{d :4}"#, r#"{"a\"":1,"/b":2,"]c":3,"{d":4}"#);
        check("{a b:1}", "{}");
        check("{:1}", "{}");
    }

    #[test]
    fn a_number_ends_at_what_is_no_part_of_it() {
        check(r#"{"a":1_000,"b":2}"#, r#"{"a":1}"#);
        check(r#"{"a":1.2.3,"b":2}"#, "{}");
        check(r#"[1/**/,0x10]"#, "[1,16]");
    }

    #[test]
    fn what_fits_nowhere_ends_the_reading_and_is_told() {
        let reader = read(&units(r#"{"a":1,"b":nul,"c":2}"#));
        assert_eq!(reader.value().stringify(), r#"{"a":1}"#);
        assert_eq!(reader.failure(), Some(Failure { at: 14, too_deep: false }));
        assert!(read(&units(&"[".repeat(100_000))).failure().is_some_and(|failure| failure.too_deep));
    }

    #[test]
    fn a_key_that_comes_again_is_a_restart() {
        let reader = read(&units(r#"{"a":"1","a":"2"#));
        assert_eq!(reader.restarts(), 1);
        assert_eq!(reader.root().and_then(|root| root.member("a")).and_then(Node::to_text), Some("2".into()));
    }

    fn json_like() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "{", "}", "[", "]", ",", ":", "\"", "'", "\\", "\\u", "00e9", "/", "*", "//", "/*", "*/", "\n", " ",
            "true", "True", "nul", "null", "-", "1", ".5", "e", "0x", "_", "a", "b", "\"a\":", "'b':", "c:", "\"x\"",
            "é", "🙂",
        ]);
        prop::collection::vec(piece, 0..40).prop_map(|pieces| format!("{{{}", pieces.concat()))
    }

    fn json_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_filter("JSON has no such number", |number| number.is_finite()).prop_map(Value::from),
            any::<Vec<u16>>().prop_map(|units| Value::String(JsString::from_units(units))),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
                prop::collection::vec(("[a-c]{0,2}", inner), 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn reading_in_pieces_equals_reading_at_once(text in json_like(), cuts in prop::collection::vec(1_usize..5, 0..80)) {
            let text = units(&text);
            let mut resumed = PartialJson::new();
            let mut at = 0;
            for size in cuts {
                let end = (at + size).min(text.len());
                resumed.push(&text[at..end]);
                at = end;
                let whole = read(&text[..at]);
                prop_assert_eq!(resumed.value(), whole.value());
                prop_assert_eq!(resumed.failure(), whole.failure());
                prop_assert_eq!(resumed.restarts(), whole.restarts());
            }
        }

        #[test]
        fn strict_json_is_read_as_such(value in json_value()) {
            let text = value.stringify();
            prop_assert_eq!(read(&units(&text)).value(), json::parse(&text).expect("strict JSON"));
        }
    }
}
