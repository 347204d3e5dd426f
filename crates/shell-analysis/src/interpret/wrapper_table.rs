//! A table of programs that run another, with their options that take a value.

use super::options::Options;
use crate::word::Word;

pub(super) struct Wrapper {
    names: &'static [&'static str],
    pub(super) options: Options,
    /// The number of words between the options and the program.
    pub(super) operands: usize,
}

pub(super) fn find(name: &str) -> Option<&'static Wrapper> {
    WRAPPERS.iter().find(|wrapper| wrapper.names.contains(&name))
}

/// The command of `uv run` and similar tools.
pub(super) fn after_subcommand<'w>(name: &str, arguments: &'w [Word]) -> Option<&'w [Word]> {
    let names: &[&str] = &["with", "python", "package", "directory", "name", "prefix", "event"];
    let options = match name {
        "conda" | "mamba" | "micromamba" => Options { letters: "npe", names },
        "perf" => Options { letters: "eoCFp", names },
        _ => Options { letters: "pw", names },
    };
    let (first, rest) = arguments.split_first()?;
    let runs = matches!(
        (name, first.text()?.as_str()),
        ("uv" | "poetry" | "pipenv" | "pdm" | "hatch" | "rye" | "doppler" | "op", "run")
            | ("conda" | "mamba" | "micromamba", "run")
            | ("perf", "stat" | "record" | "trace")
            | ("bundle" | "pnpm" | "npm" | "yarn" | "mise" | "asdf" | "opam", "exec")
    );
    let rest = rest.get(options.count(rest)..).filter(|rest| runs && !rest.is_empty())?;
    let dashes = rest[0].text().as_deref() == Some("--");
    Some(if dashes { &rest[1..] } else { rest })
}

const fn wrapper(
    names: &'static [&'static str],
    letters: &'static str,
    long: &'static [&'static str],
    operands: usize,
) -> Wrapper {
    Wrapper { names, options: Options { letters, names: long }, operands }
}

const WRAPPERS: &[Wrapper] = &[
    wrapper(
        &["sudo"],
        "ughpCrtTDRUa",
        &[
            "user",
            "group",
            "host",
            "prompt",
            "close-from",
            "role",
            "type",
            "other-user",
            "command-timeout",
            "chdir",
            "chroot",
            "auth-type",
            "login-class",
        ],
        0,
    ),
    wrapper(&["doas"], "uCa", &[], 0),
    wrapper(&["pkexec"], "", &["user"], 0),
    wrapper(&["gosu", "su-exec"], "", &[], 1),
    wrapper(&["env"], "uCaP", &["unset", "chdir", "argv0"], 0),
    wrapper(&["exec"], "a", &[], 0),
    wrapper(
        &[
            "nohup",
            "setsid",
            "unbuffer",
            "builtin",
            "command",
            "busybox",
            "toybox",
            "fakeroot",
            "dbus-run-session",
            "noglob",
            "nocorrect",
            "torsocks",
            "catchsegv",
            "linux32",
            "linux64",
            "i386",
            "setarch",
        ],
        "",
        &[],
        0,
    ),
    wrapper(&["proxychains", "proxychains4"], "f", &[], 0),
    wrapper(&["nice"], "n", &["adjustment"], 0),
    wrapper(&["ionice"], "cnpPu", &["class", "classdata"], 0),
    wrapper(&["chrt"], "pTPD", &[], 1),
    wrapper(&["taskset"], "", &[], 1),
    wrapper(&["time", "gtime"], "fo", &["format", "output"], 0),
    wrapper(&["timeout", "gtimeout"], "ks", &["kill-after", "signal"], 1),
    wrapper(&["stdbuf"], "ioe", &["input", "output", "error"], 0),
    wrapper(&["strace", "ltrace"], "eoOpsSuaEPbIXxnlA", &["output", "trace"], 0),
    wrapper(&["chroot"], "", &["userspec", "groups"], 1),
    wrapper(&["unshare"], "SGRw", &["setuid", "setgid", "root", "wd"], 0),
    wrapper(&["nsenter"], "tSG", &["target", "setuid", "setgid"], 0),
    wrapper(&["setpriv"], "", &["reuid", "regid", "groups", "inh-caps", "ambient-caps"], 0),
    wrapper(
        &["systemd-run"],
        "pHMuEGtC",
        &[
            "property",
            "unit",
            "host",
            "machine",
            "uid",
            "gid",
            "setenv",
            "slice",
            "description",
            "working-directory",
            "on-active",
            "on-calendar",
        ],
        0,
    ),
    wrapper(&["systemd-inhibit"], "", &["what", "who", "why", "mode"], 0),
    wrapper(&["caffeinate"], "tw", &[], 0),
    wrapper(&["rlwrap"], "", &[], 0),
    wrapper(&["xvfb-run"], "efnpsw", &["server-args", "server-num"], 0),
    wrapper(&["prlimit"], "", &[], 0),
    wrapper(&["numactl"], "NmCpPil", &["cpunodebind", "membind", "physcpubind", "preferred"], 0),
    wrapper(&["choom"], "np", &["adjust", "pid"], 0),
    wrapper(&["cpulimit"], "lpeP", &["limit", "pid", "exe", "path"], 0),
    wrapper(&["daemonize"], "aceoEpul", &[], 0),
    wrapper(&["dtach"], "nAcarE", &[], 0),
    wrapper(&["faketime"], "f", &[], 1),
    wrapper(&["screen"], "cehpSsTtX", &[], 0),
    wrapper(&["watchexec"], "weifdsro", &["watch", "exts", "ignore", "filter", "shell"], 0),
    wrapper(&["runuser"], "ug", &["user", "group"], 0),
    wrapper(&["dotenv"], "evc", &[], 0),
    wrapper(&["cross-env", "env-cmd"], "fer", &["file", "environments"], 0),
    wrapper(&["valgrind", "firejail", "bwrap", "run-one", "run-this-one", "ts", "tsp"], "", &[], 0),
];
