//! Lists, pipelines and simple commands.

use std::rc::Rc;

use super::{Parse, Parser, in_name, is_meta, starts_name};
use crate::syntax::{
    AndOr, Assign, Assignment, Command, Connector, End, Form, List, Pipeline, Simple,
};

impl Parser<'_> {
    pub(super) fn list(&mut self) -> Parse<List> {
        self.deeper(|parser| {
            let mut list = List::new();
            parser.list_into(&mut list)?;
            Ok(list)
        })
    }

    /// Parses commands until one cannot begin; the caller checks what follows.
    pub(super) fn list_into(&mut self, list: &mut List) -> Parse<()> {
        loop {
            self.skip_blanks_and_lines()?;
            if self.at_end_of_list() {
                return Ok(());
            }
            list.push(self.and_or()?);
        }
    }

    fn at_end_of_list(&self) -> bool {
        match self.peek() {
            None | Some(')' | ';') => true,
            _ => matches!(
                self.keyword(),
                Some("}" | "then" | "elif" | "else" | "fi" | "do" | "done" | "esac")
            ),
        }
    }

    fn and_or(&mut self) -> Parse<AndOr> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.skip_blanks();
            let connector = if self.take("&&") {
                Connector::And
            } else if self.take("||") {
                Connector::Or
            } else {
                break;
            };
            self.skip_blanks_and_lines()?;
            rest.push((connector, self.pipeline()?));
        }
        Ok(AndOr { first, rest, end: self.end_of_and_or()? })
    }

    fn end_of_and_or(&mut self) -> Parse<End> {
        match self.peek() {
            Some('&') => {
                self.at += 1;
                Ok(End::Background)
            }
            Some(';') if !matches!(self.peek_at(1), Some(';' | '&')) => {
                self.at += 1;
                Ok(End::Wait)
            }
            None | Some('\n' | ';' | ')') => Ok(End::Wait),
            // Words such as `fi` may directly follow a compound command.
            Some(_) if self.at_end_of_list() => Ok(End::Wait),
            Some(_) => Err(self.broken(self.at)),
        }
    }

    fn pipeline(&mut self) -> Parse<Pipeline> {
        let mut is_negated = false;
        loop {
            self.skip_blanks();
            match self.keyword() {
                Some("!") => {
                    self.at += 1;
                    is_negated = !is_negated;
                }
                Some("time") => {
                    self.at += 4;
                    self.skip_blanks();
                    if self.looking_at("-p ") || self.looking_at("-- ") {
                        self.at += 2;
                    }
                }
                _ => break,
            }
        }
        let mut stages = Vec::new();
        loop {
            stages.push(self.command()?);
            self.skip_blanks();
            if self.looking_at("||") || !self.take("|") {
                return Ok(Pipeline { is_negated, stages });
            }
            self.take("&");
            self.skip_blanks_and_lines()?;
        }
    }

    pub(super) fn command(&mut self) -> Parse<Command> {
        self.count()?;
        self.skip_blanks();
        let Some(form) = self.compound()? else { return self.simple() };
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirection()? {
                Some(redirection) => redirects.push(redirection),
                None => return Ok(Command { form, redirects }),
            }
        }
    }

    fn simple(&mut self) -> Parse<Command> {
        let begin = self.at;
        let mut simple = Simple::default();
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            if let Some(redirection) = self.redirection()? {
                redirects.push(redirection);
                continue;
            }
            match self.peek() {
                None => break,
                Some('(') => {
                    let Some(name) = simple.words.first().and_then(|word| word.plain()) else {
                        return Err(self.broken(self.at));
                    };
                    if simple.words.len() > 1 || !simple.assignments.is_empty() {
                        return Err(self.broken(self.at));
                    }
                    let name = name.to_owned();
                    return self.function_body(name);
                }
                Some(c) if is_meta(c) && !self.at_process() => break,
                Some(_) => {}
            }
            if simple.words.is_empty()
                && let Some(assignment) = self.assignment()?
            {
                simple.assignments.push(assignment);
                continue;
            }
            simple.words.push(self.word()?);
        }
        if self.at == begin {
            return Err(self.broken(begin));
        }
        Ok(Command { form: Form::Simple(simple), redirects })
    }

    /// Parses `()` and the body of a function.
    pub(super) fn function_body(&mut self, name: String) -> Parse<Command> {
        self.skip_blanks();
        if self.take("(") {
            self.skip_blanks();
            self.expect(")", self.at)?;
        }
        self.skip_blanks_and_lines()?;
        let body = Rc::new(self.deeper(Self::command)?);
        Ok(Command { form: Form::Function { name, body }, redirects: Vec::new() })
    }

    fn assignment(&mut self) -> Parse<Option<Assignment>> {
        let begin = self.at;
        if !self.peek().is_some_and(starts_name) {
            return Ok(None);
        }
        let name = self.name();
        let mut index = None;
        if self.looking_at("[") {
            let Some(close) = self.closing_bracket() else {
                self.at = begin;
                return Ok(None);
            };
            self.at += 1;
            index = Some(self.within(close, Self::quoted_until_end)?);
            self.at = close + 1;
        }
        let how = if self.take("+=") {
            Assign::Extend
        } else if self.take("=") {
            Assign::Replace
        } else {
            self.at = begin;
            return Ok(None);
        };
        let value = self.assigned()?;
        Ok(Some(Assignment { name, index, how, value }))
    }

    /// The closing bracket of the `[` here, if an assignment follows.
    fn closing_bracket(&self) -> Option<usize> {
        let mut open = 0_usize;
        for at in self.at..self.end {
            match self.text.chars.get(at)? {
                '[' => open += 1,
                ']' => {
                    open -= 1;
                    if open == 0 {
                        let after = self.text.chars.get(at + 1);
                        return matches!(after, Some('=' | '+')).then_some(at);
                    }
                }
                '\n' | ';' => return None,
                _ => {}
            }
        }
        None
    }

    pub(super) fn name(&mut self) -> String {
        let begin = self.at;
        while self.peek().is_some_and(in_name) {
            self.at += 1;
        }
        self.text.chars[begin..self.at].iter().collect()
    }

    /// The reserved word here, if it is a whole word.
    pub(super) fn keyword(&self) -> Option<&'static str> {
        const KEYWORDS: [&str; 22] = [
            "!", "{", "}", "[[", "if", "then", "elif", "else", "fi", "for", "while", "until", "do",
            "done", "case", "esac", "select", "function", "coproc", "time", "in", "]]",
        ];
        KEYWORDS.into_iter().find(|keyword| {
            self.looking_at(keyword) && self.peek_at(keyword.len()).is_none_or(is_meta)
        })
    }
}
