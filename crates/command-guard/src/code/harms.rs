//! Finds harms in code from combinations of calls.

use std::sync::LazyLock;

use shell_analysis::Word;

use super::literals::squeezed;
use super::names::has;
use crate::Category;
use crate::network::{Host, host, uses_network};
use crate::policy_table::Reason;
use crate::secrets::{code_prints_environment, is_secret};

/// Categories, facts and reasons.
static ROWS: LazyLock<Vec<[&str; 3]>> = LazyLock::new(|| {
    let columns = |line: &'static str| line.split(" : ").collect::<Vec<_>>().try_into().ok();
    include_str!("harms.txt").lines().filter_map(columns).collect()
});

/// Whether code runs text: its input may be code.
pub(crate) fn runs_text(code: &str) -> bool {
    let code = squeezed(code);
    has(&code, "EVALUATES") || has(&code, "STARTS")
}

/// Whether code has an endless loop without a delay.
pub(crate) fn is_endless(code: &str) -> bool {
    has(&squeezed(code), "ENDLESS") && !has(code, "ENDS")
}

/// `strings` are all strings in the code.
pub(super) fn harms(code: &str, strings: &[String]) -> Vec<Reason> {
    let squeezed = squeezed(code);
    let any = |is: &dyn Fn(&str) -> bool| strings.iter().any(|text| is(text));
    let names_host = |wanted| any(&|text| text.contains("://") && host(&Word::of(text)) == wanted);
    let is_remote = names_host(Host::Elsewhere);
    let is_local = !is_remote
        && (names_host(Host::Loopback) || any(&|text| matches!(text, "localhost" | "127.0.0.1")));
    let uses_network =
        uses_network(code) || has(&squeezed, "NETWORK") || any(&|text| text.starts_with("http"));
    let holds = |fact: &str| match fact {
        "remote" => is_remote,
        "away" => !is_local,
        "reads" => has(&squeezed, "READS") || opens_to_read(&squeezed),
        "asks" => any(&|text| {
            text.contains("://")
                && text.contains('?')
                && (text.contains('{') || text.ends_with(['=', '?']))
        }),
        "endless" => is_endless(code),
        "network" => uses_network && !is_local,
        "environment" => code_prints_environment(code),
        "secret" => any(&|text| is_secret(text) && text.to_uppercase() == *text),
        "drops" => any(&drops),
        group => has(&squeezed, group),
    };
    let all = |facts: &str| facts.split(' ').all(|fact| fact.split('|').any(holds));
    let rows = ROWS.iter().filter(|[_, facts, _]| all(facts));
    rows.filter_map(|[category, _, why]| Some(reason(Category::named(category)?, why))).collect()
}

/// Whether code opens a file without a mode that writes.
fn opens_to_read(squeezed: &str) -> bool {
    const MODES: [&str; 6] = [",\"w", ",'w", ",\"a", ",'a", "(\"w", "('w"];
    squeezed.match_indices("open(").any(|(at, _)| {
        let arguments = squeezed[at..].split(')').next().unwrap_or_default();
        !squeezed[..at].ends_with("url") && !MODES.iter().any(|mode| arguments.contains(mode))
    })
}

/// Whether a string deletes the data of a database.
fn drops(text: &str) -> bool {
    const DROPS: &[&str] =
        &["drop table", "drop database", "drop schema", "truncate ", "delete_many({})"];
    let text = text.to_ascii_lowercase();
    DROPS.iter().any(|part| text.contains(part))
}

pub(super) fn reason(category: Category, why: &'static str) -> Reason {
    let instead = "Use plain commands inside the project instead of this code";
    Reason { category, why, instead }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::names::group;

    #[test]
    fn every_row_has_a_category_and_known_facts() {
        const FACTS: [&str; 9] = [
            "remote",
            "away",
            "reads",
            "asks",
            "endless",
            "network",
            "environment",
            "secret",
            "drops",
        ];
        let lines = include_str!("harms.txt").lines().filter(|line| line.contains(" : "));
        assert_eq!(lines.count(), ROWS.len());
        for [category, facts, _] in ROWS.iter() {
            assert!(Category::named(category).is_some(), "{category}");
            for fact in facts.split([' ', '|']) {
                assert!(FACTS.contains(&fact) || !group(fact).is_empty(), "{fact}");
            }
        }
    }
}
