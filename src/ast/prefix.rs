//! [`Prefixes`]: how the matches of many patterns begin, so that one look at a node rules out most of them at once.
//!
//! The matcher goes through the children of a node from left to right and never back, but for lists. So a pattern is
//! a sequence of steps up to its first list, and often beyond it; patterns that begin alike share their first steps.
//! What the steps rule out the matcher would refuse; what they let through it has to confirm.

use std::collections::HashMap;

use ast_grep_core::matcher::{PatternNode, kind_utils};
use ast_grep_core::meta_var::MetaVariable;
use tree_sitter::{Node, TreeCursor};

/// Steps of one pattern; what follows is left to the matcher.
const MAX_STEPS: usize = 64;

/// Children of one node that are looked at: a node of thousands costs no more than one of this many.
const MAX_CHILDREN: usize = 64;

/// What a single node is compared with, whatever its children.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Goal {
    /// A node without children in the pattern; unnamed ones are compared by kind alone.
    Leaf { kind: u16, text: Option<String> },
    /// Any named node.
    Named,
    /// Any node.
    Any,
}

/// One step of the matcher through a tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Step {
    /// The next node has this kind, and children: on to the first of them.
    Enter(u16),
    /// On to what follows the parent. Further children do not matter.
    Leave,
    /// The next node is this one. Unnamed nodes before a leaf do not matter.
    Take(Goal),
    /// On behind the first further node that is this one.
    Seek(Goal),
    /// A further node has this kind. Always the last step.
    Holds(u16),
}

/// The steps of a pattern, as far as they can be told.
fn steps_of(pattern: &PatternNode, repeats: bool) -> Vec<Step> {
    let mut lowering = Lowering { steps: Vec::new(), repeats };
    lowering.node(pattern);
    let Lowering { mut steps, .. } = lowering;
    while steps.last() == Some(&Step::Leave) {
        steps.pop();
    }
    steps
}

struct Lowering {
    steps: Vec<Step>,
    /// Whether a variable stands twice. Which node ends a list then depends on what the variables hold.
    repeats: bool,
}

impl Lowering {
    /// Adds the steps of a node; false where they end before the pattern does.
    fn node(&mut self, node: &PatternNode) -> bool {
        if self.steps.len() >= MAX_STEPS {
            return false;
        }
        let PatternNode::Internal { kind_id, children } = node else {
            return match goal_of(node) {
                Some(goal) => self.add(Step::Take(goal)),
                None => false,
            };
        };
        self.add(Step::Enter(*kind_id)) && self.children(children) && self.add(Step::Leave)
    }

    fn add(&mut self, step: Step) -> bool {
        self.steps.push(step);
        true
    }

    fn children(&mut self, mut goals: &[PatternNode]) -> bool {
        while let [first, rest @ ..] = goals {
            if !is_list(first) {
                if !self.node(first) {
                    return false;
                }
                goals = rest;
                continue;
            }
            // The matcher passes over unnamed tokens behind a list, and a list at the end takes what there is.
            let Some(at) = rest.iter().position(|goal| !goal.is_trivial()) else {
                return true;
            };
            goals = &rest[at..];
            if is_list(&goals[0]) {
                self.steps.push(Step::Take(Goal::Any));
                continue;
            }
            if self.repeats {
                return false;
            }
            match &goals[0] {
                PatternNode::Internal { kind_id, .. } => {
                    self.steps.push(Step::Holds(*kind_id));
                    return false;
                }
                leaf => self.steps.extend(goal_of(leaf).map(Step::Seek)),
            }
            goals = &goals[1..];
        }
        true
    }
}

fn is_list(node: &PatternNode) -> bool {
    let PatternNode::MetaVar { meta_var } = node else {
        return false;
    };
    matches!(meta_var, MetaVariable::Multiple | MetaVariable::MultiCapture(_))
}

/// What a node of the pattern without children compares with; none for lists.
fn goal_of(node: &PatternNode) -> Option<Goal> {
    match node {
        PatternNode::Terminal { text, is_named, kind_id } => {
            Some(Goal::Leaf { kind: *kind_id, text: is_named.then(|| text.clone()) })
        }
        PatternNode::MetaVar { meta_var: MetaVariable::Capture(_, named) | MetaVariable::Dropped(named) } => {
            Some(if *named { Goal::Named } else { Goal::Any })
        }
        PatternNode::MetaVar { .. } | PatternNode::Internal { .. } => None,
    }
}

/// The steps of a set of patterns; common beginnings are kept once.
#[derive(Debug, Default)]
pub(super) struct Prefixes {
    branches: Vec<Branch>,
    /// First steps by the kind of the node that they need.
    by_kind: Vec<Vec<usize>>,
    /// First steps that any kind may pass.
    of_any_kind: Vec<usize>,
    /// Patterns of which no step is known.
    unknown: Vec<usize>,
}

