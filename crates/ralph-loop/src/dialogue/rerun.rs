//! Asks whether to start a fresh run or to resume the last one.

use chrono::{DateTime, FixedOffset, Utc};
use engine::{LastRun, StartMode};
use events::{GivenUp, RunEnd};
use tasks::StoryId;

use super::{NoAnswer, UserIo, ask};
use crate::report::format::listed;
use crate::report::{count, moment, money};
use crate::scaffold::one_line;

/// Stories that the question lists; `ralph-loop status` lists all.
const NAMED: usize = 5;

const FRESH: &str = "  [f]resh   resets all counters; failed stories are tried again, their old branches become tags\n";

/// The total limits of the run if it resumes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunLimits {
    pub(crate) iterations: u64,
    pub(crate) seconds: Option<f64>,
    pub(crate) cost_usd: Option<f64>,
}

/// Shows how the last run ended and asks. The default is the choice that continues the work.
pub(crate) fn fresh_or_resume(
    last: &LastRun,
    allowed: RunLimits,
    (now, offset): (DateTime<Utc>, FixedOffset),
    user: &mut dyn UserIo,
) -> Result<StartMode, NoAnswer> {
    let began = moment(last.started, now, offset);
    let end = last.ended.map_or("interrupted".into(), |end| end.to_string());
    let mut facts = vec![count(last.iterations, "iteration", "iterations")];
    if last.cost_usd > 0.0 {
        facts.push(money(last.cost_usd));
    }
    user.say(&format!("The last run (started {began}) ended: {end} · {}\n", facts.join(" · ")))?;
    for (story, given_up) in last.given_up.iter().take(NAMED) {
        user.say(&format!("  {}\n", describe_given_up(story, given_up)))?;
    }
    if let more @ 1.. = last.given_up.len().saturating_sub(NAMED) {
        user.say(&format!("  and {more} more\n"))?;
    }
    if !last.in_lanes.is_empty() {
        let stories: Vec<String> = last.in_lanes.iter().map(|id| one_line(id.as_str())).collect();
        let stories = listed(&stories);
        user.say(&format!("  in work: {stories}; only a resumed run continues them\n"))?;
    }
    let used_up = used_up(last, allowed);
    let resume = resume(last, allowed, used_up.as_deref());
    let choices = match ended_at_limit(last) {
        true => resume + FRESH,
        false => FRESH.to_owned() + &resume,
    };
    user.say(&choices)?;
    let default = if ended_at_limit(last) && used_up.is_none() { "r" } else { "f" };
    ask::value(user, "Fresh or resume?", Some(default), |answer| {
        match answer.to_lowercase().as_str() {
            "f" | "fresh" => Ok(StartMode::Fresh),
            "r" | "resume" => Ok(StartMode::Resume),
            _ => Err("enter f or r".into()),
        }
    })
}

/// Whether it ended with stories that can still be worked on.
fn ended_at_limit(last: &LastRun) -> bool {
    !last.in_lanes.is_empty()
        || !matches!(last.ended, Some(RunEnd::StoriesFailed | RunEnd::Blocked))
}

fn resume(last: &LastRun, allowed: RunLimits, used_up: Option<&str>) -> String {
    let (left, why) = match used_up {
        Some(used_up) => (String::new(), format!("            {used_up}\n")),
        None => {
            let left = allowed.iterations.saturating_sub(last.iterations);
            let all = count(allowed.iterations, "iteration", "iterations");
            (format!(" ({left} of {all} left)"), String::new())
        }
    };
    format!("  [r]esume  keeps all counters{left}; failed stories stay given up\n{why}")
}

/// Why a resumed run would end at once, with the flag that prevents it.
fn used_up(last: &LastRun, allowed: RunLimits) -> Option<String> {
    let RunLimits { iterations, seconds, cost_usd } = allowed;
    let (what, option) = if last.iterations >= iterations {
        let more = last.iterations.saturating_mul(2);
        ("no iterations left: add more", format!("-n {more}"))
    } else if seconds.is_some_and(|most| last.worked_seconds >= most) {
        let hours = (last.worked_seconds / 3600.0).ceil() as u64 + 1;
        ("no time left: add more", format!("--run-timeout {hours}h"))
    } else if cost_usd.is_some_and(|most| last.cost_usd >= most) {
        let more = (last.cost_usd * 2.0).ceil() as u64;
        ("cost limit reached: raise it", format!("--max-cost-usd {more}"))
    } else {
        return None;
    };
    Some(format!("{what} with `ralph-loop --resume {option}`"))
}

/// An agent can have written all of these values, so each is sanitized.
fn describe_given_up(story: &StoryId, given_up: &GivenUp) -> String {
    let work = given_up.branch.as_ref().map_or("no work to keep".to_owned(), |name| one_line(name));
    let (story, gate) = (one_line(story.as_str()), given_up.last_gate);
    let GivenUp { attempts, of, .. } = given_up;
    format!("{story} given up after {attempts} of {of} attempts ({gate}): {work}")
}

#[cfg(test)]
mod tests {
    use events::{Gate, GiveUpReason, StoryCommits, Stuck};

    use super::*;
    use crate::dialogue::scripted_user::ScriptedUser;

