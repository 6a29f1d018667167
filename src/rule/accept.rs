//! Rule files in which findings are accepted (cli.md section 3, `--add-ignores`).

use std::collections::BTreeMap;

use super::read::{Outline, Reading, RuleFile};
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
    let outline = file.outline();
    let mut places: BTreeMap<Option<usize>, Vec<&str>> = BTreeMap::new();
    for (offset, code) in findings {
        places.entry(line_above(file, &outline, *offset)).or_default().push(code);
    }
    let end = if file.text().contains("\r\n") { "\r\n" } else { "\n" };
    let mut lines: Vec<(usize, String)> = Vec::new();
    for (place, mut codes) in places {
        codes.sort_unstable();
        codes.dedup();
        let codes = codes.join(",");
        lines.push(match (place, &file.frontmatter) {
            (Some(at), _) => (at, format!("# {WORD} {codes}{end}")),
            (None, Some(matter)) => (matter.span.start, format!("# {WORD}{FILE} {codes}{end}")),
            (None, None) => (file.text().len(), format!("<!-- {WORD} {codes} -->")),
        });
    }
    let (mut text, mut from) = (String::new(), 0);
    for (at, line) in lines {
        let before = file.text().get(from..at)?;
        if !line.starts_with('<') && !file.text().get(..at)?.ends_with(['\n', '\r']) {
            return None;
        }
        text.push_str(before);
        text.push_str(&line);
        from = at;
    }
    text.push_str(file.text().get(from..)?);
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
fn line_above(file: &RuleFile, outline: &Outline, offset: usize) -> Option<usize> {
    let matter = file.frontmatter.as_ref()?;
    let (_, key) = outline.top_key_at(offset)?;
    let before = file.text().get(..key)?;
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
