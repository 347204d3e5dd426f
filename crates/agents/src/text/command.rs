//! Builds the command of a program without an adapter: the user's command with the prompt.

use std::ffi::{OsStr, OsString};

use crate::{CommandLine, PromptVia, RefusedArgument, Request};

/// The maximum length of an argument: the kernel's limit on Linux, that of a whole command line on Windows.
const LONGEST_ARGUMENT: usize = if cfg!(windows) { 32_000 } else { 131_071 };

/// The placeholder for the prompt or its file in the extra arguments; without it, the prompt comes last.
const PLACE: &str = "{prompt}";

pub(super) fn arguments(request: &Request, line: &mut CommandLine) -> Result<(), RefusedArgument> {
    if request.prompt_via != PromptVia::Stdin {
        line.stdin.clear();
    }
    line.args = match request.prompt_via {
        PromptVia::Stdin => request.extra_args.clone(),
        PromptVia::Argument => {
            // An argument cannot contain a zero byte.
            let prompt = request.prompt.replace('\0', "");
            let args = placed(&request.extra_args, OsStr::new(&prompt));
            let longest = args.iter().map(|argument| argument.len()).max().unwrap_or(0);
            if longest > LONGEST_ARGUMENT {
                let most = LONGEST_ARGUMENT.saturating_sub(longest.saturating_sub(prompt.len()));
                return Err(RefusedArgument::PromptTooLong { bytes: prompt.len(), most });
            }
            args
        }
        PromptVia::File => placed(&request.extra_args, request.prompt_file.as_os_str()),
    };
    Ok(())
}

fn placed(args: &[OsString], prompt: &OsStr) -> Vec<OsString> {
    let has_place = |argument: &OsString| argument.to_str().is_some_and(|a| a.contains(PLACE));
    if !args.iter().any(has_place) {
        return args.iter().cloned().chain([prompt.to_owned()]).collect();
    }
    args.iter()
        .map(|argument| match argument.to_str() {
            Some(text) => text.split(PLACE).map(OsStr::new).collect::<Vec<_>>().join(prompt),
            None => argument.clone(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Agent;

    fn call(
        via: PromptVia,
        prompt: &str,
        extra_args: &[&str],
    ) -> Result<CommandLine, RefusedArgument> {
        let request = Request {
            prompt: prompt.into(),
            prompt_via: via,
            prompt_file: "/runs/prompt.md".into(),
            extra_args: extra_args.iter().map(OsString::from).collect(),
            ..Request::default()
        };
        Agent::Text.command(Path::new("agent"), &request)
    }

    #[test]
    fn on_the_standard_input() {
        let line = call(PromptVia::Stdin, "do\0 it", &["-q", "{prompt}"]).unwrap();
        assert_eq!(line.args, ["-q", "{prompt}"]);
        assert_eq!(line.stdin, "do\0 it");
    }

    #[test]
    fn as_an_argument() {
        let line = call(PromptVia::Argument, "do\0 it", &["-q"]).unwrap();
        assert_eq!(line.args, ["-q", "do it"]);
        assert_eq!(line.stdin, "");
        let line = call(PromptVia::Argument, "do it", &["--message={prompt}!", "-q"]).unwrap();
        assert_eq!(line.args, ["--message=do it!", "-q"]);
        let twice = call(PromptVia::Argument, "{prompt}", &["{prompt}", "-{prompt}"]).unwrap();
        assert_eq!(twice.args, ["{prompt}", "-{prompt}"]);
    }

    #[test]
    fn as_a_file() {
        let line = call(PromptVia::File, "do it", &["-q"]).unwrap();
        assert_eq!(line.args, ["-q", "/runs/prompt.md"]);
        let line = call(PromptVia::File, "do it", &["@{prompt}", "-q"]).unwrap();
        assert_eq!(line.args, ["@/runs/prompt.md", "-q"]);
        assert_eq!(line.stdin, "");
    }

    #[test]
    fn an_argument_has_a_maximum_length() {
        let most = LONGEST_ARGUMENT;
        assert!(call(PromptVia::Argument, &"x".repeat(most), &[]).is_ok());
        assert_eq!(
            call(PromptVia::Argument, &"x".repeat(most + 1), &[]),
            Err(RefusedArgument::PromptTooLong { bytes: most + 1, most })
        );
        assert_eq!(
            call(PromptVia::Argument, &"x".repeat(most), &["--m={prompt}"]),
            Err(RefusedArgument::PromptTooLong { bytes: most, most: most - 4 })
        );
        assert!(call(PromptVia::File, &"x".repeat(most + 1), &[]).is_ok());
    }
}
