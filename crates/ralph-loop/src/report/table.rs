//! Tables: columns fit their content, and one flexible column shrinks to the available width.

use super::{Line, Look, Role};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
    /// Left, and cut if the table is too wide. At most one.
    Flexible,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Column<'n> {
    pub(crate) name: &'n str,
    pub(crate) align: Align,
    /// Dropped, from left to right, if shrinking the flexible column is not enough.
    pub(crate) optional: bool,
}

const GAP: usize = 2;
/// The minimum width of the flexible column.
const NARROWEST: usize = 6;

/// The lines of the table with its header.
pub(crate) fn table(
    columns: &[Column<'_>],
    rows: &[Vec<(Role, String)>],
    look: &Look,
    indent: usize,
) -> Vec<Line> {
    let head = columns.iter().map(|column| Line::text(Role::Dim, column.name)).collect();
    let cells = |row: &Vec<(Role, String)>| -> Vec<Line> {
        row.iter().map(|(role, text)| Line::text(*role, text)).collect()
    };
    let rows: Vec<Vec<Line>> = std::iter::once(head).chain(rows.iter().map(cells)).collect();
    let fitted = fitted(columns, &rows, look.width.map(|width| width.saturating_sub(indent)));
    let line = |row: &Vec<Line>| {
        let cells = fitted.iter().enumerate().map(|(position, &(at, width))| {
            let gap = if position + 1 == fitted.len() { 0 } else { GAP };
            let content = row[at].clone().cut(width, look.marks.ellipsis);
            aligned(content, width, columns[at].align, gap)
        });
        // The minimum widths may exceed the terminal.
        look.cut(cells.fold(Line::indented(indent), Line::append))
    };
    rows.iter().map(line).collect()
}

/// The visible columns with their widths.
fn fitted(
    columns: &[Column<'_>],
    rows: &[Vec<Line>],
    available: Option<usize>,
) -> Vec<(usize, usize)> {
    let widest = |at: usize| rows.iter().map(|row| row[at].width()).max().unwrap_or(0);
    let mut shown: Vec<(usize, usize)> = (0..columns.len()).map(|at| (at, widest(at))).collect();
    let Some(available) = available else { return shown };
    let is_flexible = |&(at, _): &(usize, usize)| columns[at].align == Align::Flexible;
    loop {
        let whole = shown.iter().map(|(_, width)| width + GAP).sum::<usize>().saturating_sub(GAP);
        let excess = whole.saturating_sub(available);
        let flexible = shown.iter().position(is_flexible);
        let spare = flexible.map_or(0, |at| shown[at].1.saturating_sub(NARROWEST));
        let optional = shown.iter().position(|&(at, _)| columns[at].optional);
        match (optional, flexible) {
            (Some(optional), _) if excess > spare => {
                shown.remove(optional);
            }
            (_, Some(flexible)) => {
                shown[flexible].1 -= excess.min(spare);
                return shown;
            }
            _ => return shown,
        }
    }
}

fn aligned(content: Line, width: usize, align: Align, gap: usize) -> Line {
    let padding = width.saturating_sub(content.width());
    match align {
        Align::Right => Line::indented(padding).append(content).append(Line::indented(gap)),
        // The last column needs no padding.
        Align::Left | Align::Flexible if gap == 0 => content,
        Align::Left | Align::Flexible => content.append(Line::indented(padding + gap)),
    }
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;
    use crate::report::{Marks, Palette};

    const COLUMNS: [Column<'_>; 3] = [
        Column { name: "Story", align: Align::Left, optional: false },
        Column { name: "Title", align: Align::Flexible, optional: false },
        Column { name: "Cost", align: Align::Right, optional: true },
    ];

    fn rendered(width: Option<usize>) -> Vec<String> {
        let row = |id: &str, title: &str, cost: &str| {
            [id, title, cost].map(|text| (Role::Plain, text.to_owned())).to_vec()
        };
        let rows = [
            row("US-1", "A cart that keeps what was put into it", "$0.42"),
            row("US-22", "日本語のタイトルも表の中で揃う", "$12.00"),
            row("US-3", "tab\there\x1b[31m", "$0"),
        ];
        let look = Look { palette: Palette::plain(), marks: Marks::EMOJI, width };
        let lines = table(&COLUMNS, &rows, &look, 2);
        lines.iter().map(|line| line.paint(&look.palette)).collect()
    }

    #[test]
    fn a_wide_table_is_not_cut() {
        assert_eq!(
            rendered(None),
            [
                "  Story  Title                                     Cost",
                "  US-1   A cart that keeps what was put into it   $0.42",
                "  US-22  日本語のタイトルも表の中で揃う          $12.00",
                "  US-3   tab here                                    $0",
            ]
        );
        assert_eq!(rendered(Some(80)), rendered(None));
    }

    #[test]
    fn the_flexible_column_shrinks_to_the_width() {
        let lines = rendered(Some(40));
        assert_eq!(
            lines,
            [
                "  Story  Title                      Cost",
                "  US-1   A cart that keeps what…   $0.42",
                "  US-22  日本語のタイトルも表の…  $12.00",
                "  US-3   tab here                     $0",
            ]
        );
        assert!(lines.iter().all(|line| line.width() == 40));
    }

    #[test]
    fn optional_columns_are_dropped_on_narrow_terminals() {
        assert_eq!(
            rendered(Some(16)),
            ["  Story  Title", "  US-1   A cart…", "  US-22  日本語…", "  US-3   tab he…"]
        );
    }

    #[test]
    fn no_line_is_ever_wider_than_the_width() {
        for width in 0..60 {
            assert!(rendered(Some(width)).iter().all(|line| line.width() <= width), "{width}");
        }
    }
}
