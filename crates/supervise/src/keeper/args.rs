//! The parameters of a keeper, passed as arguments.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::{PoliteSignal, Recipient};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct KeeperArgs {
    /// The keeper ends when this process ends.
    pub(crate) runner: u32,
    pub(crate) polite: PoliteSignal,
    pub(crate) recipient: Recipient,
    pub(crate) grace: Duration,
    /// In a private folder.
    pub(crate) report: PathBuf,
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
}

impl KeeperArgs {
    pub(crate) fn to_args(&self) -> Vec<OsString> {
        let grace = u64::try_from(self.grace.as_millis()).unwrap_or(u64::MAX);
        let mut args: Vec<OsString> = vec![
            self.runner.to_string().into(),
            <&str>::from(self.polite).into(),
            <&str>::from(self.recipient).into(),
            grace.to_string().into(),
            self.report.clone().into(),
            "--".into(),
            self.program.clone(),
        ];
        args.extend(self.args.iter().cloned());
        args
    }

    pub(crate) fn from_args(mut args: impl Iterator<Item = OsString>) -> Option<Self> {
        Some(Self {
            runner: args.next()?.to_str()?.parse().ok()?,
            polite: args.next()?.to_str()?.parse().ok()?,
            recipient: args.next()?.to_str()?.parse().ok()?,
            grace: Duration::from_millis(args.next()?.to_str()?.parse().ok()?),
            report: args.next()?.into(),
            program: args.next().filter(|dashes| dashes == "--").and_then(|_| args.next())?,
            args: args.collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    fn orders(polite: PoliteSignal) -> KeeperArgs {
        KeeperArgs {
            runner: 7,
            polite,
            recipient: Recipient::InSandbox,
            grace: Duration::from_millis(1500),
            report: "/tmp/a b/report".into(),
            program: "--".into(),
            args: vec![OsString::from_vec(vec![0xff]), "".into(), "--".into()],
        }
    }

    #[test]
    fn orders_survive_being_arguments() {
        for signal in [PoliteSignal::Interrupt, PoliteSignal::Terminate] {
            let orders = orders(signal);
            assert_eq!(KeeperArgs::from_args(orders.to_args().into_iter()), Some(orders));
        }
    }

    #[test]
    fn incomplete_orders_are_refused() {
        let args = orders(PoliteSignal::Interrupt).to_args();
        for count in 0..7 {
            assert_eq!(KeeperArgs::from_args(args.iter().take(count).cloned()), None, "{count}");
        }
        for (at, wrong) in [(0, "me"), (1, "rudely"), (2, "all"), (3, "-1"), (5, "-")] {
            let mut args = args.clone();
            args[at] = wrong.into();
            assert_eq!(KeeperArgs::from_args(args.into_iter()), None, "{wrong}");
        }
    }
}
