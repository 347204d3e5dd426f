//! The sections of a prompt with their token counts, for `--dry-run`.

use engine::ContextBudget;
use events::ContextPart;
use serde_json::{Value, json};

use crate::report::{Align, Column, Look, Marks, Palette, Role, table};

const COLUMNS: [Column<'_>; 5] = [
    Column { name: "Section", align: Align::Left, optional: false },
    Column { name: "Tokens", align: Align::Right, optional: false },
    Column { name: "Wanted", align: Align::Right, optional: false },
    Column { name: "Allotted", align: Align::Right, optional: false },
    Column { name: "Left out", align: Align::Right, optional: false },
];

/// The table with its total, in lines.
pub(super) fn lines(context: &ContextBudget) -> Vec<String> {
    let parts = &context.parts;
    let total = ContextPart {
        part: "total".to_owned(),
        tokens: context.tokens,
        wanted_tokens: parts.iter().map(|part| part.wanted_tokens).sum(),
        allotted_tokens: Some(context.budget),
        left_out: parts.iter().map(|part| part.left_out).sum(),
    };
    let row = |part: &ContextPart| {
        let cells = [
            part.part.clone(),
            part.tokens.to_string(),
            part.wanted_tokens.to_string(),
            part.allotted_tokens.map_or("all".to_owned(), |tokens| tokens.to_string()),
            if part.left_out > 0 { part.left_out.to_string() } else { "-".to_owned() },
        ];
        cells.map(|cell| (Role::Plain, cell)).to_vec()
    };
    let rows: Vec<_> = parts.iter().chain([&total]).map(row).collect();
    let look = Look { palette: Palette::plain(), marks: Marks::ASCII, width: None };
    let lines = table(&COLUMNS, &rows, &look, 2);
    lines.iter().map(|line| line.paint(&look.palette)).collect()
}

pub(super) fn json(context: &ContextBudget) -> Value {
    json!({ "tokens": context.tokens, "budget": context.budget, "parts": context.parts })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::test_events::part;

    fn context() -> ContextBudget {
        let parts = vec![
            part("task", 640, 640, 0),
            ContextPart { allotted_tokens: Some(3000), ..part("skills", 1500, 2900, 1) },
            ContextPart { allotted_tokens: Some(6000), ..part("compacted", 2950, 4100, 12) },
        ];
        ContextBudget { tokens: 5090, budget: 16_000, parts }
    }

    #[test]
    fn every_section_has_a_row_and_all_of_them_a_total() {
        let expected = [
            "  Section    Tokens  Wanted  Allotted  Left out",
            "  task          640     640       all         -",
            "  skills       1500    2900      3000         1",
            "  compacted    2950    4100      6000        12",
            "  total        5090    7640     16000        13",
        ];
        assert_eq!(lines(&context()), expected);
    }

    #[test]
    fn the_json_form_keeps_its_names() {
        let json = json(&context());
        assert_eq!((&json["tokens"], &json["budget"]), (&5090.into(), &16_000.into()));
        assert_eq!(
            json["parts"][1],
            json!({
                "part": "skills", "tokens": 1500, "wantedTokens": 2900, "allottedTokens": 3000,
                "leftOut": 1,
            })
        );
    }
}
