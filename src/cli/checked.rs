//! The pipeline of `check-rules`: each rule file is read, registered, linted, tried on its samples and repaired before
//! the next one, and then let go of. What stays of a rule is what the report shows.

use std::collections::{BTreeSet, HashSet};

use super::args::{CheckFormat, CheckRulesArgs, RuleArgs};
use super::config::Setup;
use super::console::{Console, Surroundings};
use super::fingerprint::Fingerprints;
use super::generation::{Asked, Generation};
use super::root::Root;
use super::severities::Severities;
use super::{CliError, accepted};
use crate::diagnostic::{Code, Diagnostic, Fix};
use crate::output::catalogue;
use crate::output::check::Rows;
use crate::replay::{Examples, run_examples_of};
use crate::rule::repair::{self, Level, Repair};
use crate::rule::{CompiledRule, Handed, Listed, Registrar, Rule, RuleFile, Sink, accept, lint};

/// What is to be checked, and how.
pub(super) struct Job {
    /// The options, as the configuration completes them.
    pub args: CheckRulesArgs,
    /// Those about rules, with the paths among them.
    pub rules: RuleArgs,
    /// What becomes of findings.
    pub severities: Severities,
    /// What files are named from for programs.
    pub root: Root,
    /// What standard input holds, where it is the rule file.
    pub handed: Option<Handed>,
    /// The fingerprints of the findings that are to be accepted in their files.
    pub to_accept: HashSet<String>,
}

/// What was found in rule files.
pub(super) struct Checked {
    /// Whether the rules were named by path.
    pub given: bool,
    /// The generation by which they were read.
    pub generation: Generation,
    /// How many files were read.
    pub files: usize,
    /// The rules.
    pub rows: Rows,
    /// The files whose rules were looked at, named from the root on.
    pub looked_at: BTreeSet<String>,
    /// The findings, by file, place and code.
    pub findings: Vec<Diagnostic>,
    /// The suppressions that were asked for.
    pub ignores: Vec<Repair>,
    /// How many more there are that are known.
    pub known: usize,
    /// Who gives findings their fingerprints.
    pub fingerprints: Fingerprints,
    /// How many findings can be mended.
    pub mended: usize,
    /// How many more could be with `--unsafe-fixes`.
    pub risky: usize,
    /// How, when `--fix` or `--diff` asks.
    pub repairs: Vec<Repair>,
    /// What came of the samples, when they were run. The findings about them are among the others.
    pub examples: Option<Examples>,
}

impl Checked {
    /// Reads and checks the rules. Paths that cannot be used are shown and raise the status.
    ///
    /// # Errors
    /// When no rules can be read at all.
    pub(super) fn read(job: &Job, console: &mut Console<'_>, surroundings: &Surroundings) -> Result<Self, CliError> {
        let Job { args, rules, severities, root, to_accept, handed } = job;
        let generation = Asked::single(&rules.lifecycle, || false)?.unmarked();
        let mut setup = Setup::read(rules, generation.lifecycle, surroundings)?;
        setup.handed.clone_from(handed);
        let shows_all = args.list || matches!(args.format, CheckFormat::Json | CheckFormat::Junit);
        let mut pipeline = Pipeline {
            args,
            setup: &setup,
            severities,
            root,
            to_accept,
            registrar: Registrar::new(&setup.resolved.settings, &setup.semantics, Some(&setup.agent)),
            pending: setup.resolved.diagnostics.clone(),
            planned: HashSet::new(),
            checked: Self {
                given: setup.given,
                generation,
                files: 0,
                rows: Rows::new(shows_all),
                looked_at: BTreeSet::new(),
                findings: Vec::new(),
                ignores: Vec::new(),
                known: 0,
                fingerprints: Fingerprints::new(root.clone()),
                mended: 0,
                risky: 0,
                repairs: Vec::new(),
                examples: (args.examples || args.examples_required).then(Examples::default),
            },
        };
        let files = setup.search(rules, console, &mut pipeline)?;
        Ok(Self { files, ..pipeline.finish() })
    }
}

/// The rules before the next one, and how to go on.
struct Pipeline<'a> {
    args: &'a CheckRulesArgs,
    setup: &'a Setup,
    severities: &'a Severities,
    root: &'a Root,
    /// The fingerprints of the findings that are to be accepted in their files.
    to_accept: &'a HashSet<String>,
    registrar: Registrar<'a>,
    /// Findings about the files since the last rule, which the next one may be in.
    pending: Vec<Diagnostic>,
    /// The files that were repaired as far as they can be: one may be found twice.
    planned: HashSet<String>,
    checked: Checked,
}

impl Sink for Pipeline<'_> {
    fn rule(&mut self, rule: Rule) {
        let mut findings = std::mem::take(&mut self.pending);
        let (listed, compiled) = self.registrar.add(rule);
        self.check(&listed, compiled.as_ref(), &mut findings);
        self.checked.looked_at.insert(self.root.relative(&listed.rule.shown_file()));
        self.checked.rows.add(&listed, compiled.as_ref());
        self.keep(Some(&listed), findings);
    }

    fn finding(&mut self, finding: Diagnostic) {
        self.pending.push(finding);
    }
}

