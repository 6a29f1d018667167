//! What a condition says: its text read to a tree, and facts about the tree.
//!
//! [`parse`] gives a [`tree`]; [`analysis`] gathers what holds of each node; [`approximate`] makes a pattern that the
//! automaton can run and that matches at least as much; [`ending`] tells what text to come can undo, [`ambiguity`]
//! which texts have many ways through the pattern.

pub(crate) mod ambiguity;
pub(crate) mod analysis;
pub(crate) mod approximate;
pub(crate) mod charset;
pub(crate) mod ending;
pub(crate) mod error;
pub(crate) mod fold;
pub(crate) mod parse;
pub(crate) mod sticky;
pub(crate) mod tree;
pub(crate) mod unit_set;
