//! Command lines of services that take files. Not here: programs that speak to any host.

use shell_analysis::Word;

use crate::secrets::is_secret_file;
use crate::view::View;

/// Whether a service would be given local files.
pub(super) fn uploads(view: &View<'_>) -> bool {
    let words = view.shown_words();
    let operands: Vec<&str> =
        words.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let last = operands.last().copied().unwrap_or_default();
    match (view.program.as_str(), operands.as_slice()) {
        ("gh" | "glab", ["gist" | "snippet", "create", ..]) => true,
        ("gh", ["api", path, ..]) => path.contains("gists") || tells_secret(view),
        // Whoever works on a project tells it things all day; its secrets are another matter.
        ("gh" | "glab" | "hub" | "tea" | "jira" | "slack", _) => tells_secret(view),
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

/// Whether a file of secrets is among what it is given.
fn tells_secret(view: &View<'_>) -> bool {
    let names = |word: &Word| is_secret_file(&word.shown());
    let sources = view.sources();
    let read = |source: &usize| {
        view.reading.acts.get(*source).is_some_and(|act| {
            let files = act.redirects.iter().map(|redirect| &redirect.target);
            act.arguments().iter().chain(files).any(names)
        })
    };
    let own = view.act.redirects.iter().map(|redirect| &redirect.target);
    view.words.iter().chain(own).any(names) || sources.iter().any(read)
}
