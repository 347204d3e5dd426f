//! The questions of sessions that wait for an answer, each with a form on a page that takes answers.

use events::format::ANSWER_NEEDED;
use events::{OpenQuestion, Role, StoryBrief};

use super::{badge, code, quiet, quote, section};
use crate::html::{Element, Html, element};
use crate::tally::when;
use crate::{Answers, PageInput};

/// Characters of an answer; the runner accepts as many.
const LONGEST_ANSWER: u64 = 4_000;

/// Hidden without questions, because a live page replaces it when one is asked.
pub(super) fn questions(input: &PageInput<'_>) -> Html {
    let stories = input.view.stories.iter().filter(|story| !story.passes);
    let asking = stories.filter_map(|story| Some((story, story.question.as_ref()?)));
    let cards: Vec<Element> =
        asking.map(|(story, question)| card(input, story, question)).collect();
    let section = section("questions", "Questions to you");
    let section = if cards.is_empty() { section.attr("hidden", "hidden") } else { section };
    section.add_all(cards).into()
}

fn card(input: &PageInput<'_>, story: &StoryBrief, question: &OpenQuestion) -> Element {
    let is_it = |answer: &&crate::WaitingAnswer| {
        answer.story == story.id && answer.number == question.number
    };
    let answer = input.answers.waiting.iter().find(is_it);
    let state = match answer {
        None => (Role::Warn, ANSWER_NEEDED),
        Some(_) => (Role::Good, "answered"),
    };
    let heading = element("h3").add(badge(state)).add(format!(" {} {}", story.id, story.title));
    let asked = format!("Asked {}.", when(question.asked_at, input.offset));
    let answered = answer.map(|answer| {
        let label = quiet("Your answer, for the next session. You can still replace it:");
        element("div").add(label).add(quote(&answer.text))
    });
    element("article")
        .class("card warn")
        .add(heading)
        .add(quote(&question.text))
        .add(quiet(asked).add(how(input.answers, story)))
        .add(answered)
        .add(input.answers.allowed.then(|| form(story, question)))
}

/// The command, on a page that takes no answers.
fn how(answers: &Answers, story: &StoryBrief) -> Option<Html> {
    let command = format!("ralph-loop answer {} TEXT", story.id);
    let text = || element("span").add(" Answer with ").add(code(&command)).add(".").into();
    (!answers.allowed).then(text)
}

/// The script sends it. The key lets a typed text outlive a change of the section.
fn form(story: &StoryBrief, question: &OpenQuestion) -> Element {
    let key = format!("answer-{}-{}", story.id, question.number);
    let input = element("input")
        .attr("name", "text")
        .attr("data-key", &key)
        .attr("aria-label", format!("Answer for {}", story.id))
        .attr("autocomplete", "off")
        .attr("maxlength", LONGEST_ANSWER)
        .attr("required", "required");
    element("form")
        .class("answer")
        .attr("data-story", &story.id)
        .attr("data-question", question.number)
        .add(input)
        .add(element("button").attr("type", "submit").add("Answer"))
        .add(
            element("p")
                .attr("data-reply", &key)
                .attr("role", "status")
                .attr("aria-live", "polite"),
        )
}
