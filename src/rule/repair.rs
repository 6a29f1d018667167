//! Repairs of rule files (cli.md section 3, `--fix`): the fixes that findings carry, applied to the file as far as what
//! a valid rule matches stays the same, or as far as they do what they say.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::read::{Encoding, Fields, Frontmatter, Member, Reading, RuleFile, Yaml};
use super::register::Listed;
use super::suppression::keys;
use crate::diagnostic::{Diagnostic, Effect, Fix};
use crate::generation::Lifecycle;
use crate::interrupt::Held;
use crate::text::json::Value;

/// The repair of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The file as reports name it.
    pub file: String,
    /// Where it lies.
    pub path: PathBuf,
    /// The text that it had when it was read.
    pub before: String,
    /// The text that it should have.
    pub after: String,
    /// How many findings the repair mends.
    pub mended: usize,
}

/// Rounds of repairs: one can bring to light what the next one mends.
const MAX_ROUNDS: usize = 8;

/// Fixes that are tried one by one when they do not go together.
const MAX_SINGLE: usize = 32;

/// Which fixes a repair consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Those that cannot change what a valid rule matches.
    Safe,
    /// All that do what they say and nothing else.
    Risky,
}

/// What can be done about the findings in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Planned {
    /// The repair, when there is anything to do.
    pub repair: Option<Repair>,
    /// How many findings only a repair of the level `Risky` would mend, when that is not the level.
    pub risky: usize,
}

/// Plans the repair of a rule's file with the fixes that the findings about it carry. A fix is left out, and taken off
/// its finding, when it does more than it says, when it does not go with an earlier one, when the file is not UTF-8, or
/// when it is for another file; without a rule, all are. One that would change what a rule that is registered matches
/// is marked as not safe, and belongs to the repair at the level `Risky` only.
///
/// `relint` gives the findings about the repaired file, so that the repair is complete: nothing is left to mend in it.
pub fn plan(
    listed: Option<&Listed>,
    findings: &mut [Diagnostic],
    level: Level,
    relint: &mut dyn FnMut(RuleFile) -> Vec<Diagnostic>,
) -> Planned {
    let file = listed.and_then(|listed| listed.rule.file.as_deref()).filter(|file| file.is_repairable());
    let is_of_file = |finding: &Diagnostic| {
        file.is_some_and(|file| finding.place.as_ref().is_some_and(|place| place.file == file.name))
    };
    let fixes: Vec<Option<Fix>> =
        findings.iter_mut().map(|finding| finding.fix.take().filter(|_| is_of_file(finding))).collect();
    let Some(file) = file.filter(|_| fixes.iter().any(Option::is_some)) else { return Planned::default() };
    // The rule has taken the body out of the file.
    let file = &file.with_text(file.text().to_owned());
    let candidates: Vec<Option<&Fix>> = fixes.iter().map(Option::as_ref).collect();
    let safe = choose(file, &[], &candidates, Level::Safe);
    let kept: Vec<&Fix> = safe.of(&candidates);
    let others: Vec<Option<&Fix>> =
        candidates.iter().zip(&safe.accepted).map(|(fix, taken)| fix.filter(|_| !taken)).collect();
    let risky = choose(file, &kept, &others, Level::Risky);
    for (at, (finding, fix)) in findings.iter_mut().zip(&fixes).enumerate() {
        let is_safe = safe.accepted.get(at).copied().unwrap_or_default();
        if is_safe || risky.accepted.get(at).copied().unwrap_or_default() {
            let place = |fix: &Fix| fix.edits.iter().map(|(range, _)| file.place(range.clone())).collect();
            finding.fix = fix.clone().map(|fix| Fix { is_safe, places: place(&fix), ..fix });
        }
    }
    let further = risky.of(&others).len();
    let (text, mended, left) = match level {
        Level::Safe => (safe.text, kept.len(), further),
        Level::Risky => (risky.text.or(safe.text), kept.len() + further, 0),
    };
    let Some(text) = text else { return Planned { repair: None, risky: left } };
    let (after, further) = go_on(file, text, level, relint);
    let (file, path, before) = (file.name.clone(), file.path.clone(), file.text().to_owned());
    Planned { repair: Some(Repair { file, path, before, after, mended: mended + further }), risky: left }
}

