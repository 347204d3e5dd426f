//! The walls around the agents of a run, for whoever wants to see them before it begins.

use engine::{AgentOptions, CHECKS, CheckSandbox};
use serde_json::{Value, json};
use walls::WallKind;

use crate::report::words::wall_words;

/// Each agent with each wall once.
pub(super) struct WallsInEffect(Vec<(String, WallKind)>);

impl WallsInEffect {
    pub(super) fn of<'o>(
        agents: impl IntoIterator<Item = &'o AgentOptions>,
        checks: &CheckSandbox,
    ) -> Self {
        let mut walls = Vec::new();
        for options in agents {
            let wall = (options.name(), options.wall.wall.kind());
            if !walls.contains(&wall) {
                walls.push(wall);
            }
        }
        let checks = match checks {
            CheckSandbox::Used(sandbox) => sandbox.backend.kind(),
            CheckSandbox::Missing(_) | CheckSandbox::Off => WallKind::Open,
        };
        walls.push((CHECKS.to_owned(), checks));
        Self(walls)
    }

    /// `Isolation of claude: os: …`, each in a line.
    pub(super) fn lines(&self) -> String {
        let line = |(agent, wall): &(String, WallKind)| {
            let inside = match wall {
                WallKind::Docker | WallKind::Container => "; the command below is run in it",
                _ => "",
            };
            format!("Isolation of {agent}: {}{inside}\n", wall_words(agent, *wall))
        };
        self.0.iter().map(line).collect()
    }

    pub(super) fn json(&self) -> Value {
        let one = |(agent, wall): &(String, WallKind)| {
            if *agent == CHECKS {
                return json!({ "agent": agent, "wall": wall });
            }
            let runs_in = match wall {
                WallKind::Docker | WallKind::Container => "sandbox",
                _ => "host",
            };
            json!({ "agent": agent, "wall": wall, "commandRunsIn": runs_in })
        };
        self.0.iter().map(one).collect()
    }
}
