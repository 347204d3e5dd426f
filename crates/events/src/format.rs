//! Formats numbers, times and states for people.

use chrono::{DateTime, FixedOffset, TimeDelta, Utc};
use isolation::{Isolation, NetworkKind};
use tasks::{ReviewStatus, StoryId};

use crate::{
    AgentOutcome, CHECKS, CheckOutcome, ChecksWithout, GiveUpReason, GivenUp, IterationStatus,
    LoopKind, QualityOutcome, Role, RunEnd, StoryBrief, StoryCommits, Stuck, Verdict,
};

/// In place of a number that no agent reported.
pub const UNKNOWN: &str = "unknown";

pub fn money(usd: f64) -> String {
    if usd > 0.0 && usd < 0.005 { "<$0.01".into() } else { format!("${:.2}", usd.max(0.0)) }
}

/// `$0.42`, or `cost unknown`.
pub fn cost(usd: Option<f64>) -> String {
    usd.map_or_else(|| "cost unknown".into(), money)
}

/// The same in a column with a heading.
pub fn cost_cell(usd: Option<f64>) -> String {
    usd.map_or_else(|| UNKNOWN.into(), money)
}

/// `8s`, `4m 12s`, `1h 02m`.
pub fn duration(seconds: f64) -> String {
    // Float casts saturate; NaN becomes 0.
    let seconds = seconds.round() as u64;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, _) if seconds == 0 => "0s".into(),
        (0, 0, s) => format!("{s}s"),
        (0, m, s) => format!("{m}m {s:02}s"),
        (h, m, _) => format!("{h}h {m:02}m"),
    }
}

/// A duration, past or future; never negative, because clocks are adjusted.
pub fn span(delta: TimeDelta) -> String {
    duration((delta.num_milliseconds().max(0) as f64) / 1000.0)
}

pub fn age(at: DateTime<Utc>, now: DateTime<Utc>) -> String {
    match now - at {
        delta if delta < TimeDelta::seconds(2) => "just now".into(),
        delta => format!("{} ago", span(delta)),
    }
}

/// `14:30`, or `Nov 16 14:30` on another day than `now`.
pub fn moment(at: DateTime<Utc>, now: DateTime<Utc>, offset: FixedOffset) -> String {
    let (at, now) = (at.with_timezone(&offset), now.with_timezone(&offset));
    // `chrono`'s local date does not cover the whole range of a `DateTime`.
    let day = |moment: &DateTime<FixedOffset>| moment.format("%F").to_string();
    let form = if day(&at) == day(&now) { "%H:%M" } else { "%b %-d %H:%M" };
    at.format(form).to_string()
}

/// `8s`, `4m12s`, `1h2m`: compact, for use among other numbers.
pub fn brief_duration(seconds: f64) -> String {
    let seconds = seconds.round() as u64;
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, s) => format!("{s}s"),
        (0, m, s) => format!("{m}m{s}s"),
        (h, m, _) => format!("{h}h{m}m"),
    }
}

/// `950`, `84K`, `1.2M`.
pub fn tokens(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..999_500 => format!("{:.0}K", count as f64 / 1e3),
        _ => format!("{:.1}M", count as f64 / 1e6),
    }
}

/// Of whole sessions, which always need tokens: 0 means that no agent reported them.
pub fn session_tokens(count: u64) -> String {
    if count == 0 { UNKNOWN.into() } else { tokens(count) }
}

/// The same with more precision, for the parts of a sum: `950`, `4.2K`, `84K`.
pub fn part_of_tokens(count: u64) -> String {
    match count {
        1_000..9_950 => format!("{:.1}K", count as f64 / 1e3),
        _ => tokens(count),
    }
}

pub fn per_cent(part: u64, whole: u64) -> String {
    format!("{:.0}%", 100.0 * part as f64 / whole.max(1) as f64)
}

/// `1 story`, `2 stories`.
pub fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

pub fn review_state(passes: bool, review: ReviewStatus) -> (Role, &'static str) {
    match (passes, review) {
        // In a lane.
        (false, ReviewStatus::Approved) => (Role::Accent, "approved, not merged"),
        (true, ReviewStatus::Approved) => (Role::Good, "approved"),
        (true, ReviewStatus::NeedsReview) => (Role::Good, "awaits review"),
        (false, ReviewStatus::NeedsReview) => (Role::Accent, "awaits review"),
        (true, ReviewStatus::ChangesRequested) => (Role::Good, "changes requested"),
        (false, ReviewStatus::ChangesRequested) => (Role::Warn, "changes requested"),
        (true, ReviewStatus::NotSubmitted) => (Role::Good, "passes"),
        (false, ReviewStatus::NotSubmitted) => (Role::Plain, "open"),
    }
}

