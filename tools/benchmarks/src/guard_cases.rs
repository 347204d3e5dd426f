//! Small projects that check the answers of each stop guard, so that none is fast because it checks
//! less.

use std::error::Error;

use serde_json::json;

use crate::hook_answer::HookAnswer;
use crate::loop_project::{LoopProject, Mode};

type Change = fn(&mut LoopProject<'_>) -> Result<(), Box<dyn Error>>;

pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) mode: Mode,
    pub(crate) expected: HookAnswer,
    /// What the agent does during the iteration.
    pub(crate) change: Change,
}

const fn case(name: &'static str, mode: Mode, expected: HookAnswer, change: Change) -> Case {
    Case { name, mode, expected, change }
}

pub(crate) const CASES: [Case; 16] = [
    case("nothing changed", Mode::Implement, HookAnswer::Silence, |_| Ok(())),
    case("the story was submitted", Mode::Implement, HookAnswer::Silence, |project| {
        project.tasks["userStories"][0]["reviewStatus"] = json!("needs_review");
        project.save_tasks()?;
        project.write("src/lib.rs", "// done\n")?;
        project.commit()
    }),
    case("the story approved itself", Mode::Implement, HookAnswer::Block, |project| {
        let story = &mut project.tasks["userStories"][0];
        story["reviewStatus"] = json!("approved");
        story["passes"] = json!(true);
        story["notes"] = json!("trust me");
        project.save_tasks()?;
        project.commit()
    }),
    case("another story was submitted", Mode::Implement, HookAnswer::Block, |project| {
        project.tasks["userStories"][1]["reviewStatus"] = json!("needs_review");
        project.save_tasks()?;
        project.commit()
    }),
    case("a criterion was rewritten", Mode::Implement, HookAnswer::Block, |project| {
        project.tasks["userStories"][2]["acceptanceCriteria"][4] = json!("it compiles");
        project.save_tasks()?;
        project.commit()
    }),
    case("a story was removed", Mode::Implement, HookAnswer::Block, |project| {
        if let Some(stories) = project.tasks["userStories"].as_array_mut() {
            stories.pop();
        }
        project.save_tasks()?;
        project.commit()
    }),
    case("the verify commands were changed", Mode::Implement, HookAnswer::Block, |project| {
        project.tasks["verifyCommands"] = json!(["true"]);
        project.save_tasks()?;
        project.commit()
    }),
    case("a story lost its title", Mode::Implement, HookAnswer::Block, |project| {
        project.tasks["userStories"][1]["title"] = json!(null);
        project.save_tasks()?;
        project.commit()
    }),
    case("stories wait for each other", Mode::Implement, HookAnswer::Block, |project| {
        project.tasks["userStories"][0]["dependsOn"] = json!(["US-0003"]);
        project.save_tasks()?;
        project.commit()
    }),
    case("a protected file was changed", Mode::Implement, HookAnswer::Block, |project| {
        project.write("ralph/prd.md", "nothing is required\n")?;
        project.commit()
    }),
    case("a file is not committed", Mode::Implement, HookAnswer::Block, |project| {
        project.write("src/forgotten.rs", "")
    }),
    case("nothing changed", Mode::Review, HookAnswer::Silence, |_| Ok(())),
    case("the story was approved", Mode::Review, HookAnswer::Silence, |project| {
        let story = &mut project.tasks["userStories"][0];
        story["reviewStatus"] = json!("approved");
        story["passes"] = json!(true);
        story["notes"] = json!("all criteria hold");
        story["reviewCount"] = json!(1);
        project.save_tasks()?;
        project.commit()
    }),
    case("the review was not counted", Mode::Review, HookAnswer::Block, |project| {
        let story = &mut project.tasks["userStories"][0];
        story["reviewStatus"] = json!("changes_requested");
        story["reviewFeedback"] = json!("the sum is wrong");
        project.save_tasks()?;
        project.commit()
    }),
    case("no feedback was given", Mode::Review, HookAnswer::Block, |project| {
        let story = &mut project.tasks["userStories"][0];
        story["reviewStatus"] = json!("changes_requested");
        story["reviewCount"] = json!(1);
        project.save_tasks()?;
        project.commit()
    }),
    case("the reviewer fixed the code", Mode::Review, HookAnswer::Block, |project| {
        project.write("src/lib.rs", "// fixed\n")?;
        project.commit()
    }),
];
