//! The prompt of a draft: the skill `ralph-plan`, with its placeholders filled in as Claude Code does.

use project::Layout;

const SKILL: &str = include_str!("../../../../../skills/ralph-plan/SKILL.md");

/// Claude Code replaces this with the arguments of `/ralph-plan`.
const ARGUMENTS: &str = "$ARGUMENTS";
/// Claude Code replaces lines that start so with the output of the command.
const STATUS: &str = "!`ralph-loop status";

pub(super) fn text(description: &str, status: &str, layout: &Layout, interactive: bool) -> String {
    let lines = body(SKILL).lines().map(|line| match line.starts_with(STATUS) {
        true => status.trim_end().to_owned(),
        false => line.replace(ARGUMENTS, description),
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    format!("{}\n\n{}\n", text.trim(), session(layout, interactive))
}

/// Without the front matter.
fn body(skill: &str) -> &str {
    let after = skill.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    after.map_or(skill, |(_, body)| body)
}

fn session(layout: &Layout, interactive: bool) -> String {
    let mut text = "## This session\n\
        - `ralph-loop draft` started this session. If `ralph-loop status` shows a run, it is this session.\n\
        - When the session ends, ralph-loop validates the plan and offers to commit it. Do not commit. Do not change \
        other files."
        .to_owned();
    if !interactive {
        text += "\n- You cannot ask questions: the user reads your last message after the session.";
    }
    let folder = layout.ralph_dir_name();
    if folder != "ralph" {
        text += &format!("\n- The folder `ralph/` is `{folder}/` in this project.");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_skill_is_filled_in_and_has_no_front_matter() {
        let layout = Layout::new("/p");
        let text = text("a `filter` $ARGUMENTS", "no run yet\n", &layout, false);
        assert!(text.starts_with("# Plan a Ralph loop\n"), "{text}");
        assert!(text.contains("if the user named it: a `filter` $ARGUMENTS\n"), "{text}");
        assert!(text.contains("```\nno run yet\n```"), "{text}");
        assert!(!text.contains(STATUS) && !text.contains("allowed-tools"), "{text}");
        assert!(text.contains("You cannot ask questions") && !text.contains("The folder `ralph/`"));
    }

    #[test]
    fn a_session_with_the_user_may_ask_and_another_folder_is_named() {
        let layout = Layout::new("/p").with_ralph_dir(std::path::Path::new("work/loop"));
        let text = text("x", "", &layout, true);
        assert!(!text.contains("You cannot ask questions"));
        assert!(text.contains("The folder `ralph/` is `work/loop/`"), "{text}");
    }
}
