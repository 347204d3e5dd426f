//! Builds the prompt of an iteration from the templates, the story and what the run knows about it.

use std::path::Path;

use bounded_read::FileError;
use tasks::{Mode, TaskList};

use crate::RunError;
use crate::lane::assignment::Assignment;
use crate::lane::core::Lane;
use crate::lane::prompt::{
    self, AnswerFormat, Context, DEFAULT_TEMPLATE, LARGEST_TEMPLATE, MemoryContext, Prompt,
    PromptInput, SkillsPlacement,
};
use crate::lane::state_md::FailedAttempts;
use crate::lane::story_context::StoryContext;
use crate::lane::story_record::IterationFailure;
use crate::memory::{MemoryState, Skill, compacted_context, recent_handoffs};

impl Lane<'_> {
    pub(crate) fn prompt(
        &self,
        assignment: &Assignment,
        list: &TaskList,
        context: &StoryContext,
    ) -> Result<Prompt, RunError> {
        self.prompt_for(assignment, list, context, None)
    }

    /// The prompt of a further reviewer.
    pub(crate) fn panel_prompt(
        &self,
        assignment: &Assignment,
        list: &TaskList,
        context: &StoryContext,
        answer: AnswerFormat,
    ) -> Result<Prompt, RunError> {
        self.prompt_for(assignment, list, context, Some(answer))
    }

    fn prompt_for(
        &self,
        assignment: &Assignment,
        list: &TaskList,
        context: &StoryContext,
        further_review: Option<AnswerFormat>,
    ) -> Result<Prompt, RunError> {
        let is_first = assignment.iteration == 1
            && list.stories.iter().all(|story| story.next_mode() == Some(Mode::Implement));
        let first = if is_first { self.own_template(&self.layout.first_prompt())? } else { None };
        let own = match first {
            Some(first) => Some(first),
            None => self.own_template(&self.layout.prompt())?,
        };
        let story = list.story(&assignment.story).ok_or_else(|| {
            RunError::precondition(format!("story {} not found", assignment.story), "")
        })?;
        let record = &context.record;
        // A review only gets failures of reviews: the text of a failed implementation is a claim.
        let concerns = |failure: &&IterationFailure| {
            assignment.mode != Mode::Review || failure.mode == Some(Mode::Review)
        };
        let failure = record.failure.as_ref().filter(concerns);
        let failure = failure.or(context.last_failure.as_ref().filter(concerns));
        let with_tolerated = record.with_tolerated(failure);
        let is_review = assignment.mode == Mode::Review;
        let run = &self.options.run;
        let most = self.options.most_attempts();
        let skills = self.known_skills.of_story(self.layout, story);
        let mut prompt = prompt::assemble(&PromptInput {
            template: own.as_deref().unwrap_or(DEFAULT_TEMPLATE),
            assignment,
            story,
            max_iterations: self.options.run.policy.max_iterations,
            review: self.options.rules(),
            further_review,
            ralph_dir: &self.layout.ralph_dir_name(),
            branch: &self.workspace.baseline.branch,
            began_at: record.began_at.as_deref(),
            failure: with_tolerated.as_ref().or(failure),
            attempts: FailedAttempts::of(&assignment.story, &record.attempts, most)
                .filter(|_| !is_review),
            escalation: &context.escalation,
            user_instructions: &context.user_instructions,
            questions: &record.questions,
            question_limit: self.question_limit(assignment),
            notices: if is_review { &record.notices } else { &[] },
            weakened: if is_review { &record.weakened } else { &[] },
            pull_feedback: record.pull_feedback.as_deref().filter(|_| is_review),
            proof: record.proof.as_ref(),
            checks: &self.options.checks(list),
            known_failures: &context.known_failures(Some(story)),
            own: &run.variables,
            context: match further_review {
                None => self.memory_context(assignment, &skills, &context.memory),
                // It writes no handoff.
                Some(_) => Context {
                    skills: &skills,
                    skills_placement: SkillsPlacement::Prompt,
                    memory: None,
                },
            },
        });
        prompt.text = run.with_iteration_count(prompt.text, assignment.iteration);
        Ok(prompt)
    }

    /// A prompt template of the user.
    pub(crate) fn own_template(&self, path: &Path) -> Result<Option<String>, RunError> {
        match bounded_read::read_file(path, LARGEST_TEMPLATE) {
            Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
            Err(FileError::Absent) => Ok(None),
            // The built-in prompt must not replace an unreadable one of the user without notice.
            Err(error) => Err(RunError::precondition(
                format!("cannot read {}: {error}", self.layout.name_of(path)),
                "shorten it, or remove it to use the built-in prompt",
            )),
        }
    }

    fn memory_context<'c>(
        &self,
        assignment: &Assignment,
        skills: &'c [Skill],
        state: &'c MemoryState,
    ) -> Context<'c> {
        let agent = self.agent(assignment);
        let skills_placement = match agent.agent.abilities().system_prompt_file {
            true => SkillsPlacement::SystemPrompt,
            false => SkillsPlacement::Prompt,
        };
        let memory = self.options.memory.as_ref().map(|options| {
            let compacted = compacted_context(self.layout, state);
            MemoryContext {
                budget: usize::try_from(options.context_tokens).unwrap_or(usize::MAX),
                recent: recent_handoffs(self.layout, state, compacted.as_ref()),
                compacted: compacted.map(|context| context.items()).unwrap_or_default(),
                refused: &state.refused,
                answer_format: AnswerFormat::of(agent),
            }
        });
        Context { skills, skills_placement, memory }
    }
}
