//! Code for the backtracker, laid down from a syntax tree without recursion.

use std::ops::Range;

use super::charset::CharSet;
use super::syntax::{Assertion, Node, NodeId, Tree};

/// One instruction; the next one follows unless it says otherwise.
#[derive(Clone, Debug)]
pub(super) enum Op {
    Set {
        set: usize,
        backward: bool,
    },
    /// A repeat of one set.
    Run {
        set: usize,
        backward: bool,
        min: u32,
        max: u32,
        greedy: bool,
    },
    Assert(Assertion),
    /// Goes on here, later there.
    Split {
        later: usize,
    },
    Jump(usize),
    /// Notes the present place.
    Save(usize),
    Repeat {
        counter: usize,
    },
    /// Decides between another round, which begins right behind, and the exit.
    Test {
        counter: usize,
        min: u32,
        max: u32,
        greedy: bool,
        exit: usize,
    },
    Enter {
        counter: usize,
        captures: Range<u32>,
    },
    Next {
        counter: usize,
        min: u32,
        test: usize,
        backward: bool,
    },
    Look {
        negative: bool,
        exit: usize,
    },
    LookEnd {
        negative: bool,
    },
    BackReference {
        groups: Vec<u32>,
        fold: bool,
        backward: bool,
    },
    Match,
}

/// A pattern as the backtracker runs it.
#[derive(Debug)]
pub(super) struct Code {
    pub(super) ops: Vec<Op>,
    pub(super) sets: Vec<CharSet>,
    pub(super) counters: usize,
    /// Number of capture groups, the whole match counted as one.
    pub(super) groups: usize,
}

enum Task {
    Node { node: NodeId, backward: bool },
    Alternate { node: NodeId, index: usize, backward: bool, split: Option<usize>, jumps: Vec<usize> },
    Save(usize),
    EndRepeat { counter: usize, min: u32, test: usize, backward: bool },
    EndLook { look: usize, negative: bool },
}

impl Code {
    pub(super) fn new(tree: &Tree) -> Self {
        let mut code =
            Self { ops: Vec::new(), sets: tree.sets.clone(), counters: 0, groups: tree.captures as usize + 1 };
        let mut tasks = vec![Task::Node { node: tree.root, backward: false }];
        while let Some(task) = tasks.pop() {
            code.run(tree, task, &mut tasks);
        }
        code.ops.push(Op::Match);
        code.ops.shrink_to_fit();
        code
    }

    fn run(&mut self, tree: &Tree, task: Task, tasks: &mut Vec<Task>) {
        let here = self.ops.len();
        match task {
            Task::Node { node, backward } => self.node(tree, node, backward, tasks),
            Task::Save(slot) => self.ops.push(Op::Save(slot)),
            Task::EndRepeat { counter, min, test, backward } => {
                self.ops.push(Op::Next { counter, min, test, backward });
                if let Op::Test { exit, .. } = &mut self.ops[test] {
                    *exit = here + 1;
                }
            }
            Task::EndLook { look, negative } => {
                self.ops.push(Op::LookEnd { negative });
                if let Op::Look { exit, .. } = &mut self.ops[look] {
                    *exit = here + 1;
                }
            }
            Task::Alternate { node, index, backward, split, mut jumps } => {
                let Node::Alternate(children) = &tree.nodes[node] else {
                    return;
                };
                if index > 0 && index < children.len() {
                    jumps.push(here);
                    self.ops.push(Op::Jump(0));
                }
                let here = self.ops.len();
                if let Some(split) = split {
                    self.ops[split] = Op::Split { later: here };
                }
                if index == children.len() {
                    for jump in jumps {
                        self.ops[jump] = Op::Jump(here);
                    }
                    return;
                }
                let split = (index + 1 < children.len()).then_some(here);
                if split.is_some() {
                    self.ops.push(Op::Split { later: 0 });
                }
                tasks.push(Task::Alternate { node, index: index + 1, backward, split, jumps });
                tasks.push(Task::Node { node: children[index], backward });
            }
        }
    }

    fn node(&mut self, tree: &Tree, node: NodeId, backward: bool, tasks: &mut Vec<Task>) {
        let here = self.ops.len();
        match &tree.nodes[node] {
            Node::Empty => {}
            Node::Set(set) => self.ops.push(Op::Set { set: *set, backward }),
            Node::Assert(assertion) => self.ops.push(Op::Assert(*assertion)),
            Node::BackReference { groups, fold } => {
                self.ops.push(Op::BackReference { groups: groups.clone(), fold: *fold, backward });
            }
            Node::Concat(children) => {
                let children = children.iter().map(|&node| Task::Node { node, backward });
                // The task on top of the stack is done first.
                if backward { tasks.extend(children) } else { tasks.extend(children.rev()) }
            }
            Node::Alternate(_) => {
                tasks.push(Task::Alternate { node, index: 0, backward, split: None, jumps: Vec::new() });
            }
            Node::Capture { child, index } => {
                let (first, last) = (*index as usize * 2, *index as usize * 2 + 1);
                let (before, after) = if backward { (last, first) } else { (first, last) };
                self.ops.push(Op::Save(before));
                tasks.push(Task::Save(after));
                tasks.push(Task::Node { node: *child, backward });
            }
            Node::Look { child, behind, negative } => {
                self.ops.push(Op::Look { negative: *negative, exit: 0 });
                tasks.push(Task::EndLook { look: here, negative: *negative });
                tasks.push(Task::Node { node: *child, backward: *behind });
            }
            Node::Repeat { child, min, max, greedy, captures } => {
                if let Node::Set(set) = tree.nodes[*child] {
                    self.ops.push(Op::Run { set, backward, min: *min, max: *max, greedy: *greedy });
                    return;
                }
                let counter = self.counters;
                self.counters += 1;
                self.ops.push(Op::Repeat { counter });
                self.ops.push(Op::Test { counter, min: *min, max: *max, greedy: *greedy, exit: 0 });
                self.ops.push(Op::Enter { counter, captures: captures.clone() });
                tasks.push(Task::EndRepeat { counter, min: *min, test: here + 1, backward });
                tasks.push(Task::Node { node: *child, backward });
            }
        }
    }
}