/// The state of a story with an open question.
pub const ANSWER_NEEDED: &str = "waits for an answer";

/// The state of a story. `blocked` if it depends on a failed one; with its last verdict, if known.
pub fn story_state(
    story: &StoryBrief,
    blocked: bool,
    verdict: Option<Verdict>,
) -> (Role, &'static str) {
    match (story.passes, given_up(story), blocked) {
        (_, GiveUpState::Failed, _) => (Role::Bad, "failed"),
        (_, GiveUpState::Skipped, _) => (Role::Dim, "skipped"),
        (false, GiveUpState::No, _) if story.question.is_some() => (Role::Warn, ANSWER_NEEDED),
        (false, GiveUpState::No, true) => (Role::Warn, "blocked"),
        (true, ..) if verdict == Some(Verdict::ApprovedAtCap) => {
            review_verdict(Verdict::ApprovedAtCap)
        }
        _ => review_state(story.passes, story.review_status),
    }
}

/// Why an unfinished story is not worked on any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GiveUpState {
    No,
    Failed,
    /// The user skipped it; it did not fail.
    Skipped,
}

pub fn given_up(story: &StoryBrief) -> GiveUpState {
    match &story.given_up {
        Some(GivenUp { reason: GiveUpReason::Skipped, .. }) if !story.passes => {
            GiveUpState::Skipped
        }
        Some(_) if !story.passes => GiveUpState::Failed,
        _ => GiveUpState::No,
    }
}

/// Says so if every story that was given up was skipped.
pub fn run_end(end: RunEnd, stories: &[StoryBrief]) -> String {
    let is_any = |wanted| stories.iter().any(|story| given_up(story) == wanted);
    let is_skipped = is_any(GiveUpState::Skipped) && !is_any(GiveUpState::Failed);
    match end {
        RunEnd::StoriesFailed if is_skipped => "stories skipped".to_owned(),
        _ => end.to_string(),
    }
}

/// `US-1, US-2 and US-3`
pub fn names(ids: &[StoryId]) -> String {
    listed(&ids.iter().map(StoryId::as_str).collect::<Vec<_>>())
}

/// `a, b and c`
pub fn listed(names: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match &names[..] {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// A shortened commit or tree id.
pub fn short_id(id: &str) -> String {
    id.chars().take(10).collect()
}

/// Why a story was given up, if the number of attempts does not say it.
pub fn given_up_reason(given_up: &GivenUp) -> &'static str {
    match given_up.reason {
        GiveUpReason::Stuck if given_up.attempts < given_up.of => "given up early: stuck",
        GiveUpReason::AttemptsUsed | GiveUpReason::Stuck => "",
        GiveUpReason::ReviewCap => "review limit reached",
        GiveUpReason::Skipped => "skipped by the user",
    }
}

/// `same error 5x, 2 strategy shifts failed`; `None` if the story is not stuck.
pub fn stuck(stuck: Stuck) -> Option<String> {
    let Stuck::Yes { repeats, strategy_shifts } = stuck else { return None };
    let shifts = match strategy_shifts {
        0 => "no strategy shift".to_owned(),
        shifts => format!("{} failed", count(shifts, "strategy shift", "strategy shifts")),
    };
    Some(format!("same error {repeats}x, {shifts}"))
}

/// What the runner did with a story's commits on the branch of the run; `name` formats a name.
pub fn story_commits(commits: &StoryCommits, run: &str, name: impl Fn(&str) -> String) -> String {
    let run = name(run);
    match commits {
        StoryCommits::Nothing => format!("{run} has no commits of it"),
        StoryCommits::Rewound => format!("{run} was reset to where the story began"),
        StoryCommits::Reverted { commit, checks } => {
            let undone =
                format!("its commits are reverted on {run} by {}", name(&short_id(commit)));
            match checks {
                ChecksWithout::Failed { command, error, .. } => {
                    format!("{undone}, and without them {} fails: {}", name(command), name(error))
                }
                ChecksWithout::Passed | ChecksWithout::NotRun => undone,
            }
        }
        StoryCommits::Kept { conflicts } => {
            let files: Vec<String> = conflicts.iter().map(|path| name(path)).collect();
            let files = if files.is_empty() { "them".to_owned() } else { listed(&files) };
            format!("its commits stay on {run}, because later work builds on {files}")
        }
    }
}

/// `None` for a quality review with a result.
pub fn quality_failure(outcome: QualityOutcome) -> Option<&'static str> {
    match outcome {
        QualityOutcome::Checked => None,
        QualityOutcome::TimedOut => Some("timed out"),
        QualityOutcome::Failed => Some("gave an unreadable answer"),
        QualityOutcome::Stopped => Some("was stopped"),
    }
}

