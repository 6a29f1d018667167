//! Ignoring letter case as ECMAScript does without the `u` flag: one unit is upper-cased to one unit, and a non-ASCII
//! unit never becomes ASCII (engine.md E4.2, matching.md M2).

use std::collections::BTreeMap;
use std::sync::OnceLock;

/// The unit that stands for all units equal to this one when case is ignored.
pub(crate) fn canonical(unit: u16) -> u16 {
    if unit < 0x80 {
        return if (0x61..=0x7A).contains(&unit) { unit - 0x20 } else { unit };
    }
    upper(unit)
}

fn upper(unit: u16) -> u16 {
    let Some(letter) = char::from_u32(u32::from(unit)) else {
        return unit;
    };
    let mut mapped = letter.to_uppercase();
    match (mapped.next().and_then(|letter| u16::try_from(u32::from(letter)).ok()), mapped.next()) {
        (Some(single), None) if single >= 0x80 => single,
        _ => unit,
    }
}

/// Each unit that has others equal to it, with those others.
pub(crate) fn cased() -> &'static [(u16, Vec<u16>)] {
    static CASED: OnceLock<Vec<(u16, Vec<u16>)>> = OnceLock::new();
    CASED.get_or_init(|| {
        let mut classes: BTreeMap<u16, Vec<u16>> = BTreeMap::new();
        for unit in 0..=u16::MAX {
            classes.entry(canonical(unit)).or_default().push(unit);
        }
        let mut cased = Vec::new();
        for members in classes.values().filter(|members| members.len() > 1) {
            for &unit in members {
                cased.push((unit, members.iter().copied().filter(|&other| other != unit).collect()));
            }
        }
        cased.sort_unstable();
        cased
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equal(left: char, right: char) -> bool {
        let [left, right] = [left, right].map(|letter| canonical(u32::from(letter) as u16));
        left == right
    }

    #[test]
    fn non_ascii_never_folds_to_ascii() {
        assert!(!equal('k', '\u{212A}') && !equal('s', 'ſ') && !equal('ß', 'ẞ') && !equal('i', 'İ'));
        assert!(!equal('i', 'ı') && !equal('ω', '\u{2126}'));
    }

    #[test]
    fn simple_upper_casing_joins_the_rest() {
        assert!(equal('\u{B5}', '\u{3BC}') && equal('σ', 'ς') && equal('\u{1C6}', '\u{1C5}'));
        assert!(equal('\u{E9}', '\u{C9}') && equal('a', 'A'));
    }
}
