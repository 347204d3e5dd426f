//! Runs the examples of the pages: console blocks after `<!-- test: SETUP -->`.
//!
//! `$ ` begins a command; the lines below it are its output. `…` stands for any text, and on a line of its own for
//! any lines.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;
use assert_fs::TempDir;

use crate::pages;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Setup {
    /// A repository with one commit.
    Empty,
    /// The same after `init`.
    Init,
    /// The finished project of `ralph-loop demo`.
    Demo,
}

struct Example {
    setup: Setup,
    /// Commands with their expected output.
    commands: Vec<(String, Vec<String>)>,
}

fn examples(text: &str) -> Vec<Example> {
    let marked = text.split("<!-- test: ").skip(1);
    let parse = |part: &str| {
        let (setup, rest) = part.split_once(" -->\n```console\n").unwrap();
        let (block, _) = rest.split_once("\n```").unwrap();
        let setup = match setup {
            "empty" => Setup::Empty,
            "init" => Setup::Init,
            "demo" => Setup::Demo,
            other => panic!("unknown setup {other}"),
        };
        let mut commands: Vec<(String, Vec<String>)> = Vec::new();
        for line in block.lines() {
            match (line.strip_prefix("$ "), commands.last_mut()) {
                (Some(command), _) => commands.push((command.to_owned(), Vec::new())),
                (None, Some((_, output))) => output.push(line.to_owned()),
                (None, None) => panic!("output before the first command: {line}"),
            }
        }
        Example { setup, commands }
    };
    marked.map(parse).collect()
}

/// Whether the lines of `output` are those of `expected`, with `…` for anything.
fn matches(expected: &[String], output: &[&str]) -> bool {
    match expected.split_first() {
        None => output.is_empty(),
        Some((first, rest)) if first == "…" => {
            (0..=output.len()).any(|skipped| matches(rest, &output[skipped..]))
        }
        Some((first, rest)) => match output.split_first() {
            Some((line, more)) => matches_line(first, line) && matches(rest, more),
            None => false,
        },
    }
}

fn matches_line(expected: &str, line: &str) -> bool {
    let parts: Vec<&str> = expected.split('…').collect();
    let [first, middle @ .., last] = &parts[..] else { return expected.trim_end() == line };
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last.trim_end())
}

struct Machine {
    dir: TempDir,
}

impl Machine {
    fn new() -> Self {
        let dir = TempDir::new().unwrap();
        std::fs::create_dir(dir.path().join("home")).unwrap();
        Self { dir }
    }

    fn shell(&self, folder: &Path, command: &str) -> String {
        let programs = cargo_bin("ralph-loop").parent().unwrap().to_path_buf();
        let system = std::env::var("PATH").unwrap();
        let output = Command::new("bash")
            .args(["-c", &format!("exec 2>&1\n{command}")])
            .env_clear()
            .env("PATH", format!("{}:{system}", programs.display()))
            .env("HOME", self.dir.path().join("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("COLUMNS", "100")
            .current_dir(folder)
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn project(&self, setup: Setup) -> PathBuf {
        let project = self.dir.path().join("demo");
        if setup == Setup::Demo {
            Command::new("cp").arg("-a").arg(demo()).arg(&project).assert().success();
            return project;
        }
        std::fs::create_dir(&project).unwrap();
        test_repo::init_for_commits(&project);
        std::fs::write(project.join("file"), "1").unwrap();
        test_repo::commit_all(&project);
        if setup == Setup::Init {
            self.shell(&project, "ralph-loop init --yes --name demo");
            test_repo::commit_all(&project);
        }
        project
    }
}

/// Made once: it takes a few seconds.
fn demo() -> &'static Path {
    static DEMO: OnceLock<(Machine, PathBuf)> = OnceLock::new();
    let (_, folder) = DEMO.get_or_init(|| {
        let machine = Machine::new();
        let folder = machine.dir.path().join("made");
        let output = machine.shell(
            machine.dir.path(),
            &format!("ralph-loop demo --fast --dir {}", folder.display()),
        );
        let project = folder.join("greeter");
        assert!(project.join(".ralph/runs").is_dir(), "{output}");
        (machine, project)
    });
    folder
}

#[test]
fn every_page_has_an_example_and_its_output_is_right() {
    let mut wrong = Vec::new();
    let readme = ("README.md".to_owned(), crate::read("README.md"));
    for (name, text) in pages().into_iter().chain([readme]) {
        let examples = examples(&text);
        if examples.is_empty() {
            wrong.push(format!("{name}: no example"));
        }
        for Example { setup, commands } in examples {
            let machine = Machine::new();
            let project = machine.project(setup);
            for (command, expected) in commands {
                let output = machine.shell(&project, &command);
                let lines: Vec<&str> = output.trim_end().lines().map(str::trim_end).collect();
                if !matches(&expected, &lines) {
                    let expected = expected.join("\n");
                    wrong.push(format!(
                        "{name}: $ {command}\n--- expected\n{expected}\n--- found\n{output}"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn dots_stand_for_any_text_and_any_lines() {
    let expected = |lines: &[&str]| lines.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert!(matches(&expected(&["a … c", "…", "z"]), &["a b c", "1", "2", "z"]));
    assert!(matches(&expected(&["…", "z"]), &["z"]));
    assert!(!matches(&expected(&["a … c"]), &["a b d"]));
    assert!(!matches(&expected(&["a"]), &["a", "b"]));
    assert!(!matches(&expected(&[]), &["a"]));
}
