//! Which wall is put up.

use thiserror::Error;

use crate::{Availability, Isolation, Obstacle, Survey};

/// What the user asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// The strongest there is.
    Strongest,
    /// The strongest that is more than a guard.
    Sandbox,
    Exactly(Isolation),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub kind: Isolation,
    /// Stronger ones, and why they are not used.
    pub passed_over: Vec<(Isolation, Obstacle)>,
}

/// What was asked for cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}", words(.missing))]
pub struct Unavailable {
    /// At least one.
    pub missing: Vec<(Isolation, Obstacle)>,
}

/// From the strongest to the weakest.
pub const STRONGEST_FIRST: [Isolation; 4] =
    [Isolation::Docker, Isolation::Container, Isolation::Os, Isolation::Guard];

pub fn choose(wanted: Wanted, survey: &Survey) -> Result<Choice, Unavailable> {
    let mut missing = Vec::new();
    for kind in STRONGEST_FIRST {
        let asked = match wanted {
            Wanted::Strongest => Asked::IfReady,
            Wanted::Sandbox if kind == Isolation::Guard => Asked::No,
            Wanted::Sandbox => Asked::IfReady,
            Wanted::Exactly(wanted) if wanted == kind => Asked::ByName,
            Wanted::Exactly(_) => Asked::No,
        };
        match (asked, survey.of(kind)) {
            (Asked::No, _) | (_, None) => {}
            (_, Some(Availability::Ready { .. }))
            | (Asked::ByName, Some(Availability::OnRequest { .. })) => {
                return Ok(Choice { kind, passed_over: missing });
            }
            (_, Some(Availability::OnRequest { why, .. } | Availability::Missing(why))) => {
                missing.push((kind, why.clone()));
            }
        }
    }
    match wanted {
        Wanted::Strongest => Ok(Choice { kind: Isolation::Open, passed_over: missing }),
        Wanted::Sandbox | Wanted::Exactly(_) => Err(Unavailable { missing }),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    No,
    IfReady,
    ByName,
}

impl Unavailable {
    /// The ways out, one after the other.
    pub fn hint(&self) -> Option<String> {
        let fixes: Vec<&str> =
            self.missing.iter().filter_map(|(_, obstacle)| obstacle.fix.as_deref()).collect();
        (!fixes.is_empty()).then(|| fixes.join("; or "))
    }
}

fn words(missing: &[(Isolation, Obstacle)]) -> String {
    let each = missing.iter().map(|(kind, obstacle)| format!("{kind}: {}", obstacle.why));
    format!("the sandbox is not available: {}", each.collect::<Vec<_>>().join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

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

    fn chosen(wanted: Wanted, isolation: [Availability; 3]) -> Result<Choice, Unavailable> {
        let [docker, os, guard] = isolation;
        choose(wanted, &Survey { docker, container: missing("c"), os, guard })
    }

    fn kind(wanted: Wanted, isolation: [Availability; 3]) -> Option<Isolation> {
        chosen(wanted, isolation).ok().map(|choice| choice.kind)
    }

    #[test]
    fn the_strongest_that_is_ready_is_chosen_and_the_reasons_are_kept() {
        use Isolation::{Container, Docker, Guard, Open, Os};
        let auto = Wanted::Strongest;
        assert_eq!(kind(auto, [ready(), ready(), ready()]), Some(Docker));
        assert_eq!(kind(auto, [missing("d"), ready(), ready()]), Some(Os));
        assert_eq!(kind(auto, [missing("d"), missing("o"), ready()]), Some(Guard));
        assert_eq!(kind(auto, [missing("d"), missing("o"), missing("g")]), Some(Open));
        let choice = chosen(auto, [on_request("d"), missing("o"), ready()]).unwrap();
        let passed_over = [(Docker, "d"), (Container, "c"), (Os, "o")];
        assert_eq!(choice.passed_over, passed_over.map(|(kind, why)| (kind, obstacle(why))));
        let (docker, container) = (missing("d"), ready());
        let survey = Survey { docker, container, os: ready(), guard: ready() };
        assert_eq!(choose(auto, &survey).unwrap().kind, Container);
    }

    #[test]
    fn a_sandbox_is_more_than_a_guard() {
        let sandbox = Wanted::Sandbox;
        assert_eq!(kind(sandbox, [missing("d"), ready(), ready()]), Some(Isolation::Os));
        let refused = chosen(sandbox, [missing("d"), missing("o"), ready()]).unwrap_err();
        let kinds: Vec<Isolation> = refused.missing.iter().map(|(kind, _)| *kind).collect();
        assert_eq!(kinds, STRONGEST_FIRST[..3]);
        let said = refused.to_string();
        assert!(said.starts_with("the sandbox is not available: docker: d; "), "{said}");
        assert!(refused.hint().unwrap().starts_with("fix d; or fix "), "{refused:?}");
    }

    #[test]
    fn what_is_named_is_taken_or_refused_and_nothing_else_takes_its_place() {
        let docker = Wanted::Exactly(Isolation::Docker);
        assert_eq!(kind(docker, [on_request("d"), ready(), ready()]), Some(Isolation::Docker));
        let refused = chosen(docker, [missing("d"), ready(), ready()]).unwrap_err();
        assert_eq!(refused.missing, [(Isolation::Docker, obstacle("d"))]);
        let guard = Wanted::Exactly(Isolation::Guard);
        let choice = chosen(guard, [ready(), ready(), ready()]).unwrap();
        assert_eq!((choice.kind, choice.passed_over.len()), (Isolation::Guard, 0));
    }
}
