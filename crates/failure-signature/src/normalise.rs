//! The normalised text that is hashed: the description of a failure in a canonical order.

use std::collections::BTreeMap;

use crate::noise::without_noise;
use crate::report_line::{ReportLine, report_lines};

/// `output` without everything that differs between two runs of the same failure. Lines without a
/// heading come first; then each heading with its lines. Equal texts have equal hashes.
pub fn normalise(output: &str) -> String {
    normalised(&report_lines(output))
}

#[derive(Default)]
struct Block {
    headings: usize,
    lines: Vec<String>,
}

pub(crate) fn normalised(report: &[ReportLine]) -> String {
    let mut blocks: BTreeMap<String, Block> = BTreeMap::new();
    let mut current: (Option<&str>, String) = (None, String::new());
    for ReportLine { owner, text } in report {
        let owner = owner.as_deref().map(|owner| owner.name.as_str());
        if current.0 != owner {
            current = (owner, owner.map(without_noise).unwrap_or_default());
        }
        let block = blocks.entry(current.1.clone()).or_default();
        if owner == Some(text) {
            block.headings += 1;
            continue;
        }
        let line = without_noise(text);
        if !line.is_empty() {
            block.lines.push(line);
        }
    }
    blocks.into_iter().flat_map(|(name, block)| written(&name, block)).collect()
}

fn written(name: &str, mut block: Block) -> Vec<String> {
    block.lines.sort_unstable();
    let indent = if name.is_empty() { "" } else { "  " };
    let headings = (0..block.headings).map(|_| format!("{name}\n"));
    headings.chain(block.lines.iter().map(|line| format!("{indent}{line}\n"))).collect()
}
