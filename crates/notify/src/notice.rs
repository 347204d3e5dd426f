//! A notification: the fields that `docs/notifications.md` documents.

use std::sync::LazyLock;

use project::env;
use regex::Regex;
use serde::{Serialize, Serializer};

use crate::{NoticeClass, NoticeKind};

/// The command that every notice recommends.
pub const NEXT: &str = "ralph-loop report";

/// Sanitized, without secrets: only [`crate::NotificationFilter`] and [`Notice::sample`] make one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// Unescaped; in JSON escaped for Slack.
    #[serde(serialize_with = "for_slack")]
    pub text: String,
    pub kind: NoticeKind,
    pub class: NoticeClass,
    #[serde(rename = "state", serialize_with = "run_state")]
    pub run_ended: bool,
    pub run: String,
    pub project: String,
    /// The id of the story that the notice is about.
    pub story: Option<String>,
    pub title: Option<String>,
    /// Finished stories; `None` in a prompt loop.
    pub done: Option<u64>,
    pub stories: Option<u64>,
    pub iterations: u64,
    /// `None` if no agent of the run reports its cost.
    pub cost_usd: Option<f64>,
    pub seconds: f64,
    /// Notices of this kind that were not sent since the last one.
    pub more: u64,
    pub next: &'static str,
}

impl Notice {
    /// A test notice.
    pub fn sample(kind: NoticeKind) -> Self {
        Self {
            text: format!("Ralph: test notification of the kind {kind}. Next: {NEXT}"),
            kind,
            class: kind.class(),
            run_ended: matches!(kind, NoticeKind::Finished | NoticeKind::Failed),
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

    /// Environment variables for a command, which then needs no JSON parser.
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

fn run_state<S: Serializer>(run_ended: &bool, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(if *run_ended { "over" } else { "goes-on" })
}

/// Slack notifies a whole channel for `<!here>`, and for `@here` if it links names.
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
        Notice { text: text.into(), ..Notice::sample(NoticeKind::Stuck) }
    }

    #[test]
    fn slack_markup_and_mentions_in_the_text_are_escaped() {
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
    fn a_command_gets_the_unescaped_text() {
        let variables = with_text("a < b").variables();
        assert!(variables.contains(&("RALPH_NOTICE_TEXT", "a < b".into())), "{variables:?}");
        assert!(variables.contains(&("RALPH_NOTICE_KIND", "stuck".into())), "{variables:?}");
        assert!(variables.contains(&("RALPH_NOTICE_CLASS", "needs-attention".into())));
    }

    #[test]
    fn kinds_and_classes_have_the_same_name_in_json() {
        for &kind in NoticeKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.to_string());
            assert_eq!(serde_json::to_value(kind.class()).unwrap(), kind.class().to_string());
        }
    }
}
