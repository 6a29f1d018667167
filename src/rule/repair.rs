//! Repairs of rule files that need no judgement (cli.md section 3, `--fix`): the fixes that findings carry, applied
//! to the file as far as what a valid rule matches stays the same.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

use super::{Encoding, Fields, Listed, Rule, RuleFile, RuleSet};
use crate::diagnostic::{Diagnostic, Fix};
use crate::settings::Lifecycle;

/// The repair of one file.
#[derive(Clone, Debug)]
pub struct Repair {
    /// The file as it was read.
    pub file: Arc<RuleFile>,
    /// The text that it should have.
    pub text: String,
    /// Positions of the findings that the repair mends, in the list that was given.
    pub mended: Vec<usize>,
}

/// Plans the repairs of the files of a set, in the order of the inventory. A fix is left out, and taken off its
/// finding, when it would change what a rule that is registered matches, when it overlaps an earlier one, or when
/// the file is not UTF-8.
pub fn plan(set: &RuleSet, findings: &mut [Diagnostic]) -> Vec<Repair> {
    let mut by_file: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, finding) in findings.iter().enumerate().filter(|(_, finding)| finding.fix.is_some()) {
        by_file.entry(finding.place.as_ref().map_or("", |place| &place.file)).or_default().push(at);
    }
    let mut refused = Vec::new();
    let mut repairs = Vec::new();
    for listed in &set.inventory {
        let Some(file) = &listed.rule.file else { continue };
        let Some(candidates) = by_file.remove(file.name.as_str()) else { continue };
        let mut repair = Repair { file: Arc::clone(file), text: file.text().to_owned(), mended: Vec::new() };
        let mut accepted: Vec<&Fix> = Vec::new();
        for at in candidates {
            let Some(fix) = &findings[at].fix else { continue };
            let fixes: Vec<&Fix> = accepted.iter().copied().chain([fix]).collect();
            match file.is_repairable().then(|| apply(file.text(), &fixes)).flatten() {
                Some(text) if fix.revives || keeps_meaning(listed, file, &text, &accepted) => {
                    accepted.push(fix);
                    repair.text = text;
                    repair.mended.push(at);
                }
                _ => refused.push(at),
            }
        }
        if !repair.mended.is_empty() {
            repairs.push(repair);
        }
    }
    refused.extend(by_file.into_values().flatten());
    for at in refused {
        findings[at].fix = None;
    }
    repairs
}

impl Repair {
    /// Writes the repaired file in place of the old one: whole or not at all, with the old permissions, and through
    /// a symbolic link to what it stands for.
    ///
    /// # Errors
    /// When the file is not what it was when it was read, or cannot be written.
    pub fn write(&self) -> io::Result<()> {
        let path = fs::canonicalize(&self.file.name)?;
        if fs::read(&path)? != self.file.text().as_bytes() {
            return Err(io::Error::other("the file has changed since it was read"));
        }
        let permissions = fs::metadata(&path)?.permissions();
        if permissions.readonly() {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let folder = path.parent().unwrap_or(Path::new("/"));
        // The name ends in nothing that a rule file ends in.
        let mut file = tempfile::Builder::new().prefix(".ttsr-").suffix(".tmp").tempfile_in(folder)?;
        file.write_all(self.text.as_bytes())?;
        file.as_file().set_permissions(permissions)?;
        file.as_file().sync_all()?;
        file.persist(&path).map_err(|error| error.error)?;
        Ok(())
    }
}

impl RuleFile {
    /// Whether what was read is byte for byte what is in the file.
    fn is_repairable(&self) -> bool {
        self.encoding() != Encoding::Utf16 && !self.is_malformed()
    }
}

/// The text with all edits done; none when two of them overlap.
fn apply(text: &str, fixes: &[&Fix]) -> Option<String> {
    let mut edits: Vec<_> = fixes.iter().flat_map(|fix| &fix.edits).collect();
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (range, replacement) in edits {
        out.push_str(text.get(at..range.start)?);
        out.push_str(replacement);
        at = range.end;
    }
    out.push_str(text.get(at..)?);
    Some(out)
}

/// Whether the rule matches, and says, in `text` what it does with the fixes accepted so far, in each generation that
/// reads more than one trigger.
fn keeps_meaning(listed: &Listed, file: &RuleFile, text: &str, accepted: &[&Fix]) -> bool {
    let Some(before) = apply(file.text(), accepted) else { return false };
    [Lifecycle::V2, Lifecycle::V3].into_iter().all(|lifecycle| {
        let semantics = lifecycle.semantics();
        let read = |text: &str| {
            let file = RuleFile::read(file.name.clone(), text.as_bytes().to_vec(), &semantics);
            Rule::from_file(&listed.rule.name.to_string_lossy(), listed.rule.path.clone(), file, &semantics)
        };
        let matching = |rule: &Rule| Fields { interrupt_mode: None, description: None, ..rule.fields.clone() };
        let (before, after) = (read(&before), read(text));
        matching(&before) == matching(&after) && before.content == after.content
    })
}
