//! Texts that a backtracking engine may be slow with, found by analysis: where a pattern can read the same text in
//! several ways, repeats of that text multiply the ways.
//!
//! The pattern is taken as a graph of the sets it reads, one node a set, with the number of ways from one to the next.
//! A component in which some word leads from a node back to itself in two ways doubles the ways with each repetition;
//! several repeats that can share one unit give a power of the length. Counts are taken for unbounded, so what is found
//! is only suspected: [`crate::pattern::cost`] counts the steps.

use std::collections::{BTreeMap, HashMap, VecDeque};

use crate::pattern::syntax::charset::CharSet;
use crate::pattern::syntax::tree::{Node, Tree};

/// Patterns that read more sets are not looked into.
const MOST_NODES: usize = 400;

/// Pairs of nodes that are looked at for one component.
const MOST_PAIRS: usize = 200_000;

/// Units that are looked at, and components.
const MOST_SUSPECTS: usize = 4;

/// Units that are easy to read, and so taken first.
const USUAL: [char; 12] = ['a', 'b', '0', ' ', '-', ',', '.', 'A', '=', '/', '"', '\n'];

/// A text to repeat, and what stands before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Suspect {
    pub(crate) prefix: Vec<u16>,
    pub(crate) pump: Vec<u16>,
    /// Whether each repetition multiplies the ways.
    pub(crate) doubles: bool,
}

/// Number of ways, up to this many.
const SEVERAL: u8 = 2;

/// Where a part of a pattern begins and ends, with numbers of ways, and in how many ways it reads nothing.
#[derive(Clone, Default)]
struct Part {
    first: BTreeMap<usize, u8>,
    last: BTreeMap<usize, u8>,
    empty: u8,
}

struct Graph {
    sets: Vec<CharSet>,
    first: BTreeMap<usize, u8>,
    next: Vec<BTreeMap<usize, u8>>,
}

pub(crate) fn suspects(tree: &Tree) -> Vec<Suspect> {
    let Some(graph) = Graph::of(tree) else { return Vec::new() };
    let words = graph.words_to_nodes();
    let mut found = graph.doubling(&words);
    found.extend(graph.shared_units(&words));
    found
}

fn add(ways: &mut BTreeMap<usize, u8>, node: usize, more: u8) {
    let ways = ways.entry(node).or_default();
    *ways = ways.saturating_add(more).min(SEVERAL);
}

fn times(left: u8, right: u8) -> u8 {
    left.saturating_mul(right).min(SEVERAL)
}

impl Graph {
    fn of(tree: &Tree) -> Option<Self> {
        let mut graph = Self { sets: Vec::new(), first: BTreeMap::new(), next: Vec::new() };
        let mut parts: Vec<Part> = Vec::with_capacity(tree.nodes.len());
        for node in &tree.nodes {
            let part = match node {
                Node::Set(set) => {
                    if graph.sets.len() == MOST_NODES {
                        return None;
                    }
                    let position = graph.sets.len();
                    graph.sets.push(tree.sets[*set].clone());
                    graph.next.push(BTreeMap::new());
                    let here = BTreeMap::from([(position, 1)]);
                    Part { first: here.clone(), last: here, empty: 0 }
                }
                Node::Empty | Node::Assert(_) | Node::BackReference { .. } | Node::Look { behind: true, .. } => {
                    Part { empty: 1, ..Part::default() }
                }
                // What follows a look-ahead does not follow its body.
                Node::Look { child, .. } => {
                    Part { first: std::mem::take(&mut parts[*child].first), empty: 1, ..Part::default() }
                }
                Node::Capture { child, .. } => std::mem::take(&mut parts[*child]),
                Node::Alternate(children) => {
                    let mut all = Part::default();
                    for &child in children {
                        let part = std::mem::take(&mut parts[child]);
                        part.first.iter().for_each(|(&node, &ways)| add(&mut all.first, node, ways));
                        part.last.iter().for_each(|(&node, &ways)| add(&mut all.last, node, ways));
                        all.empty = (all.empty + part.empty).min(SEVERAL);
                    }
                    all
                }
                Node::Concat(children) => {
                    let mut all = Part { empty: 1, ..Part::default() };
                    for &child in children {
                        let part = std::mem::take(&mut parts[child]);
                        graph.connect(&all.last, &part.first);
                        part.first.iter().for_each(|(&node, &ways)| add(&mut all.first, node, times(ways, all.empty)));
                        all.last.values_mut().for_each(|ways| *ways = times(*ways, part.empty));
                        all.last.retain(|_, ways| *ways > 0);
                        part.last.iter().for_each(|(&node, &ways)| add(&mut all.last, node, ways));
                        all.empty = times(all.empty, part.empty);
                    }
                    all.first.retain(|_, ways| *ways > 0);
                    all
                }
                Node::Repeat { max: 0, .. } => Part { empty: 1, ..Part::default() },
                Node::Repeat { child, min, max, .. } => {
                    let mut part = std::mem::take(&mut parts[*child]);
                    if *max > 1 {
                        graph.connect(&part.last, &part.first);
                    }
                    if *min == 0 {
                        // A round that reads nothing is refused.
                        part.empty = 1;
                    }
                    part
                }
            };
            parts.push(part);
        }
        graph.first = std::mem::take(&mut parts.get_mut(tree.root)?.first);
        Some(graph)
    }

