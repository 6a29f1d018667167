//! [`FileRules`]: what rules say of files as they are, each as a finished `write` call to it (cli.md, `--as-write`).

use crate::engine::{By, Context, Manager};
use crate::text::JsString;
use crate::tool::paths;

use super::plan::Plan;

/// The id of the call in each file.
const CALL: &str = "call_0";

/// What one rule says of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileHit {
    /// The rule.
    pub rule: JsString,
    /// What matched.
    pub by: By,
    /// At most 80 code points around the match.
    pub excerpt: JsString,
    /// The line at which the match begins, from 1; none where its place is not known.
    pub line: Option<usize>,
}

/// What all rules say of one file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileFindings {
    /// The first match of each rule, in registration order.
    pub hits: Vec<FileHit>,
    /// Rules and patterns that could not be decided, with the reason.
    pub undecided: Vec<(JsString, JsString, String)>,
}

/// The rules of a plan, with caches that stay warm from file to file.
pub struct FileRules {
    manager: Manager,
    cwd: JsString,
}

impl FileRules {
    /// The rules as a run at the plan's working directory has them.
    pub fn new(plan: &Plan) -> Self {
        let manager = Manager::new(plan.placed_rules(&plan.cwd), plan.settings.clone(), plan.semantics.clone());
        Self { manager, cwd: plan.cwd.clone() }
    }

    /// What the rules say of a finished `write` call of this text to this path. Every rule is armed.
    pub fn look_at(&mut self, path: &JsString, text: &JsString) -> FileFindings {
        self.manager.reset_buffers();
        let digests = self.manager.semantics().digests;
        let paths = paths::candidates(path, &self.cwd);
        let context = Context::call(&CALL.into(), &"write".into(), 0, paths);
        let mut check = if digests {
            self.manager.check_snapshot(&context, text.units(), 0)
        } else {
            // The early generation sees the arguments as they are.
            let arguments = crate::json_object! {"path": path.clone(), "content": text.clone()};
            let raw = JsString::from(crate::text::json::Value::Object(arguments).stringify());
            self.manager.check_delta(&context, raw.units())
        };
        if digests {
            check.merge(self.manager.check_ast(&context, text.units()));
        }
        let mut findings = FileFindings::default();
        for one in check.matches {
            if findings.hits.iter().any(|hit| hit.rule == one.hit.rule) {
                continue;
            }
            let place = one.hit.span.as_ref().filter(|_| digests).map(|span| span.start);
            findings.hits.push(FileHit {
                rule: one.hit.rule,
                by: one.hit.by,
                excerpt: one.hit.excerpt,
                line: place.map(|at| line_of(text.units(), at)),
            });
        }
        findings.undecided.extend(check.undecided.into_iter().map(|one| (one.rule, one.by.source().clone(), one.why)));
        findings
    }
}

/// The line of a unit, from 1.
fn line_of(text: &[u16], at: usize) -> usize {
    1 + text[..at.min(text.len())].iter().filter(|&&unit| unit == 0x0A).count()
}
