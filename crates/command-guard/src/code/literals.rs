//! Splits code into statements with their string literals.

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Statement {
    /// The text with each string replaced by `""`.
    pub(super) bare: String,
    pub(super) strings: Vec<String>,
    /// Strings in one list, as `["rm", "-rf", "/"]`.
    pub(super) lists: Vec<Vec<String>>,
}

/// Larger than any code on a command line.
pub(super) const MOST_STATEMENTS: usize = 20_000;

pub(super) fn statements(code: &str) -> Vec<Statement> {
    let mut reader = Reader {
        rest: code,
        done: Vec::new(),
        now: Statement::default(),
        list: Vec::new(),
        depth: 0,
    };
    while reader.done.len() < MOST_STATEMENTS && reader.step() {}
    reader.end_statement();
    reader.done
}

struct Reader<'c> {
    rest: &'c str,
    done: Vec<Statement>,
    now: Statement,
    list: Vec<String>,
    /// The number of open brackets: a statement does not end inside.
    depth: usize,
}

impl Reader<'_> {
    fn step(&mut self) -> bool {
        let mut letters = self.rest.chars();
        let Some(letter) = letters.next() else {
            return false;
        };
        match letter {
            '"' | '\'' | '`' => {
                self.string(letter);
                return true;
            }
            '(' | '{' | '[' | '|' | '!' if self.is_command() => {
                self.delimited(letter);
                return true;
            }
            // Perl's glob operator.
            '<' if self.rest.starts_with("</") && self.rest.contains('>') => {
                self.delimited(letter);
                return true;
            }
            '#' if self.starts_line() => {
                let end = self.rest.find('\n').unwrap_or(self.rest.len());
                self.rest = &self.rest[end..];
                return true;
            }
            '\n' | ';' if self.depth == 0 => self.end_statement(),
            '{' | '}' => {
                self.now.bare.push(letter);
                self.end_statement();
            }
            '[' if self.list.len() == 1 && self.now.bare.trim_end().ends_with(',') => {
                // `run("rm", ["-rf", "/"])`: the program and its arguments form one list.
                self.depth += 1;
                self.now.bare.push(letter);
            }
            '(' | '[' => {
                self.depth += 1;
                self.end_list();
                self.now.bare.push(letter);
            }
            ')' | ']' => {
                self.depth = self.depth.saturating_sub(1);
                self.end_list();
                self.now.bare.push(letter);
            }
            _ => self.now.bare.push(letter),
        }
        self.rest = letters.as_str();
        true
    }

    /// Ruby's `%x(…)` and Perl's `qx{…}`.
    fn is_command(&self) -> bool {
        let bare = &self.now.bare;
        bare.ends_with("%x")
            || bare.strip_suffix("qx").is_some_and(|rest| !rest.ends_with(char::is_alphanumeric))
    }

    /// A string between brackets or other delimiters.
    fn delimited(&mut self, open: char) {
        let close = match open {
            '(' => ')',
            '{' => '}',
            '[' => ']',
            '<' => '>',
            other => other,
        };
        let rest = &self.rest[open.len_utf8()..];
        let end = rest.find(close).unwrap_or(rest.len());
        self.take(rest[..end].to_owned(), "\"\"");
        self.rest = rest.get(end + close.len_utf8()..).unwrap_or_default();
    }

    /// Stores a string; one that is added with `+` extends the previous one.
    fn take(&mut self, text: String, mark: &str) {
        let is_added = self.now.bare.trim_end().ends_with("\"\"+")
            || self.now.bare.trim_end().ends_with("\"\" +");
        match (self.now.strings.last_mut(), is_added) {
            (Some(last), true) => {
                last.push_str(&text);
                if let Some(item) = self.list.last_mut() {
                    item.push_str(&text);
                }
            }
            _ => {
                self.now.bare.push_str(mark);
                self.list.push(text.clone());
                self.now.strings.push(text);
            }
        }
    }

    fn starts_line(&self) -> bool {
        self.now.bare.trim().is_empty() && self.now.strings.is_empty()
    }

    fn string(&mut self, quote: char) {
        let triple: String = [quote; 3].iter().collect();
        let (end, width) = if quote != '`' && self.rest.starts_with(&triple) {
            (self.rest[3..].find(&triple).map(|at| at + 3), 3)
        } else {
            (closing(self.rest, quote), 1)
        };
        let end = end.unwrap_or(self.rest.len());
        let inside = self.rest.get(width..end).unwrap_or_default();
        let text = unescaped(inside);
        // Some languages run a string in backticks, others treat it as text.
        self.take(text, if quote == '`' { "``" } else { "\"\"" });
        self.rest = self.rest.get(end + width..).unwrap_or_default();
    }

    fn end_list(&mut self) {
        let list = std::mem::take(&mut self.list);
        if list.len() > 1 {
            self.now.lists.push(list);
        }
    }

    fn end_statement(&mut self) {
        self.end_list();
        let statement = std::mem::take(&mut self.now);
        if !statement.bare.trim().is_empty() || !statement.strings.is_empty() {
            self.done.push(statement);
        }
    }
}

fn closing(text: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    text.char_indices().skip(1).find_map(|(at, letter)| match letter {
        _ if escaped => {
            escaped = false;
            None
        }
        '\\' => {
            escaped = true;
            None
        }
        letter if letter == quote => Some(at),
        _ => None,
    })
}

/// Decodes the escapes that most languages share.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            plain.push(letter);
            continue;
        }
        match letters.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('x') => {
                let digits: String = letters.clone().take(2).collect();
                match u8::from_str_radix(&digits, 16) {
                    Ok(byte) => {
                        plain.push(char::from(byte));
                        letters.nth(1);
                    }
                    Err(_) => plain.push('x'),
                }
            }
            Some('u') => {
                let digits: String = letters.clone().take(4).collect();
                match u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32) {
                    Some(letter) => {
                        plain.push(letter);
                        letters.nth(3);
                    }
                    None => plain.push('u'),
                }
            }
            Some(other) => plain.push(other),
            None => {}
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_taken_out_of_statements_with_their_escapes() {
        let read =
            statements("import os; os.system('rm -rf \\x2f')\nprint(\"it's\") # no\n# 'comment'\n");
        let strings: Vec<_> = read.iter().flat_map(|statement| statement.strings.clone()).collect();
        assert_eq!(strings, ["rm -rf /", "it's"]);
        assert_eq!(read[1].bare.trim(), "os.system(\"\")");
    }

    #[test]
    fn strings_in_one_list_belong_together() {
        let read = statements("run(['rm', '-rf', '/'], check=True)");
        assert_eq!(read[0].lists, [["rm", "-rf", "/"].map(str::to_owned).to_vec()]);
        let triple = statements("x = '''a\n'b' c'''");
        assert_eq!(triple[0].strings, ["a\n'b' c"]);
    }

    #[test]
    fn endless_scripts_end_the_analysis() {
        for code in ["'", "\"\"\"abc", "((((", "'\\", "\\", "`", "'\\x", "'\\u00"] {
            statements(code);
        }
    }
}
