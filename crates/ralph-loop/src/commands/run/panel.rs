//! The further reviewers of a run. Two reviewers differ in their program or in their model: the same model would repeat
//! its own verdict.

use anyhow::Result;
use engine::AgentOptions;
use settings::Settings;

use crate::command_error::precondition;
use crate::resolve::AgentRole;

/// Without the first reviewer.
pub(super) fn panel(
    first: &AgentOptions,
    settings: &Settings,
    of_role: impl Fn(AgentRole) -> Result<AgentOptions>,
) -> Result<Vec<AgentOptions>> {
    let configured = settings.review.panel.len();
    let wanted = settings
        .review
        .reviewers
        .map_or(configured + 1, |wanted| usize::try_from(wanted).unwrap_or(usize::MAX));
    if wanted > configured + 1 {
        let found = match configured {
            0 => "only 1 is configured".to_owned(),
            more => format!("only {} are configured", more + 1),
        };
        return Err(precondition(
            format!("{wanted} reviewers must approve a story (review.reviewers), but {found}"),
            "add some to the settings, each with another agent or model: \
             {\"review\": {\"panel\": [{\"agent\": \"codex\"}, {\"model\": \"opus\"}]}}",
        ));
    }
    let mut reviewers: Vec<AgentOptions> = Vec::new();
    for place in 0..configured {
        let reviewer = of_role(AgentRole::Panel(place))?;
        if std::iter::once(first).chain(&reviewers).any(|other| is_same(other, &reviewer)) {
            let name = reviewer.name();
            let model = reviewer.model.map_or_else(String::new, |model| format!(" with {model}"));
            return Err(precondition(
                format!("review.panel[{place}]: {name}{model} is a reviewer already"),
                "give each reviewer another agent or another model",
            ));
        }
        reviewers.push(reviewer);
    }
    reviewers.truncate(wanted.saturating_sub(1));
    Ok(reviewers)
}

fn is_same(one: &AgentOptions, other: &AgentOptions) -> bool {
    (one.agent, &one.program, &one.model) == (other.agent, &other.program, &other.model)
}
