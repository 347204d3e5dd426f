//! docs/agents.md says what the code says.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its own files has failed")]

use std::path::Path;

use agents::{Abilities, Ability, Agent};

fn page() -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/agents.md");
    std::fs::read_to_string(file).unwrap().replace("\r\n", "\n")
}

/// Every ability with its name for users. Taken apart, so that a new one cannot be forgotten.
fn columns(abilities: Abilities) -> [(&'static str, Ability); 14] {
    let Abilities {
        cost,
        tokens,
        session_id,
        model,
        hooks,
        structured_output,
        quota,
        usage_limits,
        max_turns,
        budget,
        answer_schema,
        own_servers,
        system_prompt_file,
        fallback_model,
    } = abilities;
    [
        ("cost", cost),
        ("tokens", tokens),
        ("session id", session_id),
        ("model", model),
        ("hooks", hooks),
        ("structured output", structured_output),
        ("quota", quota),
        ("limit reset", usage_limits),
        ("max turns", max_turns),
        ("budget", budget),
        ("answer schema", answer_schema),
        ("own servers", own_servers),
        ("system prompt", system_prompt_file),
        ("fallback model", fallback_model),
    ]
}

fn table() -> String {
    let names = columns(Agent::Claude.abilities()).map(|(name, _)| name);
    let mut table =
        format!("| agent | {} |\n|---{}|\n", names.join(" | "), "|---".repeat(names.len()));
    for agent in Agent::ALL {
        let cells = columns(agent.abilities()).map(|(_, ability)| match ability {
            Ability::Yes => "yes",
            Ability::No => "–",
        });
        table += &format!("| {agent} | {} |\n", cells.join(" | "));
    }
    table
}

#[test]
fn the_table_is_the_codes() {
    let table = table();
    assert!(page().contains(&table), "docs/agents.md should contain\n\n{table}");
}

#[test]
fn every_agent_has_a_section_that_says_how_to_get_it() {
    let page = page();
    for agent in Agent::ALL {
        let (_, section) = page.split_once(&format!("\n## {agent}\n")).unwrap();
        let section = section.split("\n## ").next().unwrap();
        let hint = agent.installed().hint;
        let source = hint.rsplit_once(' ').map_or(hint, |(_, source)| source);
        assert!(section.contains(source), "{agent}: {source}");
        if let agents::SignIn::Needed { variable, file, .. } = agent.sign_in() {
            assert!(section.contains(variable) && section.contains(file), "{agent}");
        }
    }
}
