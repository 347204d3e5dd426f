//! The findings of a session that reviews a range of commits: a list in its final message. Without a valid list the
//! review is void, because silence approves nothing.

use events::{AgentOutcome, ReviewFinding};
use sanitize::line;
use serde_json::Value;

use crate::lane::prompt::AnswerFormat;
use crate::options::AgentOptions;
use crate::session::Session;

const SCHEMA: &str = include_str!("../../../../schemas/findings.schema.json");

/// Further findings are left out; the list begins with the most important ones.
pub(crate) const MOST_FINDINGS: usize = 10;

const LONGEST_TITLE: usize = 120;
const LONGEST_TEXT: usize = 2000;
const LONGEST_PATH: usize = 300;

/// The schema of the answer, if the agent enforces one.
pub(crate) fn answer_schema(agent: &AgentOptions) -> Option<&'static str> {
    match AnswerFormat::of(agent) {
        AnswerFormat::Schema => Some(SCHEMA),
        AnswerFormat::Block => None,
    }
}

/// The error says why there is no list that counts.
pub(crate) fn findings(session: &Session) -> Result<Vec<ReviewFinding>, String> {
    let conclusion = &session.conclusion;
    match conclusion.outcome {
        AgentOutcome::Answered => {}
        AgentOutcome::TimedOut => return Err("it reached its time limit".into()),
        _ if conclusion.detail.is_empty() => return Err("it did not end normally".into()),
        _ => return Err(line(&conclusion.detail)),
    }
    let structured = conclusion.result.as_ref().and_then(|result| result.structured.clone());
    let answer = structured.or_else(|| memory::closing_json(session.last_message(), "findings"));
    let list = answer.as_ref().and_then(|answer| answer.get("findings")?.as_array());
    let list = list.ok_or("its final message does not end with a list of findings")?;
    let read = |(number, value)| {
        finding(value).ok_or_else(|| format!("finding {number} has no title or no problem"))
    };
    (1..).zip(list).take(MOST_FINDINGS).map(read).collect()
}

/// An agent wrote it, after it read text of others: each text is one line of limited length.
fn finding(value: &Value) -> Option<ReviewFinding> {
    let text = |name: &str, most: usize| {
        let words: Vec<&str> = value.get(name)?.as_str()?.split_whitespace().collect();
        let text: String = line(&words.join(" ")).chars().take(most).collect();
        (!text.trim().is_empty()).then_some(text)
    };
    let file = text("file", LONGEST_PATH);
    Some(ReviewFinding {
        title: text("title", LONGEST_TITLE)?,
        text: text("problem", LONGEST_TEXT)?,
        line: value.get("line").and_then(Value::as_u64).filter(|line| *line > 0 && file.is_some()),
        file,
        story: None,
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use agents::{AgentResult, Ending};
    use serde_json::json;

    use super::*;
    use crate::session::Conclusion;

    fn session(outcome: AgentOutcome, text: &str, structured: Option<Value>) -> Session {
        let result = AgentResult {
            ending: Ending::Completed,
            text: text.into(),
            cost_usd: None,
            tokens: Default::default(),
            turns: None,
            duration: None,
            context_window: None,
            model: None,
            session_id: None,
            structured,
        };
        let conclusion = Conclusion {
            outcome,
            detail: String::new(),
            result: Some(result),
            resets_at: None,
            quota: None,
            completion: None,
            guard_missing: Vec::new(),
        };
        Session { conclusion, elapsed: Duration::ZERO }
    }

    fn answered(text: &str) -> Result<Vec<ReviewFinding>, String> {
        findings(&session(AgentOutcome::Answered, text, None))
    }

    #[test]
    fn the_list_closes_the_message() {
        assert_eq!(answered("Fine.\n\n```json\n{\"findings\": []}\n```\n"), Ok(vec![]));
        let found = answered(
            "{\"findings\": [{\"title\": \"a\\nb\\u001b[2J\", \"problem\": \"c\", \"file\": \"x.rs\", \"line\": 3}]}",
        );
        let found = found.unwrap().remove(0);
        assert_eq!((found.title.as_str(), found.place().as_str()), ("a b", "x.rs:3"));
    }

    #[test]
    fn anything_else_is_void() {
        for text in [
            "",
            "No findings.",
            "{\"findings\": []}\nBut see above.",
            "{\"findings\": \"none\"}",
            "{\"findings\": [{\"title\": \"a\"}]}",
            "{\"findings\": [{\"title\": \" \", \"problem\": \"b\"}]}",
            "{\"findings\": [7]}",
        ] {
            assert!(answered(text).is_err(), "{text}");
        }
        let list = Some(json!({"findings": []}));
        assert_eq!(findings(&session(AgentOutcome::Answered, "", list.clone())), Ok(vec![]));
        for outcome in [AgentOutcome::TimedOut, AgentOutcome::TurnLimit, AgentOutcome::Stopped] {
            assert!(findings(&session(outcome, "", list.clone())).is_err(), "{outcome:?}");
        }
    }

    #[test]
    fn count_and_length_are_limited() {
        let one = json!({"title": "t".repeat(500), "problem": "p ".repeat(5000), "line": -1});
        let list = json!({"findings": vec![one; 30]}).to_string();
        let found = answered(&list).unwrap();
        assert_eq!(found.len(), MOST_FINDINGS);
        assert_eq!((found[0].title.len(), found[0].line), (LONGEST_TITLE, None));
        assert!(found[0].text.len() <= LONGEST_TEXT);
    }
}
