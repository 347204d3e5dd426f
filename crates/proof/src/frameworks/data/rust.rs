//! `cargo test`.

use super::super::FailureKind::{Assertion, BrokenTest, MissingSymbol};
use super::super::reports::Reader;
use super::super::spec::{
    Assertion as Check, CanarySpec, ConfigurationFile, Form, Grouping, KindSign, Program,
    Selection, Sign, Spec,
};

pub(super) static CARGO: Spec = Spec {
    signs: &[Sign { file: "Cargo.toml", text: "" }],
    package_files: &["Cargo.toml"],
    programs: &[Program { file: "", command: "cargo" }],
    command: "{program} test --color=never --no-fail-fast {target} -- --color=never --exact {tests}",
    tests: Selection { each: "{name}", form: Form::Arguments },
    grouping: Grouping::CargoTarget,
    reported_as: "{name}",
    reader: Reader::Libtest,
    failures: &[
        KindSign {
            kind: BrokenTest,
            texts: &[
                "error: expected",
                "error: unexpected",
                "error: this file contains an un-closed delimiter",
                "error: this file contains an unclosed delimiter",
                "error: mismatched closing delimiter",
                "error: unknown start of token",
                "error: unterminated",
                "error[E0758]", // comment without an end
                "error[E0765]", // string without an end
                "error[E0766]",
            ],
        },
        KindSign {
            kind: MissingSymbol,
            texts: &[
                "\nnot yet implemented",
                "\nnot implemented",
                "error[E0026]", // no such field in a pattern
                "error[E0061]", // other number of arguments
                "error[E0107]", // other number of generic arguments
                "error[E0277]", // trait not implemented
                "error[E0405]",
                "error[E0407]",
                "error[E0412]",
                "error[E0422]",
                "error[E0423]",
                "error[E0425]",
                "error[E0432]",
                "error[E0433]",
                "error[E0437]",
                "error[E0438]",
                "error[E0531]",
                "error[E0532]",
                "error[E0560]",
                "error[E0574]",
                "error[E0576]",
                "error[E0599]",
                "error[E0603]", // private
                "error[E0609]",
                "error[E0616]",
                "error[E0624]",
                "error: cannot find macro",
            ],
        },
        KindSign {
            kind: Assertion,
            texts: &[
                "assertion `",
                "assertion failed",
                "test did not panic as expected",
                "panic did not contain expected string",
                "panicked at {file}:",
            ],
        },
    ],
    configuration: &[
        ConfigurationFile {
            pattern: "Cargo.toml",
            keys: &[
                "lib.test",
                "lib.harness",
                "lib.path",
                "bin",
                "test",
                "package.autotests",
                "package.autobins",
                "package.autolib",
                "package.build",
                "package.default-run",
                "profile.test",
                "profile.dev.debug-assertions",
                "profile.dev.overflow-checks",
            ],
        },
        ConfigurationFile { pattern: ".cargo/config", keys: &[] },
        ConfigurationFile { pattern: "**/.cargo/config.toml", keys: &[] },
        ConfigurationFile { pattern: "rust-toolchain", keys: &[] },
        ConfigurationFile { pattern: "rust-toolchain.toml", keys: &[] },
        ConfigurationFile { pattern: "build.rs", keys: &[] },
    ],
    canary: Some(&CanarySpec {
        // Each file of this folder is a target.
        parent: Some("tests"),
        file: "{stem}_canary_{id}{suffix}",
        test: "\n#[test]\nfn canary_{id}() {\n    let mut caught = 0;\n{attempts}    \
               ::std::assert!(caught != {count}, \"canary {id}\");\n}\n",
        name: "canary_{id}",
        attempt: "    if ::std::panic::catch_unwind(|| { {statement}; }).is_err() {\n        caught += 1;\n    }\n",
        declaration: r"#\[(?:\w+::)*(test)\b",
        assertions: &[
            Check { used: "assert!(", statement: "assert!(false)" },
            Check { used: "assert_eq!(", statement: "assert_eq!(1, 2)" },
            Check { used: "assert_ne!(", statement: "assert_ne!(1, 1)" },
            Check { used: "panic!(", statement: "panic!()" },
            Check { used: ".unwrap()", statement: "None::<u8>.unwrap()" },
        ],
    }),
};
