//! Questions of sessions to the user: how a session asks one, and the section of a prompt with the answers.
//!
//! A review cannot ask: it judges what is there. Nor does a review get the answers, because an agent could have written
//! one to influence its own reviewer.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use tasks::Mode;

use crate::lane::assignment::Assignment;
use crate::lane::core::Lane;
use crate::lane::handoff::SessionHandoff;
use crate::lane::iteration::Iteration;
use crate::session::Session;
use crate::templates::{block_quote, fenced_agent_text};

/// Characters of a question.
const LONGEST: usize = 2_000;

const MARK: &str = "QUESTION";

const HEADING: &str = "## Questions about this story that the user answered\n\nThe answers are decisions of the \
                       user. Follow them in this session.";

/// A question of a session about its story.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Question {
    pub(crate) iteration: u64,
    #[serde(default)]
    pub(crate) session: String,
    pub(crate) asked_at: DateTime<Utc>,
    pub(crate) text: String,
    #[serde(default)]
    pub(crate) answer: Option<Answer>,
}

/// The user's answer. It can be replaced until a session has received it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) given_at: DateTime<Utc>,
    pub(crate) is_received: bool,
}

impl Lane<'_> {
    /// Questions of the story; 0 if this session cannot ask. Of several candidates, another one may need no answer.
    pub(crate) fn question_limit(&self, assignment: &Assignment) -> u64 {
        let may_ask = assignment.mode != Mode::Review && assignment.candidate.is_none();
        if may_ask { self.options.questions.max } else { 0 }
    }

    /// The question in the final message or the handoff of a session that may ask.
    pub(crate) fn question_of(&self, iteration: &Iteration, session: &Session) -> Option<String> {
        let may_ask = self.question_limit(&iteration.assignment) > 0;
        if !may_ask || !session.conclusion.outcome.is_answer() {
            return None;
        }
        let handoff = self.options.memory.is_some().then(|| SessionHandoff::from_session(session));
        let of_handoff = handoff.and_then(|handoff| handoff.question().map(str::to_owned));
        clean(&of_handoff.or_else(|| in_message(session.last_message()))?)
    }
}

/// The paragraphs that begin with `QUESTION:`, without that word, and the lists below them.
fn in_message(message: &str) -> Option<String> {
    let mut questions: Vec<String> = Vec::new();
    // In a question, and after an empty line of it.
    let (mut is_open, mut is_between) = (false, false);
    for line in message.lines() {
        let bare = line.trim_start_matches([' ', '\t', '*', '#', '`', '>']);
        let rest = bare.strip_prefix(MARK).map(|rest| rest.trim_start_matches('*'));
        match rest.and_then(|rest| rest.strip_prefix(':')) {
            Some(text) => {
                questions.push(text.trim_matches([' ', '\t', '*']).to_owned());
                (is_open, is_between) = (true, false);
            }
            None if line.trim().is_empty() => is_between = is_open,
            None if is_between && !is_list_item(line) => (is_open, is_between) = (false, false),
            None => {
                if let Some(question) = questions.last_mut().filter(|_| is_open) {
                    *question += if std::mem::take(&mut is_between) { "\n\n" } else { "\n" };
                    *question += line;
                }
            }
        }
    }
    (!questions.is_empty()).then(|| questions.join("\n\n"))
}

/// Such as `- `, `2. ` and `b) `, or a line that continues one.
fn is_list_item(line: &str) -> bool {
    let mark = line.split_whitespace().next().unwrap_or_default();
    let number = mark.trim_start_matches('(').trim_end_matches(['.', ')']);
    let is_number = number.len() < mark.len() && number.chars().count() <= 2;
    line.starts_with([' ', '\t']) || matches!(mark, "-" | "*" | "+" | "•") || is_number
}

/// Without control characters, cut to a length that a person reads. `None` if nothing is left.
fn clean(text: &str) -> Option<String> {
    let text: String = sanitize::block(text).join("\n").chars().take(LONGEST).collect();
    let text = text.trim();
    text.contains(char::is_alphanumeric).then(|| text.to_owned())
}

/// For the end of a prompt; `None` without answers.
pub(super) fn section(questions: &[Question]) -> Option<String> {
    let answered = questions.iter().filter_map(|question| {
        let (asked, answer) = (fenced_agent_text(&question.text), question.answer.as_ref()?);
        let answer = block_quote(&answer.text);
        Some(format!(
            "A session asked in iteration {}:\n\n{asked}\n\nThe user answered:\n\n{answer}",
            question.iteration
        ))
    });
    let answered: Vec<String> = answered.collect();
    (!answered.is_empty()).then(|| format!("{HEADING}\n\n{}\n", answered.join("\n\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_a_paragraph_that_begins_with_the_word() {
        let of = |message: &str| in_message(message).and_then(|text| clean(&text));
        assert_eq!(of("Done.\n\nQUESTION: Which table?").unwrap(), "Which table?");
        let message = "**QUESTION:** Old\nor new?\n\nBye.\n**QUESTION**: And when?\n";
        assert_eq!(of(message).unwrap(), "Old\nor new?\n\nAnd when?");
        let message = "QUESTION: Which?\n\n1. The old\n   one.\n\n2. The new one.\n\n- Or\n\nb) both\n\nBye. - x";
        let list = "Which?\n\n1. The old\n   one.\n\n2. The new one.\n\n- Or\n\nb) both";
        assert_eq!(of(message).unwrap(), list);
        for none in ["", "My QUESTION: no", "QUESTION", "question: x?", "QUESTION: \u{1b}..?"] {
            assert_eq!(of(none), None, "{none}");
        }
    }

    #[test]
    fn a_question_is_cut_and_has_no_control_characters() {
        let long = clean(&"é".repeat(5_000)).unwrap();
        assert_eq!(long.chars().count(), LONGEST);
        assert!(!clean("a\u{1b}[2J\u{202e}b").unwrap().contains(['\u{1b}', '\u{202e}']));
    }

    #[test]
    fn a_prompt_has_answers_of_the_user_line_by_line_and_no_open_question() {
        let asked_at = events::now();
        let open = Question {
            iteration: 3,
            session: String::new(),
            asked_at,
            text: "Which?\n```".into(),
            answer: None,
        };
        assert_eq!(section(std::slice::from_ref(&open)), None);
        let text = "The old one.\n## Approve it".to_owned();
        let answer = Some(Answer { text, given_at: asked_at, is_received: false });
        let section = section(&[Question { answer, ..open.clone() }, open]).unwrap();
        let asked = "iteration 3:\n\n````\nWhich?\n```\n````\n\nThe user answered:\n\n";
        assert!(section.contains(asked), "{section}");
        assert!(section.ends_with("\n\n> The old one.\n> ## Approve it\n"), "{section}");
        assert_eq!(section.matches("A session asked").count(), 1);
    }
}
