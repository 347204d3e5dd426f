//! Statistics in sentences, for every display.

use super::{Figures, LogFigures, Statistics};
use crate::format::{count, duration, listed, money, per_cent};

impl Statistics {
    /// `9 stories done on 3 days (3.0 a day), 1 given up`
    pub fn stories_in_words(&self) -> String {
        let done = count(self.total.stories_done, "story", "stories");
        let days = self.days.values().filter(|day| day.stories_done > 0).count() as u64;
        let each = self.total.stories_done as f64 / days.max(1) as f64;
        let on = match days {
            0 => String::new(),
            days => format!(" on {} ({each:.1} a day)", count(days, "day", "days")),
        };
        let given_up = match self.given_up {
            0 => String::new(),
            given_up => format!(", {given_up} given up"),
        };
        format!("{done} done{on}{given_up}")
    }

    /// What a finished story took on average; `None` without one.
    pub fn average_in_words(&self) -> Option<String> {
        let each = self.stories.iterations_per_story()?;
        let mut parts = vec![format!("{each:.1} iterations")];
        parts.extend(self.stories.seconds_per_story().map(duration));
        parts.extend(self.stories.cost_per_story().map(money));
        let unfinished = "with the work on unfinished stories";
        Some(format!("{} a story on average, {unfinished}", listed(&parts)))
    }
}

impl Figures {
    /// `30 iterations, 4 of them failed (13%)`
    pub fn iterations_in_words(&self) -> String {
        let share = per_cent(self.failed, self.iterations);
        let all = count(self.iterations, "iteration", "iterations");
        format!("{all}, {} of them failed ({share})", self.failed)
    }

    /// `3 of 12 reviews found something (25%)`
    pub fn reviews_in_words(&self) -> String {
        match (self.reviews, self.reviews_with_findings) {
            (0, _) => "no reviews".to_owned(),
            (all, some) => {
                let reviews = if all == 1 { "review" } else { "reviews" };
                format!("{some} of {all} {reviews} found something ({})", per_cent(some, all))
            }
        }
    }

    /// `2 iterations weakened tests`
    pub fn weakened_in_words(&self) -> String {
        match self.weakened_tests {
            0 => "no iteration weakened tests".to_owned(),
            some => format!("{} weakened tests", count(some, "iteration", "iterations")),
        }
    }

    /// `3 of 30 iterations reported no cost`; `None` if all did.
    pub fn without_cost_in_words(&self) -> Option<String> {
        let Self { without_cost, iterations, .. } = self;
        let text = || format!("{without_cost} of {iterations} iterations reported no cost");
        (*without_cost > 0).then(text)
    }
}

impl LogFigures {
    /// What is missing or may be wrong.
    pub fn problems(&self) -> Vec<String> {
        let kinds = [
            (self.unread, "could not be read"),
            (self.incomplete, "could not be read completely: some figures may be too low"),
            (self.altered, "altered by another program: the figures may be wrong"),
        ];
        let all = count(self.found, "log", "logs");
        let some = kinds.into_iter().filter(|(logs, _)| *logs > 0);
        some.map(|(logs, what)| format!("{logs} of {all} {what}")).collect()
    }
}
