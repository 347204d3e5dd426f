//! Rejects extra arguments that would override the runner's own.

use std::ffi::OsString;

use crate::RefusedArgument;

/// A value can be attached to a reserved option: `--format=text`, `-ojson`.
pub(crate) fn refuse(extra_args: &[OsString], reserved: &[&str]) -> Result<(), RefusedArgument> {
    for argument in extra_args {
        let argument = argument.to_string_lossy();
        let is_argument = |name: &&&str| match argument.strip_prefix(**name) {
            Some(rest) => rest.is_empty() || rest.starts_with('=') || !name.starts_with("--"),
            None => false,
        };
        if let Some(name) = reserved.iter().find(is_argument) {
            return Err(RefusedArgument::Reserved((*name).to_owned()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(argument: &str) -> Option<String> {
        let extra_args = ["--fast".into(), argument.into()];
        match refuse(&extra_args, &["--output-format", "-o"]) {
            Err(RefusedArgument::Reserved(name)) => Some(name),
            _ => None,
        }
    }

    #[test]
    fn a_reserved_option_is_refused_in_every_spelling() {
        for argument in ["--output-format", "--output-format=text"] {
            assert_eq!(refused(argument).as_deref(), Some("--output-format"));
        }
        for argument in ["-o", "-ojson", "-o=json"] {
            assert_eq!(refused(argument).as_deref(), Some("-o"));
        }
    }

    #[test]
    fn anything_else_passes() {
        for argument in ["--output-formatter", "--o", "output-format", "-", ""] {
            assert_eq!(refused(argument), None, "{argument}");
        }
    }
}
