//! The run: start, isolation, orders, waits, time limits and end.

use chrono::{DateTime, FixedOffset, Utc};
use isolation::Isolation;
use project::orders::Order;

use super::{Mark, Statement};
use crate::format::{
    count, duration, isolation_text, moment, money, network_text, run_end, span, without_checks,
};
use crate::{
    CHECKS, Estimate, LoopEvent, LoopKind, Pause, PendingOrders, PullRequestOutcome,
    PullRequestResult, Resumed, Role, RunEnd, RunEnded, RunStart, StoryBrief, TimedTask,
    WaitReason, WaitView,
};

pub(super) fn started(
    start: &RunStart,
    program: &str,
    resumed: Option<&Resumed>,
    stories: &[StoryBrief],
) -> Vec<Statement> {
    let RunStart { branch, agent, review_cap, .. } = start;
    let model = start.model.as_ref().map(|model| format!(" ({model})")).unwrap_or_default();
    let mut head = vec![(Role::Strong, start.name.clone())];
    head.extend((!branch.is_empty()).then(|| (Role::Plain, format!("branch {branch}"))));
    head.push((Role::Plain, format!("{agent}{model}")));
    head.push((Role::Dim, format!("ralph-loop {}", start.version)));
    let up_to = |most, one, many| format!("up to {}", count(most, one, many));
    let most = up_to(start.max_iterations, "iteration", "iterations");
    let mut bounds = match start.kind {
        LoopKind::Stories => {
            let all = count(stories.len() as u64, "story", "stories");
            let done = stories.iter().filter(|story| story.passes).count();
            let reviews = review_cap.map_or("no reviews".to_owned(), |cap| {
                up_to(cap, "review a story", "reviews a story")
            });
            let limited = start.only_story.iter().map(|story| format!("limited to {story}"));
            [format!("{all}, {done} done")]
                .into_iter()
                .chain(limited)
                .chain([most, reviews])
                .collect()
        }
        LoopKind::Plan => vec!["plan loop".into(), most],
        LoopKind::Build => vec!["build loop".into(), most],
        LoopKind::Prompt => vec!["prompt loop".into(), most],
    };
    let attempts = start.max_attempts;
    bounds.extend(attempts.map(|most| up_to(most, "attempt a story", "attempts a story")));
    bounds.extend(start.max_seconds.map(|seconds| format!("up to {}", duration(seconds))));
    bounds.extend(start.ceiling_usd.map(|usd| format!("up to {}", money(usd))));
    let bounds = bounds.into_iter().map(|text| (Role::Dim, text));
    let mut statements = vec![
        Statement::parts(head).at(0),
        Statement::parts(bounds),
        Statement::verbose(format!("project: {}", start.project)),
        Statement::verbose(format!("agent: {agent} ({program})")),
    ];
    statements
        .extend(without_checks(start.checks, start.kind, *review_cap).map(Statement::warning));
    if let Some(resumed) = resumed {
        let so_far = count(resumed.iterations, "iteration", "iterations");
        let spent = (resumed.cost_usd > 0.0).then(|| format!(" and {}", money(resumed.cost_usd)));
        let text = format!("resumed after {so_far}{}", spent.unwrap_or_default());
        statements.push(Statement::note(Role::Accent, Mark::Back, text));
    }
    statements
}

/// `isolation: os: …`, and why stronger kinds are not used.
pub(super) fn isolation_chosen(event: &LoopEvent) -> Vec<Statement> {
    let LoopEvent::IsolationChosen { agent, isolation, network, passed_over } = event else {
        return Vec::new();
    };
    let (role, mark) = match isolation {
        Isolation::Docker | Isolation::Container | Isolation::Os => (Role::Dim, Mark::Start),
        Isolation::Guard | Isolation::Open => (Role::Warn, Mark::Warning),
    };
    let of = if agent == CHECKS { " of checks" } else { "" };
    let network = network.map(|kind| format!(", {}", network_text(kind))).unwrap_or_default();
    let text = format!("isolation{of}: {}{network}", isolation_text(agent, *isolation));
    let passed_over = passed_over.iter().map(|passed| {
        Statement::below(Role::Dim, format!("{} not used: {}", passed.isolation, passed.why))
    });
    std::iter::once(Statement::note(role, mark, text)).chain(passed_over).collect()
}

pub(super) fn estimated(estimate: &Estimate) -> Vec<Statement> {
    let text = format!("estimate: {}", estimate.in_words());
    let shortfall = estimate.shortfall().map(Statement::warning);
    std::iter::once(Statement::note(Role::Dim, Mark::Start, text)).chain(shortfall).collect()
}

