//! Estimates the number of tokens of a text by its kinds of characters.
//!
//! No tokenizer. The one it is calibrated with (o200k) takes 50 ms and more to load and 34 MB of
//! program, and the models use others; an approximate size is enough. Text is split as tokenizers do it (words at
//! spaces and camel-case humps, digits by three, signs in runs, line breaks with indentation). Each kind of run
//! has an average price.

/// One token, in the unit of [`weight`].
pub(crate) const WHOLE: u64 = 100;

/// Within a fifth of the tokenizer's count for prose, code, logs and data of some length.
pub fn tokens(text: &str) -> usize {
    whole(weight(text, None))
}

pub(crate) fn whole(weight: u64) -> usize {
    usize::try_from(weight.div_ceil(WHOLE)).unwrap_or(usize::MAX)
}

/// In hundredths of a token, for `text` after the character `before`. Weights add up if each text but the first
/// begins with a line break and each but the last ends with a character that is no white space.
pub(crate) fn weight(text: &str, before: Option<char>) -> u64 {
    let (mut rest, mut before, mut sum) = (text, before, 0);
    while let Some(first) = rest.chars().next() {
        let kind = CharKind::of(first);
        let (run, after) = rest.split_at(run_end(rest, kind));
        sum += kind.price(run, before, after.chars().next());
        before = run.chars().next_back();
        rest = after;
    }
    sum
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CharKind {
    Space,
    /// Of the Latin alphabet.
    Letter,
    Digit,
    Sign,
    Greek,
    /// Of the other alphabets.
    Foreign,
    /// Han, kana, hangul: dense characters.
    Syllable,
    /// Emoji and other rare characters.
    Rare,
}

impl CharKind {
    fn of(c: char) -> Self {
        match c {
            'a'..='z' | 'A'..='Z' => CharKind::Letter,
            '0'..='9' => CharKind::Digit,
            _ if c.is_ascii_graphic() => CharKind::Sign,
            _ if c.is_whitespace() => CharKind::Space,
            '\u{c0}'..='\u{24f}' if c.is_alphabetic() => CharKind::Letter,
            '\u{a1}'..='\u{bf}' | '\u{2010}'..='\u{2027}' => CharKind::Sign,
            '\u{2190}'..='\u{2193}' | '\u{2500}'..='\u{257f}' => CharKind::Sign,
            '\u{370}'..='\u{3ff}' => CharKind::Greek,
            '\u{400}'..='\u{1fff}' if c.is_alphanumeric() => CharKind::Foreign,
            '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' => CharKind::Syllable,
            '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ffef}' => CharKind::Syllable,
            _ => CharKind::Rare,
        }
    }

    fn price(self, run: &str, before: Option<char>, after: Option<char>) -> u64 {
        match self {
            CharKind::Space => space(run, before, after),
            CharKind::Letter => word(run, before),
            CharKind::Digit => 100 * (run.len() as u64).div_ceil(3),
            CharKind::Sign => signs(run, after),
            CharKind::Greek => 40 * count(run) + 30,
            CharKind::Foreign => 27 * count(run) + 28,
            CharKind::Syllable => 74 * count(run),
            CharKind::Rare => 180 * count(run),
        }
    }
}

/// A word ends before the next hump: `parseJson` is two.
fn run_end(text: &str, kind: CharKind) -> usize {
    let mut last = None;
    for (at, c) in text.char_indices() {
        let hump =
            kind == CharKind::Letter && last.is_some_and(char::is_lowercase) && c.is_uppercase();
        if hump || CharKind::of(c) != kind {
            return at;
        }
        last = Some(c);
    }
    text.len()
}

/// One space belongs to the word after it, unless that is a number. Line breaks are one token, or none after a
/// sign.
fn space(run: &str, before: Option<char>, after: Option<char>) -> u64 {
    let breaks = run.rfind('\n').map_or(0, |at| at + 1);
    let bare = run[..breaks].bytes().all(|byte| byte == b'\n');
    let behind_sign = before.is_some_and(|c| CharKind::of(c) == CharKind::Sign);
    let broken = if breaks == 0 || (bare && behind_sign) { 0 } else { 100 } + rows(breaks);
    let indent = run.len() - breaks;
    let free = if after.is_some_and(|c| c.is_ascii_digit()) { 0 } else { 1 };
    let indented = if indent > free { 100 } else { 0 } + rows(indent);
    broken + indented
}

/// Runs that are too long for one token.
fn rows(length: usize) -> u64 {
    100 * (length as u64 / 80)
}

/// Words of usual length are one token. Runs of capitals, and capitals among small letters, are names that
/// tokenizers do not know.
fn word(run: &str, before: Option<char>) -> u64 {
    let length = count(run);
    let capitals = run.chars().filter(|c| c.is_uppercase()).count() as u64;
    let stands_apart = before.is_none_or(char::is_whitespace);
    let more = match capitals {
        0 | 1 if stands_apart => 9 * length.saturating_sub(6),
        0 | 1 => 14 * length.saturating_sub(5),
        _ if capitals < length => 60 * (length - 2),
        _ => 40 * (length - 2),
    };
    let marked = match run.chars().max() {
        Some('\u{100}'..) => 180,
        Some('\u{80}'..) => 90,
        _ => 0,
    };
    100 + more + marked
}

/// A single sign often forms one token with the word after it; long runs form large pieces.
fn signs(run: &str, after: Option<char>) -> u64 {
    let length = count(run);
    if length == 1 && after.is_some_and(|c| CharKind::of(c) == CharKind::Letter) {
        return 42;
    }
    100 + 30 * length.saturating_sub(2).min(3) + 6 * length.saturating_sub(5)
}

fn count(run: &str) -> u64 {
    run.chars().count() as u64
}
