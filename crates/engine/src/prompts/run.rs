//! One run of a prompt loop, driven by `drive`.

use std::collections::BTreeSet;
use std::time::Duration;

use events::RunEnd;
use project::orders::Order;
use project::{Layout, RunLock};
use vcs::WorkTree;

use crate::clock::RunClock;
use crate::decide::{Counters, IterationAttempt, IterationResult, NextWork};
use crate::drive::Drivable;
use crate::event_sink::EventSink;
use crate::finish::ClosingReport;
use crate::isolation::docker::DockerSandbox;
use crate::options::{PromptOptions, PromptSource, RunOptions};
use crate::orders::Orders;
use crate::prompts::acceptance::Acceptance;
use crate::prompts::plan::Plan;
use crate::prompts::settings_snapshot::SettingsSnapshot;
use crate::prompts::state::PromptState;
use crate::prompts::template::{self, PromptContext};
use crate::session_context::SessionContext;
use crate::user_instructions::UserInstructions;
use crate::variables::ExpandedText;
use crate::{RunError, StopSwitch, end_text};

pub(crate) struct PromptRun<'a> {
    pub(crate) options: &'a PromptOptions,
    pub(crate) layout: &'a Layout,
    /// `None` if the project has no git and the loop needs none.
    pub(crate) tree: Option<WorkTree>,
    /// The user's settings at the start of the run.
    pub(crate) settings_snapshot: SettingsSnapshot,
    pub(crate) branch: String,
    pub(crate) state: PromptState,
    pub(crate) switch: &'a StopSwitch,
    pub(crate) sink: EventSink<'a>,
    pub(crate) is_complete: bool,
    pub(crate) clock: RunClock,
    pub(crate) orders: Orders,
    /// Time that the current iteration spent in guardrails.
    pub(crate) check_time: Duration,
    /// The agent's last error message.
    pub(crate) agent_error: String,
    /// Unknown variables that a warning already named.
    pub(crate) warned_unknown: BTreeSet<String>,
    /// Held until the run ends; a dry run needs none.
    pub(crate) lock: Option<RunLock>,
    /// Decides instead of the agent whether the work is done.
    pub(crate) acceptance: Option<&'a mut dyn Acceptance>,
    /// The sandbox in which the agent works, if it does not work on the host.
    pub(crate) sandbox: Option<DockerSandbox>,
}

impl<'a> PromptRun<'a> {
    pub(crate) fn session_context(&mut self) -> SessionContext<'_, 'a> {
        SessionContext {
            options: &self.options.run,
            run_id: &self.state.run_id,
            switch: self.switch,
            sink: &self.sink,
            clock: &mut self.clock,
            orders: &mut self.orders,
            sandbox: self.sandbox.as_mut(),
        }
    }

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

impl<'a> Drivable<'a> for PromptRun<'a> {
    type Work = ();

    fn options(&self) -> &'a RunOptions {
        &self.options.run
    }

    fn switch(&self) -> &'a StopSwitch {
        self.switch
    }

    fn run_id(&self) -> String {
        self.state.run_id.clone()
    }

    fn sink(&self) -> &EventSink<'a> {
        &self.sink
    }

    fn counters(&mut self) -> &mut Counters {
        &mut self.state.counters
    }

    fn clock(&mut self) -> &mut RunClock {
        &mut self.clock
    }

    fn orders(&mut self) -> &mut Orders {
        &mut self.orders
    }

    fn instructions(&mut self) -> &mut UserInstructions {
        &mut self.state.user_instructions
    }

    fn accept_orders(&mut self) -> Result<(), RunError> {
        self.session_context().apply_orders();
        let taken = self.orders.accepted();
        if taken.is_empty() {
            return Ok(());
        }
        for order in taken {
            match order {
                Order::Steer { text } => {
                    self.state.user_instructions.add_or_refuse(text, &self.sink)
                }
                skip @ Order::Skip { .. } => self.sink.refuse(skip, "a prompt loop has no stories"),
                Order::Pause | Order::GoOn | Order::Stop => {}
            }
        }
        self.save()?;
        self.orders.remove_accepted(&self.sink);
        Ok(())
    }

    fn report_stop(&mut self) {
        self.orders.report_stop(self.switch, &self.sink);
    }

    fn apply_orders_while_waiting(&mut self) -> Result<(), RunError> {
        Ok(())
    }

    fn save(&mut self) -> Result<(), RunError> {
        Ok(self.state.save(self.layout)?)
    }

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
            _ => end_text::of(end, &self.options.run.policy, spent, &self.agent_error),
        };
        ClosingReport { text, stories: Vec::new(), blocked: Vec::new(), waiting: Vec::new() }
    }

    fn is_unjudged(&self) -> bool {
        false
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
