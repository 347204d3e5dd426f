//! What the agent is told: the text of the skill `ralph-plan`, filled in as Claude Code would.

use project::Layout;

const SKILL: &str = include_str!("../../../../../skills/ralph-plan/SKILL.md");

/// What Claude Code replaces by the words behind `/ralph-plan`.
const ARGUMENTS: &str = "$ARGUMENTS";
/// What it replaces by the output of the command.
const STATUS: &str = "!`ralph-loop status";

/// Who is there to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Company {
    User,
    /// The session cannot ask.
    None,
}

pub(super) fn text(description: &str, status: &str, layout: &Layout, company: Company) -> String {
    let lines = body(SKILL).lines().map(|line| match line.starts_with(STATUS) {
        true => status.trim_end().to_owned(),
        false => line.replace(ARGUMENTS, description),
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    format!("{}\n\n{}\n", text.trim(), session(layout, company))
}

/// Without the front matter.
fn body(skill: &str) -> &str {
    let after = skill.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    after.map_or(skill, |(_, body)| body)
}

fn session(layout: &Layout, company: Company) -> String {
    let mut lines = vec![
        "## This session".to_owned(),
        "- `ralph-loop draft` started it. A run that `ralph-loop status` shows now is this session.".to_owned(),
        "- When it ends, ralph-loop validates the plan itself and offers the user to commit it. Do not commit, and \
         change no other file."
            .to_owned(),
    ];
    if company == Company::None {
        lines.push(
            "- It cannot ask questions: the user reads your last message only afterwards."
                .to_owned(),
        );
    }
    let folder = layout.ralph_dir_name();
    if folder != "ralph" {
        lines.push(format!("- The folder `ralph/` is `{folder}/` in this project."));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_skill_is_filled_in_and_has_no_front_matter() {
        let layout = Layout::new("/p");
        let text = text("a `filter` $ARGUMENTS", "no run yet\n", &layout, Company::None);
        assert!(text.starts_with("# Plan a Ralph loop\n"), "{text}");
        assert!(text.contains("if the user said it here: a `filter` $ARGUMENTS\n"), "{text}");
        assert!(text.contains("```\nno run yet\n```"), "{text}");
        assert!(!text.contains(STATUS) && !text.contains("allowed-tools"), "{text}");
        assert!(text.contains("It cannot ask questions") && !text.contains("The folder `ralph/`"));
    }

    #[test]
    fn a_session_with_the_user_may_ask_and_another_folder_is_named() {
        let layout = Layout::new("/p").with_ralph_dir(std::path::Path::new("work/loop"));
        let text = text("x", "", &layout, Company::User);
        assert!(!text.contains("It cannot ask questions"));
        assert!(text.contains("The folder `ralph/` is `work/loop/`"), "{text}");
    }
}
