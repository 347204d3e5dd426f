//! Compound commands.

use super::{Parse, Parser, is_meta};
use crate::syntax::{Command, Form, List, RawWord};

impl Parser<'_> {
    /// The compound command here, if any.
    pub(super) fn compound(&mut self) -> Parse<Option<Form>> {
        let begin = self.at;
        if self.looking_at("((")
            && let Some(close) = self.arithmetic_close(self.at + 2)
        {
            return self.arithmetic_command(close).map(Some);
        }
        if self.take("(") {
            let body = self.list()?;
            self.expect(")", begin)?;
            return Ok(Some(Form::Subshell(body)));
        }
        let Some(keyword) = self.keyword() else { return Ok(None) };
        self.at += keyword.len();
        let form = match keyword {
            "{" => {
                let body = self.list()?;
                self.closing("}", begin)?;
                Form::Group(body)
            }
            "[[" => self.condition(begin)?,
            "if" => self.conditional(begin)?,
            "while" | "until" => self.repeated(keyword == "until", begin)?,
            "for" | "select" => self.over_items(begin)?,
            "case" => self.case(begin)?,
            "function" => {
                self.skip_blanks();
                let name = self.word()?;
                let name = name.plain().unwrap_or_default().to_owned();
                self.function_body(name)?.form
            }
            "coproc" => self.coprocess()?,
            _ => return Err(self.broken(begin)),
        };
        Ok(Some(form))
    }

    fn closing(&mut self, keyword: &str, opened: usize) -> Parse<()> {
        if self.keyword() == Some(keyword) {
            self.at += keyword.len();
            return Ok(());
        }
        Err(self.broken(opened))
    }

    fn arithmetic_command(&mut self, close: usize) -> Parse<Form> {
        self.at += 2;
        let inner = self.deeper(|parser| parser.within(close, Self::quoted_until_end))?;
        self.at = close + 2;
        Ok(Form::Arithmetic(inner))
    }

    fn conditional(&mut self, begin: usize) -> Parse<Form> {
        let mut arms = Vec::new();
        let mut otherwise = None;
        loop {
            let condition = self.list()?;
            self.closing("then", begin)?;
            let body = self.list()?;
            arms.push((condition, body));
            match self.keyword() {
                Some("elif") => self.at += 4,
                Some("else") => {
                    self.at += 4;
                    otherwise = Some(self.list()?);
                    self.closing("fi", begin)?;
                    break;
                }
                _ => {
                    self.closing("fi", begin)?;
                    break;
                }
            }
        }
        Ok(Form::If { arms, otherwise })
    }

    fn repeated(&mut self, is_until: bool, begin: usize) -> Parse<Form> {
        let condition = self.list()?;
        let body = self.body(begin)?;
        Ok(Form::While { condition, body, is_until })
    }

    /// `do … done`, or the `{ … }` that some shells accept instead.
    fn body(&mut self, begin: usize) -> Parse<List> {
        self.skip_blanks_and_lines()?;
        let close = match self.keyword() {
            Some("do") => "done",
            Some("{") => "}",
            _ => return Err(self.broken(begin)),
        };
        self.at += if close == "done" { 2 } else { 1 };
        let body = self.list()?;
        self.closing(close, begin)?;
        Ok(body)
    }

    fn over_items(&mut self, begin: usize) -> Parse<Form> {
        self.skip_blanks();
        if self.looking_at("((") {
            return self.counting(begin);
        }
        let name = self.name();
        self.skip_blanks_and_lines()?;
        let mut items = None;
        if self.keyword() == Some("in") {
            self.at += 2;
            items = Some(self.words_of_line()?);
        }
        self.skip_blanks();
        self.take(";");
        let body = self.body(begin)?;
        Ok(Form::For { name, items, body })
    }

    fn words_of_line(&mut self) -> Parse<Vec<RawWord>> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(c) if !is_meta(c) || self.at_process() => words.push(self.word()?),
                _ => return Ok(words),
            }
        }
    }

    fn counting(&mut self, begin: usize) -> Parse<Form> {
        let Some(close) = self.arithmetic_close(self.at + 2) else {
            return Err(self.broken(begin));
        };
        let text: String = self.text.chars[self.at + 2..close].iter().collect();
        let mut clauses = text.split(';');
        let is_endless = matches!(clauses.nth(1).map(str::trim), Some("" | "1" | "true"));
        let Form::Arithmetic(header) = self.arithmetic_command(close)? else {
            return Err(self.broken(begin));
        };
        self.skip_blanks();
        self.take(";");
        let body = self.body(begin)?;
        Ok(Form::Count { header, body, is_endless })
    }

    fn case(&mut self, begin: usize) -> Parse<Form> {
        self.skip_blanks();
        let subject = self.word()?;
        self.skip_blanks_and_lines()?;
        self.closing("in", begin)?;
        let mut arms = Vec::new();
        loop {
            self.skip_blanks_and_lines()?;
            if self.keyword() == Some("esac") {
                self.at += 4;
                return Ok(Form::Case { subject, arms });
            }
            self.take("(");
            let patterns = self.patterns(begin)?;
            let body = self.list()?;
            arms.push((patterns, body));
            if self.take(";;&") || self.take(";;") || self.take(";&") || self.take(";|") {
                continue;
            }
            if self.keyword() != Some("esac") {
                return Err(self.broken(begin));
            }
        }
    }

    fn patterns(&mut self, begin: usize) -> Parse<Vec<RawWord>> {
        let mut patterns = Vec::new();
        loop {
            self.skip_blanks();
            if self.peek().is_none_or(|c| is_meta(c) && c != '(') {
                return Err(self.broken(begin));
            }
            patterns.push(self.word()?);
            self.skip_blanks();
            if self.take(")") {
                return Ok(patterns);
            }
            self.expect("|", begin)?;
        }
    }

    /// The words of `[[`; its operators do not matter here.
    fn condition(&mut self, begin: usize) -> Parse<Form> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks_and_lines()?;
            match self.peek() {
                None => return Err(self.broken(begin)),
                Some(_) if self.keyword() == Some("]]") => {
                    self.at += 2;
                    return Ok(Form::Condition(words));
                }
                Some('<' | '>') if self.at_process() => words.push(self.word()?),
                Some('(' | ')' | '&' | '|' | '<' | '>') => self.at += 1,
                Some(';') => return Err(self.broken(begin)),
                Some(_) => words.push(self.word()?),
            }
        }
    }

    fn coprocess(&mut self) -> Parse<Form> {
        self.skip_blanks();
        let begin = self.at;
        let named = self.peek().is_some_and(super::starts_name) && self.keyword().is_none();
        let mut name = "COPROC".to_owned();
        if named {
            let own = self.name();
            self.skip_blanks();
            if self.looking_at("(") || self.keyword() == Some("{") {
                name = own;
            } else {
                self.at = begin;
            }
        }
        let command: Command = self.deeper(Self::command)?;
        Ok(Form::Coprocess { name, command: Box::new(command) })
    }
}