/// Repairs what the repair has brought to light; gives the text and how many findings that were.
fn go_on(
    file: &RuleFile,
    mut text: String,
    level: Level,
    relint: &mut dyn FnMut(RuleFile) -> Vec<Diagnostic>,
) -> (String, usize) {
    let mut mended = 0;
    for _ in 1..MAX_ROUNDS {
        let file = file.with_text(text.clone());
        let more: Vec<Option<Fix>> = relint(file.clone()).into_iter().map(|finding| finding.fix).collect();
        let candidates: Vec<Option<&Fix>> = more.iter().map(Option::as_ref).collect();
        let chosen = choose(&file, &[], &candidates, level);
        mended += chosen.of(&candidates).len();
        let Some(further) = chosen.text else { break };
        text = further;
    }
    (text, mended)
}

/// As many fixes as go together.
struct Chosen {
    /// The text with them; none when no fix does what it says.
    text: Option<String>,
    /// Which of the candidates they are.
    accepted: Vec<bool>,
}

impl Chosen {
    /// Those of the candidates that were chosen.
    fn of<'f>(&self, candidates: &[Option<&'f Fix>]) -> Vec<&'f Fix> {
        candidates.iter().zip(&self.accepted).filter(|(_, taken)| **taken).filter_map(|(fix, _)| *fix).collect()
    }
}

/// Chooses among the candidates, all of them at once or else one by one; those of `base` are chosen already.
fn choose(file: &RuleFile, base: &[&Fix], candidates: &[Option<&Fix>], level: Level) -> Chosen {
    let all: Vec<&Fix> = base.iter().copied().chain(candidates.iter().copied().flatten()).collect();
    if all.len() == base.len() {
        return Chosen { text: None, accepted: vec![false; candidates.len()] };
    }
    if let Some(text) = repaired(file, &all, level) {
        return Chosen { text: Some(text), accepted: candidates.iter().map(Option::is_some).collect() };
    }
    let (mut taken, mut text, mut accepted) = (base.to_vec(), None, Vec::with_capacity(candidates.len()));
    let mut tries = 0;
    for candidate in candidates {
        let Some(fix) = candidate.filter(|_| tries < MAX_SINGLE) else {
            accepted.push(false);
            continue;
        };
        tries += 1;
        taken.push(fix);
        let further = repaired(file, &taken, level);
        accepted.push(further.is_some());
        match further {
            Some(further) => text = Some(further),
            None => drop(taken.pop()),
        }
    }
    Chosen { text, accepted }
}

impl Repair {
    /// Writes the repaired file in place of the old one: whole or not at all, with the old owner and permissions, and
    /// through a symbolic link to what it stands for.
    ///
    /// # Errors
    /// When the file is not what it was when it was read, has several names, or cannot be written.
    pub fn write(&self) -> io::Result<()> {
        let path = fs::canonicalize(&self.path)?;
        if fs::read(&path)? != self.before.as_bytes() {
            return Err(io::Error::other("the file has changed since it was read"));
        }
        let metadata = fs::metadata(&path)?;
        let permissions = metadata.permissions();
        if permissions.readonly() {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let folder = path.parent().unwrap_or(Path::new("/"));
        let _held = Held::back();
        // The name ends in nothing that a rule file ends in.
        let mut file = tempfile::Builder::new().prefix(".ttsr-").suffix(".tmp").tempfile_in(folder)?;
        file.write_all(self.after.as_bytes())?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt as _, fchown};
            if metadata.nlink() > 1 {
                return Err(io::Error::other("the file has several names, which would no longer be one file"));
            }
            fchown(file.as_file(), Some(metadata.uid()), Some(metadata.gid()))?;
        }
        file.as_file().set_permissions(permissions)?;
        file.as_file().sync_all()?;
        file.persist(&path).map_err(|error| error.error)?;
        Ok(())
    }
}

impl RuleFile {
    /// Whether what was read is byte for byte what is in the file, and the name is the file's.
    pub(super) fn is_repairable(&self) -> bool {
        self.encoding() != Encoding::Utf16 && !self.is_malformed() && !self.name.contains(char::REPLACEMENT_CHARACTER)
    }
}

