//! Command-line programs of services that upload files.

use shell_analysis::Word;

use crate::invocation_view::InvocationView;
use crate::secrets::is_secret_file;

/// Whether a service would get local files.
pub(super) fn uploads(view: &InvocationView<'_>) -> bool {
    let words = view.shown_words();
    let operands: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let last = operands.last().copied().unwrap_or_default();
    match (view.program.as_str(), operands.as_slice()) {
        ("gh" | "glab", ["gist" | "snippet", "create", ..]) => true,
        ("gh", ["api", path, ..]) => path.contains("gists") || has_secret_file(view),
        // Writing issues and comments is normal work; sending secrets is not.
        ("gh" | "glab" | "hub" | "tea" | "jira" | "slack", _) => has_secret_file(view),
        ("aws", ["s3", "cp" | "sync" | "mv", from, ..]) => {
            !from.starts_with("s3://") && last.starts_with("s3://")
        }
        ("aws", ["s3api", "put-object", ..]) => true,
        ("gsutil", [.., _]) => {
            operands.iter().any(|word| ["cp", "rsync", "mv"].contains(word))
                && last.starts_with("gs://")
        }
        ("gcloud", ["storage", "cp" | "rsync" | "mv", ..]) => last.starts_with("gs://"),
        ("az", ["storage", "blob", "upload" | "upload-batch" | "sync", ..])
        | ("azcopy", ["copy" | "cp" | "sync", ..]) => true,
        ("rclone", ["copy" | "sync" | "move" | "copyto" | "moveto" | "rcat", ..]) => {
            last.contains(':')
        }
        ("s3cmd" | "s5cmd" | "mc", ["put" | "sync" | "cp" | "mirror", ..]) => true,
        ("kubectl", ["cp", ..]) => last.contains(':'),
        ("restic" | "borg" | "duplicity", ["backup" | "create", ..]) => true,
        _ => false,
    }
}

/// Whether a secret file is among its arguments.
fn has_secret_file(view: &InvocationView<'_>) -> bool {
    let names = |word: &Word| is_secret_file(&word.shown());
    let sources = view.sources();
    let read = |source: &usize| {
        view.analysis.invocations.get(*source).is_some_and(|invocation| {
            let files = invocation.redirects.iter().map(|redirect| &redirect.target);
            invocation.arguments().iter().chain(files).any(names)
        })
    };
    let own = view.invocation.redirects.iter().map(|redirect| &redirect.target);
    view.words.iter().chain(own).any(names) || sources.iter().any(read)
}
