//! Every kind of finding that this program knows, whoever finds it.

use crate::diagnostic::{Code, code};
use crate::rule::lint;

/// Every code, by number.
pub fn all() -> Vec<Code> {
    let mut all: Vec<Code> = lint::codes().chain(code::all()).collect();
    all.sort_by_key(|code| code.number());
    all
}

/// The code of this number (`TTSR014`, `14`) or name (`matches-empty`).
pub fn find(text: &str) -> Option<Code> {
    all().into_iter().find(|code| {
        code.name() == text
            || code.to_string().eq_ignore_ascii_case(text)
            || text.parse().is_ok_and(|number: u16| number == code.number())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_unique() {
        let all = all();
        for pair in all.windows(2) {
            assert!(pair[0].number() < pair[1].number(), "{:?} and {:?}", pair[0], pair[1]);
        }
        for code in &all {
            assert_eq!(all.iter().filter(|other| other.name() == code.name()).count(), 1, "{code:?}");
            assert!(!code.explanation().is_empty());
        }
    }
}
