//! What tells a finding from others over time: the file, the code, the key of the frontmatter and what is written there,
//! but neither the line or the place in a list, which change with every edit above, nor the message, which changes with a
//! release.

use std::collections::HashMap;

use sha2::{Digest as _, Sha256};

use super::root::Root;
use crate::diagnostic::Diagnostic;
use crate::rule::{CONDITION_KEYS, RuleFile};

/// Bytes of a fingerprint; as text twice as many characters.
const LENGTH: usize = 16;

/// Gives fingerprints (`ttsr/v1`); findings that are alike in everything are told apart by their order.
pub(super) struct Fingerprints {
    root: Root,
    seen: HashMap<[u8; 32], usize>,
}

impl Fingerprints {
    /// None given yet.
    pub(super) fn new(root: Root) -> Self {
        Self { root, seen: HashMap::new() }
    }

    /// Gives findings their fingerprints, in the order of their places; `file` is the one that was read.
    pub(super) fn give(&mut self, findings: &mut [Diagnostic], file: Option<&RuleFile>) {
        let outline = file.map(RuleFile::outline).unwrap_or_default();
        for finding in findings {
            let place = finding.place.as_ref();
            let path = place.map(|place| self.root.relative(&place.file)).unwrap_or_default();
            let (mut key, mut text) = (String::new(), String::new());
            if let (Some(place), Some(file)) = (place, file)
                && place.file == file.name
                && place.start.line > 0
            {
                key = outline.key_at(place.start.offset).unwrap_or_default();
                // Whoever gives a key its new name has not made its value new.
                if CONDITION_KEYS.contains(&key.as_str()) {
                    key = CONDITION_KEYS.first().copied().unwrap_or_default().to_owned();
                }
                text = file.text().get(place.start.offset..place.end.offset).map(plain).unwrap_or_default();
            }
            finding.fingerprint = Some(self.of(&[&path, &finding.code.to_string(), &key, &text]));
        }
    }

    /// The fingerprint of what has these parts.
    pub(super) fn of(&mut self, parts: &[&str]) -> String {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let alike = self.seen.entry(hash.clone().finalize().into()).or_default();
        hash.update((*alike as u64).to_le_bytes());
        *alike += 1;
        hash.finalize().iter().take(LENGTH).map(|byte| format!("{byte:02x}")).collect()
    }
}

/// A text with one blank for each run of white space.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
