//! The time limits of a run, for `--dry-run`.

use std::time::Duration;

use engine::{PromptOptions, StoryOptions, TimeLimit};
use serde_json::{Map, Value, json};
use tasks::ReviewPolicy;

/// Limits by name.
pub(super) struct LimitsInEffect(Vec<(&'static str, TimeLimit)>);

impl LimitsInEffect {
    pub(super) fn of_stories(options: &StoryOptions) -> Self {
        let limits = &options.run.limits;
        let review = match options.review {
            ReviewPolicy::Required { .. } => Some(("review", limits.review)),
            ReviewPolicy::Skipped => None,
        };
        let quality = options.quality.as_ref().map(|_| ("quality", limits.quality));
        let all = [Some(("session", limits.implement)), review, Some(("check", limits.check))];
        let memory = options.memory.as_ref().map(|_| ("memory", limits.memory));
        let all = all.into_iter().chain([quality, memory, Some(("run", limits.run))]);
        Self(all.flatten().collect())
    }

    pub(super) fn of_prompt(options: &PromptOptions) -> Self {
        let limits = &options.run.limits;
        let all = [("session", limits.implement), ("check", limits.check), ("run", limits.run)];
        Self(all.into())
    }

    /// `Time limits (warns/ends): session 12m/20m, run -/1h`.
    pub(super) fn line(&self) -> String {
        let text = |(name, limit): &(&str, TimeLimit)| match (limit.soft, limit.hard) {
            (None, None) => format!("{name} none"),
            (soft, hard) => {
                let [soft, hard] = [soft, hard].map(|time| time.map_or("-".into(), format_time));
                format!("{name} {soft}/{hard}")
            }
        };
        let texts: Vec<String> = self.0.iter().map(text).collect();
        format!("Time limits (warns/ends): {}", texts.join(", "))
    }

    pub(super) fn json(&self) -> Value {
        let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64());
        let one = |(name, limit): &(&str, TimeLimit)| {
            let (soft, hard) = (seconds(limit.soft), seconds(limit.hard));
            ((*name).to_owned(), json!({ "softSeconds": soft, "hardSeconds": hard }))
        };
        Value::Object(self.0.iter().map(one).collect::<Map<_, _>>())
    }
}

/// In the format of the settings.
pub(super) fn format_time(time: Duration) -> String {
    humantime::format_duration(time).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_says_when_it_warns_and_when_it_ends() {
        let hard = |seconds| TimeLimit { soft: None, hard: Some(Duration::from_secs(seconds)) };
        let limits = LimitsInEffect(vec![
            ("session", TimeLimit::minutes(12, 20)),
            ("check", hard(90)),
            ("run", TimeLimit::default()),
        ]);
        let line = "Time limits (warns/ends): session 12m/20m, check -/1m 30s, run none";
        assert_eq!(limits.line(), line);
        assert_eq!(limits.json()["check"], json!({ "softSeconds": null, "hardSeconds": 90.0 }));
    }
}
