//! A word to the terminal: the bell, or a notification of the desktop's by an escape sequence.

use crate::Notice;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TerminalWord {
    Bell,
    Notification(Dialect, Wrapping),
}

/// Who understands which sequence. A terminal that knows neither shows nothing; one that knows both
/// would show two, so only one is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// OSC 9: most terminals that show notifications.
    Osc9,
    /// OSC 777: those of VTE and rxvt.
    Osc777,
}

/// A multiplexer passes on what is wrapped for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrapping {
    None,
    Tmux,
}

impl TerminalWord {
    /// A notification for the terminal that the environment tells of.
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

/// What is written to the terminal. The text of a notice has no control characters.
pub fn terminal_bytes(word: TerminalWord, notice: &Notice) -> Vec<u8> {
    let (dialect, wrapping) = match word {
        TerminalWord::Bell => return b"\x07".to_vec(),
        TerminalWord::Notification(dialect, wrapping) => (dialect, wrapping),
    };
    let sequence = match dialect {
        // Ours never begins with a digit, which some terminals take for another order.
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

    fn bytes(word: TerminalWord) -> String {
        let notice = Notice { text: "Ralph: a; b".into(), ..Notice::sample(Kind::Finished) };
        String::from_utf8(terminal_bytes(word, &notice)).unwrap()
    }

    fn word(set: &[(&str, &str)]) -> TerminalWord {
        let find = |name: &str| set.iter().find(|(set, _)| *set == name);
        TerminalWord::notification(|name| find(name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn each_terminal_gets_the_one_sequence_that_it_knows() {
        assert_eq!(bytes(TerminalWord::Bell), "\x07");
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
