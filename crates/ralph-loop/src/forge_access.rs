//! Access to the project's forge: the repository of the git remote, the access token, and waits at its limit of
//! requests.
//!
//! A token goes to the host of the git remote, or to an API that the user's own settings name.

use std::time::{Duration, Instant, SystemTime};

use anyhow::{Error, Result};
use background_sender::SendContext;
use engine::InterruptedIteration;
use forge::{Client, Curl, ForgeError, ForgeKind, Remote, RemoteError, Repository, Token};
use project::{Layout, env};
use settings::{Flags, LoadedSettings, Source};
use supervise::{ProgramCall, StopRequests, WaitResult};
use vcs::WorkTree;

use crate::command_error::{self, failed, precondition};
use crate::{notices, programs, resolve};

/// The longest time in which all waits for a limit of requests end.
const LONGEST_WAIT: Duration = Duration::from_secs(15 * 60);
const GIT_TIMEOUT: Duration = Duration::from_secs(20);
/// `gh` may ask a keyring.
const GH_TIMEOUT: Duration = Duration::from_secs(20);

/// The repository on its forge, and the access token.
#[derive(Debug, Clone)]
pub(crate) struct ForgePlace {
    pub(crate) repository: Repository,
    token: Option<Token>,
}

impl ForgePlace {
    pub(crate) fn read(layout: &Layout, loaded: &LoadedSettings) -> Result<Self> {
        let repository = repository(layout, loaded)?;
        let token = token(&repository, &notices::sending(layout)?);
        Ok(Self { repository, token })
    }

    /// An error without an access token.
    pub(crate) fn require_token(&self) -> Result<()> {
        let missing = ForgeError::NoToken { kind: self.repository.kind };
        self.token.as_ref().map(drop).ok_or_else(|| explained(&missing, &self.repository))
    }
}

#[derive(Debug)]
pub(crate) struct ForgeAccess {
    client: Client,
    /// Ends a wait.
    stop: StopRequests,
}

impl ForgeAccess {
    pub(crate) fn open(layout: &Layout) -> Result<Self> {
        let loaded =
            resolve::trusted_settings(layout, &Flags::new(), InterruptedIteration::LeftAsIs)?;
        Self::of(ForgePlace::read(layout, &loaded)?, layout, StopRequests::new())
    }

    pub(crate) fn of(place: ForgePlace, layout: &Layout, stop: StopRequests) -> Result<Self> {
        let sending = SendContext { stop: stop.clone(), ..notices::sending(layout)? };
        let curl = Curl { program: programs::curl(), sending };
        Ok(Self { client: Client::new(place.repository, place.token, curl), stop })
    }

    pub(crate) fn repository(&self) -> &Repository {
        self.client.repository()
    }

    pub(crate) fn call<T>(&self, call: impl Fn(&Client) -> forge::Result<T>) -> Result<T> {
        self.attempt(call).map_err(|error| explained(&error, self.repository()))
    }

    /// As [`Self::call`], with another exit code if the same call may succeed later.
    pub(crate) fn publish<T>(&self, call: impl Fn(&Client) -> forge::Result<T>) -> Result<T> {
        self.attempt(call).map_err(|error| match &error {
            ForgeError::Rejected { .. } | ForgeError::Stopped => later(&error, self.repository()),
            error if error.is_temporary() => later(error, self.repository()),
            error => explained(error, self.repository()),
        })
    }

    /// Repeats the call after a limit of requests whose end the forge states.
    fn attempt<T>(&self, call: impl Fn(&Client) -> forge::Result<T>) -> forge::Result<T> {
        let mut left = LONGEST_WAIT;
        loop {
            let error = match call(&self.client) {
                Ok(value) => return Ok(value),
                Err(error) => error,
            };
            let Some(wait) = wait(&error, SystemTime::now()).filter(|wait| *wait <= left) else {
                return Err(error);
            };
            let waiting = format!("{error}; waiting {} seconds", wait.as_secs());
            command_error::say(&waiting, &mut anstream::stderr());
            if self.stop.wait(wait) == WaitResult::Stopped {
                return Err(ForgeError::Stopped);
            }
            left = left.saturating_sub(wait);
        }
    }
}

fn wait(error: &ForgeError, now: SystemTime) -> Option<Duration> {
    // Clocks differ, and a wait of zero could repeat forever.
    const MARGIN: Duration = Duration::from_secs(1);
    match error {
        ForgeError::RateLimited { retry: Some(retry), .. } => {
            Some(retry.wait(now).saturating_add(MARGIN))
        }
        _ => None,
    }
}

fn explained(error: &ForgeError, repository: &Repository) -> Error {
    precondition(error.to_string(), hint(error, repository))
}

fn later(error: &ForgeError, repository: &Repository) -> Error {
    failed(error.to_string(), hint(error, repository))
}

/// With the variables of this host.
fn hint(error: &ForgeError, repository: &Repository) -> String {
    let set_token = || {
        let sign_in = match repository.kind {
            ForgeKind::GitHub => ", or sign in with `gh auth login`",
            ForgeKind::Forgejo | ForgeKind::GitLab => "",
        };
        let names = repository.token_variables().join(" or ");
        format!("set an access token in {names}{sign_in}; docs/forge.md has its permissions")
    };
    match error {
        ForgeError::NoToken { .. } | ForgeError::Unauthorized { .. } => set_token(),
        ForgeError::NotFound { has_token: false, .. } => {
            format!("check the remote and the number; for a private repository, {}", set_token())
        }
        error => error.hint().unwrap_or_default(),
    }
}

