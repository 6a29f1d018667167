//! Code for the backtracker, laid down from a syntax tree without recursion.

mod liveness;

use std::ops::Range;
use std::sync::OnceLock;

use crate::pattern::syntax::analysis::Facts;
use crate::pattern::syntax::tree::{Assertion, Node, NodeId, Tree, UNBOUNDED};
use crate::pattern::syntax::unit_set::UnitSet;
use liveness::Liveness;

/// One instruction; the next one follows unless it says otherwise.
#[derive(Clone, Debug)]
pub(crate) enum Op {
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
        next: Behind,
    },
    Assert(Assertion),
    /// Goes on at the one place, later at the other.
    Split {
        now: usize,
        later: usize,
    },
    Jump(usize),
    /// Notes the present place.
    Save(usize),
    /// Unsets captures, at the start of a round.
    Clear(Range<usize>),
    /// Begins a counted repeat.
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
    },
    Next {
        counter: usize,
        min: u32,
        max: u32,
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
    /// The text of the first set group; groups are given by the slot of their start.
    BackReference {
        groups: Vec<usize>,
        fold: bool,
        backward: bool,
    },
    Match,
}

/// What is known of the unit that has to follow a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behind {
    Anything,
    /// One of this set.
    Within(usize),
    /// One of this set, which shares no unit with the run: a run that stopped by itself cannot give back anything.
    Apart(usize),
}

/// A pattern as the backtracker runs it.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) ops: Vec<Op>,
    pub(crate) sets: Vec<UnitSet>,
    pub(crate) counters: usize,
    /// Number of capture slots: two for each group that is referred to. The others need not be kept.
    pub(crate) slots: usize,
    /// For each group, its number among those that are referred to.
    groups: Vec<usize>,
    liveness: OnceLock<Liveness>,
}

enum Task {
    Node { node: NodeId, backward: bool },
    Alternate { node: NodeId, index: usize, backward: bool, split: Option<usize>, jumps: Vec<usize> },
    Save(usize),
    EndOptional { split: usize, greedy: bool },
    EndStar { split: usize, greedy: bool },
    EndPlus { start: usize, greedy: bool },
    EndRepeat { counter: usize, min: u32, max: u32, test: usize, backward: bool },
    EndLook { look: usize, negative: bool },
}

impl Code {
    pub(crate) fn new(tree: &Tree, facts: &[Facts]) -> Self {
        let mut is_wanted = vec![false; tree.captures as usize + 2];
        for node in &tree.nodes {
            if let Node::BackReference { groups, .. } = node {
                groups.iter().for_each(|&group| is_wanted[group as usize] = true);
            }
        }
        let mut wanted = 0;
        let groups = is_wanted.iter().map(|&is_wanted| {
            let number = wanted;
            wanted += usize::from(is_wanted);
            number
        });
        let groups: Vec<usize> = groups.collect();
        let sets = tree.sets.iter().map(UnitSet::new).collect();
        let slots = wanted * 2;
        let mut code = Self { ops: Vec::new(), sets, counters: 0, slots, groups, liveness: OnceLock::new() };
        let mut tasks = vec![Task::Node { node: tree.root, backward: false }];
        while let Some(task) = tasks.pop() {
            code.run(tree, facts, task, &mut tasks);
        }
        code.ops.push(Op::Match);
        code.ops.shrink_to_fit();
        code.look_behind_runs();
        code
    }

    /// Which registers can still matter at each instruction.
    pub(crate) fn liveness(&self) -> &Liveness {
        self.liveness.get_or_init(|| liveness::of(self))
    }

