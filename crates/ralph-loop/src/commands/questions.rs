//! `ralph-loop questions` and `answer`: the questions of sessions to the user. The page of `ralph-loop serve` answers
//! through this module too. Answers are orders in the queue, so one without a running loop waits there.

use std::process::ExitCode;

use anyhow::{Context, Result};
use engine::StoryQuestion;
use events::format::age;
use events::{OpenQuestion, RunView, StoryBrief};
use html_report::WaitingAnswer;
use project::orders::{self, Order};
use project::{Layout, RunLock};
use serde::Serialize;
use tasks::{StoryId, TaskList};

use super::order::{OrderReply, read_text, refused};
use super::{CommandResult, layout, print_result};
use crate::cli::{AnswerStoryArgs, OrderArgs};
use crate::command_error::precondition;
use crate::json;
use crate::status::TaskFile;

const VERSION: u64 = 1;

const SEE_QUESTIONS: &str = "`ralph-loop questions` shows the questions";

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct QuestionList<'q> {
    version: u64,
    questions: &'q [QuestionRow],
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct QuestionRow {
    #[serde(flatten)]
    question: StoryQuestion,
    title: String,
}

pub(super) fn questions(args: &OrderArgs) -> CommandResult {
    let layout = layout(&args.project)?;
    let tasks = TaskFile::judged(&layout).0;
    let story = |id: &StoryId| tasks.list().and_then(|list: &TaskList| list.story(id));
    let all = asked(&layout)?.into_iter().filter(|question| {
        // The user may have finished a story without answering.
        question.answer.is_some() || story(&question.story).is_none_or(|story| !story.passes)
    });
    let rows = all.map(|question| {
        let title = story(&question.story).map(|story| story.title.clone());
        QuestionRow { title: title.unwrap_or_default(), question }
    });
    let rows: Vec<QuestionRow> = rows.collect();
    let list = QuestionList { version: VERSION, questions: &rows };
    print_result(&json::or_text(args.json, &list, || text(&rows))?)?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn answer(args: &AnswerStoryArgs) -> CommandResult {
    let layout = layout(&args.order.project)?;
    let text = match &args.text[..] {
        [only] if only == "-" => read_text()?,
        words => words.join(" "),
    };
    let order = Order::answer(args.story.clone(), None, &text).map_err(refused)?;
    let reply = send(&layout, &order)?;
    let text = if args.order.json { reply } else { sent_text(&layout, &args.story) };
    print_result(&format!("{text}\n"))?;
    Ok(ExitCode::SUCCESS)
}

/// Adds the answer to the queue, for the question that it names or the last one of its story. Returns the reply as JSON.
pub(super) fn send(layout: &Layout, order: &Order) -> Result<String> {
    let Order::Answer { story, question, text } = order else {
        return Err(precondition("not an answer", SEE_QUESTIONS));
    };
    let all = asked(layout)?;
    let of_story = || all.iter().rfind(|one| one.story == *story);
    let asked = match question {
        Some(number) => all.iter().find(|one| one.story == *story && one.number == *number),
        None => of_story(),
    };
    let Some(asked) = asked else {
        let is_known = TaskFile::judged(layout).0.list().is_some_and(|l| l.story(story).is_some());
        let what = match (is_known, of_story()) {
            (_, Some(_)) => format!("{story} has no such question"),
            (true, None) => format!("{story} has no question"),
            (false, None) => format!("{story} is not a story of the task list"),
        };
        return Err(precondition(what, SEE_QUESTIONS));
    };
    if asked.is_received {
        let what = format!("the question of {story} is answered, and a session has the answer");
        return Err(precondition(what, "add an instruction with `ralph-loop steer TEXT`"));
    }
    let run = engine::last_run(layout).map(|run| run.run_id).unwrap_or_default();
    let number = Some(asked.number);
    let order = Order::answer(story.clone(), number, text).map_err(refused)?;
    orders::give(layout, &run, &order).map_err(refused)?;
    json::line(&OrderReply::sent(&run, &order, sent_text(layout, story)))
}

fn sent_text(layout: &Layout, story: &StoryId) -> String {
    match RunLock::is_held(layout) {
        true => format!("answered; the run works on {story} again"),
        false => format!("answered; the next `ralph-loop` works on {story} again"),
    }
}

/// All questions, with the answers that still wait in the queue.
fn asked(layout: &Layout) -> Result<Vec<StoryQuestion>> {
    let mut all = engine::questions(layout).context("cannot read the questions")?;
    let waiting = orders::waiting(layout);
    for one in all.iter_mut().filter(|one| !one.is_received) {
        let asked_at = one.asked_at.into();
        let mut answers =
            waiting.iter().filter_map(|it| it.answer_to(&one.story, one.number, asked_at));
        one.answer = answers.next_back().map(str::to_owned).or(one.answer.take());
    }
    Ok(all)
}

/// A question whose answer is in the queue is open no more, also if no loop is running.
pub(super) fn remove_answered(layout: &Layout, view: &mut RunView) {
    let waiting = orders::waiting(layout);
    for StoryBrief { id, question, .. } in &mut view.stories {
        let is_answered = |asked: &OpenQuestion| {
            let asked_at = asked.asked_at.into();
            waiting.iter().any(|it| it.answer_to(id, asked.number, asked_at).is_some())
        };
        question.take_if(|asked| is_answered(asked));
    }
}

/// The answers that no session has received; `None` if the run is not the last one, whose questions can be answered.
pub(super) fn waiting_answers(layout: &Layout, run: &str) -> Option<Vec<WaitingAnswer>> {
    engine::last_run(layout).filter(|last| last.run_id == run)?;
    let waiting = asked(layout).ok()?.into_iter().filter(|question| !question.is_received);
    let answers = waiting.filter_map(|StoryQuestion { story, number, answer, .. }| {
        Some(WaitingAnswer { story, number, text: answer? })
    });
    Some(answers.collect())
}

fn text(rows: &[QuestionRow]) -> String {
    if rows.is_empty() {
        return "no questions\n".to_owned();
    }
    let quoted = |text: &str, mark: &str| -> String {
        sanitize::block(text).iter().map(|line| format!("  {mark}{line}\n")).collect()
    };
    let row = |QuestionRow { question, title }: &QuestionRow| {
        let StoryQuestion { story, asked_at, text, answer, is_received, .. } = question;
        let (title, age) = (sanitize::line(title), age(*asked_at, events::now()));
        let answer = match answer {
            None => format!("  answer with: ralph-loop answer {story} TEXT\n"),
            Some(answer) => {
                let state =
                    if *is_received { "answered" } else { "answered, for the next session" };
                format!("  {state}:\n{}", quoted(answer, "> "))
            }
        };
        format!("{story}  {title} (asked {age})\n{}{answer}", quoted(text, ""))
    };
    rows.iter().map(row).collect::<Vec<_>>().join("\n")
}
