//! Repairs of rule files that need no judgement (cli.md section 3, `--fix`): the fixes that findings carry, applied
//! to the file as far as what a valid rule matches stays the same.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use super::{Encoding, Fields, Listed, Rule, RuleFile};
use crate::diagnostic::{Diagnostic, Fix};
use crate::settings::Lifecycle;

/// The repair of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The file as the user named it, or where discovery found it.
    pub file: String,
    /// The text that it had when it was read.
    pub before: String,
    /// The text that it should have.
    pub after: String,
    /// How many findings the repair mends.
    pub mended: usize,
}

/// Plans the repair of a rule's file with the fixes that the findings about it carry, in their order. A fix is left
/// out, and taken off its finding, when it would change what a rule that is registered matches, when it overlaps an
/// earlier one, when the file is not UTF-8, or when it is for another file; without a rule, all are.
pub fn plan(listed: Option<&Listed>, findings: &mut [Diagnostic]) -> Option<Repair> {
    let listed = listed.and_then(|listed| Some((listed, listed.rule.file.as_deref()?)));
    let mut mended: Option<String> = None;
    let mut accepted: Vec<Fix> = Vec::new();
    for finding in findings {
        let Some(fix) = finding.fix.take() else { continue };
        let place = finding.place.as_ref();
        let Some((listed, file)) = listed.filter(|(_, file)| place.is_some_and(|place| place.file == file.name)) else {
            continue;
        };
        accepted.push(fix);
        let text = file.is_repairable().then(|| apply(file.text(), &accepted)).flatten();
        let Some((fix, earlier)) = accepted.split_last() else { continue };
        match text {
            Some(text) if fix.revives || keeps_meaning(listed, file, &text, earlier) => {
                finding.fix = Some(fix.clone());
                mended = Some(text);
            }
            _ => {
                accepted.pop();
            }
        }
    }
    let ((_, file), after) = (listed?, mended?);
    Some(Repair { file: file.name.clone(), before: file.text().to_owned(), after, mended: accepted.len() })
}

impl Repair {
    /// Writes the repaired file in place of the old one: whole or not at all, with the old permissions, and through
    /// a symbolic link to what it stands for.
    ///
    /// # Errors
    /// When the file is not what it was when it was read, or cannot be written.
    pub fn write(&self) -> io::Result<()> {
        let path = fs::canonicalize(&self.file)?;
        if fs::read(&path)? != self.before.as_bytes() {
            return Err(io::Error::other("the file has changed since it was read"));
        }
        let permissions = fs::metadata(&path)?.permissions();
        if permissions.readonly() {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let folder = path.parent().unwrap_or(Path::new("/"));
        // The name ends in nothing that a rule file ends in.
        let mut file = tempfile::Builder::new().prefix(".ttsr-").suffix(".tmp").tempfile_in(folder)?;
        file.write_all(self.after.as_bytes())?;
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
fn apply(text: &str, fixes: &[Fix]) -> Option<String> {
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
fn keeps_meaning(listed: &Listed, file: &RuleFile, text: &str, accepted: &[Fix]) -> bool {
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
