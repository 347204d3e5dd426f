//! Parses the arguments of an entry and its helper.

use std::ffi::OsString;

use crate::host::port;

use super::{BRIDGE_OPTION, Bridge, Entry, NAMESPACES_OPTION};

pub(super) fn entry(
    mut args: impl Iterator<Item = OsString>,
) -> Option<(Entry, OsString, Vec<OsString>)> {
    let mut next = args.next()?;
    let mut entry = Entry::default();
    if next == NAMESPACES_OPTION {
        entry.forbids_namespaces = true;
        next = args.next()?;
    }
    if next == BRIDGE_OPTION {
        entry.bridge = Some(bridge(&mut args)?);
        next = args.next()?;
    }
    let program = args.next().filter(|_| next == "--")?;
    Some((entry, program, args.collect()))
}

pub(super) fn bridge(args: &mut impl Iterator<Item = OsString>) -> Option<Bridge> {
    Some(Bridge {
        socket: args.next()?.into(),
        proxy_port: port(args.next()?.to_str()?)?,
        host_ports: args
            .next()?
            .to_str()?
            .split(',')
            .filter(|port| !port.is_empty())
            .map(port)
            .collect::<Option<_>>()?,
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    fn with_bridge(host_ports: &[u16]) -> Entry {
        let host_ports = host_ports.to_vec();
        let socket = OsString::from_vec(b"/a b/\xff".into()).into();
        let bridge = Some(Bridge { socket, proxy_port: 3128, host_ports });
        Entry { forbids_namespaces: true, bridge }
    }

    #[test]
    fn entries_survive_being_arguments() {
        let args = [OsString::from_vec(vec![0xff]), "".into(), "--".into()];
        for entry in [Entry::default(), with_bridge(&[]), with_bridge(&[5432, 1])] {
            let mut all = entry.arguments("--bridge".as_ref(), &args).into_iter();
            assert_eq!(all.next(), Some(super::super::ARGUMENT.into()));
            let read = super::entry(all);
            assert_eq!(read, Some((entry, "--bridge".into(), args.to_vec())));
        }
    }

    #[test]
    fn an_incomplete_entry_is_invalid() {
        let all = with_bridge(&[5432]).arguments("true".as_ref(), &[]);
        for count in 1..all.len() {
            assert_eq!(entry(all[1..count].iter().cloned()), None, "{count}");
        }
        for (at, wrong) in [(2, "--brigde"), (4, "0"), (4, "x"), (5, "5432,x"), (6, "-")] {
            let mut all = all.clone();
            all[at] = wrong.into();
            assert_eq!(entry(all.into_iter().skip(1)), None, "{wrong}");
        }
    }
}