impl Pipeline<'_> {
    /// Lints a rule and runs its samples.
    fn check(&mut self, listed: &Listed, compiled: Option<&CompiledRule>, findings: &mut Vec<Diagnostic>) {
        let Setup { semantics, resolved, .. } = self.setup;
        lint::run_on(listed, compiled, semantics, findings);
        if let Some(examples) = &mut self.checked.examples {
            let required = self.args.examples_required;
            run_examples_of(listed, compiled, &resolved.settings, semantics, required, examples);
            findings.append(&mut examples.diagnostics);
        }
    }

    /// Keeps the findings that count here, and the repair of the rule's file.
    fn keep(&mut self, listed: Option<&Listed>, mut findings: Vec<Diagnostic>) {
        // What is left out counts too, so that what is left is the same whatever the options say.
        sort(&mut findings);
        self.checked.fingerprints.give(&mut findings, listed.and_then(|listed| listed.rule.file.as_deref()));
        self.accept(listed, &mut findings);
        let mut findings: Vec<Diagnostic> =
            findings.into_iter().filter_map(|finding| self.severities.apply(finding)).collect();
        if findings.iter().any(|finding| finding.fix.is_some()) {
            let unplanned = listed.filter(|listed| self.planned.insert(listed.rule.shown_file()));
            let mut relint = |file| unplanned.map_or_else(Vec::new, |listed| self.relint(listed, file));
            let level = if self.args.unsafe_fixes { Level::Risky } else { Level::Safe };
            let planned = repair::plan(unplanned, &mut findings, level, &mut relint);
            self.checked.risky += planned.risky;
            if let Some(repair) = planned.repair {
                self.checked.mended += repair.mended;
                self.checked.repairs.extend((self.args.fix || self.args.diff).then_some(repair));
            }
        }
        if self.args.format != CheckFormat::Human {
            let keeps = |fix: &Fix| fix.is_safe || self.args.unsafe_fixes;
            for finding in &mut findings {
                finding.snippet = None;
                finding.fix = finding.fix.take().filter(keeps);
            }
        }
        self.checked.findings.append(&mut findings);
    }

    /// Takes the findings as accepted that the file says are, and plans to have it say so of others.
    fn accept(&mut self, listed: Option<&Listed>, findings: &mut Vec<Diagnostic>) {
        let Some((listed, file)) = listed.and_then(|listed| Some((listed, listed.rule.file.as_deref()?))) else {
            return;
        };
        if !self.args.no_ignore {
            let runs_samples = self.args.examples || self.args.examples_required;
            // Of a rule that never comes into its own, or hardly, little is said that could be accepted.
            let is_linted = !listed.is_shadowed && !self.setup.semantics.legacy_trigger_only;
            let before = findings.len();
            accepted::apply(file, findings, |code| is_linted && accepted::is_searched(code, runs_samples));
            if let Some(said) = findings.get_mut(before..) {
                self.checked.fingerprints.give(said, Some(file));
            }
            sort(findings);
        }
        let wanted = |finding: &&Diagnostic| {
            finding.fingerprint.as_ref().is_some_and(|fingerprint| self.to_accept.contains(fingerprint))
        };
        let of_file = |finding: &Diagnostic| {
            let place = finding.place.as_ref().filter(|place| place.file == file.name)?;
            Some((place.start.offset, finding.code.to_string()))
        };
        let wanted: Vec<_> = findings.iter().filter(wanted).filter_map(of_file).collect();
        self.checked.ignores.extend(accept::add(file, &wanted));
    }

    /// What would be found in the rule's file if it were this one, as far as it counts here.
    fn relint(&self, listed: &Listed, file: RuleFile) -> Vec<Diagnostic> {
        let Setup { semantics, resolved, agent, .. } = self.setup;
        let mut findings = lint::of_file(&file);
        let read = file.clone();
        // A rule that never comes into its own is not linted.
        if !listed.is_shadowed {
            let mut rule = Rule::from_file("", listed.rule.path.clone(), file, semantics);
            (rule.name, rule.provider) = (listed.rule.name.clone(), listed.rule.provider);
            let mut registrar = Registrar::new(&resolved.settings, semantics, Some(agent));
            let (listed, compiled) = registrar.add(rule);
            lint::run_on(&listed, compiled.as_ref(), semantics, &mut findings);
        }
        if !self.args.no_ignore {
            accepted::apply(&read, &mut findings, |_| false);
        }
        findings.into_iter().filter_map(|finding| self.severities.apply(finding)).collect()
    }

    fn finish(mut self) -> Checked {
        let mut findings = std::mem::take(&mut self.pending);
        findings.extend(self.registrar.finish().as_ref().map(lint::nothing_registered_in_v1::finding));
        self.keep(None, findings);
        sort(&mut self.checked.findings);
        self.checked
    }
}

/// The code of this name or number.
///
/// # Errors
/// When there is none.
pub(super) fn find(name: &str) -> Result<Code, CliError> {
    catalogue::find(name).ok_or_else(|| {
        CliError::usage(format!("there is no code `{name}`"))
            .with_help("codes are written as TTSR003 or invalid-condition; `ttsr check-rules --explain all` lists them")
    })
}

/// Whether findings of this code come of samples that are run.
pub(super) fn needs_samples(code: Code) -> bool {
    use lint::{
        example_did_not_fire, example_fired, example_not_run, missing_examples, premature_example, undecided_example,
        untested_condition,
    };
    [
        example_did_not_fire::CODE,
        example_fired::CODE,
        example_not_run::CODE,
        missing_examples::CODE,
        premature_example::CODE,
        undecided_example::CODE,
        untested_condition::CODE,
    ]
    .contains(&code)
}

/// By file, place and code, so that the output does not depend on the order in which findings are made.
fn sort(findings: &mut [Diagnostic]) {
    fn key(finding: &Diagnostic) -> (Option<(&str, usize)>, u16) {
        let place = finding.place.as_ref();
        (place.map(|place| (place.file.as_str(), place.start.offset)), finding.code.number())
    }
    findings.sort_by(|one, other| key(one).cmp(&key(other)));
}
