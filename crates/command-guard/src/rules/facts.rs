//! Facts about a command that patterns of `commands.txt` name with `@`: hosts, owners of paths, amounts.

use std::borrow::Cow;
use std::path::Path;

use shell_analysis::{Invocation, Piece, Unknown, Word};

use super::command::Command;
use super::{databases, exfiltration};
use crate::code::sed_commands;
use crate::invocation_view::InvocationView;
use crate::network::{Host, fetched, host, reads_local_data};
use crate::pattern::glob;
use crate::place::{PathOwner, Place, owner_of};
use crate::secrets::is_secret_file;
use crate::words::words;

pub(super) fn holds(fact: &str, command: &Command<'_>) -> bool {
    let view = command.view;
    match fact {
        "away" => names_away(command),
        "asks-deletion" => asks_deletion(command),
        "asks-loop" => asks_loop(command),
        "changes-remotely" => exfiltration::changes_remotely(view),
        "cleans-own" => cleans_own(command),
        "computed-name" => view.words.iter().any(exfiltration::is_computed_name),
        "deletes-all" => databases::deletes_everything(&command.text()),
        "elsewhere" => databases::names_other_host(view),
        "fetched-input" => fetched(view, &view.input_sources()),
        "huge-count" => command.operands.iter().any(|(_, word)| size(word) > 1_000_000_000),
        "huge-size" => is_huge(command),
        "init-script" => {
            let mut program = view.invocation.words.first().into_iter();
            program.any(|word| word.known_start().starts_with("/etc/init.d/"))
        }
        "items" => view.words.iter().any(|word| word.pieces.iter().any(is_listed)),
        "kills-others" => super::kills::others(command),
        "local-cluster" => is_local_cluster(command),
        "local-input" => exfiltration::reads_local_input(view),
        "local-words" => reads_local_data(view, &view.word_sources(view.words)),
        "local-inventory" => command.has_word(words!(
            "localhost* 127.0.0.1* local --connection=local -clocal inventory/local* *localhost,*"
        )),
        "metadata-host" => {
            let quiet = ["echo", "printf", "grep", "rg", "git", "sed", "awk"];
            !view.is(&quiet)
                && command.words.iter().any(|word| METADATA.iter().any(|name| word.contains(name)))
        }
        "new-remote" => is_new_remote(command),
        "outside-folder" => is_about_outside(view),
        "only-asks" => {
            !command.words.is_empty()
                && command.words.iter().all(|word| word == "--version" || word == "-V")
        }
        "outside-device" => names_outside(view, "device="),
        "outside-source" => names_outside(view, "source="),
        "own-database" => databases::is_own(command),
        "own-home" => view.has_own_home(),
        "own-service" => databases::is_own_service(view),
        "production" => databases::is_production(command),
        "reads-cluster" => reads_cluster(command),
        "reads-setting" => command
            .has_word(words!("--get -l --list --get-all --get-regexp get list --show-origin")),
        "remote-harm" => harms_remotely(command),
        "runs-file" => databases::runs_file(view),
        "runs-lines" => command.words.iter().any(|word| !sed_commands(word).is_empty()),
        "runs-setting" => {
            command.operands.iter().any(|(_, word)| crate::git_settings::runs_something(word))
        }
        "secret-file" => has_secret_file(view),
        "to-here" => exfiltration::is_to_here(view),
        "temporary-trees" => temporary_trees(command),
        _ => false,
    }
}

/// Cloud metadata hosts that return the machine's credentials.
const METADATA: &[&str] =
    words!("169.254.169.254 metadata.google.internal 169.254.170.2 fd00:ec2::254 100.100.100.200");

/// Whether an argument is an address on another machine. Programs that only print or fetch are no clients.
fn names_away(command: &Command<'_>) -> bool {
    const OTHERS: &[&str] = words!(
        "echo printf grep rg git sed awk curl wget wget2 http https xh npm pnpm yarn pip pip3 cargo go bundle docker podman"
    );
    let value = |word: &str| match word.split_once('=') {
        Some((name, value)) if name.starts_with('-') => value.to_owned(),
        _ => word.to_owned(),
    };
    !command.view.is(OTHERS) && command.words.iter().any(|word| databases::is_away(&value(word)))
}

/// The output of other commands: any number of names.
fn is_listed(piece: &Piece) -> bool {
    matches!(piece, Piece::Unknown(Unknown::Output(_) | Unknown::Item(_)))
}

pub(super) fn is_address(word: &str) -> bool {
    word.contains("://") || (word.contains('.') && word.contains('/'))
}

