//! The report in Markdown: hooks as ratios that apply to other machines, then the runner.

use std::io::{self, Write};
use std::time::Duration;

use crate::grid::Grid;
use crate::measure::{Row, Table, ratio};
use crate::options::Load;

pub(crate) fn write(
    out: &mut dyn Write,
    surroundings: &str,
    load: Load,
    hooks: &[Table],
    runner: &[Grid],
) -> io::Result<()> {
    let title = match load {
        Load::Quiet => "Measured",
        Load::OneCore => "Measured with one core kept busy",
    };
    writeln!(out, "# {title}\n\nWith {surroundings}.")?;
    if !hooks.is_empty() {
        writeln!(
            out,
            "\nHooks: whole processes, from start to exit; medians of interleaved rounds in \
             shuffled order. Every contender gave the expected answers first. What runs \"again\" \
             is the first row once more: its ratio is the noise."
        )?;
    }
    hooks.iter().try_for_each(|table| write_table(out, table))?;
    runner.iter().try_for_each(|grid| grid.write(out))
}

fn write_table(out: &mut dyn Write, table: &Table) -> io::Result<()> {
    let unit = table.rows.first().map_or("", |row| &row.name);
    writeln!(out, "\n## {}\n\n{} {} rounds.\n", table.title, table.sizes, table.rounds)?;
    writeln!(out, "| contender | median ms | × {unit} | budget | met? |")?;
    writeln!(out, "|---|--:|--:|--:|---|")?;
    for row in &table.rows {
        writeln!(out, "| {} | {} |", row.name, cells(row, table.unit()).join(" | "))?;
    }
    Ok(())
}

fn cells(row: &Row, unit: Option<Duration>) -> [String; 4] {
    const NOTHING: &str = "—";
    let budget = row.budget.map_or(NOTHING.into(), |budget| format!("≤ {budget}"));
    let (median, unit) = match (&row.median, unit) {
        (Ok(median), Some(unit)) => (*median, unit),
        (Err(why), _) => {
            return [format!("not measured: {why}"), NOTHING.into(), budget, NOTHING.into()];
        }
        (Ok(_), None) => return [NOTHING.into(), NOTHING.into(), budget, NOTHING.into()],
    };
    let ratio = ratio(median, unit);
    let met = match row.budget {
        Some(budget) if ratio <= budget => "yes",
        Some(_) => "**no**",
        None => NOTHING,
    };
    let milliseconds = median.as_secs_f64() * 1000.0;
    [format!("{milliseconds:.2}"), format!("{ratio:.2}"), budget, met.into()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, budget: Option<f64>, median: Result<u64, &str>) -> Row {
        let median = median.map(Duration::from_millis).map_err(str::to_owned);
        Row { name: name.into(), budget, median }
    }

    #[test]
    fn a_table_says_what_was_met_and_what_was_not_measured() {
        let table = Table {
            title: "One".into(),
            sizes: "Small.".into(),
            rounds: 3,
            rows: vec![
                row("unit", None, Ok(2)),
                row("fast", Some(1.5), Ok(3)),
                row("slow", Some(1.5), Ok(4)),
                row("peer", None, Err("jq is missing")),
            ],
        };
        let mut out = Vec::new();
        write_table(&mut out, &table).unwrap();
        let text = String::from_utf8(out).unwrap();
        let rows: Vec<&str> = text.lines().skip(7).collect();
        assert_eq!(
            rows,
            [
                "| unit | 2.00 | 1.00 | — | — |",
                "| fast | 3.00 | 1.50 | ≤ 1.5 | yes |",
                "| slow | 4.00 | 2.00 | ≤ 1.5 | **no** |",
                "| peer | not measured: jq is missing | — | — | — |",
            ]
        );
    }
}
