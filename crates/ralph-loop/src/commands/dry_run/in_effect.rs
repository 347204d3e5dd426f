//! The time limits and the isolation of a run, for `--dry-run`.

use std::time::Duration;

use engine::{AgentOptions, CheckSandbox, PromptOptions, RunOptions, StoryOptions, TimeLimit};
use events::CHECKS;
use isolation::Isolation;
use serde_json::{Map, Value, json};
use tasks::ReviewPolicy;

use crate::report::format::isolation_text;

/// What applies to every iteration.
pub(super) struct InEffect {
    limits: Vec<(&'static str, TimeLimit)>,
    /// Distinct pairs of agent and isolation, then the checks.
    isolation: Vec<(String, Isolation)>,
}

impl InEffect {
    pub(super) fn of_stories(options: &StoryOptions) -> Self {
        let limits = &options.run.limits;
        let has_reviews = matches!(options.review, ReviewPolicy::Required { .. });
        let limits = [
            ("session", limits.implement, true),
            ("review", limits.review, has_reviews),
            ("check", limits.check, true),
            ("quality", limits.quality, options.quality.is_some()),
            ("memory", limits.memory, options.memory.is_some()),
            ("run", limits.run, true),
        ];
        Self::of(&limits, options.agents(), &options.run)
    }

    pub(super) fn of_prompt(PromptOptions { run, .. }: &PromptOptions) -> Self {
        let limits = [
            ("session", run.limits.implement, true),
            ("check", run.limits.check, true),
            ("run", run.limits.run, true),
        ];
        Self::of(&limits, [&run.agent], run)
    }

    fn of<'o>(
        limits: &[(&'static str, TimeLimit, bool)],
        agents: impl IntoIterator<Item = &'o AgentOptions>,
        run: &RunOptions,
    ) -> Self {
        let used = limits.iter().filter(|(_, _, is_used)| *is_used);
        let limits = used.map(|(name, limit, _)| (*name, *limit)).collect();
        let mut isolation = Vec::new();
        for options in agents {
            let of_agent = (options.name(), options.isolation.chosen.kind());
            if !isolation.contains(&of_agent) {
                isolation.push(of_agent);
            }
        }
        let checks = match &run.checks {
            CheckSandbox::Used(sandbox) => sandbox.backend.kind(),
            CheckSandbox::Missing(_) | CheckSandbox::Off => Isolation::Open,
        };
        isolation.push((CHECKS.to_owned(), checks));
        Self { limits, isolation }
    }

    /// `Time limits (warns/ends): session 12m/20m, run -/1h`, then `Isolation of claude: os: …`, each in a line.
    pub(super) fn lines(&self) -> String {
        let limit = |(name, limit): &(&str, TimeLimit)| match (limit.soft, limit.hard) {
            (None, None) => format!("{name} none"),
            (soft, hard) => {
                let text = |time| humantime::format_duration(time).to_string();
                let [soft, hard] = [soft, hard].map(|time| time.map_or("-".into(), text));
                format!("{name} {soft}/{hard}")
            }
        };
        let limits: Vec<String> = self.limits.iter().map(limit).collect();
        let isolation = self.isolation.iter().map(|(agent, isolation)| {
            let inside = match runs_inside(*isolation) {
                true => "; the command below runs inside it",
                false => "",
            };
            format!("Isolation of {agent}: {}{inside}\n", isolation_text(agent, *isolation))
        });
        let limits = format!("Time limits (warns/ends): {}\n", limits.join(", "));
        [limits].into_iter().chain(isolation).collect()
    }

    pub(super) fn limits_json(&self) -> Value {
        let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64());
        let one = |(name, limit): &(&str, TimeLimit)| {
            let (soft, hard) = (seconds(limit.soft), seconds(limit.hard));
            ((*name).to_owned(), json!({ "softSeconds": soft, "hardSeconds": hard }))
        };
        Value::Object(self.limits.iter().map(one).collect::<Map<_, _>>())
    }

    pub(super) fn isolation_json(&self) -> Value {
        let one = |(agent, isolation): &(String, Isolation)| {
            let mut json = json!({ "agent": agent, "isolation": isolation });
            if *agent != CHECKS {
                json["commandRunsIn"] =
                    if runs_inside(*isolation) { "sandbox" } else { "host" }.into();
            }
            json
        };
        self.isolation.iter().map(one).collect()
    }
}

/// Whether the agent's command line is for the inside of the sandbox.
fn runs_inside(isolation: Isolation) -> bool {
    matches!(isolation, Isolation::Docker | Isolation::Container)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_says_when_it_warns_and_when_it_ends() {
        let hard = |seconds| TimeLimit { soft: None, hard: Some(Duration::from_secs(seconds)) };
        let limits = vec![
            ("session", TimeLimit::minutes(12, 20)),
            ("check", hard(90)),
            ("run", TimeLimit::default()),
        ];
        let effect = InEffect { limits, isolation: Vec::new() };
        let line = "Time limits (warns/ends): session 12m/20m, check -/1m 30s, run none\n";
        assert_eq!(effect.lines(), line);
        let json = json!({ "softSeconds": null, "hardSeconds": 90.0 });
        assert_eq!(effect.limits_json()["check"], json);
    }
}
