//! Splits code of any language into statements with their string literals.

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
    list: Vec<String>,
    /// The number of open brackets: a statement does not end inside.
    depth: usize,
}

impl Reader {
    /// Reads what begins with the letter and returns the rest.
    fn step<'c>(&mut self, letter: char, rest: &'c str) -> &'c str {
        let after = &rest[letter.len_utf8()..];
        let bare = self.now.bare.as_str();
        match letter {
            '"' | '\'' | '`' => return self.string(letter, rest),
            '(' | '{' | '[' | '|' | '!' if takes_raw_text(bare) => {
                const PAIRS: &str = "(){}[]";
                let close = PAIRS.find(letter).and_then(|at| PAIRS.chars().nth(at + 1));
                let (text, rest) = after.split_once(close.unwrap_or(letter)).unwrap_or((after, ""));
                self.take(text.to_owned(), "\"\"");
                return rest;
            }
            '/' | '~' if self.starts_path() => {
                let is_end = |c: char| c.is_whitespace() || ")];,\"'{}>".contains(c);
                let (path, rest) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
                self.take(path.to_owned(), "\"\"");
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
            '[' if self.list.len() == 1 && bare.trim_end().ends_with(',') => self.depth += 1,
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
    fn take(&mut self, text: String, mark: &str) {
        let bare = &mut self.now.bare;
        let added_to = ["+", ".", "..", "~", "&", "<>", "++"].iter().find_map(|sign| {
            let before = bare.trim_end().strip_suffix(sign)?.trim_end();
            before.ends_with("\"\"").then_some(before.len())
        });
        match (self.now.strings.last_mut(), added_to) {
            (Some(last), Some(end)) => {
                bare.truncate(end);
                last.push_str(&text);
                if let Some(item) = self.list.last_mut() {
                    item.push_str(&text);
                }
            }
            _ => {
                bare.push_str(mark);
                self.list.push(text.clone());
                self.now.strings.push(text);
            }
        }
    }

    fn string<'c>(&mut self, quote: char, rest: &'c str) -> &'c str {
        let triple = quote.to_string().repeat(3);
        let (end, width) = match rest.strip_prefix(&triple).filter(|_| quote != '`') {
            Some(inside) => (inside.find(&triple).map(|at| at + 3), 3),
            None => (closing(rest, quote), 1),
        };
        let end = end.unwrap_or(rest.len());
        let text = unescaped(rest.get(width..end).unwrap_or_default());
        // Some languages run a string in backticks, others treat it as text.
        self.take(text, if quote == '`' { "``" } else { "\"\"" });
        rest.get(end + width..).unwrap_or_default()
    }

    fn end_list(&mut self) {
        let list = std::mem::take(&mut self.list);
        if list.len() > 1 {
            self.now.lists.push(list);
        }
    }

    fn end_statement(&mut self) {
        self.end_list();
        let mut statement = std::mem::take(&mut self.now);
        statement.bare = squeezed(&statement.bare);
        if !statement.bare.is_empty() || !statement.strings.is_empty() {
            self.done.push(statement);
        }
    }
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

fn closing(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    let is_end = |&(_, letter): &(usize, char)| {
        let is_plain = !std::mem::take(&mut is_escaped);
        is_escaped = is_plain && letter == '\\';
        is_plain && letter == quote
    };
    text.char_indices().skip(1).find(is_end).map(|(at, _)| at)
}

/// Decodes the escapes that most languages share.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        plain.push_str(before);
        let digits = match after.chars().next() {
            Some('x') => 2,
            Some('u') => 4,
            _ => 0,
        };
        let code = after.get(1..=digits).and_then(|code| u32::from_str_radix(code, 16).ok());
        if let Some(letter) = code.and_then(char::from_u32) {
            plain.push(letter);
            rest = &after[digits + 1..];
            continue;
        }
        let mut letters = after.chars();
        plain.extend(letters.next().map(|letter| match letter {
            'n' => '\n',
            't' => '\t',
            other => other,
        }));
        rest = letters.as_str();
    }
    plain + rest
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
        let triple = statements("x = '''a\n'b' c'''", false);
        assert_eq!(triple[0].strings, ["a\n'b' c"]);
    }

    #[test]
    fn endless_scripts_end_the_analysis() {
        for code in ["'", "\"\"\"abc", "((((", "'\\", "\\", "`", "'\\x", "'\\u00"] {
            statements(code, true);
        }
    }
}
