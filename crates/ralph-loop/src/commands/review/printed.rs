//! The result of a review as text and as JSON.

use std::fmt::Write;

use engine::{LensReview, MergedFinding, NoFindings, ReviewRange};
use run_options::{ReviewLens, Word};
use serde::Serialize;

use crate::report::format::{count, duration, money};
use crate::report::{Look, Role};

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReviewResult {
    version: u32,
    range: String,
    from: String,
    to: String,
    agent: String,
    lenses: Vec<LensResult>,
    findings: Vec<MergedFinding>,
    cost_usd: f64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LensResult {
    lens: ReviewLens,
    /// `None` if it gave no list.
    findings: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    seconds: f64,
    cost_usd: f64,
}

impl ReviewResult {
    pub(super) fn new(
        range: &ReviewRange,
        agent: &str,
        reviews: &[LensReview],
        findings: Vec<MergedFinding>,
    ) -> Self {
        let lens = |review: &LensReview| LensResult {
            lens: review.lens,
            findings: review.findings.as_ref().ok().map(Vec::len),
            why: review.findings.as_ref().err().map(why),
            seconds: review.seconds,
            cost_usd: review.cost_usd,
        };
        Self {
            version: 1,
            range: range.name.clone(),
            from: range.from.to_string(),
            to: range.to.to_string(),
            agent: agent.to_owned(),
            lenses: reviews.iter().map(lens).collect(),
            findings,
            cost_usd: reviews.iter().map(|review| review.cost_usd).sum(),
        }
    }

    pub(super) fn text(&self, look: &Look) -> String {
        let Self { range, agent, findings, .. } = self;
        let paint = |role, text: &str| {
            let style = look.palette.style(role);
            style.style(text).to_string()
        };
        let found = match findings.len() as u64 {
            0 => "no findings".to_owned(),
            some => count(some, "finding", "findings"),
        };
        let head = sanitize::line(&format!("review of {range} by {agent}: {found}"));
        let mut out = format!("{}\n", paint(Role::Strong, &head));
        for lens in &self.lenses {
            let _ = writeln!(out, "  {}", lens.text());
        }
        for MergedFinding { finding, lenses } in findings {
            let place = match finding.place() {
                place if place.is_empty() => place,
                place => format!("{place}  "),
            };
            let names: Vec<&str> = lenses.iter().map(|lens| lens.name()).collect();
            let head = sanitize::line(&format!("{place}{}", finding.title));
            let _ = write!(out, "\n{} [{}]\n", paint(Role::Warn, &head), names.join(", "));
            for line in sanitize::wrapped(&sanitize::line(&finding.text), 96) {
                let _ = writeln!(out, "    {line}");
            }
        }
        out
    }
}

impl LensResult {
    /// `security: 2 findings (41s, $0.12)`
    fn text(&self) -> String {
        let result = match (self.findings, &self.why) {
            (Some(0), _) => "no findings".to_owned(),
            (Some(some), _) => count(some as u64, "finding", "findings"),
            (None, why) => sanitize::line(why.as_deref().unwrap_or_default()),
        };
        let took = duration(self.seconds);
        let cost = match self.cost_usd {
            cost if cost > 0.0 => format!(", {}", money(cost)),
            _ => String::new(),
        };
        format!("{}: {result} ({took}{cost})", self.lens.name())
    }
}

fn why(none: &NoFindings) -> String {
    match none {
        NoFindings::CostCeiling => "not reviewed: the cost limit is reached".to_owned(),
        NoFindings::Stopped => "not reviewed: stopped".to_owned(),
        NoFindings::Failed { why } => format!("no result: {why}"),
    }
}
