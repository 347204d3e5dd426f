//! PHPUnit.

use super::super::FailureKind::{Assertion, BrokenTest, MissingSymbol};
use super::super::reports::{Dialect, Reader};
use super::super::spec::{
    ConfigurationFile, Form, Grouping, KindSign, Program, Selection, Sign, Spec,
};

pub(super) static PHPUNIT: Spec = Spec {
    signs: &[
        Sign { file: "phpunit.xml*", text: "" },
        Sign { file: "composer.json", text: "phpunit/phpunit" },
    ],
    package_files: &["composer.json", "phpunit.xml", "phpunit.xml.dist"],
    programs: &[
        Program { file: "vendor/bin/phpunit", command: "{up}vendor/bin/phpunit" },
        Program { file: "", command: "phpunit" },
    ],
    command: "{program} --colors=never --log-junit {report} {tests} {files}",
    tests: Selection {
        each: "{method}",
        form: Form::Pattern { before: "--filter=/::", after: "( with data set .*)?$/" },
    },
    grouping: Grouping::File,
    reported_as: "{class}#{method}",
    reader: Reader::Junit(Dialect::Class),
    failures: &[
        KindSign {
            kind: Assertion,
            texts: &["ExpectationFailedException", "AssertionFailedError"],
        },
        KindSign { kind: BrokenTest, texts: &["ParseError", "Parse error", "syntax error, "] },
        KindSign {
            kind: MissingSymbol,
            texts: &[
                "Call to undefined",
                "\" not found",
                "Undefined constant",
                "Undefined property",
                "Unknown named parameter",
                "Failed opening required",
            ],
        },
    ],
    configuration: &[
        ConfigurationFile { pattern: "phpunit.xml", keys: &[] },
        ConfigurationFile { pattern: "phpunit.xml.dist", keys: &[] },
        ConfigurationFile { pattern: "phpunit.dist.xml", keys: &[] },
        ConfigurationFile { pattern: "tests/bootstrap.php", keys: &[] },
        ConfigurationFile {
            pattern: "composer.json",
            keys: &["scripts.test", "autoload-dev", "config.vendor-dir", "config.bin-dir"],
        },
    ],
    canary: None,
};
