//! Splits code of any language into statements with their string literals.

use shell_analysis::{EscapeSet, unescape};

/// A statement is a line, or a part of one between `;`, `{` and `}`.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Statement {
    /// The text with each string replaced by `""`, or by two backticks.
    pub(super) bare: String,
    pub(super) strings: Vec<String>,
    /// Strings in one list, as `["rm", "-rf", "/"]`.
    pub(super) lists: Vec<Vec<String>>,
}

/// Larger than any code on a command line.
pub(super) const MOST_STATEMENTS: usize = 20_000;

/// `bare_paths`: words that start as paths are strings without quotes.
pub(super) fn statements(code: &str, bare_paths: bool) -> Vec<Statement> {
    let mut reader = Reader { bare_paths, ..Reader::default() };
    let mut rest = code;
    while let Some(letter) = rest.chars().next().filter(|_| reader.done.len() < MOST_STATEMENTS) {
        rest = reader.step(letter, rest);
    }
    reader.end_statement();
    reader.done
}

#[derive(Default)]
struct Reader {
    bare_paths: bool,
    done: Vec<Statement>,
    now: Statement,
    /// How many strings of the statement come before the current list.
    listed: usize,
    /// The number of open brackets: a statement does not end inside.
    depth: usize,
}

impl Reader {
    /// Reads what begins with the letter and returns the rest.
    fn step<'c>(&mut self, letter: char, rest: &'c str) -> &'c str {
        let after = &rest[letter.len_utf8()..];
        let bare = self.now.bare.as_str();
        match letter {
            '"' | '\'' | '`' => {
                let (text, rest) = quoted(letter, after);
                // Some languages run a string in backticks, others treat it as text.
                self.take(&text, if letter == '`' { "``" } else { "\"\"" });
                return rest;
            }
            '(' | '{' | '[' | '|' | '!' if takes_raw_text(bare) => {
                const PAIRS: &str = "(){}[]";
                let close = PAIRS.find(letter).and_then(|at| PAIRS.chars().nth(at + 1));
                let (text, rest) = after.split_once(close.unwrap_or(letter)).unwrap_or((after, ""));
                self.take(text, "\"\"");
                return rest;
            }
            '/' | '~' if self.starts_path() => {
                let is_end = |c: char| c.is_whitespace() || ")];,\"'{}>".contains(c);
                let (path, rest) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
                self.take(path, "\"\"");
                return rest;
            }
            '#' if self.now.strings.is_empty() && bare.trim().is_empty() => {
                return rest.find('\n').map_or("", |end| &rest[end..]);
            }
            '\n' | ';' if self.depth == 0 => {
                self.end_statement();
                return after;
            }
            // `run("rm", ["-rf", "/"])`: the program and its arguments form one list.
            '[' if self.now.strings.len() == self.listed + 1 && bare.trim_end().ends_with(',') => {
                self.depth += 1;
            }
            '(' | '[' => {
                self.depth += 1;
                self.end_list();
            }
            ')' | ']' => {
                self.depth = self.depth.saturating_sub(1);
                self.end_list();
            }
            _ => {}
        }
        self.now.bare.push(letter);
        if matches!(letter, '{' | '}') {
            self.end_statement();
        }
        after
    }

    /// After a blank, or in Perl's glob operator.
    fn starts_path(&self) -> bool {
        let bare = &self.now.bare;
        bare.ends_with('<') || self.bare_paths && (bare.is_empty() || bare.ends_with([' ', '\t']))
    }

    /// Stores a string; one that is added to the previous one extends it.
    fn take(&mut self, text: &str, mark: &str) {
        let bare = &mut self.now.bare;
        let before = bare.trim_end_matches(['+', '.', '~', '&', ' ']);
        let is_added = before.ends_with("\"\"") && !bare[before.len()..].trim().is_empty();
        match self.now.strings.last_mut().filter(|_| is_added) {
            Some(last) => {
                last.push_str(text);
                bare.truncate(before.len());
            }
            None => {
                bare.push_str(mark);
                self.now.strings.push(text.to_owned());
            }
        }
    }

    fn end_list(&mut self) {
        let list = &self.now.strings[self.listed..];
        if list.len() > 1 {
            self.now.lists.push(list.to_vec());
        }
        self.listed = self.now.strings.len();
    }

    fn end_statement(&mut self) {
        self.end_list();
        self.listed = 0;
        let mut statement = std::mem::take(&mut self.now);
        statement.bare = squeezed(&statement.bare);
        if !statement.bare.is_empty() || !statement.strings.is_empty() {
            self.done.push(statement);
        }
    }
}

/// The text up to the closing quote, with the escapes that most languages share decoded, and the rest.
fn quoted(quote: char, rest: &str) -> (String, &str) {
    let mut is_escaped = false;
    let ends = |c| {
        let ends = c == quote && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    };
    let (text, rest) = rest.split_once(ends).unwrap_or((rest, ""));
    (unescape(text, EscapeSet::Code), rest)
}

/// Removes blanks; those between two names become `·`.
pub(super) fn squeezed(code: &str) -> String {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::with_capacity(code.len());
    let mut has_blank = false;
    for letter in code.chars() {
        if letter.is_whitespace() {
            has_blank = true;
            continue;
        }
        if std::mem::take(&mut has_blank) && is_name(letter) && out.ends_with(is_name) {
            out.push('·');
        }
        out.push(letter);
    }
    out
}

/// After Ruby's `%x` and Perl's `qx` and `qw`.
fn takes_raw_text(bare: &str) -> bool {
    let before = ["%x", "qx", "qw"].iter().find_map(|name| bare.strip_suffix(name));
    before.is_some_and(|before| !before.ends_with(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_taken_out_of_statements_with_their_escapes() {
        let read = statements(
            "import os; os.system('rm -rf \\x2f')\nprint(\"it's\") # no\n# 'comment'\n",
            false,
        );
        let strings: Vec<_> = read.iter().flat_map(|statement| statement.strings.clone()).collect();
        assert_eq!(strings, ["rm -rf /", "it's"]);
        assert_eq!(read[1].bare, "os.system(\"\")");
    }

    #[test]
    fn strings_in_one_list_belong_together() {
        let read = statements("run(['rm', '-rf', '/'], check=True)", false);
        assert_eq!(read[0].lists, [["rm", "-rf", "/"].map(str::to_owned).to_vec()]);
    }

    #[test]
    fn endless_scripts_end_the_analysis() {
        for code in ["'", "\"\"\"abc", "((((", "'\\", "\\", "`", "'\\x", "'\\u00"] {
            statements(code, true);
        }
    }
}
