//! The options of `notify`.

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use notify::NoticeKind;

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
    /// NoticeKind of notification
    #[arg(long, value_name = "KIND", default_value = NoticeKind::Finished.name(), value_parser = kinds())]
    pub(crate) kind: NoticeKind,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

fn kinds() -> impl TypedValueParser<Value = NoticeKind> {
    let value = |kind: NoticeKind| PossibleValue::new(kind.name()).aliases(kind.former_name());
    let is_named =
        |kind: NoticeKind, name: &str| kind.name() == name || kind.former_name() == Some(name);
    PossibleValuesParser::new(NoticeKind::ALL.map(value))
        .map(move |name| NoticeKind::ALL.into_iter().find(|kind| is_named(*kind, &name)))
        .try_map(|kind| kind.ok_or_else(|| std::io::Error::other("unknown kind")))
}
