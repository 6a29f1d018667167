//! [`Warm`]: what the runs of one rule set hand on to each other.

use std::sync::{Arc, Mutex, PoisonError};

use crate::ast::AstSet;
use crate::pattern::{Pattern, PatternSet, Scanner};
use crate::text::JsString;

/// The joined conditions of a rule set, compiled once, and the caches of runs that are over. Each run takes one of them
/// or begins cold; so there are as many as runs go on at the same time. Which one a run takes changes no decision.
#[derive(Clone, Debug, Default)]
pub struct Warm(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    set: Option<Arc<PatternSet>>,
    /// The structural patterns of each rule.
    lists: Vec<Vec<JsString>>,
    kept: Vec<(Scanner, AstSet)>,
}

/// More caches than this are not kept.
const MOST: usize = 64;

impl Warm {
    /// A scanner of these conditions, and the structural patterns of each rule.
    pub(super) fn take(&self, patterns: Vec<Pattern>, lists: Vec<Vec<JsString>>) -> (Scanner, AstSet) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let set = match &state.set {
            Some(set) if set.is_of(&patterns) && state.lists == lists => Arc::clone(set),
            _ => {
                let set = Arc::new(PatternSet::new(patterns));
                *state = State { set: Some(Arc::clone(&set)), lists: lists.clone(), kept: Vec::new() };
                set
            }
        };
        let kept = state.kept.pop();
        drop(state);
        kept.unwrap_or_else(|| (Scanner::new(set), AstSet::new(lists)))
    }

    /// Takes back what a run used.
    pub(super) fn give_back(&self, mut scanner: Scanner, ast: AstSet) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_ours = state.set.as_ref().is_some_and(|set| Arc::ptr_eq(set, scanner.set()));
        if is_ours && state.kept.len() < MOST {
            scanner.reset_steps();
            state.kept.push((scanner, ast));
        }
    }
}
