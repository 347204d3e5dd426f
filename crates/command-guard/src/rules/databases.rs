//! Databases that belong to the project: on this machine, or named as one for tests.

use shell_analysis::{Redirect, RedirectKind, Word};

use super::command::Command;
use crate::effects;
use crate::invocation_view::InvocationView;
use crate::network::{Host, has_output, host};
use crate::words::words;

/// A database on this machine, or a test database without a host.
pub(super) fn is_own(command: &Command<'_>) -> bool {
    let view = command.view;
    // These connect to this machine unless an argument names another host.
    let is_local_by_default = view.is(&["redis-cli", "valkey-cli", "keydb-cli", "duckdb"]);
    let is_test = is_test_database(view) && !names_other_host(view);
    let drops_named = view.is(&["dropdb", "dropuser"]) && is_test_database(view);
    drops_named
        || (is_local_by_default && addresses(view).is_empty())
        || names_loopback(view)
        || is_test
}

/// Programs that talk to a service on this machine, or work on local files, unless an argument names another.
const LOCAL_BY_DEFAULT: &[&str] = words!(
    "kafka-topics kafka-configs kafka-consumer-groups kafka-delete-records rabbitmqadmin rabbitmqctl temporal influx
     nats rpk pulsar-admin curator_cli etcdctl virsh rclone restic borg kopia duplicity atlas wp drush skopeo oras"
);

pub(super) fn is_own_service(view: &InvocationView<'_>) -> bool {
    let is_remote = || view.words.iter().any(effects::is_remote);
    let is_away = || view.texts.iter().any(|word| is_away(word) || word.starts_with("--ssh="));
    names_loopback(view)
        || view.is(LOCAL_BY_DEFAULT) && !names_other_host(view) && !is_remote() && !is_away()
}

/// `scheme://host` with a host that is not this machine.
pub(super) fn is_away(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, rest)| {
        let scheme = scheme.rsplit(':').next().unwrap_or_default();
        !words!("file sqlite sqlite3 unix npipe memory data docker").contains(&scheme)
            && !rest.starts_with('/')
            && host(&Word::of(text)) == Host::Elsewhere
    })
}

/// Whether a database shell runs statements of a file.
pub(super) fn runs_file(view: &InvocationView<'_>) -> bool {
    let reads = |redirect: &Redirect| redirect.kind == RedirectKind::Read;
    view.invocation.redirects.iter().any(reads)
        || view.arguments(&["f", "file"]).has(&["f", "file"])
}

/// `DELETE FROM x` without a WHERE.
pub(super) fn deletes_everything(text: &str) -> bool {
    text.split(';')
        .any(|statement| statement.contains("delete from ") && !statement.contains(" where "))
}

/// Options that name the host.
const HOSTS: &[&str] =
    &["-h", "--host", "-H", "--hostname", "--bootstrap-server", "--server", "--endpoint"];

fn addresses<'v>(view: &'v InvocationView<'_>) -> Vec<&'v Word> {
    let mut found: Vec<&Word> = Vec::new();
    for (at, word) in view.words.iter().enumerate() {
        let start = word.known_start();
        let names_next = ["-u", "--uri", "-d", "--dbname"].contains(&start.as_ref())
            || HOSTS.contains(&start.as_ref());
        if names_next {
            found.extend(view.words.get(at + 1));
        } else if start.contains("://")
            || start.starts_with("--host=")
            || start.starts_with("-h")
            || word.text().is_none()
        {
            found.push(word);
        }
    }
    found
}

fn names_loopback(view: &InvocationView<'_>) -> bool {
    let is_here = |word: &&Word| {
        let text = word.shown();
        let address = text.trim_start_matches("--host=").trim_start_matches("-h");
        host(&Word::of(address)) == Host::Loopback || address.starts_with('/')
    };
    let words = addresses(view);
    words.iter().any(is_here) && words.iter().all(|word| word.text().is_some())
}

pub(super) fn names_other_host(view: &InvocationView<'_>) -> bool {
    let is_address =
        |word: &&Word| (word.text().is_none() && !has_output(word)) || is_away(&word.shown());
    let is_other = |name: &str| !name.starts_with('/') && host(&Word::of(name)) != Host::Loopback;
    let words = &view.texts;
    let in_settings =
        |word: &str| word.split(' ').filter_map(|part| part.strip_prefix("host=")).any(is_other);
    words.iter().any(|word| in_settings(word))
        || words.windows(2).any(|pair| HOSTS.contains(&pair[0].as_ref()) && is_other(&pair[1]))
        || words.iter().any(|word| {
            word.split_once('=')
                .is_some_and(|(option, name)| HOSTS.contains(&option) && is_other(name))
        })
        || addresses(view).iter().any(is_address)
}

fn is_test_database(view: &InvocationView<'_>) -> bool {
    view.texts.iter().any(|word| {
        let word = word.to_ascii_lowercase();
        !word.contains(' ')
            && (word.contains("test") || word.ends_with("_dev") || word.ends_with("_development"))
    })
}

/// Resetting a development database is normal; in production it is a mistake.
pub(super) fn is_production(command: &Command<'_>) -> bool {
    const VARIABLES: &[&str] = words!("RAILS_ENV RACK_ENV NODE_ENV APP_ENV DJANGO_ENV MIX_ENV");
    let assigned = command.view.invocation.assignments.iter().any(|(name, value)| {
        VARIABLES.contains(&name.as_str()) && value.shown().starts_with("prod")
            || is_other_database(value)
            || InvocationView::variables([value]).iter().any(|name| name.contains("PROD"))
    });
    assigned || command.words.iter().any(|word| word.contains("production") || word == "--env=prod")
}

/// The address of a database on another machine; a name without a dot is a container.
fn is_other_database(value: &Word) -> bool {
    value.shown().split_once("://").is_some_and(|(scheme, rest)| {
        let machine = rest.split('/').next().and_then(|part| part.rsplit('@').next());
        !scheme.starts_with("http")
            && host(value) == Host::Elsewhere
            && machine.is_some_and(|name| name.contains('.'))
    })
}
