//! The isolation of the agent.

use clap::{Args, ValueEnum};
use settings::Flags;

use super::loop_args::word;

#[derive(Debug, Clone, Args)]
pub(crate) struct SandboxArgs {
    /// Require a sandbox: docker, container, os, or any of them without a value [default: the strongest]
    #[arg(long, value_enum, value_name = "KIND", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "required", conflicts_with = "no_sandbox")]
    pub(crate) sandbox: Option<SandboxArg>,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SandboxArg {
    /// A virtual machine of Docker Sandboxes
    Docker,
    /// A container of Podman or Docker Engine
    Container,
    /// The sandbox of the operating system
    #[value(alias = "native")]
    Os,
    /// command-guard only, no sandbox
    Guard,
    /// The strongest available
    Auto,
    #[value(hide = true)]
    Required,
}

impl SandboxArgs {
    pub(crate) fn set(&self, flags: &mut Flags) {
        let path = ["isolation", "kind"];
        if self.no_sandbox {
            flags.set("--no-sandbox", &path, word(SandboxArg::Guard));
            flags.set("--no-sandbox", &["isolation", "checks"], "none");
        }
        let docker = self.docker_sandbox.then_some(SandboxArg::Docker);
        flags.set_if("--sandbox", &path, self.sandbox.or(docker).map(word));
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::Cli;

    fn asked(args: &[&str]) -> Option<SandboxArg> {
        let args = [&["ralph-loop"], args].concat();
        Cli::try_parse_from(args).unwrap().run.common.isolation.sandbox
    }

    #[test]
    fn alone_it_requires_a_sandbox_and_with_a_kind_that_one() {
        assert_eq!(asked(&[]), None);
        assert_eq!(asked(&["--sandbox"]), Some(SandboxArg::Required));
        assert_eq!(asked(&["--sandbox=os"]), Some(SandboxArg::Os));
        assert_eq!(asked(&["--sandbox=native"]), Some(SandboxArg::Os), "its former name");
        assert_eq!(asked(&["--sandbox", "--skip-review"]), Some(SandboxArg::Required));
        for wrong in [&["--sandbox=vm"][..], &["--sandbox", "--no-sandbox"]] {
            assert!(Cli::try_parse_from([&["ralph-loop"], wrong].concat()).is_err(), "{wrong:?}");
        }
    }
}
