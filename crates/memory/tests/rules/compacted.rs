//! The compacted context: read, and as items.

use memory::{CompactedContext, read_compacted};
use serde_json::{Value, json};

use crate::examples;

fn whole() -> CompactedContext {
    match read_compacted(&examples::context()) {
        (Some(context), problems) if problems.is_empty() => context,
        read => panic!("{read:?}"),
    }
}

fn repaired(value: &Value) -> (CompactedContext, Vec<String>) {
    match read_compacted(value) {
        (Some(context), problems) if !problems.is_empty() => (context, problems),
        read => panic!("{read:?}"),
    }
}

#[test]
fn its_items_are_sorted_by_importance() {
    let items = whole().items();
    let pairs: Vec<(&str, &str)> =
        items.iter().map(|item| (item.group.as_deref().unwrap(), item.text.trim_end())).collect();
    assert_eq!(
        pairs,
        [
            ("Project state", "A shop with a cart."),
            ("Active constraints (do not violate)", "no network"),
            ("Architecture decisions (follow these)", "mail goes through the outbox"),
            ("Unresolved issues", "the mail test hangs"),
            ("Completed work (newest first)", "the newest"),
            ("Completed work (newest first)", "the middle"),
            ("Completed work (newest first)", "the oldest"),
            ("Library reference", "**zod**: z.object, z.infer\nparse throws"),
            ("Files", "src/mail.ts: the outbox"),
        ]
    );
}

#[test]
fn only_a_summary_is_required() {
    let (context, problems) = repaired(&json!({ "project_summary": "A shop." }));
    assert_eq!(context.items().len(), 1);
    assert_eq!(
        problems,
        [
            "completed_work: missing",
            "active_constraints: missing",
            "architectural_decisions: missing",
            "file_knowledge: missing",
        ]
    );
    for value in [json!({}), json!({ "project_summary": " " }), json!("A shop.")] {
        assert_eq!(read_compacted(&value).0, None, "{value}");
    }
}

#[test]
fn invalid_entries_are_omitted() {
    let mut value = examples::context();
    value["active_constraints"] =
        json!([{ "source_iteration": "1" }, "x", { "constraint": "c", "source_iteration": 4 }]);
    value["library_docs"] = json!([{ "library": "zod" }]);
    value["file_knowledge"] = json!([{ "path": "a", "purpose": 1 }]);
    value["completed_work"] = json!("one thing");
    let (context, problems) = repaired(&value);
    assert_eq!(
        problems,
        [
            "active_constraints[0].constraint: missing",
            "active_constraints[1]: expected an object, found \"x\"",
            "active_constraints[2].source_iteration: expected text, found 4",
            "file_knowledge[0].purpose: expected text, found 1",
            "library_docs[0].key_apis: missing",
        ]
    );
    assert_eq!(context.active_constraints.len(), 1);
    assert_eq!(context.active_constraints[0].constraint, "c");
    assert_eq!(context.completed_work, ["one thing"]);
}

#[test]
fn lists_have_an_end() {
    let mut value = examples::context();
    value["completed_work"] = json!(vec!["a"; 5_000]);
    let (context, problems) = repaired(&value);
    assert_eq!(context.completed_work.len(), 200);
    assert_eq!(problems, ["completed_work: 5000 entries; only the first 200 are kept"]);
}
