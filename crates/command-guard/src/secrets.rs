//! Recognizes commands that print the environment, and names of secrets.

use shell_analysis::Word;

use crate::invocation_view::InvocationView;
use crate::words::words;

/// Whether any of these invocations prints the whole environment.
pub(crate) fn any_prints_environment(view: &InvocationView<'_>, sources: &[usize]) -> bool {
    sources.iter().any(|&source| {
        view.other(source).is_some_and(|(program, words)| prints_environment(&program, words))
            || view.analysis.invocations.get(source).is_some_and(|invocation| {
                let targets = invocation.redirects.iter().map(|redirect| &redirect.target);
                targets.map(Word::shown).any(|target| is_environ_file(&target))
            })
    })
}

pub(crate) fn prints_environment(program: &str, words: &[Word]) -> bool {
    let shown: Vec<_> = words.iter().map(Word::shown).collect();
    let is = |word: &str| shown.iter().any(|shown| shown == word);
    match program {
        "env" => shown.iter().all(|word| matches!(word.as_ref(), "-0" | "--null")),
        "printenv" => {
            shown.iter().all(|word| word.starts_with('-'))
                || shown.iter().any(|name| is_secret(name))
        }
        "set" => shown.is_empty(),
        "export" | "declare" | "typeset" => {
            shown.is_empty() || is("-p") || is("-x") || is("-xp") || is("-px")
        }
        "compgen" => is("-v") || is("-e"),
        "echo" | "printf" => InvocationView::variables(words).iter().any(|name| is_secret(name)),
        _ => shown.iter().any(|word| is_environ_file(word) || code_prints_environment(word)),
    }
}

pub(crate) fn code_prints_environment(code: &str) -> bool {
    const CALLS: &[&str] = words!(
        "os.environ) dict(os.environ str(os.environ JSON.stringify(process.env) ENV.to_h %ENV os.environ.items
         ENV.inspect ENVIRON) os.Environ() environ.copy() env.toObject()"
    );
    CALLS.iter().any(|call| code.contains(call))
}

fn is_environ_file(path: &str) -> bool {
    path.starts_with("/proc/") && path.ends_with("/environ")
}

/// Names that usually hold secrets.
pub(crate) fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    const PARTS: &[&str] = words!(
        "TOKEN SECRET PASSWORD PASSWD CREDENTIAL CREDENTIALS APIKEY PAT KEY SECRETS PASS PASSPHRASE"
    );
    name.split('_').any(|part| PARTS.contains(&part))
}

/// Whether a file of this name holds secrets, also in a project. Examples and templates do not.
pub(crate) fn is_secret_file(path: &str) -> bool {
    let path = path.rsplit(['=', '@']).next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let shows = ["example", "sample", "template", "dist", ".pub"];
    let is_named = name == ".env"
        || name.starts_with(".env.")
        || [".pem", ".key", ".p12", ".pfx", ".kdbx"].iter().any(|end| name.ends_with(end))
        || ["id_rsa", "id_ed25519", "id_ecdsa", ".netrc", ".npmrc", ".pypirc"]
            .contains(&name.as_str())
        || ["credentials", "secrets"].iter().any(|start| name.starts_with(start));
    is_named && !name.contains(' ') && !shows.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_names_are_recognized_by_their_parts() {
        for name in ["GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD", "api_key"] {
            assert!(is_secret(name), "{name}");
        }
        for name in ["PATH", "KEYBOARD", "TOKENIZER", "HOME"] {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn example_files_are_not_secret() {
        for path in [".env", "app/.env.production", "@certs/server.key", "body=@credentials.json"] {
            assert!(is_secret_file(path), "{path}");
        }
        for path in [".env.example", "notes.md", "id_rsa.pub", "keyboard.ts", "secrets are bad"] {
            assert!(!is_secret_file(path), "{path}");
        }
    }
}
