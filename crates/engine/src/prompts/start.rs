//! Starts a prompt loop: preconditions, the lock, and whether to resume an earlier run.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use agents::CommandLine;
use events::{LoopEvent, LoopKind, Resumed, RunStart};
use project::{Layout, RunLock};
use vcs::WorkTree;

use crate::control::{Orders, RunControl};
use crate::drive::{drive, finish, preconditions};
use crate::event_sink::{EventSink, NoObserver};
use crate::options::{PromptOptions, PromptSource, StartMode};
use crate::prompts::acceptance::Acceptance;
use crate::prompts::run::PromptRun;
use crate::prompts::settings_snapshot::SettingsSnapshot;
use crate::prompts::state::PromptState;
use crate::run_id::new_run_id;
use crate::templates::ExpandedText;
use crate::{
    FinishedRun, Observer, RunError, StopSwitch, has_unjudged_iteration, run_files, state_file,
};

/// Runs a prompt loop to its end. An error means that it did not start. A draft is complete once `acceptance` has no
/// objections.
pub fn run_prompt<'a>(
    options: &'a PromptOptions,
    acceptance: Option<&'a mut dyn Acceptance>,
    switch: &'a StopSwitch,
    observer: &'a mut dyn Observer,
) -> Result<FinishedRun, RunError> {
    let began = Instant::now();
    let tree = check_preconditions(options)?;
    let layout = &options.run.layout;
    let lock = RunLock::acquire(layout)?;
    let orders = Orders::open(layout)?;
    refuse_unjudged_stories(layout)?;
    let (state, is_resumed) = choose(options)?;
    let run_dir = layout.run_dir(&state.run_id);
    run_files::make_folder(&run_dir, layout)?;
    if let Some(tree) = &tree {
        run_files::hide_from_git(tree, layout)?;
    }
    let sink = EventSink::new(state.run_id.clone(), observer).marking(&state.log);
    let mut run = PromptRun::new(options, tree, state, switch, sink);
    run.control.lock = Some(lock);
    run.acceptance = acceptance;
    run.control.orders = orders;
    if let Err(error) = run.begin(is_resumed) {
        state_file::forget_unless_begun(&run.state.run_id, layout, &layout.prompt_state());
        return Err(error);
    }
    let driven = drive(&mut run);
    Ok(finish(&mut run, driven, began.elapsed()))
}

/// A change made before the story loop judges its own iteration would count as a change of that iteration.
pub fn refuse_unjudged_stories(layout: &Layout) -> Result<(), RunError> {
    if !has_unjudged_iteration(layout) {
        return Ok(());
    }
    Err(RunError::precondition(
        "an iteration of the story loop was interrupted and is not judged yet",
        "run `ralph-loop run` first: changes made before that count as changes of that iteration",
    ))
}

/// The first iteration as a dry run shows it.
#[derive(Debug)]
pub struct PromptDryRun {
    pub prompt: String,
    /// Unknown variables in the prompt.
    pub unknown_variables: Vec<String>,
    pub command: CommandLine,
    pub guardrails: Vec<String>,
}

pub fn dry_run_prompt(options: &PromptOptions) -> Result<PromptDryRun, RunError> {
    let tree = check_preconditions(options)?;
    let kind = options.source.kind();
    let source = &options.source;
    let (subject, identity) = (source.subject(options), source.identity(options));
    let state = PromptState::new("dry-run".into(), kind, subject, identity);
    let (switch, mut observer) = (StopSwitch::new(Duration::ZERO), NoObserver);
    let sink = EventSink::new(state.run_id.clone(), &mut observer);
    let mut run = PromptRun::new(options, tree, state, &switch, sink);
    let prompt = run.first_prompt()?;
    let file = run.layout.run_dir("dry-run").join("001/prompt.md");
    let agent = &options.run.agent;
    let request = run.request(agent, &prompt.text, file, "00000000-0000-4000-8000-000000000000");
    let command = run.control.command(agent, request, 1, Vec::new())?;
    let guardrails = options.run.guardrails.iter().map(|rail| rail.command.clone()).collect();
    Ok(PromptDryRun { prompt: prompt.text, unknown_variables: prompt.unknown, command, guardrails })
}

