//! Removes the echoed prompt from the output. Many programs print their prompt first, and the prompt contains the
//! completion marker.
//!
//! It compares letters and digits, not bytes: an echo can be wrapped, indented, framed or quoted, and each line can
//! have a number, a time or a label.

use std::collections::VecDeque;

use super::echo_candidate::{EchoCandidate, LineMatch, OutputLine, Prompt};

/// A prompt that repeats its own start can match at several positions.
const MOST_CANDIDATES: usize = 4;

#[derive(Debug)]
pub(super) struct Echo {
    prompt: Prompt,
    /// So far the output is only an echo.
    at_beginning: bool,
    candidates: Vec<EchoCandidate>,
    /// Lines that may be an echo, in order, and the number of lines before them.
    undecided: VecDeque<Undecided>,
    decided: usize,
}

#[derive(Debug, PartialEq, Eq)]
enum Undecided {
    Own(String),
    Echo,
}

impl Echo {
    pub(super) fn of(prompt: &str) -> Self {
        Self {
            prompt: Prompt::of(prompt),
            at_beginning: true,
            candidates: Vec::new(),
            undecided: VecDeque::new(),
            decided: 0,
        }
    }

    /// Takes one line of the output. Returns the lines that are certainly not an echo.
    pub(super) fn line(&mut self, text: &str) -> Vec<String> {
        if self.prompt.is_empty() {
            return vec![text.to_owned()];
        }
        let line = OutputLine::of(text);
        self.undecided.push_back(Undecided::Own(text.to_owned()));
        let mut from = 0;
        // After the end of the prompt an answer can follow, or the prompt again.
        while let Some(end) = self.read(&line, from) {
            from = end;
        }
        let once_more = self.candidates.iter().any(|candidate| candidate.is_certain(&self.prompt));
        if !once_more
            && let Some(rest) = line.rest(from, &self.prompt)
            && let Some(last) = self.undecided.back_mut()
        {
            *last = Undecided::Own(rest.to_owned());
        }
        let own = self.decide();
        if own.iter().any(|line| line.contains(char::is_alphanumeric)) {
            self.at_beginning = false;
        }
        own
    }

    /// At the end of the output: the pending lines that are not an echo.
    pub(super) fn finish(&mut self) -> Vec<String> {
        self.candidates.clear();
        self.decide()
    }

    /// Matches the last line from one of its letters on. Returns the letter at which the prompt ends.
    fn read(&mut self, line: &OutputLine<'_>, from: usize) -> Option<usize> {
        let number = self.decided + self.undecided.len() - 1;
        let mut candidates = std::mem::take(&mut self.candidates);
        let mut end = None;
        candidates.retain_mut(|candidate| match candidate.line(&self.prompt, line, number) {
            LineMatch::Matched(to) => {
                self.mark(candidate);
                end = end.or(candidate.is_whole(&self.prompt).then_some(to));
                true
            }
            LineMatch::Gap => true,
            LineMatch::Mismatch => false,
        });
        if end.is_none()
            && candidates.len() < MOST_CANDIDATES
            && let Some((candidate, LineMatch::Matched(to))) =
                EchoCandidate::begin(&self.prompt, line, from, number, self.at_beginning)
        {
            self.mark(&candidate);
            end = candidate.is_whole(&self.prompt).then_some(to);
            candidates.push(candidate);
        }
        if end.is_none() {
            self.candidates = candidates;
        }
        end
    }

    /// Marks the lines of a certain match as an echo.
    fn mark(&mut self, candidate: &EchoCandidate) {
        if candidate.is_certain(&self.prompt) {
            let first = candidate.began.saturating_sub(self.decided);
            let last = candidate.last - self.decided;
            self.undecided.range_mut(first..=last).for_each(|line| *line = Undecided::Echo);
        }
    }

