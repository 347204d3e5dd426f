//! Which rows a picture shows. They are named by what they say, so that a picture can be made again
//! after the program has changed, and fails loudly if what it showed is gone.

use thiserror::Error;

use crate::rows::Row;

/// From the next row that holds one text to the next that holds the other, both included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    pub from: String,
    pub to: String,
}

#[derive(Debug, Clone)]
pub enum Line<'a> {
    Row(&'a Row),
    /// Between these two, rows were left out.
    Gap,
}

#[derive(Debug, Error, PartialEq, Eq)]
pub enum ExcerptError {
    #[error("nothing that was printed after the rows before it holds {0:?}: correct --rows")]
    NotThere(String),
    #[error("the command printed nothing")]
    Nothing,
}

/// All of them, if no span is given.
pub fn choose<'a>(rows: &'a [Row], spans: &[Span]) -> Result<Vec<Line<'a>>, ExcerptError> {
    if rows.is_empty() {
        return Err(ExcerptError::Nothing);
    }
    if spans.is_empty() {
        return Ok(rows.iter().map(Line::Row).collect());
    }
    let mut lines = Vec::new();
    let mut end = 0;
    for span in spans {
        let from = find(rows, end, &span.from)?;
        let to = find(rows, from, &span.to)?;
        if from > end && !lines.is_empty() {
            lines.push(Line::Gap);
        }
        lines.extend(rows[from..=to].iter().map(Line::Row));
        end = to + 1;
    }
    Ok(lines)
}

fn find(rows: &[Row], start: usize, text: &str) -> Result<usize, ExcerptError> {
    let at = rows[start..].iter().position(|row| row.text().contains(text));
    at.map(|at| start + at).ok_or_else(|| ExcerptError::NotThere(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use vt100::Parser;

    use super::*;
    use crate::rows;

    fn chosen(spans: &[(&str, &str)]) -> Result<String, ExcerptError> {
        let mut terminal = Parser::new(8, 10, 0);
        terminal.process(b"a\r\nb\r\nc\r\nd\r\nb\r\ne");
        let rows = rows::all(&mut terminal);
        let span = |(from, to): &(&str, &str)| Span { from: (*from).into(), to: (*to).into() };
        let spans: Vec<Span> = spans.iter().map(span).collect();
        let said = |line: &Line<'_>| match line {
            Line::Row(row) => row.text(),
            Line::Gap => "-".into(),
        };
        choose(&rows, &spans).map(|lines| lines.iter().map(said).collect())
    }

    #[test]
    fn without_spans_everything_is_shown() {
        assert_eq!(chosen(&[]).unwrap(), "abcdbe");
    }

    #[test]
    fn a_gap_stands_between_spans_where_rows_were_left_out_and_nowhere_else() {
        assert_eq!(chosen(&[("a", "b"), ("c", "c"), ("e", "e")]).unwrap(), "abc-e");
        assert_eq!(chosen(&[("b", "c")]).unwrap(), "bc");
    }

    #[test]
    fn a_span_is_looked_for_after_the_one_before() {
        assert_eq!(chosen(&[("b", "b"), ("b", "b")]).unwrap(), "b-b");
    }

    #[test]
    fn a_text_that_is_gone_is_an_error_that_names_it() {
        assert_eq!(chosen(&[("d", "a")]), Err(ExcerptError::NotThere("a".into())));
    }
}
