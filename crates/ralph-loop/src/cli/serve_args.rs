//! What `ralph-loop serve` is asked for.

use std::net::{IpAddr, Ipv4Addr};

use clap::Args;

use super::ProjectArgs;

const RALPH_DIR: &str = "Taken so that the flags of `run` do here too; the page is made from .ralph/runs/ \
alone";

const AFTER_HELP: &str = "\
The link has a token in it: only whoever has the link can see the page, and the page can only be looked \
at unless you say --allow-orders. The token is another one each time; RALPH_SERVE_TOKEN fixes it.

From another machine: ssh -L 8123:127.0.0.1:8123 HOST, with --port 8123 here.

Exit codes: 0 it was stopped or the run ended, 2 wrong usage, or it cannot listen there or go on.";

#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
#[command(mut_arg("ralph_dir", |arg| arg.help(RALPH_DIR)))]
pub(crate) struct ServeArgs {
    /// The run, by its id or how that begins (default: the one that spoke last, and each that begins or goes on
    /// later)
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<String>,
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    /// Where to listen [default: any port that is free]
    #[arg(long, value_name = "PORT", default_value_t = 0, hide_default_value = true)]
    pub(crate) port: u16,
    /// The address to listen on; one that others can reach needs --allow-remote
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    #[arg(value_parser = address)]
    pub(crate) bind: IpAddr,
    /// Let other machines reach it: over plain HTTP, so whoever is on the way reads page and token
    #[arg(long)]
    pub(crate) allow_remote: bool,
    /// A name by which browsers may call it, with a port if it is another one; can be given again
    #[arg(long, value_name = "NAME")]
    pub(crate) allow_host: Vec<String>,
    /// Let the page also pause, steer, skip and stop the run, as `ralph-loop pause` and the others do
    #[arg(long)]
    pub(crate) allow_orders: bool,
    /// End when the run ends and every page has heard of it
    #[arg(long)]
    pub(crate) until_end: bool,
    /// The link for machines
    #[arg(long)]
    pub(crate) json: bool,
}

/// Names are not looked up: one may stand for several addresses, and some of them for everybody.
fn address(text: &str) -> Result<IpAddr, &'static str> {
    if text.eq_ignore_ascii_case("localhost") {
        return Ok(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    text.parse().map_err(|_| "it is an address such as 127.0.0.1 or ::1, or localhost")
}
