//! Lists of words for tables: a text is split when it is compiled, so that a table costs nothing when the program starts.

/// The words of a text, as `&'static [&'static str]`.
macro_rules! words {
    ($text:literal) => {{
        const TEXT: &str = $text;
        const WORDS: [&str; $crate::words::count(TEXT)] = $crate::words::split(TEXT);
        &WORDS
    }};
}

pub(crate) use words;

pub(crate) const fn count(text: &str) -> usize {
    let (mut rest, mut count) = (text.trim_ascii(), 0);
    while !rest.is_empty() {
        rest = rest.split_at(end(rest)).1.trim_ascii_start();
        count += 1;
    }
    count
}

pub(crate) const fn split<const COUNT: usize>(text: &'static str) -> [&'static str; COUNT] {
    let (mut rest, mut words, mut at) = (text.trim_ascii(), [""; COUNT], 0);
    while at < COUNT {
        let (word, after) = rest.split_at(end(rest));
        (words[at], rest) = (word, after.trim_ascii_start());
        at += 1;
    }
    words
}

/// Where the first word ends.
const fn end(text: &str) -> usize {
    let mut at = 0;
    while at < text.len() && !text.as_bytes()[at].is_ascii_whitespace() {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_text_is_split_at_blanks_and_lines() {
        const WORDS: &[&str] = words!(
            " rm  -rf
             été "
        );
        assert_eq!(WORDS, ["rm", "-rf", "été"]);
        assert_eq!(super::count(" \n"), 0);
    }
}
