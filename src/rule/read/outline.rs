//! [`Outline`]: which key, and which part of its value, stands where in a file.

use std::cmp::Reverse;
use std::ops::Range;

use super::frontmatter::Frontmatter;
use super::node::{Node, Yaml};

/// The keys and values of a frontmatter by their places. Nothing in it takes longer than the file is deep, however many
/// keys there are.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// By place, the larger first.
    parts: Vec<Part>,
}

/// A key with its value, an item, or a value.
#[derive(Clone, Debug)]
struct Part {
    range: Range<usize>,
    /// The key, of a part that is one.
    key: Option<String>,
    /// What it is in.
    parent: Option<usize>,
    /// Whether it is a value without parts.
    is_scalar: bool,
}

impl Outline {
    /// The outline of a frontmatter; there is nothing in that of none.
    pub fn of(matter: Option<&Frontmatter>) -> Self {
        let mut outline = Self::default();
        for member in matter.iter().flat_map(|matter| &matter.members) {
            let end = member.value.span.end.max(member.key_span.end);
            let own = outline.add(member.key_span.start..end, Some(&member.key), None, false);
            outline.add_value(&member.value, own);
            for span in &member.overridden {
                outline.add(span.clone(), Some(&member.key), None, false);
            }
        }
        outline.sort();
        outline
    }

    fn add(&mut self, range: Range<usize>, key: Option<&str>, parent: Option<usize>, is_scalar: bool) -> usize {
        self.parts.push(Part { range, key: key.map(str::to_owned), parent, is_scalar });
        self.parts.len() - 1
    }

    fn add_value(&mut self, node: &Node, parent: usize) {
        match &node.value {
            Yaml::List(items) => {
                let own = self.add(node.span.clone(), None, Some(parent), false);
                items.iter().for_each(|item| self.add_value(item, own));
            }
            Yaml::Map(members) => {
                let own = self.add(node.span.clone(), None, Some(parent), false);
                for (key, value) in members {
                    let range = key.span.start..value.span.end.max(key.span.end);
                    let member = self.add(range, Some(&key.text), Some(own), false);
                    self.add_value(value, member);
                }
            }
            _ => {
                self.add(node.span.clone(), None, Some(parent), true);
            }
        }
    }

    fn sort(&mut self) {
        let mut order: Vec<usize> = (0..self.parts.len()).collect();
        let place = |at: &usize| self.parts.get(*at).map(|part| (part.range.start, Reverse(part.range.end), *at));
        order.sort_by_key(place);
        let mut place_of = vec![0; order.len()];
        for (new, old) in order.iter().enumerate() {
            if let Some(place) = place_of.get_mut(*old) {
                *place = new;
            }
        }
        let moved =
            |part: &Part| Part { parent: part.parent.and_then(|old| place_of.get(old).copied()), ..part.clone() };
        self.parts = order.iter().filter_map(|old| self.parts.get(*old).map(moved)).collect();
    }

    /// The innermost part at this offset; its end counts as in it.
    fn at(&self, offset: usize) -> Option<&Part> {
        let behind = self.parts.partition_point(|part| part.range.start <= offset);
        let mut part = self.parts.get(behind.checked_sub(1)?)?;
        while part.range.end < offset {
            part = self.parts.get(part.parent?)?;
        }
        Some(part)
    }

    /// From the innermost part at this offset outward.
    fn around(&self, offset: usize) -> impl Iterator<Item = &Part> {
        std::iter::successors(self.at(offset), |part| self.parts.get(part.parent?))
    }

    /// The key that byte `offset` of the text belongs to, with the keys inside of its value: `examples.fires`. None
    /// outside of keys and values.
    pub fn key_at(&self, offset: usize) -> Option<String> {
        let mut keys: Vec<&str> = self.around(offset).filter_map(|part| part.key.as_deref()).collect();
        keys.reverse();
        (!keys.is_empty()).then(|| keys.join("."))
    }

    /// The key of the frontmatter that the offset belongs to, and where it begins.
    pub fn top_key_at(&self, offset: usize) -> Option<(&str, usize)> {
        let part = self.around(offset).last()?;
        Some((part.key.as_deref()?, part.range.start))
    }

    /// The value without parts that spans the offset.
    pub fn scalar_at(&self, offset: usize) -> Option<Range<usize>> {
        self.at(offset).filter(|part| part.is_scalar && part.range.contains(&offset)).map(|part| part.range.clone())
    }

    /// The first part that begins in this range, the larger of two. The list or mapping that is the value of a key is
    /// none: it begins with its first item.
    pub fn begins_in(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let is_value_of_key = |part: &Part| {
            let parent = part.parent.and_then(|parent| self.parts.get(parent));
            part.key.is_none() && !part.is_scalar && parent.is_some_and(|parent| parent.key.is_some())
        };
        let first = self.parts.partition_point(|part| part.range.start < range.start);
        let mut parts = self.parts.get(first..)?.iter().take_while(|part| part.range.start < range.end);
        parts.find(|part| !is_value_of_key(part)).map(|part| part.range.clone())
    }
}
