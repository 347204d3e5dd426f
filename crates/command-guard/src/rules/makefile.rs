//! Parses a makefile: targets, prerequisites, recipes, simple variables.

use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub(super) struct Makefile {
    variables: BTreeMap<String, String>,
    rules: BTreeMap<String, Rule>,
    first: Option<String>,
}

#[derive(Debug, Default)]
struct Rule {
    needs: Vec<String>,
    recipe: Vec<String>,
}

impl Makefile {
    pub(super) fn read(text: &str, words: &[String], folder: &str) -> Self {
        let mut makefile = Self::default();
        makefile.variables.insert("CURDIR".into(), folder.into());
        let mut targets: Vec<String> = Vec::new();
        let text = text.replace("\\\n", " ");
        for line in text.lines() {
            if let Some(recipe) = line.strip_prefix('\t') {
                for target in &targets {
                    makefile
                        .rules
                        .entry(target.clone())
                        .or_default()
                        .recipe
                        .push(recipe.to_owned());
                }
            } else if let Some((name, value)) = assignment(line) {
                makefile.variables.insert(name, value);
            } else if let Some((names, rest)) =
                line.split_once(':').filter(|_| !line.starts_with('#'))
            {
                targets = makefile.expanded(names).split_whitespace().map(str::to_owned).collect();
                let (needs, recipe) = rest.split_once(';').unwrap_or((rest, ""));
                let needs: Vec<String> =
                    makefile.expanded(needs).split_whitespace().map(str::to_owned).collect();
                for target in &targets {
                    let rule = makefile.rules.entry(target.clone()).or_default();
                    rule.needs.extend(needs.clone());
                    rule.recipe
                        .extend(Some(recipe.trim().to_owned()).filter(|recipe| !recipe.is_empty()));
                    let is_goal = !target.starts_with('.') && !target.contains('%');
                    makefile.first =
                        makefile.first.take().or_else(|| is_goal.then(|| target.clone()));
                }
            }
        }
        for (name, value) in words.iter().filter_map(|word| word.split_once('=')) {
            makefile.variables.insert(name.to_owned(), value.to_owned());
        }
        makefile
    }

    /// The recipes for these goals, or for the first rule.
    pub(super) fn recipes(&self, goals: Vec<String>) -> Vec<String> {
        let mut waiting =
            if goals.is_empty() { self.first.iter().cloned().collect() } else { goals };
        let mut seen: Vec<String> = Vec::new();
        let mut recipes = Vec::new();
        while let Some(goal) = waiting.pop() {
            let Some(rule) = self.rules.get(&goal).filter(|_| !seen.contains(&goal)) else {
                continue;
            };
            waiting.extend(rule.needs.iter().cloned());
            let plain =
                |line: &String| self.expanded(line.trim_start_matches(['@', '-', '+', ' ']));
            recipes.extend(rule.recipe.iter().map(plain));
            seen.push(goal);
        }
        recipes
    }

    /// Expands make variables; other names are environment variables.
    fn expanded(&self, text: &str) -> String {
        const DEEPEST: usize = 8;
        let mut text = text.to_owned();
        for _ in 0..DEEPEST {
            let (next, changed) = self.expanded_once(&text);
            text = next;
            if !changed {
                break;
            }
        }
        text.replace("$$", "$")
    }

    fn expanded_once(&self, text: &str) -> (String, bool) {
        let mut out = String::new();
        let mut changed = false;
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            out.push_str(&rest[..at]);
            let after = &rest[at + 1..];
            let close = match after.chars().next() {
                Some('(') => after.find(')'),
                Some('{') => after.find('}'),
                _ => None,
            };
            let name = close.map(|end| &after[1..end]).filter(|name| {
                !name.is_empty()
                    && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.' || c == '-')
            });
            match (name, close) {
                (Some(name), Some(end)) => {
                    match self.variables.get(name) {
                        Some(value) => {
                            out.push_str(value);
                            changed = true;
                        }
                        None if ["HOME", "PWD", "TMPDIR", "USER", "PATH"].contains(&name) => {
                            out.push_str("$${");
                            out.push_str(name);
                            out.push('}');
                        }
                        // An unset name is empty in make.
                        None => {}
                    }
                    rest = &after[end + 1..];
                }
                _ if after.starts_with('$') => {
                    out.push_str("$$");
                    rest = &after[1..];
                }
                _ if after.starts_with("(shell ") => {
                    out.push_str("$$(");
                    rest = &after[7..];
                }
                _ => {
                    // `$@`, `$<` and the like name files of the build.
                    let skip = after.chars().next().map_or(0, char::len_utf8);
                    out.push_str("automatic");
                    rest = &after[skip..];
                }
            }
        }
        out.push_str(rest);
        (out, changed)
    }
}

fn assignment(line: &str) -> Option<(String, String)> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim().trim_end_matches([':', '?', '+', '!']).trim();
    let name = name.strip_prefix("export ").unwrap_or(name).trim();
    let is_name = !name.is_empty()
        && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.' || c == '-');
    is_name.then(|| (name.to_owned(), value.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipes(text: &str, words: &[&str]) -> Vec<String> {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        let goals = words.iter().filter(|word| !word.contains('=')).cloned().collect();
        Makefile::read(text, &words, "/p").recipes(goals)
    }

    #[test]
    fn the_first_rule_is_followed_with_all_that_it_needs() {
        let text = "X = /opt\nall: one\n\techo all\none: two\n\t@-rm $(X)/$$y $@\ntwo: all\n\techo ${HOME}\nother:\n\techo no\n";
        let found = recipes(text, &[]);
        assert_eq!(found, ["echo all", "rm /opt/$y automatic", "echo ${HOME}"]);
        assert_eq!(recipes(text, &["other"]), ["echo no"]);
        assert_eq!(recipes(text, &["one", "X=/x"])[0], "rm /x/$y automatic");
    }

    #[test]
    fn recursive_variables_end() {
        recipes("A = $(B)\nB = $(A)$(A)\nx:\n\techo $(A)", &["x"]);
    }
}
