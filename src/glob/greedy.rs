//! The agent's own way through a glob, for globs on which it misses what could match.
//!
//! The agent goes from left to right and, when it is stuck, lets the last `*` take one character more, or the last
//! `**` one segment more; earlier ones are settled. With segments parted by `/` nothing is lost by that. But a class
//! that takes `/` can leave the segment behind the back of a `*`: `*[^a]*` does not match `b/a`, since the first `*`
//! has settled for nothing when the second is stuck at the slash. Only such globs are tried this way.

use super::matcher::in_class;
use super::parse::{Element, Pattern};

/// When the alternatives of the braces would be longer than this, all told, the glob is read as if the agent tried
/// every way through its stars.
const MAX_ELEMENTS: u64 = crate::limits::GLOB_ELEMENTS as u64;

/// The same when a path takes more steps than this.
const MAX_STEPS: usize = 1 << 22;

/// The alternatives of a glob that must be tried in the agent's way: each without braces.
///
/// `len` is the length of the glob.
pub(super) fn alternatives(pattern: &Pattern, len: usize) -> Option<Vec<Pattern>> {
    let past_a_star = any(pattern, &|element| *element == Element::Star) && any(pattern, &takes_a_slash);
    let needed = past_a_star || begins_within_a_segment(pattern);
    if !needed || count(pattern)?.saturating_mul(len as u64) > MAX_ELEMENTS {
        return None;
    }
    let flat = expand(pattern);
    // Only as the last element can `**` be left to take everything.
    let settled = |pattern: &Pattern| !pattern.iter().rev().skip(1).any(|element| *element == Element::Everything);
    flat.iter().all(settled).then_some(flat)
}

fn any(pattern: &Pattern, test: &impl Fn(&Element) -> bool) -> bool {
    pattern.iter().any(|element| match element {
        Element::OneOf(alternatives) => alternatives.iter().any(|pattern| any(pattern, test)),
        element => test(element),
    })
}

/// Whether some `**/` stands behind anything but a slash, as in `a**/**/b`: it settles what stands before it.
fn begins_within_a_segment(pattern: &Pattern) -> bool {
    let here =
        pattern.windows(2).any(|pair| pair[0] != Element::Char('/') && matches!(pair[1], Element::Segments { .. }));
    here || pattern.iter().any(
        |element| matches!(element, Element::OneOf(alternatives) if alternatives.iter().any(begins_within_a_segment)),
    )
}

fn takes_a_slash(element: &Element) -> bool {
    matches!(element, Element::Class { negated, ranges } if in_class(*negated, ranges, '/'))
}

/// How many patterns without braces there are; none with an extended group, of which no case is known where the agent
/// misses what could match.
fn count(pattern: &Pattern) -> Option<u64> {
    pattern.iter().try_fold(1_u64, |product, element| {
        let ways = match element {
            Element::OneOf(alternatives) => {
                alternatives.iter().try_fold(0_u64, |sum, pattern| Some(sum.saturating_add(count(pattern)?)))?
            }
            Element::Numbers(numbers) => numbers.count(),
            Element::Group(_) | Element::Optional(_) | Element::Repeat { .. } | Element::NoneOf(_) => return None,
            _ => 1,
        };
        Some(product.saturating_mul(ways))
    })
}

fn expand(pattern: &Pattern) -> Vec<Pattern> {
    let mut all = vec![Pattern::new()];
    for element in pattern {
        let ways: Vec<Pattern> = match element {
            Element::OneOf(alternatives) => alternatives.iter().flat_map(expand).collect(),
            Element::Numbers(numbers) => {
                numbers.all().map(|number| number.chars().map(Element::Char).collect()).collect()
            }
            element => {
                all.iter_mut().for_each(|before| before.push(element.clone()));
                continue;
            }
        };
        all = all.iter().flat_map(|before| ways.iter().map(move |way| [before.as_slice(), way].concat())).collect();
    }
    all
}

/// Where to go on when stuck: an element and the position in the path at which to try it again.
#[derive(Clone, Copy)]
struct Retry {
    element: usize,
    position: usize,
}

/// Whether a pattern without braces takes the whole path; none when that takes too many steps to find out.
pub(super) fn matches(pattern: &Pattern, path: &[char]) -> Option<bool> {
    let (mut element, mut position) = (0, 0);
    let mut star: Option<Retry> = None;
    let mut segments: Option<Retry> = None;
    let mut steps = 0;
    while element < pattern.len() || position < path.len() {
        steps += 1;
        if steps > MAX_STEPS {
            return None;
        }
        let here = path.get(position).copied();
        let taken = match (pattern.get(element), here) {
            (Some(Element::Everything), _) => return Some(true),
            (Some(Element::Star), _) => {
                // No star takes a slash; only a `**` before it can help.
                star = if here == Some('/') { segments } else { Some(Retry { element, position: position + 1 }) };
                element += 1;
                continue;
            }
            // What is left to try comes to the end of the path as well.
            (Some(Element::Segments { before_star: true }), None) => return Some(false),
            (Some(Element::Segments { .. }), _) => {
                let next = path[position..].iter().position(|&one| one == '/').map(|slash| position + slash + 1);
                star = next.map(|position| Retry { element, position });
                segments = star;
                element += 1;
                continue;
            }
            (Some(Element::Char(wanted)), Some(here)) => here == *wanted,
            (Some(Element::Any), Some(here)) => here != '/',
            (Some(Element::Class { negated, ranges }), Some(here)) => in_class(*negated, ranges, here),
            _ => false,
        };
        if taken {
            if pattern[element] == Element::Char('/') {
                star = segments;
            }
            element += 1;
            position += 1;
        } else {
            match star.filter(|retry| retry.position <= path.len()) {
                Some(retry) => (element, position) = (retry.element, retry.position),
                None => return Some(false),
            }
        }
    }
    Some(true)
}
