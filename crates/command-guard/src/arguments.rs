//! Options and operands of a program, under the names that the rules use.

pub(crate) use shell_analysis::Arguments;
use shell_analysis::Word;

pub(crate) fn without_start(word: &Word, bytes: usize) -> Word {
    word.without_start(bytes)
}