/// A request that sends something to an address whose last part says delete.
fn asks_deletion(command: &Command<'_>) -> bool {
    let Some(address) = command.words.iter().find(|word| is_address(word)) else { return false };
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let last = path.rsplit('/').next().unwrap_or_default().trim_start_matches('_');
    ["delete", "purge", "destroy"].iter().any(|verb| last.starts_with(verb))
        && command.has_word(&["post", "POST", "-XPOST", "--data*", "-d"])
        && host(&Word::of(address.as_ref())) == Host::Elsewhere
}

/// The words after `--` are text. `-V` is no question here.
fn asks_loop(command: &Command<'_>) -> bool {
    let first = command.operands.first().map_or("", |(_, word)| word);
    let mut options = command.words.iter().take_while(|word| *word != "--");
    options.any(|word| matches!(word.as_ref(), "--help" | "-h" | "--version" | "-v"))
        || words!("status report settings doctor completions man help").contains(&first)
}

/// `git clean -x` of everything, without an exception for the loop's files.
fn cleans_own(command: &Command<'_>) -> bool {
    let Some(call) = crate::git_call::GitCall::of(command.view) else { return false };
    let arguments = call.arguments(&["e", "exclude"]);
    call.command == "clean"
        && arguments.has(&["f", "force"])
        && arguments.has(&["x", "X"])
        && !arguments.has(&["n", "dry-run"])
        && arguments.operands.iter().map(Word::shown).all(|word| {
            matches!(word.as_ref(), "." | "./" | ":/")
                || word.contains(".ralph")
                || word.contains(".claude")
        })
        && !arguments.values(&["e", "exclude"]).any(|word| word.shown().contains("ralph"))
}

/// Contexts of clusters that run on this machine.
const LOCAL_CLUSTERS: &[&str] = words!(
    "kind-* minikube* docker-desktop k3d-* rancher-desktop colima* orbstack microk8s* docker-for-desktop"
);

/// Chosen by an option, or earlier in the command line.
fn is_local_cluster(command: &Command<'_>) -> bool {
    let is_local = |name: &str| LOCAL_CLUSTERS.iter().any(|local| glob(local, name));
    let mut named =
        ["--context", "--kube-context"].iter().flat_map(|name| command.values(name)).peekable();
    let started = |name: &str| {
        let starts = |(program, words): (Cow<'_, str>, &[Word])| {
            let has = |text: &str| words.iter().any(|word| word.shown() == text);
            program == "minikube" && has("start") && has(name)
        };
        (0..command.view.index).any(|index| command.view.other(index).is_some_and(starts))
    };
    if named.peek().is_some() {
        return named.all(|name| is_local(name) || started(name));
    }
    let chosen = |index: usize| {
        let (program, words) = command.view.other(index)?;
        let words: Vec<_> = words.iter().map(Word::shown).collect();
        let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
        if words.contains(&"--help") || words.contains(&"-h") {
            return None;
        }
        match (program.as_ref(), words.as_slice()) {
            ("kubectl", ["config", "use-context", name, ..]) | ("kubectx", [name, ..]) => {
                Some(is_local(name))
            }
            ("kind", ["create", ..])
            | ("k3d", ["cluster", "create", ..])
            | ("minikube" | "colima", ["start", ..]) => Some(true),
            _ => None,
        }
    };
    (0..command.view.index).rev().find_map(chosen).unwrap_or(false)
}

fn reads_cluster(command: &Command<'_>) -> bool {
    let first = command.operands.first().map_or("", |(_, word)| word);
    let second = command.operands.get(1).map_or("", |(_, word)| word);
    words!("get describe logs explain version api-resources api-versions cluster-info top diff wait kustomize completion options plugin port-forward proxy auth").contains(&first)
        || first == "config"
        || (first == "rollout" && matches!(second, "status" | "history"))
}

/// Words of commands that change another machine.
const REMOTE_HARMS: &[&str] = words!(
    "rm rmdir shred unlink mkfs dd wipefs systemctl service reboot shutdown halt poweroff kill pkill killall truncate
     dropdb sudo crontab iptables ufw userdel usermod passwd chown chmod mv prune down stop restart up start apply install upgrade
     delete drop flushall uninstall remove purge destroy -delete --delete --force git apt apt-get yum dnf mysql psql"
);

/// A command for another machine that deletes, stops or deploys something there.
fn harms_remotely(command: &Command<'_>) -> bool {
    let is_git = command.operands.iter().take(2).any(|(_, word)| word.starts_with("git@"));
    let text = command.text();
    let is_harm = |word: &str| {
        let word = word.trim_matches(['\'', '"', '`', '(', ')', ';', '|', '&']);
        REMOTE_HARMS.contains(&word.rsplit('/').next().unwrap_or_default())
    };
    let asks = words!("is-active is-enabled is-failed status show cat list-units list-timers");
    let parts: Vec<&str> = text.split([' ', ';', '|', '&']).skip(1).collect();
    let harms = |(at, word): (usize, &&str)| {
        is_harm(word) && !parts.get(at + 1).is_some_and(|next| asks.contains(next))
    };
    !is_git && (text.contains("> /") || parts.iter().enumerate().any(harms))
}

