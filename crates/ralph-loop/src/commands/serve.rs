//! `ralph-loop serve`.

use std::io::{self, IsTerminal};
use std::net::SocketAddr;
use std::process::ExitCode;

use anyhow::{Context, Result};
use chrono::FixedOffset;
use events::RunView;
use html_report::{Diffs, NextStep, WaitingAnswer};
use project::orders::Order;
use project::{Layout, env};
use report_server::{PageSource, ServeError, Server, ServerLimits, ServerOptions, Token};
use serde_json::json;

use super::report::find_run;
use super::{CommandResult, layout, order, questions, write};
use crate::cli::ServeArgs;
use crate::command_error::{self, precondition};
use crate::{display, json, run_report};

const REMOTE: &str = "\
warning: --allow-remote: every machine that reaches this address can try the link, and the network can \
read page and token, because it is plain HTTP. Use ssh -L to keep both private (docs/serve.md).";

const ORDERS: &str = "\
warning: --allow-orders: the link also lets others pause, steer, skip and stop the run, and answer its questions.";

const UNNAMED: &str = "\
hint: for a link that other machines can open, pass this machine's name with --allow-host NAME.";

const WHAT_IT_IS: &str = "\
Open the link in your browser and keep it private. Ctrl-C stops the server, not the run.";

pub(super) fn serve(args: &ServeArgs) -> CommandResult {
    let layout = layout(&args.project)?;
    let server = Server::bind(options(args, &layout)?).map_err(refused)?;
    server.stop_on_signals().context("cannot listen for signals")?;
    for remark in remarks(args) {
        command_error::say(remark, &mut anstream::stderr());
    }
    if !args.json && io::stderr().is_terminal() {
        command_error::say(WHAT_IT_IS, &mut anstream::stderr());
    }
    // A closed pipe is an error here: without the link the server is useless.
    write(&link_text(&server, args)).context("cannot print the link")?;
    server.run(layout.clone(), RunPageSource { layout }).map_err(refused)?;
    Ok(ExitCode::SUCCESS)
}

/// Warnings and hints about remote access.
fn remarks(args: &ServeArgs) -> Vec<&'static str> {
    let is_unnamed = args.bind.is_unspecified() && args.allow_host.is_empty();
    let remote = args.allow_remote;
    let remarks =
        [(remote, REMOTE), (remote && args.allow_orders, ORDERS), (remote && is_unnamed, UNNAMED)];
    remarks.into_iter().filter_map(|(is_due, remark)| is_due.then_some(remark)).collect()
}

fn options(args: &ServeArgs, layout: &Layout) -> Result<ServerOptions> {
    let run = args.run.as_deref().map(|wanted| find_run(layout, Some(wanted))).transpose()?;
    let token = match env::variable(env::RALPH_SERVE_TOKEN) {
        Some(text) => Token::chosen(&text),
        None => Token::random(),
    };
    let token = token.map_err(|why| precondition(why, "check RALPH_SERVE_TOKEN"))?;
    Ok(ServerOptions {
        address: SocketAddr::new(args.bind, args.port),
        allow_remote: args.allow_remote,
        hosts: args.allow_host.clone(),
        token,
        run,
        until_end: args.until_end,
        allow_orders: args.allow_orders,
        limits: ServerLimits::default(),
    })
}

fn link_text(server: &Server, args: &ServeArgs) -> String {
    let link = server.link();
    if !args.json {
        return format!("{link}\n");
    }
    let (port, pid) = (server.address().port(), std::process::id());
    let link = json!({ "url": link, "token": server.token(), "port": port, "pid": pid });
    format!("{link}\n")
}

fn refused(error: ServeError) -> anyhow::Error {
    let hint = match &error {
        ServeError::NotLoopback(_) => {
            "omit --bind and use ssh -L, or pass --allow-remote (docs/serve.md)"
        }
        ServeError::PortTaken(_) => "pass another port with --port, or omit it to use a free one",
        ServeError::Bind { .. } => "pass another address with --bind and --port",
        ServeError::Host(_) => "use --allow-host NAME or --allow-host NAME:PORT",
        ServeError::RendererEnded => {
            "this is a bug in ralph-loop; `ralph-loop status` and `ralph-loop report` may still work"
        }
        ServeError::Io(_) => "",
    };
    precondition(error.to_string(), hint)
}

/// Data of a run that the server does not read from its log.
struct RunPageSource {
    layout: Layout,
}

impl PageSource for RunPageSource {
    fn diffs(&self, view: &RunView) -> Diffs {
        run_report::diffs(&self.layout, view)
    }

    fn next_steps(&self, run: &str) -> Vec<NextStep> {
        let report = run_report::read(&self.layout, run).ok().flatten();
        report.map(|report| report.next).unwrap_or_default()
    }

    fn waiting_answers(&self, run: &str) -> Option<Vec<WaitingAnswer>> {
        questions::waiting_answers(&self.layout, run)
    }

    fn status(&self, run: &str) -> Option<String> {
        Some(run_report::read(&self.layout, run).ok()??.to_json())
    }

    fn offset(&self) -> FixedOffset {
        display::offset()
    }

    fn give(&self, running: Option<&RunView>, order: &Order) -> Result<String, String> {
        let reply = match order {
            // Also without a running loop.
            Order::Answer { .. } => questions::send(&self.layout, order),
            _ => order::refuse_idle(&self.layout).and_then(|()| {
                let view = running.ok_or_else(|| {
                    precondition(
                        "the run on this page is not in progress",
                        "open the page of the running one: `ralph-loop serve` without an id",
                    )
                })?;
                json::line(&order::send(&self.layout, view, order)?)
            }),
        };
        reply.map_err(|error| {
            let (message, hint) = (command_error::message(&error), command_error::hint(&error));
            json!({ "version": 1, "error": message, "hint": hint }).to_string()
        })
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    #[test]
    fn remote_access_needs_a_host_name_if_every_address_is_bound() {
        let remarks_for = |args: &[&str]| {
            let args = ["ralph-loop", "serve", "--bind"].iter().chain(args);
            let Some(Command::Serve(args)) = Cli::parse_from(args).command else { unreachable!() };
            remarks(&args)
        };
        assert!(remarks_for(&["localhost"]).is_empty());
        assert!(remarks_for(&["localhost", "--allow-orders"]).is_empty());
        assert_eq!(remarks_for(&["192.0.2.7", "--allow-remote"]), [REMOTE]);
        assert_eq!(
            remarks_for(&["192.0.2.7", "--allow-remote", "--allow-orders"]),
            [REMOTE, ORDERS]
        );
        assert_eq!(remarks_for(&["0.0.0.0", "--allow-remote"]), [REMOTE, UNNAMED]);
        assert_eq!(remarks_for(&["::", "--allow-remote", "--allow-host", "x"]), [REMOTE]);
    }
}
