//! Integer arithmetic with known values.

/// Limits the nesting.
const LONGEST: usize = 256;

/// The operators, the weakest first.
const LEVELS: [&[&str]; 3] = [&["+", "-"], &["*", "/", "%"], &["**"]];

/// Finds the value of a variable.
type Lookup<'v> = &'v mut dyn FnMut(&str) -> Option<String>;

/// `None` if a part is unknown or an operator is not supported.
pub(crate) fn evaluate(text: &str, variable: Lookup<'_>) -> Option<i64> {
    if text.len() > LONGEST {
        return None;
    }
    let mut reader = Reader { rest: text.trim(), variable };
    let value = reader.level(0)?;
    reader.rest.trim().is_empty().then_some(value)
}

struct Reader<'r> {
    rest: &'r str,
    variable: Lookup<'r>,
}

impl Reader<'_> {
    fn take(&mut self, operator: &str) -> bool {
        self.rest = self.rest.trim_start();
        let rest = self.rest.strip_prefix(operator);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn level(&mut self, level: usize) -> Option<i64> {
        let Some(operators) = LEVELS.get(level) else { return self.operand() };
        let mut left = self.level(level + 1)?;
        while let Some(operator) = operators.iter().find(|operator| self.take(operator)) {
            let right = self.level(level + 1)?;
            left = match *operator {
                "+" => left.checked_add(right),
                "-" => left.checked_sub(right),
                "*" => left.checked_mul(right),
                "/" => left.checked_div(right),
                "%" => left.checked_rem(right),
                _ => left.checked_pow(u32::try_from(right).ok()?),
            }?;
        }
        Some(left)
    }

    fn operand(&mut self) -> Option<i64> {
        if self.take("(") {
            let value = self.level(0)?;
            return self.take(")").then_some(value);
        }
        if self.take("-") {
            return self.operand()?.checked_neg();
        }
        let in_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '#';
        let length = self.rest.find(|c| !in_word(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(length);
        self.rest = rest;
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            return literal(word);
        }
        let value = (self.variable)(word)?;
        if value.is_empty() { Some(0) } else { literal(value.trim()) }
    }
}

fn literal(word: &str) -> Option<i64> {
    match word.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None if word.len() > 1 && word.starts_with('0') => i64::from_str_radix(word, 8).ok(),
        None => word.parse().ok(),
    }
}
