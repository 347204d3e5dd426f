//! Interleaved rounds: each runs every entrant once, so that a slow phase of the machine affects
//! all of them. Uses medians, because delays are never negative.
//!
//! The order is shuffled. In a rotating order each entrant would always follow the same neighbour:
//! an empty process measured 9 % slower after a heavy script than after itself, nearly the cost of
//! a hook. The first entrant runs twice in every round to show the measurement error.

use std::io::{self, Write};
use std::time::Duration;

use crate::launch::Invocation;

const WARM_UP_ROUNDS: usize = 3;

/// Entrants that run in the same rounds; the first is the unit.
#[derive(Debug)]
pub(crate) struct Scenario {
    pub(crate) title: String,
    /// Conditions of the measurement.
    pub(crate) sizes: String,
    pub(crate) rounds: usize,
    pub(crate) entrants: Vec<Entrant>,
}

#[derive(Debug)]
pub(crate) struct Entrant {
    pub(crate) name: String,
    /// Its budget in multiples of the first entrant.
    pub(crate) budget: Option<f64>,
    /// Or the reason why it cannot run.
    pub(crate) invocation: Result<Invocation, String>,
}

#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) title: String,
    pub(crate) sizes: String,
    pub(crate) rounds: usize,
    pub(crate) rows: Vec<Row>,
}

#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) budget: Option<f64>,
    pub(crate) median: Result<Duration, String>,
}

impl Scenario {
    pub(crate) fn measure(self, log: &mut dyn Write) -> io::Result<Table> {
        let Self { title, sizes, rounds, mut entrants } = self;
        let control = entrants.first().map(|unit| Entrant {
            name: format!("{}, again", unit.name),
            budget: None,
            invocation: unit.invocation.clone(),
        });
        entrants.splice(1..1, control);
        writeln!(log, "measuring: {title} ({rounds} rounds)")?;
        let mut times = vec![Vec::with_capacity(rounds); entrants.len()];
        let mut order: Vec<usize> = (0..entrants.len()).collect();
        let mut dice = Rng::default();
        for round in 0..WARM_UP_ROUNDS + rounds {
            dice.shuffle(&mut order);
            for &index in &order {
                if let Ok(invocation) = &entrants[index].invocation {
                    let taken = invocation.time()?;
                    if round >= WARM_UP_ROUNDS {
                        times[index].push(taken);
                    }
                }
            }
        }
        let row = |(entrant, mut times): (Entrant, Vec<Duration>)| Row {
            name: entrant.name,
            budget: entrant.budget,
            median: entrant.invocation.map(|_| median(&mut times)),
        };
        let rows = entrants.into_iter().zip(times).map(row).collect();
        Ok(Table { title, sizes, rounds, rows })
    }
}

impl Table {
    /// The unit: the time of the first entrant.
    pub(crate) fn unit(&self) -> Option<Duration> {
        self.rows.first()?.median.as_ref().ok().copied()
    }
}

/// Deterministic random numbers (splitmix64), so that runs can be compared.
#[derive(Debug, Default)]
struct Rng(u64);

impl Rng {
    fn shuffle(&mut self, items: &mut [usize]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    match (times.len(), times.len() / 2) {
        (0, _) => Duration::ZERO,
        (count, middle) if count % 2 == 1 => times[middle],
        (_, middle) => (times[middle - 1] + times[middle]) / 2,
    }
}

pub(crate) fn ratio(time: Duration, unit: Duration) -> f64 {
    time.as_secs_f64() / unit.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn milliseconds(times: &[u64]) -> Vec<Duration> {
        times.iter().copied().map(Duration::from_millis).collect()
    }

    #[test]
    fn the_median_ignores_outliers() {
        assert_eq!(median(&mut milliseconds(&[900, 2, 1])), Duration::from_millis(2));
        assert_eq!(median(&mut milliseconds(&[4, 900, 2, 1])), Duration::from_millis(3));
        assert_eq!(median(&mut []), Duration::ZERO);
    }

    #[test]
    fn a_ratio_counts_units() {
        let ratio = ratio(Duration::from_millis(3), Duration::from_millis(2));
        assert!((ratio - 1.5).abs() < 1e-9);
    }

    #[test]
    fn every_round_runs_each_once_in_a_random_order() {
        let (mut dice, mut order) = (Rng::default(), vec![0, 1, 2, 3]);
        let mut neighbours = [[0; 4]; 4];
        for _ in 0..4_000 {
            dice.shuffle(&mut order);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, [0, 1, 2, 3]);
            order.windows(2).for_each(|pair| neighbours[pair[0]][pair[1]] += 1);
        }
        for (before, after) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))) {
            let expected = if before == after { 0..=0 } else { 900..=1_100 };
            assert!(expected.contains(&neighbours[before][after]), "{neighbours:?}");
        }
    }
}
