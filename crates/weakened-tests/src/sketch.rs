//! Estimates the similarity of two pieces of code (MinHash).
//!
//! Each three consecutive tokens are hashed, and the smallest hashes are kept. The share of common
//! hashes estimates the similarity.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::token::Token;

const KEPT: usize = 32;

/// Shorter code is similar by chance.
const FEWEST: usize = 8;

#[derive(Debug, Default)]
pub(crate) struct Sketch {
    smallest: Vec<u64>,
}

impl Sketch {
    pub(crate) fn of(tokens: &[Token<'_>]) -> Self {
        let mut smallest: Vec<u64> = tokens.windows(3).map(number).collect();
        smallest.sort_unstable();
        smallest.dedup();
        smallest.truncate(KEPT);
        Self { smallest }
    }

    /// In percent.
    pub(crate) fn likeness(&self, other: &Self) -> usize {
        let shorter = self.smallest.len().min(other.smallest.len());
        if shorter < FEWEST {
            return 0;
        }
        let mut all: Vec<u64> = self.smallest.iter().chain(&other.smallest).copied().collect();
        all.sort_unstable();
        let both = |number: &u64| {
            self.smallest.binary_search(number).is_ok()
                && other.smallest.binary_search(number).is_ok()
        };
        all.dedup();
        all.truncate(KEPT);
        all.iter().filter(|number| both(number)).count() * 100 / all.len().max(1)
    }
}

fn number(tokens: &[Token<'_>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for token in tokens {
        token.text.hash(&mut hasher);
    }
    hasher.finish()
}
