//! From syntax trees to the joint automaton.
//!
//! Code is laid down from the end of a pattern to its start, so that each instruction knows where to go on. Frames stand
//! in for recursion: nesting may be as deep as the source is long.

use std::collections::HashMap;

use crate::pattern::linear::program::{Alphabet, Inst, Link, NO_BEHIND, Pc, Program};
use crate::pattern::syntax::analysis::{self, Facts, Rounds};
use crate::pattern::syntax::charset::CharSet;
use crate::pattern::syntax::tree::{Assertion, Neighbour, Node, NodeId, Tree};

/// Collects patterns into a [`Program`].
#[derive(Debug)]
pub(crate) struct Lowering {
    insts: Vec<Inst>,
    links: Vec<[Option<Link>; 2]>,
    owners: Vec<u32>,
    plain_roots: Vec<Pc>,
    other_roots: Vec<Pc>,
    behind_roots: Vec<Pc>,
    chains: u32,
    sets: Vec<CharSet>,
    set_ids: HashMap<CharSet, u32>,
    owner: u32,
}

/// A node whose parts are being laid down.
enum Frame {
    /// The children before `left` remain.
    Concat {
        node: NodeId,
        left: usize,
    },
    /// The children before `left` remain; the others are joined.
    Alternate {
        node: NodeId,
        left: usize,
        next: Pc,
        joined: Option<Pc>,
    },
    Loop {
        copies: Copies,
        split: Pc,
        at_least_once: bool,
    },
    Copies(Copies),
}

/// Copies of the child of a repeat: first, as they stand last in the text, the optional ones.
struct Copies {
    child: NodeId,
    /// Where to go on instead of an optional copy.
    skip: Pc,
    optional: u32,
    mandatory: u32,
    /// Whether the mandatory copies lead up to a loop: then the later of two copies can do what the earlier can.
    looped: bool,
    /// First instruction of the copy being laid down.
    start: usize,
    rank: u32,
    /// The chain of the first instruction of each copy, once there are copies.
    chain: Option<u32>,
}

impl Lowering {
    pub(crate) fn new() -> Self {
        Self {
            insts: Vec::new(),
            links: Vec::new(),
            owners: Vec::new(),
            plain_roots: Vec::new(),
            other_roots: Vec::new(),
            behind_roots: Vec::new(),
            chains: 0,
            sets: Vec::new(),
            set_ids: HashMap::new(),
            owner: NO_BEHIND,
        }
    }

    /// Adds a pattern without back-references, which reports matches as `index`.
    pub(crate) fn add(&mut self, index: u32, tree: &Tree, facts: &[Facts]) {
        let mut bodies: HashMap<NodeId, Pc> = HashMap::new();
        let mut has_behind = false;
        for (id, node) in tree.nodes.iter().enumerate() {
            let Node::Look { child, behind, .. } = *node else {
                continue;
            };
            let body = if behind {
                has_behind = true;
                let behind_id = self.behind_roots.len() as u32;
                self.owner = behind_id;
                let done = self.push(Inst::BehindDone(behind_id));
                let root = self.lower(tree, facts, &bodies, child, done);
                self.behind_roots.push(root);
                behind_id
            } else {
                self.owner = NO_BEHIND;
                let done = self.push(Inst::Done);
                self.lower(tree, facts, &bodies, child, done)
            };
            bodies.insert(id, body);
        }
        self.owner = NO_BEHIND;
        let end = self.push(Inst::Match(index));
        let root = self.lower(tree, facts, &bodies, tree.root, end);
        if has_behind { self.other_roots.push(root) } else { self.plain_roots.push(root) }
    }

    pub(crate) fn finish(self) -> Program {
        let has = |wanted: &[Assertion]| {
            self.insts.iter().any(|inst| matches!(inst, Inst::Assert { assertion, .. } if wanted.contains(assertion)))
        };
        let line = has(&[Assertion::LineStart]);
        let word = has(&[Assertion::WordBoundary, Assertion::NotWordBoundary]);
        let edge = if has(&[Assertion::Start]) {
            Neighbour::Edge
        } else if line {
            Neighbour::LineEnd
        } else {
            Neighbour::Other
        };
        let kinds = [
            edge,
            if word { Neighbour::Word } else { Neighbour::Other },
            if line { Neighbour::LineEnd } else { Neighbour::Other },
            Neighbour::Other,
        ];
        Program {
            alphabet: Alphabet::new(&self.sets),
            insts: self.insts,
            links: self.links,
            owners: self.owners,
            plain_roots: self.plain_roots,
            other_roots: self.other_roots,
            behind_roots: self.behind_roots,
            chains: self.chains,
            kinds,
        }
    }

    fn push(&mut self, inst: Inst) -> Pc {
        self.insts.push(inst);
        self.links.push([None; 2]);
        self.owners.push(self.owner);
        self.insts.len() as Pc - 1
    }

    fn set(&mut self, set: &CharSet) -> u32 {
        if let Some(&id) = self.set_ids.get(set) {
            return id;
        }
        let id = self.sets.len() as u32;
        self.sets.push(set.clone());
        self.set_ids.insert(set.clone(), id);
        id
    }

