//! Analyses the output of a failed check: a stable hash of the failure, a one-line summary, what is
//! missing, and which files are named.
//!
//! Pure text functions. Running checks and counting repeated failures happen elsewhere.

mod chatter;
mod error_hash;
mod error_signs;
mod excerpts;
mod files;
mod headline;
mod lines;
mod message;
mod missing;
mod noise;
mod normalise;
mod paths;
mod pattern;
mod report_line;
mod sections;
mod symptom;
mod trailers;

pub use error_hash::{ErrorHash, NotAHash};
pub use missing::Missing;
pub use normalise::normalise;
pub use symptom::Symptom;

/// Analyses `output`, everything a failed check printed. Reads only the first and last 512 KiB of
/// long output, which bounds time and memory.
pub fn examine(output: &str) -> Symptom {
    let report = report_line::report_lines(output);
    Symptom {
        hash: ErrorHash::of_normalised(&normalise::normalised(&report)),
        error: headline::headline(&report).unwrap_or_else(|| without_headline(output).to_owned()),
        missing: missing::missing(&report),
        files: files::files(&report),
    }
}

fn without_headline(output: &str) -> &'static str {
    if output.trim().is_empty() {
        "the command printed nothing"
    } else {
        "the command printed nothing about a failure"
    }
}