    fn at(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    fn given_up(story: &str, branch: Option<&str>) -> (StoryId, GivenUp) {
        let given_up = GivenUp {
            given_up_at: at("2026-11-15T11:00:00Z"),
            reason: GiveUpReason::AttemptsUsed,
            attempts: 5,
            of: 5,
            reviews: 1,
            last_gate: Gate::Tests,
            error: "it fails".into(),
            error_hash: "a3f2b7c1".into(),
            stuck: Stuck::No,
            branch: branch.map(Into::into),
            diagnostics: None,
            commits: StoryCommits::Nothing,
            dependants: Vec::new(),
        };
        (StoryId::new(story).unwrap(), given_up)
    }

    fn last() -> LastRun {
        LastRun {
            run_id: "r1".into(),
            started: at("2026-11-15T10:39:30Z"),
            branch: "ralph/shop".into(),
            base: None,
            ended: Some(RunEnd::StoriesFailed),
            resumes_automatically: false,
            iterations: 12,
            cost_usd: 2.345,
            worked_seconds: 3000.0,
            given_up: vec![given_up("US-3", Some("wip/ralph-fail-US-3")), given_up("US-5", None)],
            in_lanes: Vec::new(),
        }
    }

    const ALLOWED: RunLimits =
        RunLimits { iterations: 15, seconds: Some(3600.0), cost_usd: Some(5.0) };

    fn asked(last: &LastRun, answers: &[&'static str]) -> (Result<StartMode, NoAnswer>, String) {
        let mut user = ScriptedUser::new(answers.iter().copied());
        let now = (at("2026-11-15T12:00:00Z"), FixedOffset::east_opt(3600).unwrap());
        let start = fresh_or_resume(last, ALLOWED, now, &mut user);
        assert!(user.is_used_up(), "every answer was asked for");
        (start, user.output().to_owned())
    }

    #[test]
    fn the_question_follows_the_result_of_the_last_run() {
        let (start, output) = asked(&last(), &[""]);
        assert_eq!(start.unwrap(), StartMode::Fresh);
        let expected = "\
The last run (started 11:39) ended: stories failed · 12 iterations · $2.35
  US-3 given up after 5 of 5 attempts (tests): wip/ralph-fail-US-3
  US-5 given up after 5 of 5 attempts (tests): no work to keep
  [f]resh   resets all counters; failed stories are tried again, their old branches become tags
  [r]esume  keeps all counters (3 of 15 iterations left); failed stories stay given up
Fresh or resume? [f]: \n";
        assert_eq!(output, expected);
    }

    #[test]
    fn a_run_that_ended_at_a_limit_resumes_by_default() {
        for ended in [RunEnd::IterationsUsed, RunEnd::TimeUsed, RunEnd::CostCeiling] {
            let more = LastRun { ended: Some(ended), given_up: vec![], ..last() };
            let (start, output) = asked(&more, &[""]);
            assert_eq!(start.unwrap(), StartMode::Resume, "{ended}");
            assert!(output.contains(" · $2.35\n  [r]esume  keeps all counters (3 of"), "{output}");
            assert!(output.ends_with(&format!("{FRESH}Fresh or resume? [r]: \n")), "{output}");
        }
    }

    #[test]
    fn a_run_with_stories_in_lanes_resumes_by_default() {
        let in_lanes = vec![StoryId::new("US-1").unwrap(), StoryId::new("US-2").unwrap()];
        let blocked = Some(RunEnd::Blocked);
        let last = LastRun { ended: blocked, given_up: vec![], in_lanes, ..last() };
        let (start, output) = asked(&last, &[""]);
        assert_eq!(start.unwrap(), StartMode::Resume);
        let note = "\n  in work: US-1 and US-2; only a resumed run continues them\n  [r]esume";
        assert!(output.contains(note), "{output}");
    }

    #[test]
    fn a_run_that_would_end_at_once_shows_the_flag_and_does_not_resume_by_default() {
        let used = |iterations, worked_seconds, cost_usd| LastRun {
            ended: Some(RunEnd::IterationsUsed),
            iterations,
            worked_seconds,
            cost_usd,
            ..last()
        };
        for (last, flag) in [
            (used(23, 0.0, 0.0), "no iterations left: add more with `ralph-loop --resume -n 46`"),
            (
                used(1, 3600.0, 0.0),
                "no time left: add more with `ralph-loop --resume --run-timeout 2h`",
            ),
            (
                used(1, 0.0, 5.5),
                "cost limit reached: raise it with `ralph-loop --resume --max-cost-usd 11`",
            ),
        ] {
            let (start, output) = asked(&last, &[""]);
            assert_eq!(start.unwrap(), StartMode::Fresh, "{output}");
            assert!(output.contains(flag) && !output.contains(" of 15"), "{output}");
            assert!(output.find("[r]esume") < output.find("[f]resh"), "{output}");
        }
    }

    #[test]
    fn only_the_four_answers_are_accepted() {
        for (answers, expected) in [
            (&["fresh"][..], StartMode::Fresh),
            (&["R"], StartMode::Resume),
            (&["resume"], StartMode::Resume),
            (&["y", "1", "r"], StartMode::Resume),
        ] {
            let (start, output) = asked(&last(), answers);
            assert_eq!(start.unwrap(), expected, "{answers:?}");
            assert_eq!(output.matches("enter f or r").count(), answers.len() - 1);
        }
        assert!(matches!(asked(&last(), &[]).0, Err(NoAnswer::End)));
    }

    #[test]
    fn long_lists_are_shortened_and_names_are_sanitized() {
        let mut many = last();
        many.given_up = (0..9).map(|n| given_up(&format!("US-{n}"), Some("x\u{1b}[2J"))).collect();
        let (_, output) = asked(&many, &[""]);
        assert_eq!(output.matches("given up after").count(), NAMED);
        assert!(output.contains("\n  and 4 more\n") && !output.contains('\u{1b}'), "{output}");
    }
}
