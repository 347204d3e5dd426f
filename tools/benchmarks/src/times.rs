//! Reads the log of a stopwatch: the overhead of the runner, and the time of `git status`.

use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SpanKind {
    Agent,
    Check,
    Status,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    kind: SpanKind,
    began: u64,
    ended: u64,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Times {
    /// Time between two agent starts in which neither an agent nor a check ran. The last iteration
    /// does not count.
    pub(crate) overheads: Vec<Duration>,
    /// Of `git status --porcelain`, after each agent.
    pub(crate) statuses: Vec<Duration>,
}

pub(crate) fn read(log: &str) -> Result<Times, String> {
    let mut spans = log.lines().map(parse).collect::<Result<Vec<Span>, String>>()?;
    spans.sort_unstable_by_key(|span| span.began);
    let (mut overheads, mut statuses) = (Vec::new(), Vec::new());
    let mut iteration: Option<(u64, u64)> = None;
    for span in spans {
        let busy = span.ended.saturating_sub(span.began);
        iteration = match (span.kind, iteration) {
            (SpanKind::Status, running) => {
                statuses.push(Duration::from_nanos(busy));
                running
            }
            (SpanKind::Check, running) => running.map(|(began, before)| (began, before + busy)),
            (SpanKind::Agent, running) => {
                overheads.extend(running.map(|(began, before)| {
                    Duration::from_nanos((span.began - began).saturating_sub(before))
                }));
                Some((span.began, busy))
            }
        };
    }
    Ok(Times { overheads, statuses })
}

fn parse(line: &str) -> Result<Span, String> {
    let words: Vec<&str> = line.split(' ').collect();
    let span = match words[..] {
        ["agent", began, ended] => Some((SpanKind::Agent, began, ended)),
        ["check", began, ended] => Some((SpanKind::Check, began, ended)),
        ["status", began, ended] => Some((SpanKind::Status, began, ended)),
        _ => None,
    };
    let span = span.and_then(|(kind, began, ended)| {
        Some(Span { kind, began: began.parse().ok()?, ended: ended.parse().ok()? })
    });
    span.ok_or_else(|| format!("a stopwatch wrote {line:?}"))
}

/// The quantile at this fraction.
pub(crate) fn quantile(times: &[Duration], fraction: f64) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let last = sorted.len().saturating_sub(1);
    let at = (fraction * last as f64).round() as usize;
    sorted.get(at).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_iteration_lasts_from_agent_to_agent_without_their_run_time() {
        // 100…140 agent, 150…155 and 160…162 checks, 200 the next agent.
        let log = "status 135 139\nagent 100 140\ncheck 150 155\ncheck 160 162\nagent 200 210\nagent 215 220\n";
        let expected = Times {
            overheads: [100 - 40 - 5 - 2, 15 - 10].map(Duration::from_nanos).into(),
            statuses: vec![Duration::from_nanos(4)],
        };
        assert_eq!(read(log).unwrap(), expected);
    }

    #[test]
    fn the_order_of_the_lines_does_not_matter() {
        assert_eq!(
            read("agent 30 31\nagent 10 20\n").unwrap().overheads,
            [Duration::from_nanos(10)]
        );
    }

    #[test]
    fn nonsense_is_named() {
        for log in ["agent 1", "other 1 2", "agent a b"] {
            assert!(read(log).unwrap_err().contains(log), "{log}");
        }
    }

    #[test]
    fn quantiles_are_values_that_were_measured() {
        let times: Vec<Duration> = (1..=101).rev().map(Duration::from_millis).collect();
        assert_eq!(quantile(&times, 0.5), Duration::from_millis(51));
        assert_eq!(quantile(&times, 0.95), Duration::from_millis(96));
        assert_eq!(quantile(&[], 0.5), Duration::ZERO);
    }
}
