//! Notifications by the terminal: the bell, or a desktop notification by an escape sequence.

use crate::Notice;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TerminalSignal {
    Bell,
    Notification(Dialect, Wrapping),
}

/// The escape sequence that the terminal understands. Only one is sent: some terminals know both and
/// would notify twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// OSC 9: most terminals.
    Osc9,
    /// OSC 777: VTE and rxvt.
    Osc777,
}

/// A terminal multiplexer passes only wrapped sequences on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrapping {
    None,
    Tmux,
}

impl TerminalSignal {
    /// Detects the terminal from environment variables.
    pub fn notification(variable: impl Fn(&str) -> Option<String>) -> Self {
        let is_rxvt = variable("TERM").is_some_and(|term| term.starts_with("rxvt"));
        let dialect = match is_rxvt || variable("VTE_VERSION").is_some() {
            true => Dialect::Osc777,
            false => Dialect::Osc9,
        };
        let wrapping = if variable("TMUX").is_some() { Wrapping::Tmux } else { Wrapping::None };
        Self::Notification(dialect, wrapping)
    }
}

/// The bytes to write to the terminal. The text of a notice has no control characters.
pub fn terminal_bytes(word: TerminalSignal, notice: &Notice) -> Vec<u8> {
    let (dialect, wrapping) = match word {
        TerminalSignal::Bell => return b"\x07".to_vec(),
        TerminalSignal::Notification(dialect, wrapping) => (dialect, wrapping),
    };
    let sequence = match dialect {
        // Some terminals take a leading digit for another command; our texts have none.
        Dialect::Osc9 => format!("\x1b]9;{}\x07", notice.text),
        Dialect::Osc777 => {
            format!("\x1b]777;notify;Ralph;{}\x07", notice.text.replace(';', ","))
        }
    };
    match wrapping {
        Wrapping::None => sequence,
        Wrapping::Tmux => format!("\x1bPtmux;{}\x1b\\", sequence.replace('\x1b', "\x1b\x1b")),
    }
    .into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    fn bytes(word: TerminalSignal) -> String {
        let notice = Notice { text: "Ralph: a; b".into(), ..Notice::sample(Kind::Finished) };
        String::from_utf8(terminal_bytes(word, &notice)).unwrap()
    }

    fn word(set: &[(&str, &str)]) -> TerminalSignal {
        let find = |name: &str| set.iter().find(|(set, _)| *set == name);
        TerminalSignal::notification(|name| find(name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn each_terminal_gets_the_one_sequence_that_it_knows() {
        assert_eq!(bytes(TerminalSignal::Bell), "\x07");
        assert_eq!(bytes(word(&[("TERM", "xterm-256color")])), "\x1b]9;Ralph: a; b\x07");
        let vte = "\x1b]777;notify;Ralph;Ralph: a, b\x07";
        assert_eq!(bytes(word(&[("VTE_VERSION", "7600")])), vte);
        assert_eq!(bytes(word(&[("TERM", "rxvt-unicode")])), vte);
    }

    #[test]
    fn tmux_passes_on_what_is_wrapped_for_it() {
        let in_tmux = bytes(word(&[("TERM", "tmux-256color"), ("TMUX", "/tmp/x,1,0")]));
        assert_eq!(in_tmux, "\x1bPtmux;\x1b\x1b]9;Ralph: a; b\x07\x1b\\");
    }
}
