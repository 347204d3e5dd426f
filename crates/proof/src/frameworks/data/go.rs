//! `go test`.

use super::super::FailureKind::{Assertion, BrokenTest, MissingSymbol, Other};
use super::super::reports::Reader;
use super::super::spec::{
    ConfigurationFile, Form, Grouping, KindSign, Program, Selection, Sign, Spec,
};

pub(super) static GO: Spec = Spec {
    signs: &[Sign { file: "go.mod", text: "" }, Sign { file: "go.work", text: "" }],
    package_files: &["go.mod"],
    programs: &[Program { file: "", command: "go" }],
    // Subtests run with the test around them.
    command: "{program} test -json -count=1 {tests} {folder}",
    tests: Selection { each: "{top}", form: Form::Pattern { before: "-run=^", after: "$" } },
    grouping: Grouping::Folder,
    reported_as: "{name}",
    reader: Reader::Go,
    failures: &[
        KindSign {
            kind: BrokenTest,
            texts: &[
                ": syntax error",
                "missing ',' in",
                ": expected ",
                ": illegal character",
                "literal not terminated",
                "_test.go: expected",
            ],
        },
        KindSign {
            kind: MissingSymbol,
            texts: &[
                ": undefined: ",
                " undefined (type ",
                "not exported by package",
                "unknown field",
                "is not in std",
                "no required module provides package",
                "too many arguments in call",
                "not enough arguments in call",
                "does not implement",
                "panic: not implemented",
                "panic: todo",
            ],
        },
        KindSign { kind: Other, texts: &["panic: "] },
        // A test of Go has no assertions; it reports what is wrong.
        KindSign { kind: Assertion, texts: &["--- FAIL: "] },
    ],
    configuration: &[
        ConfigurationFile { pattern: "go.work", keys: &[] },
        ConfigurationFile { pattern: "vendor/modules.txt", keys: &[] },
        ConfigurationFile { pattern: "**/testmain_test.go", keys: &[] },
    ],
    canary: None,
};