/// The text of the file with these fixes, if they do what they say and nothing else.
fn repaired(file: &RuleFile, fixes: &[&Fix], level: Level) -> Option<String> {
    if fixes.is_empty() {
        return None;
    }
    let text = apply(file.text(), fixes)?;
    let after = file.with_text(text.clone());
    let is_right = match (&file.frontmatter, &after.frontmatter) {
        // Nothing was read before that could be lost.
        (None, Some(matter)) => {
            fixes.iter().any(|fix| fix.effect == Effect::Frontmatter) && matter.reading == Reading::Plain
        }
        (None, None) => file.body == after.body,
        (Some(before), Some(matter)) => {
            file.body == after.body
                && (matter.reading == Reading::Plain || matter.reading == before.reading)
                && does_what_it_says(before, matter, fixes)
                && leaves_suppressions(file, &after, fixes)
                && (level == Level::Risky || fixes.iter().all(|fix| fix.revives) || matches_alike(file, &after, fixes))
        }
        (Some(_), None) => false,
    };
    is_right.then_some(text)
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

/// Whether the values of the frontmatter are those before, but for the effects of the fixes.
fn does_what_it_says(before: &Frontmatter, after: &Frontmatter, fixes: &[&Fix]) -> bool {
    let mut wanted = values(before);
    for fix in fixes {
        match &fix.effect {
            Effect::None | Effect::Frontmatter => {}
            Effect::Remove(key) => {
                if wanted.remove(key.as_str()).is_none() {
                    return false;
                }
            }
            Effect::Rename { from, to } => match wanted.remove(from.as_str()) {
                Some(value) if !wanted.contains_key(to.as_str()) => drop(wanted.insert(to, value)),
                _ => return false,
            },
            Effect::Set { key, to } => {
                let value = match to.as_slice() {
                    [one] => Value::from(one.as_str()),
                    several => Value::Array(several.iter().map(|one| Value::from(one.as_str())).collect()),
                };
                if wanted.insert(key, value).is_none() {
                    return false;
                }
            }
        }
    }
    let overridden = |matter: &Frontmatter| matter.members.iter().map(|member| member.overridden.len()).sum::<usize>();
    overridden(after) <= overridden(before) && wanted == values(after)
}

/// Whether each suppression stands above the key that it stood above.
fn leaves_suppressions(before: &RuleFile, after: &RuleFile, fixes: &[&Fix]) -> bool {
    let renamed: HashMap<&str, &String> = fixes
        .iter()
        .filter_map(|fix| match &fix.effect {
            Effect::Rename { from, to } => Some((from.as_str(), to)),
            _ => None,
        })
        .collect();
    let new_name = |key: String| renamed.get(key.as_str()).map_or(key.clone(), |to| (*to).clone());
    keys(before).into_iter().map(|key| key.map(new_name)).eq(keys(after))
}

/// The values by key. A value that is not there and an empty text are the same to the agent.
fn values(matter: &Frontmatter) -> BTreeMap<&str, Value> {
    let value = |member: &Member| match &member.value.value {
        Yaml::Null => Value::from(""),
        _ => member.value.to_json(),
    };
    matter.members.iter().map(|member| (member.key.as_str(), value(member))).collect()
}

/// Whether the rule matches the same before and after, when those fixes that revive a dead rule are left out.
fn matches_alike(before: &RuleFile, after: &RuleFile, fixes: &[&Fix]) -> bool {
    let revived: Vec<&str> = fixes
        .iter()
        .filter(|fix| fix.revives)
        .filter_map(|fix| match &fix.effect {
            Effect::Rename { to, .. } => Some(to.as_str()),
            Effect::Set { key, .. } | Effect::Remove(key) => Some(key.as_str()),
            Effect::None | Effect::Frontmatter => None,
        })
        .collect();
    let semantics = Lifecycle::V3.semantics();
    let matching = |file: &RuleFile| {
        let mut fields = file.frontmatter.as_ref().map(|matter| Fields::read(matter, &semantics)).unwrap_or_default();
        (fields.interrupt_mode, fields.description) = (None, None);
        if revived.contains(&"globs") {
            fields.globs = None;
        }
        fields
    };
    // A rule without a condition that gets one is dead before, whatever else there is.
    revived.iter().any(|key| *key != "globs") || matching(before) == matching(after)
}
