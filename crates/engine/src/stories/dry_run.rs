//! What a run would do first, without doing it: nothing is written, nothing is started.

use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use agents::CommandLine;
use tasks::{Selection, Sha256Digest};
use vcs::CommitId;

use crate::event_sink::{EventSink, NoObserver};
use crate::options::{DirtyPolicy, StoryOptions};
use crate::run_files::deadline;
use crate::stories::assignment::Assignment;
use crate::stories::iteration::{Iteration, MarkerInput};
use crate::stories::refusals::Beginning;
use crate::stories::run::Run;
use crate::stories::session::context_parts;
use crate::stories::start::check_surroundings;
use crate::stories::state::RunState;
use crate::stories::task_text::TaskText;
use crate::{ContextPart, Estimate, RunError, StopSwitch};

#[derive(Debug)]
pub struct DryRun {
    pub selection: Selection,
    /// What has to be committed before a run begins.
    pub uncommitted: Vec<String>,
    /// What the list will take, where something is to do.
    pub estimate: Option<Estimate>,
    /// Where there is something to do.
    pub first: Option<FirstIteration>,
}

#[derive(Debug)]
pub struct FirstIteration {
    pub prompt: String,
    /// What follows the agent's own system prompt; empty if nothing does.
    pub system_prompt: String,
    /// What the prompt is made of, where there is a budget for it.
    pub context: Option<ContextBudget>,
    /// Why what earlier iterations left would be compacted first, if it would.
    pub compaction: Option<String>,
    /// What is wrong with the skills that stories ask for.
    pub skill_problems: Vec<String>,
    /// Names in the template that nobody knows.
    pub unknown_variables: Vec<String>,
    pub command: CommandLine,
    pub branch: String,
    /// The commands that the story has to pass.
    pub checks: Vec<String>,
}

/// The parts of a prompt, and what they may take together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextBudget {
    pub tokens: u64,
    pub budget: u64,
    pub parts: Vec<ContextPart>,
}

pub fn dry_run(options: &StoryOptions) -> Result<DryRun, RunError> {
    let tree = check_surroundings(options)?;
    let before = TaskText::read(&options.run.layout)?;
    let beginning = Beginning::of(&options.run.layout, options.run.start)?;
    let now = tree.state(deadline())?;
    beginning.refuse_tree(&now)?;
    beginning.refuse_marker()?;
    beginning.refuse_branch(&before.list)?;
    beginning.refuse_contradictions(&before.list, options.review, options.at_review_cap)?;
    // A plan is looked at before it is committed.
    let uncommitted = match options.dirty {
        DirtyPolicy::Refuse => beginning.uncommitted(&now),
        DirtyPolicy::Allow => Vec::new(),
    };
    let last = beginning.into_last();
    let resumed = last.is_some();
    let mut state = last.unwrap_or_else(|| RunState::new("dry-run".into(), crate::now()));
    state.branch = before.list.branch_name.clone();
    let checkpoint = now.head;
    let (switch, mut nobody) = (StopSwitch::new(Duration::ZERO), NoObserver);
    let sink = EventSink::new(state.run_id.clone(), &mut nobody);
    let mut run = Run::new(options, tree, state, &switch, sink);
    run.refuse_to_check_nothing(&before.list)?;
    run.limit_to_story(&before.list, resumed)?;
    let selection = run.select(&before.list);
    let estimate = run.estimate(&before.list);
    let first = match (&selection, checkpoint) {
        (Selection::Work { mode, story }, Some(checkpoint)) => {
            let iteration = run.state.counters.iterations + 1;
            let assignment =
                Assignment { iteration, attempt: 1, mode: *mode, story: story.clone() };
            Some(first(&mut run, assignment, before, checkpoint)?)
        }
        _ => None,
    };
    Ok(DryRun { selection, uncommitted, estimate, first })
}

fn first(
    run: &mut Run<'_>,
    assignment: Assignment,
    before: TaskText,
    checkpoint: CommitId,
) -> Result<FirstIteration, RunError> {
    let session = "00000000-0000-4000-8000-000000000000".to_owned();
    let marker = run.marker(MarkerInput {
        assignment: &assignment,
        session: &session,
        before: &before,
        protected: project::record_protected(run.layout),
        checkpoint: &checkpoint,
    });
    run.get_to_know_skills();
    run.escalation = run.escalation_for(&assignment);
    let prompt = run.prompt(&assignment, &before.list)?;
    let checks = run.options.checks(&before.list);
    let iteration = Iteration {
        assignment,
        before: Rc::new(before),
        marker,
        marker_sha256: Some(Sha256Digest::of("written when the iteration begins")),
        checkpoint,
        protected: Default::default(),
        folder: PathBuf::new(),
        session,
        rollback_point: None,
    };
    let due =
        iteration.story().and_then(|story| run.compaction_due(iteration.assignment.mode, story));
    let compaction = due.map(|trigger| trigger.to_string());
    let system = (!prompt.system.is_empty()).then(|| PathBuf::from("skills.md"));
    let command = run.command(&iteration, prompt.text.clone(), system)?;
    let context = prompt.assembly.as_ref().map(|assembly| ContextBudget {
        tokens: assembly.tokens() as u64,
        budget: assembly.budget as u64,
        parts: context_parts(assembly),
    });
    Ok(FirstIteration {
        prompt: prompt.text,
        system_prompt: prompt.system,
        context,
        compaction,
        skill_problems: run.skill_problems(&iteration.before.list),
        unknown_variables: prompt.unknown,
        command,
        branch: run.state.branch.clone(),
        checks,
    })
}
