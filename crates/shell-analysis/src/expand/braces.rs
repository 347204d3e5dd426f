//! Brace expansion: `{a,b}` and `{1..3}`.

use crate::shell::{Run, Shell};
use crate::syntax::{RawWord, WordPart};

const WORDS: usize = 2048;

impl Shell<'_> {
    /// The words that this one stands for.
    pub(super) fn braces(&mut self, raw: &RawWord) -> Run<Vec<RawWord>> {
        // Each unquoted character becomes a part of its own.
        let mut parts = Vec::new();
        for part in &raw.parts {
            match part {
                WordPart::Plain(text) => {
                    parts.extend(text.chars().map(|c| WordPart::Plain(c.into())));
                }
                part => parts.push(part.clone()),
            }
        }
        let (mut waiting, mut words) = (vec![parts], Vec::new());
        while let Some(parts) = waiting.pop() {
            let opens = parts.iter().filter(|part| plain(part) == Some("{")).count();
            self.spend((opens + 1) * parts.len())?;
            let Some((open, ends)) = first_group(&parts) else {
                words.push(joined(parts));
                continue;
            };
            let (start, after) = (&parts[..open], &parts[ends[ends.len() - 1] + 1..]);
            if words.len() + waiting.len() + ends.len() > WORDS {
                return Err(self.too_much());
            }
            self.spend(12 * parts.len() * ends.len())?;
            if ends.len() == 1 {
                // Of a sequence, any item is possible.
                waiting.push([start, &[WordPart::Plain("*".into())], after].concat());
                continue;
            }
            // The first alternative is taken first.
            for at in (0..ends.len()).rev() {
                let from = if at == 0 { open } else { ends[at - 1] } + 1;
                waiting.push([start, &parts[from..ends[at]], after].concat());
            }
        }
        Ok(words)
    }
}

fn joined(parts: Vec<WordPart>) -> RawWord {
    let mut word = RawWord::default();
    for part in parts {
        match (word.parts.last_mut(), part) {
            (Some(WordPart::Plain(text)), WordPart::Plain(more)) => text.push_str(&more),
            (_, part) => word.parts.push(part),
        }
    }
    word
}

fn plain(part: &WordPart) -> Option<&str> {
    match part {
        WordPart::Plain(text) => Some(text),
        _ => None,
    }
}

/// The first group: its opening brace, and the ends of its alternatives; a sequence has one end.
fn first_group(parts: &[WordPart]) -> Option<(usize, Vec<usize>)> {
    let opens = (0..parts.len()).filter(|at| plain(&parts[*at]) == Some("{"));
    opens.into_iter().find_map(|open| {
        let mut depth = 0;
        let mut ends = Vec::new();
        for (at, part) in parts.iter().enumerate().skip(open) {
            match plain(part) {
                Some("{") => depth += 1,
                Some("}") => depth -= 1,
                _ => {}
            }
            if depth == 0 || depth == 1 && plain(part) == Some(",") {
                ends.push(at);
            }
            if depth == 0 {
                let dots = |pair: &[WordPart]| pair.iter().all(|part| plain(part) == Some("."));
                let is_sequence = parts[open..at].windows(2).any(dots);
                return (ends.len() > 1 || is_sequence).then_some((open, ends));
            }
        }
        None
    })
}
