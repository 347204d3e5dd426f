//! The names of the test frameworks.

use serde::{Deserialize, Serialize};

/// A test framework, under its name in proof files (`command`) and settings.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    strum::Display,
    strum::EnumString,
    strum::VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Framework {
    Cargo,
    Pytest,
    Unittest,
    Jest,
    Vitest,
    Mocha,
    /// `node --test`
    Node,
    Go,
    Rspec,
    Phpunit,
    Gradle,
    Maven,
    Bats,
    /// The user's command (`proof.run`), which writes JUnit XML.
    Custom,
}
