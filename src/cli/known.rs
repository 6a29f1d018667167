//! `check-rules --findings-baseline`: the findings that are known, so that only new ones count.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::Path;

use super::CliError;
use super::fingerprint::Fingerprints;
use super::root::Root;
use crate::diagnostic::{Diagnostic, code};
use crate::files::read_regular;
use crate::interrupt::Held;
use crate::limits;
use crate::output::json::v1::baseline::{Baseline, Entry, SCHEMA};
use crate::rule::lint::unreadable_rule_file;
use crate::session::write_new;
use crate::text::{LineIndex, Place};

/// A baseline that was read.
pub(super) struct Known {
    /// The file as it was named.
    name: String,
    text: String,
    baseline: Baseline,
}

/// What a baseline says of findings.
pub(super) struct Compared {
    /// How many findings it knows.
    pub known: usize,
    /// The entries that are still right.
    pub left: Baseline,
}

impl Known {
    /// Reads a baseline.
    ///
    /// # Errors
    /// When the file cannot be read or holds none.
    pub(super) fn read(path: &Path) -> Result<Self, CliError> {
        let bytes =
            read_regular(path, limits::BASELINE_FILE.get()).map_err(|error| CliError::unreadable(path, &error))?;
        let name = path.to_string_lossy().into_owned();
        let wrong = |what: String| {
            let help = format!("it should be what --write-baseline writes, of the form {SCHEMA}");
            CliError::failed(format!("{name}: this is no baseline: {what}")).with_help(help)
        };
        let text = String::from_utf8(bytes).map_err(|_| wrong("it is no UTF-8".to_owned()))?;
        let baseline: Baseline = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        match baseline.schema == SCHEMA {
            true => Ok(Self { name, text, baseline }),
            false => Err(wrong(format!("its schema is `{}`", baseline.schema))),
        }
    }

    /// Takes the findings out that are known, and gives one for each entry that is not true any more. Entries of files
    /// that are there and were not looked at (`looked_at` are the others), and of codes that were not looked for, stay
    /// as they are.
    pub(super) fn apply(
        &self,
        findings: &mut Vec<Diagnostic>,
        looked_at: &BTreeSet<String>,
        is_looked_for: impl Fn(&Entry) -> bool,
        root: &Root,
        fingerprints: &mut Fingerprints,
    ) -> (Compared, Vec<Diagnostic>) {
        let mut open: BTreeMap<&str, usize> = BTreeMap::new();
        for entry in &self.baseline.findings {
            *open.entry(&entry.fingerprint).or_default() += entry.count;
        }
        let before = findings.len();
        findings.retain(|finding| {
            let fingerprint = finding.fingerprint.as_deref().filter(|_| can_be_known(finding));
            match fingerprint.and_then(|fingerprint| open.get_mut(fingerprint)) {
                Some(left) if *left > 0 => {
                    *left -= 1;
                    false
                }
                _ => true,
            }
        });
        let (mut left, mut stale) = (Vec::new(), Vec::new());
        for entry in &self.baseline.findings {
            let unused = open.get_mut(entry.fingerprint.as_str()).map_or(0, |unused| {
                let of_this = entry.count.min(*unused);
                *unused -= of_this;
                of_this
            });
            let is_certain =
                is_looked_for(entry) && (looked_at.contains(&entry.file) || !root.folder().join(&entry.file).exists());
            let gone = if is_certain { unused } else { 0 };
            if gone > 0 {
                stale.push(self.stale(entry, fingerprints));
            }
            if entry.count > gone {
                left.push(Entry { count: entry.count - gone, ..entry.clone() });
            }
        }
        (Compared { known: before - findings.len(), left: Baseline::new(left) }, stale)
    }

    fn stale(&self, entry: &Entry, fingerprints: &mut Fingerprints) -> Diagnostic {
        let Entry { file, code, fingerprint, .. } = entry;
        let message = format!("the baseline lists {code} in {file}, which is not found there any more");
        let at = self.text.find(fingerprint.as_str()).unwrap_or(0);
        let line = LineIndex::new(&self.text).position(&self.text, at).line;
        let mut finding = Diagnostic::new(code::STALE_BASELINE_ENTRY, message)
            .with_help("--update-baseline takes it out")
            .at(Place::line(self.name.clone(), line, at));
        finding.fingerprint = Some(fingerprints.of(&[&code::STALE_BASELINE_ENTRY.to_string(), fingerprint]));
        finding
    }

    /// Writes the baseline anew, whole or not at all.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(super) fn replace(&self, left: &Baseline) -> Result<(), CliError> {
        let path = Path::new(&self.name);
        let write = || {
            let path = path.canonicalize()?;
            let _held = Held::back();
            let folder = path.parent().unwrap_or(Path::new("/"));
            let mut file = tempfile::Builder::new().prefix(".ttsr-").suffix(".tmp").tempfile_in(folder)?;
            file.write_all(left.text().as_bytes())?;
            file.as_file().set_permissions(path.metadata()?.permissions())?;
            file.as_file().sync_all()?;
            file.persist(&path).map(drop).map_err(|error| error.error)
        };
        write().map_err(|error: std::io::Error| unwritten(path, &error))
    }

    /// How many findings the baseline holds.
    pub(super) fn len(&self) -> usize {
        self.baseline.len()
    }
}

/// Writes the findings as a new baseline and takes out those that it knows; gives their number.
///
/// # Errors
/// When the file exists or cannot be written.
pub(super) fn write(path: &Path, findings: &mut Vec<Diagnostic>, root: &Root) -> Result<usize, CliError> {
    super::outputs::refuse_dash(path, "--write-baseline")?;
    if path.symlink_metadata().is_ok() {
        return Err(CliError::failed(format!("{}: exists already", path.display())).with_help(
            "an existing file is never replaced: --findings-baseline with --update-baseline takes out what is mended; \
             to begin anew remove the file first",
        ));
    }
    let before = findings.len();
    let entries = findings.extract_if(.., |finding| can_be_known(finding)).filter_map(|finding| {
        let file = finding.place.as_ref().map(|place| root.relative(&place.file)).unwrap_or_default();
        Some(Entry { file, code: finding.code.to_string(), fingerprint: finding.fingerprint?, count: 1 })
    });
    let text = Baseline::new(entries).text();
    write_new(path, |out| out.write_all(text.as_bytes()), &mut |_| Ok(())).map_err(|error| unwritten(path, &error))?;
    Ok(before - findings.len())
}

fn unwritten(path: &Path, error: &std::io::Error) -> CliError {
    CliError::failed(format!("{}: cannot be written: {}", path.display(), error.kind()))
        .with_help("name a file in a folder that can be written to")
}

/// What could not be read is never known.
fn can_be_known(finding: &Diagnostic) -> bool {
    finding.code != unreadable_rule_file::CODE && finding.accepted.is_none() && finding.fingerprint.is_some()
}
