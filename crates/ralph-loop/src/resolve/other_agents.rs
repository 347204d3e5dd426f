//! Turns `agent.fallbacks` and `escalation` into agents that can be started, and the candidates' clones.

use std::path::Path;

use anyhow::Result;
use engine::{AgentOptions, CandidateOptions, HelpOptions};
use project::Layout;
use settings::LoadedSettings;

use crate::command_error::precondition;
use crate::resolve::{AgentRole, agent, lanes_dir};

/// The agents with these commands. `program` is the path from `--agent-program`.
fn others(
    commands: &[String],
    loaded: &LoadedSettings,
    program: Option<&Path>,
    root: &Path,
) -> Result<Vec<AgentOptions>> {
    let of_command = |command: &String| agent(AgentRole::Other(command), loaded, program, root);
    commands.iter().map(of_command).collect()
}

/// The agents that get a session if another one is at its usage limit.
pub(crate) fn fallbacks(
    loaded: &LoadedSettings,
    program: Option<&Path>,
    root: &Path,
) -> Result<Vec<AgentOptions>> {
    others(&loaded.settings.agent.fallbacks, loaded, program, root)
}

/// Help for a story before it is given up.
pub(crate) fn help(
    worker: &AgentOptions,
    loaded: &LoadedSettings,
    program: Option<&Path>,
    layout: &Layout,
) -> Result<HelpOptions> {
    let steps = &loaded.settings.escalation;
    if !steps.models.is_empty() && !worker.agent.abilities().model {
        return Err(precondition(
            format!("escalation.models: {} has no option for the model", worker.name()),
            "name other agents in `escalation.agents` instead",
        ));
    }
    let agents = others(&steps.agents, loaded, program, layout.root())?;
    let candidates = candidates(loaded, layout)?;
    Ok(HelpOptions { models: steps.models.clone(), agents, candidates })
}

fn candidates(loaded: &LoadedSettings, layout: &Layout) -> Result<Option<CandidateOptions>> {
    let (count, lanes) = (loaded.settings.escalation.candidates, &loaded.settings.lanes);
    if count == 0 {
        return Ok(None);
    }
    let dir = lanes_dir(loaded, layout)?;
    Ok(Some(CandidateOptions { count, dir, setup: lanes.setup.clone() }))
}
