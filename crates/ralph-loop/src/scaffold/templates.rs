//! The templates of a project's ralph folder, compiled into the binary. The runner fills in the variables of the prompt
//! before every iteration.

use chrono::NaiveDate;
use serde::Serialize;
use tasks::TaskList;

use super::one_line;

pub(crate) const PROMPT: &str = include_str!("../../../../templates/prompt.md");
pub(crate) const PRD: &str = include_str!("../../../../templates/prd.md");
pub(crate) const TASKS: &str = include_str!("../../../../templates/tasks.json");
/// For editors; the list names it as `$schema`.
pub(crate) const TASKS_SCHEMA: &str = include_str!("../../../../schemas/tasks.schema.json");
pub(crate) const PROGRESS: &str = include_str!("../../../../templates/progress.txt");

/// MCP servers of coding sessions and of memory sessions.
pub(crate) const MCP_CODING: &str = include_str!("../../../../templates/mcp/coding.json");
pub(crate) const MCP_MEMORY: &str = include_str!("../../../../templates/mcp/memory.json");

/// Initial skills: file names below `.ralph/skills/`, and texts.
pub(crate) const SKILLS: [(&str, &str); 4] = [
    ("testing.md", include_str!("../../../../templates/skills/testing.md")),
    ("git-workflow.md", include_str!("../../../../templates/skills/git-workflow.md")),
    ("debugging.md", include_str!("../../../../templates/skills/debugging.md")),
    ("api-design.md", include_str!("../../../../templates/skills/api-design.md")),
];

/// The values of a new task list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TemplateValues {
    pub(crate) project: String,
    /// A slug: the branch is `ralph/<feature>`.
    pub(crate) feature: String,
    pub(crate) verify_commands: Vec<tasks::VerifyCommand>,
}

impl TemplateValues {
    pub(crate) fn tasks(&self) -> String {
        let commands: Vec<String> = self.verify_commands.iter().map(json).collect();
        let list = match commands.as_slice() {
            [] => "[]".to_owned(),
            commands => format!("[\n    {}\n  ]", commands.join(",\n    ")),
        };
        fill(
            TASKS,
            &[
                ("\"{{PROJECT_NAME}}\"", &json(&self.project)),
                ("{{FEATURE_NAME}}", &self.feature),
                ("[\"{{VERIFY_COMMANDS}}\"]", &list),
            ],
        )
    }

    pub(crate) fn progress(&self, started: NaiveDate) -> String {
        let project = one_line(&self.project);
        fill(PROGRESS, &[("{{DATE}}", &started.to_string()), ("{{PROJECT_NAME}}", &project)])
    }
}

/// Whether the list contains only the example story of the template, which a run must not implement.
pub(crate) fn is_untouched_template(list: &TaskList) -> bool {
    let template = tasks::inspect(TASKS.as_bytes()).list;
    let example = template.as_ref().and_then(|template| template.stories.first());
    let is_example = |story: &tasks::Story| {
        example.is_some_and(|example| {
            story.title == example.title && story.acceptance_criteria == example.acceptance_criteria
        })
    };
    !list.stories.is_empty() && list.stories.iter().all(is_example)
}

/// Whether `text` is the unchanged progress log of `init`, for any date and project.
pub(crate) fn is_untouched_progress(text: &str) -> bool {
    let mut lines = text.lines();
    let same = PROGRESS.lines().all(|expected| {
        let fixed = expected.split("{{").next().unwrap_or_default();
        lines.next().is_some_and(|line| match expected == fixed {
            true => line == expected,
            false => line.starts_with(fixed),
        })
    });
    same && lines.all(|line| line.trim().is_empty())
}

fn json(value: impl Serialize) -> String {
    // Strings and checks are valid JSON.
    serde_json::to_string(&value).unwrap_or_default()
}