    fn decide(&mut self) -> Vec<String> {
        let open =
            self.candidates.iter().map(|candidate| match candidate.is_certain(&self.prompt) {
                true => candidate.last + 1,
                false => candidate.began,
            });
        let end = open.min().map_or(self.undecided.len(), |first| first - self.decided);
        self.decided += end;
        let own = self.undecided.drain(..end).filter_map(|line| match line {
            Undecided::Own(line) => Some(line),
            Undecided::Echo => None,
        });
        own.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::echo_candidate::MOST_GAPS;
    use super::*;

    const PROMPT: &str = "Fix the login.\n\n* Run the tests\nWhen all is done, print\n\
                          <promise>COMPLETE</promise>\n";

    fn own(prompt: &str, output: &str) -> Vec<String> {
        let mut echo = Echo::of(prompt);
        let mut own: Vec<_> = output.lines().flat_map(|line| echo.line(line)).collect();
        own.extend(echo.finish());
        own
    }

    #[test]
    fn an_echo_as_it_is() {
        assert!(own(PROMPT, PROMPT).is_empty());
        assert_eq!(own(PROMPT, &format!("{PROMPT}Working.")), ["Working."]);
        assert_eq!(own(PROMPT, &format!("{PROMPT}{PROMPT}ok")), ["ok"], "twice");
    }

    #[test]
    fn an_echo_in_another_form() {
        let quoted = "> Fix the login.\n>\n> • Run the tests\n> When all is\n> done, print\n\
                      > <promise>COMPLETE</promise>\nok";
        assert_eq!(own(PROMPT, quoted), ["ok"]);
        let labelled = format!("Model 7\n-------\nUser: {PROMPT}\nok");
        assert_eq!(own(PROMPT, &labelled), ["Model 7", "-------", "", "ok"]);
    }

    #[test]
    fn a_part_of_the_prompt_at_the_beginning() {
        let part = "Fix the login.\n* Run the tests\n[cut]\nok";
        assert_eq!(own(PROMPT, part), ["[cut]", "ok"]);
        let before_its_end = "Fix the login.\n\nRun the tests\nWhen all is done, print";
        assert!(own(PROMPT, before_its_end).is_empty());
    }

    #[test]
    fn an_answer_on_the_line_where_the_echo_ends() {
        let prompt = "Say when it is done: <promise>COMPLETE</promise>\nQ: is it?";
        let output = format!("{prompt} No.\nStill not");
        assert_eq!(own(prompt, &output), ["No.", "Still not"]);
        let prompt = PROMPT.trim_end();
        assert_eq!(own(prompt, &format!("{prompt}{prompt}Done")), ["Done"], "twice");
        assert!(own(prompt, &format!("{prompt}{prompt}")).is_empty(), "twice");
    }

    #[test]
    fn later_words_of_the_prompt_are_no_echo() {
        let output = "Done.\nFix the login.\nwas easy\n\n<promise>COMPLETE</promise>";
        assert_eq!(own(PROMPT, output).join("\n"), output);
        assert_eq!(own(PROMPT, "<promise>COMPLETE</promise>"), ["<promise>COMPLETE</promise>"]);
        assert_eq!(own("go", "ok\nlet's go on"), ["ok", "let's go on"]);
    }

    #[test]
    fn a_word_that_starts_like_the_prompt_is_no_echo() {
        assert_eq!(own("OKR pages: list them", "OK"), ["OK"]);
        assert_eq!(own("go", "going on"), ["going on"]);
        assert_eq!(own(PROMPT, "Fix the login. Was easy."), ["Fix the login. Was easy."]);
    }

    #[test]
    fn each_line_with_something_around_it() {
        let around: [fn(usize, &str) -> String; 8] = [
            |_, line| format!(">{line}"),
            |_, line| format!("+{line}"),
            |_, line| format!("[12:00:01] {line}"),
            |at, line| format!("2026-01-01T12:00:{at:02}.123Z INFO user: {line}"),
            |_, line| format!("user| {line}"),
            |at, line| format!("{at:6}\t{line}"),
            |at, line| format!("│ {line:<70} │ {at} │"),
            |at, line| if at == 1 { format!("Asked of model 7: {line}") } else { line.into() },
        ];
        for around in around {
            let lines = (1..).zip(PROMPT.lines()).map(|(at, line)| around(at, line));
            let echo = lines.collect::<Vec<_>>().join("\n");
            let mut answer = own(PROMPT, &format!("{echo}\nDone.\n<promise>COMPLETE</promise>"));
            answer.retain(|line| !line.starts_with("│"));
            answer.retain(|line| !line.starts_with(char::is_numeric));
            assert_eq!(answer, ["Done.", "<promise>COMPLETE</promise>"], "{echo}");
        }
    }

    #[test]
    fn broken_anywhere_and_in_capitals() {
        for width in 20..60 {
            let chars: Vec<char> = PROMPT.to_uppercase().chars().collect();
            let broken: Vec<String> =
                chars.chunks(width).map(|part| part.iter().collect()).collect();
            let own = own(PROMPT, &broken.join("\n"));
            assert!(own.iter().all(|line| line.trim_matches(['<', '>']).is_empty()), "{own:?}");
        }
    }

    #[test]
    fn written_over_another_line_or_with_carriage_returns() {
        let returns = PROMPT.trim_end().replace('\n', "\r");
        assert!(own(&returns, &returns).is_empty());
        let over = format!("{}\r{PROMPT}ok", "waiting for an answer ".repeat(20));
        assert_eq!(own(PROMPT, &over), ["ok"]);
    }

    #[test]
    fn a_title_like_the_first_line_hides_no_echo() {
        let prompt = "Plan\nPlan\nWrite it.\n<promise>COMPLETE</promise>";
        assert!(own(prompt, &format!("Plan\n{prompt}")).is_empty());
        assert_eq!(
            own(prompt, &format!("Go:\n1\n2\n3\nPlan\n{prompt}"))[..],
            ["Go:", "1", "2", "3"]
        );
    }

    #[test]
    fn a_long_line_before_the_echo_does_not_hide_it() {
        let long = "Read all of this page with care before anything else is done by you at all.";
        let prompt = format!("{long}\n{long}\nWrite it.\n<promise>COMPLETE</promise>");
        assert!(own(&prompt, &format!("{long}\n{prompt}")).is_empty());
    }

    #[test]
    fn something_after_some_of_its_lines() {
        let echo =
            PROMPT.replace("login.\n", "login. (1 of 5)\n").replace("tests\n", "tests | 3\n");
        assert_eq!(own(PROMPT, &format!("{echo}ok")), ["ok"]);
    }

    #[test]
    fn a_tag_that_is_given_after_a_part_of_the_prompt() {
        let output = "Fix the login.\n<promise>COMPLETE</promise>";
        assert_eq!(own(PROMPT, output), ["<promise>COMPLETE</promise>"]);
        let promised = "Fix it.\nPromise: done is done.\n<promise>COMPLETE</promise>";
        assert_eq!(
            own(promised, "Fix it.\n<promise>COMPLETE</promise>"),
            ["<promise>COMPLETE</promise>"]
        );
    }

    #[test]
    fn most_of_a_prompt_is_an_echo_at_any_position() {
        let output = "Banner\nFix the login.\nRun the tests\nWhen all is\n[cut]\nok";
        assert_eq!(own(PROMPT, output), ["Banner", "[cut]", "ok"]);
    }

    #[test]
    fn pending_lines_are_bounded() {
        let mut echo = Echo::of(PROMPT);
        assert_eq!(echo.line("ok"), ["ok"]);
        assert!(echo.line("Fix the login.").is_empty());
        let given = (0..3 * MOST_GAPS).map(|_| echo.line("").len()).sum::<usize>();
        assert!(given > MOST_GAPS, "{given}");
    }

    #[test]
    fn no_prompt_no_echo() {
        assert_eq!(own("", "a\n\nb"), ["a", "", "b"]);
        assert_eq!(own(" * ", "* a"), ["* a"]);
    }
}
