//! What the open stories of a run will probably need.

use serde::{Deserialize, Serialize};

use crate::format::{count, duration, money};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Estimate {
    /// Stories that are neither done nor given up.
    pub stories: u64,
    pub iterations_per_story: f64,
    pub basis: EstimateBasis,
    pub iterations: u64,
    /// Working time, from the average so far; `None` without earlier iterations. That of lanes adds up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Average so far; `None` if the agent reports no cost.
    pub cost_per_iteration_usd: Option<f64>,
    pub cost_usd: Option<f64>,
    pub iterations_left: u64,
    pub cost_left_usd: Option<f64>,
}

impl Estimate {
    pub fn is_short_of_iterations(&self) -> bool {
        self.iterations > self.iterations_left
    }

    pub fn is_short_of_money(&self) -> bool {
        self.cost_usd.zip(self.cost_left_usd).is_some_and(|(needed, left)| needed > left)
    }

    /// `3 stories, about 3 iterations each: about 9, 40m 12s of work; $0.42 an iteration so far, about $3.78 in total`
    pub fn in_words(&self) -> String {
        let Self { stories, iterations_per_story, iterations, .. } = self;
        let so_far = match self.basis {
            EstimateBasis::Usual => "",
            EstimateBasis::SoFar => " (average so far)",
        };
        let each = match iterations_per_story.fract() < 0.05 {
            true => format!("{iterations_per_story:.0}"),
            false => format!("{iterations_per_story:.1}"),
        };
        let stories = count(*stories, "story", "stories");
        let unit = if each == "1" { "iteration" } else { "iterations" };
        let mut text = format!("{stories}, about {each} {unit} each{so_far}: about {iterations}");
        if let Some(seconds) = self.seconds {
            text += &format!(", {} of work", duration(seconds));
        }
        if let (Some(each), Some(all)) = (self.cost_per_iteration_usd, self.cost_usd) {
            let (each, all) = (money(each), money(all));
            text += &format!("; {each} an iteration so far, about {all} in total");
        }
        text
    }

    /// Limits that are probably too low, with the option that raises them.
    pub fn shortfall(&self) -> Option<String> {
        let mut short = Vec::new();
        if self.is_short_of_iterations() {
            let left = count(self.iterations_left, "iteration", "iterations");
            short.push(format!("only {left} left; raise the limit with -n"));
        }
        if self.is_short_of_money() {
            let left = money(self.cost_left_usd.unwrap_or_default());
            short.push(format!("only {left} left; raise the limit with --max-cost-usd"));
        }
        (!short.is_empty()).then(|| short.join("; "))
    }
}

/// Where `iterations_per_story` comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EstimateBasis {
    /// Built-in values.
    Usual,
    /// The average of this project's stories.
    SoFar,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate() -> Estimate {
        Estimate {
            stories: 3,
            iterations_per_story: 3.0,
            basis: EstimateBasis::Usual,
            iterations: 9,
            seconds: None,
            cost_per_iteration_usd: None,
            cost_usd: None,
            iterations_left: 15,
            cost_left_usd: Some(2.0),
        }
    }

    #[test]
    fn it_shows_its_basis() {
        assert_eq!(estimate().in_words(), "3 stories, about 3 iterations each: about 9");
        let known = Estimate {
            stories: 1,
            iterations_per_story: 2.44,
            iterations: 3,
            basis: EstimateBasis::SoFar,
            seconds: Some(2412.0),
            cost_per_iteration_usd: Some(0.42),
            cost_usd: Some(1.26),
            ..estimate()
        };
        assert_eq!(
            known.in_words(),
            "1 story, about 2.4 iterations each (average so far): about 3, 40m 12s of work; \
             $0.42 an iteration so far, about $1.26 in total"
        );
        assert_eq!(known.shortfall(), None);
        let quick = Estimate { iterations_per_story: 1.0, iterations: 3, ..estimate() };
        assert_eq!(quick.in_words(), "3 stories, about 1 iteration each: about 3");
    }

    #[test]
    fn a_limit_that_is_too_low_comes_with_its_option() {
        let short = Estimate { iterations_left: 5, cost_usd: Some(2.5), ..estimate() };
        assert_eq!(
            short.shortfall().unwrap(),
            "only 5 iterations left; raise the limit with -n; only $2.00 left; raise the limit with --max-cost-usd"
        );
    }
}
