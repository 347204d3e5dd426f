//! The body of a pull request: Ralph's section between two marks, and around it what people wrote.

const BEGIN: &str = "<!-- ralph-loop: begin, run ";
const END: &str = "<!-- ralph-loop: end -->";

/// Characters of the two marks with the id of a run.
pub(super) const MARKS: usize = 200;

pub(super) fn marked(run: &str, text: &str) -> String {
    format!("{BEGIN}{run} -->\n{}\n{END}", text.trim_end())
}

/// The existing body with this section in place of the former one, or after everything else.
pub(crate) fn with_section(existing: &str, section: &str) -> String {
    let (before, after) = around(existing);
    let parts = [before.trim_end(), section, after.trim_start()];
    parts.into_iter().filter(|part| !part.trim().is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// Characters of the existing body that stay.
pub(super) fn kept(existing: &str) -> usize {
    let (before, after) = around(existing);
    before.chars().count() + after.chars().count()
}

fn around(existing: &str) -> (&str, &str) {
    let begin = line_start(existing, BEGIN);
    let end = begin.and_then(|from| Some(from + line_start(&existing[from..], END)?));
    match (begin, end) {
        (Some(begin), Some(end)) => (&existing[..begin], &existing[end + END.len()..]),
        _ => (existing, ""),
    }
}

/// Where a line begins with `mark`.
fn line_start(text: &str, mark: &str) -> Option<usize> {
    let mut places = text.match_indices(mark).map(|(at, _)| at);
    places.find(|&at| at == 0 || text.as_bytes().get(at - 1) == Some(&b'\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_section_is_replaced_and_the_rest_stays() {
        let [first, second] = ["one", "two"].map(|text| marked("20261115-010000-ab12", text));
        assert_eq!(with_section("", &first), first);
        assert_eq!(with_section(&first, &second), second);
        let written = format!("Look at the totals.\r\n\r\n{first}\n\nReviewed by hand.\n");
        let updated = with_section(&written, &second);
        assert_eq!(updated, format!("Look at the totals.\n\n{second}\n\nReviewed by hand.\n"));
        assert_eq!(with_section(&updated, &second), updated, "a second update changes nothing");
        assert_eq!(kept(&written), "Look at the totals.\r\n\r\n\n\nReviewed by hand.\n".len());
    }

    #[test]
    fn the_body_of_a_person_is_kept_whole() {
        let section = marked("r", "one");
        for body in
            ["Mine.", "<!-- ralph-loop: begin, run r -->\nno end", "x <!-- ralph-loop: end -->"]
        {
            assert_eq!(with_section(body, &section), format!("{body}\n\n{section}"));
        }
    }
}
