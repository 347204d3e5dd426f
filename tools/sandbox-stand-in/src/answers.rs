//! The commands of the simulated command line.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::call::{Call, Shape};
use crate::store::{Sandbox, SandboxStatus, Store};
use crate::{CliDialect, SandboxError, refused};

const SBX_VERSION: &str = "sbx version: v0.39.0 def8cb0523a77e757bdd6ef52b459fe374f3783e";
const DOCKER_VERSION: &str =
    "github.com/docker/sandboxes/cli-plugin v0.7.1 f00f0d6473647c2201cd0507ce31613345c48ae6";

pub(crate) struct CommandRunner<'a> {
    pub(crate) dialect: CliDialect,
    pub(crate) store: &'a Store,
}

impl CommandRunner<'_> {
    pub(crate) fn answer(&self, call: Call, input: Vec<u8>) -> Result<u8, SandboxError> {
        match call {
            Call::Version => self.version(),
            Call::List(shape) => self.list(shape),
            Call::Create { name, agent, paths } => self.create(name, agent, &paths),
            Call::Exec { name, command, .. } => self.exec(&name, command, input),
            Call::Run { name, variables, args } => self.run(&name, &variables, args),
            Call::LimitNetwork { name, hosts } => {
                let mut sandbox = self.named(&name)?;
                sandbox.hosts.get_or_insert_default().extend(hosts);
                self.store.save(&sandbox)?;
                Ok(0)
            }
            Call::Stop(names) => self.each(&names, |mut sandbox| {
                sandbox.status = SandboxStatus::Stopped;
                self.store.save(&sandbox)
            }),
            Call::Remove(names) => self.each(&names, |sandbox| self.store.remove(&sandbox.name)),
        }
    }

    fn version(&self) -> Result<u8, SandboxError> {
        let usual = match self.dialect {
            CliDialect::Sbx => SBX_VERSION,
            CliDialect::DockerSandbox => DOCKER_VERSION,
        };
        say(&self.store.setting("version").unwrap_or_else(|| usual.to_owned()))
    }

    fn list(&self, shape: Shape) -> Result<u8, SandboxError> {
        let all = self.store.all()?;
        match shape {
            Shape::Json => {
                let key = match self.dialect {
                    CliDialect::DockerSandbox if !all.is_empty() => "vms",
                    _ => "sandboxes",
                };
                say(&json!({ key: all }).to_string())
            }
            Shape::Names => all.iter().try_for_each(|one| say(&one.name).map(drop)).map(|()| 0),
            Shape::Table => {
                say(&row("SANDBOX", "AGENT", "STATUS", "WORKSPACE"))?;
                for one in all {
                    let first = one.workspaces.first().map_or("", String::as_str);
                    say(&row(&one.name, &one.agent, one.status.name(), first))?;
                }
                Ok(0)
            }
        }
    }

    fn create(&self, name: String, agent: String, paths: &[OsString]) -> Result<u8, SandboxError> {
        let odd = |c: char| !c.is_ascii_alphanumeric() && !self.also_in_names().contains(c);
        let starts_well = name.starts_with(|c: char| c.is_ascii_alphanumeric());
        if name.len() < 2 || !starts_well || name.contains(odd) || name == "default" {
            return refused(format!("invalid sandbox name {name:?}"));
        }
        if self.store.all()?.iter().any(|one| one.name == name) {
            return refused(format!("sandbox '{name}' already exists"));
        }
        if agent != "claude" {
            return refused(format!("agent {agent:?} not found (available agents: claude)"));
        }
        if paths.is_empty() {
            return refused("workspace path is required");
        }
        for path in paths {
            let path = without_access(path);
            if !path.is_dir() {
                return refused(format!("workspace path does not exist: {}", path.display()));
            }
        }
        let workspaces = paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
        self.store.save(&Sandbox {
            name: name.clone(),
            agent,
            status: SandboxStatus::Running,
            workspaces,
            hosts: None,
        })?;
        say(&format!("Created sandbox '{name}'"))
    }

    fn also_in_names(&self) -> &'static str {
        match self.dialect {
            CliDialect::Sbx => "-.",
            CliDialect::DockerSandbox => "-._+",
        }
    }

    /// Replaces `/home/agent` in a script with the real folder.
    fn exec(&self, name: &str, words: Vec<OsString>, input: Vec<u8>) -> Result<u8, SandboxError> {
        let sandbox = self.started(name)?;
        let home = self.store.home(name);
        let mut words = words.into_iter();
        let program = PathBuf::from(words.next().unwrap_or_default());
        let mut args: Vec<OsString> = words.collect();
        if let [flag, script, ..] = &mut args[..]
            && flag == "-c"
        {
            *script =
                script.to_string_lossy().replace("/home/agent", &home.to_string_lossy()).into();
        }
        let mut command = command(&program);
        command.args(args).envs(environment(&home)).current_dir(folder_of(&sandbox));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // A script that does not read its input may have ended already.
            let _ = stdin.write_all(&input);
        }
        let output = child.wait_with_output()?;
        io::stdout().write_all(&output.stdout)?;
        io::stderr().write_all(&output.stderr)?;
        Ok(output.status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
    }

    /// Becomes the agent, called as in a sandbox: the arguments after `--` follow the flag that
    /// skips permissions, if they start with a flag.
    fn run(
        &self,
        name: &str,
        variables: &[String],
        args: Vec<OsString>,
    ) -> Result<u8, SandboxError> {
        if self.named(name)?.status == SandboxStatus::Stopped {
            say(&format!("Sandbox {name} started successfully"))?;
        }
        let sandbox = self.started(name)?;
        let Some(agent) = self.store.setting("agent") else { return refused("no agent was named") };
        let mut agent = command(Path::new(&agent));
        if args.first().is_none_or(|first| first.to_string_lossy().starts_with('-')) {
            agent.arg("--dangerously-skip-permissions");
        }
        agent.args(args).envs(environment(&self.store.home(name)));
        agent.envs(variables.iter().filter_map(|variable| match variable.split_once('=') {
            Some((name, value)) => Some((name, value.into())),
            None => Some((variable.as_str(), std::env::var_os(variable)?)),
        }));
        agent.current_dir(folder_of(&sandbox)).stdin(Stdio::null());
        Err(SandboxError::Io(become_it(agent)))
    }

    fn started(&self, name: &str) -> Result<Sandbox, SandboxError> {
        let mut sandbox = self.named(name)?;
        sandbox.status = SandboxStatus::Running;
        self.store.save(&sandbox)?;
        Ok(sandbox)
    }

    fn named(&self, name: &str) -> Result<Sandbox, SandboxError> {
        match self.store.all()?.into_iter().find(|one| one.name == name) {
            Some(sandbox) => Ok(sandbox),
            None => refused(format!("sandbox '{name}' not found")),
        }
    }

    fn each(
        &self,
        names: &[String],
        act: impl Fn(Sandbox) -> io::Result<()>,
    ) -> Result<u8, SandboxError> {
        for name in names {
            act(self.named(name)?)?;
            say(name)?;
        }
        Ok(0)
    }
}

/// Only the search path of the host.
fn environment(home: &Path) -> Vec<(OsString, OsString)> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    vec![("PATH".into(), path), ("HOME".into(), home.into())]
}

fn folder_of(sandbox: &Sandbox) -> PathBuf {
    sandbox.workspaces.first().map(PathBuf::from).unwrap_or_default()
}

fn without_access(path: &OsStr) -> PathBuf {
    let text = path.to_string_lossy();
    text.strip_suffix(":ro").map_or_else(|| PathBuf::from(path), PathBuf::from)
}

fn row(name: &str, agent: &str, status: &str, workspace: &str) -> String {
    format!("{name:<64} {agent:<8} {status:<8} {workspace}")
}

fn say(line: &str) -> Result<u8, SandboxError> {
    Ok(writeln!(io::stdout(), "{line}").map(|()| 0)?)
}

#[cfg(unix)]
fn become_it(mut agent: Command) -> io::Error {
    std::os::unix::process::CommandExt::exec(&mut agent)
}

#[cfg(not(unix))]
fn become_it(mut agent: Command) -> io::Error {
    match agent.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}

#[expect(clippy::disallowed_methods, reason = "the stand-in runs commands in place of a sandbox")]
fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    command
}
