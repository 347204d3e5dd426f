//! One run of a prompt loop, driven by `drive`.

use std::collections::BTreeSet;
use std::time::Duration;

use events::RunEnd;
use project::Layout;
use project::orders::Order;
use tasks::StoryId;
use vcs::WorkTree;

use crate::RunError;
use crate::control::{
    Counters, IterationAttempt, IterationResult, NextWork, RunControl, UserInstructions,
};
use crate::drive::{ClosingReport, Drivable, Endable, Loop, end_text};
use crate::options::{PromptOptions, PromptSource};
use crate::prompts::acceptance::Acceptance;
use crate::prompts::plan::Plan;
use crate::prompts::settings_snapshot::SettingsSnapshot;
use crate::prompts::state::PromptState;
use crate::prompts::template::{self, PromptContext};
use crate::templates::ExpandedText;

pub(crate) struct PromptRun<'a> {
    pub(crate) options: &'a PromptOptions,
    pub(crate) layout: &'a Layout,
    pub(crate) control: RunControl<'a>,
    /// `None` if the project has no git and the loop needs none.
    pub(crate) tree: Option<WorkTree>,
    /// The user's settings at the start of the run.
    pub(crate) settings_snapshot: SettingsSnapshot,
    pub(crate) branch: String,
    pub(crate) state: PromptState,
    pub(crate) is_complete: bool,
    /// Time that the current iteration spent in guardrails.
    pub(crate) check_time: Duration,
    /// Unknown variables that a warning already named.
    pub(crate) warned_unknown: BTreeSet<String>,
    /// Decides instead of the agent whether the work is done.
    pub(crate) acceptance: Option<&'a mut dyn Acceptance>,
}

impl<'a> PromptRun<'a> {
    pub(crate) fn prompt(&self, iteration: u64) -> Result<ExpandedText, RunError> {
        let template = self.options.source.read(self.layout)?;
        let context = PromptContext {
            iteration,
            branch: &self.branch,
            failed: &self.state.failed,
            objections: &self.state.objections,
            user_instructions: &self.state.user_instructions,
        };
        Ok(template::assemble(&template, self.options, context))
    }

    pub(crate) fn plan(&self) -> Plan {
        Plan::read(&self.layout.root().join(&self.options.plan_file))
    }

    pub(crate) fn refuse_missing_plan(&self) -> Result<(), RunError> {
        if self.options.source == PromptSource::Build && self.plan() == Plan::Missing {
            return Err(RunError::PlanMissing { path: self.options.plan_file.clone() });
        }
        Ok(())
    }
}

impl<'a> Loop<'a> for PromptRun<'a> {
    fn control(&mut self) -> &mut RunControl<'a> {
        &mut self.control
    }

    fn counters(&mut self) -> &mut Counters {
        &mut self.state.counters
    }

    fn instructions(&mut self) -> &mut UserInstructions {
        &mut self.state.user_instructions
    }

    fn is_unjudged(&self) -> bool {
        false
    }
}

impl<'a> Endable<'a> for PromptRun<'a> {
    fn end(&mut self, end: RunEnd) -> Result<(), RunError> {
        self.state.ended = Some(end);
        self.save()
    }

    fn closing(&mut self, end: RunEnd) -> ClosingReport {
        let spent = self.state.counters.cost_usd;
        let is_draft = matches!(self.options.source, PromptSource::Draft { .. });
        let text = match end {
            RunEnd::Complete if is_draft => "the plan has no errors".into(),
            RunEnd::IterationsUsed if is_draft => "the plan still has errors".into(),
            RunEnd::Complete if self.options.run.guardrails.is_empty() => {
                "the agent reports that everything is done".into()
            }
            RunEnd::Complete => {
                "the agent reports that everything is done, and every guardrail passes".into()
            }
            _ => end_text::of(end, &self.options.run.policy, spent, &self.control.agent_error),
        };
        ClosingReport { text, stories: Vec::new(), blocked: Vec::new(), waiting: Vec::new() }
    }
}

impl<'a> Drivable<'a> for PromptRun<'a> {
    type Work = ();

    fn skip(&mut self, story: Option<StoryId>) -> Result<(), RunError> {
        self.control.sink.refuse(Order::Skip { story }, "a prompt loop has no stories");
        Ok(())
    }

    fn apply_orders_while_waiting(&mut self) -> Result<(), RunError> {
        Ok(())
    }

    fn save(&mut self) -> Result<(), RunError> {
        Ok(self.state.save(self.layout)?)
    }

    fn find_work(&mut self) -> Result<NextWork<()>, RunError> {
        if self.is_complete {
            return Ok(NextWork::Complete);
        }
        self.refuse_missing_plan()?;
        Ok(NextWork::Work(()))
    }

    fn iterate(&mut self, attempt: IterationAttempt, (): ()) -> Result<IterationResult, RunError> {
        self.iterate_prompt(attempt)
    }
}
