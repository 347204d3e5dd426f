//! One place in the output at which the prompt may have begun to be echoed, and how far it got.

use super::letters::{After, QueuedOrder, is_line_end, letters};

/// So many words of the prompt's beginning are an echo wherever they stand; fewer can be chance.
const CERTAIN_WORDS: usize = 8;

/// As many letters are as certain: not every language has blanks.
const CERTAIN_LETTERS: usize = 48;

/// What stands before or after a line (a number, a time, a label) is short.
const DECORATION_LETTERS: usize = 48;
const DECORATION_WORDS: usize = 12;

/// Lines that one decoration takes where it is wrapped itself.
const DECORATION_LINES: usize = 3;

/// Lines within an echo that say nothing; with more it is none.
pub(super) const MOST_GAPS: usize = 1000;
const LONGEST_GAP: usize = 1000;

#[derive(Debug)]
pub(super) struct Prompt {
    letters: Vec<QueuedOrder>,
    /// The marks after its last letter.
    tail: String,
    /// Of as many letters nobody doubts that they are an echo.
    certain: usize,
    /// Lines without a letter, one after the other.
    most_empty_lines: usize,
}

#[derive(Debug)]
pub(super) struct Line<'t> {
    text: &'t str,
    letters: Vec<QueuedOrder>,
    /// Where that begins which was written over the rest of the line, as progress is told.
    redrawn: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Nothing but an echo came before: here already a part of the prompt is one.
    Beginning,
    Later,
}

#[derive(Debug)]
pub(super) struct Reading {
    place: Place,
    /// The number of the line where it began, and of the last one that was the prompt's.
    pub(super) began: usize,
    pub(super) last: usize,
    heard: usize,
    /// Lines that said nothing since.
    empty: usize,
    decorated: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// Up to this letter the line is the prompt's.
    Took(usize),
    Waits,
    Over,
}

/// A part of a line that is the prompt's next part.
struct Match {
    heard: usize,
    end: usize,
    place: Place,
}

impl Prompt {
    pub(super) fn of(text: &str) -> Self {
        let letters = letters(text);
        let mut word_ends = (1..).zip(&letters).filter(|(_, one)| one.after != After::QueuedOrder);
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

    pub(super) fn says_nothing(&self) -> bool {
        self.letters.is_empty()
    }

    /// What follows the first `heard` letters.
    fn after(&self, heard: usize) -> After {
        heard.checked_sub(1).map_or(After::LineEnd, |last| self.letters[last].after)
    }

    /// Where in a line the prompt goes on, with decoration around it or without.
    fn find(&self, line: &Line<'_>, from: usize, heard: usize) -> Option<Match> {
        let decoration = DECORATION_LETTERS.min(self.letters.len());
        let word_starts = (from..line.letters.len().min(from + decoration + 1))
            .filter(|at| *at == from || line.letters[at - 1].after != After::QueuedOrder)
            .take(DECORATION_WORDS + 1);
        let redrawn = (line.redrawn > from).then_some(line.redrawn);
        // The tag that an agent gives has nothing around it, and nothing of it is decoration.
        let most = if line.is_a_tag() { 1 } else { usize::MAX };
        word_starts.chain(redrawn).take(most).find_map(|at| self.goes_on(line, from, at, heard))
    }

    fn goes_on(&self, line: &Line<'_>, from: usize, at: usize, before: usize) -> Option<Match> {
        let (own, next) = (&line.letters[at..], &self.letters[before..]);
        let same = own.iter().zip(next).take_while(|(a, b)| a.same == b.same).count();
        let (heard, end) = (before + same, at + same);
        let last = line.letters.get(end.checked_sub(1)?)?.after;
        let left = line.letters.len() - end;
        let of_line = self.after(heard) == After::LineEnd;
        let whole_line =
            self.after(before) == After::LineEnd && of_line && last != After::QueuedOrder;
        let ends_well = left == 0
            || heard == self.letters.len()
            || (whole_line && left <= DECORATION_LETTERS && !line.is_a_tag());
        let plain = at == from
            && (left == 0 || heard == self.letters.len())
            && last != After::QueuedOrder
            && self.after(heard) != After::QueuedOrder;
        let place = if plain { Place::Beginning } else { Place::Later };
        (same > 0 && ends_well).then_some(Match { heard, end, place })
    }
}

impl<'t> Line<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let letters = letters(text);
        let before = letters.split_last().map_or(&[][..], |(_, before)| before);
        let redrawn = before.iter().rposition(|one| one.after == After::LineEnd);
        Self { text, redrawn: redrawn.map_or(0, |last| last + 1), letters }
    }

    /// What follows the end of the prompt, if that says anything.
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
        let words = self.letters.iter().filter(|one| one.after != After::QueuedOrder).count();
        self.letters.len() <= DECORATION_LETTERS && words <= DECORATION_WORDS && !self.is_a_tag()
    }
}

impl Reading {
    /// Begins with a line, from one of its letters on.
    pub(super) fn begin(
        prompt: &Prompt,
        line: &Line<'_>,
        from: usize,
        number: usize,
        place: Place,
    ) -> Option<(Self, Step)> {
        let found = prompt.find(line, from, 0)?;
        let place = if found.place == Place::Beginning { place } else { Place::Later };
        let mut reading =
            Self { place, began: number, last: number, heard: 0, empty: 0, decorated: 0 };
        let step = reading.take(prompt, line, number, &found);
        (step != Step::Over).then_some((reading, step))
    }

    pub(super) fn line(&mut self, prompt: &Prompt, line: &Line<'_>, number: usize) -> Step {
        match prompt.find(line, 0, self.heard) {
            Some(found) => self.take(prompt, line, number, &found),
            None => self.wait(prompt, line),
        }
    }

    pub(super) fn is_certain(&self, prompt: &Prompt) -> bool {
        self.place == Place::Beginning || self.heard >= prompt.certain || self.is_whole(prompt)
    }

    pub(super) fn is_whole(&self, prompt: &Prompt) -> bool {
        self.heard == prompt.letters.len()
    }

    fn take(&mut self, prompt: &Prompt, line: &Line<'_>, number: usize, found: &Match) -> Step {
        let certain = self.place == Place::Beginning || found.heard >= prompt.certain;
        if found.heard == prompt.letters.len() && found.end < line.letters.len() && !certain {
            return Step::Over;
        }
        (self.heard, self.last, self.empty, self.decorated) = (found.heard, number, 0, 0);
        Step::Took(found.end)
    }

    /// An empty line of the prompt can be nothing at all, or nothing but decoration.
    fn wait(&mut self, prompt: &Prompt, line: &Line<'_>) -> Step {
        self.empty += 1;
        let says_nothing = line.letters.is_empty();
        if !says_nothing {
            self.decorated += 1;
        }
        let is_gap = says_nothing
            || (line.may_be_decoration()
                && prompt.after(self.heard) == After::LineEnd
                && self.decorated <= DECORATION_LINES * (prompt.most_empty_lines + 1));
        let few = self.empty <= MOST_GAPS.max(prompt.most_empty_lines);
        if is_gap && few && line.text.len() <= LONGEST_GAP { Step::Waits } else { Step::Over }
    }
}
