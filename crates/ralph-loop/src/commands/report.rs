//! `ralph-loop report`.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use events::run_logs;
use project::Layout;
use settings::Flags;

use super::{Done, answer, layout, print};
use crate::cli::{ReportArgs, ReportFormat};
use crate::command_error::precondition;
use crate::report::Look;
use crate::{display, resolve, run_report};

/// Runs that are named where another one was asked for.
const NAMED: usize = 5;

const ELSEWHERE: &str = "name another file with --out, or - for standard output";

/// Nobody reads HTML on a terminal: a page goes here, beside the events.
const PAGE: &str = "report.html";

pub(crate) fn report(args: &ReportArgs) -> Done {
    let layout = layout(&args.project)?;
    let id = &meant(&layout, args.run.as_deref())?;
    let format = args.format.unwrap_or(ReportFormat::Markdown);
    let text =
        text(&layout, id, format).context("cannot read the run's events")?.ok_or_else(none_yet)?;
    if args.format.is_none() && args.out.is_none() && io::stdout().is_terminal() {
        answer(&run_report::terminal(&text, &look(&layout, args)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let beside = || layout.run_dir(id).join(PAGE);
    let for_terminal = format == ReportFormat::Html && io::stdout().is_terminal();
    match &args.out {
        Some(file) if file.as_os_str() == "-" => answer(&text)?,
        Some(file) => {
            written(&layout, file, &text).map(|()| print(&format!("{}\n", told(file))))?
        }
        None if for_terminal => {
            project::replace_whole(&beside(), text.as_bytes())
                .with_context(|| format!("cannot write {}", beside().display()))?;
            print(&format!("{}\n", told(&beside())));
        }
        None => answer(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Broken settings are for the next run to complain about.
fn look(layout: &Layout, args: &ReportArgs) -> Look {
    let settings = resolve::settings(layout, &Flags::default());
    let display = settings.map(|loaded| loaded.settings.display).unwrap_or_default();
    display::look(&args.look.over(display))
}

/// `None` if the run has not said anything.
fn text(layout: &Layout, id: &str, format: ReportFormat) -> io::Result<Option<String>> {
    let offset = display::offset();
    Ok(match format {
        ReportFormat::Html => run_report::html(layout, id, engine::now(), offset)?,
        ReportFormat::Markdown => {
            run_report::read(layout, id)?.map(|report| run_report::markdown(&report, offset))
        }
        ReportFormat::Json => run_report::read(layout, id)?.map(|report| report.to_json()),
    })
}

/// Whole or not at all, over nothing but a file, and over no log.
fn written(layout: &Layout, file: &Path, text: &str) -> Result<()> {
    let refused = |what: String| Err(precondition(what, ELSEWHERE));
    if file.metadata().is_ok_and(|found| !found.is_file()) {
        return refused(format!("{} is there and is no file", file.display()));
    }
    let Some(whole) = whole_path(file) else {
        let folder = file.parent().unwrap_or(file);
        return refused(format!("there is no folder {}", folder.display()));
    };
    if is_kept_of_a_run(layout, &whole) {
        return refused(format!("{} is what a run keeps of itself", file.display()));
    }
    project::write_whole(file, text.as_bytes())
        .with_context(|| format!("cannot write {}", file.display()))
}

/// Without links; `None` if its folder is not there.
fn whole_path(file: &Path) -> Option<PathBuf> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let beside =
        || Some(folder.unwrap_or(Path::new(".")).canonicalize().ok()?.join(file.file_name()?));
    file.canonicalize().ok().or_else(beside)
}

/// Reports beside the events are made anew at any time; nothing else there is.
fn is_kept_of_a_run(layout: &Layout, whole: &Path) -> bool {
    let Ok(runs) = layout.runs().canonicalize() else { return false };
    let Ok(inside) = whole.strip_prefix(runs) else { return false };
    let is_report = whole.file_stem().is_some_and(|stem| stem == "report");
    !(is_report && inside.components().count() == 2)
}

/// Where it is, also as a link that a terminal opens.
fn told(file: &Path) -> String {
    let whole = file.canonicalize().unwrap_or_else(|_| PathBuf::from(file));
    format!("The report is in {}\n{}", file.display(), link(&whole.to_string_lossy()))
}

/// `/a b` and `\\?\C:\a b` as `file:///a%20b` and `file:///C:/a%20b`.
fn link(path: &str) -> String {
    let path = path.trim_start_matches(r"\\?\").replace('\\', "/");
    let mut link = String::from("file://");
    if !path.starts_with('/') {
        link.push('/');
    }
    for byte in path.bytes() {
        match byte {
            b'/' | b':' | b'-' | b'.' | b'_' | b'~' => link.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => link.push(char::from(byte)),
            byte => link.push_str(&format!("%{byte:02X}")),
        }
    }
    link
}

/// The run that spoke last, or the one whose id begins so.
pub(super) fn meant(layout: &Layout, wanted: Option<&str>) -> Result<String> {
    const UNREAD: &str = "cannot read the runs";
    match wanted {
        None => run_logs::latest(layout).context(UNREAD)?.ok_or_else(none_yet),
        Some(wanted) => chosen(&run_logs::ids(layout).context(UNREAD)?, wanted).map(str::to_owned),
    }
}

fn chosen<'i>(ids: &'i [String], wanted: &str) -> Result<&'i str> {
    if ids.is_empty() {
        return Err(none_yet());
    }
    if wanted.is_empty() {
        return Err(precondition(
            "the id of the run is empty",
            "leave it out for the run that spoke last, or say how it begins",
        ));
    }
    let meant: Vec<&String> = ids.iter().filter(|id| id.starts_with(wanted)).collect();
    match meant[..] {
        [only] => Ok(only),
        [] => Err(precondition(
            format!("there is no run {wanted}"),
            format!("the newest are {}", some(ids.iter())),
        )),
        _ => Err(precondition(
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

fn none_yet() -> anyhow::Error {
    precondition(
        "there is no run to report on",
        "start one with `ralph-loop`; runs are kept in .ralph/runs/ of the project",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDS: [&str; 3] = ["20261115-020000-0000", "20261115-010000-ab12", "20261114-230000-ffff"];

    fn chosen_of(ids: &[&str], wanted: &str) -> Result<String, String> {
        let ids: Vec<String> = ids.iter().map(|&id| id.to_owned()).collect();
        let said = |error: anyhow::Error| {
            let mut out = Vec::new();
            crate::command_error::report(&error, &mut out);
            String::from_utf8(out).unwrap()
        };
        chosen(&ids, wanted).map(ToOwned::to_owned).map_err(said)
    }

    #[test]
    fn a_link_leads_to_the_file_on_every_system() {
        assert_eq!(link("/home/é b/x.html"), "file:///home/%C3%A9%20b/x.html");
        assert_eq!(link(r"\\?\C:\a b\x.html"), "file:///C:/a%20b/x.html");
    }

    #[test]
    fn only_a_file_is_written_over() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        let file = dir.path().join("page.html");
        written(&layout, &file, "old").unwrap();
        written(&layout, &file, "new").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
        let error = written(&layout, dir.path(), "x").unwrap_err();
        assert!(error.to_string().ends_with("is there and is no file"), "{error}");
        let error = written(&layout, &dir.path().join("gone/page.html"), "x").unwrap_err();
        let gone = dir.path().join("gone");
        assert_eq!(error.to_string(), format!("there is no folder {}", gone.display()));
    }

    #[test]
    fn what_a_run_keeps_of_itself_is_not_written_over() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        let run = layout.run_dir(IDS[0]);
        std::fs::create_dir_all(run.join("iterations")).unwrap();
        std::fs::write(run.join("events.jsonl"), "kept").unwrap();
        for kept in ["events.jsonl", "new.md", "iterations/report.md", "../x.html"] {
            let error = written(&layout, &run.join(kept), "x").unwrap_err();
            assert!(error.to_string().ends_with("is what a run keeps of itself"), "{error}");
        }
        #[cfg(unix)]
        {
            let link = dir.path().join("link");
            std::os::unix::fs::symlink(run.join("events.jsonl"), &link).unwrap();
            assert!(written(&layout, &link, "x").is_err());
        }
        assert_eq!(std::fs::read_to_string(run.join("events.jsonl")).unwrap(), "kept");
        written(&layout, &run.join("report.html"), "x").unwrap();
    }

    #[test]
    fn a_run_is_meant_by_its_id_or_how_that_begins() {
        assert_eq!(chosen_of(&IDS, IDS[2]).unwrap(), IDS[2]);
        assert_eq!(chosen_of(&IDS, "20261115-01").unwrap(), IDS[1]);
    }

    #[test]
    fn what_is_not_clear_is_asked_back() {
        assert_eq!(
            chosen_of(&IDS, "20261115").unwrap_err(),
            "error: 2 runs begin with 20261115\n\
             hint: say more of the id: 20261115-020000-0000, 20261115-010000-ab12\n"
        );
        let many: Vec<&str> = IDS.into_iter().cycle().take(6).collect();
        let unknown = chosen_of(&many, "x\x1b[2J").unwrap_err();
        assert!(
            unknown.starts_with("error: there is no run x\nhint: the newest are 2026"),
            "{unknown}"
        );
        assert!(unknown.ends_with("20261115-010000-ab12, …\n"), "{unknown}");
        assert!(chosen_of(&IDS, "ab12").unwrap_err().starts_with("error: there is no run ab12\n"));
        assert!(chosen_of(&[], "2026").unwrap_err().contains("there is no run to report on"));
        assert!(chosen_of(&IDS[..1], "").unwrap_err().contains("the id of the run is empty"));
    }
}