/// Fills in the values in one pass, so that a value that looks like a placeholder is kept.
fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len());
    let mut rest = template;
    loop {
        let next = values
            .iter()
            .filter_map(|(name, value)| Some((rest.find(name)?, name.len(), value)))
            .min_by_key(|(at, ..)| *at);
        let Some((at, length, value)) = next else {
            filled.push_str(rest);
            return filled;
        };
        filled.push_str(&rest[..at]);
        filled.push_str(value);
        rest = &rest[at + length..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODES: [(&str, &str); 4] = [
        ("implement", include_str!("../../../../templates/modes/implement.md")),
        ("review", include_str!("../../../../templates/modes/review.md")),
        ("review-fix", include_str!("../../../../templates/modes/review-fix.md")),
        ("skip", include_str!("../../../../templates/modes/implement-skip-review.md")),
    ];
    const VARIABLES: [&str; 21] = [
        "ITERATION",
        "MAX_ITERATIONS",
        "MODE",
        "STORY_ID",
        "STORY_TITLE",
        "STORY",
        "FEEDBACK",
        "LAST_FAILURE",
        "PREVIOUS_ATTEMPTS",
        "WEAKENED_TESTS",
        "MEMORY",
        "SKILLS",
        "HANDOFF",
        "INSTRUCTIONS",
        "VERIFY_COMMANDS",
        "REVIEW_COUNT",
        "REVIEW_CAP",
        "RALPH_DIR",
        "BRANCH",
        "CHECKPOINT_RANGE",
        "COMPLETION_TAG",
    ];
    const README: &str = include_str!("../../../../templates/README.md");

    fn values(project: &str, commands: &[&str]) -> TemplateValues {
        TemplateValues {
            project: project.into(),
            feature: "shop".into(),
            verify_commands: commands.iter().map(|command| (*command).into()).collect(),
        }
    }

    fn variables(text: &str) -> Vec<&str> {
        text.split("${").skip(1).filter_map(|rest| Some(rest.split_once('}')?.0)).collect()
    }

    #[test]
    fn only_known_variables_are_used_and_blocks_once() {
        for (name, text) in MODES.into_iter().chain([("prompt", PROMPT)]) {
            let used = variables(text);
            assert!(!used.is_empty(), "{name}");
            for variable in used {
                assert!(VARIABLES.contains(&variable), "{name}: {variable}");
            }
        }
        for block in [
            "STORY",
            "FEEDBACK",
            "LAST_FAILURE",
            "PREVIOUS_ATTEMPTS",
            "WEAKENED_TESTS",
            "MEMORY",
            "SKILLS",
            "HANDOFF",
            "INSTRUCTIONS",
            "VERIFY_COMMANDS",
        ] {
            let used = variables(PROMPT).into_iter().filter(|name| *name == block);
            assert_eq!(used.count(), 1, "{block}");
        }
        assert!(MODES.iter().all(|(_, text)| !text.contains("${INSTRUCTIONS}")));
    }

    #[test]
    fn skills_are_short_and_named_as_stories_name_them() {
        for (name, text) in SKILLS {
            assert!(tasks::SkillName::new(name.strip_suffix(".md").unwrap()).is_ok(), "{name}");
            assert!(text.starts_with("# ") && text.ends_with(".\n"), "{name}");
            assert!(text.len() < 2048, "{name}: {}", text.len());
        }
    }

    #[test]
    fn mcp_servers_are_none_for_coding_and_two_for_the_memory() {
        let servers = |text: &str| {
            serde_json::from_str::<serde_json::Value>(text).unwrap()["mcpServers"].clone()
        };
        assert_eq!(servers(MCP_CODING), serde_json::json!({}));
        let memory = servers(MCP_MEMORY);
        assert_eq!(memory.as_object().unwrap().keys().collect::<Vec<_>>(), ["context7", "memory"]);
        let graph = "${RALPH_PROJECT_DIR}/.ralph/memory/graph.jsonl";
        assert_eq!(memory["memory"]["env"]["MEMORY_FILE_PATH"], graph);
        assert!(project::Layout::new("/p").is_runtime(graph.split_once('/').unwrap().1));
    }

    #[test]
    fn the_readme_has_a_row_for_every_variable_and_no_other() {
        let (_, table) = README.split_once("| variable | value |").unwrap();
        let (table, _) = table.split_once("\n\n").unwrap();
        let rows = table.lines().filter_map(|row| row.strip_prefix("| ")?.split_once(" | "));
        let mut documented: Vec<&str> = rows.flat_map(|(names, _)| variables(names)).collect();
        documented.sort_unstable();
        let mut known = VARIABLES.to_vec();
        known.sort_unstable();
        assert_eq!(documented, known);
    }

    #[test]
    fn the_readme_lists_the_variables_of_the_compaction_prompt() {
        let row = README.lines().find(|line| line.starts_with("| `memory/compact.md`")).unwrap();
        let compact = include_str!("../../../../templates/memory/compact.md");
        let (mut used, mut documented) = (variables(compact), variables(row));
        used.sort_unstable();
        documented.sort_unstable();
        assert_eq!(documented, used);
    }

    #[test]
    fn each_mode_names_its_commit_and_its_status() {
        let [implement, review, fix, skip] = MODES.map(|(_, text)| text);
        assert!(implement.contains("`feat: [${STORY_ID}] - ${STORY_TITLE}`"));
        assert!(implement.contains("`reviewStatus`: `\"needs_review\"`"));
        assert!(!implement.contains("`passes`: `true`"));
        for message in ["approved", "changes requested"] {
            assert!(review.contains(&format!("`review: [${{STORY_ID}}] - {message}`")));
        }
        assert!(review.contains("[AUTO-APPROVED AT CAP]"));
        assert!(fix.contains("`fix: [${STORY_ID}] - address review feedback`"));
        assert!(skip.contains("`passes`: `true`") && skip.contains("`reviewStatus` stays `null`"));
    }

    #[test]
    fn a_prd_has_ten_numbered_sections() {
        let numbers: Vec<&str> = PRD
            .lines()
            .filter_map(|line| Some(line.strip_prefix("## ")?.split_once('.')?.0))
            .collect();
        assert_eq!(numbers, ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]);
    }

    #[test]
    fn a_fresh_list_is_valid_and_known_as_the_template() {
        for commands in [&[][..], &["cargo test"], &["a \"b\"", "c\\d"]] {
            let text = values("The \"shop\"", commands).tasks();
            let list = tasks::inspect(text.as_bytes()).accepted().unwrap();
            assert_eq!(list.project, "The \"shop\"");
            assert_eq!(list.branch_name, "ralph/shop");
            assert!(list.verify_commands.iter().map(|check| &check.run).eq(commands));
            assert!(is_untouched_template(&list));
        }
    }

    #[test]
    fn a_list_with_another_story_is_not_the_template() {
        let text = values("x", &[]).tasks();
        let titled = text.replace("Replace this example with your first story", "Log in");
        let list = tasks::inspect(titled.as_bytes()).accepted().unwrap();
        assert!(!is_untouched_template(&list));
        let mut empty = list;
        empty.stories.clear();
        assert!(!is_untouched_template(&empty));
    }

    #[test]
    fn a_name_that_looks_like_a_placeholder_stays_a_name() {
        let hostile = "{{FEATURE_NAME}} [\"{{VERIFY_COMMANDS}}\"]";
        let list = tasks::inspect(values(hostile, &["x"]).tasks().as_bytes()).accepted().unwrap();
        assert_eq!(list.project, hostile);
        assert_eq!(list.branch_name, "ralph/shop");
    }

    #[test]
    fn a_fresh_progress_log_is_known_until_something_is_added() {
        let day = NaiveDate::from_ymd_opt(2026, 3, 9).unwrap();
        let text = values("two\nlines", &[]).progress(day);
        assert!(text.contains("Started: 2026-03-09\nPRD: two lines\n"), "{text}");
        assert!(is_untouched_progress(&text));
        assert!(is_untouched_progress(&text.replace('\n', "\r\n")));
        assert!(!is_untouched_progress(&format!("{text}## Iteration 1\n")));
        assert!(!is_untouched_progress(&text.replace("(Reusable", "- Use bun. (Reusable")));
        assert!(!is_untouched_progress(""));
    }
}
