//! Integer arithmetic with known values.

const DEPTH: usize = 32;

/// `None` if a part is unknown or an operator is not supported.
pub(crate) fn evaluate(
    text: &str,
    variable: &mut dyn FnMut(&str) -> Option<String>,
) -> Option<i64> {
    if text.len() > 1024 {
        return None;
    }
    let mut reader = Reader { rest: text.trim(), variable, depth: 0 };
    let value = reader.sum()?;
    reader.rest.trim().is_empty().then_some(value)
}

struct Reader<'r> {
    rest: &'r str,
    variable: &'r mut dyn FnMut(&str) -> Option<String>,
    depth: usize,
}

impl Reader<'_> {
    fn take(&mut self, operator: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(operator) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn sum(&mut self) -> Option<i64> {
        let mut value = self.product()?;
        loop {
            if self.take("+") {
                value = value.checked_add(self.product()?)?;
            } else if self.take("-") {
                value = value.checked_sub(self.product()?)?;
            } else {
                return Some(value);
            }
        }
    }

    fn product(&mut self) -> Option<i64> {
        let mut value = self.power()?;
        loop {
            if self.take("*") {
                value = value.checked_mul(self.power()?)?;
            } else if self.take("/") {
                value = value.checked_div(self.power()?)?;
            } else if self.take("%") {
                value = value.checked_rem(self.power()?)?;
            } else {
                return Some(value);
            }
        }
    }

    fn power(&mut self) -> Option<i64> {
        let base = self.number()?;
        if !self.take("**") {
            return Some(base);
        }
        base.checked_pow(u32::try_from(self.number()?).ok()?)
    }

    fn number(&mut self) -> Option<i64> {
        self.depth += 1;
        if self.depth > DEPTH {
            return None;
        }
        let value = self.operand();
        self.depth -= 1;
        value
    }

    fn operand(&mut self) -> Option<i64> {
        if self.take("(") {
            let value = self.sum()?;
            return self.take(")").then_some(value);
        }
        if self.take("-") {
            return self.number()?.checked_neg();
        }
        if self.take("+") {
            return self.number();
        }
        self.rest = self.rest.trim_start();
        let length = self.rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '#'));
        let (word, rest) = self.rest.split_at(length.unwrap_or(self.rest.len()));
        self.rest = rest;
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return literal(word);
        }
        let value = (self.variable)(word)?;
        if value.is_empty() { Some(0) } else { literal(value.trim()) }
    }
}

fn literal(word: &str) -> Option<i64> {
    if let Some(hex) = word.strip_prefix("0x").or(word.strip_prefix("0X")) {
        return i64::from_str_radix(hex, 16).ok();
    }
    if let Some((base, digits)) = word.split_once('#') {
        let base = base.parse().ok().filter(|base| (2..=36).contains(base))?;
        return i64::from_str_radix(digits, base).ok();
    }
    let octal = word.len() > 1 && word.starts_with('0');
    if octal { i64::from_str_radix(word, 8).ok() } else { word.parse().ok() }
}
