//! Parses the command line.

use std::ffi::OsString;
use std::io::{self, Read};

use crate::{CliDialect, SandboxError, refused};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Call {
    Version,
    List(Shape),
    Create { name: String, agent: String, paths: Vec<OsString> },
    Exec { name: String, user: Option<String>, input: Input, command: Vec<OsString> },
    Run { name: String, variables: Vec<String>, args: Vec<OsString> },
    LimitNetwork { name: String, hosts: Vec<String> },
    Stop(Vec<String>),
    Remove(Vec<String>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Table,
    Json,
    Names,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Input {
    None,
    Open,
}

impl Call {
    pub(crate) fn parse(dialect: CliDialect, args: Vec<OsString>) -> Result<Self, SandboxError> {
        let mut arguments = ArgumentReader(args.into_iter().peekable());
        let command = arguments.text()?;
        match command.as_str() {
            "version" => Ok(Self::Version),
            "ls" => arguments.list(),
            "create" => arguments.create(),
            "exec" => arguments.exec(),
            "run" => arguments.run(dialect),
            "network" if dialect == CliDialect::DockerSandbox => arguments.network(),
            "stop" => Ok(Self::Stop(arguments.names()?)),
            "rm" => Ok(Self::Remove(arguments.names()?)),
            other => refused(format!("unknown command {other:?}")),
        }
    }

    /// The name of this step, for simulated failures.
    pub(crate) fn step(&self) -> &'static str {
        match self {
            Self::Version => "version",
            Self::List(_) => "ls",
            Self::Create { .. } => "create",
            Self::Exec { user: Some(_), .. } => "exec-root",
            Self::Exec { .. } => "exec",
            Self::Run { .. } => "run",
            Self::LimitNetwork { .. } => "network",
            Self::Stop(_) => "stop",
            Self::Remove(_) => "rm",
        }
    }

    pub(crate) fn read_input(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        if let Self::Exec { input: Input::Open, .. } = self {
            io::stdin().read_to_end(&mut bytes)?;
        }
        Ok(bytes)
    }
}

struct ArgumentReader(std::iter::Peekable<std::vec::IntoIter<OsString>>);

impl ArgumentReader {
    fn list(&mut self) -> Result<Call, SandboxError> {
        match self.option()?.as_deref() {
            None => Ok(Call::List(Shape::Table)),
            Some("--json") => Ok(Call::List(Shape::Json)),
            Some("--quiet" | "-q") => Ok(Call::List(Shape::Names)),
            Some(other) => unknown(other),
        }
    }

    fn create(&mut self) -> Result<Call, SandboxError> {
        let mut name = None;
        while let Some(option) = self.option()? {
            match option.as_str() {
                "--name" => name = Some(self.text()?),
                "--quiet" | "-q" => {}
                other => return unknown(other),
            }
        }
        let agent = self.text()?;
        let paths: Vec<OsString> = self.0.by_ref().collect();
        let Some(name) = name else { return refused("the stand-in wants a name") };
        Ok(Call::Create { name, agent, paths })
    }

    fn exec(&mut self) -> Result<Call, SandboxError> {
        let (mut user, mut input) = (None, Input::None);
        while let Some(option) = self.option()? {
            match option.as_str() {
                "-i" | "--interactive" => input = Input::Open,
                "-u" | "--user" => user = Some(self.text()?),
                other => return unknown(other),
            }
        }
        let name = self.text()?;
        let command: Vec<OsString> = self.0.by_ref().collect();
        if command.is_empty() {
            return refused("exec requires a command");
        }
        Ok(Call::Exec { name, user, input, command })
    }

    fn run(&mut self, dialect: CliDialect) -> Result<Call, SandboxError> {
        let (mut name, mut variables) = (None, Vec::new());
        while let Some(option) = self.option()? {
            match (option.as_str(), dialect) {
                ("--name", CliDialect::Sbx) => name = Some(self.text()?),
                ("-e" | "--env", CliDialect::Sbx) => variables.push(self.text()?),
                ("--", _) => break,
                (other, _) => return unknown(other),
            }
        }
        let mut args: Vec<OsString> = self.0.by_ref().collect();
        let name = match name {
            Some(name) => name,
            None if args.is_empty() => return refused("run requires a sandbox"),
            None => args.remove(0).to_string_lossy().into_owned(),
        };
        if args.first().is_some_and(|first| first == "--") {
            args.remove(0);
        }
        Ok(Call::Run { name, variables, args })
    }

    /// `network proxy NAME --policy deny --allow-host HOST …`, as Docker documents it.
    fn network(&mut self) -> Result<Call, SandboxError> {
        if self.text()? != "proxy" {
            return refused("the stand-in knows `network proxy` only");
        }
        let (name, mut hosts) = (self.text()?, Vec::new());
        while let Some(option) = self.option()? {
            let value = self.text()?;
            match option.as_str() {
                "--policy" if value == "deny" => {}
                "--allow-host" => hosts.push(value),
                other => return unknown(other),
            }
        }
        Ok(Call::LimitNetwork { name, hosts })
    }

    fn names(&mut self) -> Result<Vec<String>, SandboxError> {
        let names = self.0.by_ref().map(|word| word.to_string_lossy().into_owned());
        Ok(names.filter(|name| name != "--force" && name != "-f").collect())
    }

    /// The next argument if it is an option; options come first.
    fn option(&mut self) -> Result<Option<String>, SandboxError> {
        let is_option = |word: &OsString| word.to_string_lossy().starts_with('-');
        Ok(self.0.next_if(is_option).map(|word| word.to_string_lossy().into_owned()))
    }

    fn text(&mut self) -> Result<String, SandboxError> {
        match self.0.next().map(OsString::into_string) {
            Some(Ok(word)) => Ok(word),
            Some(Err(word)) => refused(format!("{word:?} is not text")),
            None => refused("an argument is missing"),
        }
    }
}

fn unknown<T>(option: &str) -> Result<T, SandboxError> {
    refused(format!("unknown flag: {option}"))
}
