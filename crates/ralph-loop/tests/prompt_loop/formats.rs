//! Completion in the stream of each agent: only its last message counts, not the repeated prompt or
//! the output of a tool.

use events::RunEnd;
use serde_json::json;

use crate::harness::Project;

const AGENTS: [&str; 7] = ["claude", "codex", "amp", "cline", "opencode", "gemini", "copilot"];

/// Removes every tag of the agent; those of the prompt stay, and the tool prints one.
const NOT_YET: &str = "sed -e 's|say <promise>COMPLETE</promise> when|say @ when|g' \
                       -e 's|<promise>COMPLETE</promise>|not yet|g' \
                       -e 's/@ when/<promise>COMPLETE<\\/promise> when/g' \
                       -e 's|hello-from-tool|<promise>COMPLETE</promise>|g'";

fn project(agent: &str, stream: &str) -> Project {
    let key = json!({"env": {"AMP_API_KEY": "none"}});
    Project::new().settings(&key).replaying(agent, stream)
}

#[test]
fn the_last_message_completes() {
    for agent in AGENTS {
        let project = project(agent, "completed");
        let run = project.run_as_it_is(&["prompt", "task.md", "1", "--agent", agent]);
        assert_eq!(run.code, Some(0), "{agent}: {}\n{:#?}", run.stderr, run.events);
        run.assert_end(RunEnd::Complete);
    }
}

#[test]
fn the_prompt_and_a_tool_do_not() {
    for agent in AGENTS.into_iter().filter(|agent| *agent != "claude") {
        let project = project(agent, "completed");
        let act = std::fs::read_to_string(project.beside("agent/work.sh")).unwrap();
        let project = project.agent([&format!("{act} | {NOT_YET}")]);
        let run = project.run_as_it_is(&["prompt", "task.md", "1", "--agent", agent]);
        assert_eq!(run.code, Some(1), "{agent}: {}\n{:#?}", run.stderr, run.events);
        run.assert_end(RunEnd::IterationsUsed);
        let recorded = project.run_file("001-prompt/stream.jsonl");
        assert!(recorded.contains("<promise>COMPLETE</promise>"), "{agent}: {recorded}");
    }
    let project = project("claude", "tag-in-tool-output");
    let run = project.run_as_it_is(&["prompt", "task.md", "1", "--agent", "claude"]);
    run.assert_end(RunEnd::IterationsUsed);
}
