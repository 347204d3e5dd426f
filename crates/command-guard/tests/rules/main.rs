//! For each category: refused commands, and similar ones that are allowed.

mod data;
mod machine;
mod own;

use command_guard::{Category, CommandContext, judge_command};

fn context() -> CommandContext {
    CommandContext {
        project: "/home/user/project".into(),
        folder: "/home/user/project".into(),
        home: Some("/home/user".into()),
        ..CommandContext::default()
    }
}

fn categories(command: &str, context: &CommandContext) -> Vec<Category> {
    judge_command(command, context, &|_| None).iter().map(|refusal| refusal.category).collect()
}

#[track_caller]
fn table(category: Category, refused: &[&str], honest: &[&str]) {
    for command in refused {
        let found = categories(command, &context());
        assert!(found.contains(&category), "{command}: {found:?}");
    }
    for command in honest {
        assert_eq!(categories(command, &context()), [], "{command}");
    }
}
