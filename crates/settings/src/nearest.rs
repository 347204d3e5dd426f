//! The word that a slip was meant to be.

/// From here on a word looks like a slip of another one.
const NEAR: f64 = 0.8;

/// The one of `known` that is most like `word`, whatever its case, if any is like it.
pub fn nearest(word: &str, known: &[&'static str]) -> Option<&'static str> {
    let word = word.to_lowercase();
    known
        .iter()
        .map(|known| (strsim::jaro_winkler(&word, &known.to_lowercase()), *known))
        .filter(|(likeness, _)| *likeness >= NEAR)
        .max_by(|(one, _), (other, _)| one.total_cmp(other))
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_told_from_a_word_of_its_own() {
        let known = ["maximumIterations", "command", "model", "maxTurns", "streamAgentOutput"];
        assert_eq!(nearest("maxIterations", &known), Some("maximumIterations"));
        assert_eq!(nearest("Comand", &known), Some("command"));
        assert_eq!(nearest("stream_agent_output", &known), Some("streamAgentOutput"));
        for word in ["temperature", "verbose", "timeout", ""] {
            assert_eq!(nearest(word, &known), None, "{word}");
        }
    }
}
