//! Whether a new run begins or the last one goes on, where that is not plain from how it ended.

use chrono::{DateTime, FixedOffset, Utc};
use engine::{GivenUp, LastRun, RunEnd, Start};
use tasks::StoryId;

use super::{Silence, Talk, ask};
use crate::report::{count, moment, money};
use crate::scaffold::one_line;

/// Stories that are named; `ralph-loop status` has them all.
const NAMED: usize = 5;

const FRESH: &str = "  [f]resh   counts anew; stories that failed are tried again, their old branches become tags\n";

/// What the run that is asked about may take in all, if it goes on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowed {
    pub(crate) iterations: u64,
    pub(crate) seconds: Option<f64>,
    pub(crate) cost_usd: Option<f64>,
}

/// Says how the last run ended and asks what now; Enter takes what gets the work on.
pub(crate) fn fresh_or_resume(
    last: &LastRun,
    allowed: Allowed,
    (now, offset): (DateTime<Utc>, FixedOffset),
    talk: &mut dyn Talk,
) -> Result<Start, Silence> {
    let began = moment(last.started, now, offset);
    let end = last.ended.map_or("cut off".into(), |end| end.to_string());
    let mut said = vec![count(last.iterations, "iteration", "iterations")];
    if last.cost_usd > 0.0 {
        said.push(money(last.cost_usd));
    }
    talk.say(&format!("The last run (began {began}) ended: {end} · {}\n", said.join(" · ")))?;
    for (story, given_up) in last.given_up.iter().take(NAMED) {
        talk.say(&format!("  {}\n", describe_given_up(story, given_up)))?;
    }
    if let more @ 1.. = last.given_up.len().saturating_sub(NAMED) {
        talk.say(&format!("  and {more} more\n"))?;
    }
    let used_up = used_up(last, allowed);
    let resume = resume(last, allowed, used_up.as_deref());
    let choices = match was_cut_short(last) {
        true => resume + FRESH,
        false => FRESH.to_owned() + &resume,
    };
    talk.say(&choices)?;
    let default = if was_cut_short(last) && used_up.is_none() { "r" } else { "f" };
    ask::value(talk, "Fresh or resume?", default, |answer| match answer.to_lowercase().as_str() {
        "f" | "fresh" => Ok(Start::Fresh),
        "r" | "resume" => Ok(Start::Resume),
        _ => Err("f or r is expected".into()),
    })
}

/// Whether it left stories that nothing is wrong with.
fn was_cut_short(last: &LastRun) -> bool {
    !matches!(last.ended, Some(RunEnd::StoriesFailed | RunEnd::Blocked))
}

fn resume(last: &LastRun, allowed: Allowed, used_up: Option<&str>) -> String {
    let left = allowed.iterations.saturating_sub(last.iterations);
    let left = match used_up {
        Some(_) => String::new(),
        None => {
            format!(" ({left} of {} left)", count(allowed.iterations, "iteration", "iterations"))
        }
    };
    let mut said = format!(
        "  [r]esume  goes on with its counters{left}; stories that failed stay set aside\n"
    );
    if let Some(used_up) = used_up {
        said.push_str(&format!("            {used_up}\n"));
    }
    said
}

/// Why it would end at once if it went on, and what helps.
fn used_up(last: &LastRun, allowed: Allowed) -> Option<String> {
    let Allowed { iterations, seconds, cost_usd } = allowed;
    if last.iterations >= iterations {
        let more = last.iterations.saturating_mul(2);
        return Some(format!(
            "but it has no iteration left: `ralph-loop --resume -n {more}` gives it more"
        ));
    }
    if seconds.is_some_and(|most| last.worked_seconds >= most) {
        let hours = (last.worked_seconds / 3600.0).ceil() as u64 + 1;
        return Some(format!(
            "but it has no time left: `ralph-loop --resume --run-timeout {hours}h` gives it more"
        ));
    }
    if cost_usd.is_some_and(|most| last.cost_usd >= most) {
        let more = (last.cost_usd * 2.0).ceil() as u64;
        return Some(format!(
            "but its money is spent: `ralph-loop --resume --max-cost-usd {more}` gives it more"
        ));
    }
    None
}

/// An agent could have written any of it.
fn describe_given_up(story: &StoryId, given_up: &GivenUp) -> String {
    let work = given_up.branch.as_ref().map_or("no work to keep".to_owned(), |name| one_line(name));
    let (story, gate) = (one_line(story.as_str()), given_up.last_gate);
    let GivenUp { attempts, of, .. } = given_up;
    format!("{story} given up after {attempts} of {of} attempts ({gate}): {work}")
}

