//! The text of an estimate of the remaining iterations and cost.

use events::{Estimate, EstimateBasis};

use super::format::{count, money};

/// `3 stories, about 3 iterations each: about 9; $0.42 an iteration so far, about $3.78 in total`.
pub(crate) fn words(estimate: &Estimate) -> String {
    let Estimate { stories, iterations_per_story, iterations, .. } = estimate;
    let so_far = match estimate.basis {
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
    if let (Some(each), Some(all)) = (estimate.cost_per_iteration_usd, estimate.cost_usd) {
        text += &format!("; {} an iteration so far, about {} in total", money(each), money(all));
    }
    text
}

/// Limits that are probably too low, with the option that raises them.
pub(crate) fn shortfall(estimate: &Estimate) -> Option<String> {
    let mut short = Vec::new();
    if estimate.is_short_of_iterations() {
        let left = count(estimate.iterations_left, "iteration", "iterations");
        short.push(format!("only {left} left; raise the limit with -n"));
    }
    if estimate.is_short_of_money() {
        let left = money(estimate.cost_left_usd.unwrap_or_default());
        short.push(format!("only {left} left; raise the limit with --max-cost-usd"));
    }
    (!short.is_empty()).then(|| short.join("; "))
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
            cost_per_iteration_usd: None,
            cost_usd: None,
            iterations_left: 15,
            cost_left_usd: Some(2.0),
        }
    }

    #[test]
    fn it_shows_its_basis() {
        assert_eq!(words(&estimate()), "3 stories, about 3 iterations each: about 9");
        let known = Estimate {
            stories: 1,
            iterations_per_story: 2.44,
            iterations: 3,
            basis: EstimateBasis::SoFar,
            cost_per_iteration_usd: Some(0.42),
            cost_usd: Some(1.26),
            ..estimate()
        };
        assert_eq!(
            words(&known),
            "1 story, about 2.4 iterations each (average so far): about 3; $0.42 an iteration so far, \
             about $1.26 in total"
        );
        assert_eq!(shortfall(&known), None);
        let quick = Estimate { iterations_per_story: 1.0, iterations: 3, ..estimate() };
        assert_eq!(words(&quick), "3 stories, about 1 iteration each: about 3");
    }

    #[test]
    fn a_limit_that_is_too_low_comes_with_its_option() {
        let short = Estimate { iterations_left: 5, cost_usd: Some(2.5), ..estimate() };
        assert_eq!(
            shortfall(&short).unwrap(),
            "only 5 iterations left; raise the limit with -n; only $2.00 left; raise the limit with --max-cost-usd"
        );
    }
}
