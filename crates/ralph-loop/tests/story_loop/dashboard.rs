//! `watch` and `run --tui` in a real tmux: display, orders by keys, resize, exit, and panic.

use predicates::str::contains;
use simulator::{Act, Mode, Scenario, When};
use test_repo::assert_text;

use crate::harness::{Project, program};
use crate::stories::story;
use crate::tmux::Tmux;

const WAITS: &str = "Waiting to be seen.";

/// Prints that it waits, and waits for a file beside the project.
fn until_there(file: &str) -> [Act; 2] {
    [Act::say(WAITS), Act::bash(format!("until [ -e ../{file} ]; do sleep 0.05; done"))]
}

fn let_go(project: &Project, file: &str) {
    std::fs::write(project.path().join("..").join(file), "").unwrap();
}

fn ralph(args: &str) -> String {
    format!("'{}' {args}", program("ralph-loop").display())
}

fn run(args: &str) -> String {
    let agent = program("simulated-agent");
    ralph(&format!("run --no-sandbox --agent-program '{}' {args}", agent.display()))
}

#[test]
fn a_run_is_watched_gets_orders_and_continues_after_exit() {
    let [says, waits] = until_there("go");
    let hangs = || [Act::say(WAITS), Act::Hang { ignores_signals: false }];
    let scenario = Scenario::new()
        .rule(
            When::mode(Mode::Implement).story("US-001").visit(1),
            [says, waits, Act::finish("Later.")],
        )
        .rule(When::mode(Mode::Implement), hangs());
    let project = Project::new([story("US-001"), story("US-002")]).scenario(scenario);
    let screen = Tmux::start(&project, 80, 24);
    screen.beside(&run("--stop-grace 1s"));
    screen.await_run(&project).types(&ralph("watch")).press("Enter");
    for seen in
        ["RUNNING", "Stories 0/2 done", "US-001", "in progress", WAITS, "Spent", "Log", "q leave"]
    {
        screen.shows(seen);
    }
    screen.resize(120, 40).shows("Checks").resize(40, 10).shows("enlarge the window to see more");
    screen.resize(80, 24).shows("Tab panel");

    screen
        .press("t")
        .shows("instruction for the next session:")
        .types("mind the gap")
        .press("Enter");
    screen.resize(200, 60).shows("implementing session: mind the gap").resize(80, 24);
    screen.press("p").shows("pausing after this iteration");
    let_go(&project, "go");
    screen.shows("PAUSED").shows("p resume").press("p").shows("iteration 2 of").shows(WAITS);
    screen
        .press("s")
        .shows("skip US-001? y/n")
        .press("y")
        .shows("1 skipped")
        .shows("implement, US-002");
    screen.press("x").shows("stop? y/n").press("y").shows("STOPPED");
    screen.press("q").shows("has ended. See the result");
    screen.types("stty -a | grep -q ' icanon' && echo so''ber").press("Enter").shows("sober");
    let prompt = std::fs::read_dir(project.path().join(".ralph/runs")).unwrap().next().unwrap();
    let prompt = prompt.unwrap().path().join("002-implement-US-001/prompt.md");
    assert!(std::fs::read_to_string(prompt).unwrap().contains("mind the gap"));
}

#[test]
fn a_loop_is_run_with_a_dashboard_that_makes_way_for_its_end() {
    let [says, waits] = until_there("go");
    let scenario = Scenario::new()
        .rule(When::mode(Mode::Implement).visit(1), [says, waits, Act::finish("Later.")]);
    let project = Project::new([story("US-001")]).scenario(scenario);
    let screen = Tmux::start(&project, 80, 24);
    screen.types(&run("--tui -n 1; echo code $?")).press("Enter").shows("RUNNING").shows(WAITS);
    screen.press("/").types("to be").press("Enter").shows("/to be");
    screen.press("?").shows("press any key to close").press("Space");
    let_go(&project, "go");
    screen.shows("0 of 1 done").shows("code 1");

    let screen = screen.cleared();
    screen
        .types(&run("--tui --fresh -n 3; echo code $?"))
        .press("Enter")
        .shows("1 of 1 done")
        .shows("code 0");
}

#[test]
fn after_leaving_the_dashboard_the_loop_prints_lines() {
    let [says, waits] = until_there("go");
    let scenario = Scenario::new().rule(
        When::mode(Mode::Implement).visit(1),
        [says, waits, Act::say("Seen at last."), Act::finish("Later.")],
    );
    let project = Project::new([story("US-001")]).scenario(scenario);
    let screen = Tmux::start(&project, 80, 24);
    screen.types(&run("--tui --stop-grace 1s; echo code $?")).press("Enter").shows(WAITS);
    screen.press("q").shows("The loop continues with plain output.");
    let_go(&project, "go");
    screen.shows("Seen at last.").shows("1 of 1 done").shows("code 0");
}

