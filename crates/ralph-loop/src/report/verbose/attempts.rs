//! Verbose lines about failed attempts, escalations, given-up stories and quality checks.

use events::{EscalationTier, LoopEvent};

use super::timed;
use crate::report::format::{count, quality_failure, story_commits, stuck};

pub(super) fn texts(event: &LoopEvent) -> Vec<String> {
    match event {
        LoopEvent::AttemptFailed {
            story, attempt, of, gate, error, error_hash, repeats, ..
        } => vec![format!(
            "Attempt {attempt}/{of} at {story} failed: check {gate}, error hash {error_hash}, in a \
             row {repeats}: {error}"
        )],
        LoopEvent::Escalated { story, tier, text, files } => {
            let tier = match tier {
                EscalationTier::StrategyShift => "strategy shift",
                EscalationTier::ContextExpansion => "context expansion",
            };
            let files = match files.is_empty() {
                true => String::new(),
                false => format!(", files {}", files.join(" ")),
            };
            vec![format!("Escalation for {story}: {tier}{files}: {text}")]
        }
        LoopEvent::StoryGivenUp { story, given_up } => {
            let branch = given_up.branch.as_deref().unwrap_or("none");
            let commits = story_commits(&given_up.commits, "the branch", ToOwned::to_owned);
            let stuck = stuck(given_up.stuck).unwrap_or_else(|| "no".to_owned());
            vec![format!("Story {story} given up: stuck: {stuck}, work on: {branch}, {commits}")]
        }
        LoopEvent::TimeWarning { what, soft_seconds, hard_seconds } => {
            let hard = hard_seconds.map_or("none".to_owned(), |hard| format!("{hard:.0}s"));
            vec![format!("Soft limit: {what}, {soft_seconds:.0}s, hard limit {hard}")]
        }
        LoopEvent::QualityStarted { story } => vec![format!("Quality check of {story} starting")],
        LoopEvent::QualityChecked { story, outcome, warnings, seconds, .. } => {
            let failure = quality_failure(*outcome);
            let how = failure.unwrap_or("answered");
            let warned = match warnings.len() as u64 {
                0 if failure.is_some() => String::new(),
                number => format!(": {}", count(number, "warning", "warnings")),
            };
            vec![format!("Quality check of {story} {how} {}{warned}", timed(*seconds))]
        }
        LoopEvent::TestsWeakened { story, iteration, files } => {
            let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
            vec![format!("Weakened tests of {story} in iteration {iteration}: {}", paths.join(" "))]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use events::QualityOutcome;

    use super::texts;
    use crate::report::test_events::{a_run_with_failures, quality};
    use crate::report::{Reporter, Verbose};

    #[test]
    fn failed_stories_step_by_step() {
        let mut out = Vec::new();
        let mut verbose = Verbose::new(&mut out);
        a_run_with_failures().iter().for_each(|stamped| verbose.event(stamped).unwrap());
        let all = String::from_utf8(out).unwrap();
        let about = |word: &str| all.lines().filter(|line| line.contains(word)).collect::<Vec<_>>();
        let attempts = about("Attempt ");
        assert_eq!(attempts.len(), 5);
        assert_eq!(
            attempts[2],
            "[ralph] Attempt 3/5 at US-003 failed: check tests, error hash a3f2b7c1, in a row 3: \
             assertion `left == right` failed | src/auth.rs"
        );
        assert_eq!(
            about("Escalation")[2],
            "[ralph] Escalation for US-003: context expansion, files src/auth.rs src/token.rs: given \
             the files that the error names"
        );
        assert_eq!(
            about("given up: "),
            [
                "[ralph] Story US-003 given up: stuck: same error 5x, 2 strategy shifts failed, work \
                 on: wip/ralph-fail-US-003-20261115-020640, the branch was reset to where the story began",
                "[ralph] Story US-005 given up: stuck: no, work on: \
                 wip/ralph-fail-US-005-20261115-021320, its commits are reverted on the branch by \
                 fedcba9876",
            ]
        );
        assert_eq!(
            about("Soft limit"),
            ["[ralph] Soft limit: the session, 720s, hard limit 1200s"]
        );
        assert_eq!(
            about("Quality"),
            [
                "[ralph] Quality check of US-004 starting",
                "[ralph] Quality check of US-004 answered (42.0s): 2 warnings",
            ]
        );
        assert_eq!(
            texts(&quality(QualityOutcome::Checked, &["x"])),
            ["Quality check of US-004 answered (42.0s): 1 warning"]
        );
        assert_eq!(
            texts(&quality(QualityOutcome::Failed, &[])),
            ["Quality check of US-004 gave an unreadable answer (42.0s)"]
        );
        assert_eq!(
            about("Weakened"),
            [
                "[ralph] Weakened tests of US-004 in iteration 9: tests/test_auth.py web/login.test.ts"
            ]
        );
    }
}
