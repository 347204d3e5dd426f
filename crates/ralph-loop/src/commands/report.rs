//! `ralph-loop report`.

use std::process::ExitCode;

use super::{Done, layout, print};
use crate::cli::{ReportArgs, ReportFormat};
use crate::command_error::CommandError;
use crate::{display, run_logs, run_report};

/// Runs that are named where another one was asked for.
const NAMED: usize = 5;

pub(crate) fn report(args: &ReportArgs) -> Done {
    let layout = layout(&args.project)?;
    let ids = run_logs::ids(&layout).map_err(CommandError::io("read the runs"))?;
    let id = chosen(&ids, args.run.as_deref())?;
    let report =
        run_report::read(&layout, id).map_err(CommandError::io("read the run's events"))?;
    let report = report.ok_or_else(none_yet)?;
    print(&match args.format {
        ReportFormat::Markdown => run_report::markdown(&report, display::offset()),
        ReportFormat::Json => report.to_json(),
    });
    Ok(ExitCode::SUCCESS)
}

/// The newest, or the one whose id begins so.
fn chosen<'i>(ids: &'i [String], wanted: Option<&str>) -> Result<&'i str, CommandError> {
    let newest = ids.first().ok_or_else(none_yet)?;
    let Some(wanted) = wanted else { return Ok(newest) };
    let meant: Vec<&String> = ids.iter().filter(|id| id.starts_with(wanted)).collect();
    match meant[..] {
        [only] => Ok(only),
        [] => Err(CommandError::precondition(
            format!("there is no run {wanted}"),
            format!("the newest are {}", some(ids.iter())),
        )),
        _ => Err(CommandError::precondition(
            format!("{} runs begin with {wanted}", meant.len()),
            format!("say more of the id: {}", some(meant.into_iter())),
        )),
    }
}

fn some<'i>(ids: impl ExactSizeIterator<Item = &'i String>) -> String {
    let more = if ids.len() > NAMED { ", …" } else { "" };
    let named: Vec<&str> = ids.take(NAMED).map(String::as_str).collect();
    format!("{}{more}", named.join(", "))
}

fn none_yet() -> CommandError {
    CommandError::precondition(
        "there is no run to report on",
        "start one with `ralph-loop`; runs are kept in .ralph/runs/ of the project",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDS: [&str; 3] = ["20261115-020000-0000", "20261115-010000-ab12", "20261114-230000-ffff"];

    fn chosen_of(ids: &[&str], wanted: Option<&str>) -> Result<String, String> {
        let ids: Vec<String> = ids.iter().map(|&id| id.to_owned()).collect();
        let said = |error: CommandError| {
            let mut out = Vec::new();
            error.report(&mut out);
            String::from_utf8(out).unwrap()
        };
        chosen(&ids, wanted).map(ToOwned::to_owned).map_err(said)
    }

    #[test]
    fn the_newest_unless_another_is_meant() {
        assert_eq!(chosen_of(&IDS, None).unwrap(), IDS[0]);
        assert_eq!(chosen_of(&IDS, Some(IDS[2])).unwrap(), IDS[2]);
        assert_eq!(chosen_of(&IDS, Some("20261115-01")).unwrap(), IDS[1]);
    }

    #[test]
    fn what_is_not_clear_is_asked_back() {
        assert_eq!(
            chosen_of(&IDS, Some("20261115")).unwrap_err(),
            "error: 2 runs begin with 20261115\n\
             hint: say more of the id: 20261115-020000-0000, 20261115-010000-ab12\n"
        );
        let many: Vec<&str> = IDS.into_iter().cycle().take(6).collect();
        let unknown = chosen_of(&many, Some("x\x1b[2J")).unwrap_err();
        assert!(
            unknown.starts_with("error: there is no run x\nhint: the newest are 2026"),
            "{unknown}"
        );
        assert!(unknown.ends_with("20261115-010000-ab12, …\n"), "{unknown}");
        assert!(
            chosen_of(&IDS, Some("ab12")).unwrap_err().starts_with("error: there is no run ab12\n")
        );
        assert!(chosen_of(&[], None).unwrap_err().contains("there is no run to report on"));
    }
}
