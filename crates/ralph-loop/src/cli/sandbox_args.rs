//! The isolation of the agent.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use run_options::{CheckIsolation, IsolationRequest, Word};
use settings::Flags;

#[derive(Debug, Clone, Args)]
pub(crate) struct SandboxArgs {
    /// Require a sandbox: docker, container, os, or any of them without a value [default: the strongest]
    #[arg(long, value_parser = kinds(), value_name = "KIND", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "required", conflicts_with = "no_sandbox")]
    pub(crate) sandbox: Option<IsolationRequest>,
    /// The same as --sandbox=docker
    #[arg(long, hide = true, conflicts_with_all = ["sandbox", "no_sandbox"])]
    pub(crate) docker_sandbox: bool,
    /// No sandbox: command-guard filters commands, checks run with your rights
    #[arg(long)]
    pub(crate) no_sandbox: bool,
    /// Start although hooks are missing or of another version; the runner still verifies the result
    #[arg(long, alias = "allow-unguarded")]
    pub(crate) allow_missing_hooks: bool,
}

/// `native` is the former name of `os`.
pub(super) fn kind(word: &str) -> Option<IsolationRequest> {
    IsolationRequest::from_word(if word == "native" { "os" } else { word })
}

/// `required` is hidden: it is the meaning of `--sandbox` without a value.
fn kinds() -> impl TypedValueParser<Value = IsolationRequest> {
    let value =
        |kind: IsolationRequest, help: &'static str| PossibleValue::new(kind.name()).help(help);
    let values = [
        value(IsolationRequest::Docker, "A virtual machine of Docker Sandboxes"),
        value(IsolationRequest::Container, "A container of Podman or Docker Engine"),
        value(IsolationRequest::Os, "The sandbox of the operating system").alias("native"),
        value(IsolationRequest::Guard, "command-guard only, no sandbox"),
        value(IsolationRequest::Auto, "The strongest available"),
        PossibleValue::new(IsolationRequest::Required.name()).hide(true),
    ];
    PossibleValuesParser::new(values).try_map(|word| kind(&word).ok_or("unknown kind"))
}

impl SandboxArgs {
    pub(crate) fn set(&self, flags: &mut Flags) {
        let path = ["isolation", "kind"];
        if self.no_sandbox {
            flags.set("--no-sandbox", &path, IsolationRequest::Guard);
            flags.set("--no-sandbox", &["isolation", "checks"], CheckIsolation::None);
        }
        let docker = self.docker_sandbox.then_some(IsolationRequest::Docker);
        flags.set_if("--sandbox", &path, self.sandbox.or(docker));
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::Cli;

    fn asked(args: &[&str]) -> Option<IsolationRequest> {
        let args = [&["ralph-loop"], args].concat();
        Cli::try_parse_from(args).unwrap().run.common.isolation.sandbox
    }

    #[test]
    fn alone_it_requires_a_sandbox_and_with_a_kind_that_one() {
        assert_eq!(asked(&[]), None);
        assert_eq!(asked(&["--sandbox"]), Some(IsolationRequest::Required));
        assert_eq!(asked(&["--sandbox=os"]), Some(IsolationRequest::Os));
        assert_eq!(asked(&["--sandbox=native"]), Some(IsolationRequest::Os), "its former name");
        assert_eq!(asked(&["--sandbox", "--skip-review"]), Some(IsolationRequest::Required));
        for wrong in [&["--sandbox=vm"][..], &["--sandbox", "--no-sandbox"]] {
            assert!(Cli::try_parse_from([&["ralph-loop"], wrong].concat()).is_err(), "{wrong:?}");
        }
    }
}
