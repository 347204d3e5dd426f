//! The steps of `sync`: reads everything from the forge first, so that a failure there changes nothing.

use anyhow::{Error, Result};
use engine::InterruptedIteration;
use forge::{PullRequest, PullState as ForgePullState};
use project::{Layout, LockError, RunLock};
use settings::Flags;
use vcs::CommitId;

use super::answers::{self, DueAnswer, Sources};
use super::attribution::Attribution;
use super::branch_tasks::BranchTasks;
use super::hand_over::HandOver;
use super::history::History;
use super::people::People;
use super::points::open_points;
use super::report::{PullBrief, SyncReport};
use super::state::{HandedOver, PullState, SyncState};
use crate::command_error::{message, precondition};
use crate::forge_access::ForgeAccess;
use crate::resolve;

const NEXT: &str = "ralph-loop";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SyncMode {
    Change,
    /// Writes and sends nothing.
    DryRun,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct SyncOptions {
    /// `None`: the open pull request of the branch.
    pub(crate) pull: Option<u64>,
    pub(crate) mode: SyncMode,
}

pub(crate) fn sync(layout: &Layout, options: SyncOptions) -> Result<SyncReport> {
    let _lock = RunLock::acquire(layout).map_err(in_use)?;
    refuse_interrupted(layout)?;
    let loaded = resolve::trusted_settings(layout, &Flags::new(), InterruptedIteration::LeftAsIs)?;
    let forge = &loaded.settings.forge;
    let tasks = BranchTasks::read(layout)?;
    let access = ForgeAccess::open(layout)?;
    let pull = find_pull(&access, &tasks.branch, options.pull)?;
    let threads = access.call(|client| client.threads(pull.number))?;
    let checks = access.call(|client| client.checks(&pull.head_sha))?;
    let people = People::ask(&access, forge.commenters, &threads)?;
    let (points, ignored) = open_points(threads, &checks, &pull.head_sha, &people);
    let key = format!("{}#{}", access.repository().path(), pull.number);
    let mut state = SyncState::load(layout, key)?;
    let mut known = state.pull();
    let history = History::read(layout, &tasks, &forge.remote, &pull.base)?;
    let sources = Sources { layout, tasks: &tasks, history: &history, pull: &pull };
    let (due, waiting) = answers::due(&points, &known, &sources)?;
    let attribution = Attribution { list: &tasks.list, repository: access.repository() };
    let plan = HandOver::plan(&points, pull.number, &known, attribution, &history)?;

    let brief = PullBrief { number: pull.number, url: pull.url.clone() };
    let mut report = SyncReport::new(brief, &tasks.branch, options.mode == SyncMode::DryRun);
    let reported: Vec<&String> =
        due.iter().map(|due| &due.answer.url).chain(waiting.iter().map(|it| &it.url)).collect();
    let unanswered =
        plan.ignored.iter().filter(|ignored| !reported.contains(&&ignored.url)).cloned();
    report.ignored = ignored.into_iter().chain(unanswered).collect();
    report.waiting = waiting;
    report.handed_over = plan.report();
    let has_open_story = tasks.list.stories.iter().any(|story| !story.passes);
    report.next = (has_open_story || !plan.stories.is_empty()).then_some(NEXT);
    if options.mode == SyncMode::DryRun {
        report.answered = due.into_iter().map(|due| due.answer).collect();
        return Ok(report);
    }
    if !plan.stories.is_empty() {
        let message = format!("ralph: feedback of pull request #{}", pull.number);
        let since = tasks.write(&plan.apply(&tasks.text)?, &message, layout)?;
        remember(&plan, &since, &mut known);
        state.save(&known)?;
    }
    let forge = Replies { access: &access, pull: pull.number };
    forge.send(due, &mut known, &mut state, &mut report)?;
    forge.request_reviews(&mut known, &mut report);
    state.save(&known)?;
    Ok(report)
}

fn remember(plan: &HandOver<'_>, since: &CommitId, known: &mut PullState) {
    for (story, (points, _)) in &plan.stories {
        for point in points {
            let (since, at) = (since.to_string(), events::now());
            let (digest, story) = (point.digest(), story.clone());
            let handed = HandedOver { digest, story, at, since, is_answered: false };
            known.handed_over.insert(point.key(), handed);
            for author in point.authors() {
                known.reviewers.remove(author);
            }
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Replies<'a> {
    access: &'a ForgeAccess,
    pull: u64,
}

impl Replies<'_> {
    fn send(
        self,
        due: Vec<DueAnswer<'_>>,
        known: &mut PullState,
        state: &mut SyncState,
        report: &mut SyncReport,
    ) -> Result<()> {
        for DueAnswer { key, at, authors, body, answer } in due {
            self.access.call(|client| client.reply(self.pull, at, &body))?;
            if let Some(handed) = known.handed_over.get_mut(&key) {
                handed.is_answered = true;
            }
            known.reviewers.extend(authors);
            // An answer that was sent must not be sent again.
            state.save(known)?;
            report.answered.push(answer);
        }
        Ok(())
    }

    /// One by one: a forge refuses all if it refuses one, such as a person who left.
    fn request_reviews(self, known: &mut PullState, report: &mut SyncReport) {
        for login in std::mem::take(&mut known.reviewers) {
            match self.access.call(|client| client.request_review(self.pull, &[&login])) {
                Ok(()) => report.reviewers.push(login),
                Err(error) => {
                    let text = format!("cannot request a review from {login}: {}", message(&error));
                    report.warnings.push(text);
                }
            }
        }
    }
}

fn find_pull(access: &ForgeAccess, branch: &str, number: Option<u64>) -> Result<PullRequest> {
    let Some(number) = number else {
        return access.call(|client| client.find_pull(branch))?.ok_or_else(|| {
            let path = access.repository().path();
            let what = format!("{path} has no open pull request of branch {branch}");
            precondition(what, "push the branch and open one")
        });
    };
    let pull = access.call(|client| client.pull(number))?;
    if pull.state != ForgePullState::Open {
        let what = format!("pull request #{number} is not open");
        return Err(precondition(what, "name an open one, or leave out --pr"));
    }
    if pull.head != branch || !pull.is_from_here {
        let what = format!("pull request #{number} is not of branch {branch}");
        return Err(precondition(what, "set branchName of the task list, or leave out --pr"));
    }
    Ok(pull)
}

fn in_use(error: LockError) -> Error {
    match error {
        LockError::Held { .. } => {
            precondition(error.to_string(), "wait until it ends, or end it with `ralph-loop stop`")
        }
        LockError::Io { .. } => precondition(error.to_string(), "check the permissions of .ralph"),
    }
}

/// The next run judges what an interrupted one left, and moves the branch of its clones back.
fn refuse_interrupted(layout: &Layout) -> Result<()> {
    let is_unjudged = engine::has_unjudged_iteration(layout);
    let in_clones = engine::branch_list(layout).is_some();
    let is_resumed = engine::last_run(layout).is_some_and(|last| last.resumes_automatically);
    if is_unjudged || (in_clones && is_resumed) {
        return Err(precondition(
            "the last run was interrupted, and its work is not verified yet",
            "continue it with `ralph-loop`, then run sync again",
        ));
    }
    Ok(())
}
