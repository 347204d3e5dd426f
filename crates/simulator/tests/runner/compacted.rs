//! Compaction with an MCP server from the npm registry, which only the session that compacts sees.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::{Value, json};
use simulator::{MEMORY_SERVER_PATH_VARIABLE, Request, Turn};

use crate::answers::{TOOL, answer, complete};
use crate::model;
use crate::stories::committed;
use crate::workshop::Workshop;

const ACCOUNT: &str = "Greets people, and never in capitals.";
const SKILL: &str = "Tests whisper.";
const COMPACTING: &str = "# Ralph: compact what earlier iterations left";

/// A file of servers with one of this name, and one that cannot be started. Claude Code fills in the
/// project.
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

/// Where the server lies: its sandbox shows what the settings name.
fn server_packages() -> PathBuf {
    let server = PathBuf::from(std::env::var(MEMORY_SERVER_PATH_VARIABLE).unwrap());
    let packages = server.ancestors().filter(|folder| folder.ends_with("node_modules")).last();
    packages.unwrap().to_path_buf()
}

/// A project where four files name servers: the loop's two, the project's and the user's own. Both
/// stories want a skill.
fn workshop(settings: &Value) -> Workshop {
    let workshop = Workshop::with_plugin();
    workshop.put(".ralph/mcp/memory.json", &servers("memory"));
    workshop.put(".mcp.json", &servers("projects"));
    let mut settings = settings.clone();
    settings["isolation"] = json!({"readablePaths": [server_packages()]});
    workshop.put(".ralph/settings.json", &settings.to_string());
    workshop.put(".ralph/skills/whispering.md", SKILL);
    let mut list = workshop.list();
    for story in list["userStories"].as_array_mut().unwrap() {
        story["skills"] = json!(["whispering"]);
    }
    workshop.put("ralph/tasks.json", &format!("{list:#}\n"));
    let home = workshop.home.path();
    std::fs::write(home.join(".claude.json"), servers("users")).unwrap();
    std::fs::create_dir(home.join(".claude")).unwrap();
    // Otherwise the first request may go out before the servers of user and project have started.
    let waiting = json!({"MCP_CONNECTION_NONBLOCKING": "false", "MCP_TIMEOUT": "120000"});
    let own = json!({"enableAllProjectMcpServers": true, "env": waiting});
    std::fs::write(home.join(".claude/settings.json"), own.to_string()).unwrap();
    workshop
}

/// What a session that compacts answers.
fn account(project_summary: &str) -> Turn {
    answer(json!({
        "project_summary": project_summary,
        "completed_work": [],
        "active_constraints": [],
        "architectural_decisions": [],
        "file_knowledge": [],
    }))
}

/// The servers whose tools the model is offered, or told to look for.
fn servers_seen(request: &Request) -> BTreeSet<&str> {
    let words = request.texts().into_iter().chain(request.tools());
    let named = words.flat_map(|text| text.split("mcp__").skip(1));
    let servers = named.map(|tool| tool.split("__").next().unwrap_or_default());
    // What Claude Code says about servers in general names them `<server>`.
    servers.filter(|name| name.chars().all(char::is_alphanumeric)).collect()
}

fn has_skill(request: &Request) -> bool {
    request.system_texts().iter().any(|text| text.contains(SKILL))
}

#[test]
#[ignore = "needs RALPH_TEST_CLAUDE and RALPH_TEST_MEMORY_SERVER"]
fn its_session_alone_has_the_server_and_the_next_one_is_told_the_account() {
    let memory = json!({"handoffs": true, "compactAfterIterations": 1});
    let workshop = workshop(&json!({"memory": memory}));
    let entity = json!({"name": "greet.sh", "entityType": "component", "observations": ["quiet"]});
    let remember = Turn::tool("mcp__memory__create_entities", json!({"entities": [entity]}));
    let model = model([
        vec![committed("echo 'echo Hello $1' >greet.sh"), complete("US-001", "It greets.")],
        vec![remember, answer(json!({"project": "greeter"})), account(ACCOUNT)],
        vec![committed("echo 'echo Bye' >bye.sh"), complete("US-002", "It takes its leave.")],
    ]);
    let told = workshop.run(&model, &["--skip-review"]);

    assert_eq!(told.exit_code, Some(0), "{told}");
    assert_eq!(told.each("compaction-ended", "outcome"), ["compacted"], "{told}");
    assert_eq!(told.each("handoff-saved", "source"), ["agent"; 2], "{told}");
    let graph = workshop.read(".ralph/memory/graph.jsonl");
    assert!(graph.contains("greet.sh") && graph.contains("quiet"), "{graph}");
    let kept: Value = serde_json::from_str(&workshop.read(".ralph/memory/compacted.json")).unwrap();
    assert_eq!(kept["project_summary"], ACCOUNT);

    let requests = model.requests();
    let compacting: Vec<_> = requests.iter().map(|it| it.mentions(COMPACTING) > 0).collect();
    assert_eq!(compacting, [false, false, true, true, true, false, false], "{told}");
    for (request, compacts) in requests.iter().zip(compacting) {
        let expected = if compacts { BTreeSet::from(["memory"]) } else { BTreeSet::new() };
        assert_eq!(servers_seen(request), expected);
        assert_eq!(has_skill(request), !compacts, "skills are for those who build");
        assert!(request.tools().contains(&TOOL));
    }
    assert!(requests[2].mentions("It greets.") > 0, "it gets the handoff whole");
    assert!(requests[4].mentions("required property 'project_summary'") > 0, "it has its shape");
    assert_eq!((requests[0].mentions(ACCOUNT), requests[5].mentions(ACCOUNT)), (0, 1));
    workshop.assert_figures_add_up(&told);
}

/// Without this, the other test would pass if Claude Code had not found them at all.
#[test]
#[ignore = "needs RALPH_TEST_CLAUDE and RALPH_TEST_MEMORY_SERVER"]
fn the_servers_of_user_and_project_are_seen_where_they_are_inherited() {
    let workshop = workshop(&json!({"mcpServers": "inherited"}));
    let model = model([vec![Turn::text("Hello.")]]);
    let told = workshop.run(&model, &["-n", "1"]);
    let requests = model.requests();
    let seen = requests.first().map(servers_seen).unwrap_or_default();
    assert_eq!(seen, BTreeSet::from(["projects", "users"]), "{told}");
}
