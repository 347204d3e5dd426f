//! Tables in text files: a row per line, columns between ` | `, words between blanks. `·` is a blank in a word, `-` an
//! empty column.

pub(super) type Row = Vec<Vec<&'static str>>;

pub(super) fn rows(text: &'static str) -> Vec<Row> {
    let words = |column: &'static str| column.split_whitespace().filter(|&word| word != "-");
    let row =
        |line: &'static str| line.split(" | ").map(|column| words(column).collect()).collect();
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(row).collect()
}
