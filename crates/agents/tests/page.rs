//! Compares docs/agents.md with the code.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its own files has failed")]

use std::path::Path;

use agents::{Abilities, Agent};

fn page() -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/agents.md");
    std::fs::read_to_string(file).unwrap().replace("\r\n", "\n")
}

/// Every ability with its name for users. Destructured, so that a new one cannot be forgotten.
fn columns(abilities: Abilities) -> [(&'static str, bool); 14] {
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

#[test]
fn each_ability_names_the_agents_that_have_it() {
    let page = page();
    for (at, (name, _)) in columns(Agent::Claude.abilities()).into_iter().enumerate() {
        let able = Agent::ALL.iter().filter(|agent| columns(agent.abilities())[at].1);
        let able: Vec<String> = able.map(|agent| agent.to_string()).collect();
        let row = format!("\n| {name} | {} | ", able.join(", "));
        assert!(page.contains(&row), "docs/agents.md should contain {row}");
    }
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
