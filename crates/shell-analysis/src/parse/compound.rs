//! Compound commands.

use super::parser::{Parse, Parser, in_name};
use crate::syntax::{AndOr, Command, Form, List, Pipeline, RawWord};

impl Parser<'_> {
    /// The compound command here, if any.
    pub(super) fn compound(&mut self) -> Parse<Option<Form>> {
        if let Some(inner) = self.arithmetic()? {
            return Ok(Some(Form::Expression(vec![inner])));
        }
        if self.take("(") {
            return Ok(Some(Form::Subshell(self.list_until(")")?)));
        }
        let Some(keyword) = self.keyword() else { return Ok(None) };
        self.at += keyword.len();
        self.skip_blanks();
        Ok(Some(match keyword {
            "{" => Form::Group(self.list_until("}")?),
            "[[" => self.condition()?,
            "if" => self.conditional()?,
            "while" | "until" => {
                let condition = self.list()?;
                Form::While { condition, body: self.body()?, is_until: keyword == "until" }
            }
            "for" | "select" => self.over_items()?,
            "case" => self.case()?,
            "function" => {
                let name = self.word()?.plain().unwrap_or_default().to_owned();
                self.function(name)?
            }
            "coproc" => self.coprocess()?,
            _ => return self.broken(),
        }))
    }

    fn conditional(&mut self) -> Parse<Form> {
        let mut arms = Vec::new();
        loop {
            let condition = self.list_until("then")?;
            arms.push((condition, self.list()?));
            if !self.take("elif") {
                let otherwise = if self.take("else") { self.list()? } else { List::new() };
                self.expect("fi")?;
                return Ok(Form::If { arms, otherwise });
            }
        }
    }

    /// `do … done`
    fn body(&mut self) -> Parse<List> {
        self.skip_blanks();
        self.take(";");
        self.skip_blanks_and_lines()?;
        self.expect("do")?;
        self.list_until("done")
    }

    fn over_items(&mut self) -> Parse<Form> {
        let begin = self.at;
        if let Some(header) = self.arithmetic()? {
            let text: String = self.text.chars[begin + 2..self.at - 2].iter().collect();
            let condition = match text.split(';').nth(1).map(str::trim) {
                Some("" | "1" | "true") => List::new(),
                _ => expression(vec![header]),
            };
            return Ok(Form::While { condition, body: self.body()?, is_until: false });
        }
        let name = self.take_while(in_name);
        self.skip_blanks_and_lines()?;
        let mut items = None;
        if self.take_keyword("in") {
            let words = items.insert(Vec::new());
            self.skip_blanks();
            while !self.at_operator() {
                words.push(self.word()?);
                self.skip_blanks();
            }
        }
        Ok(Form::For { name, items, body: self.body()? })
    }

    fn case(&mut self) -> Parse<Form> {
        let mut words = vec![self.word()?];
        self.skip_blanks_and_lines()?;
        self.expect("in")?;
        let mut arms = Vec::new();
        loop {
            self.skip_blanks_and_lines()?;
            if self.take_keyword("esac") {
                arms.push((expression(words), List::new()));
                return Ok(Form::If { arms, otherwise: List::new() });
            }
            self.take("(");
            loop {
                self.skip_blanks();
                words.push(self.word()?);
                self.skip_blanks();
                if self.take(")") {
                    break;
                }
                self.expect("|")?;
            }
            arms.push((expression(std::mem::take(&mut words)), self.list()?));
            let ended = self.take_any(&[";;&", ";;", ";&", ";|"]).is_some();
            if !ended && self.keyword() != Some("esac") {
                return self.broken();
            }
        }
    }

    /// The words of `[[`; its operators do not matter here.
    fn condition(&mut self) -> Parse<Form> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks_and_lines()?;
            if self.take_keyword("]]") {
                return Ok(Form::Expression(words));
            }
            if !self.at_operator() {
                words.push(self.word()?);
            } else if self.take_any(&["(", ")", "&", "|", "<", ">"]).is_none() {
                return self.broken();
            }
        }
    }

    fn coprocess(&mut self) -> Parse<Form> {
        let begin = self.at;
        let is_keyword = self.keyword().is_some();
        let mut name = self.take_while(in_name);
        self.skip_blanks();
        let is_named = self.looking_at("(") || self.keyword() == Some("{");
        if is_keyword || name.is_empty() || !is_named {
            self.at = begin;
            name = "COPROC".to_owned();
        }
        Ok(Form::Coprocess { name, command: Box::new(self.deeper(Self::command)?) })
    }
}

/// A list that only expands these words.
fn expression(words: Vec<RawWord>) -> List {
    let command = Command { form: Form::Expression(words), redirects: Vec::new() };
    let first = Pipeline { is_negated: false, stages: vec![command] };
    vec![AndOr { first, rest: Vec::new(), is_background: false }]
}
