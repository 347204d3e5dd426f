//! One possible echo of the prompt: where it starts in the output, and how far it matches.

use super::letters::{After, Letter, is_line_end, letters};

/// So many words from the start of the prompt are an echo at any position; fewer can be chance.
const CERTAIN_WORDS: usize = 8;

/// As many letters are as certain, because not every language has blanks.
const CERTAIN_LETTERS: usize = 48;

/// Decoration around a line (a number, a time, a label) is short.
const DECORATION_LETTERS: usize = 48;
const DECORATION_WORDS: usize = 12;

/// The maximum number of lines of a wrapped decoration.
const DECORATION_LINES: usize = 3;

/// The maximum number of empty lines within an echo.
pub(super) const MOST_GAPS: usize = 1000;
const LONGEST_GAP: usize = 1000;

#[derive(Debug)]
pub(super) struct Prompt {
    letters: Vec<Letter>,
    /// The marks after its last letter.
    tail: String,
    /// After so many matching letters the echo is certain.
    certain: usize,
    /// The longest run of lines without a letter.
    most_empty_lines: usize,
}

#[derive(Debug)]
pub(super) struct OutputLine<'t> {
    text: &'t str,
    letters: Vec<Letter>,
    /// The start of the part that overwrites the rest of the line, as progress is shown.
    redrawn: usize,
}

#[derive(Debug)]
pub(super) struct EchoCandidate {
    /// Only an echo came before: a part of the prompt is enough.
    at_beginning: bool,
    /// The number of its first line, and of the last line that matched.
    pub(super) began: usize,
    pub(super) last: usize,
    matched: usize,
    /// Empty lines since the last match.
    empty: usize,
    decorated: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineMatch {
    /// The line matches up to this letter.
    Matched(usize),
    /// An empty or decorated line between matching lines.
    Gap,
    Mismatch,
}

/// A part of a line that matches the next part of the prompt.
struct Match {
    matched: usize,
    end: usize,
    /// Of whole words, without decoration.
    is_plain: bool,
}

impl Prompt {
    pub(super) fn of(text: &str) -> Self {
        let letters = letters(text);
        let mut word_ends = (1..).zip(&letters).filter(|(_, one)| one.after != After::Letter);
        let words = word_ends.nth(CERTAIN_WORDS - 1).map_or(usize::MAX, |(end, _)| end);
        let mut most_empty_lines = 0;
        let mut empty = 0;
        for line in text.lines().flat_map(|line| line.split(is_line_end)) {
            empty = if line.contains(char::is_alphanumeric) { 0 } else { empty + 1 };
            most_empty_lines = most_empty_lines.max(empty);
        }
        let tail = letters.last().map_or("", |last| text[last.end..].trim()).to_owned();
        Self { tail, certain: words.min(CERTAIN_LETTERS), most_empty_lines, letters }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.letters.is_empty()
    }

    /// What follows the first `matched` letters.
    fn after(&self, matched: usize) -> After {
        matched.checked_sub(1).map_or(After::LineEnd, |last| self.letters[last].after)
    }

    /// Where in a line the prompt continues, with or without decoration.
    fn find(&self, line: &OutputLine<'_>, from: usize, matched: usize) -> Option<Match> {
        let decoration = DECORATION_LETTERS.min(self.letters.len());
        let word_starts = (from..line.letters.len().min(from + decoration + 1))
            .filter(|at| *at == from || line.letters[at - 1].after != After::Letter)
            .take(DECORATION_WORDS + 1);
        let redrawn = (line.redrawn > from).then_some(line.redrawn);
        // A tag that the agent prints has nothing around it, and none of it is decoration.
        let most = if line.is_a_tag() { 1 } else { usize::MAX };
        word_starts.chain(redrawn).take(most).find_map(|at| self.continues(line, from, at, matched))
    }