#[derive(Debug)]
struct Branch {
    step: Step,
    next: Vec<usize>,
    /// Patterns of which this is the last step.
    ends: Vec<usize>,
}

impl Prefixes {
    /// Of patterns with the numbers they are told apart by, and whether a variable stands twice in them.
    pub(super) fn new<'a>(patterns: impl Iterator<Item = (usize, &'a PatternNode, bool)>) -> Self {
        let mut prefixes = Self::default();
        let mut known: HashMap<(Option<usize>, Step), usize> = HashMap::new();
        for (number, pattern, repeats) in patterns {
            let mut last = None;
            for step in steps_of(pattern, repeats) {
                let at = *known.entry((last, step)).or_insert_with_key(|(_, step)| prefixes.branch(last, step.clone()));
                last = Some(at);
            }
            match last {
                Some(last) => prefixes.branches[last].ends.push(number),
                None => prefixes.unknown.push(number),
            }
        }
        prefixes
    }

    fn branch(&mut self, parent: Option<usize>, step: Step) -> usize {
        let at = self.branches.len();
        match (parent, &step) {
            (Some(parent), _) => self.branches[parent].next.push(at),
            (None, Step::Enter(kind) | Step::Take(Goal::Leaf { kind, .. })) if !kind_utils::is_error_kind(*kind) => {
                let kind = usize::from(*kind);
                if self.by_kind.len() <= kind {
                    self.by_kind.resize_with(kind + 1, Vec::new);
                }
                self.by_kind[kind].push(at);
            }
            (None, _) => self.of_any_kind.push(at),
        }
        self.branches.push(Branch { step, next: Vec::new(), ends: Vec::new() });
        at
    }
}

/// Looks at the nodes of one tree, one after another.
pub(super) struct Look<'p, 'tree> {
    prefixes: &'p Prefixes,
    text: &'tree str,
    cursor: TreeCursor<'tree>,
    items: Vec<Item<'tree>>,
    lists: Vec<List>,
    /// Steps to be tried, with where they start; none when that was not looked at.
    open: Vec<(usize, Option<Position>)>,
    found: Vec<usize>,
}

/// A node below the one that is looked at.
struct Item<'tree> {
    node: Node<'tree>,
    kind: u16,
    is_named: bool,
    /// The list that it stands in.
    list: usize,
    children: Option<usize>,
}

/// The node that is looked at, or the children of one.
#[derive(Clone, Copy)]
struct List {
    start: usize,
    end: usize,
    /// Whether there are more of them than were looked at.
    is_cut: bool,
    /// Of which these are the children.
    owner: usize,
}

/// The next item of a list, or its end.
#[derive(Clone, Copy)]
struct Position {
    list: usize,
    next: usize,
}

/// Where a step leads.
enum Reached {
    /// No match has this step.
    Nothing,
    Position(Position),
    /// What decides was not looked at.
    Unknown,
}

impl<'p, 'tree> Look<'p, 'tree> {
    pub(super) fn new(prefixes: &'p Prefixes, text: &'tree str, root: Node<'tree>) -> Self {
        let (items, lists, open, found) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { prefixes, text, cursor: root.walk(), items, lists, open, found }
    }

    /// The numbers of the patterns that may match this node; the others do not.
    pub(super) fn at(&mut self, node: Node<'tree>) -> &[usize] {
        self.found.clear();
        let prefixes = self.prefixes;
        let kind = node.kind_id();
        let of_kind = prefixes.by_kind.get(usize::from(kind)).map(Vec::as_slice).unwrap_or_default();
        self.found.extend(&prefixes.unknown);
        if of_kind.is_empty() && prefixes.of_any_kind.is_empty() {
            return &self.found;
        }
        self.items.clear();
        self.lists.clear();
        self.items.push(Item { node, kind, is_named: node.is_named(), list: 0, children: None });
        self.lists.push(List { start: 0, end: 1, is_cut: false, owner: 0 });
        let start = Some(Position { list: 0, next: 0 });
        self.open.extend(of_kind.iter().chain(&prefixes.of_any_kind).map(|&branch| (branch, start)));
        while let Some((branch, position)) = self.open.pop() {
            let branch = &prefixes.branches[branch];
            let position = match position.map(|position| self.follow(&branch.step, position)) {
                Some(Reached::Nothing) => continue,
                Some(Reached::Position(position)) => Some(position),
                Some(Reached::Unknown) | None => None,
            };
            self.found.extend(&branch.ends);
            self.open.extend(branch.next.iter().map(|&next| (next, position)));
        }
        &self.found
    }

