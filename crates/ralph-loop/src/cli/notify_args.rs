//! The options of `notify`.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use notify::Kind;

use super::{ConfigArgs, ProjectArgs};

const AFTER_HELP: &str = "\
Exit codes: 0 all channels worked, 1 one failed, 2 no channel is configured or usage error.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct NotifyArgs {
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    #[command(flatten)]
    pub(crate) config: ConfigArgs,
    /// Kind of notification
    #[arg(long, value_name = "KIND", default_value = Kind::Finished.name(), value_parser = kinds())]
    pub(crate) kind: Kind,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

fn kinds() -> impl TypedValueParser<Value = Kind> {
    let value = |kind: Kind| PossibleValue::new(kind.name()).aliases(kind.former_name());
    let is_named = |kind: Kind, name: &str| kind.name() == name || kind.former_name() == Some(name);
    PossibleValuesParser::new(Kind::ALL.map(value))
        .map(move |name| Kind::ALL.into_iter().find(|kind| is_named(*kind, &name)))
        .try_map(|kind| kind.ok_or_else(|| std::io::Error::other("unknown kind")))
}
