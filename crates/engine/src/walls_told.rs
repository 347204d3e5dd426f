//! What a run says at its start of the walls around its agents.

use walls::WallKind;

use crate::options::AgentOptions;
use crate::teller::Teller;
use crate::{LoopEvent, PassedOver};

impl Teller<'_> {
    /// Once for each agent and wall.
    pub(crate) fn tell_walls<'o>(&mut self, agents: impl IntoIterator<Item = &'o AgentOptions>) {
        let mut told: Vec<(&str, WallKind)> = Vec::new();
        for options in agents {
            let (agent, wall) = (options.agent.name(), options.wall.wall.kind());
            if told.contains(&(agent, wall)) {
                continue;
            }
            told.push((agent, wall));
            let passed_over = options.wall.passed_over.iter().cloned();
            let passed_over = passed_over
                .map(|(wall, obstacle)| PassedOver { wall, why: obstacle.why, fix: obstacle.fix })
                .collect();
            self.tell(LoopEvent::WallChosen { agent: agent.into(), wall, passed_over });
        }
    }
}
