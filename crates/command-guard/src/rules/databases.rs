//! Deletion of database contents. A named or test database on this machine belongs to the project.

use shell_analysis::{Input, Word};

use crate::invocation_view::InvocationView;
use crate::network::{Host, has_output, host};
use crate::words::words;

/// Database clients.
pub(super) const CLIENTS: &[&str] = words!(
    "psql mysql mariadb dropdb redis-cli mysqladmin mongosh mongo cqlsh clickhouse-client
     clickhouse sqlcmd pgcli mycli usql cockroach bq snowsql influx dropuser valkey-cli duckdb
     spanner-cli"
);

/// Whether data would be deleted that may not belong to the project.
pub(super) fn empties_database(view: &InvocationView<'_>, words: &[String]) -> bool {
    if !view.is(CLIENTS) {
        return false;
    }
    let input = match &view.invocation.input {
        Input::Text { text, .. } => text.shown(),
        _ => String::new(),
    };
    let text = format!("{} {input}", words.join(" ")).to_ascii_lowercase();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if view.is(&["dropdb", "dropuser"]) {
        return !names_loopback(view) && !is_test_database(view);
    }
    let drops_all = [
        "drop database",
        "drop schema",
        "flushall",
        "flushdb",
        "drop keyspace",
        "dropdatabase",
        "drop owned",
        "shutdown nosave",
        "drop role",
        "drop user",
    ]
    .iter()
    .any(|part| text.contains(part))
        || (view.is(&["mysqladmin"]) && text.contains("drop "));
    let drops_part =
        ["drop table", "truncate ", "drop view"].iter().any(|part| text.contains(part))
            || deletes_everything(&text);
    // These two connect to this machine unless an argument names another host.
    let is_here = view.is(&["redis-cli", "valkey-cli"]) && address_words(view).is_empty();
    let is_test = is_test_database(view) && !names_other_host(view);
    let is_own = is_here || names_loopback(view) || is_test;
    (drops_all || drops_part) && !is_own
}

/// `DELETE FROM x` or `UPDATE x SET` without a WHERE.
fn deletes_everything(text: &str) -> bool {
    text.split(';')
        .any(|statement| statement.contains("delete from ") && !statement.contains(" where "))
}

/// Options that name the host.
const HOSTS: &[&str] =
    &["-h", "--host", "-H", "--hostname", "--bootstrap-server", "--server", "--endpoint"];

fn address_words<'v>(view: &'v InvocationView<'_>) -> Vec<&'v Word> {
    let words = view.words;
    let mut hosts: Vec<&Word> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let start = word.known_start();
        if matches!(start.as_str(), "-u" | "--uri" | "-d" | "--dbname")
            || HOSTS.contains(&start.as_str())
        {
            hosts.extend(words.get(at + 1));
        } else if start.contains("://")
            || start.starts_with("--host=")
            || start.starts_with("-h")
            || word.text().is_none()
        {
            hosts.push(word);
        }
    }
    hosts
}

pub(super) fn names_loopback(view: &InvocationView<'_>) -> bool {
    let is_here = |word: &&Word| {
        let text = word.shown();
        let address = text.trim_start_matches("--host=").trim_start_matches("-h");
        host(&Word::of(address)) == Host::Loopback || address.starts_with('/')
    };
    let words = address_words(view);
    words.iter().any(is_here) && words.iter().all(|word| word.text().is_some())
}

pub(super) fn names_other_host(view: &InvocationView<'_>) -> bool {
    let is_address = |word: &&Word| {
        (word.text().is_none() && !has_output(word))
            || (word.shown().contains("://") && host(word) != Host::Loopback)
    };
    let is_other = |name: &str| !name.starts_with('/') && host(&Word::of(name)) != Host::Loopback;
    let words = view.shown_words();
    let apart = |pair: &[String]| HOSTS.contains(&pair[0].as_str()) && is_other(&pair[1]);
    let together = |word: &String| {
        word.split_once('=').is_some_and(|(option, name)| HOSTS.contains(&option) && is_other(name))
    };
    words.windows(2).any(apart)
        || words.iter().any(together)
        || address_words(view).iter().any(is_address)
}

fn is_test_database(view: &InvocationView<'_>) -> bool {
    view.shown_words().iter().any(|word| {
        let word = word.to_ascii_lowercase();
        !word.contains(' ')
            && (word.contains("test") || word.ends_with("_dev") || word.ends_with("_development"))
    })
}
