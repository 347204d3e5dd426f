//! Options, arguments and variables whose values are commands or code, by program.

use shell_analysis::Word;

use crate::invocation_view::InvocationView;
use crate::words::words;

/// Programs, and their options whose values are run.
const RUN: &[(&[&str], &[&str])] = &[
    (
        &["tar", "gtar", "bsdtar"],
        &["I", "use-compress-program", "to-command", "F", "rsh-command", "info-script"],
    ),
    (&["man"], &["P", "pager"]),
    (&["rsync"], &["e", "rsh", "rsync-path"]),
    (&["scp", "sftp"], &["S"]),
    (&["zip"], &["TT", "unzip-command"]),
    (&["npm", "pnpm", "yarn", "npx"], &["c", "call", "script-shell"]),
    (&["wget", "wget2"], &["use-askpass"]),
    (&["split"], &["filter"]),
    (&["sort"], &["compress-program"]),
    (&["nodemon"], &["x", "exec"]),
    (&["hyperfine"], &["p", "prepare", "c", "cleanup", "s", "setup", "conclude"]),
    (&["go"], &["exec", "toolexec", "vettool"]),
    (&["ansible"], &["a", "args"]),
    (GIVEN_TEXTS, &["c", "command", "S"]),
];

/// Programs that get a command as one text, by an option or as an operand.
const GIVEN_TEXTS: &[&str] =
    words!("start-stop-daemon script watch parallel flock su runuser entr tmux screen byobu");

/// Programs whose operands are commands, each one text.
const OPERANDS: &[&str] = &["hyperfine", "concurrently"];

/// Variables whose values are run.
const HOOKS: &[&str] = words!(
    "GIT_SSH_COMMAND GIT_EDITOR GIT_SEQUENCE_EDITOR EDITOR VISUAL PAGER GIT_PAGER GIT_EXTERNAL_DIFF
     PROMPT_COMMAND MANPAGER LESSOPEN BROWSER RSYNC_RSH PS4 PS0 PS1 GIT_SSH SSH_ASKPASS RUSTC
     RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER CC CXX LD npm_config_script_shell"
);

pub(super) fn commands(view: &InvocationView<'_>) -> Vec<String> {
    let mut commands = Vec::new();
    for (_, options) in RUN.iter().filter(|(programs, _)| view.is(programs)) {
        commands.extend(view.arguments(options).values(options).map(Word::shown));
    }
    if view.is(OPERANDS) || view.is(GIVEN_TEXTS) {
        let texts = view.shown_words().into_iter().filter(|word| word.contains(' '));
        commands.extend(texts);
    }
    commands.extend(match view.program.as_str() {
        "tar" | "gtar" | "bsdtar" => after(view, "exec="),
        "ssh" | "scp" | "sftp" => ssh(view),
        "npm" => settings(view, |name| name.starts_with("scripts.")),
        "cargo" => cargo(view),
        "gdb" => behind(view, &["--args", "-args"]).into_iter().collect(),
        "start-stop-daemon" => daemon(view).into_iter().collect(),
        _ => Vec::new(),
    });
    commands
}

pub(super) fn hooked(view: &InvocationView<'_>) -> Vec<String> {
    let assigned =
        view.invocation.assignments.iter().filter(|(name, _)| HOOKS.contains(&name.as_str()));
    // A prompt only runs its substitutions.
    let runs = |(name, value): &&(String, Word)| {
        !name.starts_with("PS") || value.shown().contains(['`', '('])
    };
    assigned
        .filter(runs)
        .map(|(_, value)| value.shown().trim_start_matches('|').to_owned())
        .collect()
}

/// Code files that are loaded before the code itself, by options or by the environment.
pub(super) fn preloaded(view: &InvocationView<'_>) -> Vec<Word> {
    let set = |wanted: &str| {
        let found = view.invocation.assignments.iter().rev().find(|(name, _)| name == wanted);
        found.map(|(_, value)| value.shown()).unwrap_or_default()
    };
    let words = |text: String| text.split_whitespace().map(Word::of).collect::<Vec<_>>();
    let required = |words: &[Word]| {
        let names = ["r", "require", "import", "loader"];
        let values = crate::arguments::Arguments::of(words, &names);
        values.values(&names).cloned().collect::<Vec<_>>()
    };
    let mut files = required(&words(set("NODE_OPTIONS")));
    files.extend(required(&words(set("RUBYOPT"))));
    if view.is(&["node", "nodejs", "ruby", "tsx", "bun"]) {
        files.extend(required(view.words));
    }
    for folder in set("PYTHONPATH").split(':').filter(|folder| !folder.is_empty()) {
        let names = ["sitecustomize", "usercustomize"];
        files.extend(names.map(|name| Word::of(format!("{folder}/{name}.py"))));
    }
    let modules = set("PERL5OPT");
    let modules = modules.split_whitespace().filter_map(|word| word.strip_prefix("-M"));
    for module in modules {
        files.push(Word::of(format!("{}/{module}.pm", set("PERL5LIB"))));
    }
    files
}

fn after(view: &InvocationView<'_>, mark: &str) -> Vec<String> {
    let words = view.shown_words();
    words.iter().filter_map(|word| Some(word.split_once(mark)?.1.to_owned())).collect()
}

fn ssh(view: &InvocationView<'_>) -> Vec<String> {
    let options = view.arguments(&["o"]);
    let command = |option: &Word| {
        let option = option.shown();
        let (name, value) = option.split_once(['=', ' '])?;
        ["proxycommand", "localcommand", "knownhostscommand"]
            .contains(&name.to_ascii_lowercase().as_str())
            .then(|| value.to_owned())
    };
    options.values(&["o"]).filter_map(command).collect()
}

/// `name=value` words whose names match.
fn settings(view: &InvocationView<'_>, counts: impl Fn(&str) -> bool) -> Vec<String> {
    let words = view.shown_words();
    let setting = |word: &String| {
        let (name, value) = word.split_once('=')?;
        counts(name).then(|| value.trim_matches(['"', '\'', ' ']).to_owned())
    };
    words.iter().filter_map(setting).collect()
}

/// Tools that replace the compiler, and the commands of `cargo watch`.
fn cargo(view: &InvocationView<'_>) -> Vec<String> {
    let is_tool = |name: &str| {
        ["rustc", "wrapper", "runner", "linker"].iter().any(|tool| name.trim().ends_with(tool))
    };
    let mut commands = settings(view, is_tool);
    if view.subcommand().as_deref() == Some("watch") {
        commands.extend(view.arguments(&["s", "shell"]).values(&["s", "shell"]).map(Word::shown));
    }
    commands
}

/// The words after one of these markers.
fn behind(view: &InvocationView<'_>, marks: &[&str]) -> Option<String> {
    let at = view.words.iter().position(|word| marks.contains(&word.shown().as_str()))?;
    Some(super::inner::quoted_words(&view.words[at + 1..]))
}

/// `start-stop-daemon --exec program -- arguments`
fn daemon(view: &InvocationView<'_>) -> Option<String> {
    let options = ["x", "exec", "a", "startas"];
    let program = view.arguments(&options).value(&options)?.shown();
    Some(format!("{program} {}", behind(view, &["--"]).unwrap_or_default()))
}
