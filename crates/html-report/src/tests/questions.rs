//! Open questions, and the forms that answer them.

use super::{Answers, Sample, WaitingAnswer, asking, id, parsed, words};
use crate::{LiveLinks, live, report};

fn section(sample: &Sample) -> String {
    sample.section("questions")
}

fn answered(allowed: bool, text: &str) -> Sample {
    let waiting = vec![WaitingAnswer { story: id("US-003"), number: 1, text: text.into() }];
    Sample { answers: Answers { allowed, waiting }, ..asking() }
}

#[test]
fn an_open_question_is_shown_with_the_command_that_answers_it() {
    let found = words(&section(&asking()));
    for expected in [
        "Questions to you|",
        "!| waits for an answer| US-003 ",
        "Which <table>?\nThe old one?",
        "Asked 2026-11-15 02:05.",
        "ralph-loop answer US-003 TEXT",
    ] {
        assert!(found.contains(expected), "{expected} is not in {found}");
    }
    assert!(
        !section(&asking()).contains("<form") && !section(&asking()).contains("hidden=\"hidden")
    );
}

#[test]
fn without_a_question_the_section_is_hidden() {
    let mut sample = asking();
    let story = sample.view.stories.iter_mut().find(|story| story.question.is_some()).unwrap();
    story.passes = true;
    assert!(section(&sample).starts_with("<section id=\"questions\""));
    assert!(section(&sample).contains("hidden=\"hidden\"") && !section(&sample).contains("card"));
}

#[test]
fn a_page_that_takes_answers_has_a_form_for_each_question_and_a_saved_report_has_none() {
    let sample = answered(true, "The <b>new</b> one.");
    let html = section(&sample);
    let document = parsed(&html);
    let form = document.descendants().find(|node| node.has_tag_name("form")).unwrap();
    assert_eq!(form.attribute("data-story"), Some("US-003"));
    assert_eq!(form.attribute("data-question"), Some("1"));
    let input = form.descendants().find(|node| node.has_tag_name("input")).unwrap();
    assert_eq!(input.attribute("maxlength"), Some("4000"));
    assert_eq!(input.attribute("aria-label"), Some("Answer for US-003"));
    let found = words(&html);
    assert!(found.contains("✓| answered| US-003 ") && !found.contains("TEXT"), "{found}");
    assert!(found.contains("You can still replace it:|The <b>new</b> one."), "{found}");
    assert!(!report(&sample.input()).contains("<form"));
    let links = LiveLinks { events: "/events".into(), orders: None };
    assert!(!live(&answered(false, "x").input(), &links).contains("<form"));
}
