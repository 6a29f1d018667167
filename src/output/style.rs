//! How human output looks: colours, widths, tables.

use comfy_table::{Attribute, Cell, Color, ContentArrangement, LineStyle, Table, TableStyle};
use owo_colors::{OwoColorize as _, Style as Paint};

/// Colours and width of human output.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Whether colours are wanted.
    pub color: bool,
    /// Columns to fill.
    pub width: u16,
}

/// Width of what does not go to a terminal, so that its bytes are stable.
pub const FIXED_WIDTH: u16 = 120;

/// A rule below the head, nothing else.
const TABLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

impl Style {
    /// Without colours, at the fixed width.
    pub const PLAIN: Self = Self { color: false, width: FIXED_WIDTH };

    fn paint(self, text: &str, paint: Paint) -> String {
        if self.color { text.style(paint).to_string() } else { text.to_owned() }
    }

    /// A heading.
    pub fn heading(self, text: &str) -> String {
        self.paint(text, Paint::new().bold())
    }

    /// Something less important.
    pub fn faint(self, text: &str) -> String {
        self.paint(text, Paint::new().dimmed())
    }

    /// Something bad.
    pub fn bad(self, text: &str) -> String {
        self.paint(text, Paint::new().red().bold())
    }

    /// Something to look at.
    pub fn notable(self, text: &str) -> String {
        self.paint(text, Paint::new().yellow())
    }

    /// Something good.
    pub fn good(self, text: &str) -> String {
        self.paint(text, Paint::new().green())
    }

    /// An empty table with these column heads.
    pub fn table(self, heads: &[&str]) -> Table {
        let mut table = Table::new();
        table
            .load_style(TABLE)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(self.width)
            .set_header(heads.iter().map(|head| Cell::new(head).add_attribute(Attribute::Bold)));
        if self.color {
            table.enforce_styling();
        } else {
            table.force_no_tty();
        }
        table
    }

    /// A table cell for something bad.
    pub fn bad_cell(text: impl ToString) -> Cell {
        Cell::new(text).fg(Color::Red)
    }

    /// A table cell for something to look at.
    pub fn notable_cell(text: impl ToString) -> Cell {
        Cell::new(text).fg(Color::Yellow)
    }
}

/// A count with its noun: `1 rule`, `2 rules`.
pub fn count(number: usize, noun: &str) -> String {
    let plural = match noun.strip_suffix('y') {
        _ if number == 1 => noun.to_owned(),
        Some(stem) if !noun.ends_with("ay") && !noun.ends_with("ey") => format!("{stem}ies"),
        _ => format!("{noun}s"),
    };
    format!("{number} {plural}")
}
