//! `ralph-loop serve`.

use std::io::{self, IsTerminal};
use std::net::SocketAddr;
use std::process::ExitCode;

use anyhow::{Context, Result};
use chrono::FixedOffset;
use events::{History, RunView};
use html_report::{Diffs, NextStep};
use project::orders::Order;
use project::{Layout, env};
use report_server::{
    Given, Limits, Material, Options, Orders, Reach, ServeError, Server, Token, TokenError, Until,
    Which,
};
use serde_json::json;

use super::report::meant;
use super::{Done, layout, order, write};
use crate::cli::ServeArgs;
use crate::command_error::{self, precondition};
use crate::{display, run_report};

const REMOTE: &str = "\
warning: --allow-remote: everybody who can reach this address can try the link, and everybody on the \
way reads page and token, because it is plain HTTP. ssh -L keeps both to yourself (docs/serve.md).";

const ORDERS: &str = "\
warning: --allow-orders: whoever has the link can pause, steer, skip and stop the run.";

const UNNAMED: &str = "\
hint: other machines need a link with a name or address of this one: say it with --allow-host NAME.";

const WHAT_IT_IS: &str = "\
The run in your browser: open the link. It is for you alone; Ctrl-C ends the page and not the run.";

pub(crate) fn serve(args: &ServeArgs) -> Done {
    let layout = layout(&args.project)?;
    let server = Server::bind(options(args, &layout)?).map_err(refused)?;
    server.stop_on_signals().context("cannot listen for signals")?;
    for remark in remarks(args) {
        command_error::say(remark, &mut anstream::stderr());
    }
    if !args.json && io::stderr().is_terminal() {
        command_error::say(WHAT_IT_IS, &mut anstream::stderr());
    }
    // Unlike an answer, this is of use only to somebody who still reads.
    write(&said(&server, args)).context("cannot print the link")?;
    server.run(layout.clone(), Told { layout }).map_err(refused)?;
    Ok(ExitCode::SUCCESS)
}

/// For whoever lets others in.
fn remarks(args: &ServeArgs) -> Vec<&'static str> {
    let is_unnamed = args.bind.is_unspecified() && args.allow_host.is_empty();
    let remote = args.allow_remote;
    let remarks =
        [(remote, REMOTE), (remote && args.allow_orders, ORDERS), (remote && is_unnamed, UNNAMED)];
    remarks.into_iter().filter_map(|(is_due, remark)| is_due.then_some(remark)).collect()
}

fn options(args: &ServeArgs, layout: &Layout) -> Result<Options> {
    let run = match &args.run {
        None => Which::Newest,
        wanted => Which::Named(meant(layout, wanted.as_deref())?),
    };
    Ok(Options {
        address: SocketAddr::new(args.bind, args.port),
        reach: if args.allow_remote { Reach::Anywhere } else { Reach::Loopback },
        hosts: args.allow_host.clone(),
        token: token()
            .map_err(|error| precondition(error.to_string(), "look at RALPH_SERVE_TOKEN"))?,
        run,
        until: if args.until_end { Until::RunEnds } else { Until::Stopped },
        orders: if args.allow_orders { Orders::Taken } else { Orders::Refused },
        limits: Limits::default(),
    })
}

fn token() -> Result<Token, TokenError> {
    match env::variable(env::RALPH_SERVE_TOKEN) {
        Some(text) => Token::chosen(&text),
        None => Token::random(),
    }
}

fn said(server: &Server, args: &ServeArgs) -> String {
    let link = server.link();
    if !args.json {
        return format!("{link}\n");
    }
    let (port, pid) = (server.address().port(), std::process::id());
    let json = json!({ "url": link, "token": server.token(), "port": port, "pid": pid });
    format!("{json}\n")
}

fn refused(error: ServeError) -> anyhow::Error {
    let hint = match &error {
        ServeError::NotLoopback(_) => {
            "leave --bind out and use ssh -L, or say --allow-remote if everybody there may try \
             (docs/serve.md)"
        }
        ServeError::PortTaken(_) => "name another one with --port, or none: a free one is found",
        ServeError::Bind { .. } => "name another place with --bind and --port",
        ServeError::Host(_) => "say --allow-host NAME or --allow-host NAME:PORT",
        ServeError::NoPainter => {
            "this is a bug of ralph-loop; `ralph-loop status` and `ralph-loop report` may still tell"
        }
        ServeError::Io(_) => "",
    };
    precondition(error.to_string(), hint)
}

/// What is known of a run besides its log, or takes more than that to tell.
struct Told {
    layout: Layout,
}

impl Material for Told {
    fn diffs(&self, history: &History) -> Diffs {
        run_report::diffs(&self.layout, history)
    }

    fn next_steps(&self, run: &str) -> Vec<NextStep> {
        let report = run_report::read(&self.layout, run).ok().flatten();
        report.map(|report| report.steps_for_page()).unwrap_or_default()
    }

    fn status(&self, run: &str) -> Option<String> {
        Some(run_report::read(&self.layout, run).ok()??.to_json())
    }

    fn offset(&self) -> FixedOffset {
        display::offset()
    }

    fn give(&self, running: Option<&RunView>, order: &Order) -> Given {
        let told = order::refuse_idle(&self.layout).and_then(|()| {
            let view = running.ok_or_else(|| {
                precondition(
                    "the run on this page does not go on",
                    "open the page of the one that runs: `ralph-loop serve` without an id",
                )
            })?;
            order::put(&self.layout, view, order)?.to_json()
        });
        told.map_or_else(
            |error| {
                let (said, hint) = (command_error::message(&error), command_error::hint(&error));
                Given::Refused(json!({ "version": 1, "error": said, "hint": hint }).to_string())
            },
            Given::Taken,
        )
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    #[test]
    fn others_need_a_name_for_a_link_from_everywhere() {
        let said = |args: &[&str]| {
            let args = ["ralph-loop", "serve", "--bind"].iter().chain(args);
            let Some(Command::Serve(args)) = Cli::parse_from(args).command else { unreachable!() };
            remarks(&args)
        };
        assert!(said(&["localhost"]).is_empty());
        assert!(said(&["localhost", "--allow-orders"]).is_empty());
        assert_eq!(said(&["192.0.2.7", "--allow-remote"]), [REMOTE]);
        assert_eq!(said(&["192.0.2.7", "--allow-remote", "--allow-orders"]), [REMOTE, ORDERS]);
        assert_eq!(said(&["0.0.0.0", "--allow-remote"]), [REMOTE, UNNAMED]);
        assert_eq!(said(&["::", "--allow-remote", "--allow-host", "x"]), [REMOTE]);
    }
}
