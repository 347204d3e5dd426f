//! Compaction with an MCP server from the npm registry, which only the compacting session sees.

use std::collections::BTreeSet;
use std::path::PathBuf;

use real_agents::MEMORY_SERVER_PATH_VARIABLE;
use serde_json::{Value, json};
use simulator::{Request, Turn};

use crate::answers::{TOOL, answer, complete};
use crate::model;
use crate::run_setup::RunSetup;
use crate::stories::committed;

const ACCOUNT: &str = "Greets people, and never in capitals.";
const SKILL: &str = "Tests whisper.";
const COMPACTING: &str = "# Ralph: compact the handoffs of earlier iterations";

/// An MCP configuration with this server and one that cannot start. Claude Code expands the project
/// variable.
fn servers(name: &str) -> String {
    let variable = MEMORY_SERVER_PATH_VARIABLE;
    let path = std::env::var(variable).unwrap_or_else(|_| {
        panic!("{variable} is not set: {variable}=$(scripts/fetch-memory-server.sh)")
    });
    let graph = "${RALPH_PROJECT_DIR}/.ralph/memory/graph.jsonl";
    let server = json!({"command": "node", "args": [path], "env": {"MEMORY_FILE_PATH": graph}});
    let missing = json!({"command": "ralph-has-no-such-program"});
    json!({"mcpServers": {name: server, "missing": missing}}).to_string()
}

/// The folder of the server, which the settings make readable in the sandbox.
fn server_packages() -> PathBuf {
    let server = PathBuf::from(std::env::var(MEMORY_SERVER_PATH_VARIABLE).unwrap());
    let packages = server.ancestors().filter(|folder| folder.ends_with("node_modules")).last();
    packages.unwrap().to_path_buf()
}

/// A project with four MCP configurations: two of the loop, the project's and the user's. Both
/// stories use a skill.
fn setup(settings: &Value) -> RunSetup {
    let setup = RunSetup::with_plugin();
    setup.put(".ralph/mcp/memory.json", &servers("memory"));
    setup.put(".mcp.json", &servers("projects"));
    let mut settings = settings.clone();
    settings["isolation"] = json!({"readablePaths": [server_packages()]});
    setup.put(".ralph/settings.json", &settings.to_string());
    setup.put(".ralph/skills/whispering.md", SKILL);
    let mut list = setup.list();
    for story in list["userStories"].as_array_mut().unwrap() {
        story["skills"] = json!(["whispering"]);
    }
    setup.put("ralph/tasks.json", &format!("{list:#}\n"));
    let home = setup.home.path();
    std::fs::write(home.join(".claude.json"), servers("users")).unwrap();
    std::fs::create_dir(home.join(".claude")).unwrap();
    // Otherwise the first request may precede the start of the user and project servers.
    let waiting = json!({"MCP_CONNECTION_NONBLOCKING": "false", "MCP_TIMEOUT": "120000"});
    let own = json!({"enableAllProjectMcpServers": true, "env": waiting});
    std::fs::write(home.join(".claude/settings.json"), own.to_string()).unwrap();
    setup
}

/// The answer of a compacting session.
fn account(project_summary: &str) -> Turn {
    answer(json!({
        "project_summary": project_summary,
        "completed_work": [],
        "active_constraints": [],
        "architectural_decisions": [],
        "file_knowledge": [],
    }))
}

/// The servers in the tools and texts of a request.
fn servers_seen(request: &Request) -> BTreeSet<&str> {
    let words = request.texts().into_iter().chain(request.tools());
    let named = words.flat_map(|text| text.split("mcp__").skip(1));
    let servers = named.map(|tool| tool.split("__").next().unwrap_or_default());
    // General texts of Claude Code use the name `<server>`.
    servers.filter(|name| name.chars().all(char::is_alphanumeric)).collect()
}

fn has_skill(request: &Request) -> bool {
    request.system_texts().iter().any(|text| text.contains(SKILL))
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE and RALPH_TEST_MEMORY_SERVER"]
fn only_its_session_has_the_server_and_the_next_one_gets_the_account() {
    let memory = json!({"handoffs": true, "compactAfterIterations": 1});
    let setup = setup(&json!({"memory": memory}));
    let entity = json!({"name": "greet.sh", "entityType": "component", "observations": ["quiet"]});
    let remember = Turn::tool("mcp__memory__create_entities", json!({"entities": [entity]}));
    let model = model([
        vec![committed("echo 'echo Hello $1' >greet.sh"), complete("US-001", "It greets.")],
        vec![remember, answer(json!({"project": "greeter"})), account(ACCOUNT)],
        vec![committed("echo 'echo Bye' >bye.sh"), complete("US-002", "It takes its leave.")],
    ]);
    let output = setup.run(&model, &["--skip-review"]);

    assert_eq!(output.exit_code, Some(0), "{output}");
    assert_eq!(output.each("compaction-ended", "outcome"), ["compacted"], "{output}");
    assert_eq!(output.each("handoff-saved", "source"), ["agent"; 2], "{output}");
    let graph = setup.read(".ralph/memory/graph.jsonl");
    assert!(graph.contains("greet.sh") && graph.contains("quiet"), "{graph}");
    let kept: Value = serde_json::from_str(&setup.read(".ralph/memory/compacted.json")).unwrap();
    assert_eq!(kept["project_summary"], ACCOUNT);

    let requests = model.requests();
    let compacting: Vec<_> = requests.iter().map(|it| it.mentions(COMPACTING) > 0).collect();
    assert_eq!(compacting, [false, false, true, true, true, false, false], "{output}");
    for (request, compacts) in requests.iter().zip(compacting) {
        let expected = if compacts { BTreeSet::from(["memory"]) } else { BTreeSet::new() };
        assert_eq!(servers_seen(request), expected);
        assert_eq!(has_skill(request), !compacts, "skills are for those who build");
        assert!(request.tools().contains(&TOOL));
    }
    assert!(requests[2].mentions("It greets.") > 0, "it gets the handoff whole");
    assert!(requests[4].mentions("required property 'project_summary'") > 0, "it has its shape");
    assert_eq!((requests[0].mentions(ACCOUNT), requests[5].mentions(ACCOUNT)), (0, 1));
    setup.assert_figures_add_up(&output);
}

/// Proves that Claude Code finds these servers at all.
#[test]
#[ignore = "needs RALPH_TEST_CLAUDE and RALPH_TEST_MEMORY_SERVER"]
fn inherited_servers_of_user_and_project_are_seen() {
    let setup = setup(&json!({"mcpServers": "inherited"}));
    let model = model([vec![Turn::text("Hello.")]]);
    let output = setup.run(&model, &["-n", "1"]);
    let requests = model.requests();
    let seen = requests.first().map(servers_seen).unwrap_or_default();
    assert_eq!(seen, BTreeSet::from(["projects", "users"]), "{output}");
}
