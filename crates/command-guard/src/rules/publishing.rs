//! Public releases, which cannot be undone.

use crate::invocation_view::InvocationView;
use crate::words::words;
use crate::{Category, Refusal};

const WHY: &str = "it publishes a release, which cannot be undone";
const INSTEAD: &str =
    "Prepare the release and write to your notes that it is ready. `--dry-run` is allowed";

pub(super) fn judge(view: &InvocationView<'_>) -> Option<Refusal> {
    let words = view.shown_words();
    let tries = words.iter().any(|word| {
        matches!(
            word.as_str(),
            "--dry-run" | "--dry-run=true" | "--help" | "-h" | "--publish-dry-run"
        )
    });
    if !tries && publishes(view, &words) {
        return view.refuse(Category::PackagePublishing, WHY, INSTEAD);
    }
    None
}

/// Tools with the consecutive words that publish.
const WAYS: &[(&[&str], &[&str])] = &[
    (&["semantic-release", "np", "release-it", "release-plz"], &[]),
    (
        &["lerna", "changeset", "vsce", "ovsx", "jsr", "deno", "elm", "wapm", "wasmer", "spin"],
        &["publish"],
    ),
    (
        &["uv", "poetry", "flit", "hatch", "pdm", "maturin", "rye", "wasm-pack", "rush"],
        &["publish"],
    ),
    (
        &["twine", "maturin", "cabal", "stack", "luarocks", "conda", "anaconda", "conan"],
        &["upload"],
    ),
    (&["nx"], &["release"]),
    (&["cargo"], &["publish"]),
    (&["cargo"], &["yank"]),
    (&["cargo"], &["owner"]),
    (&["cargo"], &["login"]),
    (&["cargo"], &["workspaces", "publish"]),
    (&["cargo"], &["ws", "publish"]),
    (&["gem"], &["push"]),
    (&["gem"], &["yank"]),
    (&["gem"], &["owner"]),
    (&["rake"], &["release"]),
    (&["rake"], &["gem:push"]),
    (&["lein"], &["deploy"]),
    (&["docker-compose", "helm", "crane", "oras"], &["push"]),
    (&["helm"], &["cm-push"]),
    (&["ko"], &["publish"]),
    (&["ko"], &["build"]),
    (&["ko"], &["apply"]),
    (&["gh"], &["release", "create"]),
    (&["gh"], &["release", "upload"]),
    (&["gh"], &["release", "edit"]),
    (&["gh"], &["release", "delete"]),
    (&["glab", "hub"], &["release", "create"]),
    (&["dotnet"], &["nuget", "push"]),
    (&["dotnet"], &["nuget", "delete"]),
    (&["nuget"], &["push"]),
    (&["nuget"], &["delete"]),
    (&["pod"], &["trunk", "push"]),
    (&["mix"], &["hex.publish"]),
    (&["mix"], &["hex.retire"]),
    (&["rebar3"], &["hex", "publish"]),
    (&["dart", "flutter"], &["pub", "publish"]),
    (&["opam", "dune-release"], &["publish"]),
    (&["goreleaser"], &["release"]),
    (&["snapcraft"], &["upload"]),
    (&["snapcraft"], &["push"]),
    (&["snapcraft"], &["release"]),
    (&["fastlane"], &["release"]),
    (&["fastlane"], &["deliver"]),
    (&["eas"], &["submit"]),
    (&["swift"], &["package-registry", "publish"]),
    (&["mkdocs"], &["gh-deploy"]),
    (&["gh-pages"], &[]),
];

/// Programs that run the tool named in their arguments.
const RUNNERS: &[&str] = words!(
    "npx bunx pnpx npm pnpm yarn bun uvx uv pipx python python3 poetry pdm hatch rye bundle mise
     conda dotnet deno"
);

/// Words between a runner and the tool: `uv tool run twine`.
const RUN: &[&str] = &["exec", "dlx", "x", "run", "tool"];

