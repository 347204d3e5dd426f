//! Bats.

use super::super::FailureKind::{Assertion, BrokenTest, MissingSymbol};
use super::super::reports::{Dialect, Reader};
use super::super::spec::{
    ConfigurationFile, Form, Grouping, KindSign, Program, Selection, Sign, Spec,
};

pub(super) static BATS: Spec = Spec {
    signs: &[
        Sign { file: "test/*.bats", text: "" },
        Sign { file: "tests/*.bats", text: "" },
        Sign { file: "*.bats", text: "" },
    ],
    package_files: &[],
    programs: &[
        Program { file: "test/bats/bin/bats", command: "{up}test/bats/bin/bats" },
        Program { file: "", command: "bats" },
    ],
    command: "{program} --formatter junit --filter {tests} {files} > {report}",
    tests: Selection { each: "{name}", form: Form::Pattern { before: "^", after: "$" } },
    grouping: Grouping::File,
    reported_as: "{name}",
    reader: Reader::Junit(Dialect::Bats),
    failures: &[
        KindSign { kind: BrokenTest, texts: &["syntax error"] },
        KindSign { kind: MissingSymbol, texts: &["command not found", "failed with status 127"] },
        KindSign { kind: Assertion, texts: &["(in test file", "(from function"] },
    ],
    configuration: &[
        ConfigurationFile { pattern: "test_helper.bash", keys: &[] },
        ConfigurationFile { pattern: "setup_suite.bash", keys: &[] },
        ConfigurationFile { pattern: "**/test_helper/**", keys: &[] },
    ],
    canary: None,
};
