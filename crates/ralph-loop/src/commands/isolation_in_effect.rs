//! The isolation of each agent of a run and of its checks, for `--dry-run`.

use engine::{AgentOptions, CheckSandbox};
use events::CHECKS;
use isolation::Isolation;
use serde_json::{Value, json};

use crate::report::format::isolation_text;

/// Distinct pairs of agent and isolation.
pub(super) struct IsolationInEffect(Vec<(String, Isolation)>);

impl IsolationInEffect {
    pub(super) fn of<'o>(
        agents: impl IntoIterator<Item = &'o AgentOptions>,
        checks: &CheckSandbox,
    ) -> Self {
        let mut all = Vec::new();
        for options in agents {
            let isolation = (options.name(), options.isolation.chosen.kind());
            if !all.contains(&isolation) {
                all.push(isolation);
            }
        }
        let checks = match checks {
            CheckSandbox::Used(sandbox) => sandbox.backend.kind(),
            CheckSandbox::Missing(_) | CheckSandbox::Off => Isolation::Open,
        };
        all.push((CHECKS.to_owned(), checks));
        Self(all)
    }

    /// `Isolation of claude: os: …`, each in a line.
    pub(super) fn lines(&self) -> String {
        let line = |(agent, isolation): &(String, Isolation)| {
            let inside = match isolation {
                Isolation::Docker | Isolation::Container => "; the command below runs inside it",
                _ => "",
            };
            format!("Isolation of {agent}: {}{inside}\n", isolation_text(agent, *isolation))
        };
        self.0.iter().map(line).collect()
    }

    pub(super) fn json(&self) -> Value {
        let one = |(agent, isolation): &(String, Isolation)| {
            if *agent == CHECKS {
                return json!({ "agent": agent, "isolation": isolation });
            }
            let runs_in = match isolation {
                Isolation::Docker | Isolation::Container => "sandbox",
                _ => "host",
            };
            json!({ "agent": agent, "isolation": isolation, "commandRunsIn": runs_in })
        };
        self.0.iter().map(one).collect()
    }
}
