//! The policy table of `docs/isolation.md` says what command-guard answers: each cell is judged by the commands of its
//! column on the paths of its row.

use std::path::Path;

use command_guard::{Category, CommandContext, judge_command, judge_write};

const COLUMNS: [&str; 9] =
    ["place", "read", "write", "delete", "delete-tree", "move", "link", "mode", "mode-tree"];

const ALLOWED: &str = "–";

fn context() -> CommandContext {
    let mut context = CommandContext {
        project: "/home/user/project".into(),
        folder: "/home/user/project".into(),
        home: Some("/home/user".into()),
        ..CommandContext::default()
    };
    context.rules.writable = vec!["/opt/cache".into()];
    context
}

/// The texts in backticks, without names of settings.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    let texts = cell.split('`').skip(1).step_by(2);
    texts.filter(|text| !text.starts_with("isolation."))
}

fn answer(command: &str) -> String {
    let refusals = judge_command(command, &context(), &|_| None);
    let names: Vec<&str> = refusals.iter().map(|refusal| refusal.category.name()).collect();
    if names.is_empty() { ALLOWED.into() } else { names.join(", ") }
}

#[test]
fn the_table_of_the_page_is_the_policy() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/isolation.md");
    let page = std::fs::read_to_string(page).expect("docs/isolation.md is there");
    let table = page.lines().skip_while(|line| !line.starts_with("|place|"));
    let rows = table.take_while(|line| line.starts_with('|'));
    let rows: Vec<Vec<&str>> = rows.map(|row| row.trim_matches('|').split('|').collect()).collect();
    let [header, _, rows @ ..] = rows.as_slice() else { panic!("no table of places") };
    let effects: Vec<&str> =
        header.iter().map(|cell| cell.split(':').next().unwrap_or_default()).collect();
    assert_eq!(effects, COLUMNS);
    assert!(rows.len() >= 12, "{} places", rows.len());
    let mut wrong = Vec::new();
    for row in rows {
        assert_eq!(row.len(), COLUMNS.len(), "{row:?}");
        assert!(quoted(row[0]).next().is_some(), "no path: {}", row[0]);
        for (effect, cell) in header.iter().zip(row).skip(1) {
            assert!(quoted(effect).next().is_some(), "no command: {effect}");
            let commands = quoted(effect)
                .flat_map(|command| quoted(row[0]).map(|path| command.replace('X', path)));
            for command in commands {
                let answer = answer(&command);
                if answer != *cell {
                    wrong.push(format!("`{command}` is {answer}, the page says {cell}"));
                }
            }
        }
        let write = row[2];
        for path in quoted(row[0]) {
            let refusal = judge_write(Path::new(path), &context());
            let category = refusal.map_or(ALLOWED, |refusal| Category::name(refusal.category));
            if !write.split(", ").any(|name| name == category) {
                wrong.push(format!("Write of `{path}` is {category}, the page says {write}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
