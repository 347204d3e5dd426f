//! Code that would run after the loop: schedules, startup files, hooks.

use std::path::{Path, PathBuf};

use crate::invocation_view::InvocationView;
use crate::place::{Place, Relation, relation};
use crate::words::words;
use crate::{Category, CommandContext, Refusal};

const AT_HOME: &[&str] = words!(
    ".bashrc .bash_profile .bash_login .bash_logout .profile .zshrc .zshenv .zprofile .zlogin
     .zlogout .kshrc .cshrc .tcshrc .config/fish .config/autostart .config/systemd .ssh .gitconfig
     .config/git .inputrc .vimrc .xinitrc .xprofile .xsession .pam_environment
     .config/environment.d Library/LaunchAgents Library/LaunchDaemons .npmrc .pip/pip.conf
     .config/pip .cargo/config.toml .cargo/config .local/bin bin .emacs .tmux.conf .bash_aliases
     .git-templates .config/nvim .local/share/systemd .oh-my-zsh .direnvrc .config/direnv .pythonrc
     .local/lib .vim"
);

const ELSEWHERE: &[&str] = words!(
    "/etc/cron.d /etc/cron.daily /etc/cron.hourly /etc/cron.weekly /etc/cron.monthly /etc/crontab
     /var/spool/cron /var/spool/at /etc/init.d /etc/rc.local /etc/rc.d /etc/profile /etc/profile.d
     /etc/bash.bashrc /etc/zsh /etc/zshrc /etc/systemd /lib/systemd /usr/lib/systemd
     /etc/ld.so.preload /etc/ld.so.conf.d /etc/ld.so.conf /etc/pam.d /Library/LaunchAgents
     /Library/LaunchDaemons /etc/xdg/autostart /etc/environment /etc/gitconfig /etc/udev /root/.ssh
     /root/.bashrc /root/.profile /etc/ssh /etc/init /etc/modules /etc/modules-load.d
     /etc/update-motd.d /etc/apt/apt.conf.d /usr/local/bin /usr/bin /bin /usr/local/sbin
     /run/systemd"
);

const INSTEAD: &str = "Keep scripts in the project's own files, where the user sees them";

pub(super) fn judge(view: &InvocationView<'_>) -> Option<Refusal> {
    let words = view.shown_words();
    let schedules = match view.program.as_str() {
        "crontab" => words.is_empty() || !words.iter().any(|word| word == "-l"),
        "at" | "batch" => {
            !words.iter().any(|word| matches!(word.as_str(), "-l" | "-V" | "--version"))
        }
        "systemd-run" | "schtasks" | "anacron" | "fcrontab" => true,
        "systemctl" => words.iter().any(|word| {
            matches!(word.as_str(), "enable" | "link" | "edit" | "daemon-reload" | "reenable")
        }),
        "launchctl" => words.first().is_some_and(|word| {
            matches!(word.as_str(), "load" | "bootstrap" | "enable" | "submit")
        }),
        "loginctl" => words.iter().any(|word| word == "enable-linger"),
        "ssh-copy-id" => true,
        _ => false,
    };
    if schedules {
        return view.refuse(Category::Persistence, "it would keep running after the loop", INSTEAD);
    }
    if sets_for_good(view, &words) {
        return view.refuse(
            Category::Persistence,
            "it changes a tool or the desktop for every project of the user",
            INSTEAD,
        );
    }
    if let Some(why) = super::git_settings::changed(view) {
        return view.refuse(Category::Persistence, why, INSTEAD);
    }
    let file = view.effects.iter().find_map(|effect| match &effect.place {
        Place::At(path) if effect.action.changes() => persists(path, view.context),
        _ => None,
    });
    view.refuse(Category::Persistence, file?, INSTEAD)
}

/// Repository files that define its files and its location.
const CONTROL_FILES: [&str; 5] =
    [".git/info", ".git/commondir", ".git/gitdir", ".git/shallow", ".git/objects/info/alternates"];

/// Why a change of this file would run code later.
pub(crate) fn persists(path: &Path, context: &CommandContext) -> Option<&'static str> {
    let hooks = context.project.join(".git/hooks");
    if matches!(relation(path, &hooks), Relation::Same | Relation::Below) {
        return Some("git hooks run with the user's permissions, outside any sandbox");
    }
    let settings = [".git/config", ".git/info/attributes", ".git/config.worktree"]
        .map(|name| context.project.join(name));
    if settings.iter().any(|file| relation(path, file) == Relation::Same) {
        return Some("git's settings can run programs");
    }
    let is_control = |name: &str| {
        matches!(relation(path, &context.project.join(name)), Relation::Same | Relation::Below)
    };
    if CONTROL_FILES.into_iter().any(is_control) {
        return Some("it decides which files git sees, and the runner would restore it");
    }
    if path.starts_with(&context.project) {
        return None;
    }
    let homes = context.home.iter().cloned().chain(crate::rules::credentials::other_home(path));
    let at_home = homes.flat_map(|home| AT_HOME.iter().map(move |name| home.join(name)));
    let all = at_home.chain(ELSEWHERE.iter().map(PathBuf::from));
    let mut hits =
        all.filter(|file| matches!(relation(path, file), Relation::Same | Relation::Below));
    hits.next().map(|_| "code in it runs later with the user's permissions")
}

/// Tools with user-wide settings, and the words that change one, in this order.
const SETTERS: &[(&[&str], &[&str])] = &[
    (&["npm", "pnpm"], &["config", "set"]),
    (&["npm", "pnpm"], &["set"]),
    (&["yarn"], &["config", "set", "--home"]),
    (&["pip", "pip3"], &["config", "set"]),
    (&["go"], &["env", "-w"]),
    (&["conda", "mamba"], &["config", "--add"]),
    (&["conda", "mamba"], &["config", "--set"]),
    (&["composer"], &["config", "-g"]),
    (&["composer"], &["config", "--global"]),
    (&["gem"], &["sources", "--add"]),
    (&["bundle"], &["config", "set", "--global"]),
    (&["update-alternatives"], &["--install"]),
    (&["update-alternatives"], &["--set"]),
    (&["dconf"], &["write"]),
    (&["dconf"], &["load"]),
    (&["gsettings"], &["set"]),
    (&["xdg-mime"], &["default"]),
    (&["xdg-settings"], &["set"]),
    (&["defaults"], &["write"]),
    (&["duti"], &["-s"]),
];

fn sets_for_good(view: &InvocationView<'_>, words: &[String]) -> bool {
    const FOR_PROJECT: &[&str] =
        &["--location=project", "-L=project", "--site", "--env", "--local"];
    let for_project = words.iter().any(|word| FOR_PROJECT.contains(&word.as_str()))
        || words.windows(2).any(|pair| pair[0] == "--location" && pair[1] == "project");
    let in_order = |way: &[&str]| {
        let mut given = words.iter();
        let begins = words.first().map(String::as_str) == way.first().copied();
        begins && way.iter().all(|part| given.any(|word| word == part))
    };
    let sets = SETTERS.iter().any(|(programs, way)| view.is(programs) && in_order(way));
    let logs_in = view.is(&["osascript"]) && words.iter().any(|word| word.contains("login item"));
    (sets && !for_project) || logs_in
}
