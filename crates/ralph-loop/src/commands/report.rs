//! `ralph-loop report`.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use events::run_logs;
use project::Layout;

use super::{CommandResult, layout, print, print_result, settings_or_default};
use crate::cli::{ReportArgs, ReportFormat};
use crate::command_error::{first_five, precondition};
use crate::{display, run_report};

const ELSEWHERE: &str = "pass another file, or - for standard output";

/// On a terminal, the HTML report goes into this file beside the events.
const PAGE: &str = "report.html";

pub(super) fn report(args: &ReportArgs) -> CommandResult {
    let layout = layout(&args.project)?;
    let id = &find_run(&layout, args.run.as_deref())?;
    let format = args.format.unwrap_or(ReportFormat::Markdown);
    let text =
        text(&layout, id, format).context("cannot read the run's events")?.ok_or_else(none_yet)?;
    if args.format.is_none() && args.out.is_none() && io::stdout().is_terminal() {
        let look = display::look(&args.look.over(settings_or_default(&layout).display));
        print_result(&run_report::terminal(&text, &look))?;
        return Ok(ExitCode::SUCCESS);
    }
    let beside = || layout.run_dir(id).join(PAGE);
    let for_terminal = format == ReportFormat::Html && io::stdout().is_terminal();
    match &args.out {
        Some(file) => put(&layout, file, &text)?,
        None if for_terminal => {
            project::replace_whole(&beside(), text.as_bytes())
                .with_context(|| format!("cannot write {}", beside().display()))?;
            print(&format!("{}\n", location(&beside())));
        }
        None => print_result(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// `None` if the run has no events.
fn text(layout: &Layout, id: &str, format: ReportFormat) -> io::Result<Option<String>> {
    let offset = display::offset();
    Ok(match format {
        ReportFormat::Html => run_report::html(layout, id, offset)?,
        ReportFormat::Markdown => {
            run_report::read(layout, id)?.map(|report| run_report::markdown(&report, offset))
        }
        ReportFormat::Json => run_report::read(layout, id)?.map(|report| report.to_json()),
    })
}

/// Into the file that an option names, or to standard output.
pub(super) fn put(layout: &Layout, file: &Path, text: &str) -> Result<()> {
    if file.as_os_str() == "-" {
        return print_result(text);
    }
    write_report(layout, file, text)?;
    print(&format!("{}\n", location(file)));
    Ok(())
}

/// Writes the report atomically. Overwrites regular files only, and no file of a run.
fn write_report(layout: &Layout, file: &Path, text: &str) -> Result<()> {
    let refused = |what: String| Err(precondition(what, ELSEWHERE));
    if file.metadata().is_ok_and(|found| !found.is_file()) {
        return refused(format!("{} exists and is not a regular file", file.display()));
    }
    let Some(whole) = resolved(file) else {
        let folder = file.parent().unwrap_or(file);
        return refused(format!("folder {} not found", folder.display()));
    };
    if is_run_file(layout, &whole) {
        return refused(format!("{} belongs to the log of a run", file.display()));
    }
    project::write_whole(file, text.as_bytes())
        .with_context(|| format!("cannot write {}", file.display()))
}

/// Without links; `None` if the folder is missing.
fn resolved(file: &Path) -> Option<PathBuf> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let beside =
        || Some(folder.unwrap_or(Path::new(".")).canonicalize().ok()?.join(file.file_name()?));
    file.canonicalize().ok().or_else(beside)
}

/// Reports beside the events can be made again; all other files of a run cannot.
fn is_run_file(layout: &Layout, whole: &Path) -> bool {
    let Ok(runs) = layout.runs().canonicalize() else { return false };
    let Ok(inside) = whole.strip_prefix(runs) else { return false };
    let is_report = whole.file_stem().is_some_and(|stem| stem == "report");
    !(is_report && inside.components().count() == 2)
}

/// The path of the report, also as a link for terminals.
fn location(file: &Path) -> String {
    let whole = file.canonicalize().unwrap_or_else(|_| PathBuf::from(file));
    format!("Report written to {}\n{}", file.display(), link(&whole.to_string_lossy()))
}

/// `/a b` and `\\?\C:\a b` as `file:///a%20b` and `file:///C:/a%20b`.
fn link(path: &str) -> String {
    let path = path.trim_start_matches(r"\\?\").replace('\\', "/");
    let encoded = path.bytes().map(|byte| match byte {
        b'/' | b':' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        byte if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    let root = if path.starts_with('/') { "" } else { "/" };
    format!("file://{root}{}", encoded.collect::<String>())
}

/// The newest run, or the run whose id starts with `wanted`.
pub(super) fn find_run(layout: &Layout, wanted: Option<&str>) -> Result<String> {
    const UNREAD: &str = "cannot read the runs";
    match wanted {
        None => run_logs::latest(layout).context(UNREAD)?.ok_or_else(none_yet),
        Some(wanted) => {
            by_prefix(&run_logs::ids(layout).context(UNREAD)?, wanted).map(str::to_owned)
        }
    }
}

fn by_prefix<'i>(ids: &'i [String], wanted: &str) -> Result<&'i str> {
    if ids.is_empty() {
        return Err(none_yet());
    }
    if wanted.is_empty() {
        return Err(precondition(
            "the id of the run is empty",
            "omit it for the newest run, or pass the start of an id",
        ));
    }
    let ids = ids.iter().map(String::as_str);
    let matching: Vec<&str> = ids.clone().filter(|id| id.starts_with(wanted)).collect();
    match matching[..] {
        [only] => Ok(only),
        [] => Err(precondition(
            format!("run {wanted} not found"),
            format!("the newest runs are {}", first_five(ids)),
        )),
        _ => Err(precondition(
            format!("{} runs begin with {wanted}", matching.len()),
            format!("pass more of the id: {}", first_five(matching)),
        )),
    }
}

fn none_yet() -> anyhow::Error {
    precondition(
        "no run to report on",
        "start one with `ralph-loop`; runs are stored in .ralph/runs/",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const IDS: [&str; 3] = ["20261115-020000-0000", "20261115-010000-ab12", "20261114-230000-ffff"];

    fn chosen_of(ids: &[&str], wanted: &str) -> Result<String, String> {
        let ids: Vec<String> = ids.iter().map(|&id| id.to_owned()).collect();
        let message = |error: anyhow::Error| {
            let mut out = Vec::new();
            crate::command_error::report(&error, &mut out);
            String::from_utf8(out).unwrap()
        };
        by_prefix(&ids, wanted).map(ToOwned::to_owned).map_err(message)
    }

    #[test]
    fn a_link_leads_to_the_file_on_every_system() {
        assert_eq!(link("/home/é b/x.html"), "file:///home/%C3%A9%20b/x.html");
        assert_eq!(link(r"\\?\C:\a b\x.html"), "file:///C:/a%20b/x.html");
    }

    #[test]
    fn only_a_regular_file_is_overwritten() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        let file = dir.path().join("page.html");
        write_report(&layout, &file, "old").unwrap();
        write_report(&layout, &file, "new").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
        let error = write_report(&layout, dir.path(), "x").unwrap_err();
        assert!(error.to_string().ends_with("exists and is not a regular file"), "{error}");
        let error = write_report(&layout, &dir.path().join("gone/page.html"), "x").unwrap_err();
        let gone = dir.path().join("gone");
        assert_eq!(error.to_string(), format!("folder {} not found", gone.display()));
    }

    #[test]
    fn files_of_a_run_are_not_overwritten() {
        let dir = assert_fs::TempDir::new().unwrap();
        let layout = Layout::new(dir.path());
        let run = layout.run_dir(IDS[0]);
        std::fs::create_dir_all(run.join("iterations")).unwrap();
        std::fs::write(run.join("events.jsonl"), "kept").unwrap();
        for kept in ["events.jsonl", "new.md", "iterations/report.md", "../x.html"] {
            let error = write_report(&layout, &run.join(kept), "x").unwrap_err();
            assert!(error.to_string().ends_with("belongs to the log of a run"), "{error}");
        }
        #[cfg(unix)]
        {
            let link = dir.path().join("link");
            std::os::unix::fs::symlink(run.join("events.jsonl"), &link).unwrap();
            assert!(write_report(&layout, &link, "x").is_err());
        }
        assert_eq!(std::fs::read_to_string(run.join("events.jsonl")).unwrap(), "kept");
        write_report(&layout, &run.join("report.html"), "x").unwrap();
    }

    #[test]
    fn a_run_is_found_by_its_id_or_a_prefix() {
        assert_eq!(chosen_of(&IDS, IDS[2]).unwrap(), IDS[2]);
        assert_eq!(chosen_of(&IDS, "20261115-01").unwrap(), IDS[1]);
    }

    #[test]
    fn an_ambiguous_or_unknown_id_is_refused() {
        assert_eq!(
            chosen_of(&IDS, "20261115").unwrap_err(),
            "error: 2 runs begin with 20261115\n\
             hint: pass more of the id: 20261115-020000-0000, 20261115-010000-ab12\n"
        );
        let many: Vec<&str> = IDS.into_iter().cycle().take(6).collect();
        let unknown = chosen_of(&many, "x\x1b[2J").unwrap_err();
        assert!(
            unknown.starts_with("error: run x not found\nhint: the newest runs are 2026"),
            "{unknown}"
        );
        assert!(unknown.ends_with("20261115-010000-ab12, …\n"), "{unknown}");
        assert!(chosen_of(&IDS, "ab12").unwrap_err().starts_with("error: run ab12 not found\n"));
        assert!(chosen_of(&[], "2026").unwrap_err().contains("no run to report on"));
        assert!(chosen_of(&IDS[..1], "").unwrap_err().contains("the id of the run is empty"));
    }
}
