//! Lines about the run: start, isolation, instructions, waits and the closing screen.

use events::{
    CHECKS, Estimate, LoopEvent, LoopKind, RunEnd, Stamped, StoryBrief, UnusedIsolation, WaitReason,
};
use isolation::{Isolation, NetworkKind};
use project::orders::Order;
use tasks::StoryId;
use unicode_width::UnicodeWidthStr;

use super::{LineRenderer, duration, money};
use super::{StoryTable, story_table};
use crate::report::format::{cost, isolation_text, names, network_text, outcomes, without_checks};
use crate::report::{Line, Role, RunView, blocked, count, estimate, moment, span, waiting};
use crate::run_report::merge_commands;

impl LineRenderer {
    pub(super) fn about_run(&self, stamped: &Stamped, view: &RunView) -> Vec<Line> {
        let marks = self.look.marks;
        match &stamped.event {
            LoopEvent::RunStarted { .. } => self.run_started(&stamped.event),
            LoopEvent::IsolationChosen { agent, isolation, network, passed_over } => {
                self.isolation_chosen(agent, *isolation, *network, passed_over)
            }
            LoopEvent::RunEstimated { estimate } => self.estimated(estimate),
            LoopEvent::LeftoverFound { text } => self.note(Role::Accent, marks.back, text),
            LoopEvent::Warning { text } => self.note(Role::Warn, marks.warning, text),
            LoopEvent::LogAltered { text, .. } => self.note(Role::Alarm, marks.warning, text),
            LoopEvent::StopRequested { signal, text } => {
                self.note(Role::Warn, marks.warning, &format!("{signal}: {text}"))
            }
            LoopEvent::Waiting { reason, text, until } => {
                let left = span(*until - stamped.at);
                let until = moment(*until, stamped.at, self.offset);
                let text = match reason {
                    WaitReason::Pause => format!("{text} ({left})"),
                    WaitReason::Backoff | WaitReason::UsageLimit => {
                        format!("{text}; resuming at {until} (in {left})")
                    }
                };
                self.note(Role::Accent, marks.rest, &text)
            }
            LoopEvent::OrderAccepted { order } => self.order_accepted(order),
            LoopEvent::OrderRefused { order, why } => {
                self.note(Role::Warn, marks.warning, &format!("{}: {why}", order_refused(order)))
            }
            LoopEvent::Paused => {
                let text = "paused; run `ralph-loop resume` to continue";
                self.note(Role::Accent, marks.rest, text)
            }
            LoopEvent::Resumed => self.note(Role::Accent, marks.rest, "resumed"),
            LoopEvent::RunEnded { .. } => self.run_ended(stamped, view),
            _ => Vec::new(),
        }
    }

    fn order_accepted(&self, order: &Order) -> Vec<Line> {
        let text = match order {
            Order::Pause => "pausing after this iteration".to_owned(),
            Order::GoOn => "resuming".to_owned(),
            Order::Skip { story: Some(story) } => format!("skipping {story}"),
            Order::Skip { story: None } => "skipping the next story".to_owned(),
            Order::Stop => "stop requested".to_owned(),
            Order::Steer { text } => {
                format!("instruction for the next implementing session: {text}")
            }
        };
        self.note(Role::Accent, self.look.marks.back, &text)
    }

    fn run_started(&self, event: &LoopEvent) -> Vec<Line> {
        let LoopEvent::RunStarted {
            version,
            kind,
            name,
            branch,
            agent,
            model,
            max_iterations,
            review_cap,
            ceiling_usd,
            max_attempts,
            only_story,
            max_seconds,
            checks,
            resumed,
            stories,
            ..
        } = event
        else {
            return Vec::new();
        };
        let agent = match model {
            Some(model) => format!("{agent} ({model})"),
            None => agent.clone(),
        };
        let most = format!("up to {}", count(*max_iterations, "iteration", "iterations"));
        let mut bounds = match kind {
            LoopKind::Stories => {
                let all = count(stories.len() as u64, "story", "stories");
                let limited = only_story.iter().map(|story| format!("limited to {story}"));
                let listed = format!("{all}, {} done", done(stories));
                [listed].into_iter().chain(limited).chain([most, reviews(*review_cap)]).collect()
            }
            LoopKind::Plan => vec!["plan loop".into(), most],
            LoopKind::Build => vec!["build loop".into(), most],
            LoopKind::Prompt => vec!["prompt loop".into(), most],
        };
        bounds.extend(
            max_attempts.map(|most| {
                format!("up to {}", count(most, "attempt a story", "attempts a story"))
            }),
        );
        bounds.extend(max_seconds.map(|seconds| format!("up to {}", duration(seconds))));
        bounds.extend(ceiling_usd.map(|usd| format!("up to {}", money(usd))));
        let mut head = vec![(Role::Strong, name.clone())];
        head.extend((!branch.is_empty()).then(|| (Role::Plain, format!("branch {branch}"))));
        head.push((Role::Plain, agent));
        head.push((Role::Dim, format!("ralph-loop {version}")));
        let mut lines = self.flow(Line::empty(), head);
        let bounds = bounds.into_iter().map(|text| (Role::Dim, text));
        lines.extend(self.flow(Line::indented(2), bounds));
        if let Some(text) = without_checks(*checks, *kind, *review_cap) {
            lines.extend(self.note(Role::Warn, self.look.marks.warning, text));
        }
        if let Some(resumed) = resumed {
            let so_far = count(resumed.iterations, "iteration", "iterations");
            let spent =
                (resumed.cost_usd > 0.0).then(|| format!(" and {}", money(resumed.cost_usd)));
            let text = format!("resumed after {so_far}{}", spent.unwrap_or_default());
            lines.extend(self.note(Role::Accent, self.look.marks.back, &text));
        }
        lines
    }

