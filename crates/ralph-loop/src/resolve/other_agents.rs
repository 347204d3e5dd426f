//! Turns `agent.fallbacks` and `escalation` into agents that can be started, and the candidates' clones.

use anyhow::Result;
use engine::{AgentOptions, CandidateOptions, OtherAgents};
use project::Layout;
use settings::{LoadedSettings, Settings};

use crate::command_error::precondition;
use crate::resolve::lanes_dir;

/// `resolve` makes the agent of a program.
pub(crate) fn other_agents(
    settings: &Settings,
    worker: &AgentOptions,
    resolve: impl Fn(&str) -> Result<AgentOptions>,
) -> Result<OtherAgents> {
    let steps = &settings.escalation;
    if !steps.models.is_empty() && !worker.agent.abilities().model {
        return Err(precondition(
            format!("escalation.models: {} has no option for the model", worker.name()),
            "name other agents in `escalation.agents` instead",
        ));
    }
    let mut agents: Vec<AgentOptions> = Vec::new();
    let mut names = |commands: &[String]| -> Result<Vec<String>> {
        let mut names = Vec::new();
        for command in commands {
            let agent = resolve(command)?;
            let name = agent.name();
            if name != worker.name() && !agents.iter().any(|other| other.name() == name) {
                agents.push(agent);
            }
            names.push(name);
        }
        Ok(names)
    };
    let fallbacks = names(&settings.agent.fallbacks)?;
    let stronger = names(&steps.agents)?;
    Ok(OtherAgents { models: steps.models.clone(), stronger, fallbacks, agents, candidates: None })
}

/// Fresh attempts at a story before it is given up.
pub(crate) fn candidates(
    loaded: &LoadedSettings,
    layout: &Layout,
) -> Result<Option<CandidateOptions>> {
    let (count, lanes) = (loaded.settings.escalation.candidates, &loaded.settings.lanes);
    if count == 0 {
        return Ok(None);
    }
    let dir = lanes_dir(loaded, layout)?;
    Ok(Some(CandidateOptions { count, dir, setup: lanes.setup.clone() }))
}