/// How an iteration ended; `verdict` if it was a review.
pub fn iteration_status(status: IterationStatus, verdict: Option<Verdict>) -> (Role, &'static str) {
    match status {
        IterationStatus::Accepted => verdict.map_or((Role::Good, "accepted"), review_verdict),
        IterationStatus::NoProgress => (Role::Warn, "no progress"),
        IterationStatus::Asked => (Role::Accent, "asked a question"),
        IterationStatus::Reverted => (Role::Bad, "reverted"),
        IterationStatus::ChecksFailed => (Role::Bad, "checks failed"),
        IterationStatus::Void => (Role::Bad, "verdict void"),
        IterationStatus::TimedOut => (Role::Bad, "timed out"),
        IterationStatus::Retried => (Role::Warn, "the agent failed; retried"),
        IterationStatus::Failed => (Role::Bad, "the agent failed"),
        IterationStatus::Stopped => (Role::Warn, "stopped"),
    }
}

pub fn review_verdict(verdict: Verdict) -> (Role, &'static str) {
    match verdict {
        Verdict::Approved => (Role::Good, "approved"),
        Verdict::ApprovedAtCap => (Role::Warn, "auto-approved at cap"),
        Verdict::ChangesRequested => (Role::Warn, "changes requested"),
    }
}

/// A note on what decides without checks; `None` if checks are configured, or if that is unknown.
pub fn without_checks(
    checks: Option<u64>,
    kind: LoopKind,
    review_cap: Option<u64>,
) -> Option<&'static str> {
    let decides = match (kind, review_cap) {
        (LoopKind::Stories, Some(_)) => {
            "no checks are configured: only reviews decide what is done"
        }
        (LoopKind::Stories, None) => {
            "no checks are configured and reviews are off: only the agent decides what is done"
        }
        (LoopKind::Plan | LoopKind::Build | LoopKind::Prompt, _) => {
            "no checks are configured: only the agent decides what is done"
        }
    };
    (checks == Some(0)).then_some(decides)
}

/// `3 accepted, 1 failed`; `None` if both are 0.
pub fn outcomes(accepted: u64, failed: u64) -> Option<String> {
    let classes = [(accepted, "accepted"), (failed, "failed")];
    let some = classes.into_iter().filter(|(number, _)| *number > 0);
    let parts: Vec<String> = some.map(|(number, what)| format!("{number} {what}")).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

pub fn agent_outcome(outcome: AgentOutcome) -> &'static str {
    match outcome {
        AgentOutcome::Answered => "answered",
        AgentOutcome::EmptyAnswer => "gave an empty answer",
        AgentOutcome::TurnLimit => "reached its turn limit",
        AgentOutcome::BudgetExhausted => "reached its budget",
        AgentOutcome::UsageLimit => "reached the usage limit",
        AgentOutcome::PromptTooLong => "got a prompt that is too long",
        AgentOutcome::LoginNeeded => "is not logged in",
        AgentOutcome::ApiError => "failed with an API error",
        AgentOutcome::Crashed => "crashed",
        AgentOutcome::TimedOut => "timed out",
        AgentOutcome::Stopped => "was stopped",
        AgentOutcome::RunnerDied => "ended when the runner was killed",
    }
}

/// `None` if the check passed.
pub fn check_failure(outcome: CheckOutcome) -> Option<String> {
    match outcome {
        CheckOutcome::Passed => None,
        CheckOutcome::Failed(Some(code)) => Some(format!("exit code {code}")),
        CheckOutcome::Failed(None) => Some("ended by a signal".into()),
        CheckOutcome::TimedOut => Some("timed out".into()),
        CheckOutcome::NotStarted => Some("could not be started".into()),
    }
}

