//! Task lists of the formats.

use serde_json::json;
use tasks::StoryDraft;

use super::*;

const SPEC_KIT: &str = "# Tasks: Shop

**Input**: Design documents from `/specs/001-shop/`

## Format: `[ID] [P?] [Story] Description`

- **[P]**: Can run in parallel

---

## Phase 1: Setup (Shared Infrastructure)

**Purpose**: Project initialization

- [x] T001 Create the project
- [ ] T002 [P] Configure linting

## Phase 2: Foundational (Blocking Prerequisites)

- [ ] T003 Set up the database in src/db.rs

**Checkpoint**: Foundation ready

## Phase 3: User Story 1 - Pay by card (Priority: P1) 🎯 MVP

**Goal**: Customers pay.

### Tests for User Story 1 (OPTIONAL)

- [ ] T010 [P] [US1] Contract test in tests/pay.rs
  - verify: `cargo test pay`

### Implementation for User Story 1

- [ ] T012 [US1] Create src/pay.rs

## Phase 4: User Story 2 - Refund (Priority: P2)

- [ ] T020 [US2] Create src/refund.rs

## Phase 5: Polish & Cross-Cutting Concerns

- [ ] T030 [P] Update docs/

## Dependencies & Execution Order

- **Setup (Phase 1)**: No dependencies
";

/// They pass the schema of a task list.
fn read(text: &str) -> Import {
    let import = from_markdown(text, "specs/tasks.md");
    if !import.stories.is_empty() {
        let list = json!({ "project": "p", "branchName": "b", "description": "",
            "userStories": import.stories });
        tasks::inspect(list.to_string().as_bytes()).accepted().unwrap();
    }
    import
}

/// `id title: criteria <- dependencies`.
fn shown(import: &Import) -> Vec<String> {
    let shown = |story: &StoryDraft| {
        let on: Vec<&str> = story.depends_on.iter().map(StoryId::as_str).collect();
        let criteria = story.acceptance_criteria.join(", ");
        format!("{} {}: {criteria} <- {}", story.id, story.title, on.join(" "))
    };
    import.stories.iter().map(shown).collect()
}

fn notes(import: &Import) -> Vec<String> {
    import.notes.iter().map(|note| format!("{}: {}", note.what, note.why)).collect()
}

#[test]
fn phases_of_spec_kit_become_stories() {
    let import = read(SPEC_KIT);
    assert_eq!(
        shown(&import),
        [
            "PHASE-1 Setup (Shared Infrastructure): T002 Configure linting <- ",
            "PHASE-2 Foundational (Blocking Prerequisites): T003 Set up the database in src/db.rs <- PHASE-1",
            "US1 User Story 1 - Pay by card: T010 Contract test in tests/pay.rs (verify: `cargo test pay`), T012 Create src/pay.rs <- PHASE-2",
            "US2 User Story 2 - Refund: T020 Create src/refund.rs <- PHASE-2",
            "PHASE-5 Polish & Cross-Cutting Concerns: T030 Update docs/ <- US1 US2",
        ]
    );
    assert_eq!(import.stories[2].description, "**Goal**: Customers pay.");
    let priorities = import.stories.iter().map(|story| story.priority.as_ref()?.as_u64());
    assert_eq!(priorities.collect::<Option<Vec<u64>>>(), Some(vec![1, 2, 3, 4, 5]));
    let source = "specs/tasks.md#phase-1-setup-shared-infrastructure";
    assert_eq!(import.stories[0].source.as_deref(), Some(source));
    assert_eq!(
        notes(&import),
        [
            "section \"Tasks: Shop\": it has no check boxes; it is left out",
            "section \"Format: [ID] [P?] [Story] Description\": it has no check boxes; it is left out",
            "section \"Phase 1: Setup (Shared Infrastructure)\": 1 done tasks are left out: T001 Create the project",
            "section \"Dependencies & Execution Order\": it has no check boxes; it is left out",
        ]
    );
}

#[test]
fn a_phase_that_is_done_is_left_out_and_not_waited_for() {
    let text = SPEC_KIT.replace("- [ ] T003", "- [X] T003").replace("- [ ] T002", "- [X] T002");
    let import = read(&text);
    let ids: Vec<&str> = import.stories.iter().map(|story| story.id.as_str()).collect();
    assert_eq!(ids, ["US1", "US2", "PHASE-5"]);
    assert_eq!(import.stories[0].depends_on, []);
    assert!(notes(&import).iter().any(|note| note.ends_with("all of it is done; it is left out")));
}

#[test]
fn headings_of_open_spec_become_stories_in_order() {
    let text = "## 1. Database\n- [ ] 1.1 Add a table\n- [x] 1.2 Done\n\n## 2. API\n\n- [ ] 2.1 Add a route\n  - [ ] 2.1.1 With tests\n\n## 3. Validation\n- [x] 3.1 Run\n\n## 2. Again\n- [ ] 2.9 x";
    assert_eq!(
        shown(&read(text)),
        [
            "STEP-1 Database: 1.1 Add a table <- ",
            "STEP-2 API: 2.1 Add a route, 2.1.1 With tests <- STEP-1",
            "STEP-2-2 Again: 2.9 x <- STEP-2",
        ]
    );
    assert_eq!(read(&format!("# Tasks\n{text}")).stories, read(text).stories);
}

#[test]
fn other_headings_with_check_boxes_become_stories() {
    for (text, expected) in [
        ("# A\n- [ ] x\n# B\n- [ ] y", vec!["STORY-1 A: x <- ", "STORY-2 B: y <- "]),
        ("# Plan\n## A\n- [ ] x\n### Deep\n- [ ] y", vec!["STORY-1 A: x, y <- "]),
        (
            "Intro\n# Plan\n## A\n- [ ] x\n## B\n- [ ] y",
            vec!["STORY-1 A: x <- ", "STORY-2 B: y <- "],
        ),
        ("# Plan\n- [ ] x", vec!["STORY-1 Plan: x <- "]),
        ("# Plan\n- [ ] w\n## A\n- [ ] x", vec!["STORY-1 Plan: w <- ", "STORY-2 A: x <- "]),
        ("- [ ] x\n- [ ] y", vec!["STORY-1 specs/tasks.md: x, y <- "]),
        ("text", vec![]),
        ("", vec![]),
    ] {
        assert_eq!(shown(&read(text)), expected, "{text:?}");
    }
}

#[test]
fn hostile_lists_are_bounded() {
    let many: String = (0..1000).map(|number| format!("# h{number}\n- [ ] x\n")).collect();
    let import = read(&many);
    assert_eq!(import.stories.len(), MOST_STORIES);
    assert_eq!(notes(&import), ["800 sections: a file becomes at most 200 stories; split it"]);
    let long = format!("## {}. x\n- [ ] 1.1 \x1b[2J<!-- y -->z", "9".repeat(500));
    assert_eq!(read(&long).stories[0].acceptance_criteria, ["1.1 z"]);
}
