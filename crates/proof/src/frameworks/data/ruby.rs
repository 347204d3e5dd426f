//! RSpec.

use super::super::FailureKind::{Assertion, BrokenTest, MissingSymbol};
use super::super::reports::Reader;
use super::super::spec::{
    Assertion as Check, CanarySpec, ConfigurationFile, Form, Grouping, KindSign, Program,
    Selection, Sign, Spec,
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
    canary: Some(&CanarySpec {
        parent: None,
        file: "{stem}_canary_{id}_spec{suffix}",
        test: "\n\nRSpec.describe('canary {id}') do\n  it('fails') do\n    caught = 0\n{attempts}    \
               raise 'canary {id}' if caught == {count}\n  end\nend\n",
        name: "canary {id} fails",
        attempt: "    begin\n      {statement}\n    rescue Exception\n      caught += 1\n    end\n",
        declaration: r"\b(describe|context)\b",
        assertions: &[
            Check { used: "eq(", statement: "expect(1).to eq(2)" },
            Check { used: "eq ", statement: "expect(1).to eq 2" },
            Check { used: "eql", statement: "expect(1).to eql(2)" },
            Check { used: " be(", statement: "expect(1).to be(2)" },
            Check { used: "be_truthy", statement: "expect(false).to be_truthy" },
            Check { used: "be_falsey", statement: "expect(true).to be_falsey" },
            Check { used: "be true", statement: "expect(false).to be true" },
            Check { used: "be false", statement: "expect(true).to be false" },
            Check { used: "be_nil", statement: "expect(1).to be_nil" },
            Check { used: "be_empty", statement: "expect([1]).to be_empty" },
            Check { used: "include", statement: "expect([]).to include(1)" },
            Check { used: "match", statement: "expect('a').to match(/b/)" },
            Check { used: "raise_error", statement: "expect { 1 }.to raise_error(KeyError)" },
            Check { used: "not_to", statement: "expect(1).not_to eq(1)" },
        ],
    }),
};
