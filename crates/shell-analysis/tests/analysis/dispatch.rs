//! Programs that run others, and texts for shells.

use shell_analysis::{Launcher, Piece, Unknown};

use crate::support::{ends_with, read_text, runs};

#[test]
fn wrappers_run_what_follows_their_options() {
    for wrapper in [
        "sudo",
        "sudo -u root",
        "sudo -nE --user=root A=b",
        "sudo --",
        "doas -u root",
        "env",
        "env -i A=b",
        "env -u X",
        "env -C /",
        "env -S 'A=b'",
        "nohup",
        "nice",
        "nice -n 5",
        "nice -10",
        "ionice -c 2 -n 7",
        "time",
        "/usr/bin/time -f %e",
        "timeout 5",
        "timeout -k 5 10s",
        "timeout --signal=KILL 5",
        "stdbuf -oL",
        "stdbuf -o L",
        "setsid -w",
        "unbuffer",
        "strace -f -e trace=file",
        "chroot /mnt",
        "unshare -r -m",
        "nsenter -t 1 -m",
        "flock /tmp/l",
        "flock -w 5 /tmp/l",
        "command",
        "builtin",
        "exec",
        "exec -a x",
        "busybox",
        "toybox",
        "systemd-run --user",
        "xargs",
        "xargs -0 -P 4 -n 1",
        "watch",
        "watch -n 1",
        "taskset 1",
        "chrt 5",
        "setpriv --reuid 0",
        "/usr/bin/env",
        "\\command",
        "! time",
        "gosu root",
    ] {
        ends_with(
            &format!("{wrapper} rm -rf / </dev/null"),
            if wrapper.starts_with("xargs") { "rm -rf / $(…)" } else { "rm -rf /" },
        );
    }
    ends_with("env -S 'rm -rf' /", "rm -rf /");
    for runner in
        ["uv run", "uv run --with x", "poetry run", "bundle exec", "npm exec --", "pnpm exec"]
    {
        ends_with(&format!("{runner} rm -rf /"), "rm -rf /");
    }
}

#[test]
fn texts_are_read_in_turn() {
    for script in [
        "sh -c 'rm -rf /'",
        "bash -lc 'rm -rf /'",
        "bash -xec 'rm -rf /'",
        "bash -eu -o pipefail -c 'rm -rf /'",
        "bash -euo pipefail -c 'rm -rf /'",
        "/bin/sh -c 'rm -rf /'",
        "busybox sh -c 'rm -rf /'",
        "env bash -c 'rm -rf /'",
        "zsh -c 'rm -rf /'",
        "fish -c 'rm -rf /'",
        "bash --norc -c 'rm -rf /'",
        "bash -c -- 'rm -rf /'",
        "eval 'rm -rf /'",
        "eval rm '-rf' /",
        "eval \"eval 'rm -rf /'\"",
        "trap 'rm -rf /' EXIT",
        "su -c 'rm -rf /'",
        "su root -c 'rm -rf /'",
        "su - root --command='rm -rf /'",
        "script -qc 'rm -rf /' /dev/null",
        "flock /tmp/l -c 'rm -rf /'",
        "watch 'rm -rf /'",
        "bash <<< 'rm -rf /'",
        "sh <<E\nrm -rf /\nE",
        "bash -s <<< 'rm -rf /'",
        "bash /dev/stdin <<< 'rm -rf /'",
        "bash <(echo 'rm -rf /')",
        ". <(echo 'rm -rf /')",
        "source /dev/stdin <<< 'rm -rf /'",
        "echo 'rm -rf /' | at now",
        "parallel rm -rf ::: /",
        "echo / | parallel rm -rf",
        "npx -c 'rm -rf /'",
        "$SHELL -c 'rm -rf /'",
        "git -c alias.x='!rm -rf /' x",
        "alias x='rm -rf'; x /",
        "find . -exec sh -c 'rm -rf /' ';'",
        "$X rm -rf /",
        "nix-shell -p jq --run 'rm -rf /'",
    ] {
        ends_with(script, "rm -rf /");
    }
}

#[test]
fn the_wrapper_comes_before_what_it_runs() {
    let analysis = read_text("sudo env sh -c 'f() { rm x; }; f'");
    let launchers = &analysis.invocations.last().unwrap().launchers;
    let wrapper = |name: &str| Launcher::Wrapper(name.to_owned());
    assert_eq!(
        launchers.as_slice(),
        [wrapper("sudo"), wrapper("env"), Launcher::ShellText, Launcher::Function("f".into())]
    );
    assert_eq!(analysis.invocations[0].program().as_deref(), Some("sudo"));
    let piped = read_text("echo ls | sh");
    assert_eq!(piped.invocations[2].launchers, [Launcher::PipedText]);
}

#[test]
fn items_are_filled_in() {
    runs("printf 'a b\\nc' | xargs rm -f", &["printf <a b\\nc>", "xargs rm -f", "rm -f a b c"]);
    runs("echo a b | xargs -n1 rm", &["echo a b", "xargs -n1 rm", "rm a b"]);
    runs("echo 'a b' | xargs -I{} rm {}/x", &["echo <a b>", "xargs -I{} rm {}/x", "rm <a b/x>"]);
    runs(
        "echo rm x | xargs -I % sh -c %",
        &["echo rm x", "xargs -I % sh -c %", "sh -c <rm x>", "rm x"],
    );
    ends_with("printf 'a\\0b' | xargs -0 rm", "rm a b");
    ends_with("echo '-rf /' | xargs rm", "rm -rf /");
    ends_with("parallel -j 4 rm ::: a b", "rm b");
}

#[test]
fn unknown_items_refer_to_their_command() {
    let find = read_text("find / -name x -exec rm -rf {} +");
    assert_eq!(find.invocations[1].words[2].pieces, [Piece::Unknown(Unknown::Item(vec![0]))]);
    let listed = read_text("ls | xargs rm");
    assert_eq!(listed.invocations[2].words[1].pieces, [Piece::Unknown(Unknown::Item(vec![0]))]);
    let lines = read_text("ls | while read f; do rm \"$f\"; done");
    assert_eq!(lines.invocations[2].words[1].pieces, [Piece::Unknown(Unknown::Item(vec![0]))]);
    runs(
        "find . -exec a {} \\; -o -exec b {} \\;",
        &["find . -exec a {} ; -o -exec b {} ;", "a $(…)", "b $(…)"],
    );
}

#[test]
fn remote_and_read_only_commands_are_allowed() {
    runs("ssh host 'rm -rf /'", &["ssh host <rm -rf />"]);
    runs("command -v rm", &["command -v rm"]);
    runs("echo 'rm -rf /'; python3 -c 'x'", &["echo <rm -rf />", "python3 -c x"]);
    runs("trap - EXIT", &["trap - EXIT"]);
}