fn publishes(view: &InvocationView<'_>, words: &[String]) -> bool {
    let operands: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !word.starts_with('-') && (view.is(&["sbt"]) || !word.starts_with('+')))
        .collect();
    let has =
        |name: &str| words.iter().any(|word| word == name || word.starts_with(&format!("{name}=")));
    if view.is(&["goreleaser"]) && (has("--snapshot") || has("--skip")) {
        return false;
    }
    let is_way = |tool: &str, rest: &[&str]| {
        WAYS.iter().any(|(tools, way)| tools.contains(&tool) && rest.starts_with(way))
    };
    let before = operands.iter().take_while(|word| RUN.contains(word)).count();
    let behind = operands.get(before..).and_then(<[&str]>::split_first);
    // Each operand after a leading option may be its value: `cargo --color never publish`.
    let values = words.chunk_by(|one, _| one.starts_with('-')).take_while(|group| group.len() > 1);
    let behind_values = |from| operands.get(from..).is_some_and(|rest| is_way(&view.program, rest));
    let by_table = (0..=values.count()).any(behind_values)
        || (view.is(RUNNERS) && behind.is_some_and(|(tool, rest)| is_way(tool, rest)));
    by_table || publishes_otherwise(view, words, &operands, &has)
}

fn publishes_otherwise(
    view: &InvocationView<'_>,
    words: &[String],
    operands: &[&str],
    has: &dyn Fn(&str) -> bool,
) -> bool {
    match view.program.as_str() {
        "npm" | "pnpm" | "yarn" | "bun" => node(operands),
        "cargo" => operands.first() == Some(&"release") && (has("--execute") || has("-x")),
        "mvn" | "mvnw" | "mvnd" => operands.iter().any(|goal| {
            *goal == "deploy"
                || goal.ends_with(":deploy")
                || goal.ends_with("release:perform")
                || goal.ends_with(":deploy-file")
        }),
        "gradle" | "gradlew" => operands.iter().any(|task| {
            let task = task.rsplit(':').next().unwrap_or_default();
            (task.starts_with("publish") && !task.contains("MavenLocal"))
                || task == "uploadArchives"
                || task == "bintrayUpload"
                || task.starts_with("closeAndRelease")
        }),
        "sbt" => operands.iter().any(|task| {
            let task = task.trim_start_matches('+').rsplit('/').next().unwrap_or_default();
            matches!(task, "publish" | "publishSigned" | "release") || task.starts_with("sonatype")
        }),
        "docker" | "podman" | "nerdctl" | "buildah" | "skopeo" => {
            let pushes =
                |word: &String| word.contains("type=registry") || word.contains("push=true");
            let builds = operands.contains(&"build");
            operands.first() == Some(&"push")
                || matches!(operands, ["image" | "manifest" | "compose", "push", ..])
                || (builds && (has("--push") || words.iter().any(pushes)))
                || (matches!(operands, ["buildx", "bake", ..]) && has("--push"))
                || (operands.first() == Some(&"copy")
                    && operands.last().is_some_and(|to| to.starts_with("docker://")))
        }
        "python" | "python3" => {
            operands.first().is_some_and(|file| file.ends_with("setup.py"))
                && operands.contains(&"upload")
        }
        _ => false,
    }
}

/// npm and similar tools: options with values may come before the command.
fn node(operands: &[&str]) -> bool {
    let runs_something = matches!(
        operands.first(),
        Some(
            &("run"
                | "run-script"
                | "exec"
                | "dlx"
                | "x"
                | "install"
                | "i"
                | "add"
                | "test"
                | "view"
                | "info"
                | "pack"
                | "ci"
                | "create"
                | "init"
                | "why"
                | "remove"
                | "uninstall"
                | "search"
                | "config"
                | "help")
        )
    );
    if runs_something {
        return false;
    }
    let command = |name: &&str| {
        words!("publish pub unpublish deprecate dist-tag login adduser token owner access")
            .contains(name)
    };
    match operands.iter().take(4).find(|name| command(name)) {
        Some(&("dist-tag" | "token" | "owner" | "access")) => {
            !operands.iter().any(|word| matches!(*word, "ls" | "list"))
        }
        Some(_) => true,
        None => false,
    }
}
