//! What a lane prepares for a session besides the prompt: the marker, the command line and the environment.

use std::ffi::OsString;
use std::path::PathBuf;

use agents::{Agent, CommandLine, Value};
use events::Traceparent;
use project::{MarkerMode, VerdictIn};
use serde_json::json;
use tasks::Mode;

use crate::in_process::project::{Project, assigned, id, story};
use crate::lane::assignment::Assignment;
use crate::lane::iteration::Iteration;
use crate::lane::prepare::StartInput;
use crate::lane::prompt::Prompt;
use crate::options::{AgentOptions, McpServers, MemoryOptions, TraceOptions};

fn prepared(project: &Project, mode: Mode) -> (Iteration, CommandLine) {
    let mut observer = project.events.clone();
    let mut run = project.coordinator(&mut observer);
    run.lane.workspace.baseline.dirty_before.push("mine.txt".into());
    let before = run.expected_tasks().unwrap();
    let start = StartInput {
        began_at: None,
        context_window: Some(1000),
        clock: &run.control.clock,
        proof_files: &Default::default(),
    };
    let assignment = Assignment { attempt: 2, ..assigned(mode, "US-1", 3) };
    let iteration = run.lane.prepare(assignment, before, "session".into(), &start).unwrap();
    run.state.context_window = Some(1000);
    run.state.counters.cost_usd = 1.5;
    let context = run.story_context(&id("US-1"), Default::default());
    let prompt = Prompt { text: "the prompt".to_owned(), ..Prompt::default() };
    let input = run.lane.session_input(&prompt, &context, Mode::Implement);
    let system = Some(PathBuf::from("skills.md"));
    let command = run.lane.command(&iteration, &input, system, &mut run.control).unwrap();
    (iteration, command)
}

fn text(args: &[OsString]) -> Vec<String> {
    args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect()
}

fn after<'a>(args: &'a [String], flag: &str) -> Option<&'a str> {
    let at = args.iter().position(|arg| arg == flag)?;
    args.get(at + 1).map(String::as_str)
}

fn environment(command: &CommandLine, name: &str) -> Option<String> {
    command.environment.iter().find_map(|(key, value)| match value {
        Value::Shown(value) if key == name => Some(value.to_string_lossy().into_owned()),
        _ => None,
    })
}

#[test]
fn the_marker_has_what_the_hooks_need() {
    let mut project = Project::new(&["pass"]);
    project.write(".ralph/settings.json", "{}");
    project.options.max_blocks = Some(4);
    let (iteration, _) = prepared(&project, Mode::Implement);
    let marker = &iteration.marker;
    assert!(marker.timestamp.is_some());
    assert_eq!(marker.pid, Some(std::process::id()));
    assert_eq!(marker.run_id.as_deref(), Some("r1"));
    assert_eq!(marker.session_id.as_deref(), Some(iteration.session.as_str()));
    assert_eq!((marker.iteration, marker.max_iterations), (Some(3), Some(20)));
    assert_eq!(marker.isolation, Some(MarkerMode::Direct));
    assert_eq!(marker.review, project.options.rules());
    assert_eq!(marker.iteration_mode, Some(Mode::Implement));
    assert_eq!(marker.story_id, Some(id("US-1")));
    assert_eq!(marker.ralph_dir, Some("ralph".into()));
    assert!(marker.snapshot.is_some());
    assert!(marker.protected_files.contains_key(".ralph/settings.json"));
    assert_eq!(marker.checkpoint, Some(project.git(&["rev-parse", "HEAD"])));
    assert!(marker.control_files.is_some());
    assert_eq!(marker.dirty_before, ["mine.txt"]);
    assert_eq!((marker.context_window, marker.max_blocks), (Some(1000), Some(4)));
    assert_eq!(marker.verdict_in, None);
    let now = std::time::SystemTime::now();
    let (soft, hard) = (marker.soft_limit_at.unwrap(), marker.hard_limit_at.unwrap());
    assert!(now < soft && soft < hard);
    assert_eq!(prepared(&project, Mode::Review).0.marker.verdict_in, Some(VerdictIn::Message));
    assert_eq!(iteration.label(), "iteration 3 (implement of US-1)");
}

fn claude(project: &Project) -> AgentOptions {
    AgentOptions {
        agent: Agent::Claude,
        program: "claude".into(),
        program_in_image: "claude".into(),
        model: Some("large".into()),
        fallback_model: Some("small".into()),
        max_turns: Some(7),
        extra_args: vec!["--verbose-of-mine".into()],
        ..project.options.run.agent.clone()
    }
}

