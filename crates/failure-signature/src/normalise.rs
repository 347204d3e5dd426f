//! The text a hash is taken over: what a check tells about its failure, in an order of its own.

use std::collections::BTreeMap;

use crate::noise::without_noise;
use crate::told::{Told, told};

/// What `output` says once everything is gone that differs between two runs of the same failure. Lines
/// nobody owns come first; below the name of a test, a file or a message stands what was said about it.
/// Two outputs with the same text here have the same hash.
pub fn normalise(output: &str) -> String {
    normalised(&told(output))
}

#[derive(Default)]
struct Block {
    headings: usize,
    lines: Vec<String>,
}

pub(crate) fn normalised(told: &[Told]) -> String {
    let mut blocks: BTreeMap<String, Block> = BTreeMap::new();
    let mut current: (Option<&str>, String) = (None, String::new());
    for Told { owner, text } in told {
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