    fn follow(&mut self, step: &Step, position: Position) -> Reached {
        let List { end, is_cut, owner, .. } = self.lists[position.list];
        let behind = |item: usize| Reached::Position(Position { list: position.list, next: item + 1 });
        let mut rest = position.next..end;
        let missing = if is_cut { Reached::Unknown } else { Reached::Nothing };
        match step {
            Step::Enter(kind) => match rest.next() {
                Some(item) if kind_utils::are_kinds_matching(*kind, self.items[item].kind) => {
                    let list = self.children(item);
                    let List { start, end, .. } = self.lists[list];
                    if start == end { Reached::Nothing } else { Reached::Position(Position { list, next: start }) }
                }
                Some(_) => Reached::Nothing,
                None => missing,
            },
            Step::Leave => Reached::Position(Position { list: self.items[owner].list, next: owner + 1 }),
            Step::Take(goal) => {
                let passes = |&item: &usize| self.items[item].is_named || self.fits(goal, item);
                let taken = if matches!(goal, Goal::Leaf { .. }) { rest.find(passes) } else { rest.next() };
                match taken {
                    Some(item) if self.fits(goal, item) => behind(item),
                    Some(_) => Reached::Nothing,
                    None => missing,
                }
            }
            Step::Seek(goal) => rest.find(|&item| self.fits(goal, item)).map_or(missing, behind),
            Step::Holds(kind) => {
                rest.find(|&item| kind_utils::are_kinds_matching(*kind, self.items[item].kind)).map_or(missing, behind)
            }
        }
    }

    fn fits(&self, goal: &Goal, item: usize) -> bool {
        let item = &self.items[item];
        match goal {
            Goal::Leaf { kind, text } => {
                let has = |text: &String| self.text.get(item.node.byte_range()).unwrap_or_default() == text;
                kind_utils::are_kinds_matching(*kind, item.kind) && text.as_ref().is_none_or(has)
            }
            Goal::Named => item.is_named,
            Goal::Any => true,
        }
    }

    /// The children of an item, read when they are first asked for.
    fn children(&mut self, item: usize) -> usize {
        if let Some(list) = self.items[item].children {
            return list;
        }
        let (start, list) = (self.items.len(), self.lists.len());
        self.cursor.reset(self.items[item].node);
        let mut more = self.cursor.goto_first_child();
        while more && self.items.len() < start + MAX_CHILDREN {
            let node = self.cursor.node();
            let (kind, is_named) = (node.kind_id(), node.is_named());
            self.items.push(Item { node, kind, is_named, list, children: None });
            more = self.cursor.goto_next_sibling();
        }
        self.lists.push(List { start, end: self.items.len(), is_cut: more, owner: item });
        self.items[item].children = Some(list);
        list
    }
}

#[cfg(test)]
#[cfg(feature = "languages-common")]
mod tests {
    use std::sync::Arc;

    use ast_grep_core::{Doc, Pattern};
    use ast_grep_language::SupportLang;

    use super::super::document::Document;
    use super::super::grammar::Grammar;
    use super::*;

    const GRAMMAR: Grammar = Grammar::Builtin(SupportLang::TypeScript);

    /// The patterns that are let through at the node that has the whole text but for its statement.
    fn passed(patterns: &[String], source: &str) -> Vec<usize> {
        let compiled: Vec<Pattern> =
            patterns.iter().map(|pattern| Pattern::try_new(pattern, GRAMMAR).expect("a pattern")).collect();
        let prefixes =
            Prefixes::new(compiled.iter().map(|pattern| &pattern.node).enumerate().map(|(at, node)| (at, node, false)));
        let document = Document::of_pattern(source, GRAMMAR).expect("a source");
        let text = Arc::clone(document.text());
        let statement = document.root_node().child(0).expect("a statement");
        let mut look = Look::new(&prefixes, &text, document.root_node());
        let mut passed = look.at(statement.child(0).expect("an expression")).to_vec();
        passed.sort_unstable();
        passed
    }

    #[test]
    fn one_look_leaves_the_patterns_that_begin_like_the_node() {
        let patterns: Vec<String> = (0..50).map(|number| format!("log.info($A, $B, {number}, $$$REST)")).collect();
        assert!(passed(&patterns, "log.info(a)").is_empty());
        assert!(passed(&patterns, "log.warn(a, b, 7, c)").is_empty());
        assert_eq!(passed(&patterns, "log.info(a, b, 7, c)"), [7]);
        assert!(passed(&patterns, "log /* c */ .info(a, b, 7)").is_empty());
        let patterns: Vec<String> = (0..50).map(|number| format!("log($$$A, {number}, $B)")).collect();
        assert_eq!(passed(&patterns, "log(a, 3, 4, c)"), [4]);
        assert!(passed(&patterns, "log(a, 3)").is_empty());
    }

    #[test]
    fn what_is_beyond_the_children_looked_at_rules_nothing_out() {
        let patterns = ["log($$$A, b)".to_owned(), "log($$$A, { k: $V })".to_owned(), "other($$$A, b)".to_owned()];
        assert!(passed(&patterns, &format!("log({}c)", "a, ".repeat(5))).is_empty());
        assert_eq!(passed(&patterns, &format!("log({}c)", "a, ".repeat(50))), [0, 1]);
    }
}