    fn run(&mut self, tree: &Tree, facts: &[Facts], task: Task, tasks: &mut Vec<Task>) {
        let here = self.ops.len();
        match task {
            Task::Node { node, backward } => self.node(tree, facts, node, backward, tasks),
            Task::Save(slot) => self.ops.push(Op::Save(slot)),
            Task::EndOptional { split, greedy } => self.ops[split] = choice(split + 1, here, greedy),
            Task::EndStar { split, greedy } => {
                self.ops.push(Op::Jump(split));
                self.ops[split] = choice(split + 1, here + 1, greedy);
            }
            Task::EndPlus { start, greedy } => self.ops.push(choice(start, here + 1, greedy)),
            Task::EndRepeat { counter, min, max, test, backward } => {
                self.ops.push(Op::Next { counter, min, max, test, backward });
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
                    self.ops[split] = Op::Split { now: split + 1, later: here };
                }
                if index == children.len() {
                    for jump in jumps {
                        self.ops[jump] = Op::Jump(here);
                    }
                    return;
                }
                let split = (index + 1 < children.len()).then_some(here);
                if split.is_some() {
                    self.ops.push(Op::Split { now: 0, later: 0 });
                }
                tasks.push(Task::Alternate { node, index: index + 1, backward, split, jumps });
                tasks.push(Task::Node { node: children[index], backward });
            }
        }
    }

    fn node(&mut self, tree: &Tree, facts: &[Facts], node: NodeId, backward: bool, tasks: &mut Vec<Task>) {
        let here = self.ops.len();
        match &tree.nodes[node] {
            Node::Empty => {}
            Node::Set(set) => self.ops.push(Op::Set { set: *set, backward }),
            Node::Assert(assertion) => self.ops.push(Op::Assert(*assertion)),
            Node::BackReference { groups, fold } => {
                let groups = groups.iter().map(|&group| self.groups[group as usize] * 2).collect();
                self.ops.push(Op::BackReference { groups, fold: *fold, backward });
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
                let slots = self.slots_of(*index..*index + 1);
                if !slots.is_empty() {
                    let (first, last) = (slots.start, slots.start + 1);
                    let (before, after) = if backward { (last, first) } else { (first, last) };
                    self.ops.push(Op::Save(before));
                    tasks.push(Task::Save(after));
                }
                tasks.push(Task::Node { node: *child, backward });
            }
            Node::Look { child, behind, negative } => {
                self.ops.push(Op::Look { negative: *negative, exit: 0 });
                tasks.push(Task::EndLook { look: here, negative: *negative });
                tasks.push(Task::Node { node: *child, backward: *behind });
            }
            Node::Repeat { child, min, max, greedy, captures } => {
                let (child, min, max, greedy) = (*child, *min, *max, *greedy);
                if let Node::Set(set) = tree.nodes[child] {
                    self.ops.push(Op::Run { set, backward, min, max, greedy, next: Behind::Anything });
                    return;
                }
                let cleared = self.slots_of(captures.clone());
                // Rounds that read something need no note of where they began, and these few no count.
                let is_plain = facts[child].min > 0;
                match (min, max) {
                    (_, 0) => return,
                    (0, 1) if is_plain => {
                        self.ops.push(Op::Split { now: 0, later: 0 });
                        tasks.push(Task::EndOptional { split: here, greedy });
                    }
                    (0, UNBOUNDED) if is_plain => {
                        self.ops.push(Op::Split { now: 0, later: 0 });
                        tasks.push(Task::EndStar { split: here, greedy });
                    }
                    (1, UNBOUNDED) if is_plain => tasks.push(Task::EndPlus { start: here, greedy }),
                    _ => {
                        let counter = self.counters;
                        self.counters += 1;
                        self.ops.push(Op::Repeat { counter });
                        self.ops.push(Op::Test { counter, min, max, greedy, exit: 0 });
                        self.ops.push(Op::Enter { counter });
                        tasks.push(Task::EndRepeat { counter, min, max, test: here + 1, backward });
                    }
                }
                if !cleared.is_empty() {
                    self.ops.push(Op::Clear(cleared));
                }
                tasks.push(Task::Node { node: child, backward });
            }
        }
    }

    /// The slots of a range of groups, as far as they are referred to.
    fn slots_of(&self, groups: Range<u32>) -> Range<usize> {
        let slot = |group: u32| self.groups[(group as usize).min(self.groups.len() - 1)] * 2;
        slot(groups.start)..slot(groups.end)
    }

    /// Notes behind each run what has to follow it.
    fn look_behind_runs(&mut self) {
        for pc in 0..self.ops.len() {
            let Op::Run { set, backward, .. } = self.ops[pc] else { continue };
            let Some(wanted) = self.unit_at(pc + 1, backward) else { continue };
            let apart = self.sets[set].is_disjoint(&self.sets[wanted]);
            if let Op::Run { next, .. } = &mut self.ops[pc] {
                *next = if apart { Behind::Apart(wanted) } else { Behind::Within(wanted) };
            }
        }
    }

    /// The set of the unit that the code has to read next, if that is plain to see.
    fn unit_at(&self, mut pc: usize, wanted: bool) -> Option<usize> {
        /// Instructions that read nothing are passed over, up to this many.
        const PASSED: usize = 8;
        for _ in 0..PASSED {
            match self.ops.get(pc)? {
                Op::Save(_) | Op::Clear(_) => pc += 1,
                Op::Jump(target) => pc = *target,
                Op::Set { set, backward } if *backward == wanted => return Some(*set),
                Op::Run { set, backward, min: 1.., .. } if *backward == wanted => return Some(*set),
                _ => return None,
            }
        }
        None
    }
}

/// A choice between the round at one place and the exit.
const fn choice(round: usize, exit: usize, greedy: bool) -> Op {
    if greedy { Op::Split { now: round, later: exit } } else { Op::Split { now: exit, later: round } }
}
