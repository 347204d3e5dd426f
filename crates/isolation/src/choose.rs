//! The kinds of isolation, which of them a machine offers to one agent, and the choice of a run.

use serde::{Deserialize, Serialize};
use strum::{Display, IntoStaticStr};
use thiserror::Error;

use crate::IsolationRequest;

/// The isolation of a session or a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Display, IntoStaticStr, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Isolation {
    /// A Docker Sandboxes virtual machine.
    Docker,
    /// A Podman or Docker Engine container around the process tree.
    Container,
    /// The sandbox of the operating system around the process tree. Older logs have `native`, Claude Code's own
    /// sandbox for its commands.
    #[serde(alias = "native")]
    Os,
    /// command-guard alone: it checks each command before it runs, but stops nothing that it cannot parse.
    Guard,
    /// None: the agent has no hooks that could run command-guard.
    #[serde(rename = "none")]
    #[strum(serialize = "none")]
    Open,
}

impl Isolation {
    /// The name in settings, flags and events.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Every kind with its availability, the strongest first.
pub type Survey = [(Isolation, Availability); 4];

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Availability {
    /// Available, with the name of the program: `sbx 0.12`, `bubblewrap`.
    Ready {
        by: String,
    },
    /// Available, but only used if the user asks for it.
    OnRequest {
        by: String,
        why: Obstacle,
    },
    Missing(Obstacle),
}

/// Why a kind of isolation is not available, and the fix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    pub why: String,
    pub fix: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub kind: Isolation,
    /// Stronger ones, with the reason why each is not used.
    pub passed_over: Vec<(Isolation, Obstacle)>,
}

/// The requested isolation is not available.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}", message(.missing))]
pub struct Unavailable {
    /// Has at least one entry.
    pub missing: Vec<(Isolation, Obstacle)>,
}

pub fn choose(wanted: IsolationRequest, survey: &Survey) -> Result<Choice, Unavailable> {
    let mut missing = Vec::new();
    for (kind, availability) in survey {
        let kind = *kind;
        let is_asked_for = match wanted {
            IsolationRequest::Auto => true,
            // command-guard alone is no sandbox.
            IsolationRequest::Required => kind != Isolation::Guard,
            _ => named(wanted) == Some(kind),
        };
        match availability {
            _ if !is_asked_for => {}
            Availability::OnRequest { why, .. } if named(wanted).is_none() => {
                missing.push((kind, why.clone()));
            }
            Availability::Missing(why) => missing.push((kind, why.clone())),
            Availability::Ready { .. } | Availability::OnRequest { .. } => {
                return Ok(Choice { kind, passed_over: missing });
            }
        }
    }
    match wanted {
        IsolationRequest::Auto => Ok(Choice { kind: Isolation::Open, passed_over: missing }),
        _ => Err(Unavailable { missing }),
    }
}

/// The kind that the user names.
fn named(wanted: IsolationRequest) -> Option<Isolation> {
    match wanted {
        IsolationRequest::Docker => Some(Isolation::Docker),
        IsolationRequest::Container => Some(Isolation::Container),
        IsolationRequest::Os => Some(Isolation::Os),
        IsolationRequest::Guard => Some(Isolation::Guard),
        IsolationRequest::Auto | IsolationRequest::Required => None,
    }
}

impl Unavailable {
    /// The fixes, joined by "or".
    pub fn hint(&self) -> Option<String> {
        let fixes: Vec<&str> =
            self.missing.iter().filter_map(|(_, obstacle)| obstacle.fix.as_deref()).collect();
        (!fixes.is_empty()).then(|| fixes.join("; or "))
    }
}

fn message(missing: &[(Isolation, Obstacle)]) -> String {
    let each = missing.iter().map(|(kind, obstacle)| format!("{kind}: {}", obstacle.why));
    format!("the sandbox is not available: {}", each.collect::<Vec<_>>().join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [Isolation; 4] =
        [Isolation::Docker, Isolation::Container, Isolation::Os, Isolation::Guard];

    fn ready() -> Availability {
        Availability::Ready { by: "it".into() }
    }

    fn missing(why: &str) -> Availability {
        Availability::Missing(obstacle(why))
    }

    fn on_request(why: &str) -> Availability {
        Availability::OnRequest { by: "it".into(), why: obstacle(why) }
    }

    fn obstacle(why: &str) -> Obstacle {
        Obstacle { why: why.into(), fix: Some(format!("fix {why}")) }
    }

    fn survey(found: [Availability; 4]) -> Survey {
        let mut kinds = KINDS.into_iter();
        found.map(|found| (kinds.next().unwrap(), found))
    }

    fn chosen(
        wanted: IsolationRequest,
        isolation: [Availability; 3],
    ) -> Result<Choice, Unavailable> {
        let [docker, os, guard] = isolation;
        choose(wanted, &survey([docker, missing("c"), os, guard]))
    }

    fn kind(wanted: IsolationRequest, isolation: [Availability; 3]) -> Option<Isolation> {
        chosen(wanted, isolation).ok().map(|choice| choice.kind)
    }

    #[test]
    fn the_strongest_available_isolation_is_chosen() {
        use Isolation::{Container, Docker, Guard, Open, Os};
        let auto = IsolationRequest::Auto;
        assert_eq!(kind(auto, [ready(), ready(), ready()]), Some(Docker));
        assert_eq!(kind(auto, [missing("d"), ready(), ready()]), Some(Os));
        assert_eq!(kind(auto, [missing("d"), missing("o"), ready()]), Some(Guard));
        assert_eq!(kind(auto, [missing("d"), missing("o"), missing("g")]), Some(Open));
        let choice = chosen(auto, [on_request("d"), missing("o"), ready()]).unwrap();
        let passed_over = [(Docker, "d"), (Container, "c"), (Os, "o")];
        assert_eq!(choice.passed_over, passed_over.map(|(kind, why)| (kind, obstacle(why))));
        let survey = survey([missing("d"), ready(), ready(), ready()]);
        assert_eq!(choose(auto, &survey).unwrap().kind, Container);
    }

    #[test]
    fn a_sandbox_is_more_than_a_guard() {
        let sandbox = IsolationRequest::Required;
        assert_eq!(kind(sandbox, [missing("d"), ready(), ready()]), Some(Isolation::Os));
        let refused = chosen(sandbox, [missing("d"), missing("o"), ready()]).unwrap_err();
        let kinds: Vec<Isolation> = refused.missing.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, KINDS[..3]);
        let message = refused.to_string();
        assert!(message.starts_with("the sandbox is not available: docker: d; "), "{message}");
        assert!(refused.hint().unwrap().starts_with("fix d; or fix "), "{refused:?}");
    }

    #[test]
    fn a_named_isolation_is_used_or_refused() {
        let docker = IsolationRequest::Docker;
        assert_eq!(kind(docker, [on_request("d"), ready(), ready()]), Some(Isolation::Docker));
        let refused = chosen(docker, [missing("d"), ready(), ready()]).unwrap_err();
        assert_eq!(refused.missing, [(Isolation::Docker, obstacle("d"))]);
        let guard = IsolationRequest::Guard;
        let choice = chosen(guard, [ready(), ready(), ready()]).unwrap();
        assert_eq!((choice.kind, choice.passed_over.len()), (Isolation::Guard, 0));
    }
}
