//! RSpec.

use super::super::FailureKind::{Assertion, BrokenTest, MissingSymbol};
use super::super::reports::Reader;
use super::super::spec::{
    ConfigurationFile, Form, Grouping, KindSign, Program, Selection, Sign, Spec,
};

pub(super) static RSPEC: Spec = Spec {
    signs: &[
        Sign { file: ".rspec", text: "" },
        Sign { file: "spec/spec_helper.rb", text: "" },
        Sign { file: "Gemfile", text: "rspec" },
    ],
    package_files: &["Gemfile", ".rspec"],
    programs: &[
        Program { file: "Gemfile", command: "bundle exec rspec" },
        Program { file: "", command: "rspec" },
    ],
    command: "{program} --no-color --no-fail-fast --format json --out {report} --format progress {tests} {files}",
    tests: Selection { each: "--example={name}", form: Form::Arguments },
    grouping: Grouping::File,
    reported_as: "{name}",
    reader: Reader::Rspec,
    failures: &[
        KindSign {
            kind: Assertion,
            texts: &["RSpec::Expectations::", "RSpec::Mocks::MockExpectationError"],
        },
        KindSign { kind: BrokenTest, texts: &["SyntaxError"] },
        KindSign {
            kind: MissingSymbol,
            texts: &[
                "NameError",
                "NoMethodError",
                "LoadError",
                "NotImplementedError",
                "unknown keyword",
            ],
        },
    ],
    configuration: &[
        ConfigurationFile { pattern: ".rspec", keys: &[] },
        ConfigurationFile { pattern: ".rspec-local", keys: &[] },
        ConfigurationFile { pattern: "spec_helper.rb", keys: &[] },
        ConfigurationFile { pattern: "rails_helper.rb", keys: &[] },
        ConfigurationFile { pattern: "**/spec/support/**", keys: &[] },
    ],
    canary: None,
};
