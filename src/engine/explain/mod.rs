//! [`Explain`]: what was looked at in a message, from which follows why each rule did not fire (cli.md, `--explain`).

mod reason;
mod words;

use std::collections::HashMap;

use crate::ast::Outcome;
use crate::text::JsString;

use super::{Context, Subject};

pub use words::{Closest, Searched};

/// What the rules of a message met.
#[derive(Debug)]
pub(super) struct Explain {
    /// The texts that were checked, in order of first appearance.
    seen: Vec<Seen>,
    by_key: HashMap<JsString, usize>,
    rules: Vec<Met>,
}

/// One text that was checked.
#[derive(Debug)]
struct Seen {
    /// Where it belongs, as it was known last.
    context: Context,
    subject: Subject,
    /// The arguments of the finished call as JSON, where rules saw something else of it.
    arguments: Option<JsString>,
    /// Whether the files of the call took its place: it was checked while none was known.
    is_superseded: bool,
    /// Whether the call was not over when the message ended.
    is_open: bool,
}

/// What became of one rule.
#[derive(Clone, Debug, Default)]
struct Met {
    /// It fired, or is reported as undecided.
    fired: bool,
    /// It matched in this text, and the repeat policy held it back.
    held: Option<usize>,
    structural: Structural,
}

/// What became of the structural patterns of a rule.
#[derive(Clone, Debug, Default)]
enum Structural {
    #[default]
    NotTried,
    /// No language for the file.
    NoLanguage(Option<JsString>),
    NoMatch,
}

impl Explain {
    pub(super) fn new(rules: usize) -> Self {
        Self { seen: Vec::new(), by_key: HashMap::new(), rules: vec![Met::default(); rules] }
    }

    /// A text is checked in this context.
    pub(super) fn see(&mut self, context: &Context) {
        let at = self.place(context);
        if self.seen[at].context.paths != context.paths {
            self.seen[at].context.paths.clone_from(&context.paths);
        }
    }

    /// What the text of a context is, and the arguments of a call that is over.
    pub(super) fn subject(&mut self, context: &Context, subject: Subject, arguments: Option<JsString>) {
        let at = self.place(context);
        let seen = &mut self.seen[at];
        seen.subject = subject;
        seen.is_open = subject.is_of_a_call() && arguments.is_none();
        seen.arguments = arguments;
    }

    /// The call of this context shows files: what was looked at before is void.
    pub(super) fn supersede(&mut self, call: &Context) {
        if let Some(&at) = self.by_key.get(&*call.buffer_key()) {
            self.seen[at].is_superseded = true;
        }
    }

    fn place(&mut self, context: &Context) -> usize {
        let key = context.buffer_key();
        if let Some(&at) = self.by_key.get(&*key) {
            self.seen[at].is_superseded = false;
            return at;
        }
        let at = self.seen.len();
        self.by_key.insert(key.into_owned(), at);
        self.seen.push(Seen {
            context: context.clone(),
            subject: Subject::of(context),
            arguments: None,
            is_superseded: false,
            is_open: false,
        });
        at
    }

    /// The rule matched in this context, and the repeat policy held it back.
    pub(super) fn held(&mut self, rule: usize, context: &Context) {
        let at = self.place(context);
        self.rules[rule].held.get_or_insert(at);
    }

    /// No language for structural patterns.
    pub(super) fn no_language(&mut self, rule: usize, paths: &[JsString]) {
        if matches!(self.rules[rule].structural, Structural::NotTried) {
            self.rules[rule].structural = Structural::NoLanguage(paths.first().cloned());
        }
    }

    /// What a rule's structural patterns say; `blocked` when the repeat policy holds the rule back.
    pub(super) fn ast(&mut self, rule: usize, context: &Context, outcome: &Outcome, blocked: bool) {
        match outcome {
            Outcome::Match(_) if blocked => self.held(rule, context),
            Outcome::NoMatch => self.rules[rule].structural = Structural::NoMatch,
            Outcome::Match(_) => self.fired(rule),
            Outcome::NoGrammar | Outcome::Undecided(_) if !blocked => self.fired(rule),
            Outcome::NoGrammar | Outcome::Undecided(_) => {}
        }
    }

    /// The rule fired or is reported as undecided.
    pub(super) fn fired(&mut self, rule: usize) {
        self.rules[rule].fired = true;
    }
}