#[test]
fn a_key_interrupts_the_loop_as_the_signal_does() {
    let [says, _] = until_there("go");
    let scenario = Scenario::new().otherwise([says, Act::Hang { ignores_signals: false }]);
    let project = Project::new([story("US-001")]).scenario(scenario);
    let screen = Tmux::start(&project, 80, 24);
    screen.types(&run("--tui --stop-grace 60s; echo code $?")).press("Enter").shows(WAITS);
    screen.press("C-c").shows("stopping: the agent may finish its answer");
    screen.press("C-c").shows("interrupted").shows("code 130");
}

#[cfg(target_os = "linux")]
#[test]
fn closing_the_window_of_watch_leaves_no_process() {
    let scenario = Scenario::new().rule(When::mode(Mode::Implement), [Act::finish("Done.")]);
    let project = Project::new([story("US-001")]).scenario(scenario);
    let screen = Tmux::start(&project, 80, 24);
    // So that the other window keeps tmux.
    screen.beside("sleep 60");
    screen.types(&run("-n 1 --output json >/dev/null 2>&1")).press("Enter");
    screen.await_run(&project);
    let process = process_of(&screen);
    screen.types(&format!("exec {}", ralph("watch"))).press("Enter").shows("q leave");
    assert!(process.exists(), "{}", process.display());
    screen.close();
    await_end(&process);
}

#[cfg(target_os = "linux")]
#[test]
fn closing_the_window_of_a_loop_ends_it_cleanly() {
    let [says, _] = until_there("go");
    let scenario = Scenario::new().otherwise([says, Act::Hang { ignores_signals: false }]);
    let project = Project::new([story("US-001")]).scenario(scenario);
    let screen = Tmux::start(&project, 80, 24);
    screen.beside("sleep 60");
    let process = process_of(&screen);
    screen.types(&format!("exec {}", run("--tui --stop-grace 1s"))).press("Enter").shows(WAITS);
    screen.close();
    await_end(&process);
    let runs = std::fs::read_dir(project.path().join(".ralph/runs")).unwrap();
    let log = runs.into_iter().next().unwrap().unwrap().path().join("events.jsonl");
    let log = std::fs::read_to_string(log).unwrap();
    let last = events::Stamped::from_line(log.lines().last().unwrap().as_bytes()).unwrap();
    assert!(
        matches!(
            last.event,
            events::LoopEvent::RunEnded(events::RunEnded { end: events::RunEnd::HungUp, .. })
        ),
        "{last:?}"
    );
    assert!(!project::RunLock::is_held(&project::Layout::new(project.path())));
}

#[cfg(target_os = "linux")]
fn process_of(screen: &Tmux) -> std::path::PathBuf {
    std::path::PathBuf::from(format!("/proc/{}", screen.pid()))
}

#[cfg(target_os = "linux")]
#[track_caller]
fn await_end(process: &std::path::Path) {
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while process.exists() {
        assert!(std::time::Instant::now() < deadline, "it continues without a terminal");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn a_key_leads_to_the_shell_and_back() {
    let project = Project::new([story("US-001")]);
    project.run([]).assert_end(events::RunEnd::Complete);
    let screen = Tmux::start(&project, 80, 24);
    screen.types(&ralph("watch")).press("Enter").shows("COMPLETE").press("C-z").shows("Stopped");
    screen.types("stty -a | grep -q ' icanon' && echo so''ber").press("Enter").shows("sober");
    screen.types("fg").press("Enter").shows("COMPLETE").shows("Log");
    screen.press("q").shows("has ended. See the result");

    // The launcher of npm waits for the program, and the shell for the launcher.
    let launched = format!("sh -c \"{}; echo launcher''ended\"", ralph("watch"));
    let screen = screen.cleared();
    screen.types(&launched).press("Enter").shows("COMPLETE").press("C-z").shows("Stopped");
    screen.types("fg").press("Enter").shows("COMPLETE").press("q").shows("launcherended");
}

#[test]
fn a_panic_gives_the_terminal_back() {
    let project = Project::new([story("US-001")]);
    project.run([]).assert_end(events::RunEnd::Complete);
    let screen = Tmux::start(&project, 80, 24);
    screen.types(&format!("export RALPH_DASHBOARD_PANICS=1; {}", ralph("watch"))).press("Enter");
    screen.shows("COMPLETE").press("F12").shows("panic requested by a test");
    screen.types("stty -a | grep -q ' icanon' && echo so''ber").press("Enter").shows("sober");
}

#[test]
fn without_a_terminal_there_is_a_hint() {
    let project = Project::new([story("US-001")]);
    let nothing = String::from_utf8(project.call(&["watch"]).stderr).unwrap();
    assert!(nothing.starts_with("error: no run to watch\nhint: "), "{nothing}");
    project.run([]);
    let watch = project.call(&["watch"]);
    let printed = String::from_utf8(watch.stderr).unwrap();
    assert_eq!(watch.status.code(), Some(2), "{printed}");
    assert_text(&printed, contains("hint: use `ralph-loop status`"));
    let run = project.call(&["run", "--tui"]);
    assert_eq!(run.status.code(), Some(2));
}
