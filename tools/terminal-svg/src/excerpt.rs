//! Selects the rows of a picture. They are named by their text, so that a picture can be created
//! again after a change, and fails if the text is missing.

use thiserror::Error;

use crate::rows::Row;

/// From the next row with one text to the next row with the other, both included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    pub from: String,
    pub to: String,
}

#[derive(Debug, Clone)]
pub enum ExcerptLine<'a> {
    Row(&'a Row),
    /// Omitted rows.
    Gap,
}

#[derive(Debug, Error, PartialEq, Eq)]
pub enum ExcerptError {
    #[error("no later row contains {0:?}: correct --rows")]
    NotThere(String),
    #[error("the command printed nothing")]
    Nothing,
}

/// All rows, if no span is given.
pub fn choose<'a>(rows: &'a [Row], spans: &[Span]) -> Result<Vec<ExcerptLine<'a>>, ExcerptError> {
    if rows.is_empty() {
        return Err(ExcerptError::Nothing);
    }
    if spans.is_empty() {
        return Ok(rows.iter().map(ExcerptLine::Row).collect());
    }
    let mut lines = Vec::new();
    let mut end = 0;
    for span in spans {
        let from = find(rows, end, &span.from)?;
        let to = find(rows, from, &span.to)?;
        if from > end && !lines.is_empty() {
            lines.push(ExcerptLine::Gap);
        }
        lines.extend(rows[from..=to].iter().map(ExcerptLine::Row));
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
        let said = |line: &ExcerptLine<'_>| match line {
            ExcerptLine::Row(row) => row.text(),
            ExcerptLine::Gap => "-".into(),
        };
        choose(&rows, &spans).map(|lines| lines.iter().map(said).collect())
    }

    #[test]
    fn without_spans_everything_is_shown() {
        assert_eq!(chosen(&[]).unwrap(), "abcdbe");
    }

    #[test]
    fn a_gap_replaces_omitted_rows_between_spans() {
        assert_eq!(chosen(&[("a", "b"), ("c", "c"), ("e", "e")]).unwrap(), "abc-e");
        assert_eq!(chosen(&[("b", "c")]).unwrap(), "bc");
    }

    #[test]
    fn a_span_is_searched_after_the_previous_one() {
        assert_eq!(chosen(&[("b", "b"), ("b", "b")]).unwrap(), "b-b");
    }

    #[test]
    fn a_missing_text_is_named_in_the_error() {
        assert_eq!(chosen(&[("d", "a")]), Err(ExcerptError::NotThere("a".into())));
    }
}