/// Preconditions that can be checked without writing. Only a text or a file of the user works without git:
/// the other prompts ask the agent to commit.
fn check_preconditions(options: &PromptOptions) -> Result<Option<WorkTree>, RunError> {
    preconditions::require_reported_limits(&options.run, options.run.agents())?;
    let root = options.run.layout.root();
    let tree = WorkTree::open(root).ok();
    let asks_for_git = options.run.scm.is_some()
        || matches!(
            options.source,
            PromptSource::Plan | PromptSource::Build | PromptSource::Template(_)
        );
    if tree.is_none() && asks_for_git {
        return Err(RunError::precondition(
            format!("{} is not in a git repository", root.display()),
            "run `git init`, commit your files, and try again: the agent commits its work",
        ));
    }
    let specs = root.join(&options.specs_dir);
    if options.source == PromptSource::Plan && !specs.is_dir() {
        return Err(RunError::precondition(
            format!("folder {} not found, so there is nothing to plan from", options.specs_dir),
            "write your requirements there, one file per topic, or set specsDir in \
             .ralph/settings.json to another folder",
        ));
    }
    Ok(tree)
}

/// The state of the run, and whether it is resumed.
fn choose(options: &PromptOptions) -> Result<(PromptState, bool), RunError> {
    let (kind, subject) = (options.source.kind(), options.source.subject(options));
    let source = options.source.identity(options);
    let last = match (options.run.start, PromptState::load(&options.run.layout)) {
        (StartMode::Fresh, last) => last.ok().flatten(),
        (_, last) => last?,
    };
    // Processes that an earlier run left must not continue to write.
    if let Some(last) = &last {
        run_files::end_orphans(&last.run_id, options.run.limits.grace)?;
    }
    let same = |last: &PromptState| last.kind == kind && last.source == source;
    let state = match (options.run.start, last) {
        (StartMode::Auto, Some(last)) if same(&last) && last.resumes_automatically() => Some(last),
        (StartMode::Resume, Some(last)) if same(&last) => Some(last),
        (StartMode::Resume, Some(last)) => {
            return Err(RunError::precondition(
                format!(
                    "cannot resume: the last run worked from another prompt ({})",
                    last.subject
                ),
                "leave out --resume to start a new run",
            ));
        }
        (StartMode::Resume, None) => {
            return Err(RunError::precondition(
                "no run to resume",
                "leave out --resume to start a new run",
            ));
        }
        _ => None,
    };
    let is_resumed = state.is_some();
    let new = || PromptState::new(new_run_id(), kind, subject, source);
    Ok((state.unwrap_or_else(new), is_resumed))
}

impl<'a> PromptRun<'a> {
    fn new(
        options: &'a PromptOptions,
        tree: Option<WorkTree>,
        state: PromptState,
        switch: &'a StopSwitch,
        sink: EventSink<'a>,
    ) -> Self {
        let layout = &options.run.layout;
        let run_id = state.run_id.clone();
        Self {
            options,
            layout,
            control: RunControl::new(&options.run, run_id, &state.counters, switch, sink),
            tree,
            settings_snapshot: SettingsSnapshot::read(layout),
            branch: String::new(),
            state,
            is_complete: false,
            check_time: Duration::ZERO,
            warned_unknown: BTreeSet::new(),
            acceptance: None,
        }
    }

