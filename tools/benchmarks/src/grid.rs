//! A table of the report with its own columns.

use std::io::{self, Write};

pub(crate) const NOTHING: &str = "—";

#[derive(Debug)]
pub(crate) struct Grid {
    pub(crate) title: String,
    /// Conditions of the measurement.
    pub(crate) note: String,
    pub(crate) columns: Vec<&'static str>,
    pub(crate) rows: Vec<Vec<String>>,
}

impl Grid {
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "\n## {}\n\n{}\n", self.title, self.note)?;
        writeln!(out, "| {} |", self.columns.join(" | "))?;
        let numbers = self.columns.len().saturating_sub(2);
        writeln!(out, "|---|{}---|", "--:|".repeat(numbers))?;
        for row in &self.rows {
            writeln!(out, "| {} |", row.join(" | "))?;
        }
        Ok(())
    }
}

pub(crate) fn met(budgets: &[bool]) -> String {
    if budgets.iter().all(|kept| *kept) { "yes".into() } else { "**no**".into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_is_a_table_with_numbers_in_the_middle() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let grid = Grid {
            title: "One".into(),
            note: "Small.".into(),
            columns: vec!["who", "ms", "met?"],
            rows: vec![row(["a", "1", "yes"])],
        };
        let mut out = Vec::new();
        grid.write(&mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let expected =
            "\n## One\n\nSmall.\n\n| who | ms | met? |\n|---|--:|---|\n| a | 1 | yes |\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn one_missed_budget_is_a_missed_budget() {
        assert_eq!(met(&[true, true]), "yes");
        assert_eq!(met(&[true, false]), "**no**");
    }
}
