//! The prompt of a compaction session.

use std::collections::BTreeMap;

use memory::CompactedContext;
use tasks::Story;

use super::AnswerFormat;
use super::blocks::{imported, one_line};
use crate::templates::built_in::BuiltIn;
use crate::templates::{Variables, block_quote, expand, fenced, list_item, without_comments};

const TEMPLATE: &str = include_str!("../../../../../templates/memory/compact.md");
const COMPACTED: &str = include_str!("../../../../../templates/memory/compacted.md");
const COMPACTED_BLOCK: &str = include_str!("../../../../../templates/memory/compacted-block.md");

#[derive(Debug)]
pub(crate) struct CompactionInput<'a> {
    /// The user's template.
    pub(crate) template: Option<&'a str>,
    pub(crate) before: Option<&'a CompactedContext>,
    /// Oldest first.
    pub(crate) handoffs: &'a [String],
    /// The next story.
    pub(crate) story: &'a Story,
    /// Libraries to look up, if any lookup is wanted. Empty: the agent chooses.
    pub(crate) looks_up: Option<&'a [String]>,
    pub(crate) tokens: usize,
    pub(crate) answer_format: AnswerFormat,
}

pub(crate) fn about_compaction(input: &CompactionInput<'_>) -> String {
    let mut variables = Variables::with(&BTreeMap::new());
    let before = input.before.and_then(|context| serde_json::to_string_pretty(context).ok());
    let before = before.map_or("Nothing yet.".to_owned(), |json| fenced(&json));
    variables.set(BuiltIn::Memory, before);
    let handoffs = match input.handoffs {
        [] => "None.".to_owned(),
        handoffs => handoffs.join("\n\n"),
    };
    variables.set(BuiltIn::Handoffs, handoffs);
    variables.set(BuiltIn::Libraries, libraries(input));
    variables.set(BuiltIn::CompactedTokens, input.tokens);
    let answer = match input.answer_format {
        AnswerFormat::Schema => COMPACTED,
        AnswerFormat::Block => COMPACTED_BLOCK,
    };
    variables.set(BuiltIn::Handoff, answer.trim_end());
    expand(&template(input), &variables).text
}

/// The template, with the variables that it lacks appended.
fn template(input: &CompactionInput<'_>) -> String {
    let own = without_comments(input.template.unwrap_or(TEMPLATE));
    let needed = [BuiltIn::Memory, BuiltIn::Handoffs, BuiltIn::Libraries, BuiltIn::Handoff];
    let variable = |name: BuiltIn| format!("${{{}}}", name.name());
    let missing = needed.into_iter().map(variable).filter(|variable| !own.contains(variable));
    missing.fold(own.clone(), |text, variable| format!("{}\n\n{variable}\n", text.trim_end()))
}

fn libraries(input: &CompactionInput<'_>) -> String {
    let story = input.story;
    let next = format!("The next story is {}: {}.", story.id, one_line(&story.title));
    let next = format!("{next} {}", imported(story)).trim_end().to_owned();
    match input.looks_up {
        None => format!("None requested. {next}"),
        Some([]) => {
            let description = block_quote(&story.description);
            format!("{next} It needs documentation; find out of which libraries.\n\n{description}")
        }
        Some(libraries) => {
            let lines: Vec<String> = libraries.iter().map(|name| list_item(name)).collect();
            format!("{next} It needs:\n\n{}", lines.join("\n"))
        }
    }
}
