//! Random changes of the control files of a repository, as a hostile agent makes them.

/// Protected settings.
const KEYS: [&str; 44] = [
    "alias.status",
    "commit.gpgSign",
    "core.alternateRefsCommand",
    "core.askPass",
    "core.attributesFile",
    "core.autocrlf",
    "core.bare",
    "core.checkStat",
    "core.editor",
    "core.eol",
    "core.excludesFile",
    "core.fileMode",
    "core.fsmonitor",
    "core.hooksPath",
    "core.ignoreCase",
    "core.ignoreStat",
    "core.pager",
    "core.repositoryFormatVersion",
    "core.sparseCheckout",
    "core.splitIndex",
    "core.sshCommand",
    "core.symlinks",
    "core.trustctime",
    "core.untrackedCache",
    "core.useReplaceRefs",
    "core.worktree",
    "credential.helper",
    "diff.external",
    "diff.text.textconv",
    "extensions.worktreeConfig",
    "extensions.partialClone",
    "filter.fuzz.clean",
    "filter.fuzz.process",
    "filter.fuzz.smudge",
    "gpg.program",
    "gpg.ssh.program",
    "include.path",
    "includeIf.gitdir:/.path",
    "index.sparse",
    "merge.fuzz.driver",
    "pager.diff",
    "status.showUntrackedFiles",
    "submodule.fuzz.ignore",
    "url.file:///tmp/.insteadOf",
];

/// Values that are valid for one of the keys; `CANARY` is a program of the agent.
const VALUES: [&str; 12] = [
    "CANARY",
    "true",
    "false",
    "minimal",
    "1",
    "/dev/null",
    "..",
    "/",
    "crlf",
    "no",
    "!CANARY",
    "x y",
];

const FILES: [&str; 17] = [
    "commondir",
    "config.worktree",
    "gitdir",
    "hooks/post-checkout",
    "hooks/post-commit",
    "hooks/post-index-change",
    "hooks/pre-commit",
    "hooks/prepare-commit-msg",
    "hooks/reference-transaction",
    "info/attributes",
    "info/exclude",
    "info/grafts",
    "info/sparse-checkout",
    "objects/info/alternates",
    "objects/info/http-alternates",
    "shallow",
    "hooks/fsmonitor-watchman",
];

/// Shell commands that replace a file.
const KINDS: [&str; 7] = [
    "printf '#!/bin/sh\\nexec CANARY\\n' > $f; chmod +x $f",
    "printf '* filter=fuzz text eol=crlf working-tree-encoding=UTF-16\\n' > $f",
    "printf 'check.sh\\n*\\n' > $f",
    // Not a comment, which would change nothing.
    "{ printf x; head -c 64 /dev/urandom; } > $f",
    "ln -s /etc/passwd $f",
    "mkfifo $f",
    "mkdir -p $f; echo x > $f/x",
];

/// Deterministic random numbers (splitmix64).
#[derive(Debug)]
pub struct Numbers(pub u64);

impl Numbers {
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((z ^ (z >> 31)) % end as u64).unwrap_or(0)
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

/// A change that must be reported under this name, as a shell command in the root of the
/// repository. `CANARY` is a program of the agent.
pub fn random_change(numbers: &mut Numbers) -> (String, String) {
    if numbers.below(2) == 0 {
        let (key, value) = (numbers.of(&KEYS), numbers.of(&VALUES));
        (key.to_lowercase(), setting(key, value))
    } else {
        let (file, kind) = (numbers.of(&FILES), numbers.of(&KINDS));
        let write = format!("f=.git/{file}; rm -rf $f; mkdir -p $(dirname $f); {kind}");
        (format!(".git/{file}"), write)
    }
}

/// Written without git, because git reads its settings first.
fn setting(key: &str, value: &str) -> String {
    let (section, rest) = key.split_once('.').unwrap_or((key, ""));
    let (heading, name) = match rest.rsplit_once('.') {
        Some((between, name)) => (format!("{section} \"{between}\""), name),
        None => (section.to_owned(), rest),
    };
    format!("printf '[{heading}]\\n\\t{name} = {value}\\n' >> .git/config")
}