pub(super) fn order_accepted(order: &Order) -> Statement {
    let text = match order {
        Order::Pause => "pausing after this iteration".to_owned(),
        Order::GoOn => "resuming".to_owned(),
        Order::Skip { story: Some(story) } => format!("skipping {story}"),
        Order::Skip { story: None } => "skipping the next story".to_owned(),
        Order::Stop => "stop requested".to_owned(),
        Order::Steer { text, story: None } => {
            format!("instruction for the next implementing session: {text}")
        }
        Order::Steer { text, story: Some(story) } => {
            format!("instruction for the next implementing session of {story}: {text}")
        }
        Order::Answer { story, text, .. } => format!("answer for {story}: {text}"),
    };
    Statement::note(Role::Accent, Mark::Back, text)
}

/// Accepted orders that the run has not applied yet, sanitized. Whether it is paused is not among them.
pub fn pending_orders(orders: &PendingOrders) -> Vec<String> {
    let pause =
        (orders.pause == Pause::Requested).then(|| "pausing after this iteration".to_owned());
    let skips = orders.skips.iter().map(|story| format!("skipping {story}"));
    let steers = orders.steers.iter().map(|steer| {
        let story = steer.story.as_ref().map(|story| format!(" of {story}")).unwrap_or_default();
        format!("instruction for the next session{story}: {}", sanitize::line(&steer.text))
    });
    pause.into_iter().chain(skips).chain(steers).collect()
}

pub(super) fn order_refused(order: &Order, why: &str) -> Statement {
    let what = match order {
        Order::Skip { story: Some(story) } => format!("{story} was not skipped"),
        Order::Skip { story: None } => "no story was skipped".to_owned(),
        Order::Steer { text, .. } => format!("instruction not sent ({text})"),
        Order::Answer { story, text, .. } => format!("answer for {story} not used ({text})"),
        Order::Pause | Order::GoOn | Order::Stop => "not applied".to_owned(),
    };
    Statement::warning(format!("{what}: {why}"))
}

pub(super) fn waiting(wait: &WaitView, now: DateTime<Utc>, offset: FixedOffset) -> Statement {
    let WaitView { reason, text, until } = wait;
    let left = span(*until - now);
    let text = match reason {
        WaitReason::Pause => format!("{text} ({left})"),
        WaitReason::Backoff | WaitReason::UsageLimit => {
            format!("{text}; resuming at {} (in {left})", moment(*until, now, offset))
        }
    };
    Statement::note(Role::Accent, Mark::Rest, text)
}

pub(super) fn time_warning(what: TimedTask, soft: f64, hard: Option<f64>) -> Statement {
    let hard = hard.map(|at| format!("; hard limit {}", duration(at))).unwrap_or_default();
    let text = format!("{what} passed its soft limit ({}){hard}", duration(soft));
    Statement::note(Role::Warn, Mark::Clock, text)
}

pub(super) fn ended(ended: &RunEnded) -> Vec<Statement> {
    let RunEnded { end, exit_code, text, stories, .. } = ended;
    let (role, mark) = match end {
        RunEnd::Complete => (Role::Good, Mark::Ok),
        RunEnd::Stopped | RunEnd::Interrupted | RunEnd::Terminated | RunEnd::HungUp => {
            (Role::Warn, Mark::Warning)
        }
        _ => (Role::Bad, Mark::Failed),
    };
    let head = Statement::marked(role, Mark::Rule).at(0).with_mark(role, mark);
    let head = head.with(role, run_end(*end, stories));
    let head = match exit_code {
        0 => head,
        code => head.with(Role::Dim, format!("  exit code {code}")),
    };
    vec![Statement::blank(), head, Statement::text(Role::Plain, text)]
}

pub(super) fn pull_request(result: &PullRequestResult) -> Vec<Statement> {
    let PullRequestResult { outcome, branch, url, text, .. } = result;
    let what = match outcome {
        PullRequestOutcome::Created => "opened",
        PullRequestOutcome::Updated => "updated",
        PullRequestOutcome::Unchanged => "unchanged",
        PullRequestOutcome::Failed => {
            let text = format!("no pull request: {text}");
            let safe = format!("the work is on branch {branch}; `ralph-loop pr` tries again");
            let failed = Statement::note(Role::Warn, Mark::Warning, sanitize::line(&text));
            return vec![failed, Statement::text(Role::Plain, sanitize::line(&safe))];
        }
    };
    let text = format!("pull request {what}: {}", url.as_deref().unwrap_or_default());
    vec![Statement::note(Role::Good, Mark::Ok, sanitize::line(&text))]
}
