//! `ralph-loop demo`: a whole run in a temporary project. Engine, hooks and git are real; the agent is simulated.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use agents::Value;
use anyhow::{Context, Result};
use clap::Parser;
use project::Layout;
use settings::Display;
use vcs::WorkTree;

use super::run::Agents;
use super::{CommandResult, print, root, run, today};
use crate::cli::{Cli, DemoArgs};
use crate::command_error::{git_failed, precondition};
use crate::display;
use crate::preconditions::require_hooks;
use crate::programs;
use crate::report::wrapped;
use crate::resolve::{self, AgentRole, Machine};
use crate::run_report::quoted;
use crate::scaffold::{self, Existing, InitOptions};
use crate::simulated_agent;

/// What differs between a run in the work tree and one with lanes.
struct Template {
    tasks: &'static str,
    scenario: &'static str,
    introduction: [&'static str; 2],
}

const IN_PLACE: Template = Template {
    tasks: include_str!("../../../../templates/demo/tasks.json"),
    scenario: include_str!("../../../../templates/demo/scenario.json"),
    introduction: [
        "A temporary project with three stories: real engine, real hooks, simulated agent.",
        "Watch for: a review that rejects a story, tests that are written before their story, and an agent that \
         tries to change such a test, to force-push and to approve its own work.",
    ],
};

const IN_LANES: Template = Template {
    tasks: include_str!("../../../../templates/demo/lanes-tasks.json"),
    scenario: include_str!("../../../../templates/demo/lanes-scenario.json"),
    introduction: [
        "A temporary project with three stories, worked on at once: each lane has a clone of the project.",
        "Watch for: two stories that change the same file. The second one conflicts, is fixed, reviewed again and \
         merged.",
    ],
};

const PRD: &str = include_str!("../../../../templates/demo/prd.md");
const RUN_TESTS: &str = include_str!("../../../../templates/demo/run-tests.sh");
const SETTINGS: &str = include_str!("../../../../templates/demo/settings.json");

/// Beside the project, where git does not see it.
const SCENARIO_FILE: &str = "scenario.json";

/// Delay between two output lines of the agent, so that a person can follow.
const PACE_MS: u64 = 45;

pub(super) fn demo(args: &DemoArgs) -> CommandResult {
    let this = programs::this_program()?;
    let allow_missing = false;
    let guard = require_hooks(allow_missing)?;
    let folder = folder(args.dir.as_deref())?;
    let project = folder.join("greeter");
    let jobs = args.jobs.unwrap_or(1);
    let template = if jobs > 1 { IN_LANES } else { IN_PLACE };
    set_up(&folder, &project, &template)?;
    let width = display::look(&args.look.over(Display::default())).width;
    print(&format!("{}\n", template.introduction.map(|text| prose(text, width)).concat()));

    let (jobs, lanes) = (jobs.to_string(), folder.join("lanes"));
    let flags = ["ralph-loop", "-n", "12", "--no-sandbox", "--no-notify", "-j", &jobs];
    let flags =
        flags.map(OsStr::new).into_iter().chain([OsStr::new("--lanes-dir"), lanes.as_os_str()]);
    let mut run_args = Cli::parse_from(flags).run;
    run_args.common.look = args.look.clone();
    let layout = Layout::new(&project);
    let mut loaded = resolve::settings(&layout, &run_args.flags())?;
    // It takes seconds, and looks the same everywhere.
    loaded.settings.keep_awake = false;
    let settings = &loaded.settings;
    let mut agent = resolve::agent(AgentRole::Worker, &loaded, Some(&this), &project)?;
    agent.program = simulated_agent::link_in(&folder, &this)
        .with_context(|| format!("cannot create the simulated agent in {}", folder.display()))?;
    let pace = if args.fast { 0 } else { PACE_MS };
    agent.environment.extend([
        ("RALPH_SCENARIO".into(), Value::Shown(folder.join(SCENARIO_FILE).into())),
        ("RALPH_SIMULATED_PAUSE_MS".into(), Value::Shown(pace.to_string().into())),
    ]);
    let agents = Agents {
        agent,
        reviewer: None,
        panel: Vec::new(),
        quality: None,
        memory: None,
        fallbacks: Vec::new(),
        help: engine::HelpOptions::default(),
        guard,
    };
    let mut options = run::options(&run_args, layout.clone(), &loaded, agents)?;
    let machine = Machine::new(settings, &options.run.layout, options.run.guard.as_ref())?;
    resolve::choose_isolation(options.agents_mut(), &machine)?;
    // Two blocked stops are enough for a demo.
    options.max_blocks = Some(2);
    let ended = run::drive(&loaded, &run_args.common, &layout, |switch, output| {
        engine::run(&options, switch, output)
    })?;
    print(&farewell(&project, &named_as(), width));
    Ok(run::exit_code(ended))
}

/// An empty folder, so that no file of the user is overwritten.
fn folder(named: Option<&Path>) -> Result<PathBuf> {
    let Some(named) = named else {
        let kept = tempfile::Builder::new().prefix("ralph-demo-").tempdir();
        let kept = kept.context("cannot create a temporary folder")?.keep();
        return root(&kept);
    };
    let shown = named.display();
    std::fs::create_dir_all(named).with_context(|| format!("cannot create the folder {shown}"))?;
    let mut inside =
        std::fs::read_dir(named).with_context(|| format!("cannot read the folder {shown}"))?;
    if inside.next().is_some() {
        let what = format!("{shown} is not empty");
        return Err(precondition(what, "pass an empty folder, or omit --dir"));
    }
    root(named)
}

fn set_up(folder: &Path, project: &Path, template: &Template) -> Result<()> {
    let write = |path: PathBuf, text: &str| {
        let parent = path.parent().unwrap_or(folder);
        std::fs::create_dir_all(parent)
            .and_then(|()| std::fs::write(&path, text))
            .with_context(|| format!("cannot write {}", path.display()))
    };
    write(folder.join(SCENARIO_FILE), template.scenario)?;
    write(project.join("tests/run.sh"), RUN_TESTS)?;
    let layout = Layout::new(project);
    let options = InitOptions {
        layout: layout.clone(),
        name: Some("greeter".into()),
        existing: Existing::Keep,
        checks: Vec::new(),
        imported: None,
    };
    scaffold::init(&options, today())?;
    write(project.join("ralph/tasks.json"), template.tasks)?;
    write(project.join("ralph/prd.md"), PRD)?;
    write(layout.settings(), SETTINGS)?;
    let deadline = Instant::now() + Duration::from_secs(30);
    let git = |error: vcs::VcsError| git_failed(error.to_string(), "the demo needs git");
    let tree = WorkTree::init(project, deadline).map_err(git)?;
    let paths: Vec<String> =
        tree.state(deadline).map_err(git)?.dirty.into_iter().map(|dirty| dirty.path).collect();
    tree.commit_paths(&paths, "the plan: three stories", deadline).map_err(git)?;
    Ok(())
}

/// Wrapped at word boundaries.
fn prose(text: &str, width: Option<usize>) -> String {
    let lines = wrapped(text, width.unwrap_or(usize::MAX)).into_iter();
    lines.map(|line| format!("{line}\n")).collect()
}

/// This program as the user called it, so that the printed commands can be pasted.
fn named_as() -> String {
    let name = std::env::args_os().next().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "ralph-loop".into())
}