    fn connect(&mut self, last: &BTreeMap<usize, u8>, first: &BTreeMap<usize, u8>) {
        for (&from, &left) in last {
            for (&to, &right) in first {
                add(&mut self.next[from], to, times(left, right));
            }
        }
    }

    /// For each node, a short word that leads to it, itself included.
    fn words_to_nodes(&self) -> Vec<Option<Vec<u16>>> {
        let mut words: Vec<Option<Vec<u16>>> = vec![None; self.sets.len()];
        let mut pending: VecDeque<(Option<usize>, usize)> = self.first.keys().map(|&node| (None, node)).collect();
        while let Some((from, node)) = pending.pop_front() {
            let Some(unit) = usual(&self.sets[node]).filter(|_| words[node].is_none()) else { continue };
            let mut word = from.and_then(|from| words[from].clone()).unwrap_or_default();
            word.push(unit);
            words[node] = Some(word);
            pending.extend(self.next[node].keys().map(|&next| (Some(node), next)));
        }
        words
    }

    /// One suspect for each component that some word goes round in two ways.
    fn doubling(&self, words: &[Option<Vec<u16>>]) -> Vec<Suspect> {
        let mut seen = vec![false; self.sets.len()];
        let mut found = Vec::new();
        for node in 0..self.sets.len() {
            if seen[node] || found.len() == MOST_SUSPECTS {
                continue;
            }
            // What holds of one node of a component holds of all.
            let members = self.component(node);
            members.iter().for_each(|&member| seen[member] = true);
            if let (Some(pump), Some(prefix)) = (self.two_ways_round(node, &members), &words[node]) {
                found.push(Suspect { prefix: prefix.clone(), pump, doubles: true });
            }
        }
        found
    }

    /// The nodes that can be reached from a node and that it can be reached from.
    fn component(&self, node: usize) -> Vec<usize> {
        let mut back: Vec<Vec<usize>> = vec![Vec::new(); self.sets.len()];
        for (from, next) in self.next.iter().enumerate() {
            next.keys().for_each(|&to| back[to].push(from));
        }
        let forward: Vec<Vec<usize>> = self.next.iter().map(|next| next.keys().copied().collect()).collect();
        let [there, here] = [&forward, &back].map(|edges| {
            let mut reached = vec![false; edges.len()];
            let mut pending = edges[node].clone();
            while let Some(node) = pending.pop() {
                if !std::mem::replace(&mut reached[node], true) {
                    pending.extend(&edges[node]);
                }
            }
            reached
        });
        (0..self.sets.len()).filter(|&node| there[node] && here[node]).collect()
    }

