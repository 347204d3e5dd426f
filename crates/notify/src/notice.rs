//! What is sent: the fields of `docs/notifications.md`, and nothing else.

use std::sync::LazyLock;

use project::env;
use regex::Regex;
use serde::{Serialize, Serializer};

use crate::{Class, Kind};

/// What to do about any of them first.
pub const NEXT: &str = "ralph-loop report";

/// Plain and without secrets: only [`crate::NotificationFilter`] and [`Notice::sample`] make one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// As it is; in JSON as Slack wants it.
    #[serde(serialize_with = "for_slack")]
    pub text: String,
    pub kind: Kind,
    pub class: Class,
    pub state: RunState,
    pub run: String,
    pub project: String,
    /// Its id, where the notice is about one.
    pub story: Option<String>,
    pub title: Option<String>,
    /// Stories; none in a prompt loop.
    pub done: Option<u64>,
    pub stories: Option<u64>,
    pub iterations: u64,
    /// None if no agent of the run reports it.
    pub cost_usd: Option<f64>,
    pub seconds: f64,
    /// Notices of this kind that were held back since the last one.
    pub more: u64,
    pub next: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunState {
    GoesOn,
    Over,
}

impl Notice {
    /// One to try the channels with.
    pub fn sample(kind: Kind) -> Self {
        let ends = matches!(kind, Kind::Finished | Kind::Failed);
        Self {
            text: format!("Ralph: this is a test notice of the kind {kind}. Next: {NEXT}"),
            kind,
            class: kind.class(),
            state: if ends { RunState::Over } else { RunState::GoesOn },
            run: "test".into(),
            project: "test".into(),
            story: None,
            title: None,
            done: None,
            stories: None,
            iterations: 0,
            cost_usd: Some(0.0),
            seconds: 0.0,
            more: 0,
            next: NEXT,
        }
    }

    /// One object on one line.
    pub fn to_json(&self) -> String {
        // Plain data with string keys always becomes JSON.
        serde_json::to_string(self).unwrap_or_default()
    }

    /// For a command, which need not read JSON then.
    pub fn variables(&self) -> [(&'static str, String); 6] {
        [
            (env::RALPH_NOTICE_TEXT, self.text.clone()),
            (env::RALPH_NOTICE_KIND, self.kind.to_string()),
            (env::RALPH_NOTICE_CLASS, self.class.to_string()),
            (env::RALPH_NOTICE_RUN, self.run.clone()),
            (env::RALPH_NOTICE_PROJECT, self.project.clone()),
            (env::RALPH_NOTICE_STORY, self.story.clone().unwrap_or_default()),
        ]
    }
}

/// `<!here>` would call everybody, and where links are made of names `@here` would too.
fn for_slack<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    static CALLS: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?i)@(channel|here|everyone|group)\b").ok());
    let quiet = CALLS.as_ref().map(|calls| calls.replace_all(text, "$1"));
    let quiet = quiet.as_deref().unwrap_or(text);
    let escaped = quiet.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    serializer.serialize_str(&escaped)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn with_text(text: &str) -> Notice {
        Notice { text: text.into(), ..Notice::sample(Kind::Stuck) }
    }

    #[test]
    fn nothing_in_the_text_is_markup_of_slack_or_calls_anybody() {
        let sent = |text: &str| {
            let json: Value = serde_json::from_str(&with_text(text).to_json()).unwrap();
            json["text"].as_str().unwrap().to_owned()
        };
        assert_eq!(sent("a < b && b > c"), "a &lt; b &amp;&amp; b &gt; c");
        assert_eq!(sent("<!here> &lt;"), "&lt;!here&gt; &amp;lt;");
        assert_eq!(sent("<http://x|y> <@U123>"), "&lt;http://x|y&gt; &lt;@U123&gt;");
        assert_eq!(
            sent("@channel, @HERE and me@hereby.example"),
            "channel, HERE and me@hereby.example"
        );
    }

    #[test]
    fn a_command_gets_the_text_as_it_is() {
        let variables = with_text("a < b").variables();
        assert!(variables.contains(&("RALPH_NOTICE_TEXT", "a < b".into())), "{variables:?}");
        assert!(variables.contains(&("RALPH_NOTICE_KIND", "stuck".into())), "{variables:?}");
        assert!(variables.contains(&("RALPH_NOTICE_CLASS", "needs-attention".into())));
    }

    /// The words of the enum and those in JSON are the same.
    #[test]
    fn kinds_and_classes_are_called_alike_everywhere() {
        for kind in Kind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.to_string());
            assert_eq!(serde_json::to_value(kind.class()).unwrap(), kind.class().to_string());
        }
    }
}
