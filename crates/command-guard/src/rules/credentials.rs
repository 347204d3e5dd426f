//! The user's keys, tokens and passwords.

use std::path::{Path, PathBuf};

use shell_analysis::Word;

use crate::arguments::without_start;
use crate::effects::{Effect, FileAction, TEXT_PRINTERS};
use crate::invocation_view::InvocationView;
use crate::place::{Place, Relation, relation};
use crate::words::words;
use crate::{Category, CommandContext, Refusal};

/// Relative to the home.
const AT_HOME: &[&str] = &[
    ".ssh",
    ".aws",
    ".config/gcloud",
    ".kube",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    ".docker/config.json",
    ".gnupg",
    ".claude/.credentials.json",
    ".claude.json",
    ".codex/auth.json",
    ".config/gh",
    ".azure",
    ".password-store",
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
    ".config/BraveSoftware",
    "Library/Keychains",
    "Library/Application Support/Google/Chrome",
    "Library/Application Support/Firefox",
    ".local/share/keyrings",
    ".cargo/credentials.toml",
    ".cargo/credentials",
    ".pgpass",
    ".my.cnf",
    ".terraform.d/credentials.tfrc.json",
    ".config/hub",
    ".vault-token",
    ".config/rclone",
    ".s3cfg",
    ".boto",
    ".gem/credentials",
    ".m2/settings.xml",
    ".gradle/gradle.properties",
    ".config/git/credentials",
    ".bash_history",
    ".zsh_history",
    ".config/op",
    ".config/configstore",
    ".composer/auth.json",
    ".config/doctl",
    ".oci",
    ".config/fly",
    ".fly",
    ".netlify",
    ".config/sops",
    ".config/age",
    ".dockercfg",
    ".config/containers/auth.json",
    ".gemini",
    ".config/github-copilot",
    ".anthropic",
    ".openai",
    ".python_history",
    ".psql_history",
    ".mysql_history",
];

const ELSEWHERE: &[&str] = words!(
    "/etc/shadow /etc/gshadow /etc/sudoers /root/.ssh /root/.aws /etc/ssl/private /var/run/secrets
     /run/secrets /etc/kubernetes /proc/1/environ /etc/krb5.keytab /var/lib/docker
     /root/.bash_history /root /etc/master.passwd /etc/security/opasswd"
);

/// Names inside `.ssh` that hold no secret.
const PUBLIC: &[&str] = &["known_hosts", "config", "authorized_keys"];

/// Names of key files in any folder.
const KEYS: &[&str] =
    words!("id_rsa id_ed25519 id_ecdsa id_dsa id_ed25519_sk .netrc .git-credentials .pgpass");

const INSTEAD: &str =
    "Work without the user's credentials. Programs that need them read them on their own";

pub(super) fn judge(view: &InvocationView<'_>) -> Option<Refusal> {
    if let Some(why) = super::secret_stores::asks(view) {
        return view.refuse(Category::CredentialFiles, why, INSTEAD);
    }
    // They use a key without printing it.
    if view.is(&["ssh", "ssh-add", "mkdir", "touch"]) {
        return None;
    }
    let by_effect = || view.effects.iter().any(|effect| reads_secret(effect, view));
    if by_effect() || is_given_secret(view) {
        return view.refuse(Category::CredentialFiles, "it reads the user's credentials", INSTEAD);
    }
    None
}

/// Whether it gets the name of a secret file in any form, because it may read the file.
fn is_given_secret(view: &InvocationView<'_>) -> bool {
    let only_names = TEXT_PRINTERS.contains(&view.program.as_str());
    // Their options name keys that they use. Copied files are checked as effects.
    let uses = view.is(&["scp", "sftp", "rsync", "find", "gfind"]);
    let is_one = |word: &Word| matches!(view.place(word), Place::At(path) if is_here(&path, view) && is_secret(&path, false, view.context));
    !only_names && !uses && view.words.iter().flat_map(files_in).any(|word| is_one(&word))
}

/// The possible file names in a word: the whole word, and the part after a sign or an option letter.
fn files_in(word: &Word) -> Vec<Word> {
    const MOST: usize = 4;
    let start = word.known_start();
    let glued = start.find('/').filter(|_| start.starts_with('-'));
    let signs = start.match_indices(['=', '@']).map(|(at, _)| at + 1).take(MOST);
    let starts = std::iter::once(0).chain(signs).chain(glued);
    starts.map(|at| without_start(word, at)).collect()
}

/// Paths for containers are inside them, unless they are in the user's home.
fn is_here(path: &Path, view: &InvocationView<'_>) -> bool {
    let is_inside = view.is(super::containers::ENGINES) || view.is(super::containers::CLUSTERS);
    !is_inside || view.home().is_some_and(|home| path.starts_with(home))
}

fn reads_secret(effect: &Effect, view: &InvocationView<'_>) -> bool {
    let Place::At(path) = &effect.place else {
        return false;
    };
    let tree = matches!(effect.action, FileAction::ReadTree);
    let takes = matches!(
        effect.action,
        FileAction::Read | FileAction::ReadTree | FileAction::MoveAway | FileAction::LinkTo
    );
    takes && is_here(path, view) && is_secret(path, tree, view.context)
}

fn is_secret(path: &Path, tree: bool, context: &CommandContext) -> bool {
    if path.starts_with(&context.project) {
        return false;
    }
    let text = path.to_string_lossy();
    if text.starts_with("/proc/") && text.ends_with("/environ") {
        return true;
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let in_ssh = path.parent().is_some_and(|folder| folder.ends_with(".ssh"));
    let is_public = name.ends_with(".pub") || (in_ssh && PUBLIC.contains(&name.as_str()));
    let is_key = KEYS.iter().any(|key| crate::pattern::names(&name, key)) && name != "*";
    if (is_key || looks_for_keys(path)) && !is_public {
        return true;
    }
    let mut homes: Vec<PathBuf> = context.home.iter().cloned().collect();
    homes.extend(other_home(path));
    let at_home = homes.iter().flat_map(|home| AT_HOME.iter().map(|name| home.join(name)));
    let all = at_home.chain(ELSEWHERE.iter().map(PathBuf::from));
    let mut hits = all.filter(|secret| match relation(path, secret) {
        Relation::Same | Relation::Below => !is_public,
        Relation::Above => tree,
        Relation::Apart => false,
    });
    hits.next().is_some()
}

/// A pattern that matches key folders anywhere.
fn looks_for_keys(path: &Path) -> bool {
    path.components().any(|part| {
        let part = part.as_os_str().to_string_lossy();
        let bare = part.trim_matches('*');
        part != bare && [".ssh", "ssh", ".gnupg", "gnupg", ".aws"].contains(&bare)
    })
}

/// The home folder that contains the path.
pub(super) fn other_home(path: &Path) -> Option<PathBuf> {
    let mut parts = path.components();
    let root = parts.next()?;
    let folder = parts.next()?;
    let is_homes = ["home", "Users"]
        .iter()
        .any(|name| crate::pattern::names(&folder.as_os_str().to_string_lossy(), name));
    let user = parts.next()?;
    is_homes.then(|| Path::new(root.as_os_str()).join(folder).join(user))
}
