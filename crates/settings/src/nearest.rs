//! Suggests the intended word for a typo.

/// The similarity of a typo.
const NEAR: f64 = 0.8;

/// The one of `known` that is most similar to `word`, ignoring case, if any is similar.
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
    fn a_typo_is_distinguished_from_another_word() {
        let known = ["maximumIterations", "command", "model", "maxTurns", "streamAgentOutput"];
        assert_eq!(nearest("maxIterations", &known), Some("maximumIterations"));
        assert_eq!(nearest("Comand", &known), Some("command"));
        assert_eq!(nearest("stream_agent_output", &known), Some("streamAgentOutput"));
        for word in ["temperature", "verbose", "timeout", ""] {
            assert_eq!(nearest(word, &known), None, "{word}");
        }
    }
}
