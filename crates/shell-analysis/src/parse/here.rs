//! Here-documents: their text follows the line with their operator.

use std::cell::OnceCell;
use std::rc::Rc;

use super::{Parse, Parser, is_meta};
use crate::syntax::{RawWord, Target, WordPart};
use crate::text::Text;

pub(super) struct PendingHereDocument {
    delimiter: Vec<char>,
    /// Then the text is literal.
    is_delimiter_quoted: bool,
    /// `<<-`
    strips_tabs: bool,
    body: Rc<OnceCell<RawWord>>,
}

impl Parser<'_> {
    pub(super) fn here_document(&mut self, strips_tabs: bool) -> Parse<Target> {
        self.skip_blanks();
        let begin = self.at;
        let (delimiter, is_delimiter_quoted) = self.delimiter()?;
        if self.at == begin {
            return Err(self.broken(begin));
        }
        let body = Rc::new(OnceCell::new());
        self.waiting.push(PendingHereDocument {
            delimiter,
            is_delimiter_quoted,
            strips_tabs,
            body: Rc::clone(&body),
        });
        Ok(Target::HereDocument(body))
    }

    /// The delimiter and whether it is quoted.
    fn delimiter(&mut self) -> Parse<(Vec<char>, bool)> {
        let begin = self.at;
        let mut delimiter = Vec::new();
        let mut is_quoted = false;
        while let Some(c) = self.peek() {
            match c {
                '\\' => {
                    is_quoted = true;
                    self.at += 1;
                    if let Some(escaped) = self.peek() {
                        delimiter.push(escaped);
                        self.at += 1;
                    }
                }
                '\'' | '"' => {
                    is_quoted = true;
                    self.at += 1;
                    while self.peek().is_some_and(|inner| inner != c) {
                        delimiter.extend(self.peek());
                        self.at += 1;
                    }
                    self.expect(&c.to_string(), begin)?;
                }
                c if is_meta(c) => break,
                c => {
                    delimiter.push(c);
                    self.at += 1;
                }
            }
        }
        Ok((delimiter, is_quoted))
    }

    /// Parses the pending texts; called at the start of a line.
    pub(super) fn here_documents(&mut self) -> Parse<()> {
        for waiting in std::mem::take(&mut self.waiting) {
            let text = self.here_text(&waiting);
            let raw = if waiting.is_delimiter_quoted {
                as_is(&text)
            } else {
                self.inner(&text, |parser| parser.here_until_end())?
            };
            // Set only once, because each document is pending only once.
            let _ = waiting.body.set(raw);
        }
        Ok(())
    }

    /// The lines up to the delimiter, or to the end of the text if it is missing.
    fn here_text(&mut self, waiting: &PendingHereDocument) -> Text {
        let mut text = Text::default();
        while self.at < self.end {
            if waiting.strips_tabs {
                while self.peek() == Some('\t') {
                    self.at += 1;
                }
            }
            if self.at_delimiter(&waiting.delimiter) {
                self.at += waiting.delimiter.len();
                self.take("\n");
                return text;
            }
            while let Some(c) = self.peek() {
                text.push_from(self.text, self.at);
                self.at += 1;
                if c == '\n' {
                    break;
                }
            }
        }
        text
    }

    fn at_delimiter(&self, delimiter: &[char]) -> bool {
        let matches =
            delimiter.iter().enumerate().all(|(ahead, c)| self.peek_at(ahead) == Some(*c));
        // Inside `$(…)` a bracket may end the last line.
        matches
            && match self.peek_at(delimiter.len()) {
                None | Some('\n') => true,
                Some(')') => self.depth > 0,
                Some(_) => false,
            }
    }
}

fn as_is(text: &Text) -> RawWord {
    let mut raw = RawWord::default();
    let mut run = String::new();
    for (at, c) in text.chars.iter().enumerate() {
        if let Some(unknown) = text.hole(at) {
            raw.parts.push(WordPart::Quoted(std::mem::take(&mut run)));
            raw.parts.push(WordPart::Hole(unknown.clone()));
        } else {
            run.push(*c);
        }
    }
    raw.parts.push(WordPart::Quoted(run));
    RawWord { parts: vec![WordPart::Double(raw.parts)] }
}
