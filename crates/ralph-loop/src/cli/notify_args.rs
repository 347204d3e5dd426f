//! What `ralph-loop notify` is asked for.

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use notify::Kind;

use super::{ConfigArgs, ProjectArgs};

const AFTER_HELP: &str = "\
Exit codes: 0 every way worked, 1 one did not, 2 none is set, or wrong usage.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct NotifyArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    /// The kind of notice to send
    #[arg(long, value_name = "KIND", default_value = Kind::Finished.word(), value_parser = kinds())]
    pub(crate) kind: Kind,
    /// For machines
    #[arg(long)]
    pub(crate) json: bool,
}

fn kinds() -> impl TypedValueParser<Value = Kind> {
    let words = PossibleValuesParser::new(Kind::ALL.map(Kind::word));
    words
        .map(|word| Kind::ALL.into_iter().find(|kind| kind.word() == word))
        .try_map(|kind| kind.ok_or_else(|| std::io::Error::other("no such kind")))
}
