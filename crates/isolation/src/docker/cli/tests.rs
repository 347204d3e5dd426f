//! Command lines of each version.

use super::*;
use crate::docker::GitIdentity;

fn sbx(minor: u64) -> Cli {
    Cli { program: "sbx".into(), dialect: CliDialect::Sbx(Version { major: 0, minor }) }
}

fn docker() -> Cli {
    Cli { program: "docker".into(), dialect: CliDialect::DockerSandbox }
}

fn name() -> SandboxName {
    SandboxName::of_project(Path::new("/p"))
}

/// Replaces the sandbox name with `N`.
fn shown(arguments: Vec<OsString>) -> Vec<String> {
    let text = |word: OsString| word.into_string().unwrap().replace(name().as_str(), "N");
    arguments.into_iter().map(text).collect()
}

#[test]
fn versions_are_parsed() {
    let read = |text: &str| Version::read(text).map(|version| version.to_string());
    let printed = "sbx version: v0.39.0 def8cb0523a77e757bdd6ef52b459fe374f3783e\n";
    assert_eq!(read(printed).as_deref(), Some("0.39"));
    assert_eq!(read("sbx 1.2-rc1").as_deref(), Some("1.2"));
    let two = "Client Version:  v0.32.1 abc\nServer Version:  v0.33.0";
    assert_eq!(read(two).as_deref(), Some("0.32"));
    assert_eq!(read("something else"), None);
    assert!(Version::NEWEST >= NAMES_BY_OPTION && Version::NEWEST >= TAKES_VARIABLES);
}

#[test]
fn short_commands() {
    assert_eq!(shown(sbx(40).version()), ["version"]);
    assert_eq!(shown(docker().version()), ["sandbox", "version"]);
    assert_eq!(shown(sbx(40).list_as_json()), ["ls", "--json"]);
    assert_eq!(shown(docker().list()), ["sandbox", "ls"]);
    assert_eq!(shown(sbx(40).stop(&name())), ["stop", "N"]);
    assert_eq!(shown(docker().stop(&name())), ["sandbox", "stop", "N"]);
}

#[test]
fn a_sandbox_is_made_for_claude_in_the_project_and_sees_the_mounts() {
    let mounts = [Mount::read_write("/s t"), Mount::read_only("/plug'in")];
    let project = Path::new("/a b/$c\n'd\"");
    let created = ["create", "--name", "N", "claude", "/a b/$c\n'd\"", "/s t", "/plug'in:ro"];
    assert_eq!(shown(sbx(40).create(&name(), project, &mounts)), created);
    let by_docker = shown(docker().create(&name(), project, &mounts));
    assert_eq!(
        (by_docker[0].as_str(), &by_docker[1..]),
        ("sandbox", &created.map(String::from)[..])
    );
}

#[test]
fn a_named_sandbox_is_run_as_each_version_wants_it() {
    assert_eq!(shown(sbx(33).run(&name(), &[])), ["run", "--name", "N", "--"]);
    assert_eq!(shown(sbx(32).run(&name(), &[])), ["run", "N", "--"]);
    assert_eq!(shown(docker().run(&name(), &[])), ["sandbox", "run", "N", "--"]);
    let with = shown(sbx(39).run(&name(), &["KEY".into()]));
    assert_eq!(with, ["run", "-e", "KEY", "--name", "N", "--"]);
    assert_eq!(
        sbx(33).user_command("run", &name()).replace(name().as_str(), "N"),
        "sbx run --name N"
    );
    assert_eq!(
        docker().user_command("rm", &name()).replace(name().as_str(), "N"),
        "docker sandbox rm N"
    );
}

#[test]
fn scripts_get_what_comes_from_outside_as_arguments() {
    let odd = "/a b/'\"$(touch x)`y`\n-rf";
    let link = shown(sbx(40).exec(&name(), &Script::link_state(Path::new(odd))));
    assert_eq!(link[..6], ["exec", "-u", "root", "N", "bash", "-c"]);
    assert_eq!(link[7..], ["_", odd]);
    let identity = GitIdentity { name: "-x $(y)".into(), email: "e'".into() };
    let git = shown(docker().exec(&name(), &Script::set_identity(&identity)));
    assert_eq!(git[..5], ["sandbox", "exec", "N", "bash", "-c"]);
    assert_eq!(git[6..], ["_", "-x $(y)", "e'"]);
    let write = shown(sbx(40).exec(&name(), &Script::write(Path::new(odd))));
    assert_eq!(write[..5], ["exec", "-i", "N", "bash", "-c"]);
    assert_eq!(write[6..], ["_", odd]);
    for script in [&link[6], &git[5], &write[5]] {
        assert!(!script.contains("touch") && !script.contains("(y)"), "{script}");
    }
}