    fn begin(&mut self, is_resumed: bool) -> Result<(), RunError> {
        let mut resumed = None;
        if is_resumed {
            // The usage window may have been reset and the agent may work again.
            self.state.counters.quota = None;
            self.state.counters.retries = 0;
            let counters = self.state.counters;
            resumed = Some(Resumed {
                iterations: counters.iterations,
                cost_usd: counters.cost_usd,
                seconds: Some(counters.worked_seconds),
            });
        } else {
            self.record_untracked()?;
        }
        if let Some(tree) = &self.tree {
            run_files::remove_stale_git_locks(tree, self.layout, &self.control.sink)?;
        }
        if let Some(tree) = &mut self.tree {
            tree.guard_control_files(self.options.run.allowed_changes.clone())?;
        }
        let unknown = self.first_prompt()?.unknown;
        self.control.sandbox = self.control.prepare_sandbox(self.options.run.agents())?;
        self.state.ended = None;
        self.state.settings_before = None;
        self.state.save(self.layout)?;
        let run = &self.options.run;
        let start = RunStart {
            version: env!("CARGO_PKG_VERSION").into(),
            pid: std::process::id(),
            kind: self.state.kind,
            project: self.layout.root().display().to_string(),
            name: self.state.subject.clone(),
            branch: self.branch.clone(),
            agent: run.agent.name(),
            model: run.agent.model.clone(),
            max_iterations: run.policy.max_iterations,
            ceiling_usd: run.policy.max_cost_usd,
            max_seconds: run.limits.run.hard.map(|time| time.as_secs_f64()),
            // A draft is judged by `validate`, which is not a check.
            checks: match self.options.source {
                PromptSource::Draft { .. } => None,
                _ => Some(run.guardrails.len() as u64),
            },
            ..RunStart::default()
        };
        let (program, stories) = (run.agent.program.display().to_string(), Vec::new());
        self.control.sink.emit(LoopEvent::RunStarted { start, program, resumed, stories });
        self.control.sink.report_isolation(run.agents(), run.guard.as_ref());
        if !run.guardrails.is_empty() {
            self.control.sink.report_check_sandbox(&run.checks);
        }
        self.warn_of_unknown(&unknown);
        self.control.sink.check()
    }

    /// Warns of each variable once per run. The prompt is read again in each iteration and may have new ones.
    pub(crate) fn warn_of_unknown(&mut self, names: &[String]) {
        let new_names = names.iter().filter(|name| self.warned_unknown.insert((*name).clone()));
        let new_names: Vec<String> = new_names.map(|name| format!("${{{name}}}")).collect();
        if !new_names.is_empty() {
            self.control
                .sink
                .warn(format!("the prompt has unknown variables: {}", new_names.join(", ")));
        }
    }

    /// The first prompt, or an error if something that it needs is missing.
    fn first_prompt(&mut self) -> Result<ExpandedText, RunError> {
        self.branch = self.branch_name();
        self.refuse_missing_plan()?;
        let prompt = self.prompt(self.state.counters.iterations + 1)?;
        let completion = &self.options.completion;
        let text = &prompt.text;
        // `plan` and `build` too: the user may have replaced their prompts.
        let needs_tag = !matches!(self.options.source, PromptSource::Draft { .. });
        if needs_tag && !completion.is_mentioned_in(text) && self.state.failed.is_empty() {
            let what = match self.options.source.kind() {
                LoopKind::Plan => "the prompt of plan".to_owned(),
                LoopKind::Build => "the prompt of build".to_owned(),
                LoopKind::Prompt | LoopKind::Stories => self.state.subject.clone(),
            };
            return Err(RunError::precondition(
                format!("{what} does not ask the agent to answer {completion}"),
                "without that answer the loop cannot detect completion: ask the agent to end its last \
                 message with ${COMPLETION_TAG}, or set another answer with -c",
            ));
        }
        Ok(prompt)
    }

    fn branch_name(&self) -> String {
        let deadline = run_files::deadline();
        let state = self.tree.as_ref().and_then(|tree| tree.state(deadline).ok());
        state.and_then(|state| state.branch).unwrap_or_default()
    }

    pub(crate) fn head(&self) -> String {
        let deadline = run_files::deadline();
        let head = self.tree.as_ref().and_then(|tree| tree.head(deadline).ok().flatten());
        head.map(|head| head.to_string()).unwrap_or_default()
    }

    /// Files that were untracked before the run belong to the user and are not committed.
    fn record_untracked(&mut self) -> Result<(), RunError> {
        let Some(tree) = &self.tree else { return Ok(()) };
        let dirty = tree.state(run_files::deadline())?.dirty.into_iter();
        let untracked = dirty.filter(|dirty| dirty.kind == vcs::DirtyKind::Untracked);
        self.state.untracked_before = untracked.map(|dirty| dirty.path).collect();
        Ok(())
    }
}