    /// A word that leads from a node back to itself in two ways.
    fn two_ways_round(&self, start: usize, members: &[usize]) -> Option<Vec<u16>> {
        type Pair = (usize, usize, bool);
        let inside: Vec<bool> = (0..self.sets.len()).map(|node| members.binary_search(&node).is_ok()).collect();
        let mut common: HashMap<(usize, usize), Option<u16>> = HashMap::new();
        let mut from: HashMap<Pair, (Pair, u16)> = HashMap::new();
        let mut pending: VecDeque<Pair> = VecDeque::from([(start, start, false)]);
        while let Some(pair) = pending.pop_front() {
            let (left, right, parted) = pair;
            for (&to_left, &ways) in self.next[left].iter().filter(|(node, _)| inside[**node]) {
                for (&to_right, _) in self.next[right].iter().filter(|(node, _)| inside[**node]) {
                    let parts = parted || to_left != to_right || (left == right && ways > 1);
                    let next = (to_left.min(to_right), to_left.max(to_right), parts);
                    if next == (start, start, false) || from.contains_key(&next) {
                        continue;
                    }
                    let unit = *common
                        .entry((next.0, next.1))
                        .or_insert_with(|| shared(&self.sets[next.0], &self.sets[next.1]));
                    let Some(unit) = unit else { continue };
                    from.insert(next, (pair, unit));
                    if next == (start, start, true) {
                        let mut word = Vec::new();
                        let mut at = next;
                        while let Some(&(before, unit)) = from.get(&at) {
                            word.push(unit);
                            at = before;
                        }
                        word.reverse();
                        return Some(word);
                    }
                    if from.len() > MOST_PAIRS {
                        return None;
                    }
                    pending.push_back(next);
                }
            }
        }
        None
    }

    /// Units that several repeated sets share, those first that most share.
    fn shared_units(&self, words: &[Option<Vec<u16>>]) -> Vec<Suspect> {
        let repeated: Vec<usize> = (0..self.sets.len()).filter(|&node| self.next[node].contains_key(&node)).collect();
        let mut units: BTreeMap<u16, usize> = BTreeMap::new();
        for (index, &left) in repeated.iter().enumerate() {
            for &right in &repeated[index + 1..] {
                if let Some(unit) = shared(&self.sets[left], &self.sets[right]) {
                    *units.entry(unit).or_default() += 1;
                }
            }
        }
        let mut units: Vec<(usize, u16)> = units.into_iter().map(|(unit, count)| (count, unit)).collect();
        units.sort_by_key(|&(count, unit)| (std::cmp::Reverse(count), unit));
        let mut found = Vec::new();
        for (_, unit) in units.into_iter().take(MOST_SUSPECTS) {
            let reading = repeated.iter().filter(|&&node| self.sets[node].contains(unit));
            let mut prefixes: Vec<Vec<u16>> = reading.filter_map(|&node| words[node].clone()).collect();
            // The last unit is the first of those repeated.
            prefixes.iter_mut().for_each(|prefix| prefix.truncate(prefix.len() - 1));
            prefixes.sort_by_key(Vec::len);
            prefixes.dedup();
            let suspect = |prefix| Suspect { prefix, pump: vec![unit], doubles: false };
            found.extend(prefixes.into_iter().take(MOST_SUSPECTS).map(suspect));
        }
        found
    }
}

/// A unit of a set, an easy one if it has any.
fn usual(set: &CharSet) -> Option<u16> {
    let usual = USUAL.map(|unit| unit as u16).into_iter().find(|&unit| set.contains(unit));
    usual.or_else(|| set.ranges().first().map(|&(low, _)| low))
}

/// A unit of two sets.
fn shared(left: &CharSet, right: &CharSet) -> Option<u16> {
    let in_both = |&unit: &u16| left.contains(unit) && right.contains(unit);
    let usual = USUAL.map(|unit| unit as u16).into_iter().find(in_both);
    usual.or_else(|| left.ranges().iter().chain(right.ranges()).map(|&(low, _)| low).find(in_both))
}