fn farewell(project: &Path, program: &str, width: Option<usize>) -> String {
    let program = quoted(program);
    let named = |path: &Path| quoted(&path.to_string_lossy());
    let (folder, runs) = (named(project), named(&project.join(".ralph/runs")));
    let spent = "Nothing was spent: the agent is simulated, and the costs above are made up.";
    let own = format!(
        "In your own project: run `{program} init`, describe your stories, run `{program}`"
    );
    let (spent, own) = (prose(spent, width), prose(&own, width));
    format!(
        "\n{spent}\n\
         Explore {project}\n  \
           git -C {folder} log --oneline ralph/greeter\n  \
           {program} status -d {folder}\n  \
           {program} watch --replay -d {folder}\n  \
           {program} report --format html -d {folder}\n  \
           ls {runs}/*\n\n\
         {own}",
        project = project.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_introduction_wraps_between_words() {
        for width in [40, 70, 80, 200] {
            for introduction in [IN_PLACE.introduction, IN_LANES.introduction] {
                let text = introduction.map(|text| prose(text, Some(width))).concat();
                assert!(text.lines().all(|line| line.len() <= width), "{text}");
                let words: Vec<&str> = text.split_whitespace().collect();
                assert_eq!(words, introduction.join(" ").split_whitespace().collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn the_commands_at_the_end_can_be_pasted() {
        let narrow = farewell(Path::new("/a"), "ralph-loop", Some(40));
        assert!(narrow.contains("the agent is\nsimulated, and"), "{narrow}");
        let text = farewell(Path::new("/a $b/greeter"), "/b in/ralph-loop", None);
        assert!(text.contains("Nothing was spent: the agent is simulated"), "{text}");
        for line in [
            "  git -C '/a $b/greeter' log --oneline ralph/greeter\n",
            "  '/b in/ralph-loop' status -d '/a $b/greeter'\n",
            "  '/b in/ralph-loop' watch --replay -d '/a $b/greeter'\n",
            "  ls '/a $b/greeter/.ralph/runs'/*\n",
            "`'/b in/ralph-loop' init`",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
    }
}
