//! Tidying of a rendered reminder (engine.md E9.6).

use crate::text::{JsString, is_js_white_space};

const LF: u16 = b'\n' as u16;
const PIPE: u16 = b'|' as u16;
const COLON: u16 = b':' as u16;
const DASH: u16 = b'-' as u16;

/// Removes trailing blanks of every line and trailing blank lines. Outside code fences, runs of two or more blank
/// lines vanish, so do blank lines before a closing tag, and table rows are made compact.
pub fn tidy(text: &JsString) -> JsString {
    let mut out: Vec<Vec<u16>> = Vec::new();
    let mut blanks = 0;
    let mut fenced = false;
    for line in text.units().split(|&unit| unit == LF) {
        let line = trim_end(line);
        if fenced {
            fenced = !is_fence(line);
            out.push(line.to_vec());
            continue;
        }
        if line.is_empty() {
            blanks += 1;
            continue;
        }
        if blanks == 1 && !is_closing_tag(line) {
            out.push(Vec::new());
        }
        blanks = 0;
        fenced = is_fence(line);
        out.push(table_row(line).unwrap_or_else(|| line.to_vec()));
    }
    while out.last().is_some_and(Vec::is_empty) {
        out.pop();
    }
    JsString::from_units(out.join(&LF))
}

fn trim_end(line: &[u16]) -> &[u16] {
    let end = line.iter().rposition(|&unit| !is_js_white_space(unit)).map_or(0, |last| last + 1);
    &line[..end]
}

fn trim(line: &[u16]) -> &[u16] {
    let line = trim_end(line);
    let start = line.iter().position(|&unit| !is_js_white_space(unit)).unwrap_or(line.len());
    &line[start..]
}

fn is_fence(line: &[u16]) -> bool {
    let line = trim(line);
    ["```", "~~~"].iter().any(|fence| fence.encode_utf16().eq(line.iter().take(3).copied()))
}

fn is_closing_tag(line: &[u16]) -> bool {
    let is_name = |unit: &u16| matches!(*unit, 0x61..=0x7A | 0x5F | 0x2D);
    match trim(line) {
        [open, slash, name @ .., close] => {
            (*open, *slash, *close) == (b'<'.into(), b'/'.into(), b'>'.into())
                && !name.is_empty()
                && name.iter().all(is_name)
        }
        _ => false,
    }
}

/// The compact form of a table row: cells trimmed, separators of three dashes; the indentation stays.
fn table_row(line: &[u16]) -> Option<Vec<u16>> {
    let indent = line.iter().position(|&unit| !is_js_white_space(unit))?;
    let [PIPE, cells @ .., PIPE] = &line[indent..] else { return None };
    let cells: Vec<&[u16]> = cells.split(|&unit| unit == PIPE).map(trim).collect();
    let separators: Option<Vec<Vec<u16>>> = cells.iter().map(|cell| separator(cell)).collect();
    let cells = separators.unwrap_or_else(|| cells.into_iter().map(<[u16]>::to_vec).collect());
    let mut row = line[..indent].to_vec();
    for cell in cells {
        row.push(PIPE);
        row.extend(cell);
    }
    row.push(PIPE);
    Some(row)
}

fn separator(cell: &[u16]) -> Option<Vec<u16>> {
    let (left, rest) = if let [COLON, rest @ ..] = cell { (true, rest) } else { (false, cell) };
    let (right, dashes) = if let [rest @ .., COLON] = rest { (true, rest) } else { (false, rest) };
    if dashes.is_empty() || dashes.iter().any(|&unit| unit != DASH) {
        return None;
    }
    let mut compact = Vec::with_capacity(5);
    compact.extend(left.then_some(COLON));
    compact.extend([DASH; 3]);
    compact.extend(right.then_some(COLON));
    Some(compact)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tidied(text: &str) -> String {
        tidy(&JsString::from(text)).to_string_lossy()
    }

    #[test]
    fn blank_runs_vanish_and_single_blanks_stay() {
        assert_eq!(tidied("a\n\n\nb\n\nc\n\n"), "a\nb\n\nc");
        assert_eq!(tidied("<x>\n\n\n\ny\n\n</x>"), "<x>\ny\n</x>");
    }

    #[test]
    fn tables_are_made_compact_outside_fences() {
        assert_eq!(tidied("| a |  b |\n|:-|-----:|"), "|a|b|\n|:---|---:|");
        assert_eq!(tidied("```\n| a |  \n\n\n```\n| a |"), "```\n| a |\n\n\n```\n|a|");
    }
}
