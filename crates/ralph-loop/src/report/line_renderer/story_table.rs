//! The table of stories, for the end of a run and for `status`.

use events::StoryBrief;

use crate::report::format::UNKNOWN;
use crate::report::{Align, Column, Line, Look, Role, money, table};

const STORY_COLUMNS: [Column<'_>; 6] = [
    Column { name: "Story", align: Align::Left, optional: false },
    Column { name: "Title", align: Align::Flexible, optional: false },
    Column { name: "State", align: Align::Left, optional: false },
    Column { name: "Reviews", align: Align::Right, optional: true },
    Column { name: "Failed", align: Align::Right, optional: true },
    Column { name: "Cost", align: Align::Right, optional: true },
];

const WIDEST: usize = 100;

/// The content of the table.
#[derive(Debug)]
pub(crate) struct StoryTable<'s> {
    /// With their states.
    pub(crate) stories: Vec<(&'s StoryBrief, (Role, &'static str))>,
    /// The limit of failed attempts per story.
    pub(crate) max_attempts: Option<u64>,
    /// Cost of the run; `None` if no agent reports it.
    pub(crate) cost: Option<f64>,
}

pub(crate) fn story_table(about: &StoryTable<'_>, look: &Look, indent: usize) -> Vec<Line> {
    // Limits the width of the table also without a terminal.
    let look = &Look { width: look.width.or(Some(WIDEST)), ..*look };
    let is_known = about.stories.iter().any(|(story, _)| story.cost_usd > 0.0);
    let cost = |story: &StoryBrief| match (is_known, about.cost) {
        (true, _) => money(story.cost_usd),
        (false, Some(_)) => "-".to_owned(),
        (false, None) => UNKNOWN.to_owned(),
    };
    let quiet = |number: u64, role: Role| if number == 0 { Role::Dim } else { role };
    let row = |&(story, (role, state)): &(&StoryBrief, (Role, &'static str))| {
        let reviews = reviews(story);
        vec![
            (Role::Strong, story.id.to_string()),
            (Role::Plain, story.title.clone()),
            (role, state.to_owned()),
            (quiet(reviews, Role::Plain), reviews.to_string()),
            (quiet(story.failed_attempts, Role::Warn), failed(story, about.max_attempts)),
            (if is_known { Role::Plain } else { Role::Dim }, cost(story)),
        ]
    };
    let rows: Vec<_> = about.stories.iter().map(row).collect();
    table(&STORY_COLUMNS, &rows, look, indent)
}

/// The task list resets the reviews of a story that was given up; its record keeps them.
pub(crate) fn reviews(story: &StoryBrief) -> u64 {
    story.given_up.as_ref().map_or(story.review_count, |given_up| given_up.reviews)
}

/// `2/5`; a story that was given up has the limit of its own run.
fn failed(story: &StoryBrief, max_attempts: Option<u64>) -> String {
    let of = story.given_up.as_ref().map(|given_up| given_up.of).or(max_attempts);
    match (story.failed_attempts, of) {
        (0, _) => "0".to_owned(),
        (failed, None) => failed.to_string(),
        (failed, Some(of)) => format!("{failed}/{of}"),
    }
}

#[cfg(test)]
mod tests {
    use events::{GiveUpReason, GivenUp, StoryCommits, Verdict};

    use super::*;
    use crate::report::format::story_state;
    use crate::report::test_events::{given_up, stories};
    use crate::report::{Marks, Palette};

    /// The cells of a column, counted from the last one.
    fn column(from_last: usize, stories: &[StoryBrief], max_attempts: Option<u64>) -> Vec<String> {
        costing(Some(0.0), from_last, stories, max_attempts)
    }

    fn costing(
        cost: Option<f64>,
        from_last: usize,
        stories: &[StoryBrief],
        max_attempts: Option<u64>,
    ) -> Vec<String> {
        let look = Look { palette: Palette::plain(), marks: Marks::ASCII, width: None };
        let is = |story: &StoryBrief, id: &str| story.id.as_str() == id;
        let verdict = |story| is(story, "US-001").then_some(Verdict::ApprovedAtCap);
        let state = |story| story_state(story, is(story, "US-003"), verdict(story));
        let rows = stories.iter().map(|story| (story, state(story)));
        let stories = rows.collect();
        let lines = story_table(&StoryTable { stories, max_attempts, cost }, &look, 0);
        let cell = |line: &Line| {
            let line = line.paint(&look.palette);
            let cells: Vec<&str> = line.split("  ").filter(|cell| !cell.is_empty()).collect();
            cells[cells.len() - 1 - from_last].trim().to_owned()
        };
        lines.iter().map(cell).collect()
    }

    #[test]
    fn a_cost_that_no_agent_reports_is_unknown() {
        let mut stories = stories();
        assert_eq!(costing(None, 0, &stories, None), ["Cost", "unknown", "unknown", "unknown"]);
        assert_eq!(column(0, &stories, None), ["Cost", "-", "-", "-"]);
        stories[1].cost_usd = 0.42;
        assert_eq!(column(0, &stories, None), ["Cost", "$0.00", "$0.42", "$0.00"]);
    }

    #[test]
    fn failed_attempts_show_the_limit() {
        let mut stories = stories();
        stories[1].failed_attempts = 2;
        assert_eq!(column(1, &stories, None), ["Failed", "0", "2", "0"]);
        assert_eq!(column(1, &stories, Some(5)), ["Failed", "0", "2/5", "0"]);
    }

    #[test]
    fn a_story_that_was_given_up_keeps_its_review_count() {
        let mut stories = stories();
        let given_up = given_up(GiveUpReason::ReviewCap, StoryCommits::Rewound);
        stories[1].given_up = Some(GivenUp { reviews: 4, ..given_up });
        stories[1].review_count = 0;
        assert_eq!(column(2, &stories, None), ["Reviews", "1", "4", "0"]);
    }

    #[test]
    fn a_story_that_was_given_up_is_failed_and_its_dependants_are_blocked() {
        let mut stories = stories();
        stories[1].given_up = Some(given_up(GiveUpReason::Stuck, StoryCommits::Rewound));
        assert_eq!(
            column(3, &stories, None),
            ["State", "auto-approved at cap", "failed", "blocked"]
        );
    }
}
