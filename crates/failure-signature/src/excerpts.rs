//! Reduces source excerpts that tools print around a failure: `12 | let x = y;` with carets below.
//!
//! Keeps the marked line and its label. Context lines and line numbers change with every edit above
//! them.

use crate::pattern::Pattern;

/// `12 | code`, `> 12 | code`, `12| code`.
static CODE: Pattern = Pattern::new(&[r"^\s*(?P<here>>)?\s*\d+ ?[|│](?P<code>.*)$"]);
/// `   |     ^^^ not found in this scope`, and the bars between.
static BAR: Pattern = Pattern::new(&[r"^\s*[|│](?P<under>.*)$"]);
/// `12 + code`, a suggestion of rustc.
static PROPOSAL: Pattern = Pattern::new(&[r"^\s*\d+ +[-+~](?: |$)"]);
/// `12   code`, as tsc prints it; the underline is on the next line.
static BARE: Pattern = Pattern::new(&[r"^\s*\d+ "]);
static UNDERLINE: Pattern = Pattern::new(&[r"^\s*[~^]+$"]);

enum Row {
    Here(String),
    Code(String),
    Under { label: String, points: bool },
    Proposal,
}

pub(crate) fn reduce(lines: Vec<String>) -> Vec<String> {
    let mut kept = Vec::with_capacity(lines.len());
    let mut rows = Vec::new();
    for line in lines {
        if let Some(row) = row(&line, !rows.is_empty()) {
            rows.push(row);
            continue;
        }
        close(&mut rows, &mut kept);
        if UNDERLINE.is_match(&line) {
            if line.contains('~') {
                kept.pop_if(|above: &mut String| BARE.is_match(above));
            }
        } else {
            kept.push(line);
        }
    }
    close(&mut rows, &mut kept);
    kept
}

fn row(line: &str, inside: bool) -> Option<Row> {
    if let Some(found) = CODE.captures(line) {
        let code = found["code"].trim().to_owned();
        return Some(if found.name("here").is_some() { Row::Here(code) } else { Row::Code(code) });
    }
    if let Some(found) = BAR.captures(line) {
        let under = &found["under"];
        let label = under.trim_start_matches([' ', '\t', '|', '│', '^', '~', '-', '_']).to_owned();
        return Some(Row::Under { label, points: under.contains(['^', '~', '-']) });
    }
    (inside && PROPOSAL.is_match(line)).then_some(Row::Proposal)
}

fn close(rows: &mut Vec<Row>, kept: &mut Vec<String>) {
    let marked = rows.iter().any(|row| matches!(row, Row::Here(_)));
    let mut above = None;
    for row in rows.drain(..) {
        match row {
            Row::Here(code) => kept.push(code),
            Row::Code(code) => above = Some(code),
            Row::Under { label, points } => {
                let about = above.take().filter(|_| points && !marked);
                kept.extend(about);
                kept.extend(Some(label).filter(|label| !label.is_empty()));
            }
            Row::Proposal => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        let lines = reduce(text.lines().map(str::to_owned).collect());
        lines.into_iter().filter(|line| !line.is_empty()).collect()
    }

    #[test]
    fn rustc_keeps_the_line_and_its_label() {
        let text = "\
error[E0425]: no
  |
3 |     sum + tax
  |           ^^^ not found in this scope
  |
3 -     sum + tax
3 +     sum + max
  |
rest";
        assert_eq!(of(text), ["error[E0425]: no", "sum + tax", "not found in this scope", "rest"]);
    }

    #[test]
    fn a_marked_line_is_the_only_one() {
        let text = "   7 |\n   8 |   test(() => {\n>  9 |     expect(1).toBe(2);\n     |     ^\n  10 |   });";
        assert_eq!(of(text), ["expect(1).toBe(2);"]);
    }

    #[test]
    fn without_a_mark_it_is_the_one_above_the_caret() {
        assert_eq!(of("   8|  a();\n   9|    b();\n    |    ^\n  10|  c();"), ["b();"]);
    }

    #[test]
    fn tsc_excerpts_are_reduced_to_code() {
        assert_eq!(
            of("a.ts - error\n\n13   return tax;\n            ~~~\nrest"),
            ["a.ts - error", "rest"]
        );
    }

    #[test]
    fn numbers_in_messages_and_tables_stay() {
        assert_eq!(of("12 apples\n1 - one\n| a | b |"), ["12 apples", "1 - one", "a | b |"]);
    }
}
