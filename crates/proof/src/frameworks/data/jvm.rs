//! JUnit through Gradle and Maven. Both write a report for each class; the command puts them into
//! one file, with a separator behind each.

use super::super::FailureKind::{Assertion, BrokenTest, MissingSymbol};
use super::super::reports::{Dialect, Reader};
use super::super::spec::{
    ConfigurationFile, Form, Grouping, KindSign, Program, Selection, Sign, Spec,
};

const FAILURES: &[KindSign] = &[
    KindSign {
        kind: Assertion,
        texts: &["AssertionFailedError", "AssertionError", "ComparisonFailure"],
    },
    KindSign {
        kind: BrokenTest,
        texts: &[
            "';' expected",
            "')' expected",
            "'(' expected",
            "'}' expected",
            "<identifier> expected",
            "class, interface, enum, or record expected",
            "reached end of file while parsing",
            "illegal start of",
            "not a statement",
            "unclosed string literal",
            "Syntax error: ",
            "Expecting ",
        ],
    },
    KindSign {
        kind: MissingSymbol,
        texts: &[
            "cannot find symbol",
            " does not exist",
            "cannot be applied to given types",
            "nresolved reference",
            "No value passed for parameter",
            "Cannot find a parameter with this name",
            "NoSuchMethodError",
            "NoSuchFieldError",
            "NoClassDefFoundError",
            "ClassNotFoundException",
            "MissingMethodException",
            "UnsupportedOperationException",
            "NotImplementedError",
        ],
    },
];

pub(super) static GRADLE: Spec = Spec {
    signs: &[
        Sign { file: "build.gradle", text: "" },
        Sign { file: "build.gradle.kts", text: "" },
        Sign { file: "settings.gradle", text: "" },
        Sign { file: "settings.gradle.kts", text: "" },
    ],
    package_files: &["build.gradle", "build.gradle.kts"],
    programs: &[
        Program { file: "gradlew", command: "sh {up}gradlew" },
        Program { file: "", command: "gradle" },
    ],
    // cleanTest: a test that is up to date does not run.
    command: "rm -f build/test-results/test/TEST-*.xml; {program} --console=plain --continue cleanTest test {tests}; \
              code=$?; for file in build/test-results/test/TEST-*.xml; do \
              [ ! -f \"$file\" ] || { cat \"$file\"; printf '\\036'; }; done > {report}; exit $code",
    tests: Selection { each: "--tests=*{class}.{method}", form: Form::Arguments },
    grouping: Grouping::Package,
    reported_as: "{class}#{method}",
    reader: Reader::Junit(Dialect::Class),
    failures: FAILURES,
    configuration: &[
        ConfigurationFile { pattern: "build.gradle", keys: &[] },
        ConfigurationFile { pattern: "build.gradle.kts", keys: &[] },
        ConfigurationFile { pattern: "settings.gradle", keys: &[] },
        ConfigurationFile { pattern: "settings.gradle.kts", keys: &[] },
        ConfigurationFile { pattern: "gradle.properties", keys: &[] },
        ConfigurationFile { pattern: "gradlew", keys: &[] },
        ConfigurationFile { pattern: "**/gradle/wrapper/**", keys: &[] },
        ConfigurationFile { pattern: "**/buildSrc/**", keys: &[] },
        ConfigurationFile { pattern: "junit-platform.properties", keys: &[] },
    ],
    canary: None,
};

pub(super) static MAVEN: Spec = Spec {
    signs: &[Sign { file: "pom.xml", text: "" }],
    package_files: &["pom.xml"],
    programs: &[
        Program { file: "mvnw", command: "sh {up}mvnw" },
        Program { file: "", command: "mvn" },
    ],
    command: "rm -f target/surefire-reports/TEST-*.xml; {program} -B -Dstyle.color=never -DfailIfNoTests=false \
              -Dsurefire.failIfNoSpecifiedTests=false {tests} test; \
              code=$?; for file in target/surefire-reports/TEST-*.xml; do \
              [ ! -f \"$file\" ] || { cat \"$file\"; printf '\\036'; }; done > {report}; exit $code",
    tests: Selection { each: "{class}#{method}", form: Form::List { before: "-Dtest=" } },
    grouping: Grouping::Package,
    reported_as: "{class}#{method}",
    reader: Reader::Junit(Dialect::Class),
    failures: FAILURES,
    configuration: &[
        ConfigurationFile {
            pattern: "pom.xml",
            keys: &["project.build", "project.profiles", "project.parent", "project.properties"],
        },
        ConfigurationFile { pattern: "**/.mvn/**", keys: &[] },
        ConfigurationFile { pattern: "mvnw", keys: &[] },
        ConfigurationFile { pattern: "junit-platform.properties", keys: &[] },
    ],
    canary: None,
};