    /// `isolation: os: …`, and why stronger kinds are not used.
    fn isolation_chosen(
        &self,
        agent: &str,
        isolation: Isolation,
        network: Option<NetworkKind>,
        passed_over: &[UnusedIsolation],
    ) -> Vec<Line> {
        let marks = self.look.marks;
        let (role, mark) = match isolation {
            Isolation::Docker | Isolation::Container | Isolation::Os => (Role::Dim, marks.start),
            Isolation::Guard | Isolation::Open => (Role::Warn, marks.warning),
        };
        let of = if agent == CHECKS { " of checks" } else { "" };
        let network = network.map(|kind| format!(", {}", network_text(kind))).unwrap_or_default();
        let text = format!("isolation{of}: {}{network}", isolation_text(agent, isolation));
        let mut lines = self.note(role, mark, &text);
        for passed in passed_over {
            let text = format!("{} not used: {}", passed.isolation, passed.why);
            lines.extend(self.text_block(&text, 6, Role::Dim));
        }
        lines
    }

    fn estimated(&self, estimate: &Estimate) -> Vec<Line> {
        let marks = self.look.marks;
        let mut lines =
            self.note(Role::Dim, marks.start, &format!("estimate: {}", estimate::words(estimate)));
        if let Some(short) = estimate::shortfall(estimate) {
            lines.extend(self.note(Role::Warn, marks.warning, &short));
        }
        lines
    }

    fn run_ended(&self, stamped: &Stamped, view: &RunView) -> Vec<Line> {
        let LoopEvent::RunEnded {
            end,
            exit_code,
            text,
            stories,
            blocked: reasons,
            waiting: reported,
            ..
        } = &stamped.event
        else {
            return Vec::new();
        };
        let mut lines = vec![Line::empty(), self.end_header(*end, *exit_code)];
        lines.extend(self.text_block(text, 2, Role::Plain));
        let waits = waiting(stories, reported);
        let blocked = blocked(&waits, stories);
        if !stories.is_empty() {
            lines.push(Line::empty());
            let max_attempts = view.start.as_ref().and_then(|start| start.max_attempts);
            let verdicts = &view.verdicts;
            let cost = view.cost();
            let about = StoryTable { stories, max_attempts, blocked: &blocked, verdicts, cost };
            lines.extend(story_table(about, &self.look, 2));
        }
        lines.push(Line::empty());
        lines.extend(self.flow(Line::indented(2), totals(stamped, view)));
        let blocked = blocked.iter().map(|story| (story, &waits[story][..]));
        lines.extend(self.troubles(stories, blocked, reasons));
        if *end == RunEnd::Complete {
            lines.extend(self.merge_commands(view));
        }
        lines.extend(self.where_to_look(&stamped.run, view));
        lines
    }

    /// The commands that merge the work into the branch that the run began on.
    fn merge_commands(&self, view: &RunView) -> Vec<Line> {
        let commands = view
            .start
            .as_ref()
            .and_then(|start| merge_commands(&start.branch, start.base.as_deref()));
        let Some(commands) = commands else { return Vec::new() };
        let head = Line::indented(2).with(Role::Strong, "merge the work:");
        let commands = commands.map(|command| Line::indented(4).with(Role::Accent, command));
        [Line::empty(), head].into_iter().chain(commands).collect()
    }