#[test]
fn the_command_line_has_the_options_of_the_agent() {
    let mut project = Project::new(&[]);
    project.options.run.agent = claude(&project);
    project.options.run.policy.max_cost_usd = Some(10.0);
    let (iteration, command) = prepared(&project, Mode::Implement);
    let args = text(&command.args);
    assert_eq!(after(&args, "--model"), Some("large"));
    assert_eq!(after(&args, "--fallback-model"), Some("small"));
    assert_eq!(after(&args, "--max-turns"), Some("7"));
    assert_eq!(after(&args, "--max-budget-usd"), Some("8.5"), "{args:?}");
    assert_eq!(after(&args, "--session-id"), Some(iteration.session.as_str()));
    assert_eq!(after(&args, "--append-system-prompt-file"), Some("skills.md"), "{args:?}");
    assert!(args.contains(&"--verbose-of-mine".to_owned()));
    assert_eq!(after(&args, "--json-schema"), None);
    assert_eq!(command.stdin, "the prompt");
    let marker = iteration.marker_sha256.unwrap().to_string();
    assert_eq!(environment(&command, "RALPH_MARKER_SHA256"), Some(marker));
    assert_eq!(environment(&command, "GIT_NO_REPLACE_OBJECTS").as_deref(), Some("1"));
    assert_eq!(environment(&command, "CLAUDE_CONTEXT_WINDOW").as_deref(), Some("1000"));
    assert_eq!(environment(&command, "MAX_STRUCTURED_OUTPUT_RETRIES"), None);
}

#[test]
fn the_agent_gets_the_span_of_its_session_if_the_run_is_exported() {
    let mut project = Project::new(&[]);
    assert_eq!(environment(&prepared(&project, Mode::Implement).1, "TRACEPARENT"), None);
    let outer = Traceparent::of_run("ci", None);
    project.options.run.trace = Some(TraceOptions { outer: Some(outer.clone()) });
    let (iteration, command) = prepared(&project, Mode::Implement);
    let span = Traceparent::of_run("r1", Some(&outer)).session(&iteration.session);
    assert_eq!(environment(&command, "TRACEPARENT"), Some(span.to_string()));
    assert_eq!(span.trace(), outer.trace());
}

#[test]
fn with_memory_the_agent_answers_in_a_schema_and_may_try_more_often() {
    let mut project = Project::new(&[]);
    project.options.run.agent = claude(&project);
    project.options.max_blocks = Some(4);
    project.options.memory = Some(MemoryOptions {
        agent: claude(&project),
        context_tokens: 8000,
        compact_after_iterations: 10,
        compact_after_bytes: 10_000,
    });
    let (iteration, command) = prepared(&project, Mode::Review);
    let args = text(&command.args);
    assert!(after(&args, "--json-schema").unwrap().contains("task_completed"));
    assert_eq!(environment(&command, "MAX_STRUCTURED_OUTPUT_RETRIES").as_deref(), Some("9"));
    assert_eq!(iteration.marker.verdict_in, Some(VerdictIn::Answer));
}

#[test]
fn servers_are_limited_to_those_of_the_project_if_the_agent_can() {
    let mut project = Project::new(&[]);
    project.options.run.agent = claude(&project);
    let mcp = |project: &Project| {
        let args = text(&prepared(project, Mode::Implement).1.args);
        let only = args.contains(&"--strict-mcp-config".to_owned());
        (only, after(&args, "--mcp-config").map(str::to_owned))
    };
    project.options.servers = McpServers::Inherited;
    assert_eq!(mcp(&project), (false, None));
    project.options.servers = McpServers::Isolated;
    assert!(mcp(&project).0);
    project.write(".ralph/mcp/coding.json", r#"{"mcpServers": {}}"#);
    let (only, file) = mcp(&project);
    assert!(only && file.unwrap().contains("coding.json"));
    project.write(".ralph/mcp/coding.json", "{");
    let error = project.run(|_| panic!("no session")).unwrap_err();
    assert!(error.to_string().contains("coding.json"), "{error}");
}

#[test]
fn a_model_of_the_story_applies_to_the_implementer() {
    let mut first = story("US-1");
    first["model"] = json!("huge");
    first["maxTurns"] = json!(3);
    let mut project = Project::with(&[first], &[]);
    project.options.run.agent = claude(&project);
    let model = |project: &Project, mode| {
        let args = text(&prepared(project, mode).1.args);
        after(&args, "--model").map(str::to_owned)
    };
    assert_eq!(model(&project, Mode::Implement).as_deref(), Some("huge"));
    assert_eq!(model(&project, Mode::Review).as_deref(), Some("huge"), "the same agent");
    for reviewer in [
        AgentOptions { model: Some("other".into()), ..claude(&project) },
        AgentOptions { program: "other".into(), model: Some("large".into()), ..claude(&project) },
    ] {
        let expected = reviewer.model.clone();
        project.options.reviewer = Some(reviewer);
        assert_eq!(model(&project, Mode::Review), expected);
        assert_eq!(model(&project, Mode::Implement).as_deref(), Some("huge"));
    }
    let args = text(&prepared(&project, Mode::Implement).1.args);
    assert_eq!(after(&args, "--max-turns"), Some("3"));
}
