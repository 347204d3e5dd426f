//! The command line: how much to measure.

const USAGE: &str = "\
usage: ralph-bench [--runs N] [--iterations N] [--lanes N] [--stream-mb N] [--busy]
  --runs N         rounds of the hooks, a fifth of it where git is involved (200)
  --iterations N   iterations of the runner (1000)
  --lanes N        lanes whose agents sleep, with 1 and 20 before (20)
  --stream-mb N    megabytes of a stream (1000)
  --busy           keep one core busy meanwhile
0 skips a part";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HookRounds {
    pub(crate) cheap: usize,
    pub(crate) git: usize,
}

/// A skipped part is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) hooks: Option<HookRounds>,
    pub(crate) iterations: Option<usize>,
    pub(crate) lanes: Option<usize>,
    pub(crate) stream_megabytes: Option<usize>,
    pub(crate) load: Load,
}

/// Load of the machine during the measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Load {
    Quiet,
    /// One core is always busy.
    OneCore,
}

impl Options {
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let (mut rounds, mut iterations, mut lanes, mut megabytes) = (200, 1_000, 20, 1_000);
        let mut load = Load::Quiet;
        while let Some(name) = arguments.next() {
            let chosen = match name.as_str() {
                "--busy" => {
                    load = Load::OneCore;
                    continue;
                }
                "--runs" => &mut rounds,
                "--iterations" => &mut iterations,
                "--lanes" => &mut lanes,
                "--stream-mb" => &mut megabytes,
                _ => return Err(USAGE.into()),
            };
            let count = arguments.next().and_then(|count| count.parse().ok());
            *chosen = count.ok_or_else(|| format!("{name} takes a number\n{USAGE}"))?;
        }
        let unless_zero = |count: usize| (count > 0).then_some(count);
        Ok(Self {
            hooks: unless_zero(rounds)
                .map(|rounds| HookRounds { cheap: rounds, git: rounds.div_ceil(5) }),
            iterations: unless_zero(iterations),
            lanes: unless_zero(lanes),
            stream_megabytes: unless_zero(megabytes),
            load,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Options, String> {
        Options::parse(arguments.iter().map(|&argument| argument.to_owned()))
    }

    #[test]
    fn git_gets_a_fifth_of_the_rounds() {
        let rounds = |arguments| parse(arguments).unwrap().hooks;
        assert_eq!(rounds(&[]), Some(HookRounds { cheap: 200, git: 40 }));
        assert_eq!(rounds(&["--runs", "7"]), Some(HookRounds { cheap: 7, git: 2 }));
    }

    #[test]
    fn every_part_can_be_chosen_or_skipped() {
        let options =
            parse(&["--iterations", "10", "--runs", "0", "--lanes", "0", "--stream-mb", "0"]);
        let (iterations, load) = (Some(10), Load::Quiet);
        let expected =
            Options { hooks: None, iterations, lanes: None, stream_megabytes: None, load };
        assert_eq!(options, Ok(expected));
        assert_eq!(parse(&["--busy", "--runs", "3"]).unwrap().load, Load::OneCore);
    }

    #[test]
    fn anything_else_is_refused() {
        for wrong in [&["--runs"][..], &["--runs", "-1"], &["--runs", "x"], &["5"], &["-h"]] {
            assert!(parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
