//! Notifications by the terminal: the bell, or a desktop notification by an escape sequence.

use crate::Notice;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TerminalSignal {
    Bell,
    Notification { sequence: EscapeSequence, in_tmux: bool },
}

/// The escape sequence that the terminal understands. Only one is sent: some terminals know both and
/// would notify twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EscapeSequence {
    /// OSC 9: most terminals.
    Osc9,
    /// OSC 777: VTE and rxvt.
    Osc777,
}

impl TerminalSignal {
    /// Detects the terminal from environment variables.
    pub fn notification(variable: impl Fn(&str) -> Option<String>) -> Self {
        let is_rxvt = variable("TERM").is_some_and(|term| term.starts_with("rxvt"));
        let sequence = match is_rxvt || variable("VTE_VERSION").is_some() {
            true => EscapeSequence::Osc777,
            false => EscapeSequence::Osc9,
        };
        Self::Notification { sequence, in_tmux: variable("TMUX").is_some() }
    }
}

/// The bytes to write to the terminal. The text of a notice has no control characters.
pub fn terminal_bytes(signal: TerminalSignal, notice: &Notice) -> Vec<u8> {
    let TerminalSignal::Notification { sequence, in_tmux } = signal else {
        return b"\x07".to_vec();
    };
    let sequence = match sequence {
        // Some terminals take a leading digit for another command; our texts have none.
        EscapeSequence::Osc9 => format!("\x1b]9;{}\x07", notice.text),
        EscapeSequence::Osc777 => {
            format!("\x1b]777;notify;Ralph;{}\x07", notice.text.replace(';', ","))
        }
    };
    // tmux passes only wrapped sequences on.
    match in_tmux {
        true => format!("\x1bPtmux;{}\x1b\\", sequence.replace('\x1b', "\x1b\x1b")),
        false => sequence,
    }
    .into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NoticeKind;

    fn bytes(signal: TerminalSignal) -> String {
        let notice = Notice { text: "Ralph: a; b".into(), ..Notice::sample(NoticeKind::Finished) };
        String::from_utf8(terminal_bytes(signal, &notice)).unwrap()
    }

    fn signal(set: &[(&str, &str)]) -> TerminalSignal {
        let find = |name: &str| set.iter().find(|(set, _)| *set == name);
        TerminalSignal::notification(|name| find(name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn each_terminal_gets_the_one_sequence_that_it_knows() {
        assert_eq!(bytes(TerminalSignal::Bell), "\x07");
        assert_eq!(bytes(signal(&[("TERM", "xterm-256color")])), "\x1b]9;Ralph: a; b\x07");
        let vte = "\x1b]777;notify;Ralph;Ralph: a, b\x07";
        assert_eq!(bytes(signal(&[("VTE_VERSION", "7600")])), vte);
        assert_eq!(bytes(signal(&[("TERM", "rxvt-unicode")])), vte);
    }

    #[test]
    fn tmux_passes_on_what_is_wrapped_for_it() {
        let in_tmux = bytes(signal(&[("TERM", "tmux-256color"), ("TMUX", "/tmp/x,1,0")]));
        assert_eq!(in_tmux, "\x1bPtmux;\x1b\x1b]9;Ralph: a; b\x07\x1b\\");
    }
}
