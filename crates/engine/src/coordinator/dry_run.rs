//! Shows what a run would do first. Nothing is written and no agent is started.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agents::CommandLine;
use events::{ContextPart, Estimate};
use tasks::{Selection, Sha256Digest};
use vcs::CommitId;

use crate::control::IterationAttempt;
use crate::coordinator::branch_list::{BranchList, branch_list};
use crate::coordinator::core::Coordinator;
use crate::coordinator::start::check_preconditions;
use crate::coordinator::start_preconditions::StartPreconditions;
use crate::coordinator::state::SavedRun;
use crate::event_sink::{EventSink, NoObserver};
use crate::lane::{
    Assignment, Iteration, MarkerInput, StartInput, StoryWork, TaskText, context_parts,
};
use crate::memory::{KnownSkills, skill_problems};
use crate::options::StoryOptions;
use crate::run_files::deadline;
use crate::{RunError, StopSwitch};

#[derive(Debug)]
pub struct DryRun {
    pub selection: Selection,
    /// Paths that must be committed before a run can start.
    pub uncommitted: Vec<String>,
    /// Of the open stories, if there are any.
    pub estimate: Option<Estimate>,
    /// `None` if there is nothing to do.
    pub first: Option<FirstIteration>,
}

#[derive(Debug)]
pub struct FirstIteration {
    pub prompt: String,
    /// Text appended to the agent's own system prompt; may be empty.
    pub system_prompt: String,
    /// The parts of the prompt, if a token budget is set.
    pub context: Option<ContextBudget>,
    /// The reason why a compaction would run first, if it would.
    pub compaction: Option<String>,
    /// Problems with the skills that stories name.
    pub skill_problems: Vec<String>,
    /// Unknown variables in the template.
    pub unknown_variables: Vec<String>,
    pub command: CommandLine,
    pub branch: String,
    /// The commands that must pass for the story.
    pub checks: Vec<String>,
}

/// Token counts of a prompt's parts, and their common budget.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextBudget {
    pub tokens: u64,
    pub budget: u64,
    pub parts: Vec<ContextPart>,
}

pub fn dry_run(options: &StoryOptions) -> Result<DryRun, RunError> {
    let tree = check_preconditions(options)?;
    let layout = &options.run.layout;
    let before = match branch_list(layout) {
        Some(BranchList::Unmerged { list, .. }) => TaskText::accepted(layout, &list)?,
        Some(BranchList::Merged { .. }) | None => TaskText::read(layout)?,
    };
    let preconditions = StartPreconditions::of(&options.run.layout, options.run.start)?;
    let now = tree.state(deadline())?;
    preconditions.refuse_tree(&now)?;
    preconditions.refuse_marker()?;
    preconditions.refuse_branch(&before.list)?;
    preconditions.refuse_contradictions(&before.list, options.review, options.at_review_cap)?;
    // A dry run is useful before the plan is committed.
    let uncommitted =
        if options.allow_dirty { Vec::new() } else { preconditions.uncommitted(&now) };
    let last = preconditions.into_last();
    let resumed = last.is_some();
    let mut state = last.unwrap_or_else(|| SavedRun::new("dry-run".into(), events::now()));
    state.baseline.branch = before.list.branch_name.clone();
    let checkpoint = now.head;
    let (switch, mut observer) = (StopSwitch::new(Duration::ZERO), NoObserver);
    let sink = EventSink::new(state.run.run_id.clone(), &mut observer);
    let mut run = Coordinator::new(options, tree, state, &switch, sink);
    run.refuse_no_checks(&before.list)?;
    run.limit_to_story(&before.list, resumed)?;
    let selection = run.select(&before.list);
    let estimate = run.estimate(&before.list);
    let first = match (&selection, checkpoint) {
        (Selection::Work { mode, story }, Some(checkpoint)) => {
            let iteration = run.state.counters.iterations + 1;
            let work = StoryWork { mode: *mode, story: story.clone() };
            let work = run.with_proof(work, &before.list);
            let assignment = Assignment::new(IterationAttempt { iteration, attempt: 1 }, work);
            Some(first(&mut run, assignment, before, checkpoint)?)
        }
        _ => None,
    };
    Ok(DryRun { selection, uncommitted, estimate, first })
}

fn first(
    run: &mut Coordinator<'_>,
    assignment: Assignment,
    before: TaskText,
    checkpoint: CommitId,
) -> Result<FirstIteration, RunError> {
    let session = "00000000-0000-4000-8000-000000000000".to_owned();
    let input = MarkerInput {
        assignment: &assignment,
        session: &session,
        before: &before,
        protected: project::record_protected(run.layout),
        checkpoint: &checkpoint,
    };
    let context_window = run.state.context_window;
    let proof_files = &Default::default();
    let start =
        StartInput { began_at: None, context_window, clock: &run.control.clock, proof_files };
    let marker = run.lane.marker(input, &start);
    run.lane.known_skills = KnownSkills::recorded(run.layout);
    let context = run.story_context(&assignment.story, run.escalation_for(&assignment));
    let prompt = run.lane.prompt(&assignment, &before.list, &context)?;
    let checks = run.options.checks(&before.list);
    let iteration = Iteration {
        assignment,
        before: Arc::new(before),
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
    let input = run.lane.session_input(&prompt, &context, iteration.assignment.mode);
    let command = run.lane.command(&iteration, &input, system, &mut run.control)?;
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
        skill_problems: skill_problems(run.layout, &iteration.before.list),
        unknown_variables: prompt.unknown,
        command,
        branch: run.lane.workspace.baseline.branch.clone(),
        checks,
    })
}