    /// Lays down a node that goes on at `end`; returns its entry.
    fn lower(&mut self, tree: &Tree, facts: &[Facts], bodies: &HashMap<NodeId, Pc>, root: NodeId, end: Pc) -> Pc {
        let mut frames: Vec<Frame> = Vec::new();
        let (mut node, mut at) = (root, end);
        loop {
            // Go down from `node`, which is to continue at `at`.
            let mut done = loop {
                match &tree.nodes[node] {
                    Node::Empty => break at,
                    Node::Set(set) => {
                        let set = self.set(&tree.sets[*set]);
                        break self.push(Inst::Set { set, next: at });
                    }
                    Node::Assert(assertion) => break self.push(Inst::Assert { assertion: *assertion, next: at }),
                    Node::Look { behind, negative, .. } => {
                        let (body, negative) = (bodies[&node], *negative);
                        break self.push(if *behind {
                            Inst::Behind { id: body, negative, next: at }
                        } else {
                            Inst::Ahead { body, negative, next: at }
                        });
                    }
                    // Callers replace them beforehand.
                    Node::BackReference { .. } => break self.push(Inst::Fail),
                    Node::Capture { child, .. } => node = *child,
                    Node::Concat(children) | Node::Alternate(children) => {
                        let left = children.len() - 1;
                        frames.push(if matches!(tree.nodes[node], Node::Concat(_)) {
                            Frame::Concat { node, left }
                        } else {
                            Frame::Alternate { node, left, next: at, joined: None }
                        });
                        node = children[left];
                    }
                    Node::Repeat { child, min, max, .. } => {
                        let copies = |optional, mandatory, looped, start| Copies {
                            child: *child,
                            skip: at,
                            optional,
                            mandatory,
                            looped,
                            start,
                            rank: 0,
                            chain: None,
                        };
                        match analysis::rounds(facts[*child], *min, *max) {
                            Rounds::Never => break self.push(Inst::Fail),
                            Rounds::Between { max: Some(0), .. } => break at,
                            Rounds::Between { min, max: Some(max) } => {
                                let mut copies = copies(max - min, min, false, self.insts.len());
                                copies.rank = copies.optional;
                                frames.push(Frame::Copies(copies));
                            }
                            Rounds::Between { min, max: None } => {
                                let split = self.push(Inst::Split { first: at, second: at });
                                let copies = copies(0, min.saturating_sub(1), true, self.insts.len());
                                frames.push(Frame::Loop { copies, split, at_least_once: min > 0 });
                                at = split;
                            }
                        }
                        node = *child;
                    }
                }
            };
            // Go up with the entry of what is done, until a frame has another part to lay down.
            loop {
                let Some(frame) = frames.pop() else {
                    return done;
                };
                match frame {
                    Frame::Concat { left: 0, .. } => {}
                    Frame::Concat { node: parent, left } => {
                        if let Node::Concat(children) = &tree.nodes[parent] {
                            node = children[left - 1];
                        }
                        at = done;
                        frames.push(Frame::Concat { node: parent, left: left - 1 });
                        break;
                    }
                    Frame::Alternate { node: parent, left, next, joined } => {
                        let joined = match joined {
                            None => done,
                            Some(second) => self.push(Inst::Split { first: done, second }),
                        };
                        done = joined;
                        if left > 0 {
                            if let Node::Alternate(children) = &tree.nodes[parent] {
                                node = children[left - 1];
                            }
                            at = next;
                            frames.push(Frame::Alternate { node: parent, left: left - 1, next, joined: Some(joined) });
                            break;
                        }
                    }
                    Frame::Loop { mut copies, split, at_least_once } => {
                        self.insts[split as usize] = Inst::Split { first: done, second: copies.skip };
                        if !at_least_once {
                            done = split;
                        } else if copies.mandatory > 0 {
                            copies.rank = 1;
                            self.link(&mut copies);
                            // To have done all rounds is better than to be at the start of any.
                            if let (Some(chain), Some(offset)) =
                                (copies.chain, (done as usize).checked_sub(copies.start))
                            {
                                self.link_one(split as usize, Link { chain: chain + offset as u32, rank: 0 });
                            }
                            copies.rank = 2;
                            copies.start = self.insts.len();
                            (node, at) = (copies.child, done);
                            frames.push(Frame::Copies(copies));
                            break;
                        }
                    }
                    Frame::Copies(mut copies) => {
                        if copies.optional > 0 {
                            done = self.push(Inst::Split { first: done, second: copies.skip });
                            copies.optional -= 1;
                            copies.rank = copies.optional;
                            self.link(&mut copies);
                        } else {
                            copies.mandatory -= 1;
                            if copies.looped {
                                self.link(&mut copies);
                                copies.rank += 1;
                            }
                        }
                        if copies.optional + copies.mandatory > 0 {
                            copies.start = self.insts.len();
                            (node, at) = (copies.child, done);
                            frames.push(Frame::Copies(copies));
                            break;
                        }
                    }
                }
            }
        }
    }

    /// Notes the place of the copy just laid down in the chain of its repeat.
    fn link(&mut self, copies: &mut Copies) {
        let size = self.insts.len() - copies.start;
        let chain = *copies.chain.get_or_insert_with(|| {
            let first = self.chains;
            self.chains += size as u32;
            first
        });
        for offset in 0..size {
            self.link_one(copies.start + offset, Link { chain: chain + offset as u32, rank: copies.rank });
        }
    }

    fn link_one(&mut self, inst: usize, link: Link) {
        let [innermost, outermost] = &mut self.links[inst];
        *(if innermost.is_none() { innermost } else { outermost }) = Some(link);
    }
}