    fn end_header(&self, end: RunEnd, exit_code: u8) -> Line {
        let marks = self.look.marks;
        let (role, mark) = match end {
            RunEnd::Complete => (Role::Good, marks.ok),
            RunEnd::Stopped | RunEnd::Interrupted | RunEnd::Terminated | RunEnd::HungUp => {
                (Role::Warn, marks.warning)
            }
            _ => (Role::Bad, marks.failed),
        };
        let rule = Line::empty().with(role, format!("{0}{0} {mark} {end}", marks.rule));
        match exit_code {
            0 => rule,
            code => rule.with(Role::Dim, format!("  exit code {code}")),
        }
    }

    /// Failed stories and their dependants; without failures, the run's own reasons.
    fn troubles<'s>(
        &self,
        stories: &[StoryBrief],
        blocked: impl Iterator<Item = (&'s StoryId, &'s [StoryId])>,
        reasons: &[String],
    ) -> Vec<Line> {
        let warning = |text: &str| self.note(Role::Warn, self.look.marks.warning, text);
        let failed = self.failed_stories(stories);
        if failed.is_empty() && !reasons.is_empty() {
            return reasons.iter().flat_map(|reason| warning(reason)).collect();
        }
        let gap = (!failed.is_empty()).then(Line::empty);
        let waiting = blocked.flat_map(|(story, waits_for)| {
            warning(&format!("{story} waits for {}", names(waits_for)))
        });
        gap.into_iter().chain(failed).chain(waiting).collect()
    }

    fn where_to_look(&self, run: &str, view: &RunView) -> Vec<Line> {
        let start = view.start.as_ref();
        let folder = format!(".ralph/runs/{run}/");
        let results = match start.map_or(LoopKind::Stories, |start| start.kind) {
            LoopKind::Stories => "results of each story and next steps",
            _ => "results and next steps",
        };
        let mut places = vec![
            ("ralph-loop report".to_owned(), results),
            (folder, "report.md, session.log, and all events, prompts and answers"),
            ("ralph-loop status".to_owned(), "current state"),
        ];
        if let Some(start) = start.filter(|start| !start.branch.is_empty()) {
            places.push((format!("git log {}", start.branch), "commits of the run"));
        }
        let widest = places.iter().map(|(place, _)| place.chars().count()).max().unwrap_or(0);
        let lines = places.into_iter().map(|(place, what)| {
            let line = Line::indented(2).with(Role::Accent, format!("{place:widest$}  "));
            self.one_line(line.with(Role::Dim, what))
        });
        std::iter::once(Line::empty()).chain(lines).collect()
    }

    /// A mark and a text of one or more lines.
    pub(super) fn note(&self, role: Role, mark: &str, text: &str) -> Vec<Line> {
        self.toned_note(role, mark, Role::Plain, text)
    }

    /// A note whose text has its own role.
    pub(super) fn toned_note(&self, role: Role, mark: &str, tone: Role, text: &str) -> Vec<Line> {
        let indent = 2 + mark.width() + 1;
        let mut block = self.text_block(text, indent, tone).into_iter();
        let Some(first) = block.next() else { return Vec::new() };
        let first = Line::indented(2).with(role, mark).append(first.without_indent(indent - 1));
        std::iter::once(first).chain(block).collect()
    }
}

fn reviews(cap: Option<u64>) -> String {
    match cap {
        Some(cap) => format!("up to {}", count(cap, "review a story", "reviews a story")),
        None => "no reviews".into(),
    }
}

/// `view` is the state before this event.
fn totals(stamped: &Stamped, view: &RunView) -> Vec<(Role, String)> {
    let LoopEvent::RunEnded { iterations, accepted, failed, cost_usd, stories, .. } =
        &stamped.event
    else {
        return Vec::new();
    };
    let mut totals = Vec::new();
    if !stories.is_empty() {
        totals.push((Role::Strong, format!("{} of {} done", done(stories), stories.len())));
    }
    totals.push((Role::Plain, count(*iterations, "iteration", "iterations")));
    totals.extend(outcomes(*accepted, *failed).map(|text| (Role::Plain, text)));
    let worked = view.worked.after(stamped.at, &stamped.event);
    totals.push((Role::Plain, duration(worked.seconds())));
    let known = *cost_usd > 0.0 || view.cost().is_some();
    totals.push((Role::Plain, cost(known.then_some(*cost_usd))));
    totals
}

fn done(stories: &[StoryBrief]) -> usize {
    stories.iter().filter(|story| story.passes).count()
}

fn order_refused(order: &Order) -> String {
    match order {
        Order::Skip { story: Some(story) } => format!("{story} was not skipped"),
        Order::Skip { story: None } => "no story was skipped".to_owned(),
        Order::Steer { text } => format!("instruction not sent ({text})"),
        Order::Pause | Order::GoOn | Order::Stop => "not applied".to_owned(),
    }
}
