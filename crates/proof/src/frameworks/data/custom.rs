//! The user's command.

use super::super::FailureKind::{Assertion, BrokenTest, MissingSymbol};
use super::super::reports::{Dialect, Reader};
use super::super::spec::{Form, Grouping, KindSign, Selection, Spec};

pub(super) static CUSTOM: Spec = Spec {
    signs: &[],
    package_files: &[],
    programs: &[],
    command: "",
    tests: Selection { each: "{name}", form: Form::Arguments },
    grouping: Grouping::Package,
    reported_as: "{name}",
    reader: Reader::Junit(Dialect::Any),
    failures: &[
        KindSign { kind: BrokenTest, texts: &["yntaxError", "yntax error", "arse error"] },
        KindSign {
            kind: Assertion,
            texts: &["Assert", "assert", " expected", "\nexpected", "Expected"],
        },
        KindSign {
            kind: MissingSymbol,
            texts: &[
                "ndefined",
                "not defined",
                "not found",
                "cannot find",
                "nresolved",
                "no such",
                "No such",
            ],
        },
    ],
    configuration: &[],
    canary: None,
};
