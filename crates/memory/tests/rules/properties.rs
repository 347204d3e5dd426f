//! Properties of any input.

use memory::{
    FallbackInput, Item, PartContent, PromptPart, digest, extract_json, fallback, fit, line,
    read_compacted, read_handoff, tokens,
};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

const PARTS: [PromptPart; 7] = [
    PromptPart::Task,
    PromptPart::Output,
    PromptPart::Skills,
    PromptPart::Failures,
    PromptPart::Previous,
    PromptPart::Compacted,
    PromptPart::Earlier,
];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[-# a-zA-Z0-9;{}`\n\r\t\u{1b}é中]{0,80}",
        "([a-zA-Z]{1,9} ){1,40}",
        Just("word ".repeat(300)),
    ]
}

fn item() -> impl Strategy<Value = Item> {
    (proptest::option::of("[AB]?"), text()).prop_map(|(group, text)| Item { group, text })
}

fn wanted() -> impl Strategy<Value = Vec<PartContent>> {
    vec((0..PARTS.len(), "(## [A-Z]{0,9})?", vec(item(), 0..12)), 0..9).prop_map(|all| {
        all.into_iter()
            .map(|(part, heading, items)| PartContent { part: PARTS[part], heading, items })
            .collect()
    })
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        ".{0,9}".prop_map(Value::from),
    ];
    let key = prop::sample::select(vec![
        "task_completed",
        "summary",
        "fully_complete",
        "deviations",
        "planned",
        "bugs_encountered",
        "files_touched",
        "recommendations",
        "plan_amendments",
        "project_summary",
        "active_constraints",
        "constraint",
    ]);
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((key.clone(), inner), 0..6).prop_map(|fields| fields
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect()),
        ]
    })
}

proptest! {
    #[test]
    fn the_token_sum_is_correct(wanted in wanted(), budget in 0usize..3_000) {
        let never_cut = |part: PromptPart| part.never_cut();
        let assembly = fit(wanted.clone(), budget);
        let fixed: usize =
            assembly.parts.iter().filter(|part| never_cut(part.part)).map(|part| part.tokens).sum();
        prop_assert!(assembly.tokens() <= budget.max(fixed));
        prop_assert_eq!(assembly.is_over_budget(), fixed > budget);
        prop_assert_eq!(assembly.parts.len(), wanted.len());
        for part in &assembly.parts {
            prop_assert_eq!(part.tokens, tokens(&part.text));
            prop_assert!(!never_cut(part.part) || part.left_out == 0);
            prop_assert!(part.left_out > 0 || part.tokens == part.wanted_tokens);
            let steered = part.text.contains('\u{1b}');
            prop_assert!(!steered);
        }
        let whole: usize = assembly.parts.iter().map(|part| part.wanted_tokens).sum();
        if whole <= budget {
            prop_assert!(assembly.parts.iter().all(|part| part.left_out == 0));
        }
    }

    #[test]
    fn every_parsed_handoff_can_be_rendered(value in json(), summary in text()) {
        let _ = read_compacted(&value);
        let mut value = value;
        if let Some(fields) = value.as_object_mut() {
            let done = serde_json::json!({ "summary": summary });
            fields.entry("task_completed").or_insert(done);
        }
        if let (Some(handoff), _) = read_handoff(&value) {
            prop_assert_eq!(line(&handoff).lines().count(), 1);
            prop_assert!(digest(&handoff).iter().all(|item| item.text.lines().count() == 1));
            let again = read_handoff(&serde_json::to_value(&handoff).unwrap());
            let same = again.0.as_ref() == Some(&handoff);
            prop_assert!(same || handoff.task_completed.summary.chars().count() > 4_000);
        }
    }

    #[test]
    fn an_object_is_found_in_any_text(
        before in "[^`~]{0,60}", after in "[^`~{}]{0,60}", value in json(),
    ) {
        let object = serde_json::json!({ "the_key": value });
        let fenced = format!("{before}\n```json\n{object:#}\n```\n{after}");
        prop_assert_eq!(extract_json(&fenced, "the_key"), Some(object.clone()));
        let bare = format!("{before} {object} {after}");
        prop_assert_eq!(extract_json(&bare, "the_key"), Some(object));
    }

    #[test]
    fn no_message_is_too_odd(text in "[{}\\[\\]\":,a`~\\\\\n ]{0,200}") {
        let _ = extract_json(&text, "a");
        let handoff = fallback(&FallbackInput { story: "", text: &text, commits: &[], files: &[] });
        prop_assert!(!handoff.task_completed.summary.is_empty());
        prop_assert!(handoff.task_completed.summary.chars().count() <= 600);
    }
}
