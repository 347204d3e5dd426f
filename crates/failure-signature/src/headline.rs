//! Selects the line of an output that a report shows.

use crate::error_signs::{complains, names, panics, points, throws};
use crate::message::{message, message_from};
use crate::pattern::Pattern;
use crate::report_line::{Owner, OwnerKind, ReportLine};
use crate::{paths, trailers};

const LONGEST: usize = 200;

static FINDING: Pattern = Pattern::new(&[r"^\s+\d+:\d+\s+error\s+(?P<message>\S.*)$"]);

pub(crate) fn headline(report: &[ReportLine]) -> Option<String> {
    let found = owned(report).or_else(|| unowned(report))?;
    let words: Vec<String> = found.split_whitespace().map(sanitize::plain).collect();
    (!words.is_empty()).then(|| cut(&words.join(" ")))
}

/// The first failure with a heading and text below, else the first with a heading. A suite fails
/// because one of its tests fails, so its heading alone is not preferred.
fn owned(report: &[ReportLine]) -> Option<String> {
    let mut bare = None;
    let mut rest = report;
    while let Some(line) = rest.first() {
        let owner = line.owner.as_deref();
        let size = rest.iter().take_while(|line| line.owner.as_deref() == owner).count();
        let (section, after) = rest.split_at(size);
        if let Some(owner) = owner {
            if let Some(text) = section_message(owner, section) {
                return Some(text);
            }
            let test = matches!(owner.kind, OwnerKind::Test | OwnerKind::Pytest);
            bare = bare.or_else(|| test.then(|| format!("{} failed", owner.name)));
        }
        rest = after;
    }
    bare
}

fn section_message(owner: &Owner, section: &[ReportLine]) -> Option<String> {
    let lines = section.iter().map(|line| line.text.as_str()).filter(|text| *text != owner.name);
    match owner.kind {
        OwnerKind::Message => {
            let passes_on = warns(owner) || trailers::is_trailer(&owner.name);
            (!passes_on).then(|| owner.name.clone())
        }
        OwnerKind::File => lines.into_iter().find_map(|text| {
            let finding = FINDING.captures(text)?;
            Some(format!(
                "{}: {}",
                paths::shortened(&owner.name.replace('\\', "/")),
                &finding["message"]
            ))
        }),
        OwnerKind::Test | OwnerKind::Pytest => {
            let message = message(&lines.collect::<Vec<_>>())?;
            Some(format!("{}: {message}", owner.name))
        }
    }
}

/// For output without headings. A warning ranks above a bare failure message and below everything
/// else.
fn unowned(report: &[ReportLine]) -> Option<String> {
    let (passed_on, rest): (Vec<&ReportLine>, Vec<&ReportLine>) =
        report.iter().partition(|line| trailers::is_trailer(&line.text));
    let (warnings, lines): (Vec<&ReportLine>, Vec<&ReportLine>) =
        rest.into_iter().partition(|line| line.owner.as_deref().is_some_and(warns));
    surest(&texts(&lines))
        .or_else(|| warnings.first().map(|line| line.text.clone()))
        .or_else(|| least_empty(&texts(&passed_on)))
}

/// The first line with the surest sign of a failure, else the last line.
fn surest(lines: &[&str]) -> Option<String> {
    let signs: [fn(&str) -> bool; 4] =
        [points, |line| throws(line) || panics(line), names, complains];
    let found = signs.iter().find_map(|sign| lines.iter().position(|line| sign(line)));
    let at = found.or_else(|| lines.len().checked_sub(1))?;
    Some(message_from(lines, at))
}

fn least_empty(trailers: &[&str]) -> Option<String> {
    let complaint = trailers.iter().find(|text| complains(trailers::words(text)));
    complaint.or(trailers.last()).map(|text| (*text).to_owned())
}

fn texts<'a>(lines: &[&'a ReportLine]) -> Vec<&'a str> {
    lines.iter().map(|line| line.text.as_str()).collect()
}

fn warns(owner: &Owner) -> bool {
    owner.kind == OwnerKind::Message && owner.name.starts_with("warning")
}

fn cut(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST - 1).chain(['…']).collect()
}