/// In a folder outside the project, or with one in its words.
fn is_about_outside(view: &InvocationView<'_>) -> bool {
    let is_outside = |path: &Path| owner_of(path, view.context) == PathOwner::Outside;
    let names = |word: &Word| {
        let at = word.known_start().find('=').map_or(0, |at| at + 1);
        matches!(view.place(&word.without_start(at)), Place::At(path) if is_outside(&path))
    };
    view.words.iter().any(names) || view.folder().is_some_and(|folder| is_outside(&folder))
}

/// A git remote on another machine that the command line itself adds.
fn is_new_remote(command: &Command<'_>) -> bool {
    let added = |invocation: &Invocation| {
        let words: Vec<_> = invocation.arguments().iter().map(Word::shown).collect();
        let at = words.windows(2).position(|pair| pair[0] == "remote" && pair[1] == "add")?;
        let mut operands = words[at + 2..].iter().filter(|word| !word.starts_with('-'));
        let name = operands.next()?.clone();
        let is_away = |word: &str| {
            !word.starts_with("file:")
                && (word.contains("://") || word.contains('@') && word.contains(':'))
        };
        operands.any(|word| is_away(word)).then(|| name.into_owned())
    };
    let view = command.view;
    let git = |invocation: &&Invocation| invocation.program().as_deref() == Some("git");
    let names = view
        .whole
        .new_remotes
        .get_or_init(|| view.analysis.invocations.iter().filter(git).filter_map(added).collect());
    command.operands.iter().any(|(_, word)| names.iter().any(|name| name == word))
}

/// Whether a setting of this name points outside the project.
fn names_outside(view: &InvocationView<'_>, name: &str) -> bool {
    view.words.iter().any(|word| {
        let start = word.known_start();
        start.find(name).is_some_and(|at| {
            let path = word.without_start(at + name.len());
            matches!(view.place(&path), Place::At(path) if owner_of(&path, view.context) == PathOwner::Outside)
        })
    })
}

/// Whether a secret file is among its arguments or what it reads.
fn has_secret_file(view: &InvocationView<'_>) -> bool {
    let names = |word: &Word| is_secret_file(&word.shown());
    let of = |invocation: &Invocation| {
        let files = invocation.redirects.iter().map(|redirect| &redirect.target);
        invocation.arguments().iter().chain(files).any(names)
    };
    let sources = view.sources();
    of(view.invocation)
        || sources.iter().filter_map(|&source| view.analysis.invocations.get(source)).any(of)
}

/// `git worktree remove` of temporary work trees or of those beside the project.
fn temporary_trees(command: &Command<'_>) -> bool {
    let view = command.view;
    let beside =
        |path: &Path| path.parent().is_some() && path.parent() == view.context.project.parent();
    let trees = command.operands.iter().skip_while(|(_, word)| *word != "remove").skip(1);
    let mut trees = trees.filter_map(|(at, _)| view.words.get(*at));
    trees.all(|word| match view.place(word) {
        Place::At(path) => owner_of(&path, view.context) == PathOwner::Temporary || beside(&path),
        Place::Temporary => true,
        Place::Unknown => false,
    })
}

/// More than a build needs.
const MOST_BYTES: u64 = 20 << 30;

fn is_huge(command: &Command<'_>) -> bool {
    let bytes =
        |name: &str| command.words.iter().find_map(|word| word.strip_prefix(name).map(size));
    match command.program {
        "dd" => {
            bytes("bs=").unwrap_or(512).saturating_mul(bytes("count=").unwrap_or(0)) > MOST_BYTES
        }
        "openssl" if command.words.first().is_none_or(|word| word != "rand") => false,
        _ => command.words.iter().any(|word| {
            let number =
                word.trim_start_matches(|c: char| c == '-' || c == '=' || c.is_ascii_lowercase());
            size(number) > MOST_BYTES
        }),
    }
}

/// `10G`, `1T`, `4096`.
pub(super) fn size(text: &str) -> u64 {
    let digits = text.chars().take_while(char::is_ascii_digit).collect::<String>();
    let number: u64 = if digits.len() > 18 { u64::MAX } else { digits.parse().unwrap_or(0) };
    let unit = text[digits.len()..].chars().next().map(|unit| unit.to_ascii_uppercase());
    match unit.map_or(Some(0), |unit| "KMGTPE".find(unit).map(|at| at + 1)) {
        Some(power) => number.saturating_mul(1 << (10 * power)),
        None => 0,
    }
}
