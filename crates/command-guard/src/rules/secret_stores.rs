//! Programs that store secrets and print them on request.

use crate::invocation_view::InvocationView;
use crate::words::words;

/// Secret stores, with the words that print secrets.
struct SecretStore {
    programs: &'static [&'static str],
    words: &'static [&'static str],
}

const ALL: &[SecretStore] = &[
    SecretStore {
        programs: words!(
            "bw bws lpass keyring pass gopass op vault secret-tool doppler chamber infisical
             akeyless berglas keepassxc-cli dcli envchain ykman rbw conjur summon"
        ),
        words: words!(
            "get read show export lookup search item kv download secrets reveal dump document
             access"
        ),
    },
    SecretStore { programs: &["bw", "bws", "rbw"], words: &["list", "unlock"] },
    SecretStore { programs: &["kwallet-query"], words: &["-r", "--read-password"] },
    SecretStore { programs: &["security"], words: &["export"] },
    SecretStore { programs: &["gh"], words: &["token", "--show-token", "-t"] },
    SecretStore {
        programs: &["aws"],
        words: words!(
            "export-credentials get-session-token get-secret-value get-parameter get-parameters
             get-parameters-by-path get-login-password assume-role get-federation-token
             batch-get-secret-value generate-db-auth-token"
        ),
    },
    SecretStore {
        programs: &["gcloud"],
        words: &["print-access-token", "print-identity-token", "application-default", "access"],
    },
    SecretStore {
        programs: &["az"],
        words: &["get-access-token", "list-keys", "show-connection-string"],
    },
    SecretStore { programs: &["heroku"], words: &["auth:token", "authorizations:create"] },
    SecretStore { programs: &["fly", "flyctl", "railway"], words: &["token"] },
    SecretStore { programs: &["getent"], words: &["shadow", "gshadow"] },
];

/// Cloud metadata hosts that return the machine's credentials.
const METADATA: &[&str] =
    words!("169.254.169.254 metadata.google.internal 169.254.170.2 fd00:ec2::254 100.100.100.200");

/// Why it would print a secret.
pub(super) fn asks(view: &InvocationView<'_>) -> Option<&'static str> {
    let words = view.shown_words();
    let is_silent = view.is(&["echo", "printf", "grep", "rg", "git", "sed", "awk"]);
    if !is_silent && words.iter().any(|word| METADATA.iter().any(|host| word.contains(host))) {
        return Some("it asks the cloud for the machine's credentials");
    }
    let mut stores = ALL.iter().filter(|row| row.programs.contains(&view.program.as_str()));
    let asks_for_secret =
        stores.any(|row| words.iter().any(|word| row.words.contains(&word.as_str())));
    (asks_for_secret && !is_about_names(view, &words) || prints_in_another_way(view, &words))
        .then_some("it asks for the user's credentials")
}

/// Words that some programs also use for other things.
fn is_about_names(view: &InvocationView<'_>, words: &[String]) -> bool {
    let first = words.iter().map(String::as_str).find(|word| !word.starts_with('-'));
    match view.program.as_str() {
        "gh" => first != Some("auth"),
        "vault" | "op" | "doppler" | "infisical" => {
            words.iter().any(|word| word == "--help" || word == "--version")
                || matches!(first, Some("run" | "status" | "whoami" | "version"))
        }
        "gcloud" => first == Some("access-context-manager"),
        _ => false,
    }
}

fn prints_in_another_way(view: &InvocationView<'_>, words: &[String]) -> bool {
    let operands: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    match (view.program.as_str(), operands.as_slice()) {
        ("security", [command, ..]) => command.starts_with("find-") || command.starts_with("dump-"),
        ("aws", ["configure", "get", ..]) => true,
        ("kubectl" | "oc" | "k", ["get", kind, ..]) => {
            kind.starts_with("secret") && words.iter().any(|word| word.starts_with("-o"))
        }
        ("kubectl" | "oc" | "k", ["config", "view", ..]) => {
            words.iter().any(|word| word == "--raw")
        }
        // A name alone prints its entry.
        ("pass" | "gopass", [name]) => {
            !["ls", "list", "init", "version", "help", "git", "sync", "setup"].contains(name)
        }
        ("git", ["credential", "fill", ..]) => true,
        ("git", [helper, "get", ..]) => helper.starts_with("credential-"),
        ("gpg" | "gpg2", _) => words.iter().any(|word| word.starts_with("--export-secret")),
        ("npm", ["config", "get", name, ..]) => name.contains("_auth"),
        // A named file is checked like any other.
        ("ssh-keygen", _) => {
            words.iter().any(|word| word == "-y" || word == "-p")
                && !words.iter().any(|word| word.starts_with("-f"))
        }
        // Letters without a dash: `e` shows the variables of each process.
        ("ps", _) => words.first().is_some_and(|letters| {
            letters.contains('e') && letters.chars().all(|letter| letter.is_ascii_lowercase())
        }),
        (program, ["get", ..]) if program.starts_with("docker-credential-") => true,
        (program, _) => program.starts_with("git-credential-"),
    }
}
