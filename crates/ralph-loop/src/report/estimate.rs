//! The words about what is still to do.

use engine::{Basis, Estimate};

use super::words::{count, money};

/// `3 stories, about 3 iterations each: about 9; $0.42 an iteration so far, about $3.78 in all`.
pub(crate) fn words(estimate: &Estimate) -> String {
    let Estimate { stories, iterations_per_story, iterations, .. } = estimate;
    let so_far = match estimate.basis {
        Basis::Usual => "",
        Basis::SoFar => " (so far here)",
    };
    let each = match iterations_per_story.fract() < 0.05 {
        true => format!("{iterations_per_story:.0}"),
        false => format!("{iterations_per_story:.1}"),
    };
    let stories = count(*stories, "story", "stories");
    let unit = if each == "1" { "iteration" } else { "iterations" };
    let mut text = format!("{stories}, about {each} {unit} each{so_far}: about {iterations}");
    if let (Some(each), Some(all)) = (estimate.cost_per_iteration_usd, estimate.cost_usd) {
        text += &format!("; {} an iteration so far, about {} in all", money(each), money(all));
    }
    text
}

/// What will hardly suffice, and the way out.
pub(crate) fn shortfall(estimate: &Estimate) -> Option<String> {
    let mut short = Vec::new();
    if estimate.is_short_of_iterations() {
        let left = count(estimate.iterations_left, "iteration is", "iterations are");
        short.push(format!("{left} left: -n gives it more"));
    }
    if estimate.is_short_of_money() {
        let left = money(estimate.cost_left_usd.unwrap_or_default());
        short.push(format!("{left} is left: --max-cost-usd gives it more"));
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
            basis: Basis::Usual,
            iterations: 9,
            cost_per_iteration_usd: None,
            cost_usd: None,
            iterations_left: 15,
            cost_left_usd: Some(2.0),
        }
    }

    #[test]
    fn it_says_how_it_was_reckoned() {
        assert_eq!(words(&estimate()), "3 stories, about 3 iterations each: about 9");
        let known = Estimate {
            stories: 1,
            iterations_per_story: 2.44,
            iterations: 3,
            basis: Basis::SoFar,
            cost_per_iteration_usd: Some(0.42),
            cost_usd: Some(1.26),
            ..estimate()
        };
        assert_eq!(
            words(&known),
            "1 story, about 2.4 iterations each (so far here): about 3; $0.42 an iteration so far, \
             about $1.26 in all"
        );
        assert_eq!(shortfall(&known), None);
        let quick = Estimate { iterations_per_story: 1.0, iterations: 3, ..estimate() };
        assert_eq!(words(&quick), "3 stories, about 1 iteration each: about 3");
    }

    #[test]
    fn what_will_not_suffice_comes_with_the_way_out() {
        let short = Estimate { iterations_left: 5, cost_usd: Some(2.5), ..estimate() };
        assert_eq!(
            shortfall(&short).unwrap(),
            "5 iterations are left: -n gives it more; $2.00 is left: --max-cost-usd gives it more"
        );
    }
}