/// The isolation of an agent or of the checks, in a line.
pub fn isolation_text(agent: &str, isolation: Isolation) -> String {
    match isolation {
        Isolation::Docker => "docker: a separate virtual machine".into(),
        Isolation::Container => "container: a new container for every session and check".into(),
        Isolation::Guard => "guard: command filter only, no sandbox".into(),
        Isolation::Os => "os: the sandbox of the operating system for every process".into(),
        Isolation::Open if agent == CHECKS => "none: checks run with your permissions".into(),
        Isolation::Open => format!("none: {agent} runs unrestricted with your permissions"),
    }
}

/// The network access of a sandbox.
pub fn network_text(network: NetworkKind) -> &'static str {
    match network {
        NetworkKind::Open => "network open",
        NetworkKind::Allowlist => "network limited to package registries and allowed hosts",
        NetworkKind::None => "no network",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_get_coarser_as_they_get_longer() {
        let texts = [0.0, 0.4, 8.2, 59.6, 252.0, 3720.0, 90_000.0, -5.0, f64::NAN].map(duration);
        assert_eq!(texts, ["0s", "0s", "8s", "1m 00s", "4m 12s", "1h 02m", "25h 00m", "0s", "0s"]);
    }

    #[test]
    fn money_tokens_and_counts() {
        assert_eq!([0.0, 0.001, 0.42, 1234.5].map(money), ["$0.00", "<$0.01", "$0.42", "$1234.50"]);
        assert_eq!([None, Some(0.0)].map(cost), ["cost unknown", "$0.00"]);
        assert_eq!([None, Some(0.0)].map(cost_cell), ["unknown", "$0.00"]);
        assert_eq!([0, 950].map(session_tokens), ["unknown", "950"]);
        assert_eq!([950, 84_200, 999_600, 1_250_000].map(tokens), ["950", "84K", "1.0M", "1.2M"]);
        assert_eq!(per_cent(84, 200), "42%");
        assert_eq!(count(1, "story", "stories"), "1 story");
        assert_eq!(count(0, "story", "stories"), "0 stories");
    }

    #[test]
    fn zero_counts_are_omitted() {
        assert_eq!(outcomes(3, 1).unwrap(), "3 accepted, 1 failed");
        assert_eq!(outcomes(0, 1).unwrap(), "1 failed");
        assert_eq!(outcomes(2, 0).unwrap(), "2 accepted");
        assert_eq!(outcomes(0, 0), None);
    }

    #[test]
    fn a_story_that_a_person_skipped_did_not_fail() {
        let mut story = crate::samples::story("US-1", "one", ReviewStatus::NotSubmitted, 0);
        let given_up = |reason| Some(crate::samples::given_up(reason, StoryCommits::Nothing));
        story.given_up = given_up(GiveUpReason::Skipped);
        assert_eq!(story_state(&story, false, None), (Role::Dim, "skipped"));
        let end = |stories: &[StoryBrief]| run_end(RunEnd::StoriesFailed, stories);
        assert_eq!(end(std::slice::from_ref(&story)), "stories skipped");
        let skipped = story.clone();
        story.given_up = given_up(GiveUpReason::Stuck);
        assert_eq!(story_state(&story, false, None), (Role::Bad, "failed"));
        assert_eq!(end(&[skipped, story.clone()]), "stories failed");
        story.passes = true;
        assert_eq!(super::given_up(&story), GiveUpState::No);
    }

    #[test]
    fn names_are_joined_as_people_do() {
        assert_eq!(listed(&["a"]), "a");
        assert_eq!(listed(&["a", "b"]), "a and b");
        assert_eq!(listed(&["a", "b", "c"]), "a, b and c");
        assert_eq!(listed(&[""; 0]), "");
    }

    #[test]
    fn a_time_on_another_day_shows_the_date() {
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        let east = FixedOffset::east_opt(3600).unwrap();
        let now = at("2026-11-15T12:00:00Z");
        assert_eq!(moment(at("2026-11-15T13:30:00Z"), now, east), "14:30");
        assert_eq!(moment(at("2026-11-15T23:30:00Z"), now, east), "Nov 16 00:30");
    }
}
