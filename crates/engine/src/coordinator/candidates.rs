//! Best of several: fresh attempts at a story from the same commit, each in a clone of its own. The checks decide which
//! of them count, and a review chooses one of these. Its work is then judged like that of any session.

use events::{AgentOutcome, LoopEvent, TimedTask};
use tasks::Mode;
use vcs::{CommitId, MergeResult};

use crate::RunError;
use crate::control::cost_limit_is_reached;
use crate::coordinator::candidate_clone::EndedCandidate;
use crate::coordinator::core::Coordinator;
use crate::lane::prompt::about_candidates;
use crate::lane::{
    Candidate, Candidates, Escalation, ExtraHelp, Iteration, SideSession, chosen_in,
};
use crate::options::CandidateOptions;
use crate::run_files::deadline;
use crate::session::{Allowance, Session};

impl<'a> Coordinator<'a> {
    /// `None` for an iteration with one session.
    pub(crate) fn candidate_options(
        &self,
        iteration: &Iteration,
        escalation: &Escalation,
    ) -> Option<&'a CandidateOptions> {
        let attempts = self.state.attempts(&iteration.assignment.story);
        let is_first = attempts.iter().all(|attempt| attempt.help != ExtraHelp::Candidates);
        let is_one = iteration.assignment.candidate.is_some();
        let works = iteration.assignment.mode != Mode::Specify;
        let wanted = escalation.help == ExtraHelp::Candidates && is_first && !is_one && works;
        self.options.help.candidates.as_ref().filter(|_| wanted)
    }

    /// The work tree then has the work of the chosen candidate. `None` if the user stopped the run: the next one
    /// continues with the candidates that are left.
    pub(crate) fn run_candidates(
        &mut self,
        iteration: &Iteration,
        options: &CandidateOptions,
    ) -> Result<Option<Session>, RunError> {
        let story = &iteration.assignment.story;
        let base = self.candidate_base(iteration)?;
        let spent = self.state.counters.cost_usd;
        let mut sessions = Vec::new();
        for number in 1..=options.count {
            if self.candidates(iteration).has(number) {
                continue;
            }
            self.control.stop_after_time_limit();
            if self.control.switch.requested().is_some() || self.is_skipped(story) {
                return Ok(None);
            }
            let unavailable = self.state.counters.unavailable_usd();
            if cost_limit_is_reached(&self.options.run.policy, unavailable) {
                let text =
                    format!("the cost limit was reached before candidate {number} for {story}");
                self.control.sink.warn(text);
                break;
            }
            let before = self.state.counters.cost_usd;
            let ended = self.run_candidate(iteration, &base, number, options)?;
            let cost = self.state.counters.cost_usd - before;
            match ended.outcome {
                AgentOutcome::Stopped | AgentOutcome::RunnerDied => return Ok(None),
                outcome if outcome.is_answer() || outcome == AgentOutcome::TimedOut => {}
                // The agent failed, not the candidate. Later, those that are left follow.
                _ => return Ok(ended.session.map(|session| self.costing(session, spent))),
            }
            self.record_candidate(iteration, options, number, &ended, cost)?;
            sessions.extend(ended.session.map(|session| (number, session)));
        }
        let chosen = self.choose_candidate(iteration, options, &base)?;
        if let Some(candidate) = &chosen {
            self.take_over(iteration, candidate)?;
        }
        let chosen = chosen.map(|candidate| candidate.number);
        let place = sessions.iter().position(|(number, _)| Some(*number) == chosen);
        let session = place.map(|place| sessions.swap_remove(place).1);
        let session = session.unwrap_or_else(Session::of_earlier_runner);
        Ok(Some(self.costing(session, spent)))
    }

    /// The session with the cost of all that ran since `spent`.
    fn costing(&self, mut session: Session, spent: f64) -> Session {
        if let Some(result) = &mut session.conclusion.result {
            result.cost_usd = Some(self.state.counters.cost_usd - spent);
        }
        session
    }

    fn candidates(&mut self, iteration: &Iteration) -> &mut Candidates {
        self.state.story(&iteration.assignment.story).candidates.get_or_insert_default()
    }

    /// The commit from which candidates start: without the work of earlier attempts, unless other work depends on it.
    fn candidate_base(&mut self, iteration: &Iteration) -> Result<CommitId, RunError> {
        let (story, head) = (&iteration.assignment.story, &iteration.checkpoint);
        let tree = self.lane.workspace.tree.clone();
        let earlier = self.state.stories.get(story).and_then(|it| it.candidates.as_ref());
        if let Some(base) = earlier.and_then(|earlier| CommitId::new(&earlier.base).ok())
            && tree.has_commit(&base, deadline())?
            && tree.is_ancestor(head, &base, deadline())?
        {
            return Ok(base);
        }
        let record = self.state.stories.get(story);
        let tests = record.map(|record| record.proof_files(Mode::Implement)).unwrap_or_default();
        let (ranges, mut stay) = (self.ranges(story)?, self.layout.list_paths());
        stay.extend(tests.into_keys());
        let files = [(self.layout.tasks_name(), iteration.before.text.clone().into_bytes())];
        let base = match tree.tree_without(head, &ranges, &stay, &files, deadline())? {
            MergeResult::Clean(without) if without != tree.tree_id(head, deadline())? => {
                let message = format!("ralph: remove the failed attempts at {story}");
                tree.commit_tree(&without, &[head], &message, deadline())?
            }
            MergeResult::Clean(_) => head.clone(),
            MergeResult::Conflict(_) => {
                self.control.sink.warn(format!(
                    "the candidates for {story} start with the work of its failed attempts, because other work \
                     depends on it"
                ));
                head.clone()
            }
        };
        *self.candidates(iteration) = Candidates { base: base.to_string(), ended: Vec::new() };
        Ok(base)
    }

    fn record_candidate(
        &mut self,
        iteration: &Iteration,
        options: &CandidateOptions,
        number: u64,
        ended: &EndedCandidate,
        cost_usd: f64,
    ) -> Result<(), RunError> {
        let (passes, story) = (ended.passes, iteration.assignment.story.clone());
        let commit = ended.commit.to_string();
        let candidate = Candidate { number, commit: commit.clone(), passes };
        self.candidates(iteration).ended.push(candidate);
        let of = options.count;
        self.control.sink.emit(LoopEvent::CandidateEnded {
            story,
            number,
            of,
            passes,
            cost_usd,
            commit,
        });
        self.save()
    }

    /// The candidate whose work is taken over. `None` if none passes.
    fn choose_candidate(
        &mut self,
        iteration: &Iteration,
        options: &CandidateOptions,
        base: &CommitId,
    ) -> Result<Option<Candidate>, RunError> {
        let candidates = self.candidates(iteration).clone();
        let passing = candidates.passing();
        let (number, why) = match passing[..] {
            [] => return Ok(None),
            [only] => (only.number, "it alone passed".to_owned()),
            [first, ..] => match self.reviewed_choice(iteration, options, base, &passing)? {
                Some(number) => (number, "the review chose it".to_owned()),
                None => (first.number, "the review chose none that passed".to_owned()),
            },
        };
        let story = iteration.assignment.story.clone();
        self.control.sink.emit(LoopEvent::CandidateChosen { story, number, why });
        Ok(passing.into_iter().find(|candidate| candidate.number == number).cloned())
    }

    /// The choice of a reviewer, which works in a clone that is removed afterwards.
    fn reviewed_choice(
        &mut self,
        iteration: &Iteration,
        options: &CandidateOptions,
        base: &CommitId,
        passing: &[&Candidate],
    ) -> Result<Option<u64>, RunError> {
        let story = iteration.story().ok_or_else(crate::run_files::no_commit)?;
        let branch = &self.lane.workspace.baseline.branch;
        let own = &self.options.run.variables;
        let prompt = about_candidates(story, base.as_str(), passing, branch, own);
        let agent = self.options.reviewing_agent();
        let limit = self.options.run.limits.review;
        let (folder, number) = (&iteration.folder, iteration.assignment.iteration);
        let side = SideSession {
            agent,
            prompt,
            prompt_file: folder.join("candidates-prompt.md"),
            recording: folder.join("candidates.jsonl"),
            iteration: number,
            servers: self.layout.mcp_coding(),
            answer_schema: None,
            allowance: Allowance { what: TimedTask::Review, limit },
        };
        let Some(session) = self.review_in_clone(iteration, base, options, side)? else {
            return Ok(None);
        };
        let chosen = chosen_in(session.last_message());
        let is_answer = session.conclusion.outcome == AgentOutcome::Answered;
        let passes = |number: &u64| passing.iter().any(|candidate| candidate.number == *number);
        Ok(chosen.filter(|number| is_answer && passes(number)))
    }

    fn take_over(&mut self, iteration: &Iteration, candidate: &Candidate) -> Result<(), RunError> {
        let commit = CommitId::new(&candidate.commit).map_err(|_| crate::run_files::no_commit())?;
        let workspace = &mut self.lane.workspace;
        let keep = workspace.baseline.excluded_paths();
        let left = workspace.tree.adopt(&commit, &keep, deadline())?;
        if !left.is_empty() {
            let (story, list) = (&iteration.assignment.story, left.join(", "));
            let text =
                format!("left unchanged when a candidate for {story} was taken over: {list}");
            self.control.sink.warn(text);
        }
        Ok(())
    }
}
