//! Lists, pipelines and simple commands.

use std::rc::Rc;

use super::parser::{Parse, Parser, in_name, is_meta, starts_name};
use crate::limits::COMMAND_NODES;
use crate::syntax::{AndOr, Assignment, Command, Form, List, Pipeline, RawWord, Simple};

const KEYWORDS: [&str; 22] = [
    "!", "{", "}", "[[", "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done",
    "case", "esac", "select", "function", "coproc", "time", "in", "]]",
];

impl Parser<'_> {
    pub(super) fn list(&mut self) -> Parse<List> {
        let mut list = List::new();
        self.deeper(|parser| parser.list_into(&mut list))?;
        Ok(list)
    }

    pub(super) fn list_until(&mut self, close: &str) -> Parse<List> {
        let list = self.list()?;
        self.expect(close)?;
        Ok(list)
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
        let closes = |keyword| {
            matches!(keyword, "}" | "then" | "elif" | "else" | "fi" | "do" | "done" | "esac")
        };
        matches!(self.peek(), None | Some(')' | ';')) || self.keyword().is_some_and(closes)
    }

    fn and_or(&mut self) -> Parse<AndOr> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        while let Some(operator) = self.take_any(&["&&", "||"]) {
            self.skip_blanks_and_lines()?;
            rest.push((operator == "||", self.pipeline()?));
        }
        let is_background = self.take("&");
        if self.looking_at(";") && !matches!(self.peek_at(1), Some(';' | '&')) && !is_background {
            self.at += 1;
        } else if !is_background && self.peek() != Some('\n') && !self.at_end_of_list() {
            return self.broken();
        }
        Ok(AndOr { first, rest, is_background })
    }

    fn pipeline(&mut self) -> Parse<Pipeline> {
        let mut is_negated = false;
        loop {
            self.skip_blanks();
            match self.keyword() {
                Some("!") => is_negated = !is_negated,
                Some("time") => {}
                _ => break,
            }
            self.take_any(&["!", "time -p", "time --", "time"]);
        }
        let mut stages = Vec::new();
        loop {
            stages.push(self.command()?);
            self.skip_blanks();
            if self.looking_at("||") || self.take_any(&["|&", "|"]).is_none() {
                return Ok(Pipeline { is_negated, stages });
            }
            self.skip_blanks_and_lines()?;
        }
    }

    pub(super) fn command(&mut self) -> Parse<Command> {
        self.count(COMMAND_NODES)?;
        self.skip_blanks();
        self.command = self.at;
        let begin = self.at;
        let mut form = self.compound()?;
        let mut simple = Simple::default();
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            if let Some(redirection) = self.redirection()? {
                redirects.push(redirection);
            } else if form.is_some() {
                break;
            } else if self.looking_at("(") {
                let [word] = simple.words.as_slice() else { return self.broken() };
                form = Some(self.function(word.plain().unwrap_or_default().to_owned())?);
            } else if self.at_operator() {
                break;
            } else if (simple.words.is_empty() || simple.declares())
                && let Some(assignment) = self.assignment()?
            {
                simple.assignments.push(assignment);
            } else {
                simple.words.push(self.word()?);
            }
        }
        if self.at == begin {
            return self.broken();
        }
        Ok(Command { form: form.unwrap_or(Form::Simple(simple)), redirects })
    }

    /// Parses `()` and the body of a function.
    pub(super) fn function(&mut self, name: String) -> Parse<Form> {
        self.skip_blanks();
        if self.take("(") {
            self.skip_blanks();
            self.expect(")")?;
        }
        self.skip_blanks_and_lines()?;
        Ok(Form::Function { name, body: Rc::new(self.deeper(Self::command)?) })
    }

    fn assignment(&mut self) -> Parse<Option<Assignment>> {
        let begin = self.at;
        let name = self.take_while(in_name);
        let index = self.index(&['\n', ';'])?;
        let operator = self.take_any(&["+=", "="]);
        let Some(operator) = operator.filter(|_| name.starts_with(starts_name)) else {
            self.at = begin;
            return Ok(None);
        };
        let value = match self.peek() {
            Some('(') => RawWord { parts: vec![self.array()?] },
            _ => self.word()?,
        };
        Ok(Some(Assignment { name, index, extends: operator == "+=", value }))
    }

    /// `[key]`, if an assignment follows it.
    pub(super) fn index(&mut self, stops: &[char]) -> Parse<Option<RawWord>> {
        if self.looking_at("[")
            && let Some(close) = self.closing(self.at + 1, ['[', ']'], stops)
            && matches!(self.text.chars[..self.end].get(close + 1), Some('=' | '+'))
        {
            self.at += 1;
            return self.quoted_up_to(close, 1).map(Some);
        }
        Ok(None)
    }

    /// The reserved word here, if it is a whole word.
    pub(super) fn keyword(&self) -> Option<&'static str> {
        // One character more than the longest of them.
        let start = self.text.chars[..self.end].iter().skip(self.at).take(9);
        let length = start.take_while(|c| !is_meta(**c)).count();
        KEYWORDS.into_iter().find(|one| one.len() == length && self.looking_at(one))
    }

    /// Consumes a reserved word.
    pub(super) fn take_keyword(&mut self, keyword: &str) -> bool {
        self.keyword() == Some(keyword) && self.take(keyword)
    }
}
