//! The one line of an output that a person wants to read in a report.

use std::sync::LazyLock;

use regex::Regex;

use crate::complaints::{complains, names, panics, points, throws};
use crate::message::{message, told_from};
use crate::pattern::pattern;
use crate::told::{Owner, OwnerKind, Told};
use crate::{paths, trailers};

const LONGEST: usize = 200;

static FINDING: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^\s+\d+:\d+\s+error\s+(?P<says>\S.*)$"));

pub(crate) fn headline(told: &[Told]) -> Option<String> {
    let found = owned(told).or_else(|| unowned(told))?;
    let words: Vec<String> = found.split_whitespace().map(sanitize::plain).collect();
    (!words.is_empty()).then(|| cut(&words.join(" ")))
}

/// The first failure that has a heading and something said below it, or else the first with a heading:
/// a test that holds others fails because one of them does.
fn owned(told: &[Told]) -> Option<String> {
    let mut bare = None;
    let mut rest = told;
    while let Some(line) = rest.first() {
        let owner = line.owner.as_deref();
        let size = rest.iter().take_while(|line| line.owner.as_deref() == owner).count();
        let (section, after) = rest.split_at(size);
        if let Some(owner) = owner {
            if let Some(text) = said(owner, section) {
                return Some(text);
            }
            let test = matches!(owner.kind, OwnerKind::Test | OwnerKind::Pytest);
            bare = bare.or_else(|| test.then(|| format!("{} failed", owner.name)));
        }
        rest = after;
    }
    bare
}

fn said(owner: &Owner, section: &[Told]) -> Option<String> {
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
                &finding["says"]
            ))
        }),
        OwnerKind::Test | OwnerKind::Pytest => {
            let message = message(&lines.collect::<Vec<_>>())?;
            Some(format!("{}: {message}", owner.name))
        }
    }
}

/// Where no heading tells: a warning is worth more than the word that something failed, and less than
/// all else.
fn unowned(told: &[Told]) -> Option<String> {
    let (passed_on, rest): (Vec<&Told>, Vec<&Told>) =
        told.iter().partition(|line| trailers::is_trailer(&line.text));
    let (warnings, lines): (Vec<&Told>, Vec<&Told>) =
        rest.into_iter().partition(|line| line.owner.as_deref().is_some_and(warns));
    surest(&texts(&lines))
        .or_else(|| warnings.first().map(|line| line.text.clone()))
        .or_else(|| least_empty(&texts(&passed_on)))
}

/// The first line with the surest sign of a failure, or else the last.
fn surest(lines: &[&str]) -> Option<String> {
    let signs: [fn(&str) -> bool; 4] =
        [points, |line| throws(line) || panics(line), names, complains];
    let found = signs.iter().find_map(|sign| lines.iter().position(|line| sign(line)));
    let at = found.or_else(|| lines.len().checked_sub(1))?;
    Some(told_from(lines, at))
}

fn least_empty(trailers: &[&str]) -> Option<String> {
    let complaint = trailers.iter().find(|text| complains(trailers::words(text)));
    complaint.or(trailers.last()).map(|text| (*text).to_owned())
}

fn texts<'a>(lines: &[&'a Told]) -> Vec<&'a str> {
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
