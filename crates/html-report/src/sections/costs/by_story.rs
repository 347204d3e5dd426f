//! Cost and tokens of each story as bars; a prompt loop has one bar.

use events::TokenCount;
use events::format::{UNKNOWN, cost_cell, count, money, part_of_tokens};

use crate::PageInput;
use crate::chart::{ChartText, Scale, WIDTH, figure, legend, rect, text};
use crate::html::{Html, element};
use crate::table::{folded, table};
use crate::tally::{StoryRow, all_tokens, finite};

/// The number of stories in a chart; the table has all of them.
const MOST_BARS: usize = 20;
const ROW: f64 = 26.0;
const BAR: f64 = 16.0;
const LEFT: f64 = 110.0;
/// Leaves space for the number right of a bar.
const RIGHT: f64 = WIDTH - 80.0;
const TOP: f64 = 6.0;

struct Spent {
    name: String,
    usd: f64,
    /// `None` if no agent reported it.
    cost: Option<f64>,
    tokens: TokenCount,
}

pub(super) fn by_story(input: &PageInput<'_>, rows: &[StoryRow<'_>]) -> Html {
    let spent = spent(input, rows);
    if spent.is_empty() {
        return Html::default();
    }
    let shown = most_expensive(&spent);
    let table = figures(&spent);
    // Some agents report only one of them.
    let has_cost = spent.iter().any(|one| one.usd > 0.0);
    let has_tokens = spent.iter().any(|one| all_tokens(one.tokens) > 0);
    element("div")
        .add(has_cost.then(|| costs(&shown, &spent)))
        .add(has_tokens.then(|| used(&shown, &spent)))
        .add(table)
        .into()
}

fn spent(input: &PageInput<'_>, rows: &[StoryRow<'_>]) -> Vec<Spent> {
    let mut spent: Vec<Spent> = rows
        .iter()
        .map(|row| Spent {
            name: row.brief.id.to_string(),
            usd: row.cost_usd(),
            cost: row.cost(),
            tokens: row.totals.tokens,
        })
        .filter(|spent| spent.usd > 0.0 || all_tokens(spent.tokens) > 0)
        .collect();
    if rows.is_empty() {
        let view = input.view;
        let (usd, cost) = (finite(view.spent_usd()), view.cost().map(finite));
        spent.push(Spent { name: "all iterations".into(), usd, cost, tokens: view.tokens });
    }
    spent
}

/// The most expensive stories, in the order of the list.
fn most_expensive(spent: &[Spent]) -> Vec<&Spent> {
    let mut costs: Vec<f64> = spent.iter().map(|one| one.usd).collect();
    costs.sort_by(|one, other| other.total_cmp(one));
    let least = costs.get(MOST_BARS - 1).copied().unwrap_or(0.0);
    spent.iter().filter(|one| one.usd >= least).take(MOST_BARS).collect()
}

fn which(shown: &[&Spent], all: &[Spent]) -> String {
    match all.len().saturating_sub(shown.len()) as u64 {
        0 => String::new(),
        more => format!(" {} in the table.", count(more, "more is", "more are")),
    }
}

fn costs(shown: &[&Spent], all: &[Spent]) -> Html {
    let scale = Scale::new(shown.iter().map(|one| one.usd).fold(0.0, f64::max), LEFT, RIGHT);
    let mut marks = Vec::new();
    for (place, one) in shown.iter().enumerate() {
        let top = TOP + ROW * place as f64;
        let to = scale.at(one.usd);
        marks.push(named(&one.name, top));
        marks.push(rect(LEFT, top, (to - LEFT).max(1.0), BAR).class("bar").into());
        marks.push(text(to + 6.0, top + 13.0, &money(one.usd)).class("tick").into());
    }
    let parts: Vec<String> =
        shown.iter().map(|one| format!("{} {}", one.name, money(one.usd))).collect();
    let description = format!("{}.{}", parts.join(", "), which(shown, all));
    let words = ChartText { id: "costs-bars", title: "Cost by story", description };
    figure(&words, TOP + ROW * shown.len() as f64, marks, quiet_more(shown, all))
}

fn used(shown: &[&Spent], all: &[Spent]) -> Html {
    let most = shown.iter().map(|one| all_tokens(one.tokens) as f64).fold(0.0, f64::max);
    let scale = Scale::new(most, LEFT, RIGHT);
    let mut marks = Vec::new();
    for (place, one) in shown.iter().enumerate() {
        let top = TOP + ROW * place as f64;
        marks.push(named(&one.name, top));
        let mut so_far = 0.0;
        for (class, name, number) in kinds(one.tokens) {
            let from = scale.at(so_far);
            so_far += number as f64;
            let width = scale.at(so_far) - from;
            if width >= 0.1 {
                let tip = format!("{}: {} {name}", one.name, part_of_tokens(number));
                let bar = rect(from, top, width, BAR).class(class);
                marks.push(bar.add(element("title").add(tip)).into());
            }
        }
        let sum = part_of_tokens(all_tokens(one.tokens));
        marks.push(text(scale.at(so_far) + 6.0, top + 13.0, &sum).class("tick").into());
    }
    let in_words = |one: &&Spent| {
        let kinds = kinds(one.tokens);
        let kinds = kinds.map(|(_, name, number)| format!("{} {name}", part_of_tokens(number)));
        format!("{}: {}", one.name, kinds.join(", "))
    };
    let texts: Vec<String> = shown.iter().map(in_words).collect();
    let description = format!("{}.{}", texts.join("; "), which(shown, all));
    let words = ChartText { id: "tokens-bars", title: "Tokens by story", description };
    let key = legend(kinds(TokenCount::default()).map(|(class, name, _)| (class, name)));
    figure(&words, TOP + ROW * shown.len() as f64, marks, key)
}

fn kinds(tokens: TokenCount) -> [(&'static str, &'static str, u64); 4] {
    [
        ("output", "output", tokens.output),
        ("input", "input", tokens.input),
        ("cache-write", "written to the cache", tokens.cache_creation),
        ("cache-read", "read from the cache", tokens.cache_read),
    ]
}

/// Long ids keep their end, which differs.
fn named(name: &str, top: f64) -> Html {
    const LONGEST: usize = 14;
    let length = name.chars().count();
    let shown = match length {
        0..=LONGEST => name.to_owned(),
        _ => format!("…{}", name.chars().skip(length - LONGEST + 1).collect::<String>()),
    };
    text(LEFT - 8.0, top + 13.0, &shown).class("name end").into()
}

fn quiet_more(shown: &[&Spent], all: &[Spent]) -> Html {
    let more = which(shown, all);
    (!more.is_empty())
        .then(|| element("p").class("quiet").add(format!("The most expensive stories.{more}")))
        .into()
}

fn figures(spent: &[Spent]) -> Html {
    let columns = "Story, #Cost, #Output, #Input, #Written to the cache, #Read from the cache";
    let rows = spent.iter().map(|one| {
        let is_known = all_tokens(one.tokens) > 0;
        let texts = |number| if is_known { part_of_tokens(number) } else { UNKNOWN.into() };
        let [output, input, written, read] = kinds(one.tokens).map(|(_, _, number)| texts(number));
        [
            Html::from(&one.name),
            cost_cell(one.cost).into(),
            output.into(),
            input.into(),
            written.into(),
            read.into(),
        ]
    });
    let table = table("Cost and tokens by story", columns, rows);
    folded("costs-figures", "Show as a table", table).into()
}
