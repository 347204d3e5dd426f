//! `ralph-loop doctor`.

use std::process::ExitCode;

use agents::Agent;
use settings::Settings;

use super::{Done, layout, print};
use crate::cli::DoctorArgs;
use crate::command_error::CommandError;
use crate::doctor::{AgentWalls, Checkup, render};
use crate::{display, resolve};

/// Something stands in the way of a run.
const UNWELL: u8 = 1;

pub(crate) fn doctor(args: &DoctorArgs) -> Done {
    let layout = layout(&args.project)?;
    let loaded = resolve::settings(&layout, &args.flags())?;
    let machine = resolve::Machine::new(&loaded.settings, &layout)?;
    let isolation = agents(&loaded.settings)
        .into_iter()
        .map(|agent| AgentWalls::of(agent.name(), machine.wanted(), &machine.survey(agent)))
        .collect();
    let checkup = Checkup { isolation };
    if args.json {
        let json = serde_json::to_string_pretty(&checkup)
            .map_err(|error| CommandError::io("write JSON")(error.into()))?;
        print(&format!("{json}\n"));
    } else {
        let display = args.look.over(loaded.settings.display);
        print(&render(&checkup, &display::look(&display)));
    }
    Ok(if checkup.is_well() { ExitCode::SUCCESS } else { ExitCode::from(UNWELL) })
}

/// Everybody who would have a part in a run, each once.
fn agents(settings: &Settings) -> Vec<Agent> {
    let mut parts = vec![settings.agent.clone()];
    parts.extend((!settings.review.skip).then(|| settings.reviewer()));
    parts.extend(settings.quality.enabled.then(|| settings.quality_agent()));
    parts.extend(settings.memory.handoffs.then(|| settings.memory_agent()));
    let mut agents: Vec<Agent> = Vec::new();
    for kind in parts.iter().map(resolve::kind) {
        if !agents.contains(&kind) {
            agents.push(kind);
        }
    }
    agents
}