#[cfg(test)]
mod tests {
    use engine::{Gate, GiveUpReason, GoesOn, StoryCommits, Stuck};

    use super::*;
    use crate::dialogue::script::Script;

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
            goes_on: GoesOn::IfAsked,
            iterations: 12,
            cost_usd: 2.345,
            worked_seconds: 3000.0,
            given_up: vec![given_up("US-3", Some("wip/ralph-fail-US-3")), given_up("US-5", None)],
        }
    }

    const ALLOWED: Allowed = Allowed { iterations: 15, seconds: Some(3600.0), cost_usd: Some(5.0) };

    fn asked(last: &LastRun, answers: &[&'static str]) -> (Result<Start, Silence>, String) {
        let mut talk = Script::new(answers.iter().copied());
        let now = (at("2026-11-15T12:00:00Z"), FixedOffset::east_opt(3600).unwrap());
        let start = fresh_or_resume(last, ALLOWED, now, &mut talk);
        assert!(talk.is_used_up(), "every answer was asked for");
        (start, talk.said().to_owned())
    }

    #[test]
    fn how_it_ended_stands_before_the_question() {
        let (start, said) = asked(&last(), &[""]);
        assert_eq!(start.unwrap(), Start::Fresh);
        let expected = "\
The last run (began 11:39) ended: stories failed · 12 iterations · $2.35
  US-3 set aside after 5 of 5 attempts (tests): wip/ralph-fail-US-3
  US-5 set aside after 5 of 5 attempts (tests): no work to keep
  [f]resh   counts anew; stories that failed are tried again, their old branches become tags
  [r]esume  goes on with its counters (3 of 15 iterations left); stories that failed stay set aside
Fresh or resume? [f]: \n";
        assert_eq!(said, expected);
    }

    #[test]
    fn a_run_that_was_cut_short_and_has_more_now_goes_on() {
        for ended in [RunEnd::IterationsUsed, RunEnd::TimeUsed, RunEnd::CostCeiling] {
            let more = LastRun { ended: Some(ended), given_up: vec![], ..last() };
            let (start, said) = asked(&more, &[""]);
            assert_eq!(start.unwrap(), Start::Resume, "{ended}");
            assert!(
                said.contains(" · $2.35\n  [r]esume  goes on with its counters (3 of"),
                "{said}"
            );
            assert!(said.ends_with(&format!("{FRESH}Fresh or resume? [r]: \n")), "{said}");
        }
    }

    #[test]
    fn one_that_would_end_at_once_says_what_helps_and_is_not_gone_on_with_by_enter() {
        let used = |iterations, worked_seconds, cost_usd| LastRun {
            ended: Some(RunEnd::IterationsUsed),
            iterations,
            worked_seconds,
            cost_usd,
            ..last()
        };
        for (last, flag) in [
            (used(23, 0.0, 0.0), "no iteration left: `ralph-loop --resume -n 46`"),
            (used(1, 3600.0, 0.0), "no time left: `ralph-loop --resume --run-timeout 2h`"),
            (used(1, 0.0, 5.5), "its money is spent: `ralph-loop --resume --max-cost-usd 11`"),
        ] {
            let (start, said) = asked(&last, &[""]);
            assert_eq!(start.unwrap(), Start::Fresh, "{said}");
            assert!(said.contains(flag) && !said.contains(" of 15"), "{said}");
            assert!(said.find("[r]esume") < said.find("[f]resh"), "{said}");
        }
    }

    #[test]
    fn each_word_is_understood_and_no_other() {
        for (answers, expected) in [
            (&["fresh"][..], Start::Fresh),
            (&["R"], Start::Resume),
            (&["resume"], Start::Resume),
            (&["y", "1", "r"], Start::Resume),
        ] {
            let (start, said) = asked(&last(), answers);
            assert_eq!(start.unwrap(), expected, "{answers:?}");
            assert_eq!(said.matches("f or r is expected").count(), answers.len() - 1);
        }
        assert!(matches!(asked(&last(), &[]).0, Err(Silence::End)));
    }

    #[test]
    fn many_stories_are_not_a_screenful_and_no_name_steers_the_terminal() {
        let mut many = last();
        many.given_up = (0..9).map(|n| given_up(&format!("US-{n}"), Some("x\u{1b}[2J"))).collect();
        let (_, said) = asked(&many, &[""]);
        assert_eq!(said.matches("set aside after").count(), NAMED);
        assert!(said.contains("\n  and 4 more\n") && !said.contains('\u{1b}'), "{said}");
    }
}
