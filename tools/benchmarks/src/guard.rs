//! The stop guard without a loop, and in a loop, where `git status` takes most of the time.

use std::error::Error;
use std::io::Write;
use std::time::Duration;

use serde_json::json;

use crate::guard_cases::CASES;
use crate::hook_answer::HookAnswer;
use crate::launch::Program;
use crate::loop_project::{LoopProject, Mode};
use crate::measure::{Entrant, Scenario};
use crate::toolbox::{STOP_GUARD, Toolbox};

const BUDGET_WITHOUT_LOOP: f64 = 1.3;
const BUDGET_IN_LOOP: f64 = 1.2;
const FILES: usize = 10_000;
const STORIES: usize = 1_000;

pub(crate) fn check_answers(toolbox: &Toolbox) -> Result<(), Box<dyn Error>> {
    for (number, case) in CASES.iter().enumerate() {
        let mut project = LoopProject::create(toolbox, &format!("case-{number}"), 10, 3)?;
        begin(&mut project, case.mode)?;
        (case.change)(&mut project)?;
        let name = format!("{} in {:?} mode", case.name, case.mode);
        check(&project, toolbox, &name, case.expected)?;
        check_pause(&project, toolbox)?;
    }
    Ok(())
}

fn check(
    project: &LoopProject<'_>,
    toolbox: &Toolbox,
    case: &str,
    expected: HookAnswer,
) -> Result<(), Box<dyn Error>> {
    let name = project.root().file_name().unwrap_or_default().to_string_lossy();
    toolbox.check(STOP_GUARD, case, expected, |program, index| {
        project.stop(program, &format!("{name}-{index}"))
    })
}

fn check_pause(project: &LoopProject<'_>, toolbox: &Toolbox) -> Result<(), Box<dyn Error>> {
    let case = "a background task will wake the session";
    toolbox
        .check(STOP_GUARD, case, HookAnswer::Silence, |program, _| project.pause(program, "pause"))
}

/// In review mode the first story waits for review.
fn begin(project: &mut LoopProject<'_>, mode: Mode) -> Result<(), Box<dyn Error>> {
    if mode == Mode::Review {
        let story = &mut project.tasks["userStories"][0];
        story["reviewStatus"] = json!("needs_review");
        project.save_tasks()?;
        project.commit()?;
    }
    project.begin_iteration(mode)
}

pub(crate) fn no_loop(toolbox: &Toolbox, rounds: usize) -> Result<Scenario, Box<dyn Error>> {
    let project = LoopProject::create(toolbox, "no-loop", 10, 3)?;
    check(&project, toolbox, "no loop runs", HookAnswer::Silence)?;
    let setting = |program| project.stop(program, "no-loop");
    let mut entrants = vec![Entrant {
        name: "empty process".into(),
        budget: None,
        invocation: Ok(setting(toolbox.binary("empty-process"))?),
    }];
    entrants.extend(toolbox.entrants(STOP_GUARD, Some(BUDGET_WITHOUT_LOOP), setting)?);
    Ok(Scenario {
        title: "stop-guard, no loop running".into(),
        sizes: "A project without `.ralph-active`.".into(),
        rounds,
        entrants,
    })
}

/// The repository of the expensive scenarios.
pub(crate) struct LargeProject<'t> {
    project: LoopProject<'t>,
}

impl<'t> LargeProject<'t> {
    pub(crate) fn create(
        toolbox: &'t Toolbox,
        log: &mut dyn Write,
    ) -> Result<Self, Box<dyn Error>> {
        writeln!(log, "creating a repository of {FILES} files and {STORIES} stories")?;
        let project = LoopProject::create(toolbox, "large", FILES, STORIES)?;
        project.git(&["gc", "-q"])?;
        Ok(Self { project })
    }

    pub(crate) fn implement(
        &mut self,
        toolbox: &Toolbox,
        rounds: usize,
    ) -> Result<Scenario, Box<dyn Error>> {
        let title = "stop-guard, loop running, implement mode";
        self.scenario(toolbox, rounds, Mode::Implement, title)
    }

    pub(crate) fn review(
        &mut self,
        toolbox: &Toolbox,
        rounds: usize,
    ) -> Result<Scenario, Box<dyn Error>> {
        let title = "stop-guard, loop running, review mode";
        self.scenario(toolbox, rounds, Mode::Review, title)
    }

    fn scenario(
        &mut self,
        toolbox: &Toolbox,
        rounds: usize,
        mode: Mode,
        title: &str,
    ) -> Result<Scenario, Box<dyn Error>> {
        begin(&mut self.project, mode)?;
        self.settle()?;
        check(&self.project, toolbox, "nothing changed in the large project", HookAnswer::Silence)?;
        let setting = |program| self.project.stop(program, "large");
        let status = Program::new("git").with(&["status", "--porcelain"]);
        let mut entrants = vec![Entrant {
            name: "`git status --porcelain`".into(),
            budget: None,
            invocation: Ok(setting(status)?),
        }];
        entrants.extend(toolbox.entrants(STOP_GUARD, Some(BUDGET_IN_LOOP), setting)?);
        Ok(Scenario {
            title: title.into(),
            sizes: format!(
                "A clean repository of {FILES} files; {STORIES} stories with 5 criteria each, all \
                 of them in the snapshot; no findings."
            ),
            rounds,
            entrants,
        })
    }

    /// git reads every file again that is as new as its index, so the index must be newer.
    fn settle(&self) -> Result<(), Box<dyn Error>> {
        std::thread::sleep(Duration::from_millis(1_100));
        self.project.git(&["status", "--porcelain"])?;
        Ok(())
    }
}