fn repository(layout: &Layout, loaded: &LoadedSettings) -> Result<Repository> {
    let settings = &loaded.settings.forge;
    let name = &settings.remote;
    let tree = WorkTree::open(layout.root()).map_err(|_| {
        let what = format!("{} is not in a git repository", layout.root().display());
        precondition(what, "clone the repository that has the issues")
    })?;
    let url = tree.remote_url(name, Instant::now() + GIT_TIMEOUT)?.ok_or_else(|| {
        let hint = "add it with `git remote add`, or name another one in the setting forge.remote";
        precondition(format!("git has no remote {name:?}"), hint)
    })?;
    let refused = |error: RemoteError| {
        let hint = match &error {
            RemoteError::UnknownForge { .. } => {
                "set forge.kind in .ralph/settings.json to github, forgejo or gitlab"
            }
            error => error.hint(),
        };
        precondition(format!("remote {name:?}: {error}"), hint)
    };
    let remote = Remote::parse(&url).map_err(refused)?;
    let repository = Repository::new(&remote, settings.kind, settings.api.as_deref());
    let repository = repository.map_err(refused)?;
    let is_own = matches!(loaded.source("forge.api"), Source::File(name) if name.ends_with("/settings.local.json"));
    if settings.api.is_none() || is_own || is_of_remote(&repository, &remote) {
        return Ok(repository);
    }
    Err(precondition(
        format!("forge.api is on another server than the remote {name:?} ({})", remote.host),
        "set forge.api in .ralph/settings.local.json: an agent could have changed settings.json",
    ))
}

/// Whether the API is on the remote's host, reached as safely as by default.
fn is_of_remote(repository: &Repository, remote: &Remote) -> bool {
    let origin = |api: &str| Remote::parse(&format!("{api}/owner/name")).ok();
    let by_default = Repository::new(remote, Some(repository.kind), None).ok();
    let by_default = by_default.and_then(|repository| origin(&repository.api)?.http_origin);
    origin(&repository.api).is_some_and(|api| {
        let is_safe = repository.api.starts_with("https://") && api.host == remote.host;
        is_safe || api.http_origin == by_default
    })
}

/// From the environment, else from `gh`.
fn token(repository: &Repository, sending: &SendContext) -> Option<Token> {
    let names = repository.token_variables().iter();
    let mut set = names.filter_map(|name| Token::new(&env::variable(name)?));
    set.next().or_else(|| token_of_gh(repository, sending))
}

fn token_of_gh(repository: &Repository, sending: &SendContext) -> Option<Token> {
    let gh = Some("gh").filter(|_| repository.kind == ForgeKind::GitHub);
    let gh = gh.and_then(programs::installed)?;
    let args = ["auth", "token", "--hostname", &repository.host].map(Into::into).to_vec();
    let output = sending.run(ProgramCall::new(&gh, args, GH_TIMEOUT)).ok()?;
    Some(output).filter(|output| output.succeeded()).and_then(|output| Token::new(&output.stdout))
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use forge::Retry;

    use super::*;

    #[test]
    fn only_a_limit_with_a_stated_end_is_waited_for() {
        let limited = |retry| ForgeError::RateLimited { kind: ForgeKind::GitHub, retry };
        let now = UNIX_EPOCH + Duration::from_secs(1000);
        let until = |at| Some(Retry::At(UNIX_EPOCH + Duration::from_secs(at)));
        assert_eq!(wait(&limited(until(1060)), now), Some(Duration::from_secs(61)));
        assert_eq!(wait(&limited(until(1)), now), Some(Duration::from_secs(1)));
        assert_eq!(wait(&limited(None), now), None);
        assert_eq!(wait(&ForgeError::NoToken { kind: ForgeKind::GitHub }, now), None);
    }

    #[test]
    fn only_the_host_of_the_remote_is_trusted() {
        let is_trusted = |remote: &str, api: &str| {
            let remote = Remote::parse(remote).unwrap();
            let repository = Repository::new(&remote, Some(ForgeKind::GitHub), Some(api)).unwrap();
            is_of_remote(&repository, &remote)
        };
        for (remote, api, expected) in [
            ("git@github.com:o/r", "https://api.github.com", true),
            ("git@github.com:o/r", "http://api.github.com", false),
            ("git@github.com:o/r", "https://api.github.com.evil.example", false),
            ("git@git.example:o/r", "https://git.example:8443/api/v3", true),
            ("git@git.example:o/r", "http://git.example/api/v3", false),
            ("http://git.example:3000/o/r", "http://git.example:3000/x", true),
            ("http://git.example:3000/o/r", "http://git.example:4000/x", false),
            ("https://git.example/o/r", "https://evil.example/api/v3", false),
        ] {
            assert_eq!(is_trusted(remote, api), expected, "{remote} {api}");
        }
    }

    /// Agents and checks must not get a token that this program reads.
    #[test]
    fn every_variable_with_a_token_is_kept_back() {
        for remote in [
            "git@github.com:o/r",
            "git@github.acme.com:o/r",
            "git@codeberg.org:o/r",
            "git@gitlab.com:o/r",
        ] {
            let repository = Repository::new(&Remote::parse(remote).unwrap(), None, None).unwrap();
            for name in repository.token_variables() {
                assert!(env::KEPT_BACK.contains(name), "{name}");
            }
        }
    }
}
