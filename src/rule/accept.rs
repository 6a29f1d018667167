//! Rule files in which findings are accepted (cli.md section 3, `--add-ignores`).

use std::collections::BTreeMap;

use super::read::{Member, Reading, RuleFile};
use super::repair::Repair;
use super::suppression::{FILE, WORD};
use crate::generation::Lifecycle;

/// The change of a file by which findings of these offsets and codes are accepted. None when that cannot be said in the
/// file without a change of what the agent reads, or there is nothing to say.
pub fn add(file: &RuleFile, findings: &[(usize, String)]) -> Option<Repair> {
    if !file.is_repairable() || findings.is_empty() {
        return None;
    }
    // The rule has taken the body out of the file.
    let file = &file.with_text(file.text().to_owned());
    let mut places: BTreeMap<Option<usize>, Vec<&str>> = BTreeMap::new();
    for (offset, code) in findings {
        places.entry(line_above(file, *offset)).or_default().push(code);
    }
    let end = if file.text().contains("\r\n") { "\r\n" } else { "\n" };
    let mut text = file.text().to_owned();
    // From the end on, so that the places before stay where they are.
    for (place, mut codes) in places.into_iter().rev() {
        codes.sort_unstable();
        codes.dedup();
        let codes = codes.join(",");
        match (place, &file.frontmatter) {
            (Some(at), _) => text.insert_str(at, &format!("# {WORD} {codes}{end}")),
            (None, Some(matter)) => {
                let at = matter.span.start;
                if !text.get(..at)?.ends_with(['\n', '\r']) {
                    return None;
                }
                text.insert_str(at, &format!("# {WORD}{FILE} {codes}{end}"));
            }
            (None, None) => text.push_str(&format!("<!-- {WORD} {codes} -->")),
        }
    }
    let is_same = |lifecycle: Lifecycle| {
        let semantics = lifecycle.semantics();
        is_read_alike(&file.reread(&semantics), &file.with_text(text.clone()).reread(&semantics))
    };
    [Lifecycle::V1, Lifecycle::V2, Lifecycle::V3, Lifecycle::V4].into_iter().all(is_same).then(|| Repair {
        file: file.name.clone(),
        path: file.path.clone(),
        before: file.text().to_owned(),
        after: text.clone(),
        mended: findings.len(),
    })
}

/// Where the line of the key begins that the offset belongs to; none when there is no such key, or not on lines of its
/// own.
fn line_above(file: &RuleFile, offset: usize) -> Option<usize> {
    let matter = file.frontmatter.as_ref()?;
    let holds =
        |member: &&Member| (member.key_span.start..=member.value.span.end.max(member.key_span.end)).contains(&offset);
    let key = matter.members.iter().find(holds)?.key_span.clone();
    let before = file.text().get(..key.start)?;
    let start = before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let is_alone = before.get(start..)?.chars().all(|one| matches!(one, '"' | '\''));
    (is_alone && start >= matter.span.start).then_some(start)
}

/// Whether the agent reads the same of both.
fn is_read_alike(one: &RuleFile, other: &RuleFile) -> bool {
    let values = |file: &RuleFile| {
        let matter = file.frontmatter.as_ref()?;
        let reading = match matter.reading {
            Reading::Plain => 0,
            Reading::NoMapping { .. } => 1,
            Reading::SeveralDocuments { .. } => 2,
            Reading::Quoted { .. } => 3,
            Reading::LineByLine { .. } => 4,
            Reading::Beyond(_) => 5,
        };
        let members = matter.members.iter().map(|member| (member.written.clone(), member.value.to_json()));
        Some((reading, members.collect::<Vec<_>>()))
    };
    one.body == other.body && values(one) == values(other)
}
