//! What a code means, with the samples that the tests run (cli.md section 3, `--explain`).

use super::{Style, catalogue, escape, escape_lines};
use crate::diagnostic::{Code, SampleFile};

/// Longer lines of a sample are cut here (characters).
const LONGEST_LINE: usize = 90;

/// The code's name, severity and explanation, then a sample that gives it and one that does not.
pub fn explain(code: Code, style: Style) -> String {
    let title = style.heading(&format!("{code} {}", code.name()));
    let mut out = format!("{title} ({})\n\n{}\n", code.severity(), code.explanation());
    for (side, head) in [("failing", "This is reported:"), ("passing", "This is not:")] {
        let files: Vec<&SampleFile> = code.samples().iter().filter(|(name, _)| name.starts_with(side)).collect();
        if files.is_empty() {
            continue;
        }
        out.push_str(&format!("\n{}\n", style.heading(head)));
        for (name, bytes) in files {
            // A sample of one file needs no name.
            if let Some(name) = name.strip_prefix(side).and_then(|name| name.strip_prefix('/')) {
                out.push_str(&format!("\n  {}\n", style.faint(&escape(name))));
            }
            out.push('\n');
            out.push_str(&indented(bytes));
        }
    }
    out
}

/// All codes, one a line.
pub fn all(style: Style) -> String {
    let mut table = style.table(&["Code", "Name", "Severity"]);
    for code in catalogue::all() {
        table.add_row([code.to_string(), code.name().to_owned(), code.severity().to_string()]);
    }
    format!("{}\n", table.trim_fmt())
}

/// The lines of a file, escaped, cut to a bearable length and set apart from the text around them.
fn indented(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let cut = |line: &str| match line.char_indices().nth(LONGEST_LINE) {
        Some((at, _)) => format!("{} … ({} characters in all)", &line[..at], line.chars().count()),
        None => line.to_owned(),
    };
    text.lines().map(|line| format!("    {}\n", cut(&escape_lines(line)))).collect()
}
