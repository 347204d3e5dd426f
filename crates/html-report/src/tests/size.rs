//! Long runs.

use events::samples::a_long_run;

use super::{Sample, parsed};
use crate::sections;

const MANY: u64 = 1_000;

#[test]
fn a_thousand_iterations_are_a_page_of_less_than_two_megabytes() {
    let page = Sample::of(&a_long_run(MANY)).page();
    assert!(page.len() < 2_000_000, "{}", page.len());
    parsed(&page);
}

#[test]
fn charts_have_a_limited_number_of_marks() {
    let sample = Sample::of(&a_long_run(MANY));
    let sections = sections(&sample.input());
    let marks = |id| {
        let section = sections.iter().find(|section| section.id == id).unwrap();
        ["<rect", "<line", "<path"]
            .map(|mark| section.html.matches(mark).count())
            .iter()
            .sum::<usize>()
    };
    assert!(marks("timeline") <= MANY as usize + 20, "{}", marks("timeline"));
    assert!(marks("costs") < 150, "{}", marks("costs"));
}

#[test]
fn charts_of_zero_and_one_value_are_valid() {
    for iterations in [1, 2] {
        parsed(&Sample::of(&a_long_run(iterations)).page());
    }
}
