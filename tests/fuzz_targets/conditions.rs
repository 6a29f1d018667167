//! A pattern and a text: compiled, streamed, and compared with the whole-text test, which shares no state with it.

use std::sync::Arc;

use ttsr::pattern::{Buffer, CompileOptions, Pattern, PatternSet, Scanner, Verdict};
use ttsr::text::JsString;

/// Steps of the whole-text test; beyond them nothing is compared.
const STEPS: u64 = 200_000;

/// The first byte is the length of a delta, then come lines: the pattern, and the text.
pub fn run(bytes: &[u8]) {
    let Some((delta, rest)) = bytes.split_first() else { return };
    let text = String::from_utf8_lossy(rest);
    let (source, text) = text.split_once('\n').unwrap_or((&text, "ab aab\nfoo"));
    let source = JsString::from(source);
    let pattern = match Pattern::compile(&source, CompileOptions::default()) {
        Ok(pattern) => pattern,
        Err(error) => {
            assert!(error.span.start <= error.span.end && error.span.end <= source.len(), "{error:?}");
            return;
        }
    };
    let units: Vec<u16> = text.encode_utf16().take(400).collect();
    let set = Arc::new(PatternSet::new(vec![pattern.clone()]));
    for cache in [400, 1 << 20] {
        let mut scanner = Scanner::with_limits(Arc::clone(&set), cache, STEPS);
        let mut buffer = Buffer::new();
        for part in units.chunks(usize::from(*delta % 16) + 1) {
            scanner.append(&mut buffer, part);
            let streamed = scanner.verdict(&mut buffer, 0);
            let whole = pattern.test(buffer.text(), STEPS);
            if streamed != Verdict::Undecided && whole != Verdict::Undecided {
                assert_eq!(streamed.is_match(), whole.is_match(), "{source:?} on {:?}", buffer.text());
            }
        }
        assert_eq!(buffer.text(), units);
    }
    if let Some(range) = set.find(0, &units) {
        assert!(range.start <= range.end && range.end <= units.len(), "{range:?}");
        assert_ne!(pattern.test(&units, STEPS), Verdict::No, "{source:?} is found in {units:?}");
    }
}