    fn continues(
        &self,
        line: &OutputLine<'_>,
        from: usize,
        at: usize,
        before: usize,
    ) -> Option<Match> {
        let (own, next) = (&line.letters[at..], &self.letters[before..]);
        let same = own.iter().zip(next).take_while(|(a, b)| a.lower == b.lower).count();
        let (matched, end) = (before + same, at + same);
        let last = line.letters.get(end.checked_sub(1)?)?.after;
        let left = line.letters.len() - end;
        let of_line = self.after(matched) == After::LineEnd;
        let whole_line = self.after(before) == After::LineEnd && of_line && last != After::Letter;
        let ends_well = left == 0
            || matched == self.letters.len()
            || (whole_line && left <= DECORATION_LETTERS && !line.is_a_tag());
        let is_plain = at == from
            && (left == 0 || matched == self.letters.len())
            && last != After::Letter
            && self.after(matched) != After::Letter;
        (same > 0 && ends_well).then_some(Match { matched, end, is_plain })
    }
}

impl<'t> OutputLine<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let letters = letters(text);
        let before = letters.split_last().map_or(&[][..], |(_, before)| before);
        let redrawn = before.iter().rposition(|one| one.after == After::LineEnd);
        Self { text, redrawn: redrawn.map_or(0, |last| last + 1), letters }
    }

    /// The text after the end of the prompt, if any.
    pub(super) fn rest(&self, from: usize, prompt: &Prompt) -> Option<&'t str> {
        let last = self.letters.get(from.checked_sub(1)?)?;
        let rest = self.text[last.end..].trim_start();
        (from < self.letters.len()).then(|| rest.strip_prefix(&prompt.tail).unwrap_or(rest).trim())
    }

    fn is_a_tag(&self) -> bool {
        let text = self.text.trim();
        text.starts_with('<') && text.ends_with('>')
    }

    fn may_be_decoration(&self) -> bool {
        let words = self.letters.iter().filter(|one| one.after != After::Letter).count();
        self.letters.len() <= DECORATION_LETTERS && words <= DECORATION_WORDS && !self.is_a_tag()
    }
}

impl EchoCandidate {
    /// Starts at one of the letters of a line.
    pub(super) fn begin(
        prompt: &Prompt,
        line: &OutputLine<'_>,
        from: usize,
        number: usize,
        at_beginning: bool,
    ) -> Option<(Self, LineMatch)> {
        let found = prompt.find(line, from, 0)?;
        let at_beginning = at_beginning && found.is_plain;
        let mut candidate =
            Self { at_beginning, began: number, last: number, matched: 0, empty: 0, decorated: 0 };
        let line_match = candidate.take(prompt, line, number, &found);
        (line_match != LineMatch::Mismatch).then_some((candidate, line_match))
    }

    pub(super) fn line(
        &mut self,
        prompt: &Prompt,
        line: &OutputLine<'_>,
        number: usize,
    ) -> LineMatch {
        match prompt.find(line, 0, self.matched) {
            Some(found) => self.take(prompt, line, number, &found),
            None => self.gap(prompt, line),
        }
    }

    pub(super) fn is_certain(&self, prompt: &Prompt) -> bool {
        self.at_beginning || self.matched >= prompt.certain || self.is_whole(prompt)
    }

    pub(super) fn is_whole(&self, prompt: &Prompt) -> bool {
        self.matched == prompt.letters.len()
    }

    fn take(
        &mut self,
        prompt: &Prompt,
        line: &OutputLine<'_>,
        number: usize,
        found: &Match,
    ) -> LineMatch {
        let certain = self.at_beginning || found.matched >= prompt.certain;
        if found.matched == prompt.letters.len() && found.end < line.letters.len() && !certain {
            return LineMatch::Mismatch;
        }
        (self.matched, self.last, self.empty, self.decorated) = (found.matched, number, 0, 0);
        LineMatch::Matched(found.end)
    }

    /// An empty line of the prompt can be missing, or consist of decoration.
    fn gap(&mut self, prompt: &Prompt, line: &OutputLine<'_>) -> LineMatch {
        self.empty += 1;
        let has_letters = !line.letters.is_empty();
        if has_letters {
            self.decorated += 1;
        }
        let is_gap = !has_letters
            || (line.may_be_decoration()
                && prompt.after(self.matched) == After::LineEnd
                && self.decorated <= DECORATION_LINES * (prompt.most_empty_lines + 1));
        let few = self.empty <= MOST_GAPS.max(prompt.most_empty_lines);
        if is_gap && few && line.text.len() <= LONGEST_GAP {
            LineMatch::Gap
        } else {
            LineMatch::Mismatch
        }
    }
}
