//! What the output of a failed check says: which failure it is, whatever noise surrounds it; the one
//! line a person wants to read; what it says is missing; which files it names.
//!
//! Everything here is a function of text. Running checks, counting how often a failure came back and
//! deciding what to do about it are not here.

mod chatter;
mod complaints;
mod error_hash;
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
mod sections;
mod symptom;
mod told;
mod trailers;

pub use error_hash::{ErrorHash, NotAHash};
pub use missing::Missing;
pub use normalise::normalise;
pub use symptom::Symptom;

/// What `output`, everything a failed check printed, says. Of long output the first and the last
/// 512 KiB are read, so the time and the memory this takes have a bound.
pub fn examine(output: &str) -> Symptom {
    let told = told::told(output);
    Symptom {
        hash: ErrorHash::of_normalised(&normalise::normalised(&told)),
        error: headline::headline(&told).unwrap_or_else(|| silence(output).to_owned()),
        missing: missing::missing(&told),
        files: files::files(&told),
    }
}

fn silence(output: &str) -> &'static str {
    if output.trim().is_empty() {
        "it printed nothing"
    } else {
        "it printed nothing about a failure"
    }
}
